package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"ppdp/algorithms"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// ErrLedger is wrapped by every error of a ledger that refuses a release or cannot be trusted.
var ErrLedger = errors.New("ledger")

// Ledger is the file beside a table that adds up what all its releases cost. A release is entered,
// and the file and its folder brought to disk, before any noise for it is drawn: whatever happens
// afterwards, it counts as spent. Each line holds a digest of itself and those before it, so that
// accidents and careless edits are found; someone who wants to can write a ledger anew.
type Ledger struct {
	path  string
	lines []ledgerLine
}

// ledgerLine is one line. One of its pointers is set.
type ledgerLine struct {
	Ledger    *ledgerTable     `json:"ledger,omitempty"`
	Allowed   *ledgerAllowed   `json:"allowed,omitempty"`
	Release   *ledgerRelease   `json:"release,omitempty"`
	Published *ledgerPublished `json:"published,omitempty"`
	Chain     string           `json:"chain"`
}

// ledgerTable is the first line.
type ledgerTable struct {
	Format string `json:"format"`
	Table  string `json:"table"` // SHA-256 of the file
}

const ledgerFormat = "ppdp ledger 1"

// ledgerAllowed is what all releases may cost together. It is written with the first release under
// differential privacy.
type ledgerAllowed struct {
	Epsilon  float64 `json:"epsilon"`
	Delta    float64 `json:"delta"`
	Unit     string  `json:"unit"`  // what costs are added up in
	Total    float64 `json:"total"` // in the unit
	Protects string  `json:"protects"`
	Relation string  `json:"relation"`
}

// ledgerRelease is one release. Cost is in the ledger's unit, 0 without differential privacy.
type ledgerRelease struct {
	Number    int     `json:"number"`
	Time      string  `json:"time"`
	Table     string  `json:"table"`
	Algorithm string  `json:"algorithm"`
	Variant   string  `json:"variant"`
	Params    string  `json:"params"`
	Guarantee string  `json:"guarantee"`
	Epsilon   float64 `json:"epsilon"`
	Delta     float64 `json:"delta"`
	Cost      float64 `json:"cost"`
	Program   string  `json:"program"`
}

// ledgerPublished says that the folder of a release is complete.
type ledgerPublished struct {
	Number      int    `json:"number"`
	Certificate string `json:"certificate"` // SHA-256 of the file
}

// Beside is the path of a file that belongs to a table: my.ledger.jsonl of my.csv.gz.
func Beside(table, ending string) string {
	stem := strings.TrimSuffix(table, ".gz")
	return strings.TrimSuffix(stem, filepath.Ext(stem)) + ending
}

const ledgerEnding = ".ledger.jsonl"

// changeLedger runs a change of a ledger under its lock: no two processes change it at once.
func changeLedger(path string, change func(l *Ledger) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	unlock, err := lockedfile.MutexAt(path + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLedger, err)
	}
	defer unlock()
	l, err := readLedger(path)
	if err != nil {
		return err
	}
	return change(l)
}

// readLedger reads a ledger; one that does not exist has no lines.
func readLedger(path string) (*Ledger, error) {
	l := &Ledger{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLedger, err)
	}
	if len(text) == 0 {
		return nil, l.wrong(1, "an empty file")
	}
	releases := 0
	for n, line := range bytes.SplitAfter(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var read ledgerLine
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&read); err != nil || line[len(line)-1] != '\n' {
			return nil, l.wrong(n+1, "a line that is torn or no ledger's")
		}
		// A line is what would be written: anything else has been edited.
		if chain := l.chain(read); chain != read.Chain || !bytes.Equal(line, read.text()) {
			return nil, l.wrong(n+1, "a line that has been edited, or that follows one that has")
		}
		if r := read.Release; r != nil {
			releases++
			if r.Number != releases || r.Cost < 0 {
				return nil, l.wrong(n+1, "a release out of order")
			}
		}
		if (n == 0) != (read.Ledger != nil) || read.Ledger != nil &&
			read.Ledger.Format != ledgerFormat {
			return nil, l.wrong(n+1, fmt.Sprintf("not the beginning of a %s", ledgerFormat))
		}
		l.lines = append(l.lines, read)
	}
	return l, nil
}

