package results

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/strictyaml"
)

// Dataset names a dataset with the parameters it was loaded with.
type Dataset struct {
	Name   string            `json:"name"`             // as registered: "gaussian"
	Params map[string]string `json:"params,omitempty"` // all, resolved
	// names of those that differ from their defaults, sorted
	Changed []string `json:"changed,omitempty"`
	// StandsFor is the dataset that this one replaces because its files were not available.
	StandsFor string `json:"standsFor,omitempty"`
}

// StandIn reports whether the dataset replaces real data.
func (d *Dataset) StandIn() bool { return d.StandsFor != "" }

// Label is the dataset's name with its changed parameters: "gaussian n=1000 shape=uniform".
func (d *Dataset) Label() string { return d.label(d.Name) }

func (d *Dataset) label(name string) string {
	for _, key := range d.Changed {
		name += " " + key + "=" + d.Params[key]
	}
	return name
}

// Asked is the label of the dataset that was asked for, whether or not a stand-in replaces it.
func (d *Dataset) Asked() string {
	if d.StandIn() {
		return d.label(d.StandsFor)
	}
	return d.Label()
}

// Setting is what an experiment chose for a release: everything about a job but its trial and
// fold. Settings of one run are shared by their records and must not be changed.
type Setting struct {
	Dataset   Dataset           `json:"dataset"`
	Algorithm string            `json:"algorithm"`
	Variant   string            `json:"variant"`
	Params    map[string]string `json:"params,omitempty"`  // of the algorithm, all, resolved
	Epsilon   *float64          `json:"epsilon,omitempty"` // nil without differential privacy
	// Delta is what the guarantee has beside epsilon, 0 for pure differential privacy. Series says
	// it too, so that nothing that names a curve can leave it out.
	Delta float64 `json:"delta,omitempty"`
	// Series is the name of the curve that the release belongs to. ShowVariant says that several
	// variants share the name and the variant has to be shown beside it.
	Series      string `json:"series"`
	ShowVariant bool   `json:"showVariant,omitempty"`

	key string
}

// Label is the curve's name, with the variant where several share it: "RPS, stop 5 (strict)".
func (s *Setting) Label() string {
	if s.ShowVariant {
		return s.Series + VariantSuffix(s.Variant)
	}
	return s.Series
}

// VariantSuffix is how a variant is shown behind a name.
func VariantSuffix(variant string) string { return " (" + variant + ")" }

// Says reports whether a series' name or a title that a spec's author wrote already contains what
// would be added to it, in capitals or not. This search in a text stays because specs have no field
// for such words: committed series are called "..., not private", their names identify the points
// of reference runs and stand in figures and claims, and a note beside them would say it twice.
func Says(written, addition string) bool {
	return strings.Contains(strings.ToLower(written), strings.ToLower(addition))
}

// EpsilonText is the privacy budget as text, "" without one.
func (s *Setting) EpsilonText() string {
	if s.Epsilon == nil {
		return ""
	}
	return FormatNumber(*s.Epsilon)
}

// DeltaText is the delta as text, "" for pure differential privacy and for none.
func (s *Setting) DeltaText() string {
	if s.Delta == 0 {
		return ""
	}
	return FormatNumber(s.Delta)
}

// BudgetText is the privacy budget in words: "epsilon 1", "epsilon 1, delta 1e-09", "" for none.
func (s *Setting) BudgetText() string {
	switch {
	case s.Epsilon == nil:
		return ""
	case s.Delta == 0:
		return "epsilon " + s.EpsilonText()
	}
	return "epsilon " + s.EpsilonText() + ", delta " + s.DeltaText()
}

// AllParams unites the algorithm's parameters and the dataset's. Where both have a name, the
// dataset's is called dataset.NAME.
func (s *Setting) AllParams() map[string]string {
	if len(s.Dataset.Params) == 0 {
		return s.Params
	}
	all := make(map[string]string, len(s.Params)+len(s.Dataset.Params))
	maps.Copy(all, s.Params)
	for name, value := range s.Dataset.Params { // order-free: fills a map
		all[s.datasetFact(name)] = value
	}
	return all
}

func (s *Setting) datasetFact(param string) string {
	if _, taken := s.Params[param]; taken {
		return datasetPrefix + param
	}
	return param
}

const datasetPrefix = "dataset."

// SettingFacts are the facts of a setting besides its parameters.
var SettingFacts = []string{"variant", "dataset", "algorithm", "series", "epsilon", "delta"}

// Fact returns what is known of a setting by name: variant, dataset, algorithm, series, epsilon,
// delta or a parameter. known is false where the setting has no such parameter, epsilon or delta.
// The dataset is the one asked for, so that filters select stand-ins by the name of what they
// replace.
func (s *Setting) Fact(name string) (value string, known bool) {
	switch name {
	case "variant":
		return s.Variant, true
	case "dataset":
		return s.Dataset.Asked(), true
	case "algorithm":
		return s.Algorithm, true
	case "series":
		return s.Label(), true
	case "epsilon":
		return s.EpsilonText(), s.Epsilon != nil
	case "delta":
		return s.DeltaText(), s.Delta != 0
	}
	if value, known = s.Params[name]; known {
		return value, true
	}
	if value, known = s.Dataset.Params[name]; known {
		return value, true
	}
	if own, found := strings.CutPrefix(name, datasetPrefix); found {
		value, known = s.Dataset.Params[own]
	}
	return value, known
}

