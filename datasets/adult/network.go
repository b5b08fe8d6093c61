package adult

import (
	"encoding/csv"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// network is a class-conditional Bayesian network: each attribute depends on the class and on at
// most two others. Two parents are themselves parent and child, so that every pair of values that
// may be drawn for them has occurred together and has counts of its own (the network is a 2-tree, a
// tree of triangles). Numeric attributes are cut into bins and uniform in each.
//
// Its file is CSV, lines beginning with # are comments:
//
//	class,salary,<=50K,>50K              the class attribute and its values
//	half,adult.data,22654,7508           rows to draw of each class, a line for each half
//	attribute,age,sex|race,15,16,…       an attribute, its parents (which come before it; none
//	                                     for the first) and its levels: values, or lower ends
//	                                     of bins
//	counts,<=50K,Male,White,,3,…         of the attribute above: class, a level of each parent,
//	                                     and how many rows have each level (empty for 0)
type network struct {
	classes []uint32   // codes of the class values, in the file's order
	halves  [][]uint32 // rows of each class
	nodes   []*node
}

// node is one attribute of a network, after its parents.
type node struct {
	attribute int   // position in the schema
	parents   []int // positions in nodes; the second is a parent of the first
	names     []string
	// from and to bound the codes of each level, half-open. A categorical value is one code.
	from, to []uint32
	// cumulative holds the running sums of the levels' counts by class and context: the number of a
	// combination of the parents' levels, the last parent's changing fastest. Nil without rows.
	cumulative [][][]uint32
}

// parseNetwork reads a network over Schema. The file is part of the program, written by the package
// fit, and a test compares the two: only values of attributes are checked.
func parseNetwork(text string) (*network, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	n := &network{}
	for i := 0; err == nil && i < len(lines); i++ {
		switch kind, fields := lines[i][0], lines[i][1:]; kind {
		case "class":
			n.classes, err = codesOf(class, fields[1:])
		case "half":
			var half []uint32
			half, err = parseCounts(fields[1:])
			n.halves = append(n.halves, half)
		case "attribute":
			err = n.addAttribute(fields[0], fields[1], fields[2:])
		case "counts":
			err = n.addCounts(fields)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("standin.csv: %w", err)
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

func (n *network) addAttribute(name, parents string, levels []string) error {
	nd := &node{attribute: Schema().Index(name), names: levels}
	contexts := 1
	for _, parent := range strings.FieldsFunc(parents, func(r rune) bool { return r == '|' }) {
		at := slices.IndexFunc(n.nodes, func(above *node) bool {
			return Schema().Attributes[above.attribute].Name == parent
		})
		nd.parents = append(nd.parents, at)
		contexts *= len(n.nodes[at].names)
	}
	var err error
	if nd.from, err = codesOf(nd.attribute, levels); err != nil {
		return err
	}
	if a := &Schema().Attributes[nd.attribute]; a.Kind == datasets.Numeric {
		nd.to = append(slices.Clone(nd.from[1:]), uint32(a.Cells())) // each bin ends at the next
	} else {
		for _, code := range nd.from {
			nd.to = append(nd.to, code+1)
		}
	}
	nd.cumulative = make([][][]uint32, len(n.classes))
	for i := range nd.cumulative {
		nd.cumulative[i] = make([][]uint32, contexts)
	}
	n.nodes = append(n.nodes, nd)
	return nil
}

// addCounts adds counts of the last attribute.
func (n *network) addCounts(fields []string) error {
	nd := n.nodes[len(n.nodes)-1]
	codes, err := codesOf(class, fields[:1])
	if err != nil {
		return err
	}
	fields = fields[1:]
	context := 0
	for _, parent := range nd.parents {
		names := n.nodes[parent].names
		context = context*len(names) + slices.Index(names, fields[0])
		fields = fields[1:]
	}
	counts, err := parseCounts(fields)
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	nd.cumulative[slices.Index(n.classes, codes[0])][context] = counts
	return err
}

// parseCounts reads counts; an empty field is 0.
func parseCounts(fields []string) ([]uint32, error) {
	counts := make([]uint32, len(fields))
	for i, field := range fields {
		if field == "" {
			continue
		}
		count, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return nil, err
		}
		counts[i] = uint32(count)
	}
	return counts, nil
}

// draw makes a table with exactly the rows of each class that the halves ask for, one half after
// the other, classes in random order within each. Every attribute has its own stream, so that the
// first half is the same with and without the second.
func (n *network) draw(halves [][]uint32, key random.Key) *datasets.Table {
	schema := Schema()
	var classes []uint8 // of each row, as a position in n.classes
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
	levels := make([][]uint16, len(n.nodes))
	for i, nd := range n.nodes {
		levels[i] = make([]uint16, len(classes))
		stream := key.Derive("attribute", schema.Attributes[nd.attribute].Name).Stream()
		for row, y := range classes {
			context := 0
			for _, parent := range nd.parents {
				context = context*len(n.nodes[parent].names) + int(levels[parent][row])
			}
			cumulative := nd.cumulative[y][context]
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