func (l *Ledger) wrong(line int, what string) error {
	return fmt.Errorf("%w %s:%d: %s: it cannot say what has been spent. Restore it from a backup; "+
		"never start a new one while earlier releases are out", ErrLedger, l.path, line, what)
}

func (line ledgerLine) text() []byte {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // plain values
	}
	return append(text, '\n')
}

// chain is the digest of a line after those there are.
func (l *Ledger) chain(line ledgerLine) string {
	line.Chain = ""
	if n := len(l.lines); n > 0 {
		line.Chain = l.lines[n-1].Chain
	}
	sum := sha256.Sum256(line.text())
	return hex.EncodeToString(sum[:])
}

func (l *Ledger) add(line ledgerLine) {
	line.Chain = l.chain(line)
	l.lines = append(l.lines, line)
}

// write brings the ledger to disk: file first, then its name.
func (l *Ledger) write() error {
	err := results.WriteFile(l.path, func(w io.Writer) error {
		for _, line := range l.lines {
			if _, err := w.Write(line.text()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLedger, err)
	}
	return nil
}

func (l *Ledger) allowed() *ledgerAllowed {
	for _, line := range l.lines {
		if line.Allowed != nil {
			return line.Allowed
		}
	}
	return nil
}

// Spent is what the releases so far cost, exactly: in the unit of what is allowed.
func (l *Ledger) spent() *big.Rat {
	sum := new(big.Rat)
	for _, line := range l.lines {
		if line.Release != nil {
			sum.Add(sum, decimal(line.Release.Cost))
		}
	}
	return sum
}

// decimal is the number that a float64 is written as: ten times 0.1 is 1.
func decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("release: %v is no finite number", x))
	}
	return r
}

