package bins

import "ppdp/datasets"

// Set is a set of bins of one feature.
type Set [(Most + 1) / 64]uint64

// Add puts a bin into the set.
func (s *Set) Add(bin uint8) { s[bin/64] |= 1 << (bin % 64) }

// Has says whether a bin is in the set.
func (s *Set) Has(bin uint8) bool { return s[bin/64]>>(bin%64)&1 != 0 }

// Node is one of a binary tree's, whose root is the first. Rows whose bin is in Left go to node
// Next, others to the one behind it. A node is a leaf if Next is 0; Leaf is then its number.
type Node struct {
	Feature, Next, Leaf int32
	Left                Set
}

// Block is how many rows Walk takes at a time, so that their bins stay in the cache.
const Block = 256

// Walk takes rows through trees, block by block. It calls reached with each tree, in their order,
// and the leaves that the block's rows reach, and done after each block with the position of its
// first row in rows and its length.
func Walk(features []Feature, trees [][]Node, table *datasets.Table, rows []int32,
	reached func(tree int, leaves []int32), done func(from, n int)) {
	columns, at := make([]uint8, len(features)*Block), make([]int32, Block)
	var inner [Block]int32 // the rows that have not reached a leaf
	for from := 0; from < len(rows); from += Block {
		part := rows[from:min(from+Block, len(rows))]
		for f := range features {
			features[f].Fill(columns[f*Block:], table, part)
		}
		for t, nodes := range trees {
			left := 0
			for i := range part {
				at[i], inner[i] = 0, int32(i)
				if nodes[0].Next != 0 {
					left++
				}
			}
			// Level by level: rows do not wait for each other, and no branch is guessed.
			for left > 0 {
				still := 0
				for _, i := range inner[:left] {
					n := &nodes[at[i]]
					bin := columns[int(n.Feature)*Block+int(i)]
					next := n.Next + int32(^n.Left[bin/64]>>(bin%64)&1)
					at[i], inner[still] = next, i
					if nodes[next].Next != 0 {
						still++
					}
				}
				left = still
			}
			for i := range part {
				at[i] = nodes[at[i]].Leaf
			}
			reached(t, at[:len(part)])
		}
		done(from, len(part))
	}
}
