package graph

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// isMatrix reports whether a text begins as a Matrix Market file, with one % in place of two as in
// files of the Network Repository.
func isMatrix(content []byte) bool {
	rest, marked := bytes.CutPrefix(content, []byte("%"))
	return marked && bytes.HasPrefix(bytes.TrimPrefix(rest, []byte("%")), []byte("MatrixMarket"))
}

// matrix reads the head of a sparse matrix in Matrix Market coordinate format and returns what
// follows: an edge list from 1 on, with values in a third column unless the field is pattern.
// Nodes i and j are joined when entry (i, j) is there and not 0.
func (e *ids) matrix(content []byte) ([]byte, error) {
	line, content, _ := bytes.Cut(content, []byte("\n"))
	header := strings.Fields(strings.ToLower(string(trim(line[:min(len(line), 1<<10)]))))
	if len(header) != 5 || strings.TrimLeft(header[0], "%") != "matrixmarket" ||
		header[1] != "matrix" || header[2] != "coordinate" {
		return nil, fmt.Errorf("%s:1: %q, must be %%%%MatrixMarket matrix coordinate FIELD "+
			"SYMMETRY", e.name, clip(line))
	}
	field, symmetry := header[3], header[4]
	if e.values = field != "pattern"; e.values && field != "integer" && field != "real" {
		e.bad.Add("%s:1: field %q, must be one of pattern, integer, real", e.name, field)
	}
	if symmetry != "symmetric" && symmetry != "general" {
		e.bad.Add("%s:1: symmetry %q, must be symmetric or general", e.name, symmetry)
	}
	for e.head = 2; len(content) > 0; e.head++ {
		line, content, _ = bytes.Cut(content, []byte("\n"))
		if line = trim(line); len(line) == 0 || line[0] == '%' {
			continue
		}
		rows, rest, _ := parseID(line)
		columns, rest, _ := parseID(rest)
		entries, rest, ok := parseID(rest)
		if !ok || len(trim(rest)) > 0 {
			e.bad.Add("%s:%d: %q, must be the size: rows, columns, entries", e.name, e.head,
				clip(line))
		} else if rows != columns {
			e.bad.Add("%s:%d: %d rows and %d columns, the matrix of a graph must be square",
				e.name, e.head, rows, columns)
		}
		e.nodes, e.edges = rows, entries
		return content, e.bad.Err()
	}
	e.bad.Add("%s:%d: the file ends without a size, must be rows, columns, entries", e.name, e.head)
	return nil, e.bad.Err()
}

// value reads the third column of an entry, which is no edge where it is 0.
func (e *ids) value(text []byte, number int) (joined bool) {
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(value) {
		e.bad.Add("%s:%d: value %q, must be a number", e.name, number, clip(text))
	}
	if value == 0 {
		e.edges--
	}
	return value != 0
}
