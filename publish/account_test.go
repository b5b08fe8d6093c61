package publish

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/internal/must"
	"ppdp/privacy"
)

var (
	recordPrivacy = algorithms.RecordPrivacy(algorithms.Strict, "")
	kAnonymous    = algorithms.KAnonymous("")
	noon          = time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
)

// file is the account at a path.
func file(path string) accountFile { return accountFile{path, 0o600} }

// enter enters a release of a table.
func enter(path string, epsilon, delta float64, total Total) (Standing, error) {
	return file(path).reserve(accountEntry{Table: "t", Epsilon: epsilon, Delta: delta,
		Guarantee: string(algorithms.DifferentialPrivacy)}, &recordPrivacy, total, false, noon,
		atOnce)
}

// refused wants an error of the account that says what it must, of a release that spent nothing.
func refused(t *testing.T, err error, want string, of ...any) {
	t.Helper()
	must.Fail(t, err, want, of...)
	if !errors.Is(err, ErrAccount) || Spent(err) {
		t.Errorf("%v: error %v, must be the account's, before anything is spent", of, err)
	}
}

// TestAccountAddsDecimals: ten times 0.1 is 1, not a little less or more, and so is three times 0.1
// of 0.3.
func TestAccountAddsDecimals(t *testing.T) {
	for total, epsilon := range map[float64]float64{1: 0.1, 0.3: 0.1, 2.1: 0.7} {
		path, n := filepath.Join(t.TempDir(), "l"), 0
		for ; n < 20; n++ {
			if _, err := enter(path, epsilon, 0, Total{TotalEpsilon: total}); err != nil {
				break
			}
		}
		if want := int(math.Round(total / epsilon)); n != want {
			t.Errorf("%d releases of %v within %v, want %d", n, epsilon, total, want)
		}
	}
}

// TestAccountAffords: a refusal says what epsilon is left, and no more is.
func TestAccountAffords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	s := must.Get(enter(path, 0.25, 0, Total{TotalEpsilon: 2, TotalDelta: 1e-6}))
	if s.Cost != 0.03125 || s.Unit != "rho" || s.Total != privacy.RhoOf(2, 1e-6) {
		t.Errorf("pure 0.25 costs %+v, want 0.25²/2", s)
	}
	left := s.Total - 0.03125
	refused(t, must.Err(enter(path, 2, 0, Total{})),
		fmt.Sprintf("about %.4g is left", math.Sqrt(2*left)))
	must.Get(enter(path, math.Sqrt(2*left)*0.999999, 0, Total{}))
}

// TestAccountAddsUp: after any releases, under any kind of total, the account has let through
// exactly those that fit beside the earlier ones, and what it says of all of them together is
// their composition: by Bun & Steinke 2016, ε-DP is ε²/2-zCDP (Proposition 1.4) and costs in rho
// add up (Lemma 1.7). A total in rho is that of every (ε, δ) with the same rho.
func TestAccountAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := Total{TotalEpsilon: rapid.Float64Range(0.1, 5).Draw(t, "epsilon")}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 1:
			total.TotalDelta = 1e-6
		case 2:
			total = Total{TotalRho: privacy.RhoOf(total.TotalEpsilon, 1e-6)}
		}
		pure := total.TotalDelta == 0 && total.TotalRho == 0
		allowed := total.TotalEpsilon
		if !pure {
			allowed = cmp.Or(total.TotalRho, privacy.RhoOf(total.TotalEpsilon, 1e-6))
		}
		dir := must.Get(os.MkdirTemp("", ""))
		defer os.RemoveAll(dir)
		path, spent, made := filepath.Join(dir, "l"), 0.0, 0
		for range rapid.IntRange(1, 12).Draw(t, "releases") {
			epsilon := rapid.Float64Range(0.01, 3).Draw(t, "of")
			delta := rapid.SampledFrom([]float64{0, 1e-9, 1e-6}).Draw(t, "delta")
			cost := epsilon
			switch {
			case !pure && delta == 0:
				cost = epsilon * epsilon / 2
			case delta > 0:
				cost = privacy.RhoOf(epsilon, delta)
			}
			s, err := enter(path, epsilon, delta, total)
			fits := spent+cost <= allowed && !(pure && delta > 0)
			if math.Abs(spent+cost-allowed) < 1e-12 {
				return // decimals decide
			}
			if fits != (err == nil) {
				t.Fatalf("%v and %v of %v: %v", spent, cost, allowed, err)
			}
			if err != nil {
				continue
			}
			made++
			spent += cost
			e, d := s.Together()
			want, at := spent, 0.0
			if !pure {
				at = cmp.Or(total.TotalDelta, 1e-9)
				want = privacy.EpsilonOf(spent, at)
			}
			if s.Number != made || math.Abs(e-want) > 1e-9 || d != at {
				t.Fatalf("release %d: together (%v, %v), want %d, (%v, %v)", s.Number, e, d, made,
					want, at)
			}
			if total.TotalDelta > 0 && e > total.TotalEpsilon*(1+1e-9) {
				t.Fatalf("together %v at %v, of %v", e, d, total)
			}
		}
	})
}

func TestAccountRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	must.Get(enter(path, 1, 0, Total{TotalEpsilon: 3}))
	try := func(want string, r accountEntry, g algorithms.Guarantee, total Total, changed bool) {
		t.Helper()
		before, _ := os.ReadFile(path)
		_, err := file(path).reserve(r, &g, total, changed, noon, atOnce)
		after, _ := os.ReadFile(path)
		if want == "" && err == nil {
			return
		}
		refused(t, err, want)
		must.Be(t, want != "", true, "refused", err)
		must.Be(t, string(after), string(before), "the account after", want)
	}
	dp := accountEntry{Table: "t", Epsilon: 1}
	try("the total is epsilon 3", dp, recordPrivacy, Total{TotalEpsilon: 4}, false)
	try("the total is epsilon 3", dp, recordPrivacy, Total{TotalEpsilon: 3, TotalDelta: 0.1}, false)
	try("the total is epsilon 3", dp, recordPrivacy, Total{TotalRho: 3}, false)
	try("pure epsilon", accountEntry{Table: "t", Epsilon: 1, Delta: 1e-9}, recordPrivacy, Total{},
		false)
	try("1 are spent and 2 are left", accountEntry{Table: "t", Epsilon: 2.5}, recordPrivacy,
		Total{}, false)
	try("cannot be added", dp, algorithms.Guarantee{Model: algorithms.DifferentialPrivacy,
		Unit: "record", Relation: algorithms.ReplaceRecord}, Total{}, false)
	try("say that it has changed", accountEntry{Table: "u", Epsilon: 1}, recordPrivacy, Total{},
		false)
	try("", accountEntry{Table: "u", Epsilon: 1}, recordPrivacy, Total{}, true)
	try("say that it has changed", dp, recordPrivacy, Total{}, false)
	try("", accountEntry{Table: "u", Guarantee: string(kAnonymous.Model)}, kAnonymous, Total{},
		false)
	try("2 are spent and 1 are left", accountEntry{Table: "u", Epsilon: 2}, recordPrivacy,
		Total{}, false)
	must.Do(t, file(path).published(1, "digest"))
	l, err := file(path).read()
	if err != nil || len(l.lines) != 6 || l.spent().Cmp(decimal(2)) != 0 {
		t.Errorf("%d lines, %v spent (%v)", len(l.lines), l.spent(), err)
	}
}

