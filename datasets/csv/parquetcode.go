package csvtable

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
)

// codedField is what a coder makes of a field.
type codedField struct {
	code   uint32
	fault  bool
	number float64
}

// batch is a block of rows that lie in one page of every column.
type batch struct {
	block
	rows    int
	columns []parquetColumn // where it begins
	from    parquetText
}

// batches is the fast way to read rows of a Parquet file, as blocks is of text: a dictionary's
// fields are coded once. From the first batch with a fault on it leaves the rows to Read.
func (t *tableReader) batches(ctx context.Context, p *parquetText) error {
	var idle sync.Pool
	var coded ordered[*batch]
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		for !coded.full() {
			b := p.batch(t.coder)
			if b == nil {
				break
			}
			c, _ := idle.Get().(*coder)
			if c == nil {
				c = t.another()
			}
			coded.start(func() *batch {
				b.code(c)
				idle.Put(c)
				return b
			})
		}
		if coded.empty() {
			return nil
		}
		b := coded.next()
		if !b.plain || t.builder.Len() > math.MaxInt32-b.table.Len() {
			*p = b.from
			for i := range b.columns {
				*p.columns[i] = b.columns[i]
			}
			return nil
		}
		t.take(&b.block)
	}
}

// batch is the next one; nil at the end, and at an error, which Read returns.
func (p *parquetText) batch(with *coder) *batch {
	if p.err == nil {
		p.err = p.more()
	}
	rows := min(p.rows, 1<<13)
	for i, c := range p.columns {
		if p.err == nil {
			p.err = p.fill(c)
		}
		if p.err != nil {
			return nil
		}
		rows = min(rows, int64(c.values))
		if a := with.layout[i]; a >= 0 && c.codes != nil && c.coded == nil {
			c.coded = make([]codedField, c.dictionary.n)
			for k := range c.coded {
				code, number, fault := with.coded(a, &c.dictionary, k)
				c.coded[k] = codedField{code, fault != "", number}
			}
		}
	}
	if p.written += rows * int64(len(p.columns)); p.written-parquetLength > p.limit {
		return nil
	}
	b := &batch{rows: int(rows), from: *p, block: block{records: int(rows)}}
	for _, c := range p.columns {
		b.columns = append(b.columns, *c)
		c.values -= b.rows
		if c.levels == nil {
			c.next += b.rows
			continue
		}
		end := len(c.levels) - c.values
		for _, level := range c.levels[end-b.rows : end] {
			c.next += int(level)
		}
	}
	p.rows -= rows
	p.done += b.rows
	return b
}

// code codes the rows until one has a fault.
func (b *batch) code(c *coder) {
	c.begin(b.rows)
	columns := slices.Clone(b.columns)
	for range b.rows {
		complete := true
		for i := range columns {
			of, a, text := &columns[i], c.layout[i], ""
			at := of.advance()
			switch {
			case a < 0 && a != personal:
				continue
			case at < 0:
				text = c.unquoted(of.null)
			case a >= 0 && of.codes != nil:
				coded := &of.coded[at]
				if coded.fault {
					return
				}
				c.set(a, coded.code, coded.number, &complete)
				continue
			case a >= 0:
				code, number, fault := c.coded(a, &of.parquetFields, at)
				if fault != "" {
					return
				}
				c.set(a, code, number, &complete)
				continue
			default:
				text = c.unquoted(of.at(at))
			}
			if a == personal && !c.named(text) || a >= 0 && c.field(a, text, &complete) != "" {
				return
			}
		}
		c.ended(complete)
	}
	b.end(c)
}

// coded is what column.read makes of a field of an attribute, or of the number that it stands for.
func (c *coder) coded(a int, of *parquetFields, at int) (code uint32, number float64, fault Kind) {
	column := &c.columns[a]
	if of.number != nil && column.plain {
		number = of.number(at)
		code, fault = column.code(number)
		return code, number, fault
	}
	return column.read(c.unquoted(of.at(at)))
}

// unquoted is the text of a field as appendField wrote it, and as a recordGuard reads it.
func (c *coder) unquoted(field string) string {
	if field != "" && field[0] == '"' {
		field = strings.ReplaceAll(field[1:len(field)-1], `""`, `"`)
	}
	if c.format.Trim {
		field = strings.TrimSpace(field)
	}
	return field
}
