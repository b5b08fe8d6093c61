package metrics

import (
	"context"
	"sync"
)

// Memo keeps what the measurements of several cases, or several measurements of one case, have in
// common, so that it is computed once. It changes no value: what is kept under a key depends on
// nothing but the key and what the memo's cases agree in (see Case). The zero value is empty and
// ready; a memo is safe for concurrent use.
type Memo struct {
	mu      sync.Mutex
	entries map[any]*memoEntry
}

// memoEntry is one value, or its place until it is there.
type memoEntry struct {
	turn  chan struct{} // full while a goroutine computes or reads
	known bool
	value any
}

// memoize returns what the memo has under the key, which must be comparable, and computes it first
// where it has nothing; a nil memo keeps nothing. A failure is not kept: the context that ended one
// job is not that of the next. What is returned is shared and must not be changed. It returns
// early with ctx.Err() when the context ends while another goroutine computes.
func memoize[T any](ctx context.Context, m *Memo, key any, compute func() (T, error)) (T, error) {
	if m == nil {
		return compute()
	}
	m.mu.Lock()
	e := m.entries[key]
	if e == nil {
		e = &memoEntry{turn: make(chan struct{}, 1)}
		if m.entries == nil {
			m.entries = make(map[any]*memoEntry)
		}
		m.entries[key] = e
	}
	m.mu.Unlock()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	defer func() { <-e.turn }() // after a panic too: others then try for themselves
	if e.known {
		return e.value.(T), nil
	}
	value, err := compute()
	if err == nil {
		e.value, e.known = value, true
	}
	return value, err
}
