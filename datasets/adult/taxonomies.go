package adult

import (
	"embed"
	"fmt"

	"ppdp/datasets"
	"ppdp/internal/strictyaml"
)

// taxonomyFiles hold one taxonomy for each categorical quasi-identifier. They are the project's
// own, drawn to the shape of those that Fung, Wang & Yu (Anonymizing Classification Data for
// Privacy Preservation, IEEE TKDE 19(5), 2007) made for Adult and that DiffGen and DiffMulti use:
// for each attribute the same height and as many broader terms. Heights add up to 21 and broader
// terms to 47, the numbers that Al-Hussaeni et al. 2018 take their longest path |g| and DiffGen's
// largest h from.
//
//go:embed taxonomies/*.yaml
var taxonomyFiles embed.FS

// taxonomy reads the taxonomy of the attribute called name. The files are part of the program: a
// mistake in one is a programmer's.
func taxonomy(name string) *datasets.Taxonomy {
	path := "taxonomies/" + name + ".yaml"
	content, err := taxonomyFiles.ReadFile(path)
	if err != nil {
		panic(err)
	}
	reader := strictyaml.NewReader(path)
	var t datasets.Taxonomy
	reader.Decode(reader.Document(content), &t)
	if err := reader.Err(); err != nil {
		panic(fmt.Sprintf("adult: %v", err))
	}
	return &t
}
