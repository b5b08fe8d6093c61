package adult

import (
	"embed"
	"fmt"

	"ppdp/datasets"
)

// hierarchyFiles hold the hierarchies that full-domain generalisation climbs, for the eight
// quasi-identifiers of LeFevre et al. 2006. Their heights are those of the Incognito paper's table
// of Adult (LeFevre, DeWitt & Ramakrishnan 2005): age 4 (5, 10 and 20 years, everything), education
// 3, marital status, native country, workclass and occupation 2, sex and race 1, which makes
// 5·4·3·3·3·3·2·2 = 6,480 generalisations of a table. Which values go together is the project's own
// choice. The order of their leaves is that of the values in LeFevre et al. 2006 (intuitive), and
// respects the taxonomies too.
//
//go:embed hierarchies/*.yaml
var hierarchyFiles embed.FS

// hierarchyFile is the content of one: widths for a numeric attribute, a taxonomy whose leaves all
// lie at the same depth for a categorical one.
type hierarchyFile struct {
	Widths   []int             `yaml:"widths"`
	Taxonomy datasets.Taxonomy `yaml:"taxonomy"`
}

// hierarchy reads the hierarchy of an attribute, nil where there is no file for it. A mistake in it
// is a programmer's.
func hierarchy(a *datasets.Attribute) *datasets.Hierarchy {
	var file hierarchyFile
	if !embedded(hierarchyFiles, "hierarchies/"+a.Name+".yaml", &file) {
		return nil
	}
	if a.Kind == datasets.Categorical {
		if err := file.Taxonomy.Validate(a.Values); err != nil {
			panic(fmt.Sprintf("adult: %s: %v", a.Name, err))
		}
		values := *a
		values.Taxonomy = &file.Taxonomy
		return values.Axis().Hierarchy()
	}
	h, err := datasets.WidthHierarchy(a.Cells(), false, file.Widths...)
	if err != nil {
		panic(fmt.Sprintf("adult: %s: %v", a.Name, err))
	}
	return h
}
