// Package disclosure is about what a class of records that look alike tells of a sensitive
// attribute: l-diversity (Machanavajjhala et al., l-Diversity, TKDD 1(1), 2007) and t-closeness
// (Li, Li & Venkatasubramanian, t-Closeness, ICDE 2007). The algorithms that keep such limits, and
// the report that measures them, count by the same functions.
//
// Which limits are monotone. A union of classes that each keep a limit keeps it too, whichever
// limit it is: distinct values become no fewer, entropy is concave, recursive (c, l) adds up, and a
// distance to the whole is convex. So a generalisation of a table that keeps them keeps them, and a
// cut of one that does not never will. Where classes may be suppressed, that is not enough, for the
// union with one that breaks a limit may break it: only k and distinct l, which hold for every
// superset, stay monotone then (Upward).
//
// Where a table protects persons with several records, k-anonymity asks for k persons in each
// class. That is distinct k-diversity of who they are, and checked as such.
//
// It leaves out how classes are made, delta-presence, and what several sensitive attributes say
// together: each is looked at alone.
package disclosure

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Diversity is a form of l-diversity.
type Diversity string

const (
	Distinct  Diversity = "distinct"
	Entropy   Diversity = "entropy"
	Recursive Diversity = "recursive"
)

func (Diversity) Enum() []string { return algorithms.Words(Distinct, Entropy, Recursive) }

// Distance is how far apart two values are for t-closeness.
type Distance string

const (
	Equal        Distance = "equal"
	Ordered      Distance = "ordered"
	Hierarchical Distance = "hierarchical"
)

func (Distance) Enum() []string { return algorithms.Words(Equal, Ordered, Hierarchical) }

// Limits bound what each published class tells of each sensitive attribute. They are parameters of
// algorithms; the defaults ask nothing, nor does the zero value.
type Limits struct {
	L         int       `yaml:"l" doc:"l-diversity: the least that every published class must have of each sensitive attribute's values, counted by diversity; 1 asks nothing" min:"1" max:"2147483647"`
	Diversity Diversity `yaml:"diversity" doc:"what l counts: different values, as many equally frequent ones as have the class's entropy, or values such that the commonest has fewer than c times the records of the l-th commonest and all rarer ones"`
	C         float64   `yaml:"c" doc:"the c of diversity: recursive" above:"0"`
	T         float64   `yaml:"t" doc:"t-closeness: how far every class's distribution of each sensitive attribute may be from that of all published records; 1 asks nothing" min:"0" max:"1"`
	Distance  Distance  `yaml:"distance" doc:"how far apart two sensitive values are for t: all equally, by their places in their order, or by the lowest level of their hierarchy that joins them"`
}

// NoLimits are the defaults.
func NoLimits() Limits { return Limits{L: 1, Diversity: Distinct, C: 2, T: 1, Distance: Equal} }

// Disclosing returns the limits; parameters that embed them have the method.
func (l *Limits) Disclosing() *Limits { return l }

// Suppression is the largest share of records that may be left out of a release.
type Suppression float64

// Most is how many of so many records may be left out, by the decimal that the share is written as:
// .29 of 100 are 29, though the product of two float64 is less.
func (s Suppression) Most(records int) int {
	share, ok := new(big.Rat).SetString(strconv.FormatFloat(float64(s), 'g', -1, 64))
	if !ok {
		return 0 // not a number, which no parameter is
	}
	most := share.Mul(share, big.NewRat(int64(records), 1))
	return int(new(big.Int).Quo(most.Num(), most.Denom()).Int64())
}

// Suppressible returns the share; parameters that embed it have the method.
func (s Suppression) Suppressible() Suppression { return s }

// Any reports whether the limits ask anything.
func (l *Limits) Any() bool { return *l != Limits{} && (l.L > 1 || l.T < 1) }

// Upward reports whether every superset of a class that keeps the limits keeps them.
func (l *Limits) Upward() bool { return (l.L == 1 || l.Diversity == Distinct) && l.T == 1 }

