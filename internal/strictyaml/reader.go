// Package strictyaml is the one place that touches the YAML library. It reads a single document and
// decodes it onto Go values without any of YAML's liberties: unknown and duplicate keys, anchors,
// merge keys, tags, second documents, octal-looking or rounded numbers and empty values are all
// refused, each with its file and line, and all of them at once.
//
// It leaves out what values mean: ranges, names and combinations are the caller's to check, who
// reports through the same Reader (Problemf) so that its findings carry a line too.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Node is a node of a parsed document: the library's type under our name, so that no other package
// imports the library.
type Node = yaml.Node

// The kinds of nodes in a document that was read without problems.
const (
	ScalarNode   = yaml.ScalarNode
	SequenceNode = yaml.SequenceNode
	MappingNode  = yaml.MappingNode
)

// Limits that keep a hostile file from exhausting the stack or the memory.
const (
	// MaxBytes is how long a document may be. A caller need not read more of a file.
	MaxBytes = 16 << 20
	maxDepth = 64
	// maxItems is how many lines and commas a document may have: each value takes hundreds of bytes
	// of memory, whatever its length.
	maxItems = 1 << 18
)

// problem is one thing wrong with a document. Line and column count from 1; 0 means unknown.
type problem struct {
	line, column int
	message      string
}

// Reader reads one file and collects everything wrong with it. It is not safe for concurrent use.
type Reader struct {
	File     string // as messages name it
	problems []problem
	places   map[*Node]place
}

// place is where a node is in its document.
type place struct {
	parent *Node
	key    string // in a mapping
	index  int    // in a sequence
}

// NewReader returns a reader whose messages name file.
func NewReader(file string) *Reader {
	return &Reader{File: file, places: make(map[*Node]place)}
}

// Problemf records a problem at a node; the message is preceded by the node's path in the document
// (algorithms[0].params.k). A nil node means the whole file.
func (r *Reader) Problemf(n *Node, format string, args ...any) {
	p := problem{message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.line, p.column = n.Line, n.Column
		if path := r.path(n); path != "" {
			p.message = path + ": " + p.message
		}
	}
	r.problems = append(r.problems, p)
}

func (r *Reader) problemAt(line int, format string, args ...any) {
	r.problems = append(r.problems, problem{line: line, message: fmt.Sprintf(format, args...)})
}

// Err returns nil or every problem once, in the order of lines, one a line, as file:line: message.
func (r *Reader) Err() error {
	sorted := slices.Clone(r.problems)
	slices.SortStableFunc(sorted, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var errs []error
	seen := make(map[problem]bool) // a node decoded twice, as in a sweep, is wrong once
	for _, p := range sorted {
		place := r.File + ":"
		if p.line > 0 {
			place += strconv.Itoa(p.line) + ":"
		}
		if !seen[p] {
			seen[p] = true
			errs = append(errs, errors.New(place+" "+p.message))
		}
	}
	return errors.Join(errs...)
}

// Problems is the number of problems recorded so far: a caller that compares it before and after
// decoding a part knows whether the part is valid.
func (r *Reader) Problems() int { return len(r.problems) }

// path leads from the document's root to a node: "" for the root and for nodes of other documents.
func (r *Reader) path(n *Node) string {
	var steps []string
	for at := r.places[n]; at.parent != nil; at = r.places[at.parent] {
		if at.parent.Kind == SequenceNode {
			steps = append(steps, "["+strconv.Itoa(at.index)+"]")
		} else {
			steps = append(steps, "."+shown(at.key))
		}
	}
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), ".")
}

