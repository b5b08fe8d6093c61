package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
)

// one is a single region over the whole of labelled's x, with the given counts.
func one(counts ...float64) *algorithms.Regions {
	return &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{10}, Classes: 3, Counts: counts}
}

// TestDegenerateReleases measures releases that say little or nothing with every metric of tables, and every classifier where
// the metric takes one. A metric may be undefined there or refuse; it must not panic, nor give as a value what is no number.
func TestDegenerateReleases(t *testing.T) {
	few := [][2]uint32{{2, 0}, {0, 1}, {5, 2}, {3, 1}}
	table := labelled(few...)
	sorted := func(weights ...float64) *algorithms.Release {
		return &algorithms.Release{Table: table, Weights: weights, Regions: one(1, 2, 1)}
	}
	members := one(1, 2, 1)
	members.Assignment = []int32{0, 0, 0, 0}
	suppressed := one(0, 0, 0)
	suppressed.Assignment, suppressed.Suppressed = []int32{-1, -1, -1, -1}, []int32{0, 1, 2, 3}
	none := &algorithms.Regions{Attributes: []int{0}, Classes: 3}
	releases := []struct {
		name    string
		release *algorithms.Release
	}{
		{"no record, no region", &algorithms.Release{Table: labelled(), Regions: none}},
		{"one empty region", &algorithms.Release{Table: labelled(), Regions: one(0, 0, 0)}},
		{"one region of one class", &algorithms.Release{Table: labelled([2]uint32{4, 1}), Regions: one(0, 5, 0)}},
		{"records without weight", sorted(0, 0, 0, 0)},
		{"hardly any weight", sorted(math.SmallestNonzeroFloat64, 0, 0, 0)},
		{"members", &algorithms.Release{Table: table, Regions: members}},
		{"everything suppressed", &algorithms.Release{Table: labelled(), Regions: suppressed}},
		{"nothing at all", &algorithms.Release{}},
	}
	rows := table.AllRows()
	splits := []struct{ train, test []int32 }{{rows, rows}, {rows, nil}, {nil, rows}, {rows[:1], rows[1:2]}}
	var of []classifiers.Classifier
	for _, name := range classifiers.Names() {
		c, err := classifiers.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, c)
	}
	defined := 0
	for _, name := range Names() {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		info := m.Info()
		if slices.Contains(info.Needs, algorithms.DegreesProduct) {
			continue
		}
		with := []classifiers.Classifier{nil}
		if info.Classifier {
			with = of
		}
		for _, r := range releases {
			for i, split := range splits {
				for _, classifier := range with {
					c := Case{Table: table, Train: split.train, Test: split.test, Release: r.release, Classifier: classifier, K: 2}
					if p, ok := m.(Parameterised); ok {
						c.Params = p.Params()
					}
					if held := r.release.Regions; held != nil && held.Assignment != nil && len(split.train) != len(held.Assignment) {
						continue
					}
					what := fmt.Sprintf("%s of %s, split %d", name, r.name, i)
					if classifier != nil {
						what += ", " + classifier.Info().Name
					}
					value, ok, err := guarded(m, c)
					switch {
					case err != nil || !ok:
					case math.IsNaN(value) || math.IsInf(value, 0):
						t.Errorf("%s: %v", what, value)
					default:
						defined++
					}
					if p, panicked := err.(*thrown); panicked {
						t.Errorf("%s: panic: %v", what, p.value)
					}
				}
			}
		}
	}
	if defined == 0 {
		t.Error("nothing was defined anywhere")
	}
}

type thrown struct{ value any }

func (p *thrown) Error() string { return fmt.Sprint(p.value) }

// guarded is Measure with a panic for an error.
func guarded(m Metric, c Case) (value float64, ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &thrown{p}
		}
	}()
	return m.Measure(context.Background(), c)
}

// TestASingleAttribute: a table of nothing but a class is measured, or refused, without a panic; so is one without a class.
func TestASingleAttribute(t *testing.T) {
	class := datasets.Attribute{Name: "y", Kind: datasets.Categorical, Values: []string{"a", "b"}, Role: datasets.Class}
	plain := class
	plain.Role = datasets.QuasiIdentifier
	for _, a := range []datasets.Attribute{class, plain} {
		b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{a}}, 3)
		for code := range uint32(3) {
			b.Set(b.AddRow(), 0, code%2)
		}
		table := b.Table()
		regions := &algorithms.Regions{Classes: max(1, table.Schema().Classes()), Counts: []float64{2, 1}}
		if a.Role != datasets.Class {
			regions = &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1}, High: []uint32{1, 2}, Classes: 1, Counts: []float64{2, 1}}
		}
		for _, name := range Names() {
			m, err := Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(m.Info().Needs, algorithms.DegreesProduct) {
				continue
			}
			c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(), K: 1,
				Release: &algorithms.Release{Table: table, Regions: regions}}
			if p, ok := m.(Parameterised); ok {
				c.Params = p.Params()
			}
			if m.Info().Classifier {
				if c.Classifier, err = classifiers.Lookup("c45"); err != nil {
					t.Fatal(err)
				}
			}
			value, ok, err := guarded(m, c)
			if p, panicked := err.(*thrown); panicked {
				t.Errorf("%s, role %v: panic: %v", name, a.Role, p.value)
			}
			if err == nil && ok && (math.IsNaN(value) || math.IsInf(value, 0)) {
				t.Errorf("%s, role %v: %v", name, a.Role, value)
			}
		}
	}
}
