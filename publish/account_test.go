package publish

import (
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

	"ppdp/algorithms"
	"ppdp/privacy"
)

var (
	recordPrivacy = algorithms.RecordPrivacy(algorithms.Strict, "")
	kAnonymous    = algorithms.KAnonymous("")
	noon          = time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
)

// enter enters a release of a table.
func enter(path string, epsilon, delta float64, total Total) (Standing, error) {
	return reserve(path, accountEntry{Table: "t", Epsilon: epsilon, Delta: delta,
		Guarantee: string(algorithms.DifferentialPrivacy)}, &recordPrivacy, total, false, noon)
}

// TestAccountAddsDecimals: ten times 0.1 is 1, not a little less or more, and so is three times 0.1
// of 0.3.
func TestAccountAddsDecimals(t *testing.T) {
	for total, epsilon := range map[float64]float64{1: 0.1, 0.3: 0.1, 2.1: 0.7} {
		path, n := filepath.Join(t.TempDir(), "l"), 0
		for ; n < 20; n++ {
			if _, err := enter(path, epsilon, 0, Total{Epsilon: total}); err != nil {
				break
			}
		}
		if want := int(math.Round(total / epsilon)); n != want {
			t.Errorf("%d releases of %v within %v, want %d", n, epsilon, total, want)
		}
	}
}

func TestAccountInRho(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	total := Total{Epsilon: 2, Delta: 1e-6}
	allowed := privacy.RhoOf(2, 1e-6)
	s, err := enter(path, 0.25, 0, total)
	if err != nil || s.Cost != 0.03125 || s.Unit != "rho" || s.Total != allowed {
		t.Errorf("pure 0.25 costs %+v (%v), want 0.25²/2 of %v", s, err, allowed)
	}
	if s, err = enter(path, 1, 1e-6, Total{}); err != nil || s.Cost != privacy.RhoOf(1, 1e-6) ||
		s.Before != 0.03125 || s.Number != 2 {
		t.Errorf("(1, 1e-6) costs %+v (%v)", s, err)
	}
	left := allowed - 0.03125 - privacy.RhoOf(1, 1e-6)
	_, err = enter(path, 2, 0, Total{})
	if want := fmt.Sprintf("about %.4g is left", math.Sqrt(2*left)); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("want %q: %v", want, err)
	}
	if _, err = enter(path, math.Sqrt(2*left)*0.999999, 0, Total{}); err != nil {
		t.Error(err)
	}
}

func TestAccountRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	must(enter(path, 1, 0, Total{Epsilon: 3}))
	try := func(want string, r accountEntry, g algorithms.Guarantee, total Total, changed bool) {
		t.Helper()
		before, _ := os.ReadFile(path)
		_, err := reserve(path, r, &g, total, changed, noon)
		after, _ := os.ReadFile(path)
		if want == "" && err == nil {
			return
		}
		if !errors.Is(err, ErrAccount) || !strings.Contains(err.Error(), want) || want == "" {
			t.Errorf("want %q: %v", want, err)
		}
		if string(before) != string(after) {
			t.Errorf("%s: the account has changed", want)
		}
	}
	dp := accountEntry{Table: "t", Epsilon: 1}
	try("the total is epsilon 3", dp, recordPrivacy, Total{Epsilon: 4}, false)
	try("the total is epsilon 3", dp, recordPrivacy, Total{Epsilon: 3, Delta: 0.1}, false)
	try("pure epsilon", accountEntry{Table: "t", Epsilon: 1, Delta: 1e-9}, recordPrivacy, Total{},
		false)
	try("1 are spent and 2 are left", accountEntry{Table: "t", Epsilon: 2.5}, recordPrivacy,
		Total{}, false)
	try("cannot be added", dp, algorithms.Guarantee{Model: algorithms.DifferentialPrivacy,
		Unit: "record", Relation: algorithms.ReplaceRecord}, Total{}, false)
	try("--changed", accountEntry{Table: "u", Epsilon: 1}, recordPrivacy, Total{}, false)
	try("", accountEntry{Table: "u", Epsilon: 1}, recordPrivacy, Total{}, true)
	try("--changed", dp, recordPrivacy, Total{}, false)
	try("", accountEntry{Table: "u", Guarantee: string(kAnonymous.Model)}, kAnonymous, Total{},
		false)
	try("2 are spent and 1 are left", accountEntry{Table: "u", Epsilon: 2}, recordPrivacy,
		Total{}, false)
	if err := markPublished(path, 1, "digest"); err != nil {
		t.Error(err)
	}
	l, err := readAccount(path)
	if err != nil || len(l.lines) != 6 || l.spent().Cmp(decimal(2)) != 0 {
		t.Errorf("%d lines, %v spent (%v)", len(l.lines), l.spent(), err)
	}
}