// TestAccountTampered: a change of any byte, a torn end and lines that are missing, doubled or
// exchanged are found, with the line. (Lines missing at the end are
// in TestAccountOlder.)
func TestAccountTampered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	for range 3 {
		must.Get(enter(path, 1, 0, Total{TotalEpsilon: 5}))
	}
	text := read(t, path)
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1]
	found := func(name, text string, line int) {
		t.Helper()
		write(t, path, text)
		refused(t, must.Err(enter(path, 1, 0, Total{})), fmt.Sprintf("l:%d: ", line), name)
	}
	for i := range text {
		line := 1 + strings.Count(text[:i], "\n")
		if text[i] == '\n' {
			continue // below
		}
		changed := []byte(text)
		changed[i] ^= 1
		found(fmt.Sprint("byte ", i), string(changed), line)
	}
	found("torn", text[:len(text)-20], len(lines))
	found("without a line end", text[:len(text)-1], len(lines))
	found("a line missing", strings.Join(append(lines[:2:2], lines[3:]...), ""), 3)
	found("doubled", text+lines[len(lines)-1], len(lines)+1)
	found("exchanged", lines[0]+lines[1]+lines[3]+lines[2]+lines[4], 3)
	found("empty", "", 1)
	found("not an account", "{}\n", 1)
	other := new(account)
	other.add(accountLine{Head: &accountHead{Format: "ppdp ledger 1"}})
	found("another format", string(other.lines[0].text()), 1)
	found("blank line", lines[0]+"\n"+strings.Join(lines[1:], ""), 2)
	write(t, path, text)
	must.Do(t, must.Err(enter(path, 1, 0, Total{})))
}

// TestAccountLocked: of many that want a part of the total at once, as many get it as it pays for.
func TestAccountLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	var group sync.WaitGroup
	var entered atomic.Int32
	for range 20 {
		group.Go(func() {
			if _, err := enter(path, 0.1, 0, Total{TotalEpsilon: 0.7}); err == nil {
				entered.Add(1)
			} else if !strings.Contains(err.Error(), "0 are left") {
				t.Error(err)
			}
		})
	}
	group.Wait()
	must.Be(t, entered.Load(), 7)
}

func TestBeside(t *testing.T) {
	for table, want := range map[string]string{"a/my.csv": "a/my.account.jsonl",
		"my.csv.gz": "my.account.jsonl", "my.tab": "my.account.jsonl", "my": "my.account.jsonl"} {
		must.Be(t, Beside(table, accountEnding), want, table)
	}
}

// TestAccountLinks: a table has one account under all its names.
func TestAccountLinks(t *testing.T) {
	dir, r := files(t, 30)
	var said []string
	r.Log = func(line string) { said = append(said, line) }
	make := func(table, out string) error {
		r.Table, r.Out, said = filepath.Join(dir, table), filepath.Join(dir, out), nil
		r.Algorithm, r.Params, r.Epsilon = "independent", set("iterations=5"), 1
		r.Total = Total{TotalEpsilon: 2}
		_, err := Make(t.Context(), r)
		return err
	}
	loud := func(want int) {
		t.Helper()
		must.Be(t, strings.Count(strings.Join(said, "\n"), "NEW ACCOUNT at "), want, said)
	}
	must.Do(t, make("my.csv", "one"))
	loud(1)
	must.Do(t, os.Mkdir(filepath.Join(dir, "d"), 0o777))
	must.Do(t, os.Symlink("../my.csv", filepath.Join(dir, "d/link.csv")))
	must.Do(t, os.Symlink("d", filepath.Join(dir, "e")))
	must.Do(t, make("e/link.csv", "two"))
	loud(0)
	refused(t, make("d/link.csv", "three"), "0 are left")
	must.Equal(t, must.Get(filepath.Glob(filepath.Join(dir, "d/*.jsonl*"))), nil)
	// An account that was begun beside the link.
	account := filepath.Join(dir, "my.account.jsonl")
	other := filepath.Join(dir, "d/link.account.jsonl")
	write(t, other, read(t, account))
	refused(t, make("d/link.csv", "three"), "must be one: name")
	must.Do(t, os.Rename(account, account+"~"))
	refused(t, make("d/link.csv", "three"), "Move it there as my.account.jsonl")
	must.Do(t, os.Remove(other))
	refused(t, make("my.csv", "three"), "it is lost")
	must.Do(t, os.Symlink("nowhere", account))
	refused(t, make("my.csv", "three"), "nowhere: no such file")
	must.Do(t, os.Remove(account))
	must.Do(t, os.Rename(account+"~", account))
	// Several names of the account, then of the table.
	must.Do(t, os.Link(account, other))
	refused(t, make("my.csv", "three"), "my.account.jsonl has 2 names (hard links)")
	must.Do(t, os.Remove(other))
	must.Do(t, os.Link(filepath.Join(dir, "my.csv"), filepath.Join(dir, "twin.csv")))
	refused(t, make("my.csv", "three"), "my.csv has 2 names (hard links)")
	refused(t, make("twin.csv", "three"), "twin.csv has 2 names (hard links)")
	r.Account = account
	refused(t, make("twin.csv", "three"), "0 are left")
}

