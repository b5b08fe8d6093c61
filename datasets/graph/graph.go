// Package graph reads, generates and describes graphs: edge lists and Matrix Market files; the four
// networks of Qardaji & Li 2012 with stand-ins for each; released degree sequences made graphs; and
// the power-law exponent of Table 1.
//
// Only adjacency is ever read, no attributes. The graph type itself is datasets.Graph; what is done
// with a graph is left to algorithms and metrics.
package graph

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"ppdp/datasets"
)

// Reading says how a file is to be understood. Without Nodes a matrix has as many nodes as rows. An
// edge list has as many as its header says or, without a header, as its ids need. A matrix that is
// not stored as symmetric has each edge twice.
type Reading struct {
	Base     int  `yaml:"base" doc:"the smallest node id of an edge list; a Matrix Market file has 1" min:"0" max:"1"`
	Simplify bool `yaml:"simplify" doc:"drop and count self-loops, repeated edges and directions; without, they are errors"`
	Relabel  bool `yaml:"relabel" doc:"number the ids of an edge list that occur, where there are gaps"`
	Nodes    int  `yaml:"nodes" doc:"the number of nodes, which every algorithm takes as public; 0 takes what the file says" min:"0" max:"2147483647"`
}

// Loaded is a graph with what was dropped to make it simple.
type Loaded struct {
	Graph      *datasets.Graph
	SelfLoops  int
	Duplicates int // edges that occurred before, in either direction
	// Assumed says that the largest id of an edge list gives the number of nodes, and nothing else.
	Assumed bool
	Notes   []string
}

// Read reads a graph from the content of a file, unpacked first where it is gzip: a Matrix Market
// file if it begins as one, else an edge list. name is for errors, which report the line or byte
// offset, what was found and what is allowed.
func Read(name string, content []byte, r Reading) (*Loaded, error) {
	content, err := unpack(name, content)
	if err != nil {
		return nil, err
	}
	if r.Base != 0 && r.Base != 1 {
		return nil, fmt.Errorf("%s: base %d, must be 0 or 1", name, r.Base)
	}
	list := &ids{name: name, nodes: -1, edges: -1}
	if isMatrix(content) {
		r.Base = 1
		if content, err = list.matrix(content); err != nil {
			return nil, err
		}
	}
	if err := list.read(content); err != nil {
		return nil, err
	}
	return list.graph(r)
}

// maxUnpacked bounds what a small compressed file may unpack to.
const maxUnpacked = 1 << 31

func unpack(name string, content []byte) ([]byte, error) {
	if !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return content, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: gzip header: %w", name, err)
	}
	var unpacked bytes.Buffer
	most := min(maxUnpacked, datasets.MaxUnpacked(int64(len(content))))
	size := binary.LittleEndian.Uint32(content[len(content)-4:]) // what gzip says, modulo 2^32
	unpacked.Grow(int(min(most, int64(size))) + bytes.MinRead)   // else it doubles
	n, err := unpacked.ReadFrom(io.LimitReader(reader, most+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s: the gzip stream of %d bytes is cut off after unpacking %d "+
			"bytes, must be complete", name, len(content), n)
	case err != nil:
		return nil, fmt.Errorf("%s: gzip, after unpacking %d bytes: %w", name, n, err)
	case n > most:
		return nil, fmt.Errorf("%s: %w", name, datasets.ErrUnpacked)
	}
	return unpacked.Bytes(), nil
}

// Canonical turns a graph as its public home offers it (an edge list with comments or in both
// directions, a Matrix Market file, that in a zip archive) into the canonical edge list.
func Canonical(content []byte) ([]byte, error) {
	const name = "download"
	if bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		var err error
		if content, err = datasets.Unzip(content, ".mtx", maxUnpacked); err != nil {
			return nil, err
		}
	}
	loaded, err := Read(name, content, Reading{Simplify: true})
	if err != nil {
		return nil, err
	}
	var canonical bytes.Buffer
	err = loaded.Graph.WriteEdges(&canonical)
	return canonical.Bytes(), err
}

// simple builds a graph and drops from the lists what keeps it from being simple, if it may.
func simple(nodes int, from, to []int32, drop bool) (*Loaded, *datasets.EdgeError) {
	g, err := datasets.NewGraph(nodes, from, to)
	var wrong *datasets.EdgeError
	if !errors.As(err, &wrong) { // there is no other
		return &Loaded{Graph: g}, nil
	}
	if !drop {
		return nil, wrong
	}
	skip := make([]bool, len(from))
	for _, i := range slices.Concat(wrong.SelfLoops, wrong.Duplicates) {
		skip[i] = true
	}
	kept := 0
	for i := range from {
		if !skip[i] {
			from[kept], to[kept] = from[i], to[i]
			kept++
		}
	}
	g, _ = datasets.NewGraph(nodes, from[:kept], to[:kept]) // simple now
	return &Loaded{Graph: g, SelfLoops: len(wrong.SelfLoops),
		Duplicates: len(wrong.Duplicates)}, nil
}
