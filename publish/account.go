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
	"math"
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

// ErrAccount is wrapped by every error of an account that refuses a release or is damaged.
var ErrAccount = errors.New("account")

// account is the file beside a private table that adds up what all releases of the table cost.
//
// It is a text of JSON lines: a head, what all releases may cost together, and two lines for each
// release. The first of these is written, and flushed to disk, before any noise for the release is
// drawn. Whatever happens afterwards, the release counts as spent. The second says that its folder
// is complete.
//
// The chain field of a line is the SHA-256 of the line before it and the line itself. This finds
// accidents and careless edits. It does not stop a person who writes the whole file anew.
type account struct {
	path  string
	lines []accountLine
}

// accountLine is one line. Exactly one of its pointers is set. Accounts were once called ledgers:
// the head keeps its key and its format, because the chain covers the text as it is.
type accountLine struct {
	Head      *accountHead  `json:"ledger,omitempty"`
	Allowed   *allowance    `json:"allowed,omitempty"`
	Release   *accountEntry `json:"release,omitempty"`
	Published *completion   `json:"published,omitempty"`
	Chain     string        `json:"chain"`
}

// accountHead is the first line.
type accountHead struct {
	Format string `json:"format"`
	Table  string `json:"table"` // SHA-256 of the table's file, as it was at the first release
}

const accountFormat = "ppdp ledger 1"

// allowance is what all releases may cost together. It is written with the first release under
// differential privacy.
type allowance struct {
	Epsilon  float64 `json:"epsilon"`
	Delta    float64 `json:"delta"`
	Unit     string  `json:"unit"`  // what costs are added up in: epsilon, or rho with a delta
	Total    float64 `json:"total"` // in the unit
	Protects string  `json:"protects"`
	Relation string  `json:"relation"`
}

// accountEntry is one release. Cost is in the allowance's unit, 0 without differential privacy.
type accountEntry struct {
	Number    int     `json:"number"` // from 1
	Time      string  `json:"time"`
	Table     string  `json:"table"` // SHA-256 of the file
	Algorithm string  `json:"algorithm"`
	Variant   string  `json:"variant"`
	Params    string  `json:"params"`
	Guarantee string  `json:"guarantee"`
	Epsilon   float64 `json:"epsilon"`
	Delta     float64 `json:"delta"`
	Cost      float64 `json:"cost"`
	Program   string  `json:"program"`
}

// completion says that the folder of a release is complete.
type completion struct {
	Number      int    `json:"number"`
	Certificate string `json:"certificate"` // SHA-256 of the file
}

// Beside is the path of a file that belongs to a table: my.account.jsonl of my.csv.gz.
func Beside(table, ending string) string {
	stem := strings.TrimSuffix(table, ".gz")
	return strings.TrimSuffix(stem, filepath.Ext(stem)) + ending
}

// accountEnding is how the names of accounts end, oldEnding how they ended once.
const accountEnding, oldEnding = ".account.jsonl", ".ledger.jsonl"

// accountPath is the path of the account of a request's table: the one given, else the file beside
// the table. An account under the old name stays in use, and the holder is notified: a new account
// beside it would start with nothing spent. Two accounts are an error for the same reason.
func (r *Request) accountPath() (string, error) {
	if r.Account != "" {
		return r.Account, nil
	}
	path, old := Beside(r.Table, accountEnding), Beside(r.Table, oldEnding)
	var found []string
	for _, name := range []string{path, old} {
		switch _, err := os.Lstat(name); {
		case err == nil:
			found = append(found, name)
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("%w: %w", ErrAccount, err)
		}
	}
	switch {
	case len(found) == 2:
		return "", fmt.Errorf("%w: both %s and %s exist, must be one: name the one that has all "+
			"releases of the table with --account", ErrAccount, path, old)
	case len(found) == 1 && found[0] == old:
		r.Log(fmt.Sprintf("%s is the account of the table, under the name that accounts had "+
			"before; it stays in use", old))
		return old, nil
	}
	return path, nil
}