func number(x *big.Rat) string {
	f, _ := x.Float64()
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// Total is what all releases of a table may cost together, as its holder states it: (epsilon,
// delta), 0 and 0 where the ledger has it already. With a delta costs are added up in rho.
type Total struct{ Epsilon, Delta float64 }

// allow finds or enters what is allowed.
func (l *Ledger) allow(total Total, g *algorithms.Guarantee) (*ledgerAllowed, error) {
	a := l.allowed()
	switch {
	case a == nil && total.Epsilon == 0:
		return nil, fmt.Errorf("%w %s: it does not say yet what all releases of the table may "+
			"cost together: --total EPSILON does", ErrLedger, l.path)
	case a == nil:
		a = &ledgerAllowed{Epsilon: total.Epsilon, Delta: total.Delta, Protects: g.Unit,
			Relation: g.Relation, Unit: string(privacy.Epsilon), Total: total.Epsilon}
		if total.Delta > 0 {
			a.Unit, a.Total = string(privacy.Rho), privacy.RhoOf(total.Epsilon, total.Delta)
		}
		l.add(ledgerLine{Allowed: a})
	case total.Epsilon != 0 && (total.Epsilon != a.Epsilon || total.Delta != a.Delta):
		return nil, fmt.Errorf("%w %s: the total is epsilon %v and delta %v since its first "+
			"release, must stay what it is; it need not be given again", ErrLedger, l.path,
			a.Epsilon, a.Delta)
	case a.Relation != g.Relation || a.Protects != g.Unit:
		return nil, fmt.Errorf("%w %s: it adds up what protects a %s (%s); this release protects "+
			"a %s (%s), which cannot be added to that", ErrLedger, l.path, a.Protects, a.Relation,
			g.Unit, g.Relation)
	}
	return a, nil
}

// costIn is what a release of (epsilon, delta) costs in a ledger's unit.
func costIn(unit string, epsilon, delta float64) (float64, error) {
	switch {
	case unit == string(privacy.Epsilon) && delta > 0:
		return 0, errors.New("it adds up pure epsilon, in which a release with a delta has no " +
			"cost: take delta 0")
	case unit == string(privacy.Epsilon):
		return epsilon, nil
	case delta > 0:
		return privacy.RhoOf(epsilon, delta), nil
	}
	return float64(epsilon * epsilon / 2), nil
}

// Standing is where a ledger stands after a release was entered.
type Standing struct {
	Number int // of the release, from 1
	// Unit, Total, Before and Cost are of the budget; zero without differential privacy.
	Unit                string
	Total, Before, Cost float64
	// Epsilon and Delta are what the total stands for.
	Epsilon, Delta float64
	// Anonymised is how many earlier releases are under k-anonymity.
	Anonymised int
}

// reserve enters a release, or says why it may not be made. When it returns nil, the release is
// spent.
func reserve(path string, r ledgerRelease, g *algorithms.Guarantee, total Total,
	changed bool, now time.Time) (s Standing, err error) {
	err = changeLedger(path, func(l *Ledger) error {
		s, err = l.reserve(r, g, total, changed, now)
		if err == nil {
			err = l.write()
		}
		return err
	})
	return s, err
}

func (l *Ledger) reserve(r ledgerRelease, g *algorithms.Guarantee, total Total, changed bool,
	now time.Time) (Standing, error) {
	if len(l.lines) == 0 {
		l.add(ledgerLine{Ledger: &ledgerTable{Format: ledgerFormat, Table: r.Table}})
	}
	last, s := l.lines[0].Ledger.Table, Standing{Number: 1}
	for _, line := range l.lines {
		if line.Release != nil {
			last = line.Release.Table
			s.Number++
			if line.Release.Guarantee == string(algorithms.KAnonymity) {
				s.Anonymised++
			}
		}
	}
	if last != r.Table && !changed {
		return s, fmt.Errorf("%w %s: the table is not the one of the last release (SHA-256 "+
			"%.12s…, was %.12s…). If it is a newer state of the same people's data, "+
			"--changed goes on within the same total; other people's data need a ledger of "+
			"their own (--ledger)", ErrLedger, l.path, r.Table, last)
	}
	if g.Model == algorithms.DifferentialPrivacy {
		a, err := l.allow(total, g)
		if err != nil {
			return s, err
		}
		if r.Cost, err = costIn(a.Unit, r.Epsilon, r.Delta); err != nil {
			return s, fmt.Errorf("%w %s: %w", ErrLedger, l.path, err)
		}
		spent := l.spent()
		left := new(big.Rat).Sub(decimal(a.Total), spent)
		if decimal(r.Cost).Cmp(left) > 0 {
			return s, fmt.Errorf("%w %s: of %v in %s, %s are spent and %s are left; the release "+
				"would cost %v%s", ErrLedger, l.path, a.Total, a.Unit, number(spent), number(left),
				r.Cost, affordable(a.Unit, left, r.Delta))
		}
		s.Unit, s.Total, s.Cost, s.Epsilon, s.Delta = a.Unit, a.Total, r.Cost, a.Epsilon, a.Delta
		s.Before, _ = spent.Float64()
	}
	r.Number, r.Time = s.Number, now.UTC().Format(time.RFC3339)
	l.add(ledgerLine{Release: &r})
	return s, nil
}

// affordable says which epsilon what is left would pay for.
func affordable(unit string, left *big.Rat, delta float64) string {
	rest, _ := left.Float64()
	switch {
	case !(rest > 0) || unit == string(privacy.Epsilon):
		return ""
	case delta > 0:
		rest = privacy.EpsilonOf(rest, delta)
	default:
		f, _ := new(big.Float).Sqrt(new(big.Float).SetFloat64(2 * rest)).Float64()
		rest = f
	}
	return fmt.Sprintf(" (at delta %v an epsilon of up to about %.4g is left)", delta, rest)
}

// markPublished enters that a release's folder is complete.
func markPublished(path string, number int, digest string) error {
	return changeLedger(path, func(l *Ledger) error {
		l.add(ledgerLine{Published: &ledgerPublished{number, digest}})
		return l.write()
	})
}
