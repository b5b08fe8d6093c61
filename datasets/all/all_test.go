package all

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/datasets/graph"
	"ppdp/internal/declared"
	"ppdp/internal/must"
	"ppdp/internal/strictyaml"
	"ppdp/numeric/random"
)

// TestConformance runs the suite over everything registered; the sources of user-supplied files get
// some.
func TestConformance(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	settings := map[string]any{
		"csv": &csvtable.Params{
			CSV: write("a.csv", "age,job\n30,clerk\n52,smith\n"),
			Schema: write("a.schema.yaml",
				"attributes:\n- {name: age, kind: numeric, low: 0, high: 99}\n- {name: job, "+
					"kind: categorical, values: [clerk, smith]}\n"),
		},
		"from-schema": &csvtable.MadeUpParams{N: 50, Target: "job",
			Schema: write("b.schema.yaml", "attributes:\n- {name: age, kind: numeric, low: 0, "+
				"high: 99}\n- {name: job, kind: categorical, values: [clerk, smith]}\n")},
		"graph": &graph.FileParams{Path: write("a.edges", "0 1\n1 2\n")},
	}
	var files datasets.Files
	if data := os.Getenv("PPDP_DATA"); data != "" {
		files.Dirs = []string{data}
	}
	for _, name := range datasets.Names() {
		t.Run(name, func(t *testing.T) {
			source := must.Get(datasets.Lookup(name))
			if params, ok := settings[name]; ok {
				conform(t, source, files, params)
			} else {
				conform(t, source, files)
			}
		})
	}
}

// conform checks the contract of datasets.Source on a source with its default parameters, where
// those can be loaded, and with each of the other settings given (of the type that Params returns).
// Data are loaded where no file is needed or all are found.
func conform(t *testing.T, source datasets.Source, files datasets.Files, settings ...any) {
	t.Helper()
	t.Run("info", func(t *testing.T) { checkInfo(t, source) })
	t.Run("params", func(t *testing.T) { checkParams(t, source, len(settings) > 0) })
	for _, file := range source.Info().Files {
		if _, err := files.Open(file); err != nil {
			t.Logf("not loaded: %v", err)
			return
		}
	}
	if declared.Check(source.Params()) == nil {
		settings = append(settings, nil)
	}
	for i, params := range settings {
		t.Run(fmt.Sprintf("load %d", i), func(t *testing.T) {
			checkLoad(t, source,
				datasets.Request{Params: params, Files: files, Key: random.NewKey(1)})
		})
	}
}

var name = regexp.MustCompile(`^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$`)

// checkInfo: what is shown to people is there, and what is fetched can be checked.
func checkInfo(t *testing.T, source datasets.Source) {
	info := source.Info()
	if !name.MatchString(info.Name) || info.Title == "" {
		t.Errorf("name %q, title %q", info.Name, info.Title)
	}
	if of, is := strings.CutSuffix(info.Name, "-standin"); is != (info.StandsFor != "") ||
		is && of != info.StandsFor {
		t.Errorf("stands for %q: the name must say so, and only then", info.StandsFor)
	}
	if info.StandsFor != "" && len(info.Files) > 0 {
		t.Error("a stand-in needs no files")
	}
	for _, file := range info.Files {
		if len(file.SHA256) != 64 || file.URL == "" || file.Limit <= 0 ||
			info.Citation == "" || info.License == "" {
			t.Errorf("%s needs a checksum, an address, a limit, a citation and a license",
				file.Path)
		}
	}
}

