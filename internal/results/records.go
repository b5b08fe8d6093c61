package results

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxProblems is how many problems of one file are reported: enough to see a pattern.
const maxProblems = 20

// writeRecord writes a line of records.jsonl. What ReadRecords would refuse is an error.
func writeRecord(to *json.Encoder, c *Record) error {
	if err := c.validate(); err != nil {
		return err
	}
	return to.Encode(c)
}

// NewEncoder writes JSON whose names, such as "a<b", stay readable. Nothing of it is pasted into a
// page unescaped.
func NewEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON writes JSON for people and programs.
func WriteJSON(w io.Writer, v any) error {
	e := NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ReadRecords hands every record of a records.jsonl to each, which may keep it. Unknown keys,
// values out of range, empty lines and a job that occurs twice are errors; up to 20 are reported at
// once as name:line. Records of one setting share it.
func ReadRecords(r io.Reader, name string, each func(c *Record)) error {
	byKey := make(map[string]*Setting)
	type place struct {
		setting *Setting
		fold    int
	}
	lines := make(map[place][]int32) // by trial; 0 where there is none
	var setting *Setting             // of the line before,
	var begin []byte                 // which begins with it: `{"setting":{...},`
	return ReadLines(r, name, func(line int, text []byte) error {
		var parts struct {
			Setting json.RawMessage `json:"setting"`
			Outcome
			Original []Column `json:"original"`
		}
		// Lines of one setting begin alike. To parse that once is half of the work.
		same := setting != nil && bytes.HasPrefix(text, begin)
		if same {
			text = text[len(begin)-1:]
			text[0] = '{'
		}
		if err := Decode(text, &parts); err != nil {
			return err
		}
		if !same || parts.Setting != nil {
			setting = nil
		}
		if setting == nil && len(parts.Setting) > 0 {
			read := new(Setting)
			if err := Decode(parts.Setting, read); err != nil {
				return fmt.Errorf("setting: %w", err)
			}
			if setting = byKey[read.Interned().Key()]; setting == nil {
				setting = read
				byKey[read.Key()] = read
			}
			begin = fmt.Appendf(begin[:0], `{"setting":%s,`, parts.Setting)
		}
		record := Record{Setting: setting, Outcome: parts.Outcome, Original: parts.Original}
		if err := record.validate(); err != nil {
			return err
		}
		at := place{setting, record.FoldIndex()}
		of := lines[at]
		for len(of) <= record.Trial {
			of = append(of, 0)
		}
		lines[at] = of
		if of[record.Trial] != 0 {
			return fmt.Errorf("the same job as line %d", of[record.Trial])
		}
		of[record.Trial] = int32(line)
		each(&record)
		return nil
	})
}

// Timing is how long a job took. Timings have a file of their own because they differ from run to
// run.
type Timing struct {
	Job     int     `json:"cell"`    // index of its line in records.jsonl, from 0
	Release float64 `json:"release"` // seconds
	Measure float64 `json:"measure"` // seconds
}

// timingLine is a line of timings.jsonl: a timing and the Sum of its JSON.
type timingLine struct {
	Timing
	Sum string `json:"sum"`
}

func (t *Timing) line() timingLine {
	text, _ := json.Marshal(t) // numbers
	return timingLine{*t, Sum(text)}
}

// Sum is the checksum of a line: the first 16 hexadecimal digits of its SHA-256.
func Sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text))[:16] }

// timingReader reads timings.jsonl beside the records: a line for each job, in their order. The
// file is not in the manifest, because times differ from run to run; a checksum in each line, and
// the number of lines, show whether it belongs to the run.
type timingReader struct {
	lines *lineReader
	n     int // read
}

// next returns the timing of the next job; it is of no use where end gives an error.
func (r *timingReader) next() (t Timing) {
	text, ok := r.lines.next()
	if !ok || len(r.lines.problems) > 0 {
		return t
	}
	var line timingLine
	if err := Decode(text, &line); err != nil {
		r.lines.problem(err)
		return t
	}
	t = line.Timing
	summed, sum, _ := bytes.Cut(text, []byte(`,"sum":"`))
	summed = append(bytes.Clone(summed), '}')
	switch {
	case t.Job != r.n || !(t.Release >= 0) || !(t.Measure >= 0):
		r.lines.problem(fmt.Errorf("job %d took %v and %v seconds, must be job %d and times of "+
			"0 or more", t.Job, t.Release, t.Measure, r.n))
	case string(sum) != Sum(summed)+`"}`:
		r.lines.problem(errors.New("the line does not match its checksum"))
	default:
		r.n++
	}
	return t
}

// end reports what was wrong with the timings of n jobs.
func (r *timingReader) end(n int) error {
	for more := true; more; {
		before := r.lines.line
		r.next()
		more = r.lines.line > before
	}
	if err := r.lines.err(); err != nil || r.n == n {
		return err
	}
	return fmt.Errorf("%s: times of %d jobs, must be of %d: it belongs to another run",
		r.lines.name, r.n, n)
}

// ReadLines hands every line to parse, which must not keep it, and joins up to 20 errors, each with
// name:line.
func ReadLines(from io.Reader, name string, parse func(line int, text []byte) error) error {
	r := newLineReader(from, name)
	for {
		text, ok := r.next()
		if !ok {
			return r.err()
		}
		if err := parse(r.line, text); err != nil {
			r.problem(err)
		}
	}
}

// lineReader reads lines and gathers what is wrong with them.
type lineReader struct {
	from     *bufio.Reader // bufio.Scanner has a longest line; a record has none
	name     string
	line     int // number of the last one, from 1
	ended    bool
	long     []byte
	problems []error
}

func newLineReader(from io.Reader, name string) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(from, 1<<16), name: name}
}

// next returns the next line, which is good until the one after it. ok is false where there is
// none, or where there are too many problems to go on.
func (r *lineReader) next() (text []byte, ok bool) {
	if r.ended || len(r.problems) >= maxProblems {
		return nil, false
	}
	text, err := r.from.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = r.long[:0]
		for err == bufio.ErrBufferFull {
			r.long = append(r.long, text...)
			text, err = r.from.ReadSlice('\n')
		}
		r.long = append(r.long, text...)
		text = r.long
	}
	r.ended = err != nil
	if err == io.EOF && len(text) == 0 {
		return nil, false
	}
	r.line++
	if err == io.EOF {
		err = errors.New("the last line has no line end, it may be cut off")
	}
	if err != nil {
		r.problem(err)
		return nil, false
	}
	return text[:len(text)-1], true
}

func (r *lineReader) problem(err error) {
	r.problems = append(r.problems, fmt.Errorf("%s:%d: %w", r.name, r.line, err))
}

func (r *lineReader) err() error {
	if len(r.problems) >= maxProblems {
		r.problems = append(r.problems, fmt.Errorf("%s: and perhaps more, stopped reading", r.name))
	}
	return errors.Join(r.problems...)
}

// Decode decodes exactly one JSON value without unknown keys.
func Decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err == io.EOF {
		return errors.New("empty, must hold one JSON object")
	} else if err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%.40q after the object, must be one object", rest)
	}
	return nil
}