// TestAccountRenamed: a table that was renamed, or a copy of it, is refused beside the account that
// knows it, which goes on when it is named or renamed as the message says; a table that no account
// knows begins anew, whatever other files are there.
func TestAccountRenamed(t *testing.T) {
	dir, r := files(t, 30)
	path := func(name string) string { return filepath.Join(dir, name) }
	var said []string
	r.Log = func(line string) { said = append(said, line) }
	r.Algorithm, r.Params, r.Total = "independent", set("iterations=5"), Total{TotalEpsilon: 3}
	make := func(table string) (Standing, error) {
		r.Table, r.Out, said = path(table), r.Out+"1", nil
		made, err := Make(t.Context(), r)
		if err != nil {
			return Standing{}, err
		}
		return made.Standing, nil
	}
	knows := func(account, table string) {
		t.Helper()
		own := Beside(path(table), accountEnding)
		err := must.Err(make(table))
		refused(t, err, "")
		must.Be(t, fmt.Sprint(err), fmt.Sprintf("account %s: it is the account of %s, which was "+
			"renamed or copied. Name it or, if the table was renamed, rename the account to %s "+
			"and its mark to %s.mark", path(account), path(table), own, own))
		if _, err := os.Stat(own); err == nil && table != "used.csv" {
			t.Errorf("%s: there is an account", own)
		}
	}
	must.Get(make("my.csv"))
	write(t, path("foreign.jsonl.mark"), "A mark of another program\n")
	must.Do(t, os.Mkdir(path("folder.mark"), 0o777))
	must.Do(t, os.Rename(path("my.csv"), path("other.csv")))
	knows("my.account.jsonl", "other.csv")
	r.Changed = true
	knows("my.account.jsonl", "other.csv")
	r.Changed = false
	// As the message says: named, then renamed.
	r.Account = path("my.account.jsonl")
	if s := must.Get(make("other.csv")); s.Number != 2 || s.Before != 1 {
		t.Errorf("named: %+v", s)
	}
	r.Account = ""
	for _, ending := range []string{accountEnding, accountEnding + markEnding} {
		must.Do(t, os.Rename(path("my"+ending), path("other"+ending)))
	}
	if s := must.Get(make("other.csv")); s.Number != 3 || s.Before != 2 {
		t.Errorf("renamed: %+v", s)
	}
	// A copy beside the original, and one in the place of a table that has an account of its own.
	text := read(t, path("other.csv"))
	write(t, path("copy.csv"), text)
	knows("other.account.jsonl", "copy.csv")
	write(t, path("used.csv"), text+text[strings.Index(text, "\n")+1:])
	if s := must.Get(make("used.csv")); s.Number != 1 || len(said) == 0 {
		t.Errorf("another table: %+v, %q", s, said)
	}
	must.Get(make("used.csv"))
	write(t, path("used.csv"), text)
	knows("other.account.jsonl", "used.csv")
	// An account that cannot be read may be that of a table without one, which is said.
	write(t, path("other"+accountEnding), "torn")
	if s := must.Get(make("copy.csv")); s.Number != 1 || !strings.Contains(strings.Join(said, "\n"),
		"whether it is the account of this table cannot be told: account "+
			path("other"+accountEnding)+":1: a torn line") {
		t.Errorf("%+v, %q", s, said)
	}
}

