package csvtable

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"ppdp/datasets"
	"ppdp/internal/strictyaml"
	"ppdp/numeric/random"
)

func init() { datasets.Register(Source{}) }

// Source is the dataset "csv".
type Source struct{}

// Params name the two files of a user-supplied table.
type Params struct {
	CSV    string `yaml:"csv" missing:"must be the file of the table" doc:"the table's text, compressed by gzip or not, or a Parquet file" values:"a file's path, relative to the spec"`
	Schema string `yaml:"schema" missing:"must be the table's schema file (ppdp datasets schema FILE.csv drafts one)" doc:"the table's schema file, which ppdp datasets schema drafts" values:"a file's path, relative to the spec"`
	// Both leave the schema file as it is.
	Contributions int    `yaml:"contributions" doc:"at most this many records of each person are used, in place of as many as the schema says; 0 for these" min:"0" max:"1000"`
	Target        string `yaml:"target" doc:"the class attribute, in place of the one that the schema names" values:"the name of a categorical attribute; empty for the schema's"`
	// What is held out by train: comes last.
	Holdout  string `yaml:"holdout" doc:"a second table, whose rows come after those of the first" values:"a file's path, relative to the spec; empty for none"`
	Shuffled bool   `yaml:"shuffled" doc:"rows are in random order, so that train: holds out any; a holdout comes last all the same"`
}

// ResolvePaths makes relative paths relative to base, the folder of the spec that names them.
func (p *Params) ResolvePaths(base string) {
	datasets.ResolvePaths(base, &p.CSV, &p.Schema, &p.Holdout)
}

func (Source) Info() datasets.Info {
	return datasets.Info{Name: "csv", Title: "User-supplied table (CSV + schema)",
		Citation: datasets.Own, License: datasets.Own}
}

// Params returns the parameters: rows are shuffled, and paths have no defaults.
func (Source) Params() any { return &Params{Shuffled: true} }

// Load reads the table. Its checksum covers the uncompressed text and the schema file, to the byte;
// of a Parquet file, its values as text.
func (Source) Load(ctx context.Context, request datasets.Request) (*datasets.Dataset, error) {
	params, err := datasets.ParamsOf(request, Source{}.Params().(*Params))
	if err != nil {
		return nil, err
	}
	shuffled := params.Shuffled && params.Holdout == ""
	format, schema, err := ReadSchema(params.Schema, params.Target, params.Contributions)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	read := func(path string) (*Content, error) {
		text, err := Open(path, request.Files.Progress)
		if err != nil {
			return nil, err
		}
		defer text.Close()
		text.Reader = io.TeeReader(text.Reader, digest)
		content, err := format.Read(ctx, path, text)
		if err == nil && content.Table.Len() == 0 {
			err = noRows(path, content.Dropped)
		}
		return content, err
	}
	content, err := read(params.CSV)
	if err != nil {
		return nil, err
	}
	rows := content.Table.Len()
	if params.Holdout != "" {
		more, err := read(params.Holdout)
		if err != nil {
			return nil, fmt.Errorf("holdout: %w", err)
		}
		both := datasets.NewBuilder(format.Schema, rows+more.Table.Len())
		both.Append(content.Table)
		both.Append(more.Table)
		content.Dropped += more.Dropped
		for _, name := range more.Lacking {
			if !slices.Contains(content.Lacking, name) {
				content.Lacking = append(content.Lacking, name)
			}
		}
		content.Beyond += more.Beyond
		content.Table = both.Table()
	}
	if shuffled {
		order := content.Table.AllRows() // by the content: a file's name changes no number
		random.NewKey(0).Derive("order", string(digest.Sum(nil))).Stream().Permute(order)
		content.Table.ByPerson(order)
		content.Table = content.Table.Select(order)
	}
	found := format.Notes(content)
	if IsDraft(schema) {
		found = append(found,
			"the schema is a draft: its bounds and lists were read off the data, so that no "+
				"release made with it is private until they are reviewed")
	}
	if params.Target != "" {
		schema = append(schema, "target "+params.Target...)
	}
	if params.Holdout != "" {
		schema = fmt.Appendf(schema, "rows %d, then others", rows)
	}
	if shuffled {
		schema = append(schema, "shuffled"...)
	}
	if params.Contributions > 0 {
		schema = fmt.Appendf(schema, "contributions %d", params.Contributions)
	}
	digest.Write(schema)
	// So that no text can pose as a schema's beginning.
	digest.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(schema))))
	return &datasets.Dataset{
		Table:    content.Table,
		Checksum: hex.EncodeToString(digest.Sum(nil)),
		Dropped:  content.Dropped,
		Lost:     content.Lost(),
		Notes:    found,
	}, nil
}