// CheckSchema reports limits that no table of the schema can keep, or that it gives no meaning.
func (l *Limits) CheckSchema(s *datasets.Schema) error {
	if !l.Any() {
		return nil
	}
	var bad datasets.Problems
	sensitive := Sensitive(s)
	if len(sensitive) == 0 {
		bad.Add("l: %d, t: %v, but the table has no sensitive attribute", l.L, l.T)
	}
	for _, i := range sensitive {
		a := &s.Attributes[i]
		if l.L > a.Cells() {
			bad.Add("l: %d, must be at most %d, the number of values of %s", l.L, a.Cells(), a.Name)
		}
		if a.Continuous {
			bad.Add("l: %d, t: %v, but %s is continuous: nearly every value is another", l.L, l.T,
				a.Name)
		}
		if l.T < 1 && l.Distance == Ordered &&
			(a.Kind == datasets.Categorical && !a.Ordered || a.Missing != nil) {
			bad.Add("distance: %q, but the values of %s have no order", l.Distance, a.Name)
		}
		if l.T < 1 && l.Distance == Hierarchical && !Nested(a) {
			bad.Add("distance: %q, but %s has no taxonomy and no widths", l.Distance, a.Name)
		}
	}
	return bad.Err()
}

// Sensitive lists the positions of the sensitive attributes.
func Sensitive(s *datasets.Schema) (positions []int) {
	for i := range s.Attributes {
		if s.Attributes[i].Role == datasets.Sensitive {
			positions = append(positions, i)
		}
	}
	return positions
}

// Nested reports whether an attribute has a hierarchy of its own.
func Nested(a *datasets.Attribute) bool { return a.Taxonomy != nil || a.Hierarchy != nil }

// Levels are the groups of values, given by their codes, on the levels of an attribute's hierarchy
// between the values themselves and the top.
func Levels(a *datasets.Attribute, codes []uint32) ([][]uint32, error) {
	h, err := a.Generalisation()
	if err != nil {
		return nil, err
	}
	var levels [][]uint32
	for i := 1; i < h.Height(); i++ {
		groups := make([]uint32, len(codes))
		for value, code := range codes {
			groups[value] = h.Levels[i].Group[code]
		}
		levels = append(levels, groups)
	}
	return levels, nil
}

// Sentence says what the limits promise, as one that follows another.
func (l *Limits) Sentence() (text string) {
	if l.L > 1 {
		text = map[Diversity]string{
			Distinct:  fmt.Sprintf(" They have at least %d different values", l.L),
			Entropy:   fmt.Sprintf(" Their values have at least the entropy of %d values", l.L),
			Recursive: fmt.Sprintf(" Their values are recursively (%v, %d)-diverse", l.C, l.L),
		}[l.Diversity] + " of each sensitive attribute."
	}
	if l.T < 1 {
		text += fmt.Sprintf(" Of each sensitive attribute, the values of records that look alike "+
			"are at most %v, by %s distance, from those of all records.", l.T, l.Distance)
	}
	return text
}

// Reached is what classes reach of an attribute: the least of diversity, the largest of distances.
type Reached struct {
	Distinct int     // the l of distinct l-diversity
	Entropy  float64 // of entropy l-diversity
	// Recursive is the largest l of recursive (c, l)-diversity, 0 where not even l = 1 holds.
	Recursive int
	Distance  float64 // the t of t-closeness
}

// rounding is by how much a share of l may fall short in entropy: logarithms are rounded, and l
// equally frequent values must have an entropy of l.
const rounding = 1e-9

// Missed says which limits are missed, "" for none.
func (l *Limits) Missed(r Reached) string {
	switch {
	case l.L > 1 && l.Diversity == Distinct && r.Distinct < l.L:
		return fmt.Sprintf("%d different values, must be %d or more", r.Distinct, l.L)
	case l.L > 1 && l.Diversity == Entropy && r.Entropy < float64(l.L)*(1-rounding):
		return fmt.Sprintf("the entropy of %.6g values, must be %d or more", r.Entropy, l.L)
	case l.L > 1 && l.Diversity == Recursive && r.Recursive < l.L:
		return fmt.Sprintf("recursive (%v, l) with l = %d, must be %d or more", l.C, r.Recursive,
			l.L)
	case l.T < 1 && !(r.Distance <= l.T):
		return fmt.Sprintf("%s distance %.6g from all records, must be %v or less", l.Distance,
			r.Distance, l.T)
	}
	return ""
}

// keeps reports whether a class keeps the limits. It computes what they ask for alone.
func (l *Limits) keeps(c *Class, w *Whole) bool {
	r := Reached{Distinct: c.Distinct()}
	if r.Distinct < l.L { // the other forms of l need as many
		return false
	}
	switch {
	case l.L > 1 && l.Diversity == Entropy:
		r.Entropy = c.Entropy()
	case l.L > 1 && l.Diversity == Recursive:
		r.Recursive = c.Recursive(l.C)
	}
	if l.T < 1 {
		r.Distance = w.Distance(l.Distance, c)
	}
	return l.Missed(r) == ""
}

