package external

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/process"
	"ppdp/internal/strictyaml"
)

// Schema is a JSON Schema (draft 2020-12) of descriptors, for editors. The decoder, not the schema,
// decides what is accepted.
//
//go:embed baseline.schema.json
var Schema []byte

// descriptor mirrors a *.baseline.yaml.
type descriptor struct {
	Name     string     `yaml:"name"`
	Title    string     `yaml:"title" missing:"must name the algorithm for people"`
	Source   string     `yaml:"source" missing:"must say where the algorithm is described"`
	Input    string     `yaml:"input" words:"table graph" missing:"must be table or graph"`
	Produces []string   `yaml:"produces,flow-one"`
	Revision int        `yaml:"revision" min:"1"`
	Command  []string   `yaml:"command,flow-one" missing:"must be a program and its arguments"`
	Files    []string   `yaml:"files,flow-one" missing:"must list the program's files: a changed program is another baseline"`
	Values   string     `yaml:"values" words:"text codes"`
	Variants []variant  `yaml:"variants" missing:"must list at least one"`
	Params   paramSpecs `yaml:"params"`
	Limits   limits     `yaml:"limits"`
	root     *strictyaml.Node
}

// variant mirrors one entry of variants.
type variant struct {
	Variant     string `yaml:"variant" words:"published strict refcode" missing:"must be published, strict or refcode"`
	Model       string `yaml:"model"`
	Unit        string `yaml:"unit"`
	Relation    string `yaml:"relation"`
	Approximate bool   `yaml:"approximate"`
	Mechanisms  string `yaml:"mechanisms"`
	Note        string `yaml:"note" missing:"must be one sentence for people"`

	strictyaml.Place
}

// limits are those of one process group and one request.
type limits struct {
	Memory string `yaml:"memory"`
	Time   string `yaml:"time"`

	bytes int64         // 0 for none
	time  time.Duration // 0 for none
}

// How values are written to the rows of a table.
const (
	textValues = "text"  // as in the user's own file
	codeValues = "codes" // places in the domain, from 0
)

// ours says that a variant asks ppdp for its noise.
const ours = "ppdp"

// asks reports whether a variant asks ppdp for its noise.
func (d *descriptor) asks(name algorithms.Variant) bool {
	return slices.ContainsFunc(d.Variants, func(v variant) bool {
		return v.Variant == string(name) && v.Mechanisms == ours
	})
}

// line is the most bytes of a line that the program prints.
func (d *descriptor) line() int {
	if slices.ContainsFunc(d.Variants, func(v variant) bool { return v.Mechanisms == ours }) {
		return mostLine
	}
	return 1 << 20
}

// maxFile bounds a descriptor's files: they are read to be hashed.
const maxFile = 64 << 20

