package cmd

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// cleanWriter makes text from files, names and panics safe for terminals: control characters, bytes
// that are not UTF-8 and marks that turn the direction of writing are written as text, such as
// \x1b.
type cleanWriter struct {
	to   io.Writer
	torn []byte // the beginning of a character whose rest is in the next Write
	line []byte
}

func clean(to io.Writer) *cleanWriter { return &cleanWriter{to: to} }

// Write writes all of text, or keeps up to three bytes of it back.
func (w *cleanWriter) Write(text []byte) (int, error) {
	w.line = w.line[:0]
	rest := append(w.torn, text...)
	for len(rest) > 0 && utf8.FullRune(rest) {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			w.line = fmt.Appendf(w.line, `\x%02x`, rest[0])
		case r == '\n', r == '\t', !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r):
			w.line = append(w.line, rest[:size]...)
		case r < 0x80:
			w.line = fmt.Appendf(w.line, `\x%02x`, r)
		default:
			w.line = fmt.Appendf(w.line, `\u%04x`, r)
		}
		rest = rest[size:]
	}
	w.torn = append([]byte(nil), rest...)
	if _, err := w.to.Write(w.line); err != nil {
		return 0, err
	}
	return len(text), nil
}
