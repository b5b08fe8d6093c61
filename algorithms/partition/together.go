package partition

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// largeRows is how many rows make it worth while to wake another processor.
const largeRows = 1 << 18

// together runs f(0) to f(n-1), which take time linear in rows: of many, as many at once as there
// are processors. It returns the first error.
func together(rows, n int, f func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		if rows >= largeRows {
			group.Go(func() error { return f(i) })
		} else if err := f(i); err != nil {
			return err
		}
	}
	return group.Wait()
}
