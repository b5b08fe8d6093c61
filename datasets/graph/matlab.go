package graph

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"ppdp/datasets"
)

// Data types of the MAT-file format, level 5, as its public description numbers them.
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miINT64      = 12
	miUINT64     = 13
	miMATRIX     = 14
	miCOMPRESSED = 15
)

// mxSPARSE is the array class of sparse matrices.
const mxSPARSE = 5

var classNames = [...]string{"of unknown class", "a cell array", "a structure", "an object",
	"a character array", "sparse", "a full double array", "a full single array",
	"a full int8 array", "a full uint8 array", "a full int16 array", "a full uint16 array",
	"a full int32 array", "a full uint32 array", "a full int64 array", "a full uint64 array"}

var widths = map[uint32]int{miINT8: 1, miUINT8: 1, miINT16: 2, miUINT16: 2, miINT32: 4, miUINT32: 4,
	miSINGLE: 4, miDOUBLE: 8, miINT64: 8, miUINT64: 8}

const (
	matHeader = 128 // bytes before the first element
	maxName   = 63  // letters of a variable's name
)

// ReadMATLAB reads the graph of the sparse matrix A in a MATLAB file of version 5 to 7.2, either
// byte order, compressed or not. Of every other variable only the name is read; what it holds (the
// persons' attributes in the Facebook networks) is passed over.
func ReadMATLAB(name string, content []byte, r Reading) (*Loaded, error) {
	if len(content) < matHeader || !bytes.HasPrefix(content, []byte("MATLAB")) {
		return nil, fmt.Errorf("%s: offset 0: no MATLAB 5 header of %d bytes", name, matHeader)
	}
	var order binary.ByteOrder
	switch string(content[126:128]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, fmt.Errorf("%s: offset 126: byte order mark %q, must be IM or MI",
			name, content[126:128])
	}
	if version := order.Uint16(content[124:126]); version != 0x0100 {
		return nil, fmt.Errorf("%s: offset 124: version %#04x, must be 0x0100 (MATLAB 5 to 7.2; "+
			"7.3 files are HDF5: save with -v7)", name, version)
	}
	var names []string
	for offset := matHeader; offset < len(content); {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s: offset %d: %w", name, offset, fmt.Errorf(format, args...))
		}
		if len(content)-offset < 8 {
			return nil, fail("%d bytes left, a data element needs 8: the file is cut off",
				len(content)-offset)
		}
		kind, size := order.Uint32(content[offset:]), order.Uint32(content[offset+4:])
		if uint64(size) > uint64(len(content)-offset-8) {
			return nil, fail("a data element of %d bytes where %d are left: the file is cut off",
				size, len(content)-offset-8)
		}
		body := content[offset+8 : offset+8+int(size)]
		var matrix io.Reader
		switch kind {
		case miMATRIX:
			matrix = bytes.NewReader(body)
		case miCOMPRESSED:
			unpacker, err := zlib.NewReader(bytes.NewReader(body))
			if err != nil {
				return nil, fail("compressed element: %v", err)
			}
			var tag [8]byte
			if _, err := io.ReadFull(unpacker, tag[:]); err != nil {
				return nil, fail("compressed element: %v", cutOff(err))
			}
			if inner := order.Uint32(tag[:]); inner != miMATRIX {
				return nil, fail("a compressed element of type %d, must be %d (a matrix)",
					inner, miMATRIX)
			}
			announced := int64(order.Uint32(tag[4:]))
			if announced > datasets.MaxUnpacked(int64(size)) {
				return nil, fail("a compressed element of %d bytes: %w", size,
					datasets.ErrUnpacked)
			}
			matrix = io.LimitReader(unpacker, announced)
		default:
			return nil, fail("a data element of type %d, must be %d (a matrix) or %d (compressed)",
				kind, miMATRIX, miCOMPRESSED)
		}
		variable, adjacency, err := readMatrix(elements{matrix, order})
		if err != nil {
			return nil, fail("%v", err)
		}
		if adjacency != nil {
			at := offset
			adjacency.where = func(entry int) string {
				return fmt.Sprintf("%s: offset %d, matrix A", name, at)
			}
			return adjacency.graph(false, r.Simplify)
		}
		names = append(names, fmt.Sprintf("%q", variable))
		offset += 8 + int(size)
		if kind == miMATRIX {
			offset += -int(size) & 7
		}
	}
	return nil, fmt.Errorf("%s: holds no matrix A but %s, must hold a sparse matrix A",
		name, strings.Join(append(names, "no more"), ", "))
}