// shown prepares a piece of a document for a message: one line, not too long, quoted if necessary.
func shown(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` || text == "" {
		return quoted
	}
	return text
}

// Document parses data, which must hold exactly one document, and returns its root, or nil when
// nothing can be decoded. A root with problems is returned too, so that decoding it can find the
// others; Err reports them all.
func (r *Reader) Document(data []byte) *Node {
	if len(data) > MaxBytes {
		r.problemAt(0, "%d bytes, must be at most %d", len(data), MaxBytes)
		return nil
	}
	if n := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte(",")); n > maxItems {
		r.problemAt(0, "%d lines and commas, must be at most %d", n, maxItems)
		return nil
	}
	if !r.checkText(data) {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	err := decode(decoder, &document)
	if errors.Is(err, io.EOF) || err == nil && isNull(document.Content[0]) {
		r.problemAt(max(document.Line, 1), "an empty document, must have more than comments")
		return nil
	}
	if err != nil {
		r.syntax(err)
		return nil
	}
	switch err := decode(decoder, &second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.syntax(err)
	default:
		r.problemAt(second.Line, "a second document, must be only one in a file")
	}
	return r.Tree(document.Content[0])
}

// Tree takes a root that a program made, or that Document has parsed.
func (r *Reader) Tree(root *Node) *Node {
	r.check(root, place{}, 0)
	return root
}

// decode turns a panic of the library into an error: a bad file must never bring the program down.
func decode(decoder *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("yaml: unreadable: %v", cause)
		}
	}()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if into.Kind != yaml.DocumentNode || len(into.Content) != 1 {
		return errors.New("yaml: unreadable: no document")
	}
	return nil
}

var syntaxLine = regexp.MustCompile(`^line (\d+): `)

func (r *Reader) syntax(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if found := syntaxLine.FindStringSubmatch(message); found != nil {
		message = message[len(found[0]):]
		line, _ = strconv.Atoi(found[1])
		// The library counts lines from 0 in its parser's errors and from 1 in its scanner's.
		if strings.HasPrefix(message, "did not find expected") {
			line++
		}
	}
	r.problemAt(max(line, 1), "not YAML: %s", message)
}

// checkText refuses text for which the parser's own message would be hard to understand.
func (r *Reader) checkText(data []byte) bool {
	ok := true
	for number, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			r.problemAt(number+1, "not UTF-8, must be saved in that encoding")
			return false
		}
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.IndexByte(indent, '\t') >= 0 && len(bytes.TrimSpace(line)) > 0 {
			r.problemAt(number+1, "a tab in the indentation, must be spaces")
			ok = false
		}
	}
	return ok
}

// check walks the tree, notes each node's place and refuses the parts of YAML that are not allowed.
func (r *Reader) check(n *Node, at place, depth int) {
	r.places[n] = at
	if depth > maxDepth {
		r.Problemf(n, "nested too deep, must be at most %d levels", maxDepth)
		n.Kind, n.Content = ScalarNode, nil // decoding stops here as well
		return
	}
	r.checkMarks(n)
	switch n.Kind {
	case yaml.AliasNode:
		r.Problemf(n, "an alias *%s, must be written out", n.Value)
	case SequenceNode:
		for i, item := range n.Content {
			r.check(item, place{parent: n, index: i}, depth+1)
		}
	case MappingNode:
		first := make(map[string]int, len(n.Content)/2)
		var kept []*Node // keys that are refused are dropped with their values
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			r.check(value, place{parent: n, key: key.Value}, depth+1)
			r.places[key] = at // a key's own problems name its mapping
			r.checkMarks(key)
			switch line, twice := first[key.Value]; {
			case key.Kind != ScalarNode:
				r.Problemf(key, "a key that is a list or a mapping, must be a word")
			case key.Tag == "!!merge":
				r.Problemf(key, "a merge key <<, must be written out")
			case isNull(key):
				r.Problemf(key, "an empty key, must be a word")
			case twice:
				r.Problemf(key, "duplicate key %s, first in line %d", shown(key.Value), line)
			default:
				first[key.Value] = key.Line
				kept = append(kept, key, value)
			}
		}
		n.Content = kept
	}
}

// checkMarks refuses anchors and tags.
func (r *Reader) checkMarks(n *Node) {
	if n.Anchor != "" {
		r.Problemf(n, "an anchor &%s, must be written out", n.Anchor)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		r.Problemf(n, "a tag %s, must be left out (quote a text that looks like a number)", n.Tag)
	}
}

func isNull(n *Node) bool { return n.Kind == ScalarNode && n.Tag == "!!null" }

// Entry is one key of a mapping with its value.
type Entry struct {
	Key     string
	KeyNode *Node
	Value   *Node
}

// Entries lists a mapping's keys and values in the order of the document; it records a problem for
// any other node.
func (r *Reader) Entries(n *Node) []Entry {
	if n == nil || n.Kind == yaml.AliasNode {
		return nil
	}
	if n.Kind != MappingNode {
		r.refuse(n, "a mapping (key: value)")
		return nil
	}
	entries := make([]Entry, len(n.Content)/2)
	for i := range entries {
		key, value := n.Content[2*i], n.Content[2*i+1]
		entries[i] = Entry{Key: key.Value, KeyNode: key, Value: value}
	}
	return entries
}

// Find returns the value of a mapping's key, or nil if n is no mapping or has no such key.
func Find(n *Node, key string) *Node {
	if n == nil || n.Kind != MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// describe names a node's value.
func describe(n *Node) string {
	switch n.Kind {
	case MappingNode:
		return "a mapping"
	case SequenceNode:
		return "a list"
	case ScalarNode:
		if isNull(n) {
			return "empty"
		}
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			return strconv.Quote(n.Value)
		}
		return shown(n.Value)
	}
	return "nothing"
}
