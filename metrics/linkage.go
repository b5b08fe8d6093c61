package metrics

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

func init() {
	Register(parameterised[LinkageParams]{attack("linkage", "Records found by a join", "",
		"Sweeney 2002 (linking on a set of attributes); members found less others found, the "+
			"advantage of Yeom et al. 2018, less the same where the release's columns are "+
			"permuted. The set is chosen by one half of the records and judged by the other"),
		LinkageParams{Difference, Estimate}, linkage})
}

// LinkageParams are the parameters of the metric linkage.
type LinkageParams struct {
	Of  Whose `yaml:"of" doc:"whose share is found; the difference is what the join discloses"`
	End End   `yaml:"end" doc:"the share, or an end of its 95 % interval"`
}

// linkage is undefined with fewer than two records on either side, and without released ones.
func linkage(ctx context.Context, c Case, params *LinkageParams) (float64, error) {
	j, err := JoinOf(ctx, c)
	if err != nil {
		return 0, err
	}
	shares := j.met
	if params.Of == Difference {
		shares = j.found
	}
	return params.Of.among(shares, params.End), nil
}

// Join is what an attacker finds who joins a release with known attributes of people.
type Join struct {
	Attributes []int // those joined on: the set that tells members from others best
	// met are the members and the records held out whose values the release has, among those that
	// the set was not chosen by. The shares found differ by how much more members are met than
	// others, less how much more they are met in the release with every column permuted: what
	// single values tell. They count who is met in one of the two alone.
	met, found [2]share
}

// Met are the shares of members and of records held out that the join finds.
func (j *Join) Met() (members, held float64) {
	return j.met[0].at(Estimate), j.met[1].at(Estimate)
}

// Certain reports whether members are found more often beyond any doubt: the difference of the
// counts is above five standard deviations of a difference of equal shares, and one. Of a million
// joins that find nothing not one is certain.
func (j *Join) Certain() bool {
	members, held := j.found[0].hits, j.found[1].hits
	return members-held > float64(5*math.Sqrt(members+held))+1
}

// Bounds of the records of a side by which the set is searched, and judged.
const mostSearched, mostJudged = 2000, 10_000

// Bounds of the records whose closest released one is looked for, and of the pairs compared then.
const fewestProbed, mostProbed = 50, 1 << 23

// JoinOf searches the set of attributes by which a release tells most members from others. A record
// of the release with its columns permuted is chance: that a value occurs somewhere links nobody.
//
// Of each record that is searched for the released one is looked at that equals it in most
// attributes. Attributes in which that holds for more members than others come first in the set, as
// many as are best; single ones are then taken in or out while that helps. The release's records
// must be drawn.
func JoinOf(ctx context.Context, c Case) (*Join, error) {
	s, err := sidesOf(ctx, c)
	if err != nil || len(s.members) < 2 {
		return new(Join), err
	}
	type key struct{}
	return memoize(ctx, c.Published, key{}, func() (*Join, error) {
		table, rows := disclosed(c)
		if len(rows) == 0 {
			return new(Join), nil
		}
		half := len(s.members) / 2
		judged, searched := min(half, mostJudged), min(half, mostSearched)
		released := linesOf(table, rows)
		chance, draws := make(lines, len(released)), random.NewKey(1).Derive("join").Stream()
		for a := range chance {
			order := slices.Clone(rows)
			draws.Permute(order)
			chance[a] = column64(table, a, order)
		}
		part := func(from, n int) *join {
			return &join{released, chance, [2]lines{linesOf(c.Table, s.members[from:from+n]),
				linesOf(c.Table, s.held[from:from+n])}}
		}
		j := new(Join)
		if j.Attributes, err = part(half, searched).search(ctx); err != nil {
			return nil, err
		}
		j.met, j.found = part(0, judged).among(j.Attributes)
		return j, nil
	})
}

// lines are hashes of each value of records, attribute by attribute. Those of a set of attributes
// add up, so that a set with one more takes one addition a record.
type lines [][]uint64

func linesOf(table *datasets.Table, rows []int32) lines {
	all := make(lines, len(table.Schema().Attributes))
	for a := range all {
		all[a] = column64(table, a, rows)
	}
	return all
}

func column64(table *datasets.Table, a int, rows []int32) []uint64 {
	column, all := table.Column(a), make([]uint64, len(rows))
	for i, row := range rows {
		said := uint64(column.At(row))
		if column.Exact != nil {
			said = math.Float64bits(column.Exact[row] + 0) // no zero below zero
		}
		x := (said + 1) * 0x9e3779b97f4a7c15 // splitmix64, Steele, Lea & Flood 2014
		x ^= uint64(a+1) * 0xd1342543de82ef95
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		all[i] = x ^ x>>31
	}
	return all
}

