package csvtable

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"unicode"

	"ppdp/datasets"
)

// blocks is the fast way to read rows. It divides the text into blocks of whole lines, codes them
// on all processors and adds the rows in order. It takes plain lines only: the right number of
// fields, without faults, each quoted as a whole or not at all. At the first block with any other
// line it stops and leaves that block and all after it to rows, which reads record by record with
// encoding/csv and reports faults.
func (t *tableReader) blocks(ctx context.Context) error {
	ahead, _ := t.guard.buffered.Peek(t.guard.buffered.Buffered()) // never more than there is
	text := &blockReader{from: io.MultiReader(bytes.NewReader(bytes.Clone(ahead)), t.guard.reader),
		buffer: make([]byte, t.block)}
	var idle []*coder
	var coded ordered[*block]
	var odd *block // the first that is not plain
	above := t.above
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		for text.err == nil && !coded.full() {
			if len(idle) == 0 {
				idle = append(idle, t.another())
			}
			b := &block{text: text.next(), coder: idle[0]}
			idle = idle[1:]
			whole := text.err == nil || text.err == io.EOF
			coded.start(func() *block {
				if whole {
					b.code()
				}
				return b
			})
		}
		if coded.empty() {
			break
		}
		b := coded.next()
		if !b.plain || t.builder.Len() > math.MaxInt32-b.builder.Len() {
			odd = b
			break
		}
		t.take(b)
		idle = append(idle, b.coder)
		above += strings.Count(b.text, "\n")
	}
	var rest []io.Reader
	for b := odd; b != nil; {
		rest = append(rest, strings.NewReader(b.text))
		if b = nil; !coded.empty() {
			b = coded.next()
		}
	}
	t.guard = newGuard(t.file, io.MultiReader(append(rest, text.rest())...), t.format.Delimiter,
		t.format.Trim)
	t.guard.above, t.guard.line, t.guard.fields = above, above, len(t.layout)
	return nil
}

// take adds the rows of a block.
func (t *tableReader) take(b *block) {
	t.builder.Append(b.builder.Table())
	t.met(b.people)
	t.done += b.records
	t.dropped += b.dropped
	for a, rows := range b.lacking {
		t.lacking[a] += rows
	}
}

// block is a part of the text, whole lines, and what it was coded as.
type block struct {
	text string
	*coder
	plain   bool // all lines are; otherwise what else was coded does not count
	records int  // with those dropped for a missing value
}

// code codes the lines of a block until one is not plain.
func (b *block) code() {
	c := b.coder
	c.builder = datasets.NewBuilder(c.format.Schema, strings.Count(b.text, "\n")+1)
	c.dropped, c.people = 0, nil
	clear(c.lacking)
	quotes := strings.IndexByte(b.text, '"') >= 0
	for rest := b.text; rest != ""; {
		line := rest
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			line, rest = rest[:end], rest[end+1:]
		} else {
			rest = ""
		}
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			if len(c.layout) == 1 {
				return
			}
			continue
		}
		if !c.line(line, quotes) {
			return
		}
		b.records++
	}
	b.plain = true
}

// line codes one line and reports whether it is plain. quotes says whether the block has any quote.
func (c *coder) line(rest string, quotes bool) (plain bool) {
	delimiter, complete := byte(c.format.Delimiter), true
	for i := 0; ; i++ {
		if i == len(c.layout) {
			return false
		}
		if c.format.Trim {
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		}
		text, end := rest, -1
		if quotes && rest != "" && rest[0] == '"' {
			if end = 1 + strings.IndexByte(rest[1:], '"'); end == 0 ||
				end+1 < len(rest) && rest[end+1] != delimiter {
				return false
			}
			text, rest = rest[1:end], rest[end+1:]
			if end = 0; rest == "" {
				end = -1
			}
		} else {
			if end = strings.IndexByte(rest, delimiter); end >= 0 {
				text = rest[:end]
			}
			if quotes && strings.IndexByte(text, '"') >= 0 {
				return false
			}
		}
		if c.format.Trim {
			text = strings.TrimSpace(text)
		}
		if a := c.layout[i]; a == personal && !c.named(text) ||
			a >= 0 && c.field(a, text, &complete) != "" {
			return false
		}
		if end >= 0 {
			rest = rest[end+1:]
			continue
		}
		if i+1 < len(c.layout) {
			return false
		}
		if complete {
			c.add()
		} else {
			c.dropped++
		}
		return true
	}
}

// blockReader divides a text at the ends of lines.
type blockReader struct {
	from   io.Reader
	buffer []byte
	kept   int   // bytes of the buffer that begin the next block
	err    error // why there is no next block; io.EOF at the end of the text
}

// next returns the next lines. With an error, its text need not end where a line does.
func (r *blockReader) next() string {
	n, err := io.ReadFull(r.from, r.buffer[r.kept:])
	text := r.buffer[:r.kept+n]
	r.kept = 0
	if err == nil {
		if end := bytes.LastIndexByte(text, '\n') + 1; end > 0 {
			lines := string(text[:end])
			r.kept = copy(r.buffer, text[end:])
			return lines
		}
		err = errLongRecord
	} else if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	r.err = err
	return string(text)
}

// rest is the text behind the last block that next returned.
func (r *blockReader) rest() io.Reader {
	if r.err != nil && r.err != errLongRecord {
		return failed{r.err}
	}
	return io.MultiReader(bytes.NewReader(r.buffer[:r.kept]), r.from)
}

// failed is a text that cannot be read.
type failed struct{ error }

func (f failed) Read([]byte) (int, error) { return 0, f.error }
