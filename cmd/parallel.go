package cmd

import (
	"errors"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inParallel runs n jobs on all processors, whatever becomes of one of them, and joins their
// errors in the order of the jobs.
func inParallel(n int, job func(i int) error) error {
	errs := make([]error, n)
	var jobs errgroup.Group
	jobs.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		jobs.Go(func() error {
			errs[i] = job(i)
			return nil
		})
	}
	_ = jobs.Wait()
	return errors.Join(errs...)
}
