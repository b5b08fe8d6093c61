package adult

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Network is a class-conditional Bayesian network: each attribute depends on the class and on at
// most two others. Two parents are themselves parent and child, so that every pair of values that
// may be drawn for them has occurred together and has counts of its own (the network is a 2-tree, a
// tree of triangles). Numeric attributes are cut into bins and uniform in each.
//
// It extends the tree-augmented naive Bayes of Friedman, Geiger & Goldszmidt (1997) from a tree,
// which leaves so much independence that naive Bayes does two points better on it than on Adult.
// Starting from the pair with the largest mutual information given the class, the attribute and
// parents that share the most were added in turn (Chow & Liu 1968 for one parent; greedy for two),
// less the bias of a sample, (r−1)(c−1)/2N nats for each class of an r×c table (Miller 1955). Bins
// are public choices: equal widths, or the spike at 0 and finer bins where capital gains and losses
// of a tax return usually lie. Adult is public, and the counts protect nobody: the stand-in
// replaces missing files, not consent.
type Network struct {
	Classes []string   // values of the class attribute
	Halves  [][]uint32 // rows to draw of each class, of adult.data and of adult.test
	Nodes   []*Node

	classes []uint32 // codes of the class values
}

// Node is one attribute of a network, after its parents.
type Node struct {
	Attribute string
	Parents   []int    // positions in Nodes; the second is a parent of the first
	Levels    []string // values, or lower ends of bins
	// Counts are those of the levels by class and context: the number of a combination of the
	// parents' levels, the last parent's changing fastest. Nil without rows. Once the network is
	// read they are running sums.
	Counts [][][]uint32

	attribute int // position in the schema
	// from and to bound the codes of each level, half-open. A categorical value is one code.
	from, to []uint32
}

// parseNetwork reads a network over Schema.
func parseNetwork(text []byte) (*Network, error) {
	n := new(Network)
	err := json.Unmarshal(text, n)
	if err == nil {
		n.classes, err = codesOf(class, n.Classes)
	}
	for i := 0; err == nil && i < len(n.Nodes); i++ {
		nd := n.Nodes[i]
		nd.attribute = Schema().Index(nd.Attribute)
		if nd.from, err = codesOf(nd.attribute, nd.Levels); err != nil {
			break
		}
		if a := &Schema().Attributes[nd.attribute]; a.Kind == datasets.Numeric {
			nd.to = append(slices.Clone(nd.from[1:]), uint32(a.Cells())) // each ends at the next
		} else {
			for _, code := range nd.from {
				nd.to = append(nd.to, code+1)
			}
		}
		for _, counts := range slices.Concat(nd.Counts...) {
			for level := 1; level < len(counts); level++ {
				counts[level] += counts[level-1]
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("standin.json: %w", err)
	}
	return n, nil
}

// codesOf returns the codes of printed values of an attribute.
func codesOf(attribute int, values []string) ([]uint32, error) {
	codes := make([]uint32, len(values))
	for i, value := range values {
		var err error
		if codes[i], err = Schema().Attributes[attribute].TextCode(value); err != nil {
			return nil, err
		}
	}
	return codes, nil
}

// draw makes a table with exactly the rows of each class that the halves ask for, one half after
// the other, classes in random order within each. Every attribute has its own stream, so that the
// first half is the same with and without the second.
func (n *Network) draw(halves [][]uint32, key random.Key) *datasets.Table {
	schema := Schema()
	var classes []uint8 // of each row, as a position in n.Classes
	stream := key.Derive("class").Stream()
	for _, half := range halves {
		start := len(classes)
		for y, rows := range half {
			for range rows {
				classes = append(classes, uint8(y))
			}
		}
		own := classes[start:]
		stream.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	}
	b := datasets.NewBuilder(schema, len(classes))
	for _, y := range classes {
		b.Set(b.AddRow(), class, n.classes[y])
	}
	levels := make([][]uint16, len(n.Nodes))
	for i, nd := range n.Nodes {
		levels[i] = make([]uint16, len(classes))
		stream := key.Derive("attribute", schema.Attributes[nd.attribute].Name).Stream()
		for row, y := range classes {
			context := 0
			for _, parent := range nd.Parents {
				context = context*len(n.Nodes[parent].Levels) + int(levels[parent][row])
			}
			cumulative := nd.Counts[y][context]
			u := stream.Uint32N(cumulative[len(cumulative)-1])
			level := sort.Search(len(cumulative), func(i int) bool { return cumulative[i] > u })
			levels[i][row] = uint16(level)
			code := nd.from[level]
			if width := nd.to[level] - code; width > 1 {
				code += stream.Uint32N(width)
			}
			b.Set(row, nd.attribute, code)
		}
	}
	return b.Table()
}
