package audit

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// Data is one of two inputs: a table, of which nil Rows are all, or a graph; the other is nil.
type Data struct {
	Table *datasets.Table
	Rows  []int32
	Graph *datasets.Graph
}

// Pair is two neighbouring inputs or, if they are Unrelated, two with nothing in common but what is
// public. No mechanism's loss is bounded between these.
type Pair struct {
	Name      string
	A, B      Data
	Unrelated bool
	// Weight says how many transcripts of a small pair cost as much as one of this; 0 is for 1.
	Weight int
	// Times is what epsilon is multiplied by, and Rows the most records that are drawn, where a
	// release has such a limit; 0 changes nothing.
	Times float64
	Rows  int
}

// limited are settings that limit the number of records that are drawn.
type limited interface{ LimitRows(most int) }

// subject is what is replayed on the pair.
func (p *Pair) subject(s Subject) Subject {
	if p.Times > 0 {
		s.Epsilon *= p.Times
	}
	if _, ok := s.Params.(limited); ok && p.Rows > 0 {
		own := reflect.New(reflect.TypeOf(s.Params).Elem())
		own.Elem().Set(reflect.ValueOf(s.Params).Elem())
		s.Params = own.Interface()
		s.Params.(limited).LimitRows(p.Rows)
	}
	return s
}

// affordable is the number of records, and of values of all attributes, up to which a pair is
// small.
const affordable = 40

// weigh fills in Weight for a table of n records.
func (p *Pair) weigh(n int) {
	values := 0
	for _, a := range p.A.Table.Schema().Attributes {
		values += a.Cells()
	}
	p.Weight = max(n, values) / affordable
}

// Pairs returns inputs on which a guarantee breaks if it breaks anywhere: neighbours under its
// relation (a record alone in its cell or its class, the corners of the domain, duplicates, ties,
// the empty table, more equal records than eight bits hold, thousands of records; of persons as
// many records as one has at most, equal ones and the next in the table; hubs, isolated
// nodes, stars and cliques) and unrelated pairs. The error names a relation without a generator.
func Pairs(g algorithms.Guarantee) ([]Pair, error) {
	var pairs []Pair
	ofTable := g.Unit == "record" || g.Unit == "person"
	switch {
	case ofTable && (g.Replaces() || g.Relation == algorithms.AddOrRemoveRecord ||
		g.Relation == algorithms.AddOrRemovePerson):
		return tablePairs(g.Replaces(), g.Contributions), nil
	case g.Unit == "node":
		pairs = append(nodePairs(), unrelatedGraphs()...)
	case g.Unit == "edge":
		pairs = append(edgePairs(), unrelatedGraphs()...)
	}
	pairs = slices.DeleteFunc(pairs, func(p Pair) bool {
		return g.MaxDegree > 0 && max(p.A.Graph.MaxDegree(), p.B.Graph.MaxDegree()) > g.MaxDegree
	})
	if len(pairs) == 0 {
		return nil, fmt.Errorf("no neighbours are known for the unit %q and the relation %q, must "+
			"be record with %q or %q, the like of a person, or node, or edge", g.Unit, g.Relation,
			algorithms.AddOrRemoveRecord, algorithms.ReplaceRecord)
	}
	return pairs, nil
}

// small is a schema of so few cells that all are hit, with an attribute of each kind.
func small() *datasets.Schema {
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 10, High: 20, Step: 1},
		{Name: "height", Low: 0, High: 4, Step: 1, Continuous: true},
		work(), Words("pays", datasets.Class, "no", "yes"),
	}}
}

// wide is a schema of more cells than records, with a sensitive attribute and four classes.
func wide() *datasets.Schema {
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "income", Low: 0, High: 300, Step: 1},
		{Name: "height", Low: 0, High: 100, Step: 6.25, Continuous: true},
		work(), Words("disease", datasets.Sensitive, "none", "flu", "gout"),
		Words("pays", datasets.Class, "never", "late", "mostly", "always"),
	}}
}

