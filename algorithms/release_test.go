package algorithms

import (
	"context"
	"errors"
	"testing"

	"ppdp/datasets"
)

// lazy is a release of n records that are all alike; draws counts how often they are drawn.
func lazy(n int, weight float64, draws *int) *Release {
	return &Release{Lazy: &LazyRecords{Rows: n, Weight: weight,
		Draw: func(ctx context.Context) (*datasets.Table, error) {
			*draws++
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{{Name: "x",
				High: 10, Step: 1}}}, n)
			for range n {
				b.AddRow()
			}
			return b.Table(), nil
		}}}
}

func TestRecordsAreDrawnOnce(t *testing.T) {
	for _, weight := range []float64{1, 2.5} {
		draws := 0
		r := lazy(4, weight, &draws)
		if n, ok := r.RecordCount(); !ok || n != 4*weight || draws != 0 {
			t.Errorf("weight %v: %v records, drawn %d times to count them", weight, n, draws)
		}
		table, weights, err := r.Records(context.Background())
		if err != nil || table.Len() != 4 {
			t.Fatalf("weight %v: %v, %v", weight, table, err)
		}
		switch {
		case weight == 1 && weights != nil:
			t.Errorf("weights %v, must be none", weights)
		case weight != 1 && (len(weights) != 4 || weights[0] != weight || weights[3] != weight):
			t.Errorf("weights %v, must be four of %v", weights, weight)
		}
		again, _, err := r.Records(context.Background())
		if err != nil || again != table || r.Table != table || draws != 1 {
			t.Errorf("weight %v: drawn %d times, error %v", weight, draws, err)
		}
		if n, ok := r.RecordCount(); !ok || n != 4*weight {
			t.Errorf("weight %v: %v records when drawn", weight, n)
		}
	}
}

// TestRecordCountKeepsItsBits: the sum of a hundred weights of a tenth is not ten, and drawing must
// not change that.
func TestRecordCountKeepsItsBits(t *testing.T) {
	draws := 0
	r := lazy(100, 0.1, &draws)
	before, _ := r.RecordCount()
	if _, _, err := r.Records(context.Background()); err != nil {
		t.Fatal(err)
	}
	if after, _ := r.RecordCount(); before != after {
		t.Errorf("%v records, when drawn %v", before, after)
	}
}

func TestRecordsFailForGood(t *testing.T) {
	draws := 0
	r := lazy(4, 1, &draws)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{cancelled, context.Background()} {
		if _, _, err := r.Records(ctx); !errors.Is(err, context.Canceled) || draws != 1 {
			t.Errorf("drawn %d times with error %v, must be once, cancelled", draws, err)
		}
	}
	r = lazy(4, 1, &draws)
	r.Lazy.Rows = 5
	if _, _, err := r.Records(context.Background()); err == nil {
		t.Error("four records for five are accepted")
	}
}

func TestNoRecords(t *testing.T) {
	r := &Release{}
	if table, _, err := r.Records(context.Background()); table != nil || err != nil {
		t.Errorf("records %v, error %v of a release without any", table, err)
	}
	if n, ok := r.RecordCount(); ok {
		t.Errorf("%v records of a release without any", n)
	}
}
