package graph

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"

	"ppdp/datasets"
)

// ids holds an edge list as written, with the line of each edge.
type ids struct {
	name     string
	from, to []int64
	lines    []int32
	// nodes and edges are what the file says there are, -1 without a word of it, in line head.
	nodes, edges int64
	head         int
	bad          datasets.Problems
}

// announced matches the header of the SNAP collection: "# Nodes: 36692 Edges: 367662".
var announced = regexp.MustCompile(`^[#%]\s*Nodes:\s*(\d{1,18})\s+Edges:\s*(\d{1,18})\s*$`)

// read reads a text with two node ids a line, separated by blanks, tabs or a comma. Lines that
// begin with # or % are comments, but SNAP's "# Nodes: N Edges: M" counts: N nodes, some of which
// may have no edge, and M lines, fewer of which mean a file cut off.
func (e *ids) read(content []byte) error {
	lines := 1 + bytes.Count(content, []byte("\n")) - bytes.Count(content, []byte("\n#")) -
		bytes.Count(content, []byte("\n%"))
	lines = min(lines, len(content)/4+1) // of empty ones there may be more
	e.from, e.to = make([]int64, 0, lines), make([]int64, 0, lines)
	e.lines = make([]int32, 0, lines)
	for number := e.head + 1; len(content) > 0; number++ {
		line := content
		if end := bytes.IndexByte(content, '\n'); end >= 0 {
			line, content = content[:end], content[end+1:]
		} else {
			content = nil
		}
		u, rest, _ := parseID(line)
		v, rest, ok := parseID(rest) // of nothing it is no number
		if ok && len(trim(rest)) == 0 {
			e.from, e.to, e.lines = append(e.from, u), append(e.to, v),
				append(e.lines, int32(number))
			continue
		}
		line = trim(line)
		switch {
		case len(line) == 0:
		case line[0] == '#' || line[0] == '%':
			if header := announced.FindSubmatch(line); header != nil {
				// 18 digits fit in an int64.
				e.nodes, _ = strconv.ParseInt(string(header[1]), 10, 64)
				e.edges, _ = strconv.ParseInt(string(header[2]), 10, 64)
				e.head = number
			}
		case negative.Match(line):
			e.bad.Add("%s:%d: %q, must not hold a negative node id", e.name, number, clip(line))
		case ok: // two ids and more
			e.bad.Add("%s:%d: %q, must be two node ids and nothing more; cut weights and times "+
				"off, with cut or awk", e.name, number, clip(line))
		default:
			e.bad.Add("%s:%d: %q, must be two node ids (whole numbers up to %d)",
				e.name, number, clip(line), int64(maxID))
		}
	}
	if err := e.bad.Err(); err != nil {
		return err
	}
	if found := int64(len(e.from)); e.edges >= 0 && found != e.edges {
		e.bad.Add("%s:%d: the header announces %d edges, but %d lines hold one: the file is cut "+
			"off or was altered", e.name, e.head, e.edges, found)
	}
	return nil
}

// maxID leaves room to add and subtract a base.
const maxID = math.MaxInt64 / 16

// parseID reads a whole number of at least 0 behind blanks and up to one comma.
func parseID(line []byte) (id int64, rest []byte, ok bool) {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	start := i
	for i < len(line) && line[i]-'0' < 10 {
		if id > maxID/10-1 {
			return 0, nil, false
		}
		id = 10*id + int64(line[i]-'0')
		i++
	}
	if i == start {
		return 0, nil, false
	}
	end := i
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	if i < len(line) && line[i] == ',' {
		i++
	} else if i == end && i < len(line) && line[i] != '\r' {
		return 0, nil, false // "12x"
	}
	return id, line[i:], true
}

func trim(line []byte) []byte { return bytes.Trim(line, " \t\r") }

// negative finds a negative number on a line that is no edge, for a better message.
var negative = regexp.MustCompile(`(?:^|[ \t,])-0*[1-9]\d*(?:[ \t,]|$)`)

// clip shortens a line for a message.
func clip(line []byte) string {
	const most = 60
	if len(line) > most {
		return string(line[:most]) + "..."
	}
	return string(line)
}

// graph builds the graph of the list, checking its ids against the numbers of nodes that the header
// and the reading state. Where neither does there are as many as the largest id asks for, and a
// note says so.
func (e *ids) graph(r Reading) (*Loaded, error) {
	low, high, nodes := int64(r.Base), int64(-1), int64(0)
	var rank func(int64) int32
	if r.Relabel {
		known := slices.Concat(e.from, e.to)
		slices.Sort(known)
		known = slices.Compact(known)
		nodes = int64(len(known))
		rank = func(id int64) int32 {
			at, _ := slices.BinarySearch(known, id)
			return int32(at)
		}
	} else {
		for i := range e.from {
			u, v := e.from[i], e.to[i]
			if min(u, v) < low {
				e.bad.Add("%s:%d: node id %d, must be at least %d (base: %d)",
					e.name, e.lines[i], min(u, v), low, low)
			}
			high = max(high, u, v)
		}
		nodes = max(0, high-low+1)
		rank = func(id int64) int32 { return int32(id - low) }
	}
	stated := int64(r.Nodes)
	if e.nodes >= 0 && nodes > e.nodes {
		e.bad.Add("%s:%d: the header announces %d nodes, but the ids need %d; ids with gaps "+
			"need relabel: true", e.name, e.head, e.nodes, nodes)
	}
	if stated > 0 && nodes > stated {
		e.bad.Add("%s: nodes: %d, but the ids need %d; ids with gaps need relabel: true",
			e.name, stated, nodes)
	}
	if stated > 0 && e.nodes >= 0 && e.nodes != stated {
		e.bad.Add("%s:%d: the header announces %d nodes, but nodes: is %d",
			e.name, e.head, e.nodes, stated)
	}
	nodes = max(nodes, e.nodes, stated)
	// A node needs 20 bytes, which a typing error in one id must not ask for without limit.
	if most := min(math.MaxInt32, 1<<20+64*int64(len(e.from))); nodes > most {
		e.bad.Add("%s: %d edges over %d nodes, must be at most %d nodes; ids with gaps need "+
			"relabel: true", e.name, len(e.from), nodes, most)
	}
	if err := e.bad.Err(); err != nil {
		return nil, err
	}
	from, to := make([]int32, len(e.from)), make([]int32, len(e.from))
	for i := range from {
		from[i], to[i] = rank(e.from[i]), rank(e.to[i])
	}
	loaded, wrong := simple(int(nodes), from, to, r.Simplify)
	if wrong != nil {
		const allowed = "an edge joins two nodes and is listed once, in either direction; " +
			"simplify: true drops others"
		for _, i := range wrong.SelfLoops {
			e.bad.Add("%s:%d: self loop at node %d; %s", e.name, e.lines[i], e.from[i], allowed)
		}
		for _, i := range wrong.Duplicates {
			e.bad.Add("%s:%d: edge %d %d is on an earlier line already; %s",
				e.name, e.lines[i], e.from[i], e.to[i], allowed)
		}
		return nil, e.bad.Err()
	}
	loaded.Assumed = !r.Relabel && e.nodes < 0 && stated == 0
	switch {
	case r.Relabel:
		loaded.Notes = []string{"nodes are numbered by which of them have edges, though every " +
			"algorithm takes numbers for public knowledge"}
	case loaded.Assumed:
		loaded.Notes = []string{"the number of nodes is read off the edges, though every " +
			"algorithm takes it for public knowledge; nodes: states it"}
	}
	return loaded, nil
}