// changeAccount reads an account, changes it and writes it back. A lock file beside it keeps other
// processes from changing it at the same time. Nothing is written when change returns an error.
func changeAccount(path string, change func(a *account) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	unlock, err := lockedfile.MutexAt(path + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAccount, err)
	}
	defer unlock()
	a, err := readAccount(path)
	if err != nil {
		return err
	}
	if err := change(a); err != nil {
		return err
	}
	return a.write()
}

// readAccount reads an account and verifies its chain. An account that does not exist has no lines.
func readAccount(path string) (*account, error) {
	a := &account{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAccount, err)
	}
	if len(text) == 0 {
		return nil, a.damaged(1, "an empty file")
	}
	releases, n := 0, 0
	for line := range bytes.Lines(text) {
		n++
		var read accountLine
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&read); err != nil || line[len(line)-1] != '\n' {
			return nil, a.damaged(n, "a torn line, or not a line of an account")
		}
		// The line must have the bytes that this program would write, not only the same values.
		if a.chain(read) != read.Chain || !bytes.Equal(line, read.text()) {
			return nil, a.damaged(n, "a line that has been edited, or that follows one that has")
		}
		if r := read.Release; r != nil {
			releases++
			if r.Number != releases || r.Cost < 0 {
				return nil, a.damaged(n, "a release out of order")
			}
		}
		if (n == 1) != (read.Head != nil) || n == 1 && read.Head.Format != accountFormat {
			return nil, a.damaged(n, "not an account of the format "+accountFormat)
		}
		a.lines = append(a.lines, read)
	}
	return a, nil
}

// damaged is the error of a file that cannot be relied on.
func (a *account) damaged(line int, what string) error {
	return fmt.Errorf("%w %s:%d: %s: it cannot say what has been spent. Restore it from a backup; "+
		"never start a new one while earlier releases are out", ErrAccount, a.path, line, what)
}

func (line accountLine) text() []byte {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // plain values
	}
	return append(text, '\n')
}

// chain is the digest of a line that follows the lines read so far.
func (a *account) chain(line accountLine) string {
	line.Chain = ""
	if n := len(a.lines); n > 0 {
		line.Chain = a.lines[n-1].Chain
	}
	sum := sha256.Sum256(line.text())
	return hex.EncodeToString(sum[:])
}

func (a *account) add(line accountLine) {
	line.Chain = a.chain(line)
	a.lines = append(a.lines, line)
}

// write flushes the account to disk, and then its name.
func (a *account) write() error {
	err := results.WriteFile(a.path, func(w io.Writer) error {
		for _, line := range a.lines {
			if _, err := w.Write(line.text()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAccount, err)
	}
	return nil
}

// spent is the exact sum of the costs so far, in the allowance's unit.
func (a *account) spent() *big.Rat {
	sum := new(big.Rat)
	for _, line := range a.lines {
		if line.Release != nil {
			sum.Add(sum, decimal(line.Release.Cost))
		}
	}
	return sum
}

// decimal is the number that a float64 is written as: ten times 0.1 is exactly 1.
func decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("publish: %v is not a finite number", x))
	}
	return r
}

