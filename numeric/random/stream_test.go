package random

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// TestKeysAreFrozen: the keys are SHA-256 digests computed by other programs from the definition,
// for example (the seed 2012 in eight bytes, lowest first)
//
//	printf 'ppdp/1/seed:\334\007\0\0\0\0\0\0' | sha256sum
//
// and for a child the parent's 32 bytes followed by each part behind its length in eight bytes.
// They may never change: every published number hangs on them.
func TestKeysAreFrozen(t *testing.T) {
	for _, c := range []struct {
		name string
		key  Key
		want string
	}{
		{"seed 0", NewKey(0), "f503df72e03264436b479784742801f4194d60c18b19912d7c6da23817b1d51a"},
		{"seed 2012", NewKey(2012),
			"58bea3bead8de0ab581eb31b793917c973c488670e0e5505546c543f39df769e"},
		{"largest seed", NewKey(math.MaxUint64),
			"747d9b5c08f1431a1d926ee575f818de24e885ce37afa9837569fc59fa7a37f3"},
		{"child", NewKey(2012).Derive("rps", "cuts"),
			"7ac74f44c38df68f22652be6f151a7d5e468a9f225a370290ff7edbb1393ee28"},
		{"child along nothing", NewKey(2012).Derive(),
			"69d3252c32aabe36ba6bf454d439ed28d48fa0a0387e7ed25c101231f965d8df"},
	} {
		if got := hex.EncodeToString(c.key[:]); got != c.want {
			t.Errorf("%s: key %s, want %s", c.name, got, c.want)
		}
	}
}

