package conformance

import (
	"context"
	"sync/atomic"
)

// fuse is a context that is cancelled after a number of checks, by Err or Done: a way to end
// a release in the middle that does not depend on the clock.
type fuse struct {
	context.Context
	left  atomic.Int64
	burnt chan struct{}
}

func newFuse(polls int64) *fuse {
	f := &fuse{Context: context.Background(), burnt: make(chan struct{})}
	close(f.burnt)
	f.left.Store(polls)
	return f
}

// Err is nil for the first polls and context.Canceled from then on.
func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Done returns an open channel for the first polls and a closed one from then on.
func (f *fuse) Done() <-chan struct{} {
	if f.left.Add(-1) < 0 {
		return f.burnt
	}
	return nil
}
