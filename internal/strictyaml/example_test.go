package strictyaml

import (
	"fmt"
	"reflect"
)

// document has a field of every type that can be decoded.
type document struct {
	Name     string            `yaml:"name"`
	Label    string            `yaml:"label"`
	Count    int               `yaml:"count"`
	Small    int8              `yaml:"small"`
	Seed     uint64            `yaml:"seed"`
	Ratio    float64           `yaml:"ratio"`
	Flag     bool              `yaml:"flag"`
	Epsilon  []float64         `yaml:"epsilon"`
	Variant  []string          `yaml:"variant,flow-one"`
	Where    map[string]string `yaml:"where"`
	Inner    inner             `yaml:"inner"`
	Maybe    *inner            `yaml:"maybe"`
	Parts    []inner           `yaml:"parts"`
	Colour   colour            `yaml:"colour"`
	Shared   `yaml:",inline"`
	Skipped  int `yaml:"-"`
	Untagged int
}

type inner struct {
	Depth int     `yaml:"depth"`
	Alpha float64 `yaml:"alpha"`
}

// Shared is embedded.
type Shared struct {
	Trials int `yaml:"trials"`
}

// colour decodes itself.
type colour string

func (c *colour) UnmarshalStrict(r *Reader, n *Node) {
	var text string
	r.Decode(n, &text)
	if text != "red" && text != "green" {
		r.Problemf(n, "%q, must be red or green", text)
		return
	}
	*c = colour(text)
}

func ExampleReader() {
	reader := NewReader("spec.yaml")
	root := reader.Document([]byte("name: demo\ninner: {dpeth: 3}\ncount: 2.5\n"))
	spec := document{Count: 7} // defaults
	reader.Decode(root, &spec)
	fmt.Println(reader.Err())
	fmt.Println(spec.Name, spec.Count)
	// Output:
	// spec.yaml:2: inner: unknown key dpeth (did you mean depth?), must be one of depth, alpha
	// spec.yaml:3: count: 2.5, must be a whole number
	// demo 7
}

func ExampleFields() {
	for _, field := range Fields(reflect.TypeFor[inner]()) {
		fmt.Println(field.Name, field.Type)
	}
	// Output:
	// depth int
	// alpha float64
}
