package regress

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Kinds of input, in the order in which a run depends on them.
const (
	InputSpec       = "spec"
	InputOverride   = "override" // of the command line
	InputParameter  = "parameter"
	InputData       = "dataset checksum"
	InputAlgorithm  = "algorithm revision"
	InputProgram    = "program outside"
	InputMeasure    = "metric or classifier revision"
	InputElementary = "arithmetic revision"
	InputCode       = "code"
	InputSeed       = "seed"
	InputModule     = "module version"
	InputGo         = "Go version"
	InputPlatform   = "platform"
	InputCommit     = "commit"
)

// Difference is one input in which two runs differ.
type Difference struct {
	Input string `json:"input"`
	What  string `json:"what,omitempty"` // which spec key, dataset, algorithm, module
	A     string `json:"a"`              // empty where A has none
	B     string `json:"b"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s | %s", strings.TrimSpace(d.Input+" "+d.What),
		cmp.Or(d.A, "(none)"), cmp.Or(d.B, "(none)"))
}

// differences is a list that grows by what differs.
type differences []Difference

func (d *differences) add(input, what, a, b string) {
	if a != b {
		*d = append(*d, Difference{input, what, a, b})
	}
}

// Differences lists every input in which two runs differ, in the order of the kinds above: the
// first one is where an explanation begins. Comments, white space, quotes and the order of keys in
// a spec are no difference, nor is what only people or figures read (title, source, plots).
func Differences(a, b *Reference) []Difference {
	all := specDifferences(a.Manifest.Spec, b.Manifest.Spec)
	inA, inB := inputsOf(&a.Manifest), inputsOf(&b.Manifest)
	for _, kind := range []string{InputOverride, InputParameter, InputData, InputAlgorithm,
		InputProgram, InputMeasure, InputElementary, InputCode, InputSeed, InputModule, InputGo,
		InputPlatform, InputCommit} {
		if kind == InputParameter {
			all = append(all, parameterDifferences(a, b)...)
		}
		for _, pair := range matched(inA[kind], inB[kind]) {
			known := pair.a != "" && pair.b != ""
			if known || !slices.Contains(mayBeUnknown, kind) {
				all.add(kind, pair.name, pair.a, pair.b)
			}
		}
	}
	return all
}

// mayBeUnknown are the kinds of which a run may say nothing, which is no difference: revisions are
// not in old manifests and not where the spec has no such algorithm, code and commits not in
// references.
var mayBeUnknown = []string{InputAlgorithm, InputMeasure, InputCode, InputCommit}

// inputsOf lists the inputs of a run by kind, but for those that its spec and its settings hold.
func inputsOf(m *results.Manifest) map[string][]named {
	all := make(map[string][]named)
	add := func(input, name, value string) {
		all[input] = append(all[input], named{name, value})
	}
	revision := func(input, name string, r int) { // none before they were written
		add(input, name, strings.TrimPrefix(strconv.Itoa(r), "0"))
	}
	overrides := m.Overrides
	overrides.Seed = nil // has a kind of its own
	add(InputOverride, "", strings.Join(overrides.Texts(), " "))
	for _, d := range m.Datasets {
		checksum := d.Checksum
		if d.Resampled {
			checksum += ", drawn anew for every trial"
		}
		add(InputData, d.Name, checksum)
	}
	for _, use := range m.Algorithms {
		revision(InputAlgorithm, strings.TrimSpace(use.Name+" "+use.Variant), use.Revision)
		add(InputProgram, use.Name, use.Program)
	}
	for _, use := range m.Measures {
		revision(InputMeasure, use.Metric, use.Revision)
		if use.Classifier != "" {
			revision(InputMeasure, use.Classifier, use.ClassifierRevision)
		}
	}
	add(InputElementary, "", strconv.Itoa(m.Arithmetic))
	for _, name := range slices.Sorted(maps.Keys(m.Code)) {
		add(InputCode, name, m.Code[name])
	}
	add(InputSeed, "", strconv.FormatUint(m.Seed, 10))
	for _, module := range m.Modules {
		add(InputModule, module.Path, strings.TrimSpace(module.Version+" "+module.Sum))
	}
	add(InputGo, "", m.GoVersion)
	add(InputPlatform, "", strings.TrimSuffix(m.GOOS+"/"+m.GOARCH+"/"+m.GOAMD64, "/"))
	commit := m.Commit
	if m.Dirty && commit != "" {
		commit += " with changes"
	}
	add(InputCommit, "", commit)
	return all
}

type named struct{ name, value string }

type match struct{ name, a, b string }

// matched pairs two lists by name: a's order first, then what only b has. What one list has twice,
// such as a classifier of two metrics, is paired once.
func matched(a, b []named) []match {
	var pairs []match
	at := make(map[string]int)
	for _, n := range a {
		if _, known := at[n.name]; !known {
			at[n.name] = len(pairs)
			pairs = append(pairs, match{name: n.name, a: n.value})
		}
	}
	for _, n := range b {
		i, known := at[n.name]
		if !known {
			i = len(pairs)
			at[n.name] = i
			pairs = append(pairs, match{name: n.name})
		}
		pairs[i].b = n.value
	}
	return pairs
}

// unread are the keys of a spec that no job depends on, and the seed, which has a place of its
// own.
var unread = map[string]bool{"title": true, "source": true, "plots": true, "seed": true,
	"keep": true}

// specDifferences compares what two specs mean, key by key.
func specDifferences(a, b string) (all differences) {
	if a == b {
		return nil
	}
	na := strictyaml.NewReader("A").Document([]byte(a))
	nb := strictyaml.NewReader("B").Document([]byte(b))
	if na == nil || nb == nil {
		all.add(InputSpec, "text", "of A", "of B, cannot be compared key by key")
		return all
	}
	for _, pair := range matched(keysOf("", na), keysOf("", nb)) {
		key, _, _ := strings.Cut(pair.name, ".")
		key, _, _ = strings.Cut(key, "[")
		if !unread[key] {
			all.add(InputSpec, pair.name, pair.a, pair.b)
		}
	}
	return all
}

// keysOf lists the values of a spec by their places, such as algorithms[0].params.depth; a list of
// words or numbers is one value: [0.5, 1].
func keysOf(path string, n *strictyaml.Node) (keys []named) {
	switch {
	case n.Kind == strictyaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
			keys = append(keys, keysOf(key, n.Content[i+1])...)
		}
		return keys
	case n.Kind != strictyaml.SequenceNode:
		return []named{{path, n.Value}}
	}
	nested := slices.ContainsFunc(n.Content, func(item *strictyaml.Node) bool {
		return item.Kind != strictyaml.ScalarNode
	})
	var values []string
	for i, item := range n.Content {
		if values = append(values, item.Value); nested {
			keys = append(keys, keysOf(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	}
	if nested {
		return keys
	}
	return []named{{path, "[" + strings.Join(values, ", ") + "]"}}
}

// paramsOf lists a setting's parameters by name.
func paramsOf(s *results.Setting) []named {
	all := s.AllParams()
	return results.Mapped(slices.Sorted(maps.Keys(all)),
		func(name string) named { return named{name, all[name]} })
}

// parameterDifferences finds resolved parameters that differ although the specs may not: a default
// that has changed. Settings are matched by what a figure shows of them: series, dataset,
// algorithm, variant, epsilon, delta.
func parameterDifferences(a, b *Reference) []Difference {
	place := func(s *results.Setting) string {
		return fmt.Sprintf("%q", []string{s.Label(), s.Dataset.Label(), s.Algorithm, s.Variant,
			s.EpsilonText(), s.DeltaText()})
	}
	others := make(map[string]*results.Setting) // the first of each place
	same := make(map[string]bool)
	for i := range b.Samples {
		s := b.Samples[i].Setting
		same[s.Key()] = true
		if others[place(s)] == nil {
			others[place(s)] = s
		}
	}
	var all []Difference
	for i := range a.Samples {
		s := a.Samples[i].Setting
		other := others[place(s)]
		if same[s.Key()] || other == nil { // the spec, or an override, says why there is none
			continue
		}
		for _, pair := range matched(paramsOf(s), paramsOf(other)) {
			d := Difference{InputParameter, s.Algorithm + " " + pair.name, pair.a, pair.b}
			if pair.a != pair.b && !slices.Contains(all, d) {
				all = append(all, d)
			}
		}
	}
	return all
}

// OutputDifference returns the first trial mean in which two runs differ, of those that both have,
// or nil.
func OutputDifference(a, b *Reference) *Difference {
	at := byKey(b.Samples)
	for s := range results.Each(a.Samples) {
		other := at[keyOf(s)]
		if other == nil {
			continue
		}
		for t := range min(len(s.Trials), len(other.Trials)) {
			if sameValue(s.Trials[t], other.Trials[t]) {
				continue
			}
			what := s.Label()
			if s.Epsilon != nil {
				what += " at " + s.BudgetText()
			}
			what += fmt.Sprintf(", trial %d, %s", t, s.Measurement)
			return &Difference{"value", what, results.NumberText(s.Trials[t]),
				results.NumberText(other.Trials[t])}
		}
	}
	return nil
}

// sampleKey identifies a sample within an experiment.
type sampleKey struct {
	setting string
	results.Measurement
}

func keyOf(s *results.Sample) sampleKey { return sampleKey{s.Key(), s.Measurement} }

// aligned gives settings the parameters that only other ones of the same algorithm or dataset have,
// where these have a single value: so a parameter that is new, or gone, hides no change of what is
// measured.
func aligned(samples, others []results.Sample) []results.Sample {
	own, given := parametersOf(samples), make(map[owner]map[string]string)
	for of, theirs := range parametersOf(others) { // order-free: fills a map
		given[of] = make(map[string]string)
		for name, values := range theirs { // order-free: fills a map
			if _, known := own[of][name]; !known && len(values) == 1 {
				given[of][name] = values[0]
			}
		}
	}
	aligned, with := slices.Clone(samples), make(map[*results.Setting]*results.Setting)
	for i, s := range samples {
		if with[s.Setting] == nil {
			with[s.Setting] = s.With(given[owner{algorithm: s.Algorithm}],
				given[owner{dataset: s.Dataset.Name}])
		}
		aligned[i].Setting = with[s.Setting]
	}
	return aligned
}

// owner is what has parameters: an algorithm or a dataset.
type owner struct{ algorithm, dataset string }

// parametersOf lists the values that parameters have in any of the samples.
func parametersOf(samples []results.Sample) map[owner]map[string][]string {
	all := make(map[owner]map[string][]string)
	add := func(of owner, params map[string]string) {
		if all[of] == nil {
			all[of] = make(map[string][]string)
		}
		for name, value := range params { // order-free: a set
			all[of][name] = results.Union(all[of][name], value)
		}
	}
	var last *results.Setting
	for i := range samples {
		if s := samples[i].Setting; s != last {
			add(owner{algorithm: s.Algorithm}, s.Params)
			add(owner{dataset: s.Dataset.Name}, s.Dataset.Params)
			last = s
		}
	}
	return all
}

func byKey(samples []results.Sample) map[sampleKey]*results.Sample {
	at := make(map[sampleKey]*results.Sample, len(samples))
	for i := range samples {
		at[keyOf(&samples[i])] = &samples[i]
	}
	return at
}
