package csvtable

import "runtime"

// ordered runs jobs at the same time and hands on what they make in the order of their starts.
type ordered[T any] struct{ waiting []chan T }

// full reports whether enough jobs run: one more than processors, so that none is idle while what
// another made is handed on.
func (o *ordered[T]) full() bool  { return len(o.waiting) > runtime.GOMAXPROCS(0) }
func (o *ordered[T]) empty() bool { return len(o.waiting) == 0 }

func (o *ordered[T]) start(job func() T) {
	made := make(chan T, 1) // a job whose result nobody wants any more ends all the same
	o.waiting = append(o.waiting, made)
	go func() { made <- job() }()
}

// next waits for the oldest job.
func (o *ordered[T]) next() T {
	made := <-o.waiting[0]
	o.waiting = o.waiting[1:]
	return made
}
