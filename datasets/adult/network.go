package adult

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ppdp/datasets"
	"ppdp/random"
)

// network is a class-conditional Bayesian network: each attribute depends on the class and on at
// most two others. Two parents must themselves be parent and child, so that what may be drawn for
// both of them together can be looked up and has its own counts (the network is a 2-tree, a tree of
// triangles). Numeric attributes are cut into bins and uniform in each.
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
	classes []uint32 // codes of the class values, in the file's order
	halves  [][]int  // rows of each class
	nodes   []*node
}

// node is one attribute of a network, after its parents.
type node struct {
	attribute int   // position in the schema
	parents   []int // positions in nodes; the second is a parent of the first
	names     []string
	// from and to bound the codes of each level, half-open. A categorical value is one code.
	from, to []uint32
	// cumulative counts of the levels by class and context (see context); nil where there are no
	// rows
	cumulative [][][]uint32
}

// context numbers the combinations of the parents' levels; level gives each parent's.
func (n *network) context(nd *node, level func(parent int) int) int {
	context := 0
	for _, parent := range nd.parents {
		context = context*len(n.nodes[parent].names) + level(parent)
	}
	return context
}

func (n *network) contexts(nd *node) int {
	product := 1
	for _, parent := range nd.parents {
		product *= len(n.nodes[parent].names)
	}
	return product
}

// parseNetwork reads a network over Schema. Problems are reported as name:line. Whether all that
// may be drawn has counts is not checked: the one file that there is comes with the package.
func parseNetwork(name, text string) (*network, error) {
	p := &networkParser{schema: Schema(), network: &network{}}
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	r.FieldsPerRecord = -1
	line := 0
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err == nil {
			line, _ = r.FieldPos(0)
			err = p.line(fields)
		} else if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
			line, err = parse.Line, parse.Err
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	return p.network, nil
}

type networkParser struct {
	schema  *datasets.Schema
	network *network
}

func (p *networkParser) line(fields []string) error {
	n := p.network
	if n.classes == nil && fields[0] != "class" {
		return fmt.Errorf("%q, must be class: the class attribute comes first", fields[0])
	}
	switch fields[0] {
	case "class":
		return p.class(fields[1:])
	case "half":
		if len(n.nodes) > 0 {
			return errors.New("half, must come before the attributes")
		}
		if len(fields) < 2 {
			return errors.New("half without a name")
		}
		counts, err := parseCounts(fields[2:], len(n.classes))
		if err != nil {
			return err
		}
		half := make([]int, len(counts))
		for i, count := range counts {
			half[i] = int(count)
		}
		n.halves = append(n.halves, half)
		return nil
	case "attribute":
		return p.attribute(fields[1:])
	case "counts":
		return p.counts(fields[1:])
	default:
		return fmt.Errorf("%q, must be one of class, half, attribute, counts", fields[0])
	}
}

func (p *networkParser) class(fields []string) error {
	a := &p.schema.Attributes[class]
	switch {
	case p.network.classes != nil:
		return errors.New("a second class attribute")
	case len(fields) != 1+len(a.Values) || fields[0] != a.Name:
		return fmt.Errorf("class %q, must be %s and its %d values", fields, a.Name, len(a.Values))
	}
	codes, err := categoricalCodes(a, fields[1:])
	p.network.classes = codes
	return err
}

// categoricalCodes finds all values of an attribute, listed in any order.
func categoricalCodes(a *datasets.Attribute, names []string) ([]uint32, error) {
	if len(names) != len(a.Values) {
		return nil, fmt.Errorf("%s: %d values, must be %d", a.Name, len(names), len(a.Values))
	}
	codes := make([]uint32, len(names))
	seen := make([]bool, len(names))
	for i, name := range names {
		code, err := a.TextCode(name)
		if err != nil {
			return nil, err
		}
		if seen[code] {
			return nil, fmt.Errorf("%s: %q is listed twice", a.Name, name)
		}
		seen[code], codes[i] = true, code
	}
	return codes, nil
}

