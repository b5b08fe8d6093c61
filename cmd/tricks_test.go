package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/publish/evaluation"
)

const tricksSchema = `class: y
attributes:
  - {name: age, kind: numeric, low: 18, high: 95}
  - {name: job, kind: numeric, low: 0, high: 12}
  - {name: balance, kind: numeric, low: 0, high: 20000}
  - {name: day, kind: numeric, low: 1, high: 32}
  - {name: month, kind: numeric, low: 1, high: 13}
  - {name: housing, kind: numeric, low: 0, high: 2}
  - {name: campaign, kind: numeric, low: 1, high: 40}
  - {name: duration, kind: numeric, low: 0, high: 4000}
  - {name: y, kind: categorical, values: ["0", "1"]}
`

// people are n records of a population in which the duration tells the class.
func people(n int, seed uint64) (rows [][]int) {
	draws := random.NewKey(seed).Stream()
	skewed := func(most int) int { u := draws.Float64(); return int(float64(most) * u * u * u) }
	for range n {
		r := []int{18 + draws.IntN(77), draws.IntN(12), skewed(9000), 1 + draws.IntN(31),
			1 + draws.IntN(12), draws.IntN(2), 1 + skewed(12), skewed(2000), 0}
		if float64(r[7])*(0.5+draws.Float64()) > 500 {
			r[8] = 1
		}
		rows = append(rows, r)
	}
	return rows
}

// altered are rows with columns permuted, each by itself, or all changed alike.
func altered(rows [][]int, columns []int, change func(i, x int) int) [][]int {
	made := make([][]int, len(rows))
	for i := range rows {
		made[i] = slices.Clone(rows[i])
	}
	draws := random.NewKey(3).Stream()
	for _, c := range columns {
		order := make([]int32, len(rows))
		for i := range order {
			order[i] = int32(i)
		}
		if change == nil {
			draws.Permute(order)
		}
		for i := range rows {
			if made[i][c] = rows[order[i]][c]; change != nil {
				made[i][c] = change(i, made[i][c])
			}
		}
	}
	return made
}

func writeRows(t *testing.T, path string, rows [][]int) {
	t.Helper()
	text := []byte("age,job,balance,day,month,housing,campaign,duration,y\n")
	for _, row := range rows {
		for i, x := range row {
			if i > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(text, int64(x), 10)
		}
		text = append(text, '\n')
	}
	must.Do(t, os.WriteFile(path, text, 0o600))
}

