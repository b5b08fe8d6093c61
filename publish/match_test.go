package publish

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"

	"pgregory.net/rapid"
)

// TestMatch compares the number of pairs with the most that any order of the original's records
// gives, taken one by one (brute force): classes overlap.
func TestMatch(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: 0, High: 4, Step: 1},
		{Name: "s", Kind: datasets.Categorical, Role: datasets.Sensitive,
			Values: []string{"x", "y"}},
	}}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var rows [][]string
		for range rapid.IntRange(1, 5).Draw(t, "released") {
			low := rapid.Uint32Range(0, 3).Draw(t, "low")
			high := rapid.Uint32Range(low+1, 4).Draw(t, "high")
			rows = append(rows, []string{csvtable.GroupText(&schema.Attributes[0], low, high),
				rapid.SampledFrom(schema.Attributes[1].Values).Draw(t, "s")})
		}
		b := datasets.NewBuilder(schema, 0)
		n := rapid.IntRange(0, 5).Draw(t, "original")
		for range n {
			row := b.AddRow()
			b.Set(row, 0, rapid.Uint32Range(0, 3).Draw(t, "n"))
			b.Set(row, 1, rapid.Uint32Range(0, 1).Draw(t, "s"))
		}
		table := b.Table()
		// most tries every partner of the first released record that has none.
		var most func(released int, used []bool) int
		most = func(released int, used []bool) int {
			if released == len(rows) {
				return 0
			}
			best := most(released+1, used)
			g := must.Get(csvtable.ParseGroup(&schema.Attributes[0], rows[released][0]))
			for i := range used {
				said := schema.Attributes[1].Values[table.Column(1).At(int32(i))]
				if !used[i] && said == rows[released][1] && g.Holds(table.Column(0).At(int32(i))) {
					now := slices.Clone(used)
					now[i] = true
					best = max(best, 1+most(released+1, now))
				}
			}
			return best
		}
		want := most(0, make([]bool, n))
		var text bytes.Buffer
		out := csv.NewWriter(&text)
		must.Do(t, out.Write(schema.Names()))
		must.Do(t, out.WriteAll(rows))
		must.Do(t, os.WriteFile(filepath.Join(dir, RecordsFile), text.Bytes(), 0o600))
		released, problems := readRecords(dir, true, false, schema)
		must.Do(t, errors.Join(problems...))
		got, _, err := classesOf(schema, released).match(t.Context(), table)
		if err != nil || got != want {
			t.Fatalf("%d pairs (%v), want %d: %v", got, err, want, fmt.Sprint(rows))
		}
	})
}
