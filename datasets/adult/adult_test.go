package adult

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

func load(t testing.TB, source datasets.Source, selection string) *datasets.Dataset {
	t.Helper()
	request := datasets.Request{Params: &Params{Select: selection}}
	if len(source.Info().Files) > 0 {
		dir := os.Getenv("PPDP_DATA")
		if dir == "" {
			t.Skip("PPDP_DATA is not set: the real Adult is needed")
		}
		request.Files = datasets.Files{Dirs: []string{dir}}
	}
	return must.Get(source.Load(context.Background(), request))
}

// distinct is the number of different values in a column.
func distinct(table *datasets.Table, name string) int {
	column := table.Column(table.Schema().Index(name))
	seen := make(map[uint32]bool)
	for row := range table.Len() {
		seen[column.At(int32(row))] = true
	}
	return len(seen)
}

func classCounts(table *datasets.Table) []int {
	counts := make([]int, table.Schema().Classes())
	column := table.Column(table.Schema().Class())
	for row := range table.Len() {
		counts[column.At(int32(row))]++
	}
	return counts
}

// The numbers of this test were computed from the public files by another program.
func TestSelectRPS(t *testing.T) {
	dataset := load(t, Source, "rps")
	table := dataset.Table
	if table.Len() != 30162 || dataset.Dropped != 32561-30162 {
		t.Errorf("%d rows, %d dropped, want 30162 of 32561", table.Len(), dataset.Dropped)
	}
	want := []string{"age", "workclass", "education", "marital-status", "occupation",
		"relationship", "race", "sex",
		"hours-per-week", "native-country", "salary"}
	if got := table.Schema().Names(); !slices.Equal(got, want) {
		t.Errorf("attributes %v", got)
	}
	product := 1.0
	for i, values := range []int{72, 7, 16, 7, 14, 6, 5, 2, 94, 41} {
		if got := distinct(table, want[i]); got != values {
			t.Errorf("%s has %d distinct values, want %d", want[i], got, values)
		}
		product *= float64(values)
	}
	if math.Abs(product/1.83e11-1) > 0.005 {
		t.Errorf("the observed domains' product is %g, want 1.83e11", product)
	}
	for _, span := range []struct {
		name      string
		low, high float64
	}{{"age", 17, 90}, {"hours-per-week", 1, 99}} {
		at := table.Schema().Index(span.name)
		low, high := math.Inf(1), math.Inf(-1)
		for row := range table.Len() {
			value := table.Number(int32(row), at)
			low, high = min(low, value), max(high, value)
		}
		if low != span.low || high != span.high {
			t.Errorf("%s is in %v..%v, want %v..%v", span.name, low, high, span.low, span.high)
		}
	}
	vectors := make(map[string]bool)
	for row := range table.Len() {
		var key []byte
		for _, at := range table.Schema().QuasiIdentifiers() {
			key = binary.AppendUvarint(key, uint64(table.Column(at).At(int32(row))))
		}
		vectors[string(key)] = true
	}
	if len(vectors) != 25359 {
		t.Errorf("%d distinct quasi-identifier vectors, want 25359", len(vectors))
	}
	if share := float64(classCounts(table)[0]) / 30162; math.Abs(share-0.75108) > 0.000005 {
		t.Errorf("<=50K has a share of %.6f, want 0.75108", share)
	}
	// The first row of adult.data, as it is printed there.
	for i, text := range []string{"39", "State-gov", "Bachelors", "Never-married", "Adm-clerical",
		"Not-in-family", "White", "Male", "40",
		"United-States", "<=50K"} {
		if got := table.Schema().Attributes[i].Text(table.Column(i).At(0)); got != text {
			t.Errorf("row 0, %s: %s, want %s", want[i], got, text)
		}
	}
}

