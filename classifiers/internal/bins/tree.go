package bins

import (
	"math"
	"math/bits"
	"slices"

	"ppdp/datasets"
)

// Set is a set of bins of one feature.
type Set [(Most + 1) / 64]uint64

// Add puts a bin into the set.
func (s *Set) Add(bin uint8) { s[bin/64] |= 1 << (bin % 64) }

// Has says whether a bin is in the set.
func (s *Set) Has(bin uint8) bool { return s[bin/64]>>(bin%64)&1 != 0 }

// Below is the set of the bins below one.
func Below(bin int) (s Set) {
	for i := range s {
		s[i] = 1<<max(0, bin-64*i) - 1 // all, where the shift is 64 or more
	}
	return s
}

// Append appends the set's bins in their order.
func (s *Set) Append(to []uint8) []uint8 {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint8(64*i+bits.TrailingZeros64(word)))
		}
	}
	return to
}

// Divide moves the rows whose bin is in left to the front, in their order on both sides, and
// returns how many they are. spare has room for all rows: each is written to both ends, and that of
// its side moves on, so that no branch is guessed.
func Divide(rows, spare []int32, column []uint8, left *Set) int {
	at, rest := 0, 0
	for i, row := range rows {
		bin := column[row]
		rows[at], spare[rest] = row, row
		at += int(left[bin/64] >> (bin % 64) & 1)
		rest = i + 1 - at
	}
	copy(rows[at:], spare[:rest])
	return at
}

// Node is one of a binary tree's, whose root is the first. Rows whose bin is in Left go to node
// Next, others to the one behind it. A node is a leaf if Next is 0; Leaf is then its number.
type Node struct {
	Feature, Next, Leaf int32
	Left                Set
}

// Tree is one that rows can be taken through.
type Tree struct {
	nodes []Node   // where there are few leaves
	steps []step   // where there are many
	sets  []uint64 // different ones of the steps
}

// step is a node that is no leaf, in a quarter of a cache line: most of the time that rows take
// through a large tree is spent waiting for nodes.
type step struct {
	feature, left int32    // where the column and the set begin
	next          [2]int32 // the step for bins in the set and for others, or ^leaf
}

// NewTree makes a tree of nodes, each of which stands behind the one that it is below.
func NewTree(nodes []Node) Tree {
	if len(nodes) < 2*few {
		return Tree{nodes: nodes}
	}
	t := Tree{steps: make([]step, 0, len(nodes)/2)}
	at, sets := make([]int32, len(nodes)), make(map[Set]int32)
	for i, n := range nodes {
		if at[i] = ^n.Leaf; n.Next != 0 {
			at[i] = int32(len(t.steps))
			left, known := sets[n.Left]
			if !known {
				left = int32(len(t.sets))
				sets[n.Left], t.sets = left, append(t.sets, n.Left[:]...)
			}
			t.steps = append(t.steps, step{n.Feature * Block, left, [2]int32{n.Next, n.Next + 1}})
		}
	}
	for i := range t.steps {
		for side, node := range t.steps[i].next {
			t.steps[i].next[side] = at[node]
		}
	}
	return t
}

// Block is how many rows Walk takes at a time, so that their bins stay in the second cache: a
// forest of 100 trees takes 88 ms for 15,060 rows by 2¹², 71 by 2¹³, 64 by 2¹⁴ and 65 by 2¹⁵.
const Block = 1 << 14

// few is how many leaves a tree may have for rows to find theirs without a descent.
const few = 32

// Walk takes rows through trees, block by block. It calls reached with each tree, in their order,
// and the leaves that the block's rows reach, and done after each block with the position of its
// first row in rows and its length.
func Walk(features []Feature, trees []Tree, table *datasets.Table, rows []int32,
	reached func(tree int, leaves []int32), done func(from, n int)) {
	most := min(Block, len(rows))
	all, at := make([]uint8, Block*len(features)), make([]int32, most)
	order, spare := make([]int32, most), make([]int32, most)
	columns := make([][]uint8, len(features))
	for f := range columns {
		columns[f] = all[f*Block:][:most]
	}
	possible := make([]leaves, len(features)+1)
	for bin := range possible[len(features)] {
		possible[len(features)][bin] = math.MaxUint32
	}
	for from := 0; from < len(rows); from += Block {
		part := rows[from:min(from+Block, len(rows))]
		for f := range features {
			features[f].Fill(columns[f], table, part)
		}
		for t := range trees {
			if tree := &trees[t]; tree.steps == nil {
				meet(tree.nodes, features, columns, possible, at[:len(part)])
			} else {
				tree.descend(all, at[:len(part)], order[:len(part)], spare)
			}
			reached(t, at[:len(part)])
		}
		done(from, len(part))
	}
}

