package privacy

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"

	"pgregory.net/rapid"
)

// inverseE is 1/e to 120 places, from its series in any table of constants.
const inverseE = "0.367879441171442321595523770161460867445811131031767834507836801697461495744" +
	"899803357147274345919643746627325"

func TestExpOf(t *testing.T) {
	want, _, err := big.ParseFloat(inverseE, 10, 400, big.ToNearestEven)
	must.Do(t, err)
	for _, precision := range []uint{1, 64, 128, 300} {
		scaled, _ := new(big.Float).SetMantExp(want, int(precision)).Int(nil) // rounded down
		b := expOf(big.NewInt(7), big.NewInt(7))(precision)
		if b.low.Cmp(scaled) > 0 || b.high.Cmp(scaled) <= 0 ||
			new(big.Int).Sub(b.high, b.low).Cmp(big.NewInt(2)) > 0 {
			t.Errorf("1/e to %d bits is in [%v, %v], want %v", precision, b.low, b.high, scaled)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Uint64Range(1, math.MaxUint64).Draw(t, "d")
		n := rapid.Uint64().Draw(t, "n")
		const precision = 100
		b := expOf(new(big.Int).SetUint64(n), new(big.Int).SetUint64(d))(precision)
		gap := new(big.Int).Sub(b.high, b.low)
		if b.low.Sign() < 0 || gap.Sign() < 0 || gap.Cmp(big.NewInt(2)) > 0 {
			t.Fatalf("exp(-%d/%d) in [%v, %v]", n, d, b.low, b.high)
		}
		x, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(b.low), -precision).Float64()
		if want := math.Exp(-float64(n) / float64(d)); math.Abs(x-want) > 1e-13*want+1e-29 {
			t.Fatalf("exp(-%d/%d) is %v, want %v", n, d, x, want)
		}
	})
}

// TestBelow: 1/e begins with the hexadecimal digits 0.5E2D58D8B3BCDF1A BADEC7829054F90D.
func TestBelow(t *testing.T) {
	e := expOf(big.NewInt(1), big.NewInt(1))
	const first, second = 0x5E2D58D8B3BCDF1A, 0xBADEC7829054F90D
	for _, c := range []struct {
		words fixed
		want  bool
	}{
		{fixed{first - 1}, true}, {fixed{first + 1}, false},
		{fixed{first, second - 1}, true}, {fixed{first, second + 1}, false},
		{fixed{first, second, 0}, true}, {fixed{first, second, math.MaxUint64}, false},
	} {
		words := c.words
		chance := newChance(e)
		if got := chance.draw(&words); got != c.want || len(words) > 0 {
			t.Errorf("%x: %t with %d words left, want %t", c.words, got, len(words), c.want)
		}
	}
}

// TestSizesBound is what the exactness of choices rests on: a size is at least what it stands for
// and less than roundedUp above it.
func TestSizesBound(t *testing.T) {
	c := new(exactChoice)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Uint64Range(1, 1<<28).Draw(t, "s")
		divisor := rapid.Uint64Range(s, 1<<52).Draw(t, "t")
		d := rapid.Uint64Range(0, 1<<maxSteps).Draw(t, "d")
		c.prepare(s, divisor)
		n := new(big.Int).Mul(new(big.Int).SetUint64(d), new(big.Int).SetUint64(s))
		b := expOf(n, new(big.Int).SetUint64(divisor))(63 + 32)
		size := new(big.Int).Lsh(new(big.Int).SetUint64(c.size(d)), 32)
		most := new(big.Int).Add(b.low, big.NewInt(roundedUp<<32))
		if size.Cmp(b.low) < 0 || size.Cmp(most) >= 0 {
			t.Fatalf("size(%d) = %v at %d/%d, exp is [%v, %v]", d, size, s, divisor, b.low, b.high)
		}
	})
}

// TestUndecidedChoice forces a draw into what 63 bits cannot decide: the last place of the size of
// a candidate of probability 1/e, to the hexadecimal digits of TestBelow.
func TestUndecidedChoice(t *testing.T) {
	c := new(exactChoice)
	c.prepare(1, 1)
	// In steps of 2⁻⁶³, 1/e is 2F16AC6C59DE6F8D.5D6F…; the proposals from 2⁶³ on are the second's.
	const place = 0x2F16AC6C59DE6F8D
	for word, want := range map[uint64]int{0x5D6F << 48: 1, 0x5D70 << 48: 0} {
		words := fixed{1<<63 + place, word, 5} // 5 is a place of the first candidate
		got, err := c.draw(&words, 0, []float64{0, -1}, nil)
		if err != nil || got != want || len(words) != want {
			t.Errorf("%x: candidate %d (%v), want %d; words left %v", word, got, err, want, words)
		}
	}
}

