package cmd

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestLargeHeapsGrowLess: while a heap is large it grows by half between collections, before and
// afterwards it doubles.
func TestLargeHeapsGrowLess(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	keepSmall()
	becomes := func(percent uint64) {
		t.Helper()
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		for range 100 {
			runtime.GC()
			time.Sleep(time.Millisecond) // clean-ups run beside
			if metrics.Read(sample); sample[0].Value.Uint64() == percent {
				return
			}
		}
		t.Fatalf("%d percent, must become %d", sample[0].Value.Uint64(), percent)
	}
	becomes(100)
	large := make([]byte, largeHeap)
	becomes(largePercent)
	runtime.KeepAlive(large)
	becomes(100)
}