// Distance is the distance of a class by its name.
func (w *Whole) Distance(d Distance, c *Class) float64 {
	switch d {
	case Ordered:
		return w.Ordered(c)
	case Hierarchical:
		return w.Hierarchical(c)
	}
	return w.Equal(c)
}

// Checker checks classes of a table's rows against limits.
type Checker struct{ columns []column }

// column is a sensitive attribute, or who the records' persons are.
type column struct {
	limits  Limits
	name    string // of the attribute
	persons bool
	values  []uint32 // the value of each row of the table, numbered in the order of codes
	levels  [][]uint32
	class   *Class // scratch
	all     *Class
	whole   *Whole // of all rows, for t
}

// Checker prepares to check classes of the rows, also for k persons where a person may have several
// of the rows. It is nil where that is not so and the limits ask nothing: then k records are all
// that is asked of a class.
func (l *Limits) Checker(table *datasets.Table, rows []int32, k int) (*Checker, error) {
	c := &Checker{}
	if len(rows) == 0 {
		return nil, nil
	}
	values := make([]uint32, len(rows))
	if l.Any() {
		for _, i := range Sensitive(table.Schema()) {
			a := &table.Schema().Attributes[i]
			col := column{limits: *l, name: a.Name}
			table.Column(i).Gather(rows, values)
			codes := col.number(table, rows, values)
			if l.Distance == Hierarchical && l.T < 1 {
				var err error
				if col.levels, err = Levels(a, codes); err != nil {
					return nil, fmt.Errorf("%w: %w", algorithms.ErrTooLarge, err)
				}
			}
			if l.T < 1 {
				col.whole = NewWhole(col.all, col.levels)
			}
			c.columns = append(c.columns, col)
		}
	}
	if table.Schema().Contributions > 1 {
		col := column{limits: Limits{L: k, Diversity: Distinct, T: 1}, persons: true}
		for i, row := range rows {
			values[i] = uint32(table.Person(row))
		}
		col.number(table, rows, values)
		c.columns = append(c.columns, col)
	}
	if len(c.columns) == 0 {
		return nil, nil
	}
	return c, nil
}

// number numbers the values of the rows, and returns those that occur in ascending order.
func (c *column) number(table *datasets.Table, rows []int32, values []uint32) []uint32 {
	occurring := datasets.Ranks(values)
	c.values = make([]uint32, table.Len())
	c.class, c.all = NewClass(len(occurring)), NewClass(len(occurring))
	for i, row := range rows {
		c.values[row] = values[i]
		c.all.Add(values[i], 1)
	}
	return occurring
}

// CheckAll reports that all rows together do not keep the limits: then no partition of them does.
func (c *Checker) CheckAll() error {
	if c == nil {
		return nil
	}
	for i := range c.columns {
		col := &c.columns[i]
		switch {
		case col.limits.keeps(col.all, col.whole):
		case col.persons:
			return fmt.Errorf("k is %d, the table's %d records are of %d persons: %w",
				col.limits.L, col.all.Size, col.all.Distinct(), algorithms.ErrTooFew)
		default:
			return fmt.Errorf("%w: all records together have of %s %s", ErrUnattainable, col.name,
				col.limits.Missed(Reached{col.all.Distinct(), col.all.Entropy(),
					col.all.Recursive(col.limits.C), 0}))
		}
	}
	return nil
}

// ErrUnattainable is wrapped by the error of a release whose limits no partition of its table
// keeps.
var ErrUnattainable = errors.New("the limits cannot be kept")

// Allows reports whether rows may be a class of a table of all rows. A nil checker allows all.
func (c *Checker) Allows(rows []int32) bool {
	if c == nil {
		return true
	}
	for i := range c.columns {
		col := &c.columns[i]
		col.class.Clear()
		for _, row := range rows {
			col.class.Add(col.values[row], 1)
		}
		if !col.limits.keeps(col.class, col.whole) {
			return false
		}
	}
	return true
}

// AllowsBoth reports whether the first n of rows may be a class, and the others, too.
func (c *Checker) AllowsBoth(rows []int32, n int) bool {
	return c.Allows(rows[:n]) && c.Allows(rows[n:])
}

// Values is the value of each row of the table in the i-th column, as Classes hold it.
func (c *Checker) Values(i int) []uint32 { return c.columns[i].values }

// Domain is how many values the i-th column has in the rows.
func (c *Checker) Domain(i int) int { return len(c.columns[i].all.counts) }