func TestSelectDiffMulti(t *testing.T) {
	dataset := load(t, Source, "diffmulti")
	if got := dataset.Table.Len(); got != 45222 {
		t.Errorf("%d rows, want 45222", got)
	}
	if want := 32561 + 16281 - 45222; dataset.Dropped != want {
		t.Errorf("%d rows dropped, want %d", dataset.Dropped, want)
	}
	// adult.names: probability of <=50K without unknowns is 75.22 %.
	if share := float64(classCounts(dataset.Table)[0]) / 45222; math.Abs(share-0.7522) > 0.00005 {
		t.Errorf("<=50K has a share of %.5f, want 0.7522", share)
	}
	numeric, categorical := 0, 0
	for _, at := range dataset.Table.Schema().QuasiIdentifiers() {
		if dataset.Table.Schema().Attributes[at].Kind == datasets.Numeric {
			numeric++
		} else {
			categorical++
		}
	}
	if numeric != 6 || categorical != 8 {
		t.Errorf("%d numeric and %d categorical attributes, want 6 and 8", numeric, categorical)
	}
}

func TestSelectionsShareColumns(t *testing.T) {
	for _, source := range []datasets.Source{Source, StandIn} {
		t.Run(source.Info().Name, func(t *testing.T) {
			all := load(t, source, "all").Table
			both := load(t, source, "diffmulti").Table
			for _, selection := range []string{"rps", "mondrian", "mondrian-random"} {
				table := load(t, source, selection).Table
				if table.Len() != all.Len() {
					t.Fatalf("%s has %d rows, all has %d", selection, table.Len(), all.Len())
				}
				for i, name := range table.Schema().Names() {
					at := all.Schema().Index(name)
					for row := range table.Len() {
						got := table.Schema().Attributes[i].Text(table.Column(i).At(int32(row)))
						want := all.Schema().Attributes[at].Text(all.Column(at).At(int32(row)))
						if got != want {
							t.Fatalf("%s, row %d, %s: %s, want %s", selection, row, name, got, want)
						}
					}
				}
			}
			mondrian := load(t, source, "mondrian").Table.Schema()
			if got := len(mondrian.QuasiIdentifiers()); got != 8 || mondrian.Class() != 8 {
				t.Errorf("mondrian has %d quasi-identifiers and its class at %d, want 8 and 8",
					got, mondrian.Class())
			}
			if all.Len() != 30162 || both.Len() != 45222 ||
				len(all.Schema().Attributes) != 15 {
				t.Errorf("%d and %d rows, %d attributes", all.Len(), both.Len(),
					len(all.Schema().Attributes))
			}
			// A table of both halves begins with the first.
			for i := range all.Schema().Attributes {
				for row := range all.Len() {
					if all.Column(i).At(int32(row)) != both.Column(i).At(int32(row)) {
						t.Fatalf("row %d, attribute %d differs between all and diffmulti", row, i)
					}
				}
			}
		})
	}
}

func TestSchema(t *testing.T) {
	schema := Schema()
	if err := schema.Validate(); err != nil {
		t.Error(err)
	}
	education := schema.Attributes[schema.Index("education")]
	if !education.Ordered || education.Values[0] != "Preschool" ||
		education.Values[15] != "Doctorate" {
		t.Errorf("education: %+v", education)
	}
	for i, c := range columns {
		a := schema.Attributes[i]
		if c.values == nil {
			continue
		}
		// The order is derived from the name alone; nothing may be lost by it.
		got, want := slices.Sorted(slices.Values(a.Values)), slices.Sorted(slices.Values(c.values))
		if !slices.Equal(got, want) {
			t.Errorf("%s lost values: %v", a.Name, a.Values)
		}
	}
	if country := schema.Attributes[schema.Index("native-country")]; slices.Equal(country.Values,
		columns[13].values) {
		t.Error("native-country is not shuffled") // by chance only once in 41!
	}
}

