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

// WriteCells writes records.jsonl: one object a line, in the order given. Cells that ReadCells
// would refuse are not written.
func WriteCells(w io.Writer, cells []Cell) error {
	encoder := newEncoder(w)
	for i := range cells {
		err := cells[i].validate()
		if err == nil {
			err = encoder.Encode(&cells[i])
		}
		if err != nil {
			return fmt.Errorf("cell %d: %w", i, err)
		}
	}
	return nil
}

// newEncoder writes JSON whose names, such as "a<b", stay readable. Nothing of it is pasted into a
// page unescaped.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// ReadCells reads what WriteCells wrote. Unknown keys, values out of range, empty lines and a cell
// that occurs twice are errors; up to 20 are reported at once as name:line. Cells of one setting
// share it.
func ReadCells(r io.Reader, name string) ([]Cell, error) {
	var cells []Cell
	byText, byKey := make(map[string]*Setting), make(map[string]*Setting)
	type place struct {
		setting     *Setting
		trial, fold int
	}
	lineOf := make(map[place]int)
	err := readLines(r, name, func(line int, text []byte) error {
		var parts struct {
			Setting json.RawMessage `json:"setting"`
			CellResult
			Original []Column `json:"original"`
		}
		if err := decodeStrictly(text, &parts); err != nil {
			return err
		}
		// Lines of one setting repeat its text: decoding it once saves most of the time.
		setting := byText[string(parts.Setting)]
		if setting == nil && len(parts.Setting) > 0 {
			setting = new(Setting)
			if err := decodeStrictly(parts.Setting, setting); err != nil {
				return fmt.Errorf("setting: %w", err)
			}
			setting.Interned()
			if same := byKey[setting.Key()]; same != nil {
				setting = same
			}
			byText[string(parts.Setting)], byKey[setting.Key()] = setting, setting
		}
		cell := Cell{Setting: setting, CellResult: parts.CellResult, Original: parts.Original}
		if err := cell.validate(); err != nil {
			return err
		}
		at := place{setting, cell.Trial, cell.FoldIndex()}
		if first, taken := lineOf[at]; taken {
			return fmt.Errorf("the same cell as line %d", first)
		}
		lineOf[at] = line
		cells = append(cells, cell)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return cells, nil
}

// Timing is how long a cell took. Timings have a file of their own because they differ from run to
// run.
type Timing struct {
	Cell    int     `json:"cell"`    // index of the cell's line in records.jsonl, from 0
	Release float64 `json:"release"` // seconds
	Measure float64 `json:"measure"` // seconds
}

// timingLine is a line of timings.jsonl: a timing and the first digits of the SHA-256 of its JSON.
type timingLine struct {
	Timing
	Sum string `json:"sum"`
}

func (t *Timing) line() timingLine {
	text, _ := json.Marshal(t) // numbers
	return timingLine{*t, fmt.Sprintf("%x", sha256.Sum256(text))[:16]}
}

func writeTimings(w io.Writer, timings []Timing) error {
	encoder := newEncoder(w)
	for i := range timings {
		if err := encoder.Encode(timings[i].line()); err != nil {
			return err
		}
	}
	return nil
}

// readTimings reads the timings of n cells: one line for each of them, in their order.
func readTimings(r io.Reader, name string, n int) ([]Timing, error) {
	timings := make([]Timing, 0, n)
	err := readLines(r, name, func(_ int, text []byte) error {
		var t timingLine
		if err := decodeStrictly(text, &t); err != nil {
			return err
		}
		if t.Cell != len(timings) || !(t.Release >= 0) || !(t.Measure >= 0) {
			return fmt.Errorf("cell %d took %v and %v seconds, must be cell %d and times of 0 "+
				"or more", t.Cell, t.Release, t.Measure, len(timings))
		}
		if written, err := json.Marshal(t.line()); err != nil || !bytes.Equal(written, text) {
			return errors.New("the line does not match its checksum")
		}
		timings = append(timings, t.Timing)
		return nil
	})
	if err == nil && len(timings) != n {
		err = fmt.Errorf("%s: times of %d cells, must be of %d: it belongs to another run", name,
			len(timings), n)
	}
	if err != nil {
		return nil, err
	}
	return timings, nil
}

// readLines hands every line to parse and joins the errors, each with name:line.
func readLines(r io.Reader, name string, parse func(line int, text []byte) error) error {
	var problems []error
	reader := bufio.NewReaderSize(r, 1<<16) // bufio.Scanner has a longest line; a cell has none
	for line := 1; len(problems) < maxProblems; line++ {
		text, err := reader.ReadBytes('\n')
		last := err != nil
		switch {
		case err == io.EOF && len(text) == 0:
			return errors.Join(problems...)
		case err == io.EOF:
			err = errors.New("the last line has no line end, it may be cut off")
		case err == nil:
			err = parse(line, text[:len(text)-1])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
		}
		if last {
			return errors.Join(problems...)
		}
	}
	problems = append(problems, fmt.Errorf("%s: and perhaps more, stopped reading", name))
	return errors.Join(problems...)
}

// decodeStrictly decodes exactly one JSON value without unknown keys.
func decodeStrictly(text []byte, v any) error {
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