// checkParams: every call returns fresh defaults, which are valid unless other settings are given;
// parameters of another type are refused, and so is what is just outside of each declared range.
func checkParams(t *testing.T, source datasets.Source, others bool) {
	defaults := source.Params()
	if defaults == nil {
		return
	}
	if defaults == source.Params() {
		t.Fatalf("parameters of type %T, must be a fresh pointer", defaults)
	}
	if err := declared.Check(defaults); err != nil && !others {
		t.Errorf("the defaults: %v", err)
	}
	want := fmt.Sprintf("must be %T", defaults)
	for _, foreign := range []any{3, &struct{ N int }{1}} {
		_, err := source.Load(t.Context(), datasets.Request{Params: foreign})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parameters of type %T: error %v, want %q", foreign, err, want)
			continue
		}
		name := source.Info().Name
		if !slices.Contains([]string{"csv", "from-schema"}, name) && // these name their files
			!strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("error %v, must begin with the name", err)
		}
	}
	for _, field := range strictyaml.Fields(reflect.TypeOf(defaults)) {
		for _, wrong := range outside(&field) {
			params := source.Params()
			value := reflect.ValueOf(params).Elem().FieldByIndex(field.Index)
			value.Set(reflect.ValueOf(wrong).Convert(value.Type()))
			_, err := source.Load(t.Context(), datasets.Request{Params: params})
			if err == nil || !strings.Contains(err.Error(), field.Name+": ") {
				t.Errorf("%s of %v: error %v, must name the key", field.Name, wrong, err)
			}
		}
	}
	// Without parameters a source loads its defaults or says what is missing.
	if set, err := source.Load(t.Context(), datasets.Request{}); (set == nil) == (err == nil) {
		t.Errorf("without parameters: %v, %v", set, err)
	}
}

// outside are values that the tags of a field do not allow.
func outside(field *strictyaml.Field) (wrong []any) {
	for tag, step := range map[string]float64{ // order-free: each is tried
		"min": -1, "above": 0, "below": 0, "max": 1} {
		if limit, err := strconv.ParseFloat(field.Tag.Get(tag), 64); err == nil {
			wrong = append(wrong, limit+step)
		}
	}
	if field.Type.Kind() == reflect.Float64 {
		wrong = append(wrong, math.NaN())
	}
	if field.Tag.Get("words") != "" {
		wrong = append(wrong, "no such word")
	}
	return wrong
}

// checkLoad: equal requests give equal data, at the same time too, and are not changed; what is
// drawn depends on the key.
func checkLoad(t *testing.T, source datasets.Source, request datasets.Request) {
	before := fmt.Sprintf("%+v", request)
	var sets [2]*datasets.Dataset
	var errs [len(sets)]error
	var loads sync.WaitGroup
	for i := range sets {
		loads.Go(func() { sets[i], errs[i] = source.Load(context.Background(), request) })
	}
	loads.Wait()
	must.Do(t, errors.Join(errs[:]...))
	checkContent(t, source.Info(), sets[0])
	if sets[0].Checksum != sets[1].Checksum || content(sets[0]) != content(sets[1]) {
		t.Error("two loads of one request differ")
	}
	if info := source.Info(); len(info.Files) == 0 && info.StandsFor == "" &&
		!slices.Contains([]string{"csv", "graph"}, info.Name) {
		other := request
		other.Key = random.NewKey(2)
		if set, err := source.Load(t.Context(), other); err != nil ||
			set.Checksum == sets[0].Checksum {
			t.Errorf("another key: the same data, or error %v", err)
		}
	}
	if after := fmt.Sprintf("%+v", request); after != before {
		t.Errorf("the request was changed from %s to %s", before, after)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.Load(ctx, request); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, must wrap %v", err, context.Canceled)
	}
}

// checkContent: a table or a graph, valid, with a checksum; stand-ins say so in their notes.
func checkContent(t *testing.T, info datasets.Info, set *datasets.Dataset) {
	if (set.Graph != nil) != info.Graph || (set.Table != nil) == info.Graph {
		t.Fatalf("table %v, graph %v, but Info says graph: %t",
			set.Table != nil, set.Graph != nil, info.Graph)
	}
	if raw, err := hex.DecodeString(set.Checksum); err != nil || len(raw) != 32 {
		t.Errorf("checksum %q, must be a SHA-256 in hexadecimal", set.Checksum)
	}
	if info.StandsFor != "" && len(set.Notes) == 0 {
		t.Error("a stand-in without a note that it is one")
	}
	if info.Graph {
		return
	}
	schema := set.Table.Schema()
	if err := schema.Validate(); err != nil {
		t.Error(err)
	}
	if err := set.Table.Validate(); err != nil {
		t.Error(err)
	}
}

// content is the checksum of a table or graph itself.
func content(set *datasets.Dataset) string {
	if set.Graph != nil {
		return set.Graph.Checksum()
	}
	return set.Table.Checksum()
}
