package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteManifest writes manifest.json.
func WriteManifest(w io.Writer, m Manifest) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// ReadManifest reads what WriteManifest wrote. name stands in errors.
func ReadManifest(r io.Reader, name string) (Manifest, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", name, err)
	}
	var m Manifest
	if offset, err := decodeStrictly(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s:%d: %w", name, 1+bytes.Count(text[:offset], []byte("\n")), err)
	}
	if m.Experiment == "" {
		return Manifest{}, fmt.Errorf("%s: experiment is empty, must name the experiment", name)
	}
	return m, nil
}
