package publish

import (
	"context"
	"math/big"

	"ppdp/datasets"
)

// generalised is a generalised table: its classes, each with what its records say beside the
// quasi-identifiers.
type generalised struct {
	records *records
	first   []int            // a record of each class
	members []map[string]int // how many records of each class say what
	sizes   []int
	quasi   []int
	others  []int // attributes that are not generalised
}

func classesOf(schema *datasets.Schema, records *records) *generalised {
	g := &generalised{records: records, quasi: schema.QuasiIdentifiers()}
	for i := range schema.Attributes {
		if schema.Attributes[i].Role != datasets.QuasiIdentifier {
			g.others = append(g.others, i)
		}
	}
	index := make(map[string]int)
	for row := range records.Rows {
		key := keyOf(g.quasi, func(i int) uint32 { return records.Columns[i].Codes.At(int32(row)) })
		class, ok := index[key]
		if !ok {
			class = len(g.first)
			index[key] = class
			g.first = append(g.first, row)
			g.members = append(g.members, make(map[string]int))
			g.sizes = append(g.sizes, 0)
		}
		said := keyOf(g.others, func(i int) uint32 { return records.of(row, i)[0].Low })
		g.members[class][said]++
		g.sizes[class]++
	}
	return g
}

// match pairs records of the release with records of the original that they may stand for, each at
// most once, and returns how many can be paired at most: all, where the release is truthful. Where
// persons have several records, persons is the least number of them whose records may be in a
// class; they are in it where no two classes hold the same record.
func (g *generalised) match(ctx context.Context, original *datasets.Table) (matched, persons int,
	err error) {
	places := make(map[place]int)
	m := &matching{}
	for class, members := range g.members {
		for said, n := range members { // order-free: how many can be paired does not depend on it
			places[place{class, said}] = len(m.free)
			m.free = append(m.free, n)
		}
	}
	sets := make([]map[uint32]*big.Int, len(g.quasi)) // of the classes that hold a code, bit by bit
	for d := range sets {
		sets[d] = make(map[uint32]*big.Int)
	}
	several := original.Schema().Contributions > 1
	of := make([]map[int32]bool, len(g.first)) // persons of each class
	for class := range of {
		of[class] = make(map[int32]bool)
	}
	classes := new(big.Int)
	for row := range int32(original.Len()) {
		if row%1024 == 0 && ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		classes.Lsh(big.NewInt(1), uint(len(g.first)))
		classes.Sub(classes, big.NewInt(1)) // all
		for d, i := range g.quasi {
			code := original.Column(i).At(row)
			if sets[d][code] == nil {
				sets[d][code] = new(big.Int)
				for class, row := range g.first {
					if g.records.of(row, i).Holds(code) {
						sets[d][code].SetBit(sets[d][code], class, 1)
					}
				}
			}
			classes.And(classes, sets[d][code])
		}
		said := keyOf(g.others, func(i int) uint32 { return original.Column(i).At(row) })
		var may []int
		for classes.Sign() != 0 {
			class := int(classes.TrailingZeroBits())
			classes.SetBit(classes, class, 0)
			if at, ok := places[place{class, said}]; ok {
				may = append(may, at)
				if several {
					of[class][original.Person(row)] = true
				}
			}
		}
		m.options = append(m.options, may)
	}
	persons = original.Len()
	for _, met := range of {
		persons = min(persons, len(met))
	}
	return m.size(), persons, nil
}

// place is where records of a release are alike in all they say.
type place struct {
	class int
	said  string
}

// matching pairs records with places, by augmenting paths (Kuhn).
type matching struct {
	free    []int   // for each place: records of the release not paired yet
	held    [][]int // and the original's records paired with it
	options [][]int // for each record of the original: the places it may have
	seen    []bool  // places that the search has looked at
}

func (m *matching) size() (size int) {
	m.held, m.seen = make([][]int, len(m.free)), make([]bool, len(m.free))
	for record := range m.options {
		switch {
		case m.assign(record):
			size++
		case m.augment(record):
			size++
			clear(m.seen) // else there is no path from where a search has been, for others either
		}
	}
	return size
}

// assign gives a record a free place, if it may have one.
func (m *matching) assign(record int) bool {
	for _, p := range m.options[record] {
		if m.free[p] > 0 {
			m.free[p]--
			m.held[p] = append(m.held[p], record)
			return true
		}
	}
	return false
}

// augment finds a place for a record, moving others where it must.
func (m *matching) augment(record int) bool {
	if m.assign(record) {
		return true
	}
	for _, p := range m.options[record] {
		if m.seen[p] {
			continue
		}
		m.seen[p] = true
		for i, other := range m.held[p] {
			if m.augment(other) {
				m.held[p][i] = record
				return true
			}
		}
	}
	return false
}
