package csvtable

import (
	"cmp"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// decodeThrift reads a header of the file and returns its bytes.
func decodeThrift(from []byte, to any) (size int, err error) {
	r := &guardedThrift{new(thrift.CompactProtocol).NewReaderFromBytes(from), len(from), []int32{1}}
	err = thrift.NewDecoder(r).Decode(to)
	return r.BytesRead(), err
}

// guardedThrift ends the reading of headers that are deeper than any, and of lists that are longer
// than the bytes that follow.
type guardedThrift struct {
	thrift.BytesReader
	size int
	open []int32 // structures that have not ended, or begun, of each list; 1 without a list
}

func (r *guardedThrift) ReadField() (thrift.Field, error) {
	field, err := r.BytesReader.ReadField()
	switch last := len(r.open) - 1; {
	case err != nil || last < 0 || last == 32 || field.Type == thrift.MAP ||
		field.Type == thrift.SET:
		return field, cmp.Or(err, errDamaged)
	case field.Type == thrift.STRUCT:
		r.open = append(r.open, 1)
	case field.Type == thrift.STOP:
		if r.open[last]--; r.open[last] == 0 {
			r.open = r.open[:last]
		}
	}
	return field, nil
}

func (r *guardedThrift) ReadList() (thrift.List, error) {
	list, err := r.BytesReader.ReadList()
	size := int64(list.Size)
	switch list.Type {
	case thrift.LIST, thrift.SET, thrift.MAP:
		return list, errDamaged
	case thrift.STRUCT:
		if size > 0 {
			r.open = append(r.open, list.Size)
		}
		size *= 3 // none of the format is smaller
	}
	if err == nil && (size < 0 || size > int64(r.size-r.BytesRead())) {
		err = errDamaged
	}
	return list, err
}