// readMatrix reads a matrix's name and, when that is A, its entries, the column-major indices of
// compressed column storage.
func readMatrix(e elements) (name string, m *matrix, err error) {
	var head [3][]int64
	for i, what := range []string{"array flags", "dimensions", "name"} {
		if head[i], err = e.integers(what); err != nil {
			return "", nil, err
		}
	}
	flags, shape, letters := head[0], head[1], head[2]
	if len(flags) != 2 {
		return "", nil, fmt.Errorf("%d array flags, must be 2", len(flags))
	}
	if len(letters) > maxName {
		return "", nil, fmt.Errorf("a name of %d letters, must be at most %d",
			len(letters), maxName)
	}
	for _, letter := range letters {
		name += string(rune(letter))
	}
	if name != "A" {
		return name, nil, nil
	}
	class := flags[0] & 0xff
	if class != mxSPARSE {
		what := classNames[0]
		if int(class) < len(classNames) {
			what = classNames[class]
		}
		return name, nil, fmt.Errorf("matrix A is %s, must be sparse", what)
	}
	if flags[0]&0x800 != 0 {
		return name, nil, errors.New("matrix A is complex, must be real or logical")
	}
	if len(shape) != 2 || shape[0] != shape[1] || shape[0] < 0 || shape[0] > math.MaxInt32 {
		return name, nil, fmt.Errorf("matrix A has dimensions %v, must be square", shape)
	}
	rows, err := e.integers("row indices")
	if err != nil {
		return name, nil, err
	}
	starts, err := e.integers("column starts")
	if err != nil {
		return name, nil, err
	}
	kind, values, err := e.element("values")
	if err != nil {
		return name, nil, err
	}
	nodes := int(shape[0])
	if len(starts) != nodes+1 || starts[0] != 0 || starts[nodes] > int64(len(rows)) {
		return name, nil, fmt.Errorf("matrix A has %d column starts for %d columns and %d row "+
			"indices, must be one more than columns, from 0 to at most the row indices",
			len(starts), nodes, len(rows))
	}
	entries := int(starts[nodes])
	width := widths[kind]
	if width == 0 || len(values)/width < entries {
		return name, nil, fmt.Errorf("matrix A has %d bytes of values of type %d for %d entries",
			len(values), kind, entries)
	}
	m = &matrix{nodes: nodes}
	for column := range nodes {
		if starts[column] > starts[column+1] || starts[column] < 0 ||
			starts[column+1] > int64(entries) {
			return name, nil, fmt.Errorf("matrix A: column %d starts at entry %d and the next at "+
				"%d, must ascend up to %d", column+1, starts[column], starts[column+1], entries)
		}
		for k := starts[column]; k < starts[column+1]; k++ {
			row := rows[k]
			if row < 0 || row >= int64(nodes) {
				return name, nil, fmt.Errorf("matrix A: row index %d in column %d, must be in "+
					"[0, %d)", row, column+1, nodes)
			}
			if isZero(values[int(k)*width : int(k+1)*width]) {
				continue
			}
			m.row, m.column = append(m.row, int32(row)), append(m.column, int32(column))
		}
	}
	return name, m, nil
}

func isZero(value []byte) bool {
	for _, b := range value {
		if b != 0 {
			return false
		}
	}
	return true
}

// elements reads the data elements inside a matrix one after the other. An element has a tag of 8
// bytes, its type and size, then the data, filled up to a multiple of 8 bytes.
type elements struct {
	r     io.Reader
	order binary.ByteOrder
}

// element reads one data element. Memory grows with what is really there, not with what is
// announced.
func (e elements) element(what string) (kind uint32, data []byte, err error) {
	var tag [8]byte
	if _, err := io.ReadFull(e.r, tag[:]); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", what, cutOff(err))
	}
	kind, size := e.order.Uint32(tag[:]), e.order.Uint32(tag[4:])
	if small := kind >> 16; small != 0 { // up to four bytes ride in the tag itself
		if small > 4 {
			return 0, nil, fmt.Errorf("%s: a small element of %d bytes, must be at most 4",
				what, small)
		}
		return kind & 0xffff, tag[4 : 4+small], nil
	}
	var buffer bytes.Buffer
	if _, err := io.CopyN(&buffer, e.r, int64(size)); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", what, cutOff(err))
	}
	if padding := -int64(size) & 7; padding > 0 {
		if n, err := io.CopyN(io.Discard, e.r, padding); err != nil && n > 0 {
			return 0, nil, fmt.Errorf("%s: %w", what, cutOff(err))
		}
	}
	return kind, buffer.Bytes(), nil
}

// integers reads an element of whole numbers, of any width that the format allows for indices. what
// names the element in errors.
func (e elements) integers(what string) ([]int64, error) {
	kind, data, err := e.element(what)
	if err != nil {
		return nil, err
	}
	width := widths[kind]
	if width == 0 || width == 8 || kind == miSINGLE || len(data)%width != 0 {
		return nil, fmt.Errorf("%s: %d bytes of type %d, must be whole numbers of 8, 16 or 32 bits",
			what, len(data), kind)
	}
	numbers := make([]int64, len(data)/width)
	for i := range numbers {
		at := data[i*width:]
		switch kind {
		case miINT8:
			numbers[i] = int64(int8(at[0]))
		case miUINT8:
			numbers[i] = int64(at[0])
		case miINT16:
			numbers[i] = int64(int16(e.order.Uint16(at)))
		case miUINT16:
			numbers[i] = int64(e.order.Uint16(at))
		case miINT32:
			numbers[i] = int64(int32(e.order.Uint32(at)))
		default:
			numbers[i] = int64(e.order.Uint32(at))
		}
	}
	return numbers, nil
}

// cutOff names the end of data where there should be more.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the data end in the middle: the file is cut off")
	}
	return err
}
