package random

import (
	"math/rand/v2"
	"runtime"
)

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
