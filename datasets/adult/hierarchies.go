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
	h, err := parseHierarchy(path, content, a)
	if err != nil {
		panic(fmt.Sprintf("adult: %v", err))
	}
	return h
}

func parseHierarchy(path string, content []byte,
	a *datasets.Attribute) (*datasets.Hierarchy, error) {
	reader := strictyaml.NewReader(path)
	var file hierarchyFile
	reader.Decode(reader.Document(content), &file)
	if err := reader.Err(); err != nil {
		return nil, err
	}
	if a.Kind == datasets.Numeric {
		if file.Taxonomy.Nodes != nil {
			return nil, fmt.Errorf("%s: a taxonomy of a numeric attribute, must be widths", path)
		}
		h, err := datasets.WidthHierarchy(a.Cells(), file.Widths...)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return h, err
	}
	if file.Widths != nil {
		return nil, fmt.Errorf("%s: widths of a categorical attribute, must be a taxonomy", path)
	}
	var bad datasets.Problems
	if err := file.Taxonomy.Validate(a.Values); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	height := file.Taxonomy.Height()
	for node := range file.Taxonomy.Nodes {
		depth := 0
		for at := node; file.Taxonomy.Nodes[at].Parent >= 0; at = file.Taxonomy.Nodes[at].Parent {
			depth++
		}
		if n := &file.Taxonomy.Nodes[node]; len(n.Children) == 0 && depth != height {
			bad.Add("%s: leaf %q at depth %d, must be %d as the deepest",
				path, n.Name, depth, height)
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	values := *a
	values.Taxonomy = &file.Taxonomy
	return values.Axis().Hierarchy(), nil
}
