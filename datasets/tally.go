package datasets

import (
	"math"
	"math/bits"
)

// Tally counts which records of a table say the same: the same code in every attribute or, where
// the table keeps them, the same number. It takes 24 to 48 bytes a row, however long records are.
type Tally struct {
	table *Table
	slots []slot // twice as many as rows or more, so that some are free
}

// slot is a place for a record: one of its rows, and how many there are, 0 for none.
type slot struct {
	hash   uint32
	row, n int32
}

// NewTally counts rows of a table.
func NewTally(table *Table, rows []int32) *Tally {
	t := &Tally{table, make([]slot, 2<<bits.Len(uint(len(rows))))}
	for _, row := range rows {
		at, hash := t.look(table, row)
		s := &t.slots[at]
		s.hash, s.row, s.n = hash, row, s.n+1
	}
	return t
}

// Places is above every place of a record.
func (t *Tally) Places() int { return len(t.slots) }

// Count is how many rows have the record of a place, 0 where there is none.
func (t *Tally) Count(place int) int { return int(t.slots[place].n) }

// Find returns the place of a record that a row of a table of the same schema has. Its count is 0
// if no row counted has it.
func (t *Tally) Find(table *Table, row int32) (place int) {
	place, _ = t.look(table, row)
	return place
}

// look is the place of a row's record, or a free one for it, and its hash.
func (t *Tally) look(table *Table, row int32) (at int, hash uint32) {
	all := uint64(0)
	for a := range t.table.columns {
		all = (all ^ said(&table.columns[a], row)) * 0x9e3779b97f4a7c15
		all ^= all >> 32
	}
	hash = uint32(all)
	for at = int(all) & (len(t.slots) - 1); ; at = (at + 1) & (len(t.slots) - 1) {
		s := &t.slots[at]
		if s.n == 0 || s.hash == hash && t.equal(s.row, table, row) {
			return at, hash
		}
	}
}

func (t *Tally) equal(own int32, table *Table, row int32) bool {
	for a := range t.table.columns {
		if said(&t.table.columns[a], own) != said(&table.columns[a], row) {
			return false
		}
	}
	return true
}

// said is what a row says: equal values are equal numbers.
func said(c *Column, row int32) uint64 {
	if c.Exact != nil {
		return math.Float64bits(c.Exact[row] + 0) // no zero below zero
	}
	return uint64(c.At(row))
}
