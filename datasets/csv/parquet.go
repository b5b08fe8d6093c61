package csvtable

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"ppdp/datasets"
)

// parquetText is the table of a Parquet file as comma-separated text with a header, so that it is
// read by the same rules as any other. The library decodes headers and values; what they state is
// compared with the bytes that are there first, as the library sets aside what is stated.
type parquetText struct {
	content []byte
	columns []*parquetColumn
	groups  []format.RowGroup
	comma   bool  // in place of the decimal point
	rows    int64 // of the current group, not yet read
	done    int
	text    []byte // that was not read yet
	unread  []byte // its rest
	limit   int64  // of each of the next three
	bytes   int64  // unpacked
	values  int64  // of the pages that are held
	written int64  // bytes of text, beyond parquetLength
	zstd    *zstd.Decoder
	err     error
	page    struct { // kept for their memory
		body    []byte
		int32s  []int32
		int64s  []int64
		doubles []float64
		texts   []byte
		offsets []uint32
	}
}

const (
	maxParquet    = 4 << 30   // bytes of a file, which is held in memory
	maxFooter     = 16 << 20  // bytes that describe it
	maxPage       = 128 << 20 // bytes of an unpacked page
	parquetLength = 256 << 20 // bytes that the text of any file may have; larger files more
)

// parquetColumn is a column with the page that is read.
type parquetColumn struct {
	name     string
	physical format.Type
	width    int // bytes of a value, 0 for texts and truth values
	optional bool
	fieldTexts
	layout string // of dates and times, as the schema writes them
	unit   int64  // that the layout shows, in seconds

	codec      format.CompressionCodec
	chunk      []byte // pages that follow
	dictionary parquetFields
	values     int // of the page that follow
	parquetFields
	null   string  // the field of a missing value
	levels []byte  // of the page's values, 1 for a value and 0 for none; nil for all
	codes  []int32 // of those that are not missing; nil for one after the other
	next   int     // of those
}

// parquetFields are n values as fields: text[ends[i]:ends[i+1]] is the i-th.
type parquetFields struct {
	n    int
	text []byte
	ends []uint32
}

// oldDictionary is how old files call RLEDictionary.
const oldDictionary = format.Encoding(2)

// levelRuns encodes levels and truth values.
var levelRuns = rle.Encoding{BitWidth: 1}

var errDamaged = errors.New("damaged or cut off, must be a whole Parquet file")

// openParquet reads a file's description.
func openParquet(content []byte) (*parquetText, error) {
	size := len(content)
	if size < 12 || string(content[size-4:]) != "PAR1" {
		return nil, errDamaged
	}
	footer := int64(binary.LittleEndian.Uint32(content[size-8:]))
	if footer > int64(size)-12 || footer > maxFooter {
		return nil, errDamaged
	}
	begin := size - 8 - int(footer)
	var file format.FileMetaData
	if _, err := decodeThrift(content[begin:size-8], &file); err != nil || len(file.Schema) == 0 {
		return nil, errDamaged
	}
	p := &parquetText{content: content[:begin], groups: file.RowGroups,
		limit: datasets.MaxUnpacked(int64(size))}
	var nested []string
	var bad datasets.Problems
	for i := 1; i < len(file.Schema); i++ {
		of := &file.Schema[i]
		if below := of.NumChildren.V; below > 0 || of.RepetitionType.V == format.Repeated {
			nested = append(nested, of.Name)
			for ; below > 0 && i+1 < len(file.Schema); below-- { // its own elements
				i++
				below += max(0, file.Schema[i].NumChildren.V)
			}
			continue
		}
		c := &parquetColumn{name: of.Name, physical: of.Type.V,
			optional: of.RepetitionType.V == format.Optional}
		widths := []int{0, 4, 8, 12, 4, 8, 0, int(of.TypeLength.V)}
		if !of.Type.Valid || c.physical < 0 || int(c.physical) >= len(widths) {
			return nil, errDamaged
		}
		c.width = widths[c.physical]
		if c.physical == format.FixedLenByteArray &&
			(c.width < 1 || c.width > encoding.MaxFixedLenByteArraySize) {
			return nil, errDamaged
		}
		if !p.fieldsOf(c, of) {
			bad.Add("column %q has no type of tables, must be numbers, texts, dates or times: "+
				"leave it out, or save it as text", of.Name)
		}
		p.columns = append(p.columns, c)
	}
	if nested != nil {
		bad.Add("columns of lists or of parts, %s, must be flat: leave them out, or save each "+
			"part as a column of its own", someOf(nested))
	} else if len(p.columns) == 0 {
		bad.Add("no columns")
	}
	for i := range p.groups {
		if len(p.groups[i].Columns) != len(p.columns) && !bad.Any() {
			return nil, errDamaged
		}
	}
	return p, bad.Err()
}

