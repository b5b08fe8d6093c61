package publish

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// ErrAccount is wrapped by every error of an account that refuses a release or is damaged.
var ErrAccount = errors.New("account")

// account is the file beside a private table that adds up what all releases of the table cost.
//
// It is a text of JSON lines: a head, what all releases may cost together, and two lines for each
// release. The first of these is written, and flushed to disk, before any noise for the release is
// drawn, or under k-anonymity before the folder gets its name. Whatever happens afterwards, the
// release counts as spent. The second says that its folder is complete.
//
// The chain field of a line is the SHA-256 of the line before it and the line itself. This finds
// accidents and careless edits. It does not stop a person who writes the whole file anew.
//
// Beside it lies its mark, which knows how the account ended when it was last written: an account
// that is lost or older than that is noticed, unless its mark went the same way.
type account struct {
	accountFile
	lines []accountLine
	mark  mark
}

// accountFile is where an account is, links resolved, and who may read it: nobody but those who may
// read the table.
type accountFile struct {
	path string
	mode fs.FileMode
}

// mark is the file beside an account. Its key is of the digests by which the account knows the
// table. The plain SHA-256 of a table confirms a guess of its last unknown record. Without the key
// a digest confirms nothing, so that an account may be shown to somebody who may not see the table.
type mark struct {
	Format string `json:"format"`
	Key    string `json:"key"`
	Lines  int    `json:"lines"` // of the account
	Chain  string `json:"chain"` // of the last of them; "" before that is written
}

const markFormat, markEnding = "ppdp account mark 1", ".mark"

// digest is what an account knows a table by: HMAC-SHA-256 of the file's SHA-256.
func (m *mark) digest(sum string) string {
	h := hmac.New(sha256.New, []byte(m.Key))
	h.Write([]byte(sum))
	return fmt.Sprintf("%x", h.Sum(nil))
}

// accountLine is one line. Exactly one of its pointers is set. Accounts were once called ledgers:
// the head keeps its key.
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
	Table  string `json:"table"` // the table's digest, as it was at the first release
}

const accountFormat = "ppdp account 2"

// allowance is what all releases may cost together. It is written with the first release under
// differential privacy. Epsilon and Delta are 0 where the holder stated rho.
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
	Number int    `json:"number"` // from 1
	Time   string `json:"time"`
	Table  string `json:"table"` // the table's digest
	// Persons is the digest of the name of the column that says whom a record is about; "" in
	// accounts of older programs, and where records are protected.
	Persons   string  `json:"persons,omitempty"`
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

// locked reads an account and does something with it. A lock file beside it keeps other processes
// from changing it at the same time.
func (f accountFile) locked(do func(a *account) error) error {
	unlock, err := lockedfile.MutexAt(f.path + ".lock").Lock()
	if err != nil {
		ofAccount(&err)
		return err
	}
	defer unlock()
	a, err := f.read()
	if err != nil {
		return err
	}
	return do(a)
}