// TestAccountOlder: an account that was lost, or is older than its mark, is not gone on with.
func TestAccountOlder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	total := Total{TotalEpsilon: 9}
	must.Get(enter(path, 1, 0, total))
	first := read(t, path)
	must.Get(enter(path, 1, 0, total))
	second, mark := read(t, path), read(t, path+".mark")
	must.Do(t, file(path).published(2, "digest"))
	again := func(want string) {
		t.Helper()
		refused(t, must.Err(enter(path, 1, 0, total)), want)
	}
	now := read(t, path)
	write(t, path, first)
	again("its 3 lines are not those that its mark l.mark knows, which are 5: an older state")
	write(t, path, second)
	again("its 4 lines are not")
	must.Do(t, os.Remove(path))
	again("it is lost")
	// A machine that goes down before the mark is written leaves an older one.
	write(t, path, now)
	write(t, path+".mark", mark)
	if s, err := enter(path, 1, 0, total); err != nil || s.Number != 3 {
		t.Errorf("%+v (%v)", s, err)
	}
	write(t, path+".mark", "{}")
	again("not a mark of the format")
	must.Do(t, os.Remove(path+".mark"))
	again("its mark l.mark is lost")
	s, err := file(path).reserve(accountEntry{Table: "t", Epsilon: 1,
		Guarantee: string(algorithms.DifferentialPrivacy)}, &recordPrivacy, Total{}, true, noon,
		atOnce)
	if err != nil || s.Number != 4 || s.Before != 3 {
		t.Errorf("%+v (%v)", s, err)
	}
	must.Get(enter(path, 1, 0, total))
}

// TestAccountPrivate: account and mark have the table's mode from the first byte on, or a stricter
// one that their holder gave them, and the account says nothing that a guess of the table can be
// compared with.
func TestAccountPrivate(t *testing.T) {
	dir, r := files(t, 30)
	r.Algorithm, r.Params = "independent", set("iterations=5")
	path := filepath.Join(dir, "my.account.jsonl")
	for _, mode := range []struct{ table, account, want os.FileMode }{{0o640, 0, 0o640},
		{0o600, 0, 0o600}, {0o444, 0, 0o600}, {0o644, 0o640, 0o640}, {0o400, 0o644, 0o600}} {
		must.Do(t, os.Chmod(r.Table, mode.table))
		if mode.account != 0 {
			must.Do(t, os.Chmod(path, mode.account))
		}
		r.Out = filepath.Join(dir, fmt.Sprint(mode))
		must.Get(Make(t.Context(), r))
		for _, name := range []string{path, path + ".mark"} {
			must.Be(t, must.Get(os.Stat(name)).Mode().Perm(), mode.want, name, mode)
		}
	}
	text := read(t, path)
	if key := must.Get(file(path).read()).mark.Key; strings.Contains(text, sha(t, r.Table)) ||
		strings.Contains(text, key) {
		t.Error("the account holds the table's checksum, or its key")
	}
}

// FuzzMark: no text in place of a mark makes an account begin anew, or go on as if it were another.
func FuzzMark(f *testing.F) {
	path := filepath.Join(f.TempDir(), "l")
	must.Get(enter(path, 1, 0, Total{TotalEpsilon: 9}))
	good := read(f, path+".mark")
	must.Get(enter(path, 1, 0, Total{}))
	text := read(f, path)
	for _, seed := range []string{good, read(f, path+".mark"), "", "{}", "null", good + good} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, mark string) {
		write(t, path, text)
		write(t, path+".mark", mark)
		a, err := file(path).read()
		if err == nil && (len(a.lines) != 4 || a.mark.Key == "" || a.mark.Chain != "" &&
			!strings.Contains(text, a.mark.Chain)) {
			t.Errorf("%d lines, %+v", len(a.lines), a.mark)
		}
		if err != nil && !errors.Is(err, ErrAccount) {
			t.Error(err)
		}
	})
}
