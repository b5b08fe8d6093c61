package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

// mostBytes bounds the file of an answer.
const mostBytes = 4 << 30

// read reads the file that an answer names into the release: records in the input's schema, or
// degrees.
func (a *Algorithm) read(ctx context.Context, in algorithms.Input, folder, name string,
	release *algorithms.Release) error {
	if name == "" {
		return errors.New("it names no file")
	}
	if !filepath.IsLocal(name) {
		return fmt.Errorf("its file %.200q lies outside the request's folder", name)
	}
	root, err := os.OpenRoot(folder) // which no link leads out of
	if err != nil {
		return err
	}
	defer root.Close()
	// A pipe would wait for a writer.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("its file %.200q cannot be read: %w", name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("its file %.200q is no file", name)
	case info.Size() > mostBytes:
		return fmt.Errorf("its file has %d bytes, must be at most %d", info.Size(),
			int64(mostBytes))
	}
	if in.Graph != nil {
		release.Degrees, err = readDegrees(name, file, in.Graph.Nodes())
		return err
	}
	schema := in.Table.Schema()
	// More rows than this are a mistake that fills the memory.
	rows := &lineLimit{from: file, left: 10*len(in.Rows) + 100_001}
	content, err := csvtable.Plain(a.inFiles(schema)).Read(ctx, name, rows)
	var wrong *datasets.Problems
	switch {
	case errors.As(err, &wrong): // maybe one in each row
		return wrong.First(3)
	case err != nil:
		return err
	case len(content.LeftOut) > 0:
		return fmt.Errorf("%s: columns that the schema has not: %.200s", name,
			strings.Join(content.LeftOut, ", "))
	case content.Dropped > 0:
		return fmt.Errorf("%s: %d rows without all their values", name, content.Dropped)
	}
	if a.d.Values == codeValues {
		release.Table = recoded(content.Table, schema)
		return nil
	}
	release.Table, err = content.Table.WithSchema(schema)
	return err
}

// inFiles is the schema of the rows in files: codes in place of values, which are the integers from
// 0, or the numbers that dates and times stand for.
func (a *Algorithm) inFiles(schema *datasets.Schema) *datasets.Schema {
	plain := &datasets.Schema{Attributes: slices.Clone(schema.Attributes)}
	for i := range plain.Attributes {
		of := &plain.Attributes[i]
		if of.Clock = ""; a.d.Values == codeValues {
			*of = datasets.Attribute{Name: of.Name, Role: of.Role, High: float64(of.Cells()),
				Step: 1}
		}
	}
	return plain
}

// recoded is a table with the same codes under another schema of the same domains.
func recoded(t *datasets.Table, schema *datasets.Schema) *datasets.Table {
	b := datasets.NewBuilder(schema, t.Len())
	for range t.Len() {
		b.AddRow()
	}
	for i := range schema.Attributes {
		column := t.Column(i)
		for row := range t.Len() {
			b.Set(row, i, column.At(int32(row)))
		}
	}
	return b.Table()
}

// lineLimit reads up to a number of lines and then fails.
type lineLimit struct {
	from io.Reader
	left int
}

func (l *lineLimit) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= bytes.Count(p[:n], []byte("\n")); l.left < 0 {
		return 0, errors.New("more rows than ten times the input's and 100000")
	}
	return n, err
}

// readDegrees reads a line for each node: its degree.
func readDegrees(name string, from io.Reader, nodes int) ([]int32, error) {
	degrees := make([]int32, 0, nodes) // not nil: a graph without nodes has a release too
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		degree, err := strconv.ParseInt(lines.Text(), 10, 32)
		if err != nil || degree < 0 || degree >= int64(max(1, nodes)) {
			return nil, fmt.Errorf("%s:%d: %.40q, must be a degree from 0 to %d", name,
				len(degrees)+1, lines.Text(), max(0, nodes-1))
		}
		if degrees = append(degrees, int32(degree)); len(degrees) > nodes {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(degrees) != nodes {
		return nil, fmt.Errorf("%s: degrees of %d nodes or more, must be of %d", name,
			len(degrees), nodes)
	}
	slices.Sort(degrees)
	return degrees, nil
}