// Number is a fact as a number, NaN where it is known but no number: parameters may be words.
func (s *Setting) Number(name string) (x float64, known bool) {
	text, known := s.Fact(name)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN(), known
	}
	return x, known
}

// Facts returns everything that Fact knows, by name.
func (s *Setting) Facts() map[string]string {
	facts := maps.Clone(s.AllParams())
	if facts == nil {
		facts = make(map[string]string)
	}
	for _, name := range SettingFacts {
		if value, known := s.Fact(name); known {
			facts[name] = value
		}
	}
	return facts
}

// Copies is how many records a release publishes on purpose for each estimated one: the parameter
// copies, 1 without it.
func (s *Setting) Copies() float64 {
	if n, err := strconv.Atoi(s.Params["copies"]); err == nil {
		return float64(n)
	}
	return 1
}

// Key identifies a setting within an experiment: two settings are the same if and only if their
// keys are equal. A setting read from a baseline has the key of the one it was written from.
func (s *Setting) Key() string {
	if s.key != "" {
		return s.key
	}
	words := []string{s.Label(), s.Dataset.Label(), s.Algorithm, s.Variant,
		FormatParams(s.AllParams()), s.EpsilonText(), s.DeltaText()}
	var b strings.Builder
	// lengths first, so that no choice of names makes two settings alike
	for _, word := range words {
		b.WriteString(strconv.Itoa(len(word)) + ":" + word)
	}
	return b.String()
}

// With returns the setting with further parameters of the algorithm and of the dataset.
func (s *Setting) With(algorithm, dataset map[string]string) *Setting {
	added := func(to, more map[string]string) map[string]string {
		if len(more) == 0 {
			return to
		}
		all := maps.Clone(more)
		maps.Copy(all, to)
		return all
	}
	c := *s
	c.Params, c.Dataset.Params = added(s.Params, algorithm), added(s.Dataset.Params, dataset)
	c.key = ""
	return c.Interned()
}

// Interned returns the setting with its key computed, so that Key costs nothing from then on and is
// safe for concurrent use.
func (s *Setting) Interned() *Setting {
	s.key = s.Key()
	return s
}

// FormatNumber writes the shortest text that reads back as x.
func FormatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

var paramEscaper = strings.NewReplacer(`\`, `\\`, `;`, `\;`, `=`, `\=`, "\n", `\n`, "\r", `\r`)

// FormatParams writes parameters as name=value by name, joined by ";", with \\, \;, \=, \n and \r
// for the characters that would be taken for structure.
func FormatParams(params map[string]string) string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(params)) {
		if i > 0 {
			b.WriteByte(';')
		}
		paramEscaper.WriteString(&b, name)
		b.WriteByte('=')
		paramEscaper.WriteString(&b, params[name])
	}
	return b.String()
}

// Facts are what a filter may ask of a setting or of a row.
type Facts interface {
	Fact(name string) (value string, known bool)
}

// Filter keeps what has certain facts. It maps names of facts (metric, classifier, variant,
// dataset, algorithm, series, epsilon, delta, a parameter) to the values kept, see Matches. All
// must match; a fact that is not known is the empty text.
type Filter map[string]string

// UnmarshalStrict reads a mapping. Values are taken by their text, so that 50 and "50" are the
// same.
func (f *Filter) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a mapping from facts, such as variant, to the values kept")
		return
	}
	*f = make(Filter)
	for _, entry := range r.Entries(n) {
		if entry.Value.Kind != strictyaml.ScalarNode {
			r.Problemf(entry.Value, "must be a single value; write a|b for either")
			continue
		}
		(*f)[entry.Key] = entry.Value.Value
	}
}

// Selects reports whether the filter keeps something.
func (f Filter) Selects(x Facts) bool {
	for name, wanted := range f { // order-free: all must hold
		if value, _ := x.Fact(name); !Matches(value, wanted) {
			return false
		}
	}
	return true
}

// Only returns the part of the filter that concerns some facts.
func (f Filter) Only(names ...string) Filter {
	part := make(Filter)
	for _, name := range names {
		if wanted, ok := f[name]; ok {
			part[name] = wanted
		}
	}
	return part
}

// comparisons in the order they must be looked for.
var comparisons = []struct {
	sign  string
	holds func(a, b float64) bool
}{
	{">=", func(a, b float64) bool { return a >= b }},
	{"<=", func(a, b float64) bool { return a <= b }},
	{">", func(a, b float64) bool { return a > b }},
	{"<", func(a, b float64) bool { return a < b }},
}

// Matches reports whether a value is one of the alternatives wanted, which "|" separates. Numbers
// are equal however they are written: 1 is 1.0. An alternative such as ">=1" (also >, <= and <)
// compares.
func Matches(value, wanted string) bool {
	for alternative := range strings.SplitSeq(wanted, "|") {
		if matchesOne(value, alternative) {
			return true
		}
	}
	return false
}

func matchesOne(value, wanted string) bool {
	if value == wanted {
		return true
	}
	// most texts are no numbers, which ParseFloat takes long to say
	if value == "" || value[0] >= 'A' && !strings.ContainsAny(value[:1], "INin") {
		return false
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return false
	}
	for _, c := range comparisons {
		if bound, found := strings.CutPrefix(wanted, c.sign); found {
			y, err := strconv.ParseFloat(strings.TrimSpace(bound), 64)
			return err == nil && c.holds(x, y)
		}
	}
	y, err := strconv.ParseFloat(wanted, 64)
	return err == nil && x == y
}