// descend writes the leaf of each row: many rows of a node are divided together, few go down from
// it level by level, so that they do not wait for each other and no branch is guessed. Rows of one
// node are then neighbours in order and read the same steps. order and spare have room for all.
func (t *Tree) descend(columns []uint8, at, order, spare []int32) {
	for i := range order {
		order[i] = int32(i)
	}
	t.divide(columns, 0, at, order, spare)
	steps, sets := t.steps, t.sets
	for left := len(order); left > 0; {
		still := 0
		for _, i := range order[:left] {
			next := at[i]
			if next >= 0 {
				s := &steps[next]
				bin := columns[s.feature+i]
				next = s.next[^sets[s.left+int32(bin/64)]>>(bin%64)&1]
			}
			at[i], order[still] = next, i
			still += int(^uint32(next) >> 31)
		}
		left = still
	}
	for i, leaf := range at {
		at[i] = ^leaf
	}
}

// together is how few rows of a node go down one by one: 8 to 32 are alike, 128 is 5 % slower.
const together = 16

// divide writes how far rows that have come to a step get as long as they are many together. A node
// is then read once, and its column stays in the first cache.
func (t *Tree) divide(columns []uint8, step int32, at, rows, spare []int32) {
	if step < 0 || len(rows) <= together {
		for _, row := range rows {
			at[row] = step
		}
		return
	}
	s := &t.steps[step]
	left := Divide(rows, spare, columns[s.feature:][:Block], (*Set)(t.sets[s.left:]))
	t.divide(columns, s.next[0], at, rows[:left], spare)
	t.divide(columns, s.next[1], at, rows[left:], spare)
}

// leaves are those of a small tree, a bit each, that rows may reach by their bin of one feature.
type leaves [Most + 1]uint32

// meet writes the leaf of each row: the one that its bins of all features leave possible (Lucchese
// et al., QuickScorer: A Fast Algorithm to Rank Documents with Additive Ensembles of Regression
// Trees, SIGIR 2015, with a table in place of the nodes of a feature).
func meet(nodes []Node, features []Feature, columns [][]uint8, possible []leaves, at []int32) {
	var below [2*few - 1]uint32 // the leaves of each node
	used := make([]int32, 0, few+3)
	for i := range slices.Backward(nodes) {
		n := &nodes[i]
		if n.Next == 0 {
			below[i] = 1 << n.Leaf
			continue
		}
		left, right := below[n.Next], below[n.Next+1]
		below[i] = left | right
		of, bins := &possible[n.Feature], features[n.Feature].Bins
		if !slices.Contains(used, n.Feature) {
			used = append(used, n.Feature)
			for bin := range bins {
				of[bin] = math.MaxUint32
			}
		}
		for bin := range bins {
			inside := uint32(-(n.Left[bin/64] >> (bin % 64) & 1)) // all ones if it is
			of[bin] &^= left ^ (left^right)&inside
		}
	}
	for i := range at {
		at[i] = -1
	}
	for len(used)%4 != 0 { // the last table, in which every leaf is possible
		used = append(used, int32(len(features)))
	}
	for ; len(used) > 0; used = used[4:] {
		var of [4]*leaves
		var column [4][]uint8
		for k, f := range used[:4] {
			of[k], column[k] = &possible[f], columns[int(f)%len(features)][:len(at)]
		}
		a, b, c, d := of[0], of[1], of[2], of[3]
		first, second, third, fourth := column[0], column[1], column[2], column[3]
		for i := range at {
			at[i] &= int32(a[first[i]] & b[second[i]] & c[third[i]] & d[fourth[i]])
		}
	}
	for i, leaf := range at {
		at[i] = int32(bits.TrailingZeros32(uint32(leaf)))
	}
}
