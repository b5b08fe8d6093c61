package csvtable

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"ppdp/datasets"
)

// fieldTexts append values of a column as fields; what its physical type does not need is nil.
type fieldTexts struct {
	whole func(to []byte, number int64) []byte
	bytes func(to, value []byte) []byte
	old   func(to []byte, day deprecated.Int96) []byte
}

// meaning is a column's logical type, or what files of older programs state in its place.
func meaning(of *format.SchemaElement) format.LogicalTypeValue {
	if of.LogicalType.Value != nil || !of.ConvertedType.Valid {
		return of.LogicalType.Value
	}
	unit := format.TimeUnit{Value: new(format.MilliSeconds)}
	switch kind := of.ConvertedType.V; kind {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return new(format.StringType)
	case deprecated.Decimal:
		return &format.DecimalType{Scale: of.Scale.V}
	case deprecated.Date:
		return new(format.DateType)
	case deprecated.TimeMillis:
		return &format.TimeType{Unit: unit}
	case deprecated.TimeMicros:
		return &format.TimeType{Unit: format.TimeUnit{Value: new(format.MicroSeconds)}}
	case deprecated.TimestampMillis:
		return &format.TimestampType{Unit: unit}
	case deprecated.TimestampMicros:
		return &format.TimestampType{Unit: format.TimeUnit{Value: new(format.MicroSeconds)}}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64,
		deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{IsSigned: kind >= deprecated.Int8}
	}
	return new(format.BsonType) // of no table
}

// fieldsOf sets how a column's values are written as fields: numbers as short as leads back to
// them, dates and times as the schema writes them, else YYYY-MM-DD hh:mm:ss. ok is false for no
// type of tables.
func (p *parquetText) fieldsOf(c *parquetColumn, of *format.SchemaElement) (ok bool) {
	whole := c.physical == format.Int32 || c.physical == format.Int64
	texts := c.physical == format.ByteArray || c.physical == format.FixedLenByteArray
	timed := func(unit format.TimeUnit, layout string) bool {
		if unit.Value == nil || !whole {
			return false
		}
		size := int64(unit.Value.Duration())
		c.whole = func(to []byte, number int64) []byte {
			seconds := number / (1e9 / size)
			at := time.Unix(seconds, (number-seconds*(1e9/size))*size)
			return c.appendTime(to, at, layout)
		}
		return true
	}
	switch logical := meaning(of).(type) {
	case nil:
		c.whole = func(to []byte, number int64) []byte { return strconv.AppendInt(to, number, 10) }
		c.bytes = func(to, value []byte) []byte { return appendField(to, string(value)) }
		c.old = func(to []byte, day deprecated.Int96) []byte { // nanoseconds of a Julian day
			at := time.Unix(24*3600*(int64(day[2])-2440588), int64(day[0])|int64(day[1])<<32)
			return c.appendTime(to, at, dateLayout+" "+timeLayout)
		}
		return c.physical != format.FixedLenByteArray
	case *format.NullType:
		c.whole = func(to []byte, _ int64) []byte { return to }
		c.bytes = func(to, _ []byte) []byte { return to }
		return whole || texts
	case *format.IntType:
		c.whole = func(to []byte, number int64) []byte {
			switch {
			case logical.IsSigned:
				return strconv.AppendInt(to, number, 10)
			case c.physical == format.Int32:
				return strconv.AppendUint(to, uint64(uint32(number)), 10)
			}
			return strconv.AppendUint(to, uint64(number), 10)
		}
		return whole
	case *format.DateType:
		c.whole = func(to []byte, day int64) []byte {
			return c.appendTime(to, time.Unix(24*3600*day, 0), dateLayout)
		}
		return c.physical == format.Int32
	case *format.TimeType:
		return timed(logical.Unit, timeLayout)
	case *format.TimestampType:
		return timed(logical.Unit, dateLayout+" "+timeLayout)
	case *format.DecimalType:
		scale := int(logical.Scale)
		c.whole = func(to []byte, number int64) []byte {
			return p.appendDecimal(to, big.NewInt(number), scale)
		}
		c.bytes = func(to, value []byte) []byte {
			number := new(big.Int).SetBytes(value)
			if len(value) > 0 && value[0] >= 0x80 {
				number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
			}
			return p.appendDecimal(to, number, scale)
		}
		return (whole || texts && c.width <= 32) && scale >= 0 && scale <= 76 // as in Arrow
	case *format.UUIDType:
		c.bytes = func(to, value []byte) []byte {
			for i := 0; i < 16; i += 2 {
				if i >= 4 && i <= 10 { // 8-4-4-4-12 digits
					to = append(to, '-')
				}
				to = hex.AppendEncode(to, value[i:i+2])
			}
			return to
		}
		return c.physical == format.FixedLenByteArray && c.width == 16
	case *format.StringType, *format.EnumType, *format.JsonType:
		c.bytes = func(to, value []byte) []byte { return appendField(to, string(value)) }
		return c.physical == format.ByteArray
	}
	return false
}

const (
	dateLayout = "2006-01-02"
	timeLayout = "15:04:05.999999999"
)

// appendTime writes a date or time in the schema's form, or in full where that would leave some of
// it out.
func (c *parquetColumn) appendTime(to []byte, at time.Time, layout string) []byte {
	dated := strings.Contains(layout, "2006")
	if c.layout != "" && dated == strings.Contains(c.layout, "2006") && at.Nanosecond() == 0 &&
		at.Unix()%c.unit == 0 {
		layout = c.layout
	}
	begin := len(to)
	to = at.UTC().AppendFormat(to, layout)
	if bytes.IndexByte(to[begin:], ',') >= 0 { // of the schema's form
		return appendField(to[:begin], string(to[begin:]))
	}
	return to
}

// appendFloat writes a number of some bits.
func (p *parquetText) appendFloat(to []byte, number float64, bits int) []byte {
	return p.pointed(datasets.AppendNumber(to, number, bits), len(to))
}

// appendDecimal writes a whole number with some of its digits after the point.
func (p *parquetText) appendDecimal(to []byte, number *big.Int, scale int) []byte {
	begin := len(to)
	if number.Sign() < 0 {
		to = append(to, '-')
	}
	digits := new(big.Int).Abs(number).String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	to = append(to, digits[:len(digits)-scale]...)
	if scale > 0 {
		to = append(append(to, '.'), digits[len(digits)-scale:]...)
	}
	return p.pointed(to, begin)
}

// pointed writes a number with the format's comma.
func (p *parquetText) pointed(to []byte, begin int) []byte {
	if point := bytes.IndexByte(to[begin:], '.'); p.comma && point >= 0 {
		number := string(to[begin:begin+point]) + "," + string(to[begin+point+1:])
		return appendField(to[:begin], number)
	}
	return to
}
