package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

// records are those of a release's folder: the texts of each attribute's column, and the cells that
// each text stands for, one or, of a generalised value, any of several.
type records struct {
	csvtable.Texts
	cells   [][]csvtable.Group // by attribute and code of the text
	weights []float64          // nil for 1 each
}

// readRecords reads a folder's records and checks every value. Problems are those of the text; with
// any, the records are of no use.
func readRecords(dir string, generalised, weighted bool, schema *datasets.Schema) (r *records,
	problems []error) {
	r = &records{cells: make([][]csvtable.Group, len(schema.Attributes))}
	f, err := datasets.OpenFile(filepath.Join(dir, RecordsFile))
	if err != nil {
		return r, []error{err}
	}
	defer f.Close()
	is, must := sha256.New(), sha256.New()
	reader, writer := csv.NewReader(io.TeeReader(f, is)), csv.NewWriter(must)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if err != nil {
		return r, []error{fmt.Errorf("%s: %w", RecordsFile, err)}
	}
	want := schema.Names()
	for _, name := range want {
		r.Columns = append(r.Columns, csvtable.TextColumn{Name: name})
	}
	if weighted {
		want = append(want, "weight")
	}
	if !slices.Equal(header, want) {
		return r, []error{fmt.Errorf("%s: columns %q, must be the schema's %q", RecordsFile,
			header, want)}
	}
	writer.Write(want) // a digest takes everything
	known := make([]map[string]uint32, len(schema.Attributes))
	for i := range known {
		known[i] = make(map[string]uint32)
	}
	for {
		row, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return r, append(problems, fmt.Errorf("%s: %w", RecordsFile, err))
		}
		bad := func(field int, err error) {
			line, column := reader.FieldPos(field)
			problems = append(problems, fmt.Errorf("%s:%d:%d: %w", RecordsFile, line, column, err))
		}
		for i := range schema.Attributes {
			code, seen := known[i][row[i]]
			if !seen {
				a, text := &schema.Attributes[i], strings.Clone(row[i])
				cells, err := cellsOf(a, text, generalised)
				if err != nil {
					bad(i, err)
				}
				code = uint32(len(r.cells[i]))
				known[i][text] = code
				r.Columns[i].Texts = append(r.Columns[i].Texts, text)
				r.cells[i] = append(r.cells[i], cells)
			}
			r.Columns[i].Codes.Append(code)
		}
		if weighted {
			last := len(row) - 1
			weight, err := strconv.ParseFloat(row[last], 64)
			if err != nil || !(weight >= 0 && weight < 1e300) {
				bad(last, fmt.Errorf("weight %q, must be a number of at least 0", row[last]))
			}
			r.weights = append(r.weights, weight)
		}
		writer.Write(row)
		r.Rows++
	}
	writer.Flush()
	if len(want) > 1 && !bytes.Equal(is.Sum(nil), must.Sum(nil)) { // of one, "" is quoted
		problems = append(problems, fmt.Errorf("%s: blank lines, line ends or quotes that no "+
			"release has", RecordsFile))
	}
	return r, problems
}

// cellsOf are the cells that a text of an attribute stands for. Only quasi-identifiers are
// generalised.
func cellsOf(a *datasets.Attribute, text string, generalised bool) (csvtable.Group, error) {
	if generalised && a.Role == datasets.QuasiIdentifier {
		return csvtable.ParseGroup(a, text)
	}
	code, err := a.TextCode(text)
	return csvtable.Group{{Low: code, High: code + 1}}, err
}

// of are the cells that a record's value stands for.
func (r *records) of(row, attribute int) csvtable.Group {
	return r.cells[attribute][r.Columns[attribute].Codes.At(int32(row))]
}

// table is made-up records, whose values are single cells, as a table.
func (r *records) table(schema *datasets.Schema) *datasets.Table {
	b := datasets.NewBuilder(schema, r.Rows)
	for row := range r.Rows {
		to := b.AddRow()
		for i := range schema.Attributes {
			b.Set(to, i, r.of(row, i)[0].Low)
		}
	}
	return b.Table()
}

// keyOf is a record's codes of some attributes, as one text.
func keyOf(attributes []int, code func(attribute int) uint32) string {
	var key []byte
	for _, i := range attributes {
		key = binary.LittleEndian.AppendUint32(key, code(i))
	}
	return string(key)
}
