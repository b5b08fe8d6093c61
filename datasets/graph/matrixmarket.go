package graph

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/datasets"
)

// ReadMatrixMarket reads the graph of a square sparse matrix in Matrix Market coordinate format:
// nodes i and j are joined when entry (i, j) is there and not 0. In a symmetric matrix every edge
// is listed once, in a general one twice, as (i, j) and (j, i). The header may begin with one % in
// place of two, as in files of the Network Repository.
func ReadMatrixMarket(name string, content []byte, r Reading) (*Loaded, error) {
	m := &matrix{name: name, nodes: -1}
	size := len(content)
	line, content, _ := bytes.Cut(content, []byte("\n"))
	if err := m.header(line); err != nil {
		return nil, err
	}
	number := 1
	var fields [][]byte // of a line
	for len(content) > 0 {
		number++
		line, content, _ = bytes.Cut(content, []byte("\n"))
		if line = trim(line); len(line) == 0 || line[0] == '%' {
			continue
		}
		fields = fields[:0]
		for field := range bytes.FieldsSeq(line) {
			if fields = append(fields, field); len(fields) > m.columns+1 {
				break // the line is wrong, and may be long
			}
		}
		if m.nodes >= 0 {
			m.entry(number, line, fields)
		} else if err := m.size(number, line, fields, size); err != nil {
			return nil, err
		}
	}
	if m.nodes < 0 {
		return nil, fmt.Errorf("%s:%d: the file ends without a size, must be rows, columns, "+
			"entries", name, number)
	}
	if err := m.bad.Err(); err != nil {
		return nil, err
	}
	if m.found != m.entries {
		return nil, fmt.Errorf("%s:%d: %d entries announced, %d found: the file is cut off or "+
			"was altered", name, number, m.entries, m.found)
	}
	return m.graph(r.Simplify)
}

// matrix is a sparse matrix, indices from 0, zeros left out, and what is wrong with its file.
type matrix struct {
	name           string
	columns        int  // of an entry's line
	symmetric      bool // every edge is listed once
	nodes          int64
	entries, found int64
	row, column    []int32
	line           []int // of each entry
	bad            datasets.Problems
}

// where is the place of an entry, for messages.
func (m *matrix) where(entry int) string { return fmt.Sprintf("%s:%d", m.name, m.line[entry]) }

func (m *matrix) header(line []byte) error {
	header := strings.Fields(strings.ToLower(string(trim(line[:min(len(line), 1<<10)]))))
	if len(header) != 5 || strings.TrimLeft(header[0], "%") != "matrixmarket" ||
		header[1] != "matrix" || header[2] != "coordinate" {
		return fmt.Errorf("%s:1: %q, must be %%%%MatrixMarket matrix coordinate FIELD SYMMETRY",
			m.name, clip(line))
	}
	field, symmetry := header[3], header[4]
	if m.columns = 3; field == "pattern" {
		m.columns = 2
	} else if field != "integer" && field != "real" {
		m.bad.Add("%s:1: field %q, must be one of pattern, integer, real", m.name, field)
	}
	if m.symmetric = symmetry == "symmetric"; !m.symmetric && symmetry != "general" {
		m.bad.Add("%s:1: symmetry %q, must be symmetric or general", m.name, symmetry)
	}
	return m.bad.Err()
}

// size reads the line of rows, columns and entries, in a file of so many bytes.
func (m *matrix) size(number int, line []byte, fields [][]byte, bytes int) error {
	var shape [3]int64
	ok := len(fields) == 3
	for k := 0; ok && k < 3; k++ {
		var err error
		shape[k], err = strconv.ParseInt(string(fields[k]), 10, 64)
		ok = err == nil && shape[k] >= 0
	}
	switch {
	case !ok:
		return fmt.Errorf("%s:%d: %q, must be the size: rows, columns, entries", m.name, number,
			clip(line))
	case shape[0] != shape[1]:
		return fmt.Errorf("%s:%d: %d rows and %d columns, the matrix of a graph must be square",
			m.name, number, shape[0], shape[1])
	case shape[0] > math.MaxInt32 || shape[2] > math.MaxInt32 ||
		tooSparse(shape[0], int(shape[2])):
		return fmt.Errorf("%s:%d: %d entries over %d nodes, must be at most %d nodes", m.name,
			number, shape[2], shape[0], min(math.MaxInt32, 1<<20+64*shape[2]))
	case shape[2] > int64(bytes)/4:
		return fmt.Errorf("%s:%d: %d entries announced in a file of %d bytes: the file is cut "+
			"off or was altered", m.name, number, shape[2], bytes)
	}
	m.nodes, m.entries = shape[0], shape[2]
	return nil
}

