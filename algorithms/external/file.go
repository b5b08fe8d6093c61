package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/spelling"
	"ppdp/numeric/random"
)

// FileAlgorithm is the name of all releases that a file holds. They differ in their series.
const FileAlgorithm = "file"

// Find is what a path under from: stands for: a program by its descriptor, which is YAML, or else
// records that some program has released.
func Find(path string) (algorithms.Algorithm, error) {
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		return Load(path)
	}
	return openFile(path)
}

// File releases the records that a file holds, whatever program has made them: delimited text that
// may be gzip, or the folder of a release. It promises nothing about them.
type File struct {
	// Promised is what the certificate of a folder says, 0 without one.
	Promised algorithms.Promise

	// The name is the file's or the folder's.
	name, path, digest string

	weighted bool // the last column of a folder's records is their weights
}

// Names of a release's folder, as package publish writes it.
const (
	recordsName, certificateName = "records.csv", "certificate.json"
	weightName                   = "weight"
)

func openFile(path string) (*File, error) {
	f := &File{name: filepath.Base(filepath.Clean(path)), path: path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		f.path = filepath.Join(path, recordsName)
		text, err := datasets.ReadFile(filepath.Join(path, certificateName), 1<<20)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var certificate struct {
			Weighted  bool
			Guarantee *algorithms.Promise
		}
		certificate.Guarantee = &f.Promised
		if err == nil {
			if err := json.Unmarshal(text, &certificate); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(path, certificateName), err)
			}
		}
		f.weighted = certificate.Weighted
	}
	text, err := datasets.OpenFile(f.path)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	digest := sha256.New()
	fmt.Fprintln(digest, f.weighted)
	_, err = io.Copy(digest, text)
	f.digest = hex.EncodeToString(digest.Sum(nil))
	return f, err
}

func (f *File) Info() algorithms.Info {
	return algorithms.Info{
		Name: FileAlgorithm, Title: "Records in a file", Source: "none: as they were handed out",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{algorithms.NotPrivate(
			"What made the records may promise something; nothing here knows it.")},
		Revision: 1, Program: f.digest,
	}
}

func (*File) Params() algorithms.Params { return &algorithms.NoParams{} }

// Release is what the file holds, in the input's schema. A value outside of it is a missing one:
// the record stays, for its other values may be true, with one drawn from the column's others in
// its place. Of a generalised value any of those that it stands for is drawn, all alike and each by
// itself.
func (f *File) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if _, err := algorithms.CheckInput[*algorithms.NoParams](ctx, f, in); err != nil {
		return nil, err
	}
	p, err := f.Read(ctx, in.Table.Schema())
	if err != nil {
		return nil, err
	}
	release := &algorithms.Release{Warnings: p.Notes(), Outside: p.Outside(), Absent: p.absent(),
		Promised: f.Promised}
	release.Table, release.Weights = p.table(in.Noise.Open("values"))
	return release, nil
}

// Published is a table that was read by a schema which it may not obey.
type Published struct {
	Records int // that could be read
	Unread  int // records of another length than the header, or with quotes that do not fit
	Left    int // records without a weight, which are left out
	Missing int // records with a value outside the schema, which is taken for a missing one
	// Generalised are the attributes with values that stand for several, LeftOut the columns that
	// the schema does not describe.
	Generalised, LeftOut []string

	name    string
	schema  *datasets.Schema
	columns []*csvtable.TextColumn // of the attributes
	values  [][]value              // of their texts
	weights []float64              // of the records; nil for 1 each
	left    []bool                 // of the records
	outside []bool                 // of the records
	wanting []int                  // records by attribute without a value
	faults  []string               // what of each column lies outside the schema
}

// value is what a text stands for: no group if it is outside the schema.
type value struct {
	group csvtable.Group
	exact float64 // of a continuous attribute's number; NaN for none
}

// Read reads the file by a schema.
func (f *File) Read(ctx context.Context, schema *datasets.Schema) (*Published, error) {
	file, err := csvtable.Open(f.path, nil)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	need := schema.Names()
	if f.weighted {
		need = append(need, weightName)
	}
	texts, unread, err := csvtable.Plain(schema).ReadAnyTexts(ctx, f.path, file, need)
	if err != nil {
		return nil, err
	}
	p := &Published{name: f.name, schema: schema, Records: texts.Rows,
		Unread: unread, left: make([]bool, texts.Rows), outside: make([]bool, texts.Rows)}
	described := make(map[*csvtable.TextColumn]bool)
	for _, name := range need {
		column := texts.Column(name)
		described[column] = true
		if a := schema.Index(name); a >= 0 {
			p.columns = append(p.columns, column)
			p.values = append(p.values, p.parse(&schema.Attributes[a], column))
		} else {
			p.weigh(column)
		}
	}
	for i := range texts.Columns {
		if column := &texts.Columns[i]; !described[column] {
			p.LeftOut = append(p.LeftOut, column.Name)
		}
	}
	for row, outside := range p.outside {
		switch {
		case p.left[row]:
			p.Left++
		case outside:
			p.Missing++
		}
	}
	return p, nil
}