// TestTricks evaluates releases that are made to look better than they are. What each discloses
// is known by how it is made: the share of the members that it has, and of it that is copied.
func TestTricks(t *testing.T) {
	t.Parallel()
	const n = 600
	original, held, fresh := people(n, 1), people(n/2, 2), people(n, 3)
	every := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	constant := func(_, _ int) int { return 1 }
	wrong := func(i, x int) int { // values outside the schema in nine of ten records
		if i%10 > 0 {
			return -7
		}
		return x
	}
	tricks := []struct {
		name    string
		rows    [][]int
		handOut string
		// least and most of the share that the strongest attack finds, 0 and 0 for nothing
		least, most float64
		says        string // of the verdict
	}{
		{"copy", original, "no", 0.97, 1, "100 % of its records are in the original verbatim"},
		{"balance by one", altered(original, []int{2}, func(_, x int) int { return x + 1 }), "no",
			0.95, 1, ""},
		{"four constant columns", altered(original, []int{0, 2, 3, 7}, constant), "no", 0.15, 1,
			""},
		{"two permuted columns", altered(original, []int{2, 7}, nil), "no", 0.9, 1,
			"NOT for a classifier"},
		{"one wrong column", altered(original, []int{0}, wrong), "no", 0.9, 1, "NOT TO BE"},
		{"half", original[:n/2], "no", 0.42, 0.6, "NOT TO BE HANDED OUT"},
		{"sixty ten times", slices.Repeat(original[:n/10], 10), "no", 0.05, 0.2,
			"100 % of its records are in the original verbatim"},
		{"twelve", original[:12], "no", 0, 0.05, "NOT for counts and tables"},
		{"class permuted", altered(original, []int{8}, nil), "no", 0.9, 1, "NOT for a classifier"},
		{"fresh people", fresh, "nothing found", 0, 0, "ood for counts and tables"},
		{"fresh and six copied", append(slices.Clone(fresh), original[:6]...), "nothing found", 0,
			0, "0.99 % of its records are in the original verbatim"},
		{"independent columns", altered(original, every, nil), "nothing found", 0, 0,
			"NOT for a classifier"},
		{"the held-out table", held, "refused", 0, 0, "refused as evidence"},
		{"held out and fresh", append(slices.Clone(held), fresh[:n/2]...), "refused", 0, 0,
			"refused as evidence"},
		{"held out and original", append(slices.Clone(held), original...), "refused", 0, 0,
			"refused as evidence"},
		{"held out, two columns changed", altered(held, []int{2, 7}, nil), "refused", 0, 0,
			"refused as evidence"},
		{"held out, all columns near", altered(held, []int{0, 2, 3, 7},
			func(i, x int) int { return max(1, x-i%2) }), "refused", 0, 0, "refused as evidence"},
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(file("s.yaml"), []byte(tricksSchema), 0o600))
	writeRows(t, file("original.csv"), original)
	writeRows(t, file("later.csv"), held)
	evaluate := func(releases ...string) ([]byte, error) {
		return exec.Command("ppdp", append([]string{"evaluate", file("original.csv"), "--schema",
			file("s.yaml"), "--holdout", file("later.csv"), "--out", file("out"), "--json"},
			releases...)...).Output()
	}
	var releases []string
	for _, trick := range tricks {
		path := file(trick.name + ".csv")
		writeRows(t, path, trick.rows)
		if trick.handOut != "refused" {
			releases = append(releases, path)
			continue
		}
		out, err := evaluate(path)
		failed, ok := err.(*exec.ExitError)
		if !ok || !strings.Contains(string(failed.Stderr), trick.says) {
			t.Errorf("%s: %v, %.200s", trick.name, err, out)
		}
	}
	out, err := evaluate(releases...)
	must.Do(t, err)
	var e evaluation.Evaluation
	must.Do(t, json.Unmarshal(out, &e))
	for i, v := range e.Verdicts {
		trick := tricks[slices.Index(releases, file(v.Release))]
		h, found := e.Kinds[2].Headlines[i], 0.0
		if h.Sample != nil {
			found = *h.Sample
		}
		if v.HandOut != trick.handOut || !(trick.least <= found && found <= trick.most) ||
			!strings.Contains(v.Text, trick.says) {
			t.Errorf("%s: %s, %v by %s: %s", trick.name, v.HandOut, found, h.By, v.Text)
		}
	}
	if len(e.Verdicts) != len(releases) {
		t.Errorf("%d verdicts on %d releases", len(e.Verdicts), len(releases))
	}
}

// TestTricksOfSmallDomains: half of all 4096 combinations of six columns are original, the others
// held out. Draws of them with the right class mostly repeat many of both; copies repeat all.
func TestTricksOfSmallDomains(t *testing.T) {
	t.Parallel()
	var all, honest [][]int
	draws := random.NewKey(5).Stream()
	for i := range 4096 {
		row := []int{18 + i%4, i / 4 % 4, i / 16 % 4, 1 + i/64%4, 1 + i/256%4, 0, 1 + i/1024, 0, 0}
		if row[0]+row[1] > 20 {
			row[8] = 1
		}
		all = append(all, row)
	}
	for i := range 2048 {
		j := draws.IntN(len(all)-i) + i
		all[i], all[j] = all[j], all[i]
		row := slices.Clone(all[draws.IntN(len(all))])
		if draws.IntN(10) == 0 {
			row[8] = 1 - row[8]
		}
		honest = append(honest, row)
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(file("s.yaml"), []byte(tricksSchema), 0o600))
	writeRows(t, file("original.csv"), all[:2048])
	writeRows(t, file("later.csv"), all[2048:])
	for name, rows := range map[string][][]int{"honest": honest, "the held-out": all[2048:],
		"both": all} { // order-free: each for itself
		writeRows(t, file("r.csv"), rows)
		out, err := exec.Command("ppdp", "evaluate", file("original.csv"), "--schema",
			file("s.yaml"), "--holdout", file("later.csv"), "--out", file(name),
			file("r.csv")).CombinedOutput()
		if refused := strings.Contains(string(out), "refused as evidence"); refused !=
			(name != "honest") || !refused && err != nil {
			t.Errorf("%s: %v, %.400s", name, err, out)
		}
	}
}