// entry reads the line of an entry: row, column and, unless the field is pattern, value.
func (m *matrix) entry(number int, line []byte, fields [][]byte) {
	if len(fields) != m.columns {
		m.bad.Add("%s:%d: %q, must be %d numbers", m.name, number, clip(line), m.columns)
		return
	}
	row, errRow := strconv.ParseInt(string(fields[0]), 10, 64)
	column, errColumn := strconv.ParseInt(string(fields[1]), 10, 64)
	if errRow != nil || errColumn != nil || min(row, column) < 1 || max(row, column) > m.nodes {
		m.bad.Add("%s:%d: entry %q, must have row and column in [1, %d]", m.name, number,
			clip(line), m.nodes)
		return
	}
	m.found++
	if m.columns == 3 {
		value, err := strconv.ParseFloat(string(fields[2]), 64)
		if err != nil || math.IsNaN(value) {
			m.bad.Add("%s:%d: value %q, must be a number", m.name, number, clip(fields[2]))
			return
		}
		if value == 0 {
			return
		}
	}
	m.row, m.column = append(m.row, int32(row-1)), append(m.column, int32(column-1))
	m.line = append(m.line, number)
}

// graph reads the matrix as the adjacency of an undirected graph. The entries of a symmetric matrix
// are its edges. Those of a general one list every edge twice, above and below the diagonal: the
// two halves must hold the same edges, unless simplify allows the graph of the edges in either.
func (m *matrix) graph(simplify bool) (*Loaded, error) {
	var bad datasets.Problems
	report := func(entries []int, what func(k int) string) {
		for _, k := range entries {
			bad.Add("%s: %s; simplify: true drops it", m.where(k), what(k))
		}
	}
	var halves [2][]int // entries; the diagonal goes with the upper half
	for k := range m.row {
		half := 0
		if !m.symmetric && m.row[k] > m.column[k] {
			half = 1
		}
		halves[half] = append(halves[half], k)
	}
	var read [2]*Loaded
	for i, entries := range halves {
		from, to := make([]int32, len(entries)), make([]int32, len(entries))
		for n, k := range entries {
			from[n], to[n] = m.row[k], m.column[k]
		}
		loaded, err := simple(int(m.nodes), from, to, simplify)
		var wrong *datasets.EdgeError
		if err != nil && !errors.As(err, &wrong) {
			return nil, err
		}
		if wrong != nil {
			of := func(positions []int) []int {
				for n, at := range positions {
					positions[n] = entries[at]
				}
				return positions
			}
			report(of(wrong.SelfLoops), func(k int) string {
				return fmt.Sprintf("self loop at row and column %d", m.row[k]+1)
			})
			report(of(wrong.Duplicates), func(k int) string {
				return fmt.Sprintf("entry (%d, %d) is listed already", m.row[k]+1, m.column[k]+1)
			})
		}
		read[i] = loaded
	}
	if err := bad.Err(); err != nil || m.symmetric {
		return read[0], err
	}
	upper, lower := read[0], read[1]
	whole := &Loaded{Graph: upper.Graph, SelfLoops: upper.SelfLoops, Duplicates: upper.Duplicates +
		lower.Duplicates}
	if slices.Equal(upper.Graph.Neighbours, lower.Graph.Neighbours) &&
		slices.Equal(upper.Graph.Offsets, lower.Graph.Offsets) {
		return whole, nil
	}
	if !simplify {
		for i := range halves {
			other := read[1-i].Graph
			for _, k := range halves[i] {
				if _, mirrored := slices.BinarySearch(other.Adjacent(m.row[k]),
					m.column[k]); !mirrored {
					bad.Add("%s: entry (%d, %d) without (%d, %d), must be symmetric; simplify: "+
						"true reads it as an undirected edge",
						m.where(k), m.row[k]+1, m.column[k]+1, m.column[k]+1, m.row[k]+1)
				}
			}
		}
		return nil, bad.Err()
	}
	both, err := simple(int(m.nodes), m.row, m.column, true)
	if err != nil {
		return nil, err
	}
	whole.Graph = both.Graph
	whole.OneWay = 2*both.Graph.Edges() - upper.Graph.Edges() - lower.Graph.Edges()
	return whole, nil
}
