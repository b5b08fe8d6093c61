package language

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"ppdp/internal/registry"
	"ppdp/internal/results"
	"ppdp/internal/source"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// key is the root of all randomness of a plan.
func (p *Plan) key() random.Key { return random.NewKey(p.Seed) }

// DataKey seeds generated data. It leaves the algorithm out, so that all baselines see the same
// data.
func (p *Plan) DataKey(d *Dataset, trial int) random.Key {
	if !d.Resample {
		return p.key().Derive("data", d.Label())
	}
	return p.key().Derive("data", d.Label(), "trial", strconv.Itoa(trial))
}

// FoldKey seeds the folds of a trial; it leaves the algorithm out for the same reason. checksum is
// of the loaded data.
func (p *Plan) FoldKey(d *Dataset, checksum string, trial int) random.Key {
	return p.key().Derive("folds", d.identity(checksum), "trial", strconv.Itoa(trial))
}

// NoiseKey seeds a job's release. checksum is of the loaded data. Other data and other selections
// of rows have other noise: the difference of two releases with the same noise would be the rows by
// which they differ.
func (p *Plan) NoiseKey(c *Job, checksum string) random.Key {
	config := c.Config
	data := config.Data.name() + " " + checksum
	key := p.key().Derive("cell", data, config.Algorithm, config.Variant, config.changed,
		config.EpsilonText(), strconv.Itoa(c.Trial), strconv.Itoa(c.Fold))
	if config.Delta > 0 {
		key = key.Derive("delta", config.DeltaText())
	}
	return key.Derive("rows", strconv.Itoa(p.Folds), stratified, p.Train.text)
}

// Earlier versions could turn off what these words say, which are part of all keys and hashes.
const stratified, heldOut = "true", "raw-test"

// CacheKeys returns the function that names everything a job's result depends on, so that a
// finished job is reused if and only if it would come out the same. checksum is of the loaded data.
// It is fastest where neighbours are of one configuration.
func (p *Plan) CacheKeys() func(c *Job, checksum string) string {
	type shared struct { // what the text of a key depends on besides trial and fold
		config   *Config
		checksum string
		keeps    bool
	}
	var of shared
	var head, tail, text []byte
	return func(c *Job, checksum string) string {
		if now := (shared{c.Config, checksum, p.KeepsRegions(c)}); now != of {
			of, head, tail = now, p.keyHead(c.Config, checksum), p.keyTail(c)
		}
		text = appendWords(append(text[:0], head...), c.Trial, c.Fold)
		sum := sha256.Sum256(append(text, tail...))
		return hex.EncodeToString(sum[:16])
	}
}

func (p *Plan) keyHead(config *Config, checksum string) []byte {
	return appendWords(nil, "ppdp cell 4", "arithmetic", elementary.Revision, p.Seed,
		source.Toolchain(), config.Code().Digest(),
		config.Data.identity(checksum), config.Data.Resample, checksum,
		config.Algorithm, config.Info.Revision, config.Variant, config.EpsilonText())
}

func (p *Plan) keyTail(c *Job) []byte {
	config := c.Config
	text := appendWords(nil, p.Folds, stratified, heldOut)
	word := func(values ...any) { text = appendWords(text, values...) }
	words := func(params map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(params)) {
			word(name, params[name])
		}
	}
	if config.Delta > 0 {
		word("delta", config.DeltaText())
	}
	if config.Info.Program != "" {
		word("program", config.Info.Program)
	}
	if p.Train.Set() {
		word("train", p.Train.text)
	}
	if p.KeepsRegions(c) {
		word("keep", KeepRegions)
	}
	if !config.Data.Given { // those of the user's own files are paths
		words(config.Data.use.Params)
	}
	words(config.Setting.Params)
	for _, m := range config.Measures {
		word(m.Name, m.Metric.Info().Revision)
		words(m.resolved)
		if m.Classifier != nil {
			word(m.Classifier.Info().Name, m.Classifier.Info().Revision)
		}
	}
	return text
}

// runners are the packages that lead a job from its plug-ins to its record. What only they import
// carries values and computes none: its changes leave finished jobs as they are.
var runners = []string{"ppdp/experiments/language", "ppdp/experiments/engine"}

// Code is what may change a job's result: its algorithm, dataset, metrics and classifiers, each
// with all that it imports of this module, and what runs them.
func (c *Config) Code() source.Code {
	packages := slices.Concat(packagesOf("dataset", c.Data.spec.Name, c.Data.source),
		packagesOf("algorithm", c.Info.Name, c.Implementation))
	for m := range results.Each(c.Measures) {
		packages = append(packages, packagesOf("metric", m.Metric.Info().Name, m.Metric)...)
		if m.Classifier != nil {
			packages = append(packages, packagesOf("classifier", m.Classifier.Info().Name,
				m.Classifier)...)
		}
		for _, value := range m.resolved { // order-free: a set; a parameter may name a regressor
			packages = append(packages, registry.Packages("regressor", value)...)
		}
	}
	code := source.Of(packages...)
	for _, name := range runners {
		code[name] = source.Digest(name)
	}
	return code
}

// packagesOf lists the packages of a plug-in: those that registered it, if it is registered, and
// that of its type.
func packagesOf(kind, name string, plugin any) []string {
	of := reflect.TypeOf(plugin)
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return append(slices.Clone(registry.Packages(kind, name)), of.PkgPath())
}

// Code is that of all configurations.
func (p *Plan) Code() source.Code {
	code := make(source.Code)
	for _, config := range p.Configs {
		maps.Copy(code, config.Code())
	}
	return code
}

// appendWords appends values with their lengths, so that no two lists look alike.
func appendWords(text []byte, values ...any) []byte {
	for _, value := range values {
		word := fmt.Sprint(value)
		text = fmt.Appendf(text, "%d:%s,", len(word), word)
	}
	return text
}

// Hash is of the spec's meaning: comments, white space and the order of keys do not change it.
func (p *Plan) Hash() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Seed, p.Trials, p.Folds, stratified, heldOut)
	for _, c := range p.Configs {
		if c.trials != p.Trials {
			fmt.Fprintf(h, "%d trials of ", c.trials)
		}
		if c.Delta > 0 {
			fmt.Fprintf(h, "delta %s of ", c.DeltaText())
		}
		fmt.Fprintf(h, "%s|%s|%s|%s|%s|%s\n", c.Label(), c.Data.Label(), c.Algorithm, c.Variant,
			c.EpsilonText(), results.FormatParams(c.AllParams()))
		for _, m := range c.Measures {
			fmt.Fprintf(h, " %s", m.Name)
			if m.Classifier != nil {
				fmt.Fprintf(h, "/%s", m.Classifier.Info().Name)
			}
		}
	}
	fmt.Fprint(h, p.Spec.Keep, p.Train.text)
	for i := range p.Figures {
		fmt.Fprintf(h, "\n%+v", p.Figures[i]) // fmt prints maps in key order
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
