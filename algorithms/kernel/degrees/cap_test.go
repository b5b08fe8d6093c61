package degrees

import (
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

func TestCap(t *testing.T) {
	// A star of three leaves and a node apart: n-1 = 4, maximum degree 3.
	star := must.Get(datasets.NewGraph(5, []int32{0, 0, 0}, []int32{1, 2, 3}))
	lone := must.Get(datasets.NewGraph(1, nil, nil))
	for _, test := range []struct {
		cap         Cap
		star, alone int
		private     bool
	}{{Nodes, 4, 1, false}, {MaxDegree, 3, 1, true}, {"2", 2, 1, false}, {"100", 4, 1, false}} {
		if err := test.cap.Validate(); err != nil {
			t.Error(err)
		}
		if got := test.cap.Of(star); got != test.star {
			t.Errorf("%s of the star is %d, want %d", test.cap, got, test.star)
		}
		if got := test.cap.Of(lone); got != test.alone {
			t.Errorf("%s of a single node is %d, want %d", test.cap, got, test.alone)
		}
		if err := test.cap.CheckVariant(algorithms.Strict); (err != nil) != test.private {
			t.Errorf("%s: %v", test.cap, err)
		}
	}
	for _, bad := range []Cap{"", "0", "-3", "2.5", "max", "99999999999"} {
		if err := bad.Validate(); err == nil || !strings.HasPrefix(err.Error(),
			"lambda: ") {
			t.Errorf("cap %q: %v", bad, err)
		}
	}
}