// of prepares the text for a format, whose missing marker and forms of dates it takes.
func (p *parquetText) of(f *Format) {
	p.comma = f.Comma
	p.unread = appendLine(nil, len(p.columns), func(to []byte, i int) []byte {
		return appendField(to, p.columns[i].name)
	})
	for _, c := range p.columns {
		if len(f.Missing) > 0 {
			c.null = string(appendField(nil, f.Missing[0]))
		}
		if f.Schema == nil || f.Schema.Index(c.name) < 0 {
			continue
		}
		a := &f.Schema.Attributes[f.Schema.Index(c.name)]
		if a.Missing != nil {
			c.null = string(appendField(nil, *a.Missing))
		}
		c.layout, c.unit = a.Clock.Layout(), a.Clock.Unit()
	}
}

// Read makes the text of some rows at a time.
func (p *parquetText) Read(to []byte) (int, error) {
	if len(p.unread) == 0 {
		p.text = p.text[:0]
		for len(p.text) < 1<<16 && p.err == nil {
			p.err = p.row()
		}
		p.unread = p.text
		if p.written += int64(len(p.text)); p.written-parquetLength > p.limit {
			p.err = fmt.Errorf("more text than any table of this size has (row %d)", p.done)
		}
	}
	n := copy(to, p.unread)
	if p.unread = p.unread[n:]; n == 0 && p.err != nil {
		if p.err != io.EOF {
			return 0, fmt.Errorf("in Parquet: %w", p.err)
		}
		return 0, io.EOF
	}
	return n, nil
}

// row appends the next row to the text.
func (p *parquetText) row() error {
	for p.rows == 0 {
		if len(p.groups) == 0 {
			return io.EOF
		}
		if err := p.group(&p.groups[0]); err != nil {
			return err
		}
		p.groups = p.groups[1:]
	}
	p.rows--
	for _, c := range p.columns {
		for c.values == 0 {
			if err := p.read(c); err != nil {
				return fmt.Errorf("column %q, row %d: %w", c.name, p.done+1, err)
			}
		}
	}
	begin := len(p.text)
	p.text = appendLine(p.text, len(p.columns), func(to []byte, i int) []byte {
		c := p.columns[i]
		if at := c.advance(); at >= 0 {
			return append(to, c.text[c.ends[at]:c.ends[at+1]]...)
		}
		return append(to, c.null...)
	})
	p.done++
	if len(p.text)-begin > maxRecord+1 { // with the line's end
		return fmt.Errorf("row %d has more than %d bytes", p.done, maxRecord)
	}
	return nil
}

// advance is the index of the next field, -1 for a missing value.
func (c *parquetColumn) advance() int {
	c.values--
	if c.levels != nil && c.levels[len(c.levels)-c.values-1] == 0 {
		return -1
	}
	at := c.next
	if c.next++; c.codes != nil {
		at = int(c.codes[at])
	}
	return at
}

// group begins a group of rows.
func (p *parquetText) group(of *format.RowGroup) error {
	if p.rows = of.NumRows; p.rows < 0 {
		return errDamaged
	}
	for i, c := range p.columns {
		meta := &of.Columns[i].MetaData
		begin, size := meta.DataPageOffset, meta.TotalCompressedSize
		if first := meta.DictionaryPageOffset; first > 0 && first < begin {
			begin = first
		}
		if begin < 4 || size < 0 || begin > int64(len(p.content)) ||
			size > int64(len(p.content))-begin || meta.Type != c.physical {
			return fmt.Errorf("column %q: %w", c.name, errDamaged)
		}
		c.codec, c.chunk = meta.Codec, p.content[begin:begin+size]
		c.dictionary, c.values = parquetFields{}, 0
	}
	return nil
}

