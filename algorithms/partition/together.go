package partition

import (
	"errors"
	"sync"
)

// manyValues is how many values make it worth while to wake another processor: half a millisecond's
// work or more.
const manyValues = 1 << 17

// together runs f(0) to f(n-1), which together look at so many values, at the same time if those
// are many.
func together(values, n int, f func(i int) error) error {
	var (
		failed  = make([]error, n)
		running sync.WaitGroup
	)
	for i := range n {
		if values >= manyValues {
			running.Go(func() { failed[i] = f(i) })
		} else {
			failed[i] = f(i)
		}
	}
	running.Wait()
	return errors.Join(failed...)
}