func number(x *big.Rat) string {
	f, _ := x.Float64()
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// Total is what all releases of a table may cost together, as its holder states it. It is needed
// for the first release under differential privacy; later it may be left at (0, 0). With a delta,
// costs are added up in rho.
type Total struct{ Epsilon, Delta float64 }

// allow finds the allowance of the account, or enters it. The error says why a release under the
// guarantee g cannot be paid from it.
func (a *account) allow(total Total, g *algorithms.Guarantee) (*allowance, error) {
	var w *allowance
	for _, line := range a.lines {
		if line.Allowed != nil {
			w = line.Allowed
		}
	}
	switch {
	case w == nil && total.Epsilon == 0:
		return nil, errors.New("it does not say yet what all releases of the table may cost " +
			"together: --total EPSILON does")
	case w == nil:
		w = &allowance{Epsilon: total.Epsilon, Delta: total.Delta, Protects: g.Unit,
			Relation: g.Relation, Unit: string(privacy.Epsilon), Total: total.Epsilon}
		if total.Delta > 0 {
			w.Unit, w.Total = string(privacy.Rho), privacy.RhoOf(total.Epsilon, total.Delta)
		}
		a.add(accountLine{Allowed: w})
	case total.Epsilon != 0 && (total.Epsilon != w.Epsilon || total.Delta != w.Delta):
		return nil, fmt.Errorf("the total is epsilon %v and delta %v since its first release, "+
			"must stay what it is; it need not be given again", w.Epsilon, w.Delta)
	case w.Relation != g.Relation || w.Protects != g.Unit:
		return nil, fmt.Errorf("it adds up what protects a %s (%s); this release protects a %s "+
			"(%s), which cannot be added to that", w.Protects, w.Relation, g.Unit, g.Relation)
	}
	return w, nil
}

// costIn is what a release of (epsilon, delta) costs in an allowance's unit.
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

// Standing is what an account says after a release was entered.
type Standing struct {
	Spending
	// Anonymised is how many earlier releases are under k-anonymity.
	Anonymised int
}

// reserve enters a release in the account at path. An error says why the release may not be made,
// and leaves the account as it was. Without an error the release is spent.
func reserve(path string, r accountEntry, g *algorithms.Guarantee, total Total, changed bool,
	now time.Time) (s Standing, err error) {
	err = changeAccount(path, func(a *account) error {
		if s, err = a.reserve(r, g, total, changed, now); err != nil {
			return fmt.Errorf("%w %s: %w", ErrAccount, path, err)
		}
		return nil
	})
	return s, err
}

func (a *account) reserve(r accountEntry, g *algorithms.Guarantee, total Total, changed bool,
	now time.Time) (Standing, error) {
	if len(a.lines) == 0 {
		a.add(accountLine{Head: &accountHead{Format: accountFormat, Table: r.Table}})
	}
	last, s := a.lines[0].Head.Table, Standing{Spending: Spending{Number: 1}}
	for _, line := range a.lines {
		if line.Release != nil {
			last = line.Release.Table
			s.Number++
			if line.Release.Guarantee == string(algorithms.KAnonymity) {
				s.Anonymised++
			}
		}
	}
	if last != r.Table && !changed {
		return s, fmt.Errorf("the table is not the one of the last release (SHA-256 %.12s…, was "+
			"%.12s…). If it is a newer state of the same people's data, --changed goes on within "+
			"the same total; other people's data need another account (--account)", r.Table, last)
	}
	if g.Model == algorithms.DifferentialPrivacy {
		w, err := a.allow(total, g)
		if err != nil {
			return s, err
		}
		if r.Cost, err = costIn(w.Unit, r.Epsilon, r.Delta); err != nil {
			return s, err
		}
		spent := a.spent()
		left := new(big.Rat).Sub(decimal(w.Total), spent)
		if decimal(r.Cost).Cmp(left) > 0 {
			return s, fmt.Errorf("of %v in %s, %s are spent and %s are left; the release would "+
				"cost %v%s", w.Total, w.Unit, number(spent), number(left), r.Cost,
				affordable(w.Unit, left, r.Delta))
		}
		s.Unit, s.Total, s.Cost, s.Epsilon, s.Delta = w.Unit, w.Total, r.Cost, w.Epsilon, w.Delta
		s.Before, _ = spent.Float64()
	}
	r.Number, r.Time = s.Number, now.UTC().Format(time.RFC3339)
	a.add(accountLine{Release: &r})
	return s, nil
}

// affordable says which epsilon can still be paid for, where that is not the rest itself.
func affordable(unit string, left *big.Rat, delta float64) string {
	rest, _ := left.Float64()
	switch {
	case !(rest > 0) || unit == string(privacy.Epsilon):
		return ""
	case delta > 0:
		rest = privacy.EpsilonOf(rest, delta)
	default:
		rest = math.Sqrt(2 * rest) // pure epsilon costs ε²/2
	}
	return fmt.Sprintf(" (at delta %v an epsilon of up to about %.4g is left)", delta, rest)
}

// markPublished enters that a release's folder is complete.
func markPublished(path string, number int, digest string) error {
	return changeAccount(path, func(a *account) error {
		a.add(accountLine{Published: &completion{number, digest}})
		return nil
	})
}