// Load reads a descriptor and the files that it lists. The error holds everything wrong, each as
// file:line: what.
func Load(path string) (*Algorithm, error) {
	text, err := datasets.ReadFile(path, strictyaml.MaxBytes)
	if err != nil {
		return nil, err
	}
	r := strictyaml.NewReader(path)
	d := descriptor{Revision: 1, Values: textValues,
		Params: paramSpecs{reflect.ValueOf(struct{}{})}}
	d.root = r.Document(text)
	r.Decode(d.root, &d)
	if d.root == nil || d.root.Kind != strictyaml.MappingNode {
		return nil, errors.Join(r.Err(), fmt.Errorf("%s: must be a mapping", path))
	}
	d.check(r)
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%d:%s,", len(text), text)
	for i, name := range d.Files {
		at := d.at("files")
		if at.Kind == strictyaml.SequenceNode && i < len(at.Content) {
			at = at.Content[i]
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			r.Problemf(at, "%q, must lie in the descriptor's folder", name)
			continue
		}
		content, err := datasets.ReadFile(filepath.Join(dir, filepath.FromSlash(name)), maxFile)
		if err != nil {
			r.Problemf(at, "%v", err)
		}
		fmt.Fprintf(digest, "%d:%s,%d:%s,", len(name), name, len(content), content)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return &Algorithm{d: &d, dir: dir, digest: fmt.Sprintf("%x", digest.Sum(nil)[:16])}, nil
}

// at is the value of a key, or the document where it is not given.
func (d *descriptor) at(key string) *strictyaml.Node {
	return cmp.Or(strictyaml.Find(d.root, key), d.root)
}

var plainName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// check records everything wrong with a decoded descriptor.
func (d *descriptor) check(r *strictyaml.Reader) {
	problem := func(wrong bool, key, format string, args ...any) {
		if !wrong {
			return
		}
		at := d.at(key)
		if at == d.root {
			format = key + ": " + format
		}
		r.Problemf(at, format, args...)
	}
	problem(!plainName.MatchString(d.Name), "name",
		"%q, must be up to 40 of a-z, 0-9 and -, a letter first", d.Name)
	_, err := algorithms.Lookup(d.Name)
	problem(err == nil, "name", "%s comes with ppdp, must be another name", d.Name)
	declared.CheckNode(r, d.root, d)
	problem(len(d.Command) > 0 && d.Command[0] == "", "command", "names no program")
	products := map[string]string{string(algorithms.TableInput): string(algorithms.RecordsProduct),
		string(algorithms.GraphInput): string(algorithms.DegreesProduct)}
	product, known := products[d.Input]
	problem(known && !slices.Equal(d.Produces, []string{product}), "produces",
		"%s, must be [%s] of a %s", d.Produces, product, d.Input)
	seen := make(map[string]bool)
	for i := range d.Variants {
		d.Variants[i].check(r)
		name := d.Variants[i].Variant
		if seen[name] {
			r.Problemf(d.Variants[i].Node, "%q is listed twice", name)
		}
		seen[name] = true
	}
	d.Limits.check(problem)
}

func (v *variant) check(r *strictyaml.Reader) {
	if v.Node == nil {
		return // not decoded, which is reported
	}
	declared.CheckNode(r, v.Node, v)
	if v.Mechanisms != "" && v.Mechanisms != ours {
		r.Problemf(v.Node, "mechanisms: %q, must be %s, or left out where the program draws its "+
			"noise", v.Mechanisms, ours)
	}
	switch algorithms.Model(v.Model) {
	case algorithms.DifferentialPrivacy:
		known := map[string]string{"node": algorithms.IsolateNode,
			"edge": algorithms.AddOrRemoveEdge}[v.Unit]
		v.Relation = cmp.Or(v.Relation, known)
		if v.Mechanisms == ours && known != "" && v.Relation != known {
			r.Problemf(v.Node, "relation: %q, must be %q or left out: others are not replayed",
				v.Relation, known)
		}
		if v.Unit == "" || v.Relation == "" {
			r.Problemf(v.Node, "unit and relation: missing, must say what differential privacy "+
				"protects and which data are neighbours")
		}
	case algorithms.NoPrivacy:
		if v.Unit != "" || v.Relation != "" || v.Approximate || v.Mechanisms != "" {
			r.Problemf(v.Node, "unit, relation, approximate and mechanisms belong to differential "+
				"privacy only")
		}
	default:
		r.Problemf(v.Node, "model: %q, must be %q or %q", v.Model, algorithms.DifferentialPrivacy,
			algorithms.NoPrivacy)
	}
}

func (l *limits) check(problem func(wrong bool, key, format string, args ...any)) {
	var err error
	if l.Time != "" {
		l.time, err = time.ParseDuration(l.Time)
		problem(err != nil || l.time <= 0, "limits", "time: %q, must be such as 90s or 10m", l.Time)
	}
	if l.Memory != "" {
		l.bytes, err = process.ParseMemory(l.Memory)
		problem(err != nil, "limits", "memory: %v", err)
	}
}

// info describes the descriptor's algorithm; what it claims is declared, or can be replayed, and no
// more.
func (d *descriptor) info(digest string) algorithms.Info {
	info := algorithms.Info{Name: d.Name, Title: d.Title, Source: d.Source,
		Input: algorithms.InputKind(d.Input), Revision: d.Revision, Program: digest}
	for _, product := range d.Produces {
		info.Produces = append(info.Produces, algorithms.Product(product))
	}
	for _, v := range d.Variants {
		g := algorithms.Guarantee{Variant: algorithms.Variant(v.Variant),
			Model: algorithms.Model(v.Model), Unit: v.Unit, Relation: v.Relation,
			Approximate: v.Approximate, Status: algorithms.Declared, Note: v.Note}
		if v.Mechanisms == ours {
			g.Status = algorithms.Replayed
		}
		if g.Model == algorithms.NoPrivacy {
			g.Relation, g.Status = "none", algorithms.Holds // nothing is promised
		}
		info.Variants = append(info.Variants, g)
	}
	return info
}
