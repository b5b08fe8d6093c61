package partition

import (
	"errors"
	"runtime"
	"sync"
)

// manyValues is how many values make it worth while to wake another processor: half a millisecond's
// work or more.
const manyValues = 1 << 17

// together runs f(0) to f(n-1), which read that many values altogether: at the same time if these
// are many, else one after the other.
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

// sharedRows is how many rows of a region make it worth while to divide a pass over them.
const sharedRows = 1 << 15

// mostParts bounds the parts of one pass.
const mostParts = 64

// shared runs f for parts of many rows, one for each processor, at the same time.
func shared(rows []int32, f func(part, start int, rows []int32)) (parts int) {
	parts = min(runtime.GOMAXPROCS(0), 2*len(rows)/sharedRows, mostParts)
	var running sync.WaitGroup
	for part := 1; part < parts; part++ {
		start, end := part*len(rows)/parts, (part+1)*len(rows)/parts
		running.Go(func() { f(part, start, rows[start:end]) })
	}
	f(0, 0, rows[:len(rows)/parts])
	running.Wait()
	return parts
}

// sharing says whether it pays to divide a count of rows between processors.
func sharing(rows, counts []int32) bool { return len(rows) >= max(sharedRows, 8*len(counts)) }

// countShared adds the counts of f over all rows to counts.
func countShared(rows, counts []int32, f func(rows, counts []int32)) {
	var others [mostParts][]int32
	shared(rows, func(part, _ int, rows []int32) {
		if part == 0 {
			f(rows, counts)
			return
		}
		others[part] = make([]int32, len(counts))
		f(rows, others[part])
	})
	for _, other := range others {
		for i, n := range other {
			counts[i] += n
		}
	}
}

// splitShared is Split: each part is split by itself, then all left sides are put together, and all
// right ones.
func (s *Space) splitShared(rows []int32, dim int, at uint32) int {
	var parts [mostParts]struct{ start, left, right int }
	n := shared(rows, func(part, start int, rows []int32) {
		left := s.columns[dim].split(rows, s.moved[start:], at)
		parts[part].start, parts[part].left, parts[part].right = start, left, len(rows)-left
	})
	left := 0
	for _, p := range parts[:n] {
		left += copy(rows[left:], rows[p.start:p.start+p.left])
	}
	to := left
	for _, p := range parts[:n] {
		to += copy(rows[to:], s.moved[p.start:p.start+p.right])
	}
	return left
}
