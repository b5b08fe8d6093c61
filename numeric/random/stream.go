// Package random holds the named streams that all randomness comes from: generated data, folds,
// classifiers and the noise of mechanisms alike. A stream is named by a path below a master seed,
// so what one part draws never depends on what another part has drawn. Releases that are handed out
// have the operating system's randomness in their place. The package knows uniform and normal
// numbers; noise that pays for privacy is drawn in package privacy.
package random

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
)

// Key names a family of random streams. Keys form a tree: the root is made from a master
// seed, children by Derive. Equal paths give equal keys on every machine and Go version.
type Key [sha256.Size]byte

// NewKey returns the root key of a master seed. Seeds are distinct, 0 included.
func NewKey(seed uint64) Key {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	return sha256.Sum256(append([]byte("ppdp/1/seed:"), b[:]...))
}

// Derive returns the child of k along parts. Parts are hashed with their lengths, so that
// ("ab","c") and ("a","bc") differ.
func (k Key) Derive(parts ...string) Key {
	h := sha256.New()
	h.Write(k[:])
	var b [8]byte
	for _, part := range parts {
		binary.LittleEndian.PutUint64(b[:], uint64(len(part)))
		h.Write(b[:])
		h.Write([]byte(part))
	}
	var child Key
	h.Sum(child[:0])
	return child
}

// Stream opens the random stream of k: ChaCha8 seeded with the key itself.
func (k Key) Stream() *Stream {
	source := rand.NewChaCha8(k)
	return &Stream{Rand: rand.New(source), source: source}
}

// Stream is a source of randomness with the methods of math/rand/v2's Rand: a reproducible one, or
// the operating system's. It is not safe for concurrent use.
type Stream struct {
	*rand.Rand
	source *rand.ChaCha8 // nil for the system's and those of Ahead
	ahead  *ahead
	system bool
}

// System reports whether the stream is the operating system's randomness: nobody can draw it again.
func (s *Stream) System() bool { return s.system }

// Uint64 is Rand's, without its detours, as is Uint32N: the same numbers sooner.
func (s *Stream) Uint64() uint64 {
	if s.source == nil {
		return s.Rand.Uint64()
	}
	return s.source.Uint64()
}

// Words fills words with the next numbers of Uint64.
func (s *Stream) Words(words []uint64) {
	switch {
	case s.ahead != nil:
		s.ahead.fill(words)
	case s.source == nil:
		for i := range words {
			words[i] = s.Rand.Uint64()
		}
	default:
		for i := range words {
			words[i] = s.source.Uint64()
		}
	}
}

// Uint32N draws uniformly from 0 to n-1; it panics when n is 0.
func (s *Stream) Uint32N(n uint32) uint32 {
	if n == 0 {
		panic("random: Uint32N of 0")
	}
	return uint32(s.below(uint64(n)))
}

// below draws uniformly from 0 to n-1, n > 0, by multiplication with rejection (Lemire 2019).
func (s *Stream) below(n uint64) uint64 {
	if n&(n-1) == 0 {
		return s.Uint64() & (n - 1)
	}
	high, low := bits.Mul64(s.Uint64(), n)
	if low < n {
		for least := -n % n; low < least; {
			high, low = bits.Mul64(s.Uint64(), n)
		}
	}
	return high
}

// Permute is Shuffle of order: the same draws and the same result, without a call for each element.
func (s *Stream) Permute(order []int32) {
	for i := len(order) - 1; i > 0; i-- {
		j := s.below(uint64(i + 1))
		order[i], order[j] = order[j], order[i]
	}
}

// system reads words of the operating system's randomness, many at a time.
type system struct {
	words [2048]byte
	used  int
}

// Uint64 never fails: where the system has no randomness, crypto/rand ends the program.
func (s *system) Uint64() uint64 {
	if s.used == len(s.words) {
		cryptorand.Read(s.words[:])
		s.used = 0
	}
	word := binary.LittleEndian.Uint64(s.words[s.used:])
	clear(s.words[s.used : s.used+8]) // what is drawn is not kept
	s.used += 8
	return word
}

