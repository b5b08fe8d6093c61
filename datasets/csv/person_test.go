package csvtable

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// personally is the schema of a table of a number and the person whom it is about.
const personally = "person: id\ncontributions: %d\nmissing: [\"?\"]\nattributes:\n" +
	"  - {name: age, kind: numeric, low: 0, high: 100000}\n"

// kept lists the records of a table that are read, by their ages, which are all different.
func kept(t rapid.TB, format *Format, lines []string) []string {
	t.Helper()
	content := must.Get(read(format, "age,id\n"+strings.Join(lines, "\n")+"\n"))
	must.Be(t, content.Table.Len()+content.Beyond+content.Dropped, len(lines), "records")
	return texts(content.Table)
}

// Of everybody as many records are kept as allowed, in the order of the table. Who else is in the
// table changes nothing of it, nor do the values: neighbours differ in one person's records alone.
func TestPersonsDoNotMeet(t *testing.T) {
	var formats []*Format
	for contributions := range 4 {
		formats = append(formats, parse(t, fmt.Sprintf(personally, contributions+1)))
	}
	rapid.Check(t, func(t *rapid.T) {
		contributions := rapid.IntRange(1, 4).Draw(t, "contributions")
		format := formats[contributions-1]
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d e", "7"}), 1, 30).Draw(
			t, "ids")
		line := func(row, shift int) string { return fmt.Sprintf("%d,%s", row+shift, ids[row]) }
		var all, without, others []string
		counts := make(map[string]int)
		gone := ids[0]
		for row, id := range ids {
			counts[id]++
			all = append(all, line(row, 0))
			others = append(others, line(row, 500))
			if id != gone {
				without = append(without, line(row, 0))
			}
		}
		of := func(id string, rows []string) (own []string) {
			for _, text := range rows {
				var row int
				must.Do(t, must.Err(fmt.Sscan(text, &row)))
				if ids[row%500] == id {
					own = append(own, fmt.Sprint(row%500))
				}
			}
			return own
		}
		with, less := kept(t, format, all), []string(nil)
		if len(without) > 0 {
			less = kept(t, format, without)
		}
		shifted := kept(t, format, others)
		for id, n := range counts { // order-free: separate checks
			own := of(id, with)
			if len(own) != min(n, contributions) || !slices.Equal(own, of(id, shifted)) ||
				id != gone && !slices.Equal(own, of(id, less)) {
				t.Fatalf("%s of %v: %v, with other values %v, without %s %v", id, ids, own,
					of(id, shifted), gone, of(id, less))
			}
		}
	})
}

// Each record of many people with four, of whom two are kept, is kept as often: 2,000 draws of
// probability 1/2 each are within 1,000 ± 112 of them but for a chance of 5e-7 (5 deviations).
func TestRecordsAreDrawnAlike(t *testing.T) {
	var lines []string
	for person := range 2000 {
		for number := range 4 {
			lines = append(lines, fmt.Sprintf("%d,p%d", 4*person+number, person))
		}
	}
	var times [4]float64
	for _, text := range kept(t, parse(t, fmt.Sprintf(personally, 2)), lines) {
		var row int
		must.Do(t, must.Err(fmt.Sscan(text, &row)))
		times[row%4]++
	}
	for number, n := range times {
		must.Near(t, n, 1000, 112, "how often record", number, "is kept")
	}
}