// TestAccountAnonymous: an account may begin without a total, and gets one with the first release
// that needs it.
func TestAccountAnonymous(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	for want := range 2 {
		s, err := reserve(path, accountEntry{Table: "t", Guarantee: string(kAnonymous.Model)},
			&kAnonymous, Total{}, false, noon)
		if err != nil || s.Anonymised != want || s.Number != want+1 || s.Total != 0 {
			t.Errorf("%+v (%v)", s, err)
		}
	}
	if _, err := enter(path, 1, 0, Total{}); err == nil {
		t.Error("no total")
	}
	if s, err := enter(path, 1, 0, Total{Epsilon: 1}); err != nil || s.Number != 3 {
		t.Errorf("%+v (%v)", s, err)
	}
}

// TestAccountTampered: a change of any byte, a torn end and lines that are missing, doubled or
// exchanged are found, with the line. (Whole lines missing at the end cannot be.)
func TestAccountTampered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	for range 3 {
		must(enter(path, 1, 0, Total{Epsilon: 5}))
	}
	text := read(t, path)
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1]
	refused := func(name, text string, line int) {
		t.Helper()
		write(t, path, text)
		_, err := enter(path, 1, 0, Total{})
		if !errors.Is(err, ErrAccount) || !strings.Contains(err.Error(),
			fmt.Sprintf("l:%d: ", line)) {
			t.Errorf("%s: want line %d: %v", name, line, err)
		}
	}
	for i := range text {
		line := 1 + strings.Count(text[:i], "\n")
		if text[i] == '\n' {
			continue // below
		}
		changed := []byte(text)
		changed[i] ^= 1
		refused(fmt.Sprint("byte ", i), string(changed), line)
	}
	refused("torn", text[:len(text)-20], len(lines))
	refused("without a line end", text[:len(text)-1], len(lines))
	refused("a line missing", strings.Join(append(lines[:2:2], lines[3:]...), ""), 3)
	refused("doubled", text+lines[len(lines)-1], len(lines)+1)
	refused("exchanged", lines[0]+lines[1]+lines[3]+lines[2]+lines[4], 3)
	refused("empty", "", 1)
	refused("not an account", "{}\n", 1)
	refused("blank line", lines[0]+"\n"+strings.Join(lines[1:], ""), 2)
	write(t, path, text)
	if _, err := enter(path, 1, 0, Total{}); err != nil {
		t.Error(err)
	}
}

// TestAccountLocked: of many that want a part of the total at once, as many get it as it pays for.
func TestAccountLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	var group sync.WaitGroup
	var entered atomic.Int32
	for range 20 {
		group.Go(func() {
			if _, err := enter(path, 0.1, 0, Total{Epsilon: 0.7}); err == nil {
				entered.Add(1)
			} else if !strings.Contains(err.Error(), "0 are left") {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := entered.Load(); n != 7 {
		t.Errorf("%d releases of 0.1 within 0.7", n)
	}
}

func TestBeside(t *testing.T) {
	for table, want := range map[string]string{"a/my.csv": "a/my.account.jsonl",
		"my.csv.gz": "my.account.jsonl", "my.tab": "my.account.jsonl", "my": "my.account.jsonl"} {
		if got := Beside(table, accountEnding); got != want {
			t.Errorf("%s: %s, want %s", table, got, want)
		}
	}
}
