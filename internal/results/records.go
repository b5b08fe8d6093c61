package results

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// readTimings reads timings.jsonl beside the records: a line for each job, in their order. The file
// is not in the manifest, because times differ from run to run; a checksum in each line, and the
// number of lines, show whether it belongs to the run. Without the file there are none.
func readTimings(dir string) (times []Timing, err error) {
	err = ParseFile(dir, TimingsFile, func(from io.Reader, path string) error {
		times = []Timing{}
		return ReadLines(from, path, func(_ int, text []byte) error {
			var line timingLine
			if err := Decode(text, &line); err != nil {
				return err
			}
			t := line.Timing
			written, _ := json.Marshal(t.line()) // numbers and a word
			switch {
			case t.Job != len(times) || !(t.Release >= 0) || !(t.Measure >= 0):
				return fmt.Errorf("job %d took %v and %v seconds, must be job %d and times of "+
					"0 or more", t.Job, t.Release, t.Measure, len(times))
			case !bytes.Equal(written, text):
				return errors.New("the line does not match its checksum")
			}
			times = append(times, t)
			return nil
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return times, err
}

// ReadLines hands every line to parse, which must not keep it, and joins up to 20 errors, each with
// name:line.
func ReadLines(from io.Reader, name string, parse func(line int, text []byte) error) error {
	// bufio.Scanner has a longest line; a record has none
	reader := bufio.NewReaderSize(from, 1<<16)
	var problems []error
	for line, ended := 1, false; !ended; line++ {
		text, err := readLine(reader)
		if ended = err != nil; err == io.EOF && len(text) == 0 {
			break
		}
		if err == io.EOF {
			err = errors.New("the last line has no line end, it may be cut off")
		}
		if err == nil {
			err = parse(line, text[:len(text)-1])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
		}
		if len(problems) == maxProblems {
			problems = append(problems, fmt.Errorf("%s: and perhaps more, stopped reading", name))
			break
		}
	}
	return errors.Join(problems...)
}

// readLine returns a line with its end. It is good until the next one is read.
func readLine(from *bufio.Reader) ([]byte, error) {
	text, err := from.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return text, err
	}
	text = bytes.Clone(text)
	rest, err := from.ReadBytes('\n')
	return append(text, rest...), err
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