// read reads an account and its mark, and verifies the chain. An account that does not exist has no
// lines, a mark that does not exist no format.
func (f accountFile) read() (a *account, err error) {
	defer ofAccount(&err)
	a = &account{accountFile: f}
	if err := a.readMark(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		if a.mark.Chain != "" {
			return nil, a.refused("it is lost: " + isLost)
		}
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(a.path)
	if err == nil {
		err = oneName(a.path, info)
	}
	if err != nil {
		return nil, err
	}
	a.mode &= info.Mode().Perm() | 0o600 // a holder may have made it more private than the table
	if len(text) == 0 {
		return nil, a.damaged(1, "an empty file")
	}
	releases, n := 0, 0
	for line := range bytes.Lines(text) {
		n++
		var read accountLine
		if err := json.Unmarshal(line, &read); err != nil || line[len(line)-1] != '\n' {
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
	if !slices.ContainsFunc(a.lines, func(line accountLine) bool {
		return a.mark.Chain == "" || line.Chain == a.mark.Chain
	}) {
		return nil, a.refused("its %d lines are not those that its mark %s%s knows, which are %d: "+
			"an older state, or another account. %s", n, filepath.Base(a.path), markEnding,
			a.mark.Lines, isLost)
	}
	return a, nil
}

// readMark reads the mark.
func (a *account) readMark() error {
	text, err := datasets.ReadFile(a.path+markEnding, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &a.mark)
	}
	if err == nil && (a.mark.Format != markFormat || a.mark.Key == "") {
		err = errors.New("not a mark of the format " + markFormat)
	}
	if err != nil {
		err = fmt.Errorf("%s%s: %w: restore it from a backup", a.path, markEnding, err)
	}
	return err
}

const isLost = "nothing says what has been spent. Restore the latest state from a backup; never " +
	"start a new account while earlier releases are out"

// ofAccount makes an error one that wraps ErrAccount.
func ofAccount(err *error) {
	if *err != nil && !errors.Is(*err, ErrAccount) {
		*err = fmt.Errorf("%w: %w", ErrAccount, *err)
	}
}

// refused is the error of an account that cannot be relied on.
func (a *account) refused(format string, args ...any) error {
	return fmt.Errorf("%w %s: "+format, append([]any{ErrAccount, a.path}, args...)...)
}

// damaged is that error, with the line.
func (a *account) damaged(line int, what string) error {
	return fmt.Errorf("%w %s:%d: %s: %s", ErrAccount, a.path, line, what, isLost)
}

func (line accountLine) text() []byte {
	return append(must.Get(json.Marshal(line)), '\n') // plain values
}

// chain is the digest of a line that follows the lines read so far.
func (a *account) chain(line accountLine) string {
	line.Chain = ""
	if n := len(a.lines); n > 0 {
		line.Chain = a.lines[n-1].Chain
	}
	return fmt.Sprintf("%x", sha256.Sum256(line.text()))
}

func (a *account) add(line accountLine) {
	line.Chain = a.chain(line)
	a.lines = append(a.lines, line)
}

// write flushes the account to disk, and then its name. The mark's key is there before the account
// needs it, its chain only when the account is: where the machine goes down between the two, the
// mark knows an earlier line.
func (a *account) write() (err error) {
	defer ofAccount(&err)
	writeMark := func() error {
		return results.WriteFileMode(a.path+markEnding, a.mode,
			func(w io.Writer) error { return results.WriteJSON(w, a.mark) })
	}
	if a.mark.Chain == "" {
		if err := writeMark(); err != nil {
			return err
		}
	}
	text := slices.Concat(results.Mapped(a.lines, accountLine.text)...)
	if err := results.WriteFileMode(a.path, a.mode, results.Text(text)); err != nil {
		return err
	}
	a.mark.Lines, a.mark.Chain = len(a.lines), a.lines[len(a.lines)-1].Chain
	return writeMark()
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
// for the first release under differential privacy; later it may be left out. It is an epsilon, in
// which costs add up; or an epsilon with a delta, or zCDP's rho, and then costs add up in rho.
type Total struct {
	TotalEpsilon float64 `yaml:"total" name:"total" placeholder:"EPSILON" help:"The epsilon that all releases of the table may cost together; needed for the first." min:"0" max:"1000"`
	TotalDelta   float64 `yaml:"total-delta" help:"A delta beside the total. Costs then add up in zCDP's rho, which is less for many releases." min:"0" below:"1"`
	TotalRho     float64 `yaml:"total-rho" placeholder:"RHO" help:"In place of an epsilon: the zCDP that all releases may cost together." min:"0" max:"1000"`
}

// Validate reports what declarations of single fields do not say.
func (t Total) Validate() error {
	return errors.Join(
		problem.Unless(t.TotalDelta == 0 || t.TotalEpsilon != 0,
			"a delta of the total needs a total"),
		problem.Unless(t.TotalRho == 0 || t.TotalEpsilon == 0,
			"a total in epsilon and one in rho: must be one of them"))
}

func (t Total) String() string {
	if t.TotalRho > 0 {
		return fmt.Sprintf("rho %v", t.TotalRho)
	}
	if t.TotalDelta == 0 {
		return fmt.Sprintf("epsilon %v", t.TotalEpsilon)
	}
	return fmt.Sprintf("epsilon %v at delta %v", t.TotalEpsilon, t.TotalDelta)
}

// cost is the unit that the total is accounted in, and how much it is in that unit.
func (t Total) cost() (unit string, amount float64) {
	if t.TotalRho > 0 {
		return string(privacy.Rho), t.TotalRho
	}
	return costUnit(t.TotalEpsilon, t.TotalDelta)
}

// stated is the total as its holder gave it.
func (w *allowance) stated() Total {
	t := Total{TotalEpsilon: w.Epsilon, TotalDelta: w.Delta}
	if w.Epsilon == 0 {
		t.TotalRho = w.Total
	}
	return t
}

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
	case w == nil && total == (Total{}):
		return nil, errors.New("it does not say yet what all releases of the table may cost " +
			"together: state a total epsilon by --total (with --total-delta), or --total-rho")
	case w == nil:
		w = &allowance{Epsilon: total.TotalEpsilon, Delta: total.TotalDelta,
			Protects: g.Unit, Relation: g.Relation}
		w.Unit, w.Total = total.cost()
		a.add(accountLine{Allowed: w})
	case total != (Total{}) && total != w.stated():
		return nil, fmt.Errorf("the total is %v since its first release, must stay what it is; it "+
			"need not be given again", w.stated())
	case w.Relation != g.Relation || w.Protects != g.Unit:
		return nil, fmt.Errorf("it adds up what protects a %s (%s); this release protects a %s "+
			"(%s), which cannot be added to that", w.Protects, w.Relation, g.Unit, g.Relation)
	}
	return w, nil
}

// costUnit is the unit that (epsilon, delta) is accounted in, and how much it is in that unit.
func costUnit(epsilon, delta float64) (unit string, amount float64) {
	if delta > 0 {
		return string(privacy.Rho), privacy.RhoOf(epsilon, delta)
	}
	return string(privacy.Epsilon), epsilon
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
	New        bool // the account begins with this release
}

// atOnce completes nothing before a release is entered.
func atOnce(Standing) error { return nil }

// reserve enters a release in the account; its Table is the file's SHA-256. An error says why the
// release may not be made, or is that of complete, which is called with the standing before; both
// leave the account as it was. Without an error the release is spent. Without complete it is not:
// that only asks.
func (f accountFile) reserve(r accountEntry, g *algorithms.Guarantee, total Total, changed bool,
	now time.Time, complete func(Standing) error) (s Standing, err error) {
	err = f.locked(func(a *account) error {
		if s, err = a.reserve(r, g, total, changed, now); err != nil {
			return a.refused("%w", err)
		}
		if complete != nil {
			if err = complete(s); err == nil {
				err = a.write()
			}
		}
		return err
	})
	return s, err
}

func (a *account) reserve(r accountEntry, g *algorithms.Guarantee, total Total, changed bool,
	now time.Time) (Standing, error) {
	if a.mark.Format == "" && !changed && len(a.lines) > 0 {
		return Standing{}, fmt.Errorf("its mark %s%s is lost, without which nothing says whether "+
			"this is its latest state, nor whether the table is the one of its releases. Restore "+
			"it; if it is gone and you are sure of both, say that the table has changed: then a "+
			"new one is made", filepath.Base(a.path), markEnding)
	}
	if a.mark.Format == "" {
		secret := random.SystemStream()
		a.mark = mark{Format: markFormat,
			Key: fmt.Sprintf("%016x%016x", secret.Uint64(), secret.Uint64())}
	}
	r.Table = a.mark.digest(r.Table)
	if r.Persons != "" {
		r.Persons = a.mark.digest(r.Persons)
	}
	fresh := len(a.lines) == 0
	if fresh {
		a.add(accountLine{Head: &accountHead{Format: accountFormat, Table: r.Table}})
	}
	last, s := a.lines[0].Head.Table, Standing{Spending: Spending{Number: 1}, New: fresh}
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
		return s, errors.New("the table is not the one of the last release. If it is a newer " +
			"state of the same people's data, say that it has changed, which goes on within the " +
			"same total; other people's data need an account of their own")
	}
	if g.Model == algorithms.DifferentialPrivacy {
		if slices.ContainsFunc(a.lines, func(line accountLine) bool {
			before := line.Release
			return before != nil && before.Cost > 0 && before.Persons != "" && r.Persons != "" &&
				before.Persons != r.Persons
		}) {
			return s, errors.New("it adds up what releases cost each person that another column " +
				"names, which cannot be added to this release's: the schema's person: must stay " +
				"what it was")
		}
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
		s.Rho = w.stated().TotalRho
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

// published enters that a release's folder is complete.
func (f accountFile) published(number int, digest string) error {
	return f.locked(func(a *account) error {
		a.add(accountLine{Published: &completion{number, digest}})
		return a.write()
	})
}