// TestStreamIsChaCha8 compares with the vector in the C2SP description of ChaCha8Rand and with
// the standard library.
func TestStreamIsChaCha8(t *testing.T) {
	seed := Key([]byte("ABCDEFGHIJKLMNOPQRSTUVWXYZ123456"))
	stream := seed.Stream()
	for i, want := range []uint64{0xb773b6063d4616a5, 0x1160af22a66abc3c, 0x8c2599d9418d287c,
		0x7ee07e037edc5cd6} {
		if got := stream.Uint64(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
	key := NewKey(7).Derive("a")
	stream, reference := key.Stream(), rand.NewChaCha8(key)
	for i := range 5000 {
		u := reference.Uint64()
		if i%2 == 0 {
			if got := stream.Uint64(); got != u {
				t.Fatalf("number %d is %#x, want %#x", i, got, u)
			}
		} else if got, want := stream.Open01(), (float64(u>>12)+0.5)/(1<<52); got != want {
			t.Fatalf("number %d is %v, want %v", i, got, want)
		}
	}
}

func TestStreamsOpenAPurposeOnce(t *testing.T) {
	streams := NewStreams(NewKey(1))
	cuts, counts := streams.Open("cuts"), streams.Open("leaf counts")
	if cuts.Uint64() == counts.Uint64() { // by chance once in 2⁶⁴
		t.Error("two purposes draw the same number")
	}
	again := NewStreams(NewKey(1)).Open("cuts")
	if again.Uint64() != NewKey(1).Derive("cuts").Stream().Uint64() {
		t.Error("a stream depends on more than its key and purpose")
	}
	defer func() {
		if recover() == nil {
			t.Error("opening a purpose twice does not panic")
		}
	}()
	streams.Open("cuts")
}

// TestSystem: the operating system's words differ from stream to stream, cover all bits and need no
// seed; a purpose is opened once.
func TestSystem(t *testing.T) {
	streams := SystemStreams()
	a, b := streams.Open("a"), streams.Open("b")
	or, and := uint64(0), ^uint64(0)
	for range 1000 { // more than are read at a time
		x, y := a.Uint64(), b.Uint64()
		if x == y { // of probability 2⁻⁶⁴
			t.Fatal("equal words")
		}
		or, and = or|x, and&x
		if u := a.Open01(); !(u > 0 && u < 1) {
			t.Fatal(u)
		}
	}
	if or != ^uint64(0) || and != 0 {
		t.Errorf("bits that never change: %x %x", ^or, and)
	}
	if !a.System() || NewKey(1).Stream().System() || NewStreams(NewKey(1)).Open("a").System() {
		t.Error("seeded streams and the system's say the same of themselves")
	}
	defer func() {
		if recover() == nil {
			t.Error("a purpose was opened twice")
		}
	}()
	streams.Open("a")
}

// TestPermute: as math/rand/v2 shuffles, and the stream goes on at the same place.
func TestPermute(t *testing.T) {
	for n := range 300 {
		a, b := NewKey(uint64(n)).Stream(), NewKey(uint64(n)).Stream()
		got := make([]int32, n)
		for i := range got {
			got[i] = int32(i)
		}
		want := slices.Clone(got)
		a.Permute(got)
		b.Shuffle(n, func(i, j int) { want[i], want[j] = want[j], want[i] })
		if !slices.Equal(got, want) || a.Uint64() != b.Uint64() {
			t.Fatalf("%d elements: %v, math/rand/v2 has %v", n, got, want)
		}
	}
}

// TestWords: the numbers of Uint64, of the system's randomness others each time.
func TestWords(t *testing.T) {
	a, b := NewKey(33).Stream(), NewKey(33).Stream()
	for n := range 200 {
		words := make([]uint64, n)
		a.Words(words)
		for i, got := range words {
			if want := b.Uint64(); got != want {
				t.Fatalf("word %d of %d is %d, want %d", i, n, got, want)
			}
		}
	}
	words := make([]uint64, 300)
	SystemStream().Words(words)
	slices.Sort(words)
	if distinct := len(slices.Compact(words)); distinct < 300 { // of probability 2⁻⁴⁸
		t.Errorf("%d of 300 words of the system are distinct", distinct)
	}
}

// TestAhead: the numbers of the stream itself, one by one and many at a time, over several chunks,
// with one processor or more.
func TestAhead(t *testing.T) {
	for _, processors := range []int{1, 2, 5} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		b := NewKey(34).Stream()
		a, stop := NewKey(34).Stream().Ahead()
		words := make([]uint64, 3*chunk)
		for n := range 200 {
			part := words[:n*n%len(words)]
			a.Words(part)
			for _, got := range append(part, a.Uint64(), a.Rand.Uint64()) {
				if want := b.Uint64(); got != want {
					t.Fatalf("%d processors: %d, want %d", processors, got, want)
				}
			}
		}
		stop()
	}
	_, stop := NewKey(34).Stream().Ahead() // nothing is drawn
	stop()
	system, stop := SystemStream().Ahead()
	defer stop()
	if x, y := system.Uint64(), system.Uint64(); !system.System() || x == y { // once in 2⁶⁴
		t.Error("not the operating system's randomness")
	}
}

// TestUint32N: the numbers of math/rand/v2, of either kind of bound.
func TestUint32N(t *testing.T) {
	a, b := NewKey(32).Stream(), NewKey(32).Stream()
	for n := uint32(1); n < math.MaxUint32/2; n += 1 + n/50 {
		if got, want := a.Uint32N(n), b.Rand.Uint32N(n); got != want {
			t.Fatalf("below %d: %d, math/rand/v2 has %d", n, got, want)
		}
	}
}

// TestNormal: the library, whose tables are written down, draws the same numbers from the same
// stream, but for the last bits of those in the tails.
func TestNormal(t *testing.T) {
	key := NewKey(5)
	stream, library := key.Stream(), rand.New(rand.NewChaCha8(key))
	beyond := 0
	for i := range 1_000_000 {
		got, want := stream.NormFloat64(), library.NormFloat64()
		if math.Abs(want) > tail {
			beyond++
			if math.Abs(got-want) <= 4e-16*math.Abs(want) {
				continue
			}
		}
		if got != want {
			t.Fatalf("draw %d is %v, the library's %v", i, got, want)
		}
	}
	// 0.000576 of all draws; 12 standard deviations either way.
	if beyond < 290 || beyond > 870 {
		t.Errorf("%d of a million draws lie in the tails", beyond)
	}
}