// Blocks, several of them at once, and records one by one read the same persons; a person's number
// is the same in all rows of theirs and in no others'.
func TestPersonsInBlocks(t *testing.T) {
	format := parse(t, "trim: true\n"+fmt.Sprintf(personally, 3))
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"1,a", "2, a", "3,b", "4,\"b\"", "?,a",
			"5,c c", "6,?", "7,", "8,\"q\"\"q\"", "9", "10,\"\"", "11,é"}), 0, 60).Draw(t, "lines")
		text := "age,id\n" + strings.Join(lines, "\n")
		sameInBlocks(t, format, func() io.Reader { return strings.NewReader(text) },
			rapid.IntRange(7, 64).Draw(t, "size"))
	})
	content := must.Get(read(format, "id,age,more\na,1,x\nb,2,x\n a,3,x\n"))
	table := content.Table
	if a, b, c := table.Person(0), table.Person(1), table.Person(2); a != c || a == b {
		t.Errorf("persons %d, %d, %d, want the first to be the third alone", a, b, c)
	}
	if names := table.Schema().Names(); !slices.Equal(names, []string{"age"}) ||
		!slices.Equal(content.LeftOut, []string{"more"}) {
		t.Errorf("attributes %q, %q left out", names, content.LeftOut)
	}
	order := []int32{2, 1, 0}
	if table.ByPerson(order); !slices.Equal(order, []int32{1, 2, 0}) {
		t.Errorf("by person: %v, want 1, 2, 0", order)
	}
	var b strings.Builder
	if err := WriteSchema(&b, table.Schema()); err != nil || strings.Contains(b.String(), `"id"`) {
		t.Errorf("%v: the published schema names the person's column:\n%s", err, b.String())
	}
	both := datasets.NewBuilder(table.Schema(), 0)
	both.Append(table)
	both.Append(table)
	if joined := both.Table(); joined.Person(0) == joined.Person(3) ||
		joined.Person(3) != joined.Person(5) {
		t.Error("persons of two tables are taken for the same, or one for two")
	}
}

// Who has more records is not earlier in a random order for that. Of 2,000 persons 1,000 have
// three; of the first 1,000 that is 500 ± 56 (5 deviations of the hypergeometric law, by chance
// 5e-7).
func TestByPersonIsFair(t *testing.T) {
	var text strings.Builder
	text.WriteString("age,id\n")
	for person := range 2000 {
		text.WriteString(strings.Repeat(fmt.Sprintf("1,%d\n", person), 1+person%2*2))
	}
	content := must.Get(read(parse(t, fmt.Sprintf(personally, 3)), text.String()))
	table := content.Table
	order := table.AllRows()
	random.NewKey(1).Stream().Permute(order)
	table.ByPerson(order)
	var persons []int32
	for _, row := range order {
		if n := len(persons); n == 0 || persons[n-1] != table.Person(row) {
			persons = append(persons, table.Person(row))
		}
	}
	if len(persons) != 2000 {
		t.Fatalf("%d persons, some not together", len(persons))
	}
	several := 0
	for _, person := range persons[:1000] { // numbered as they come in the table
		several += int(person % 2)
	}
	if several < 444 || several > 556 {
		t.Errorf("of the first 1,000 persons %d have three records, want about 500", several)
	}
}

// Whoever cannot be told from others makes the whole table unfit: line, column, what is allowed.
func TestNoPerson(t *testing.T) {
	format := parse(t, fmt.Sprintf(personally, 2))
	for text, want := range map[string]string{ // order-free: separate checks
		"age,id\n1,a\n2,\n":   `f:3:3: id: "" stands for no person, must be the id of one in`,
		"age,id\n?,?\n1,a\n":  `f:2:3: id: "?" stands for no person, must be the id of one in`,
		"age,di\n1,a\n":       `f:1:1: no column for the person, "id" (did you mean di?), the`,
		"age,id,id\n1,a,b\n":  `f:1:8: duplicate column "id" in the header`,
		"age,id\n1,a\n101,\n": `f:3:5: id: "" stands for no person`,
	} {
		_, err := format.Read(context.Background(), "f", strings.NewReader(text))
		must.Fail(t, err, want, text)
	}
	bare := parse(t, "header: false\n"+strings.Replace(fmt.Sprintf(personally, 1), "attributes:\n",
		"attributes:\n  - {name: id, kind: ignored}\n", 1))
	content, err := read(bare, "a,1\nb,2\na,3\n")
	if err != nil || content.Table.Len() != 2 || content.Beyond != 1 {
		t.Errorf("without a header: %+v, %v", content, err)
	}
	checked, err := format.Check(context.Background(), "f", strings.NewReader("age,id\n1,\n2,?\n"))
	if err != nil || len(checked.Faults) != 1 || checked.Faults[0].Kind != NoPerson ||
		checked.Faults[0].Count != 2 {
		t.Errorf("check: %+v, %v", checked, err)
	}
}
