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

// taxonomy reads the taxonomy of the attribute called name.
func taxonomy(name string) *datasets.Taxonomy {
	t := new(datasets.Taxonomy)
	if !embedded(taxonomyFiles, "taxonomies/"+name+".yaml", t) {
		panic("adult: no taxonomy of " + name)
	}
	return t
}

// embedded reads a file of the program, false where there is none. A mistake in it is a
// programmer's.
func embedded(files embed.FS, path string, into any) bool {
	content, err := files.ReadFile(path)
	if err != nil {
		return false
	}
	reader := strictyaml.NewReader(path)
	reader.Decode(reader.Document(content), into)
	if err := reader.Err(); err != nil {
		panic(fmt.Sprintf("adult: %v", err))
	}
	return true
}