// parse reads the texts of a column.
func (p *Published) parse(a *datasets.Attribute, column *csvtable.TextColumn) []value {
	values, broad := make([]value, len(column.Texts)), false
	for i, text := range column.Texts {
		values[i].exact = math.NaN()
		group, err := csvtable.ParsePublished(a, text)
		if err != nil {
			continue
		}
		values[i].group = group
		broad = broad || group.Size() > 1
		if number, ok := a.ParseNumber(strings.Replace(text, ",", ".", 1)); ok &&
			a.Continuous {
			values[i].exact = number
		}
	}
	if broad {
		p.Generalised = append(p.Generalised, a.Name)
	}
	wanting := p.refuse(column, a.Values, p.outside,
		func(code uint32) bool { return values[code].group == nil })
	if missing := a.MissingCode(); missing != datasets.NoCode { // such a value is missing
		wanting = 0
		for i := range values {
			if values[i].group == nil {
				values[i].group = csvtable.Group{{Low: missing, High: missing + 1}}
			}
		}
	}
	p.wanting = append(p.wanting, wanting)
	return values
}

// weigh reads the column of weights.
func (p *Published) weigh(column *csvtable.TextColumn) {
	weights := make([]float64, len(column.Texts))
	for i, text := range column.Texts {
		weight, err := strconv.ParseFloat(text, 64)
		if weights[i] = weight; err != nil || !(weight >= 0 && weight < 1e300) {
			weights[i] = -1
		}
	}
	p.refuse(column, nil, p.left, func(code uint32) bool { return weights[code] < 0 })
	p.weights = make([]float64, p.Records)
	for row := range p.weights {
		p.weights[row] = weights[column.Codes.At(int32(row))]
	}
}

// refuse marks and counts the records with texts of a column that are outside the schema, which may
// be meant for one of its values.
func (p *Published) refuse(column *csvtable.TextColumn, values []string, marked []bool,
	outside func(code uint32) bool) (records int) {
	example := ""
	for row := range marked {
		if code := column.Codes.At(int32(row)); outside(code) {
			if records++; records == 1 {
				example = column.Texts[code]
			}
			marked[row] = true
		}
	}
	if records > 0 {
		p.faults = append(p.faults, fmt.Sprintf("%s in %d, such as %.40q%s", column.Name, records,
			example, spelling.Hint(example, values)))
	}
	return records
}

// Outside is the share of the records that could not be read or have a value outside the schema.
func (p *Published) Outside() float64 {
	return float64(p.Unread+p.Left+p.Missing) / float64(max(1, p.Unread+p.Records))
}

// absent are the shares of the records without a value, by attribute.
func (p *Published) absent() []float64 {
	shares := make([]float64, len(p.wanting))
	for a, records := range p.wanting {
		shares[a] = float64(records) / float64(max(1, p.Records))
	}
	return shares
}

// Notes say what became of what the schema does not foresee.
func (p *Published) Notes() (notes []string) {
	note := func(format string, args ...any) {
		notes = append(notes, p.name+": "+fmt.Sprintf(format, args...))
	}
	all := p.Unread + p.Records
	if p.Unread > 0 {
		note("%d of %d records left out: not as many fields as the header, or quotes that do not "+
			"fit", p.Unread, all)
	}
	if p.Left+p.Missing > 0 {
		note("%d of %d records have values outside the schema, taken for missing ones: %s",
			p.Left+p.Missing, all, strings.Join(p.faults, "; "))
	}
	if len(p.LeftOut) > 0 {
		note("columns that the schema does not describe, and nothing measures: %s",
			datasets.QuoteSome(p.LeftOut, 24))
	}
	if len(p.Generalised) > 0 {
		note("generalised values in %s: of each, one of the values that it stands for is drawn, "+
			"all alike", strings.Join(p.Generalised, ", "))
	}
	return notes
}

// Table is the records, and their weights, nil for 1 each.
func (p *Published) Table() (*datasets.Table, []float64) {
	return p.table(random.NewKey(0).Stream())
}

func (p *Published) table(draws *random.Stream) (*datasets.Table, []float64) {
	b := datasets.NewBuilder(p.schema, p.Records-p.Left)
	var weights []float64
	if p.weights != nil {
		weights = []float64{} // of no records, too
	}
	for at := range p.Records {
		if p.left[at] {
			continue
		}
		row := b.AddRow()
		for i, column := range p.columns {
			v := &p.values[i][column.Codes.At(int32(at))]
			for p.wanting[i] < p.Records && v.group == nil { // some record of the column has one
				v = &p.values[i][column.Codes.At(int32(draws.Uint32N(uint32(p.Records))))]
			}
			if v.group == nil {
				b.Set(row, i, draws.Uint32N(uint32(p.schema.Attributes[i].Cells())))
				continue
			}
			if !math.IsNaN(v.exact) && b.SetNumber(row, i, v.exact) == nil {
				continue
			}
			code := v.group[0].Low
			if n := v.group.Size(); n > 1 {
				code = v.group.At(int(draws.Uint32N(uint32(n))))
			}
			b.Set(row, i, code)
		}
		if p.weights != nil {
			weights = append(weights, p.weights[at])
		}
	}
	return b.Table(), weights
}