func work() datasets.Attribute {
	a := Words("work", datasets.QuasiIdentifier, "baker", "smith", "clerk", "astronaut")
	a.Taxonomy = &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 4}},
		{Name: "craft", Parent: 0, Children: []int{2, 3}},
		{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
		{Name: "other", Parent: 0, Children: []int{5, 6}},
		{Name: "clerk", Parent: 4}, {Name: "astronaut", Parent: 4},
	}}
	return a
}

// Words is a categorical attribute.
func Words(name string, role datasets.Role, values ...string) datasets.Attribute {
	return datasets.Attribute{Name: name, Kind: datasets.Categorical, Values: values, Role: role}
}

// corner is the lowest or the highest code of every attribute.
func corner(s *datasets.Schema, high int) []uint32 {
	row := make([]uint32, len(s.Attributes))
	for i := range row {
		row[i] = uint32(high * (s.Attributes[i].Cells() - 1))
	}
	return row
}

func table(s *datasets.Schema, rows [][]uint32) *datasets.Table {
	b := datasets.NewBuilder(s, len(rows))
	for _, codes := range rows {
		b.AddRow(codes...)
	}
	return b.Table()
}

// tableMaker makes pairs of tables under one schema after the other.
type tableMaker struct {
	schema *datasets.Schema
	stream *random.Stream
	// replace says that neighbours have another record in place of one, and that the number of
	// records is public: unrelated tables have equally many.
	replace       bool
	contributions int // records of one person, 0 or 1 where records are protected
	pairs         []Pair
}

// tablePairs makes neighbours that differ in a record or in all records of a person, which are
// removed or replaced, and unrelated tables.
func tablePairs(replace bool, contributions int) []Pair {
	m := &tableMaker{stream: random.NewKey(0).Derive("audit", "tables").Stream(), replace: replace,
		contributions: contributions}
	m.smallTables()
	m.wideTables()
	return append(m.pairs, larger(m.schema, replace, [2]float64{10, 0.1})...)
}

// smallTables are pairs of tables of a few cells.
func (m *tableMaker) smallTables() {
	m.schema = small()
	m.schema.Contributions = m.contributions
	low, high, middle := corner(m.schema, 0), corner(m.schema, 1), []uint32{5, 2, 1, 0}
	lone := m.alone(20)
	ties := append(repeated([]uint32{4, 1, 0, 0}, 8), repeated([]uint32{5, 2, 3, 1}, 8)...)
	m.neighbours("a single record", [][]uint32{middle}, 0)
	m.neighbours("two records", [][]uint32{low, high}, 0, 1)
	m.neighbours("equal records", repeated(middle, 12), 0, 11)
	m.neighbours("alone in the lowest corner", append(repeated(high, 15), low), 15)
	m.neighbours("alone in the highest corner", append(repeated(low, 15), high), 15)
	m.neighbours("alone in its class", lone, 19)
	m.neighbours("a tie at the median", ties, 7, 8)
	m.neighbours("duplicates", append(m.drawn(10), repeated(middle, 5)...), 12)
	for _, n := range []int{5, 20, 40} {
		m.neighbours("random", m.drawn(n), 0, n/2, n-1)
	}
	m.neighbours("equal records", repeated(middle, 128), 127) // where eight bits end, with a sign
	m.neighbours("equal records", repeated(middle, 256), 255) // and without
	m.unrelated(repeated(low, 1), m.drawn(40))
	m.unrelated(repeated(low, 30), repeated(high, 30))
	half := Pair{Name: "half the rows of a table and the other half", Unrelated: true,
		A: Data{Table: table(m.schema, append(repeated(low, 20), m.drawn(20)...))}}
	rows := half.A.Table.AllRows()
	half.B.Table, half.A.Rows, half.B.Rows = half.A.Table, rows[:20], rows[20:]
	m.pairs = append(m.pairs, half)
}