// Columns is how many columns are checked: the sensitive attributes that limits are asked of, and
// who the persons are. A nil checker has none.
func (c *Checker) Columns() int {
	if c == nil {
		return 0
	}
	return len(c.columns)
}

// Classes are classes of records in entries, which stand for a number of equal ones: those of class
// i end at Ends[i].
type Classes struct {
	Ends   []int32
	Counts []int32
	Values [][]uint32 // of each column, of each entry
	order  []int32    // scratch
}

// Arrange makes n classes of entries: entry i stands for counts[i] records, or for one where counts
// is nil, is of class of[i], and has a value in each column.
func (c *Classes) Arrange(n int, of, counts []int32, columns int,
	value func(column int, entry int32) uint32) {
	c.Ends = append(c.Ends[:0], make([]int32, n)...)
	for _, class := range of {
		c.Ends[class]++
	}
	start := int32(0)
	for class, size := range c.Ends {
		c.Ends[class], start = start, start+size
	}
	c.order = append(c.order[:0], of...)
	for i, class := range of { // Ends grow from starts to ends
		c.order[c.Ends[class]] = int32(i)
		c.Ends[class]++
	}
	c.Counts = c.Counts[:0]
	for _, i := range c.order {
		n := int32(1)
		if counts != nil {
			n = counts[i]
		}
		c.Counts = append(c.Counts, n)
	}
	c.Values = append(c.Values[:0], make([][]uint32, columns)...)
	for column := range c.Values {
		for _, i := range c.order {
			c.Values[column] = append(c.Values[column], value(column, i))
		}
	}
}

// Keep decides which classes are published: keep says which may be, and is false of the others
// afterwards. Those of too few persons are left out first, as those of too few records are.
// Distances are to what is published, so that leaving classes out may make others break t: all that
// do are left out, and so on until all that remain keep the limits.
func (c *Checker) Keep(classes *Classes, keep []bool) {
	check := func(i, class int, whole *Whole) {
		col := &c.columns[i]
		col.class.Clear()
		classes.add(i, class, col.class)
		keep[class] = col.limits.keeps(col.class, whole)
	}
	distances := false
	for i := range c.columns {
		distances = distances || c.columns[i].limits.T < 1
		for class := range keep {
			if c.columns[i].persons && keep[class] {
				check(i, class, nil)
			}
		}
	}
	for again := true; again; {
		again = false
		wholes := make([]*Whole, len(c.columns))
		for i := range c.columns {
			if c.columns[i].limits.T == 1 {
				continue
			}
			all := NewClass(c.Domain(i))
			for class := range keep {
				if keep[class] {
					classes.add(i, class, all)
				}
			}
			wholes[i] = NewWhole(all, c.columns[i].levels)
		}
		for class := range keep {
			for i := range c.columns {
				if keep[class] && !c.columns[i].persons {
					check(i, class, wholes[i])
					again = again || distances && !keep[class]
				}
			}
		}
	}
}

// add adds the values of a class.
func (c *Classes) add(column, class int, to *Class) {
	start := int32(0)
	if class > 0 {
		start = c.Ends[class-1]
	}
	for at := start; at < c.Ends[class]; at++ {
		to.Add(c.Values[column][at], int(c.Counts[at]))
	}
}

// Published says which of the classes that rows are in, by their numbers, are not suppressed: those
// of k records that keep the limits. A nil checker asks for k records alone.
func (c *Checker) Published(k int, rows, of []int32, classes int) []bool {
	sizes, published := make([]int, classes), make([]bool, classes)
	for _, class := range of {
		sizes[class]++
		published[class] = sizes[class] >= k
	}
	if c == nil {
		return published
	}
	var all Classes
	all.Arrange(classes, of, nil, len(c.columns), func(column int, i int32) uint32 {
		return c.columns[column].values[rows[i]]
	})
	c.Keep(&all, published)
	return published
}

// Monotone checks for what no cut of a class that breaks it can mend, and that whoever keeps the
// limits keeps. Without suppression these are the limits. With it they are as many different values
// as l says, since every superset of a class that has these has them.
func (c *Checker) Monotone(suppressing bool) *Checker {
	if c == nil || !suppressing ||
		!slices.ContainsFunc(c.columns, func(col column) bool { return !col.limits.Upward() }) {
		return c
	}
	weaker := &Checker{columns: slices.Clone(c.columns)}
	for i := range weaker.columns {
		limits := &weaker.columns[i].limits
		limits.Diversity, limits.T = Distinct, 1
	}
	return weaker
}