func (p *networkParser) attribute(fields []string) error {
	if len(fields) < 3 {
		return errors.New("attribute, must have a name, parents and levels")
	}
	at := p.schema.Index(fields[0])
	if at < 0 || at == class {
		return fmt.Errorf("attribute %q, must be one of %s",
			fields[0], strings.Join(p.schema.Names()[:class], ", "))
	}
	nd := &node{attribute: at, names: fields[2:]}
	if p.node(fields[0]) >= 0 {
		return fmt.Errorf("duplicate attribute %s", fields[0])
	}
	if fields[1] != "" {
		for _, name := range strings.Split(fields[1], "|") {
			parent := p.node(name)
			if parent < 0 {
				return fmt.Errorf("%s: parent %q, must be an attribute before it", fields[0], name)
			}
			nd.parents = append(nd.parents, parent)
		}
	}
	if len(nd.parents) > 2 || len(nd.parents) == 2 &&
		slices.Index(p.network.nodes[nd.parents[0]].parents, nd.parents[1]) < 0 {
		return fmt.Errorf("%s: parents %q, must be at most two, the second a parent of the first",
			fields[0], fields[1])
	}
	a := &p.schema.Attributes[at]
	if a.Kind == datasets.Categorical {
		codes, err := categoricalCodes(a, nd.names)
		if err != nil {
			return err
		}
		nd.from = codes
		for _, code := range codes {
			nd.to = append(nd.to, code+1)
		}
	} else {
		for i, name := range nd.names {
			code, err := a.TextCode(name)
			if err != nil {
				return err
			}
			if i == 0 && code != 0 || i > 0 && code <= nd.from[i-1] {
				return fmt.Errorf("%s: bin from %s, bins must begin at %v and ascend",
					a.Name, name, a.Low)
			}
			nd.from = append(nd.from, code)
		}
		nd.to = append(append(nd.to, nd.from[1:]...), uint32(a.Cells()))
	}
	nd.cumulative = make([][][]uint32, len(p.network.classes))
	for i := range nd.cumulative {
		nd.cumulative[i] = make([][]uint32, p.network.contexts(nd))
	}
	p.network.nodes = append(p.network.nodes, nd)
	return nil
}

// node is the position of the named attribute in the network, or -1.
func (p *networkParser) node(name string) int {
	for i, nd := range p.network.nodes {
		if p.schema.Attributes[nd.attribute].Name == name {
			return i
		}
	}
	return -1
}

func (p *networkParser) counts(fields []string) error {
	n := p.network
	if len(n.nodes) == 0 {
		return errors.New("counts, must come after their attribute")
	}
	nd := n.nodes[len(n.nodes)-1]
	if len(fields) < 1+len(nd.parents) {
		return errors.New("counts, must have a class, a level of each parent and a number for " +
			"each level")
	}
	code, err := p.schema.Attributes[class].TextCode(fields[0])
	if err != nil {
		return err
	}
	y := slices.Index(n.classes, code)
	key, fields := fields[:1+len(nd.parents)], fields[1+len(nd.parents):]
	for i, parent := range nd.parents {
		if !slices.Contains(n.nodes[parent].names, key[1+i]) {
			return fmt.Errorf("counts for %q, which is no level of the parent", key[1+i])
		}
	}
	at := n.context(nd, func(parent int) int {
		return slices.Index(n.nodes[parent].names, key[1+slices.Index(nd.parents, parent)])
	})
	counts, err := parseCounts(fields, len(nd.names))
	if err != nil {
		return err
	}
	sum := uint32(0)
	for i, count := range counts {
		sum += count
		counts[i] = sum
	}
	nd.cumulative[y][at] = counts
	return nil
}

// parseCounts reads so many counts; an empty field is 0.
func parseCounts(fields []string, want int) ([]uint32, error) {
	if len(fields) != want {
		return nil, fmt.Errorf("%d counts, must be %d", len(fields), want)
	}
	counts := make([]uint32, want)
	for i, field := range fields {
		if field == "" {
			continue
		}
		count, err := strconv.ParseUint(field, 10, 20)
		if err != nil {
			return nil, fmt.Errorf("count %q, must be a whole number below 2²⁰", field)
		}
		counts[i] = uint32(count)
	}
	return counts, nil
}

// draw makes a table with exactly the rows of each class that the halves ask for, one half after
// the other, classes in random order within each. every attribute has its own stream, so that
// the first half is the same with and without the second.
func (n *network) draw(halves [][]int, key random.Key) *datasets.Table {
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
			cumulative := nd.cumulative[y][n.context(nd,
				func(parent int) int { return int(levels[parent][row]) })]
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
