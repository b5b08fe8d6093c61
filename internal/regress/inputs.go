package regress

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Difference is one input in which two runs differ, such as "spec epsilon".
type Difference struct {
	Input string
	A, B  string // empty where there is none
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s | %s", d.Input, cmp.Or(d.A, "(none)"), cmp.Or(d.B, "(none)"))
}

// InputOverride is the input that the command line overrides.
const InputOverride = "override"

// mayBeUnknown matches inputs that a run need not state, and whose absence is no difference:
// revisions of algorithms that the spec does not have, code and commits in references.
var mayBeUnknown = regexp.MustCompile(`^(algorithm|metric or classifier) revision |^code |^commit$`)

// Differences lists every input in which two runs differ, in the order in which a run depends on
// them. Comments, white space, quotes and the order of keys in a spec are no difference, nor is
// what only people or figures read (title, source, plots).
func Differences(a, b *Reference) []Difference {
	all := append(specDifferences(a.Manifest.Spec, b.Manifest.Spec), parameterDifferences(a, b)...)
	others := matched(inputsOf(&a.Manifest), inputsOf(&b.Manifest))
	return append(all, slices.DeleteFunc(others, func(d Difference) bool {
		return (d.A == "" || d.B == "") && mayBeUnknown.MatchString(d.Input)
	})...)
}

type named struct{ name, value string }

// inputsOf lists the inputs of a run, but for those that its spec and its settings hold.
func inputsOf(m *results.Manifest) (all []named) {
	add := func(input, name, value string) {
		all = append(all, named{strings.TrimSpace(input + " " + name), value})
	}
	overrides := m.Overrides
	overrides.Seed = nil // is an input of its own
	add(InputOverride, "", strings.Join(overrides.Texts(), " "))
	for _, d := range m.Datasets {
		checksum := d.Checksum
		if d.Resampled {
			checksum += ", drawn anew for every trial"
		}
		add("dataset checksum", d.Name, checksum)
	}
	for _, use := range m.Algorithms {
		add("algorithm revision", use.Name+" "+use.Variant, strconv.Itoa(use.Revision))
		add("program outside", use.Name, use.Program)
	}
	for _, use := range m.Measures {
		add("metric or classifier revision", use.Metric, strconv.Itoa(use.Revision))
		if use.Classifier != "" {
			add("metric or classifier revision", use.Classifier,
				strconv.Itoa(use.ClassifierRevision))
		}
	}
	add("arithmetic revision", "", strconv.Itoa(m.Arithmetic))
	for _, name := range slices.Sorted(maps.Keys(m.Code)) {
		add("code", name, m.Code[name])
	}
	add("seed", "", strconv.FormatUint(m.Seed, 10))
	for _, module := range m.Modules {
		add("module version", module.Path, strings.TrimSpace(module.Version+" "+module.Sum))
	}
	add("Go version", "", m.GoVersion)
	add("platform", "", strings.TrimSuffix(m.GOOS+"/"+m.GOARCH+"/"+m.GOAMD64, "/"))
	commit := m.Commit
	if m.Dirty && commit != "" {
		commit += " with changes"
	}
	add("commit", "", commit)
	return all
}

// matched lists what differs between two lists, by name: in a's order first, then what only b has.
// What one list has twice, such as a classifier of two metrics, is compared once.
func matched(a, b []named) (differences []Difference) {
	at := make(map[string]int)
	of := func(name string) *Difference {
		i, known := at[name]
		if !known {
			i = len(differences)
			at[name], differences = i, append(differences, Difference{Input: name})
		}
		return &differences[i]
	}
	for _, n := range a {
		of(n.name).A = n.value
	}
	for _, n := range b {
		of(n.name).B = n.value
	}
	return slices.DeleteFunc(differences, func(d Difference) bool { return d.A == d.B })
}

// unread matches the keys of a spec that no job depends on, and the seed, which is an input of its
// own.
var unread = regexp.MustCompile(`^(title|source|plots|seed|keep)\b`)

// specDifferences compares what two specs mean, key by key.
func specDifferences(a, b string) []Difference {
	if a == b {
		return nil
	}
	na := strictyaml.NewReader("A").Document([]byte(a))
	nb := strictyaml.NewReader("B").Document([]byte(b))
	if na == nil || nb == nil {
		return []Difference{{"spec text", "of A", "of B, cannot be compared key by key"}}
	}
	all := slices.DeleteFunc(matched(keysOf("", na), keysOf("", nb)),
		func(d Difference) bool { return unread.MatchString(d.Input) })
	for i := range all {
		all[i].Input = "spec " + all[i].Input
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
	return results.Mapped(slices.Sorted(maps.Keys(all)), func(name string) named {
		return named{"parameter " + s.Algorithm + " " + name, all[name]}
	})
}

// parameterDifferences finds resolved parameters that differ although the specs may not: a default
// that has changed. Settings are matched by what a figure shows of them: series, dataset,
// algorithm, variant, epsilon, delta.
func parameterDifferences(a, b *Reference) []Difference {
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
		for _, d := range matched(paramsOf(s), paramsOf(other)) {
			all = results.Union(all, d)
		}
	}
	return all
}

// place is what a figure shows of a setting.
func place(s *results.Setting) string {
	return fmt.Sprintf("%q", []string{s.Label(), s.Dataset.Label(), s.Algorithm, s.Variant,
		s.EpsilonText(), s.DeltaText()})
}

// sweptIn returns a function that says by which parameters a setting of the samples differs from
// others in its place: "k 5".
func sweptIn(samples []results.Sample) func(*results.Setting) string {
	first, names := make(map[string]*results.Setting), make(map[string][]string)
	for i := range samples {
		s := samples[i].Setting
		if i > 0 && s == samples[i-1].Setting {
			continue
		}
		at := place(s)
		first[at] = cmp.Or(first[at], s)
		for _, d := range matched(paramsOf(first[at]), paramsOf(s)) {
			names[at] = results.Union(names[at], d.Input)
		}
	}
	return func(s *results.Setting) string {
		own := slices.DeleteFunc(paramsOf(s), func(p named) bool {
			return !slices.Contains(names[place(s)], p.name)
		})
		return strings.Join(results.Mapped(own, func(p named) string {
			return strings.TrimPrefix(p.name, "parameter "+s.Algorithm+" ") + " " + p.value
		}), ", ")
	}
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
