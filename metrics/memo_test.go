package metrics

import (
	"context"
	"errors"
	"sync"
	"testing"

	"ppdp/internal/must"
)

// TestMemoizeOnce: many goroutines that ask for the same get one computation, those that ask for
// another theirs.
func TestMemoizeOnce(t *testing.T) {
	var m Memo
	var computed [2]int
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			key := i % 2
			got, err := memoize(context.Background(), &m, key, func() (int, error) {
				computed[key]++ // the race detector sees it if two are here at once
				return 10 + key, nil
			})
			if err != nil || got != 10+key {
				t.Errorf("key %d: %d, error %v", key, got, err)
			}
		})
	}
	group.Wait()
	must.Be(t, computed, [2]int{1, 1}, "computed")
}

// TestMemoizeForgetsFailures: an error or a panic is the asker's own; the next one computes again.
func TestMemoizeForgetsFailures(t *testing.T) {
	var m Memo
	ctx := context.Background()
	failed := errors.New("failed")
	if _, err := memoize(ctx, &m, "x", func() (int, error) { return 0, failed }); !errors.Is(err,
		failed) {
		t.Errorf("error %v, must be %v", err, failed)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = memoize(ctx, &m, "x", func() (int, error) { panic("no") })
	}()
	must.Be(t, must.Get(memoize(ctx, &m, "x", func() (int, error) { return 3, nil })), 3)
	must.Be(t, must.Get(memoize(ctx, nil, "x", func() (int, error) { return 4, nil })), 4)
}

// TestMemoizeWaitsNoLongerThanItsContext: who waits for another's computation can be stopped.
func TestMemoizeWaitsNoLongerThanItsContext(t *testing.T) {
	var m Memo
	started, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		_, _ = memoize(context.Background(), &m, "x", func() (int, error) {
			close(started)
			<-release
			return 1, nil
		})
	})
	<-started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := memoize(ctx, &m, "x", func() (int, error) { return 2, nil }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, must be %v", err, context.Canceled)
	}
	close(release)
	group.Wait()
}
