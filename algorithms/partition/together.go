package partition

import (
	"errors"
	"sync"
)

// largeRows is how many rows make it worth while to wake another processor.
const largeRows = 1 << 18

// together runs f(0) to f(n-1), which take time linear in rows, at the same time if those are many.
func together(rows, n int, f func(i int) error) error {
	var (
		failed  = make([]error, n)
		running sync.WaitGroup
	)
	for i := range n {
		if rows >= largeRows {
			running.Go(func() { failed[i] = f(i) })
		} else {
			failed[i] = f(i)
		}
	}
	running.Wait()
	return errors.Join(failed...)
}