// TestDigits enumerates all numbers below 2¹⁰: the probabilities of a number's digits multiply to
// that of the number, q^n(1-q).
func TestDigits(t *testing.T) {
	number := func(x real) float64 {
		low := new(big.Float).SetInt(x(1500).low)
		f, _ := low.SetMantExp(low, -1500).Float64()
		return f
	}
	for _, rate := range []float64{0.01, 1, 8} {
		s, d := laplaceRate(rate)
		k := newSkips(nil, s, d, 1<<10-1)
		if len(k.digits) != 10 {
			t.Fatalf("%d digits", len(k.digits))
		}
		seen := 1 / (1 + math.Exp(rate))
		digits := make([]float64, len(k.digits))
		for j := range k.digits {
			digits[j] = number(k.digits[j].x)
		}
		beyond := number(k.beyond.x)
		if want := math.Exp(1024 * math.Log1p(-seen)); !near(beyond, want, 1e-6) {
			t.Errorf("2¹⁰ or more: %v, want %v", beyond, want)
		}
		for n := range 1 << 10 {
			p := 1 - beyond
			for j := range digits {
				if n>>j&1 == 1 {
					p *= digits[j]
				} else {
					p *= 1 - digits[j]
				}
			}
			// the rate is rounded down by a part in 2²⁶
			if want := seen * math.Exp(float64(n)*math.Log1p(-seen)); !near(p, want, 1e-5) {
				t.Errorf("%d at rate %v: %v, want %v", n, rate, p, want)
			}
		}
	}
}

func TestPublicationRefuses(t *testing.T) {
	for name, call := range map[string]func(b *Budget, s *random.Stream, path *Path) error{
		"laplace noise": func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Laplace("x", s, Exact(1)).Add(path, 0.1, 1)
			return err
		},
		"cauchy noise": func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Cauchy("x", s, true).Add(path, 0.1, 1, 1)
			return err
		},
		"gaussian noise": func(b *Budget, s *random.Stream, path *Path) error {
			return b.Gaussian("x", s, Exact(1)).AddAll(path, 0.0001, []float64{1})
		},
		"below the one that holds": func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Geometric("x", s, Sensitivity{Claimed: 1, Proven: 2}).Add(path, 0.1, 1)
			return err
		},
		"no whole number": func(b *Budget, s *random.Stream, path *Path) error {
			return b.DiscreteLaplace("x", s, Exact(1)).AddAll(path, 0.1, []float64{1, 1.5})
		},
		"weight is no whole number": func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Exponential("x", s, Exact(1)).Choose(path, 0.1, []float64{1},
				[]float64{0.5})
			return err
		},
		"only declared": func(b *Budget, s *random.Stream, path *Path) error {
			return b.Declare(path, "x", 0.1)
		},
		"reason": func(b *Budget, s *random.Stream, path *Path) error {
			b.Inexact("the reason")
			_, err := b.Geometric("x", s, Exact(1)).Add(path, 0.1, 1)
			return err
		},
	} {
		p := NewPublication(1, 1e-9)
		path := p.Budget.Root()
		err := call(p.Budget, p.Noise.Open("x"), &path)
		if !errors.Is(err, ErrInexact) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustPanic(t, "a seed", func() {
		NewPublication(1, 0).Budget.Geometric("x", random.NewKey(1).Stream(), Exact(1))
	})
	mustPanic(t, "a replay", func() { NewPublication(1, 0).Budget.Replay(new(Transcript)) })
}

// TestPublicationLedger: rounding scores costs a part in scoreGrid of their sensitivity.
func TestPublicationLedger(t *testing.T) {
	p := NewPublication(1, 0)
	path := p.Budget.Root()
	choice := p.Budget.Exponential("x", p.Noise.Open("x"), Exact(1.5))
	must.Be(t, must.Get(choice.Choose(&path, 1, []float64{0, 1e9}, nil)), 1)
	row := p.Budget.Ledger()[0]
	if want := 1.5 * (1 + 1./scoreGrid); row.Claimed != want || row.Proven != Bound(want) ||
		row.Cost != 1 || row.Loss != 1 {
		t.Errorf("%+v, want sensitivity %v", row, want)
	}
}

// TestSpared: noise is drawn for less than what is charged, by more than a path's sum may be
// rounded by.
func TestSpared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &mechanism{sensitivity: Exact(rapid.Float64Range(0.5, 100).Draw(t, "sensitivity"))}
		epsilon := rapid.Float64Range(1e-4, 100).Draw(t, "epsilon")
		path := NewSeededPublication(epsilon, 0).Root()
		s, d, err := path.exactRate(m, epsilon)
		must.Do(t, err)
		drawn := float64(s) / float64(d) * m.sensitivity.Claimed
		if drawn*(1+slack) > epsilon || drawn < epsilon*(1-1e-6) && drawn < 500 {
			t.Errorf("drawn for %v of %v", drawn, epsilon)
		}
	})
}