// on is the hashes of the records by a set of attributes.
func (l lines) on(set []int) []uint64 {
	sums := make([]uint64, len(l[0]))
	for _, a := range set {
		for i, x := range l[a] {
			sums[i] += x
		}
	}
	return sums
}

// join is a release with both sides that are searched in it. chance is the same release with every
// column permuted.
type join struct {
	released, chance lines
	sides            [2]lines
}

// among counts the records of both sides by a set of attributes, as Join has them.
func (j *join) among(set []int) (met, found [2]share) {
	sums := [2][]uint64{j.sides[0].on(set), j.sides[1].on(set)}
	// A table of the few that are sought: keys, and whether they are released.
	mask := uint64(4<<bits.Len(uint(2*len(sums[0]))) - 1)
	keys, in := make([]uint64, mask+1), make([]uint8, mask+1) // 1 of the release, 2 of chance
	look := func(x uint64) uint64 {
		x |= 1 // no key is 0
		at := x >> 20 & mask
		for keys[at] != x && keys[at] != 0 {
			at = (at + 1) & mask
		}
		return at
	}
	for _, of := range sums {
		for _, x := range of {
			keys[look(x)] = x | 1
		}
	}
	for _, x := range j.released.on(set) {
		in[look(x)] |= 1
	}
	for _, x := range j.chance.on(set) {
		in[look(x)] |= 2
	}
	for side, of := range sums {
		n := float64(len(of))
		met[side].of, found[side].of = n, n
		for _, x := range of {
			where := in[look(x)]
			if met[side].hits += float64(where & 1); where == 1 {
				found[side].hits++
			} else if where == 2 {
				found[1-side].hits++
			}
		}
	}
	for side := range found {
		found[side].hits = min(found[side].hits, found[side].of)
	}
	return met, found
}

// advantage is what the set tells of who is a member.
func (j *join) advantage(set []int) float64 {
	_, found := j.among(set)
	return found[0].at(Estimate) - found[1].at(Estimate)
}

// probes are records that are looked for among others, and these, all with four values to a word:
// the number of a value among those of the probes, or 0.
type probes struct {
	words            int // of a record
	sought, released []uint64
}

// probe takes the first n records of both sides.
func (j *join) probe(n int) probes {
	p := probes{words: (len(j.released) + 3) / 4}
	p.sought = make([]uint64, 2*n*p.words)
	p.released = make([]uint64, len(j.released[0])*p.words)
	for a, column := range j.released {
		word, shift := a/4, a%4*16
		number := make(map[uint64]uint64)
		for side := range j.sides {
			for i, x := range j.sides[side][a][:n] {
				if number[x] == 0 {
					number[x] = uint64(len(number) + 1)
				}
				p.sought[(side*n+i)*p.words+word] |= number[x] << shift
			}
		}
		for row, x := range column {
			p.released[row*p.words+word] |= number[x] << shift
		}
	}
	return p
}

// closest is the released record that equals a probe in most attributes, the first of such.
func (p *probes) closest(i int) (at int) {
	const ones, low = 0x0001000100010001, 0x7fff7fff7fff7fff
	most, sought := uint64(0), p.sought[i*p.words:(i+1)*p.words]
	for row := range len(p.released) / p.words {
		equal := uint64(0) // four sums, a quarter of a word each
		for word, x := range p.released[row*p.words : (row+1)*p.words] {
			x ^= sought[word]
			equal += ^((x&low + low) | x | low) >> 15 // 1 where a quarter of x is 0
		}
		if equal = equal * ones >> 48; equal > most {
			at, most = row, equal
		}
	}
	return at
}

// search is the set of JoinOf.
func (j *join) search(ctx context.Context) (best []int, err error) {
	n := len(j.released)
	lifts, columns := make([]float64, n), make([]int, n)
	probed := max(fewestProbed, min(len(j.sides[0][0]), mostProbed/max(1, len(j.released[0]))))
	probed = min(probed, len(j.sides[0][0]))
	probes := j.probe(probed)
	for side, sign := range []float64{1, -1} {
		for i := range probed {
			at := probes.closest(side*probed + i)
			for a := range n {
				if columns[a] = a; j.released[a][at] == j.sides[side][a][i] {
					lifts[a] += sign
				}
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(lifts[b], lifts[a]) })
	most := math.Inf(-1)
	for k := range n {
		if x := j.advantage(columns[:k+1]); x > most {
			best, most = slices.Clone(columns[:k+1]), x
		}
	}
	for better := true; better; {
		better = false
		for a := range j.released {
			set := slices.DeleteFunc(slices.Clone(best), func(b int) bool { return a == b })
			if len(set) == len(best) {
				set = append(set, a)
			}
			if len(set) == 0 {
				continue
			}
			if x := j.advantage(set); x > most {
				best, most, better = set, x, true
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	slices.Sort(best)
	return best, nil
}