// wideTables are pairs of tables of more cells than records, and of many records.
func (m *tableMaker) wideTables() {
	m.schema = wide()
	m.schema.Contributions = m.contributions
	many := m.alone(3000)
	m.neighbours("four classes, alone in its class", m.alone(30), 29)
	m.neighbours("a wide domain", m.drawn(30), 0)
	m.neighbours("many", many, 0, 2999)
	m.unrelated(nil, m.drawn(30))
	m.unrelated(nil, many)
	if !m.replace {
		m.unrelated(m.drawn(30), many)
	}
}

// neighbours adds, for each of some records, the pair of a table and its neighbour in that record.
// A person's other records are the next ones of a random table, or more like the first.
func (m *tableMaker) neighbours(name string, rows [][]uint32, at ...int) {
	for _, i := range at {
		p := Pair{Name: fmt.Sprintf("%s, record %d of %d", name, i+1, len(rows))}
		before, own := rows, []int{i}
		for n := 1; n < m.contributions; n++ {
			if next := (i + n) % len(rows); name == "random" && next != i {
				own = append(own, next)
			} else {
				before = append(slices.Clip(before), rows[i])
				own = append(own, len(before)-1)
			}
		}
		if m.contributions > 1 {
			p.Name += fmt.Sprintf(" and %d more of the person", len(own)-1)
		}
		var after [][]uint32
		for n, row := range before {
			switch {
			case !slices.Contains(own, n):
				after = append(after, row)
			case m.replace:
				after = append(after, m.replacement(row))
			}
		}
		p.A.Table, p.B.Table = table(m.schema, before), table(m.schema, after)
		p.weigh(len(before))
		m.pairs = append(m.pairs, p)
	}
}

// replacement is a record far from another one.
func (m *tableMaker) replacement(row []uint32) []uint32 {
	if other := corner(m.schema, 1); !slices.Equal(row, other) {
		return other
	}
	return corner(m.schema, 0)
}

// unrelated adds a pair of tables that share nothing but what is public.
func (m *tableMaker) unrelated(a, b [][]uint32) {
	if m.replace {
		a = m.drawn(len(b))
	}
	p := Pair{Name: fmt.Sprintf("%d records and %d others", len(a), len(b)), Unrelated: true,
		A: Data{Table: table(m.schema, a)}, B: Data{Table: table(m.schema, b)}}
	p.weigh(max(len(a), len(b)))
	m.pairs = append(m.pairs, p)
}

// alone draws records of which the last is the only one of its class.
func (m *tableMaker) alone(n int) [][]uint32 {
	rows, class := m.drawn(n), m.schema.Class()
	last := uint32(m.schema.Attributes[class].Cells()) - 1
	for i := range rows {
		rows[i][class] %= last
	}
	rows[n-1][class] = last
	return rows
}

func (m *tableMaker) drawn(n int) [][]uint32 { return drawn(m.stream, m.schema, n) }

func repeated(row []uint32, n int) [][]uint32 { return slices.Repeat([][]uint32{row}, n) }

func drawn(stream *random.Stream, s *datasets.Schema, n int) [][]uint32 {
	rows := make([][]uint32, n)
	for i := range rows {
		for a := range s.Attributes {
			rows[i] = append(rows[i], stream.Uint32N(uint32(s.Attributes[a].Cells())))
		}
	}
	return rows
}

// MadeUp is a table of n records of a schema, drawn uniformly.
func MadeUp(s *datasets.Schema, n int, stream *random.Stream) *datasets.Table {
	return table(s, drawn(stream, s, n))
}

// PairsOf returns pairs of made-up tables of a schema: neighbours, as PairsOn chooses them, and
// unrelated ones.
func PairsOf(g algorithms.Guarantee, s *datasets.Schema) ([]Pair, error) {
	far := larger(s, g.Replaces(), [2]float64{})
	near, err := PairsOn(g, "made-up records", far[0].A)
	return append(near, far...), err
}

