package csvtable

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"ppdp/datasets"
)

// parquetRows is how many rows a group of a written file has, and a page of each column.
const parquetRows = 1 << 20

// WriteParquet writes a published table, whose columns are the schema's attributes in their order,
// as a Parquet file; the same table has the same bytes. Every column has a dictionary: of whole
// numbers, other numbers, dates, or texts, as which generalised attributes and times are written. A
// missing value is a null. weights become a last column, as in Write.
func WriteParquet(w io.Writer, schema *datasets.Schema, table *Texts, weights []float64,
	generalised func(*datasets.Attribute) bool) error {
	p := &parquetWriter{to: w}
	p.write([]byte("PAR1"))
	file := format.FileMetaData{Version: 1, NumRows: int64(table.Rows), CreatedBy: "ppdp",
		RowGroups: thrift.Slice[format.RowGroup]{},
		Schema: thrift.Slice[format.SchemaElement]{{Name: "table",
			NumChildren: thrift.New(int32(len(table.Columns)))}}}
	var columns []writtenColumn
	for i := range table.Columns {
		a := &schema.Attributes[i]
		c := writtenColumn{a: a, TextColumn: &table.Columns[i]}
		c.of = format.SchemaElement{Name: a.Name, Type: thrift.New(format.ByteArray)}
		switch {
		case a.Kind == datasets.Categorical || generalised(a) || a.Clock != "" &&
			(strings.Contains(string(a.Clock), "hh") || !strings.Contains(string(a.Clock), "DD")):
			c.of.LogicalType.Value = new(format.StringType)
		case a.Clock != "":
			c.of.Type, c.of.LogicalType.Value = thrift.New(format.Int32), new(format.DateType)
		case a.Digits != nil && *a.Digits == 0 || a.Digits == nil && !a.Continuous &&
			a.Low == math.Trunc(a.Low) && a.Step == math.Trunc(a.Step):
			c.of.Type = thrift.New(format.Int64)
		default:
			c.of.Type = thrift.New(format.Double)
		}
		if c.of.RepetitionType = thrift.New(format.Required); a.Missing != nil {
			c.of.RepetitionType.V = format.Optional
		}
		columns = append(columns, c)
	}
	if weights != nil {
		own := TextColumn{Name: weightColumn}
		index := make(map[float64]uint32)
		for _, weight := range weights {
			code, known := index[weight]
			if !known {
				code = uint32(len(own.Texts))
				index[weight] = code
				own.Texts = append(own.Texts, string(datasets.AppendNumber(nil, weight, 64)))
			}
			own.Codes.Append(code)
		}
		columns = append(columns, writtenColumn{a: new(datasets.Attribute), TextColumn: &own,
			of: format.SchemaElement{Name: weightColumn, Type: thrift.New(format.Double),
				RepetitionType: thrift.New(format.Required)}})
		file.Schema[0].NumChildren.V++
	}
	for i := range columns {
		file.Schema = append(file.Schema, columns[i].of)
	}
	for from := 0; from < table.Rows && p.err == nil; from += parquetRows {
		to := min(table.Rows, from+parquetRows)
		group := format.RowGroup{NumRows: int64(to - from), Ordinal: int16(from / parquetRows)}
		for i := range columns {
			meta := p.chunk(&columns[i], from, to)
			group.TotalByteSize += meta.TotalUncompressedSize
			group.Columns = append(group.Columns, format.ColumnChunk{MetaData: meta})
		}
		file.RowGroups = append(file.RowGroups, group)
	}
	size := p.header(file)
	p.write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), "PAR1"...))
	return p.err
}

// writtenColumn is a column with its type.
type writtenColumn struct {
	*TextColumn
	a  *datasets.Attribute
	of format.SchemaElement
}

// parquetWriter counts what it writes until the first error.
type parquetWriter struct {
	to   io.Writer
	done int64
	err  error
}

func (p *parquetWriter) fail(err error) { p.err = cmp.Or(p.err, err) }

func (p *parquetWriter) write(text []byte) {
	if p.err == nil {
		_, p.err = p.to.Write(text)
	}
	p.done += int64(len(text))
}

func (p *parquetWriter) header(of any) (size int) {
	text, err := thrift.Marshal(new(thrift.CompactProtocol), of)
	p.fail(err)
	p.write(text)
	return len(text)
}

// chunk writes a column of a group: the dictionary of its values, and a page of indices.
func (p *parquetWriter) chunk(c *writtenColumn, from, to int) format.ColumnMetaData {
	begin := p.done
	var dictionary, page []byte
	levels := make([]uint8, 0, to-from)
	indices := make([]int32, 0, to-from)
	known := make([]int32, len(c.Texts)) // index from 1, 0 for none, -1 for a missing value
	values := int32(0)
	for row := from; row < to; row++ {
		code := c.Codes.At(int32(row))
		if known[code] == 0 {
			if text := c.Texts[code]; c.a.Missing != nil && text == *c.a.Missing {
				known[code] = -1
			} else {
				values++
				known[code], dictionary = values, p.value(dictionary, c, text)
			}
		}
		levels = append(levels, 1)
		if known[code] < 0 {
			levels[len(levels)-1] = 0
		} else {
			indices = append(indices, known[code]-1)
		}
	}
	if c.a.Missing != nil {
		runs, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, levels)
		p.fail(err)
		page = append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...)
	}
	width := bits.Len32(uint32(max(0, values-1)))
	runs, err := (&rle.Encoding{BitWidth: width}).EncodeInt32(nil, indices)
	p.fail(err)
	page = append(append(page, byte(width)), runs...)
	p.header(format.PageHeader{Type: format.DictionaryPage,
		UncompressedPageSize: int32(len(dictionary)), CompressedPageSize: int32(len(dictionary)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: values})})
	p.write(dictionary)
	data := p.done
	p.header(format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(page)),
		CompressedPageSize: int32(len(page)), DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(to - from), Encoding: format.RLEDictionary,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})})
	p.write(page)
	return format.ColumnMetaData{Type: c.of.Type.V, PathInSchema: thrift.Slice[string]{c.Name},
		Encoding:  thrift.Slice[format.Encoding]{format.Plain, format.RLE, format.RLEDictionary},
		NumValues: int64(to - from), TotalUncompressedSize: p.done - begin,
		TotalCompressedSize: p.done - begin, DataPageOffset: data, DictionaryPageOffset: begin}
}

// value appends a value to a dictionary.
func (p *parquetWriter) value(to []byte, c *writtenColumn, text string) []byte {
	if c.of.Type.V == format.ByteArray {
		return plain.AppendByteArrayString(to, text)
	}
	number, ok := c.a.ParseNumber(text)
	whole := int64(number)
	if !ok || c.of.Type.V == format.Int64 && float64(whole) != number {
		p.fail(fmt.Errorf("%s: %q is no number of its type", c.Name, text))
	}
	switch c.of.Type.V {
	case format.Int64:
		return plain.AppendInt64(to, whole)
	case format.Int32:
		return plain.AppendInt32(to, int32(whole)) // days since 1970, in either
	}
	return plain.AppendDouble(to, number)
}