// read reads a column's next page.
func (p *parquetText) read(c *parquetColumn) (err error) {
	defer func() {
		if recover() != nil { // of the library, at bytes that no writer makes
			err = errDamaged
		}
	}()
	var head format.PageHeader
	n, err := decodeThrift(c.chunk, &head)
	if err != nil || head.CompressedPageSize < 0 || int(head.CompressedPageSize) > len(c.chunk)-n {
		return errDamaged
	}
	body := c.chunk[n : n+int(head.CompressedPageSize)]
	if c.chunk = c.chunk[n+len(body):]; head.CRC != 0 &&
		crc32.ChecksumIEEE(body) != uint32(head.CRC) {
		return errDamaged
	}
	size, values, as := int(head.UncompressedPageSize), int32(0), format.Plain
	var levels []byte
	switch head.Type {
	case format.DataPage:
		values, as = head.DataPageHeader.V.NumValues, head.DataPageHeader.V.Encoding
		if body, err = p.unpack(c, body, size); err == nil && c.optional {
			if head.DataPageHeader.V.DefinitionLevelEncoding != format.RLE { // of old files
				return errDamaged
			}
			length := binary.LittleEndian.Uint32(body)
			levels, body = body[4:4+length], body[4+length:]
		}
	case format.DictionaryPage:
		values = head.DictionaryPageHeader.V.NumValues
		body, err = p.unpack(c, body, size)
	case format.DataPageV2:
		of := &head.DataPageHeaderV2.V
		values, as = of.NumValues, of.Encoding
		skipped := of.RepetitionLevelsByteLength
		above := skipped + of.DefinitionLevelsByteLength
		levels, body = body[skipped:above], body[above:]
		if !of.IsCompressed.Valid || of.IsCompressed.V {
			body, err = p.unpack(c, body, size-int(above))
		}
	default:
		return nil // an index, which nobody needs
	}
	if err != nil {
		return err
	}
	p.values += int64(values) - int64(c.n)
	if values < 0 || p.values > p.limit {
		return fmt.Errorf("a page of %d values: %w", values, datasets.ErrUnpacked)
	}
	if head.Type == format.DictionaryPage {
		c.dictionary, err = p.fields(c, as, body, int(values))
		return err
	}
	return p.data(c, as, levels, body, int(values))
}

// data takes the values of a page.
func (p *parquetText) data(c *parquetColumn, as format.Encoding, levels, body []byte,
	values int) (err error) {
	c.values, c.levels, c.codes, c.next = values, nil, nil, 0
	present := values
	if c.optional {
		c.levels, err = numbersOf(levels, values, 1, levelRuns.DecodeLevels)
		if present = bytes.Count(c.levels, []byte{1}); err != nil {
			return err
		}
	}
	if as != format.RLEDictionary && as != oldDictionary {
		c.parquetFields, err = p.fields(c, as, body, present)
		return err
	}
	if present == 0 {
		return nil
	}
	width := int(body[0])
	c.codes, err = numbersOf(body[1:], present, width, (&rle.Encoding{BitWidth: width}).DecodeInt32)
	if err != nil || slices.Min(c.codes) < 0 ||
		int(slices.Max(c.codes)) >= c.dictionary.n {
		return errDamaged
	}
	c.parquetFields = c.dictionary
	return nil
}

// numbersOf decodes n numbers of some bits in runs, of which the library sets aside what each
// states.
func numbersOf[T uint8 | int32](from []byte, n, width int,
	decode func([]T, []byte) ([]T, error)) ([]T, error) {
	at, found := 0, 0
	for found < n {
		head, size := binary.Uvarint(from[at:])
		count, bytes := head>>1, uint64(width+7)/8
		if count > 1<<32 || width > 32 {
			return nil, errDamaged
		}
		if head&1 == 1 {
			count, bytes = 8*count, count*uint64(width)
		}
		if at += size; size <= 0 || bytes > uint64(len(from)-at) || count > uint64(n-found+512) {
			return nil, errDamaged
		}
		at += int(bytes)
		found += int(count)
	}
	numbers, err := decode(nil, from[:at])
	if err != nil || len(numbers) < n {
		return nil, errDamaged
	}
	return numbers[:n], nil
}