// SystemStream opens a stream of the operating system's randomness.
func SystemStream() *Stream {
	return &Stream{Rand: rand.New(&system{used: len(system{}.words)}), system: true}
}

// Open01 draws uniformly from the 2⁵² midpoints (i+½)/2⁵² of the open interval (0,1): never 0,
// never 1, so that its logarithm and that of its complement are finite. (With 2⁵³ midpoints the
// largest would round to 1.)
func (s *Stream) Open01() float64 { return open01(s.Uint64()) }

// open01 maps the top 52 bits of u to a midpoint; the low 12 bits are free for other uses.
func open01(u uint64) float64 { return float64((float64(u>>12) + 0.5) * 0x1p-52) }

// SignedOpen01 is Open01 with a fair sign beside it, both from the same 64 random bits.
func (s *Stream) SignedOpen01() (u float64, negative bool) {
	word := s.Uint64()
	return open01(word), word&1 == 1
}

// Streams gives one release its streams by purpose. Two call sites that ask for the same
// purpose would draw the same numbers, so a second Open of a purpose panics.
type Streams struct {
	key    Key
	system bool // the operating system's: key is not used
	opened map[string]bool
}

// NewStreams returns the streams below key.
func NewStreams(key Key) *Streams {
	return &Streams{key: key, opened: make(map[string]bool)}
}

// SystemStreams returns streams of the operating system's randomness: no seed gives them again.
func SystemStreams() *Streams {
	return &Streams{system: true, opened: make(map[string]bool)}
}

// Open returns the stream of a purpose such as "cuts" or "leaf counts".
func (s *Streams) Open(purpose string) *Stream {
	if s.opened[purpose] {
		panic(fmt.Sprintf("random: stream %q opened twice", purpose))
	}
	s.opened[purpose] = true
	if s.system {
		return SystemStream()
	}
	return s.key.Derive(purpose).Stream()
}

// chunk is how many words change hands at a time: some dozens of microseconds' worth.
const chunk = 1 << 12

// ahead is a source of words that another goroutine draws from a stream, in chunks that go to and
// fro between the two.
type ahead struct {
	drawn, used chan *[chunk]uint64
	words       *[chunk]uint64 // words[at:] are left
	at          int
}

// Ahead returns a stream of the numbers that s has next, which another processor draws while they
// are used, if there is one. s itself must not be used any more, nor the new one after stop.
func (s *Stream) Ahead() (next *Stream, stop func()) {
	if runtime.GOMAXPROCS(0) == 1 {
		return s, func() {}
	}
	const chunks = 3
	a := &ahead{drawn: make(chan *[chunk]uint64, chunks), used: make(chan *[chunk]uint64, chunks),
		at: chunk}
	for range chunks - 1 {
		a.used <- new([chunk]uint64)
	}
	a.words = new([chunk]uint64)
	go func() {
		defer close(a.drawn)
		for words := range a.used {
			s.Words(words[:])
			a.drawn <- words
		}
	}()
	return &Stream{Rand: rand.New(a), ahead: a, system: s.system}, func() {
		close(a.used)
		for range a.drawn { // until the goroutine ends
		}
	}
}

// left is the words that are there, at least one.
func (a *ahead) left() []uint64 {
	if a.at == chunk {
		a.used <- a.words
		a.words, a.at = <-a.drawn, 0
	}
	return a.words[a.at:]
}

func (a *ahead) Uint64() uint64 {
	word := a.left()[0]
	a.at++
	return word
}

// fill is Stream.Words.
func (a *ahead) fill(words []uint64) {
	for len(words) > 0 {
		n := copy(words, a.left())
		words, a.at = words[n:], a.at+n
	}
}
