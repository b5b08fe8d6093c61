package engine

import "testing"

// TestShards: every job is in one shard, no shard has two jobs more than another, and of jobs that
// recur with any period, such as all first folds, none has more than about twice its part.
func TestShards(t *testing.T) {
	if !(Shard{}).has(7) {
		t.Error("without a division a job is left out")
	}
	for _, count := range []int{1, 2, 5, 10, 64} {
		const jobs = 10_000
		for _, period := range []int{1, 2, 5, 10, 50} {
			have, recurring := make([]int, count), make([]int, count)
			for i := range jobs {
				for index := range count {
					if !(Shard{index, count}).has(i) {
						continue
					}
					have[index]++
					if i%period == 0 {
						recurring[index]++
					}
				}
			}
			total := 0
			for index, n := range have {
				total += n
				if least := jobs / count; n < least || n > least+1 {
					t.Errorf("shard %d of %d has %d of %d jobs", index, count, n, jobs)
				}
				mean := float64(jobs/period) / float64(count)
				if n := float64(recurring[index]); n > 2*mean+float64(count) { // rounds cut off
					t.Errorf("shard %d of %d has %v of %d jobs that recur every %d", index, count,
						n, jobs/period, period)
				}
			}
			if total != jobs {
				t.Errorf("%d shards have %d of %d jobs", count, total, jobs)
			}
		}
	}
}