// TestIntuitiveOrder: in the order of LeFevre et al. every group of a hierarchy and every term of a
// taxonomy is an interval, so that whatever full-domain generalisation can publish can be cut too.
// The random order has no such property.
func TestIntuitiveOrder(t *testing.T) {
	// broken counts the groups and terms that are no interval of the codes.
	broken := func(schema *datasets.Schema) (broken []string) {
		for _, name := range lefevre {
			a := &schema.Attributes[schema.Index(name)]
			if a.Hierarchy == nil || a.Kind == datasets.Numeric {
				continue
			}
			for _, level := range a.Hierarchy.Levels {
				changes := 0
				for code := 1; code < a.Cells(); code++ {
					if level.Group[code] != level.Group[code-1] {
						changes++
					}
				}
				if changes != level.Len()-1 {
					broken = append(broken, name)
				}
			}
			axis := a.Axis()
			for node := range axis.Taxonomy.Nodes {
				codes := slices.Sorted(slices.Values(axis.Code[axis.Low[node]:axis.High[node]]))
				if int(codes[len(codes)-1]-codes[0]) != len(codes)-1 {
					broken = append(broken, name+" "+axis.Taxonomy.Nodes[node].Name)
				}
			}
		}
		return broken
	}
	if bad := broken(intuitive()); bad != nil {
		t.Errorf("no intervals: %q", bad)
	}
	if bad := broken(Schema()); len(bad) < 10 {
		t.Errorf("in the random order only %q are no intervals: this test sees nothing", bad)
	}
	for i := range columns {
		got, want := intuitive().Attributes[i].Values, columns[i].values
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s lost values: %v", columns[i].name, got)
		}
	}
}

func TestMissingFilesAreAllNamed(t *testing.T) {
	_, err := Source.Load(context.Background(),
		datasets.Request{Params: &Params{Select: "diffmulti"},
			Files: datasets.Files{Dirs: []string{t.TempDir()}}})
	if !errors.Is(err, datasets.ErrMissing) {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{"adult/adult.data", "adult/adult.test", "ppdp datasets fetch",
		dataFile.SHA256, testFile.SHA256} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error does not mention %q:\n%v", part, err)
		}
	}
}

const goodRow = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, " +
	"Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K"

func TestRead(t *testing.T) {
	text := "|1x3 Cross validator\n" + goodRow + ".\n" +
		strings.Replace(goodRow, "State-gov", "?", 1) + "\r\n" +
		strings.Replace(goodRow, "<=", ">", 1) + "\n\n"
	content := must.Get(format().Read(context.Background(), "adult.test",
		bytes.NewReader(plain([]byte(text)))))
	if content.Table.Len() != 2 || content.Dropped != 1 {
		t.Fatalf("%d rows, %d dropped, want 2 and 1", content.Table.Len(), content.Dropped)
	}
	if got := classCounts(content.Table); got[0] != 1 || got[1] != 1 {
		t.Errorf("classes %v, want one each", got)
	}
}

// What is read must be written the same: every field of the real file, through codes and back.
func TestRoundTrip(t *testing.T) {
	table := load(t, Source, "all").Table
	dir := os.Getenv("PPDP_DATA")
	content := must.Get(datasets.Files{Dirs: []string{dir}}.Open(dataFile))
	row := int32(0)
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, "?") || line == "\n" {
			continue
		}
		var fields []string
		for i := range table.Schema().Attributes {
			fields = append(fields, table.Schema().Attributes[i].Text(table.Column(i).At(row)))
		}
		if got := strings.Join(fields, ", ") + "\n"; got != line {
			t.Fatalf("row %d reads back as %q, was %q", row, got, line)
		}
		row++
	}
	if int(row) != table.Len() {
		t.Errorf("%d rows, %d in the file", table.Len(), row)
	}
}

func TestMain(m *testing.M) {
	// A data directory given relative to where the tests were started would not be found from here.
	if dir := os.Getenv("PPDP_DATA"); dir != "" && !filepath.IsAbs(dir) {
		panic("PPDP_DATA must be an absolute path in tests")
	}
	os.Exit(m.Run())
}