// fields are n values of a column.
func (p *parquetText) fields(c *parquetColumn, as format.Encoding, body []byte,
	n int) (f parquetFields, err error) {
	var from encoding.Encoding
	least := 0
	switch as {
	case format.Plain:
		if from = new(plain.Encoding); c.width > 0 {
			body = body[:n*c.width]
		} else if least = n / 8; c.physical == format.ByteArray {
			least = 4 * n
		}
	case format.ByteStreamSplit:
		from, least = new(bytestreamsplit.Encoding), n*c.width
	case format.RLE:
		if c.physical != format.Boolean {
			return f, errDamaged
		}
		least = 4
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		from = new(delta.BinaryPackedEncoding)
		if as == format.DeltaLengthByteArray {
			from = new(delta.LengthByteArrayEncoding)
		}
		header := bytes.NewReader(body)
		var stated uint64
		for range 3 { // the size of a block, how many blocks it has, how many values there are
			if stated, err = binary.ReadUvarint(header); err != nil {
				return f, errDamaged
			}
		}
		if stated != uint64(n) {
			return f, errDamaged
		}
	default:
		return f, fmt.Errorf("encoded as %v, which is not read: save it without such encodings", as)
	}
	if len(body) < least {
		return f, errDamaged
	}
	f.n, f.ends = n, make([]uint32, 1, n+1)
	k := &p.page
	switch c.physical {
	case format.Int32:
		k.int32s, err = from.DecodeInt32(k.int32s, body)
		addFields(&f, k.int32s, func(to []byte, number int32) []byte {
			return c.whole(to, int64(number))
		})
	case format.Int64:
		k.int64s, err = from.DecodeInt64(k.int64s, body)
		addFields(&f, k.int64s, c.whole)
	case format.Double:
		k.doubles, err = from.DecodeDouble(k.doubles, body)
		addFields(&f, k.doubles, func(to []byte, number float64) []byte {
			return p.appendFloat(to, number, 64)
		})
	case format.Boolean:
		truths := make([]uint8, n)
		if as == format.RLE {
			truths, err = numbersOf(body[4:], n, 1, levelRuns.DecodeLevels)
		} else {
			for i := range truths {
				truths[i] = body[i/8] >> (i % 8) & 1
			}
		}
		addFields(&f, truths, func(to []byte, truth uint8) []byte {
			return strconv.AppendBool(to, truth == 1)
		})
	case format.Int96:
		var days []deprecated.Int96
		days, err = from.DecodeInt96(nil, body)
		addFields(&f, days, c.old)
	case format.Float:
		var numbers []float32
		numbers, err = from.DecodeFloat(nil, body)
		addFields(&f, numbers, func(to []byte, number float32) []byte {
			return p.appendFloat(to, float64(number), 32)
		})
	case format.FixedLenByteArray:
		k.texts, err = from.DecodeFixedLenByteArray(k.texts, body, c.width)
		for value := range slices.Chunk(k.texts, c.width) {
			f.add(c.bytes(f.text, value))
		}
	default:
		k.texts, k.offsets, err = from.DecodeByteArray(k.texts, body, k.offsets)
		for i := range max(0, len(k.offsets)-1) {
			f.add(c.bytes(f.text, k.texts[k.offsets[i]:k.offsets[i+1]]))
		}
	}
	if err != nil || len(f.ends) <= n || len(f.text) > 1<<31 {
		return f, errDamaged
	}
	return f, nil
}

// add takes the text of all fields, with one more at the end.
func (f *parquetFields) add(text []byte) {
	f.text, f.ends = text, append(f.ends, uint32(len(text)))
}

func addFields[T any](f *parquetFields, values []T, write func(to []byte, value T) []byte) {
	for _, value := range values {
		f.add(write(f.text, value))
	}
}

// unpack returns the size bytes that a page unpacks to, until the next page.
func (p *parquetText) unpack(c *parquetColumn, body []byte, size int) ([]byte, error) {
	if p.bytes += int64(size); size < 0 || size > maxPage || p.bytes > p.limit {
		return nil, fmt.Errorf("a page of %d bytes: %w", size, datasets.ErrUnpacked)
	}
	to := slices.Grow(p.page.body[:0], size)
	var err error
	switch c.codec {
	case format.Uncompressed:
		to = body
	case format.Snappy:
		var n int
		if n, err = snappy.DecodedLen(body); err == nil && n == size {
			to, err = snappy.Decode(to[:size], body)
		}
	case format.Gzip:
		var from *gzip.Reader
		if from, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			to = to[:size]
			_, err = io.ReadFull(from, to)
		}
	case format.Zstd:
		if p.zstd == nil {
			p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxPage))
		}
		if err == nil {
			to, err = p.zstd.DecodeAll(body, to[:0:size])
		}
	default:
		return nil, fmt.Errorf("packed by %v, must be by none, Snappy, gzip or Zstandard", c.codec)
	}
	if err != nil || len(to) != size {
		return nil, errDamaged
	}
	if c.codec != format.Uncompressed {
		p.page.body = to
	}
	return to, nil
}
