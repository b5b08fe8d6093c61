package language

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ppdp/internal/strictyaml"
)

// Train is how many rows of a table a release is made from: the first ones, in the table's order.
// The rows after them are the test set. The zero value parts nothing. Where folds vary what is
// released from fold to fold, here all trials release the same rows, and their spread is that of
// the noise alone.
type Train struct {
	Rows  int     // a number of rows, or
	Share float64 // a share of all rows, rounded down

	text string
}

// trainForms is what may be written.
const trainForms = "a number of rows such as 30162, or a share of them such as 2/3 or 0.8"

// UnmarshalStrict reads a number of rows, a fraction or a decimal share.
func (t *Train) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.ScalarNode || !t.parse(n.Value) {
		r.Problemf(n, "%q, must be %s", n.Value, trainForms)
	}
}

func (t *Train) parse(text string) bool {
	t.text = text
	if rows, err := strconv.Atoi(text); err == nil {
		t.Rows = rows
		return rows >= 1 && text == strconv.Itoa(rows)
	}
	above, below, fraction := strings.Cut(text, "/")
	if !fraction {
		share, err := strconv.ParseFloat(text, 64)
		t.Share = share
		return err == nil && share > 0 && share < 1
	}
	a, errA := strconv.Atoi(above)
	b, errB := strconv.Atoi(below)
	if errA != nil || errB != nil || a < 1 || a >= b {
		return false
	}
	t.Share = float64(a) / float64(b)
	return true
}

// Set reports whether rows are held out.
func (t *Train) Set() bool { return t.text != "" }

// String is what was written.
func (t *Train) String() string { return t.text }

// Of returns how many of n rows are released.
func (t *Train) Of(n int) (int, error) {
	rows := t.Rows
	if rows == 0 {
		// A third of 3n rows must not lose a row to 1/3 < ⅓.
		rows = int(math.Floor(float64(t.Share*float64(n)) + 1e-9))
	}
	if rows < 1 || rows >= n {
		return 0, fmt.Errorf("train: %s of %d rows: both sides of the split need a row", t.text, n)
	}
	return rows, nil
}

// checkTrain records what the split cannot be combined with.
func (s *Spec) checkTrain(r *strictyaml.Reader) {
	if !s.Train.Set() {
		return
	}
	at := valueOf(s.node, "train")
	if s.Folds > 0 {
		r.Problemf(at, "%s, but folds hold rows out already; give one of the two", s.Train.text)
	}
	if s.Quick.Folds > 0 {
		r.Problemf(valueOf(valueOf(s.node, "quick"), "folds"),
			"%d, but train holds rows out already", s.Quick.Folds)
	}
	for i := range s.sets {
		if d := &s.sets[i]; d.Info.Graph {
			r.Problemf(at, "%s, but %s is a graph: there are no rows to hold out", s.Train.text,
				d.Label())
		}
	}
}

// TrainRows releases the first n rows.
func TrainRows(n int) Train { return Train{Rows: n, text: strconv.Itoa(n)} }

// MarshalStrict is what was written.
func (t Train) MarshalStrict() *strictyaml.Node {
	return &strictyaml.Node{Kind: strictyaml.ScalarNode, Value: t.text}
}