// larger returns unrelated pairs of made-up tables, of 30 and 300 records and of 300 and 3,000, or
// of equally many where sized says that their number is public. What depends on it shows, also at
// so many times epsilon, 0 for one, where noise hides less or more, and where a release is thinned.
func larger(s *datasets.Schema, sized bool, times [2]float64) (pairs []Pair) {
	stream := random.NewKey(0).Derive("audit", "larger").Stream()
	for i, n := range []int{300, 3000} {
		few := n / 10
		if sized {
			few = n
		}
		p := Pair{Name: fmt.Sprintf("%d records and %d others", few, n), Unrelated: true,
			A: Data{Table: MadeUp(s, few, stream)}, B: Data{Table: MadeUp(s, n, stream)}}
		p.weigh(n)
		thinned := p
		thinned.Rows = n / 100
		thinned.Name += fmt.Sprintf(", thinned to %d", thinned.Rows)
		if p.Times = times[i]; p.Times > 0 {
			p.Name += fmt.Sprintf(" at %v times epsilon", p.Times)
		}
		pairs = append(pairs, p, thinned)
	}
	return pairs
}

// unrelatedGraphs are pairs of graphs of as many nodes.
func unrelatedGraphs() (pairs []Pair) {
	all := graphs()
	for _, names := range [][2]string{{"", "a clique"}, {"", "a path"}, {"a star", "a clique"},
		{"one edge", "a random graph"}, {"one edge", "a path"}} {
		p := graphPair(fmt.Sprintf("%s and %s", cmp.Or(names[0], "no edges"), names[1]),
			all[names[0]], all[names[1]])
		p.Unrelated = true
		pairs = append(pairs, p)
	}
	return pairs
}

// nodePairs are graphs of which one node has its edges or none. The number of nodes is public.
func nodePairs() (pairs []Pair) {
	add := func(name string, edges [][2]int32, node int32) {
		rest := slices.DeleteFunc(slices.Clone(edges), func(e [2]int32) bool {
			return e[0] == node || e[1] == node
		})
		pairs = append(pairs, graphPair(name, edges, rest))
	}
	for name, edges := range graphs() { // order-free: sorted below
		add(name+", its hub", edges, 0)
		add(name+", its last node", edges, 11)
	}
	var joined [][2]int32 // an isolated node joined to all of a ring
	for i := range int32(11) {
		joined = append(joined, [2]int32{i, (i + 1) % 11}, [2]int32{i, 11})
	}
	add("a ring and a node joined to all of it", joined, 11)
	return byName(pairs)
}

// edgePairs are graphs that differ in an edge.
func edgePairs() (pairs []Pair) {
	for name, all := range graphs() { // order-free: sorted below
		for _, at := range []int{0, len(all) / 2, len(all) - 1} {
			pairs = append(pairs, graphPair(fmt.Sprintf("%s, edge %d", name, at+1), all,
				slices.Delete(slices.Clone(all), at, at+1)))
		}
	}
	return byName(pairs)
}

func byName(pairs []Pair) []Pair {
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}

// graphPair is a pair of graphs of twelve nodes.
func graphPair(name string, a, b [][2]int32) Pair {
	return Pair{Name: name, A: Data{Graph: graph(12, a)}, B: Data{Graph: graph(12, b)}}
}

// graphs are the edges of graphs of twelve nodes.
func graphs() map[string][][2]int32 {
	all := make(map[string][][2]int32)
	for i := range int32(11) {
		all["a star"] = append(all["a star"], [2]int32{0, i + 1})
		for j := range i {
			all["a clique"] = append(all["a clique"], [2]int32{j, i})
		}
	}
	all["one edge"] = [][2]int32{{0, 11}}
	all["a path"] = [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 11}}
	stream := random.NewKey(0).Derive("audit", "graphs").Stream()
	for i := range int32(12) {
		for j := range i {
			if stream.Uint32N(3) == 0 {
				all["a random graph"] = append(all["a random graph"], [2]int32{j, i})
			}
		}
	}
	return all
}

func graph(nodes int, edges [][2]int32) *datasets.Graph {
	var from, to []int32
	for _, e := range edges {
		from, to = append(from, e[0]), append(to, e[1])
	}
	return must.Get(datasets.NewGraph(nodes, from, to)) // the edges above are sound
}
