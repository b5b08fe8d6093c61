package results

import (
	"fmt"
	"io"
	"math"
)

// WriteTimings writes timings.jsonl, one object a line.
func WriteTimings(w io.Writer, timings []Timing) error {
	for i := range timings {
		if err := validateTiming(&timings[i]); err != nil {
			return fmt.Errorf("timing %d: %w", i, err)
		}
		if err := writeLine(w, &timings[i]); err != nil {
			return fmt.Errorf("timing %d: %w", i, err)
		}
	}
	return nil
}

// ReadTimings reads timings.jsonl as strictly as ReadRecords.
func ReadTimings(r io.Reader, name string) ([]Timing, error) {
	timings := []Timing{}
	err := readLines(r, name, func(_ int, text []byte) error {
		var t Timing
		if _, err := decodeStrictly(text, &t); err != nil {
			return err
		}
		if err := validateTiming(&t); err != nil {
			return err
		}
		timings = append(timings, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return timings, nil
}

func validateTiming(t *Timing) error {
	if t.Cell < 0 {
		return fmt.Errorf("cell: %d, must be 0 or more", t.Cell)
	}
	for _, seconds := range []float64{t.Load, t.Release, t.Measure} {
		if !(seconds >= 0) || math.IsInf(seconds, 1) {
			return fmt.Errorf("%v seconds, must be 0 or more and finite", seconds)
		}
	}
	return nil
}
