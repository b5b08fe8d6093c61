package adult

import (
	"embed"
	"fmt"

	"ppdp/datasets"
	"ppdp/internal/strictyaml"
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

// hierarchy reads the hierarchy of an attribute, nil where there is no file for it. The files are
// part of the program: a mistake in one is a programmer's.
func hierarchy(a *datasets.Attribute) *datasets.Hierarchy {
	path := "hierarchies/" + a.Name + ".yaml"
	content, err := hierarchyFiles.ReadFile(path)
	if err != nil {
		return nil
	}
	reader := strictyaml.NewReader(path)
	var file hierarchyFile
	reader.Decode(reader.Document(content), &file)
	if err = reader.Err(); err == nil && a.Kind == datasets.Categorical {
		err = file.Taxonomy.Validate(a.Values)
	}
	var h *datasets.Hierarchy
	switch {
	case err != nil:
	case a.Kind == datasets.Categorical:
		values := *a
		values.Taxonomy = &file.Taxonomy
		h = values.Axis().Hierarchy()
	default:
		h, err = datasets.WidthHierarchy(a.Cells(), file.Widths...)
	}
	if err != nil {
		panic(fmt.Sprintf("adult: %s: %v", path, err))
	}
	return h
}
