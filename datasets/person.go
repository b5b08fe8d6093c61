package datasets

import (
	"slices"

	"ppdp/numeric/random"
)

// MostContributions is the largest number of records of one person that a table may keep.
const MostContributions = 1000

// OfPersons returns the table with at most Schema.Contributions records of each person. persons has
// each row's person, as an index into ids, by which they are known outside. Whose records are kept,
// and which, is drawn by a public key from the person's id and the number of their records, in the
// order of their rows: not from any value, nor from what others have, so that adding or removing a
// person leaves the others' records as they are.
func OfPersons(t *Table, persons []int32, ids []string) *Table {
	most, records := t.schema.Contributions, make([]int32, len(ids))
	for _, person := range persons {
		records[person]++
	}
	type record struct{ person, number int32 }
	kept := make(map[record]bool) // of who has more
	for person, n := range records {
		if int(n) <= most {
			continue
		}
		numbers := InOrder(int(n))
		random.NewKey(0).Derive("contributions", ids[person]).Stream().Permute(numbers)
		for _, number := range numbers[:most] {
			kept[record{int32(person), number}] = true
		}
	}
	var rows, of []int32
	seen := make([]int32, len(ids))
	for row, person := range persons {
		if int(records[person]) <= most || kept[record{person, seen[person]}] {
			rows, of = append(rows, int32(row)), append(of, person)
		}
		seen[person]++
	}
	limited := t.Select(rows)
	limited.persons = of
	return limited
}

// Person is the number of the person whom a row is about. Of a table that was not made by OfPersons
// any Schema.Contributions rows in succession count as one person's; a row each where records are
// what is protected.
func (t *Table) Person(row int32) int32 {
	if t.persons == nil {
		return row / int32(max(1, t.schema.Contributions))
	}
	return t.persons[row]
}

// ByPerson brings rows of the same person together, at the place of their lowest row: what is cut
// off from the order's end then has at most one person in common with the rest. In a random order
// that place is as random as any, whoever has more rows; the first of them would not be.
func (t *Table) ByPerson(order []int32) {
	if t.schema.Contributions < 2 {
		return
	}
	place := make(map[int32]int)
	for i, row := range order {
		if at, met := place[t.Person(row)]; !met || row < order[at] {
			place[t.Person(row)] = i
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return place[t.Person(a)] - place[t.Person(b)]
	})
}
