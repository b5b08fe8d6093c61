package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	// Names such as "a<b" stay readable; nothing here is ever pasted into a page unescaped.
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// readLines hands every line to parse and joins the errors, each with name:line.
func readLines(r io.Reader, name string, parse func(line int, text []byte) error) error {
	var problems []error
	// bufio.Scanner has a longest line; a cell's warnings have none.
	reader := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := reader.ReadBytes('\n')
		if err != nil && err != io.EOF {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
			break
		}
		last := err == io.EOF
		if last && len(text) == 0 {
			break
		}
		if last {
			problems = append(problems, fmt.Errorf("%s:%d: the last line has no line end, it may be cut off", name, line))
			break
		}
		text = text[:len(text)-1]
		if len(bytes.TrimSpace(text)) == 0 {
			problems = append(problems, fmt.Errorf("%s:%d: empty line, must hold one JSON object", name, line))
		} else if err := parse(line, text); err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
		}
		if len(problems) == maxProblems {
			problems = append(problems, fmt.Errorf("%s:%d: and perhaps more, stopped reading", name, line))
			break
		}
	}
	return errors.Join(problems...)
}

// decodeStrictly decodes exactly one JSON object. offset is about where an error lies.
func decodeStrictly(text []byte, v any) (offset int64, err error) {
	if !utf8.Valid(text) {
		return 0, errors.New("the text is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if offset, err := refuseRepeatedKeys(d); err != nil {
		return offset, err
	}
	end := d.InputOffset()
	if rest := bytes.TrimSpace(text[end:]); len(rest) > 0 {
		return end, fmt.Errorf("%.40q after the object, must be one object", rest)
	}
	d = json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return d.InputOffset(), err
	}
	return 0, nil
}

// refuseRepeatedKeys walks one JSON object. encoding/json would silently let the last of two equal
// keys win.
func refuseRepeatedKeys(d *json.Decoder) (offset int64, err error) {
	type level struct {
		keys    map[string]bool // nil in an array
		wantKey bool
	}
	var stack []level
	for {
		offset = d.InputOffset()
		token, err := d.Token()
		if err == io.EOF {
			return offset, io.ErrUnexpectedEOF
		}
		if err != nil {
			return offset, err
		}
		if delimiter, ok := token.(json.Delim); ok && (delimiter == '}' || delimiter == ']') {
			stack = stack[:len(stack)-1]
		} else {
			if len(stack) == 0 && token != json.Delim('{') {
				return offset, fmt.Errorf("found %v, must be an object", token)
			}
			if top := len(stack) - 1; top >= 0 && stack[top].wantKey {
				key := token.(string) // the decoder has checked that keys are strings
				if stack[top].keys[key] {
					return offset, fmt.Errorf("key %q is given twice", key)
				}
				stack[top].keys[key] = true
				stack[top].wantKey = false
				continue
			}
			if ok && delimiter == '{' {
				stack = append(stack, level{make(map[string]bool), true})
				continue
			}
			if ok {
				stack = append(stack, level{})
				continue
			}
		}
		// A value ended: the enclosing object wants a key next.
		if len(stack) == 0 {
			return d.InputOffset(), nil
		}
		stack[len(stack)-1].wantKey = stack[len(stack)-1].keys != nil
	}
}