// Notes lists what a reader of results must know about how a table of the format was read.
func (f *Format) Notes(content *Content) []string {
	var notes []string
	if len(content.LeftOut) > 0 {
		notes = append(notes,
			"columns left out, as the schema does not describe them: "+someOf(content.LeftOut))
	}
	if n := f.Schema.Contributions; n > 0 {
		notes = append(notes, fmt.Sprintf("persons are protected, by %s: %d records beyond the %d "+
			"of a person are left out", f.Person, content.Beyond, n))
	}
	if f.Schema.Class() < 0 {
		notes = append(notes, "the table has no class attribute")
	}
	return notes
}

// ReadSchema reads the schema file at path, which it returns as text, too. target is the class in
// place of the file's, "" for that, and contributions those in place of the file's, 0 for these.
func ReadSchema(path, target string, contributions int) (*Format, []byte, error) {
	text, err := datasets.ReadFile(path, strictyaml.MaxBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	format, err := parseSchema(path, text, target, contributions)
	return format, text, err
}

// Open opens a file for reading by Unpack, whatever its name. progress is called with how much of
// the file has been read; it may be nil.
func Open(path string, progress func(path string, done, total int64)) (*Text, error) {
	file, err := datasets.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close() // only read from; the error at hand says more
		return nil, err
	}
	var packed io.Reader = file
	if progress != nil {
		packed = &datasets.Counted{Reader: file,
			Report: func(done int64) { progress(path, done, info.Size()) }}
	}
	text, err := Unpack(path, packed, info.Size())
	if err != nil {
		_ = file.Close() // as above
		return nil, err
	}
	text.Closer = file
	return text, nil
}

// Unpack returns the text of a file of size bytes, unpacked when it is gzip, or the table of a
// Parquet file, which is held in memory, so that one pass reads one state of it. The path is for
// messages only. A file that is known to be neither is refused.
func Unpack(path string, packed io.Reader, size int64) (*Text, error) {
	buffered := bufio.NewReaderSize(packed, 1<<16)
	kind := ""
	switch begin, _ := buffered.Peek(4); string(begin) {
	case "PAR1":
		if size > maxParquet {
			return nil, fmt.Errorf("%s: a Parquet file of %d bytes, must have at most %d: save it "+
				"as CSV", path, size, int64(maxParquet))
		}
		content := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		if _, err := content.ReadFrom(buffered); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		table, err := openParquet(content.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: Parquet: %w", path, err)
		}
		return &Text{Reader: table, parquet: table}, nil
	case "PARE":
		kind = "an encrypted Parquet file"
	case "PK\x03\x04":
		kind = "a spreadsheet or a zip archive"
	}
	if kind != "" {
		return nil, fmt.Errorf("%s: %s, must be delimited text: save it as CSV in the program "+
			"that it comes from", path, kind)
	}
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return &Text{Reader: buffered}, nil
	}
	unpacker, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, gzipError(err))
	}
	return &Text{Reader: &gzipText{unpacker, datasets.MaxUnpacked(size)}}, nil
}

// gzipText is unpacked text. What is wrong with the packing is reported as that: the text may be
// right as far as it goes.
type gzipText struct {
	unpacker *gzip.Reader
	left     int64 // bytes that may follow
}

func (t *gzipText) Read(p []byte) (int, error) {
	n, err := t.unpacker.Read(p)
	if t.left -= int64(n); t.left < 0 {
		return 0, datasets.ErrUnpacked
	}
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

func gzipError(cause error) error {
	return fmt.Errorf("gzip: %w; the file begins as one that gzip has packed, must be a whole one",
		cause)
}

// Text is the text of a table's file.
type Text struct {
	io.Reader
	io.Closer              // of Open
	parquet   *parquetText // nil for delimited text
}

// of is the format in which a text is read: f, or that of a Parquet file's table, in which of f
// only the attributes, what is missing, decimal commas and white space count.
func (f *Format) of(text io.Reader) *Format {
	from, ok := text.(*Text)
	if !ok || from.parquet == nil {
		return f
	}
	from.parquet.of(f)
	as := *f
	as.Delimiter, as.Header, as.Latin1, as.parquet = ',', true, false, true
	return &as
}
