package graph

import (
	"bytes"
	"fmt"
	"strings"
)

// isMatrix reports whether a text begins as a Matrix Market file, with one % in place of two as in
// files of the Network Repository.
func isMatrix(content []byte) bool {
	rest, marked := bytes.CutPrefix(content, []byte("%"))
	return marked && bytes.HasPrefix(bytes.TrimPrefix(rest, []byte("%")), []byte("MatrixMarket"))
}

// matrix reads the head of a sparse matrix in Matrix Market coordinate format, without values, and
// returns what follows: an edge list from 1 on.
func (e *ids) matrix(content []byte) ([]byte, error) {
	line, content, _ := bytes.Cut(content, []byte("\n"))
	header := strings.Fields(strings.ToLower(string(trim(line[:min(len(line), 1<<10)]))))
	if len(header) != 5 || strings.TrimLeft(header[0], "%") != "matrixmarket" ||
		header[1] != "matrix" || header[2] != "coordinate" || header[3] != "pattern" {
		return nil, fmt.Errorf("%s:1: %q, must be %%%%MatrixMarket matrix coordinate pattern "+
			"SYMMETRY; leave out values", e.name, clip(line))
	}
	if symmetry := header[4]; symmetry != "symmetric" && symmetry != "general" {
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
