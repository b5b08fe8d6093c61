package cmd

import (
	"errors"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inParallel calls task for 0 to n-1 on all processors. All are called, whatever the errors, which
// it joins in order.
func inParallel(n int, task func(i int) error) error {
	errs := make([]error, n)
	var tasks errgroup.Group
	tasks.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		tasks.Go(func() error {
			errs[i] = task(i)
			return nil
		})
	}
	_ = tasks.Wait()
	return errors.Join(errs...)
}
