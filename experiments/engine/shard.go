package engine

import "fmt"

// Shard is one part of an experiment's jobs when they are divided between machines:
// 0 ≤ Index < Count. A count of 0 is no division.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Folder is the shard's own folder inside that of the results; empty for what is not divided.
func (s Shard) Folder() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("shard-%d-of-%d", s.Index+1, s.Count)
}

// has reports whether the plan's job i belongs to the shard. Jobs are dealt out in turn, so that
// each shard gets its part of every setting. Each round begins at another shard, which a hash of
// its number says, so that no shard gets, say, all jobs of the first fold.
func (s Shard) has(i int) bool {
	if s.Count == 0 {
		return true
	}
	// multiplicative hashing of the round by the golden ratio
	first := uint64(i/s.Count) * 0x9E3779B97F4A7C15 >> 32
	return (uint64(i)+first)%uint64(s.Count) == uint64(s.Index)
}
