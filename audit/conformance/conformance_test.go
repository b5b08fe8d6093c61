package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/privacy"
)

// fake publishes one box over the whole domain with noisy class counts, and a record drawn when it
// is asked for. With a fault it does one thing wrong, which one check has to notice.
type fake struct {
	fault string
	calls *atomic.Int64
}

type fakeParams struct {
	Scale float64 `yaml:"scale"`
	Depth int     `yaml:"depth"`
	Style string  `yaml:"style"`
	fault string
}

func (p *fakeParams) Validate() error {
	var errs []error
	if !(p.Scale > 0) {
		errs = append(errs, fmt.Errorf("scale: %v, must be above 0", p.Scale))
	}
	switch {
	case p.Depth >= 0:
	case p.fault == "does not name the key":
		errs = append(errs, fmt.Errorf("%d levels, must be at least 0", p.Depth))
	case p.fault == "accepts a negative number":
	default:
		errs = append(errs, fmt.Errorf("depth: %d, must be at least 0", p.Depth))
	}
	if p.Style != "plain" && p.fault != "accepts any text" && p.fault != picky {
		errs = append(errs, fmt.Errorf("style: %q, must be plain", p.Style))
	}
	return errors.Join(errs...)
}

// picky leaves texts to CheckSchema, as what names an attribute has to. It is no fault.
const picky = "leaves texts to CheckSchema"

func (p *fakeParams) CheckSchema(*datasets.Schema) error {
	if p.Style != "plain" && p.fault == picky {
		return fmt.Errorf("style: %q, must be an attribute of the table", p.Style)
	}
	return nil
}

func (f fake) Params() algorithms.Params {
	p := &fakeParams{Scale: 1, Depth: 3, Style: "plain", fault: f.fault}
	if f.fault == "bad defaults" {
		p.Scale = 0
	}
	return p
}

func (f fake) Info() algorithms.Info {
	info := algorithms.Info{
		Name: "fake", Title: "Fake", Source: "none", Input: algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RegionsProduct, algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{{
			Variant: algorithms.Published, Model: algorithms.DifferentialPrivacy, Unit: "record",
			Relation: "add or remove one record", Status: algorithms.Holds, Note: "A note.",
		}},
		Revision: 1,
	}
	switch f.fault {
	case "no relation":
		info.Variants[0].Relation = ""
	case "no variants":
		info.Variants = nil
	case "short for no reason":
		info.Variants[0].Status = algorithms.Short
	case "promises membership":
		info.Produces = append(info.Produces, algorithms.MembershipProduct)
	case "hides its k":
		info.Variants[0].Model = algorithms.KAnonymity
	}
	return info
}

func (f fake) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if err := ctx.Err(); err != nil && f.fault != "ignores its context" {
		return nil, err
	}
	schema := in.Table.Schema()
	regions := &algorithms.Regions{Attributes: schema.QuasiIdentifiers(), Classes: schema.Classes()}
	for _, attribute := range regions.Attributes {
		high := uint32(schema.Attributes[attribute].Cells())
		if f.fault == "reads the domain off the data" {
			high = 1
			for _, row := range in.Rows {
				high = max(high, in.Table.Column(attribute).At(row)+1)
			}
		}
		regions.Low, regions.High = append(regions.Low, 0), append(regions.High, high)
	}
	regions.Counts = make([]float64, regions.Classes)
	class := schema.Class()
	for _, row := range in.Rows {
		label := uint32(0)
		if class >= 0 || f.fault == "takes a class for granted" {
			label = in.Table.Column(class).At(row)
		}
		regions.Counts[label]++
	}

	stream := in.Noise.Open("counts")
	sensitivity := privacy.Exact(1)
	if f.fault == "loses more than it says" {
		sensitivity.Proven = 2
	}
	root := in.Budget.Root()
	before := append([]float64(nil), regions.Counts...)
	if f.fault == "charges nothing" {
		for i := range regions.Counts {
			regions.Counts[i] += stream.NormFloat64()
		}
	} else if err := in.Budget.Laplace("counts", stream, sensitivity).AddAll(&root,
		in.Budget.Epsilon(), regions.Counts); err != nil {
		return nil, err
	}
	for i := range regions.Counts {
		if f.fault != "publishes negative counts" {
			regions.Counts[i] = max(0, regions.Counts[i])
		}
	}
	release := &algorithms.Release{Regions: regions, Structure: algorithms.Structure{Nodes: 1,
		Leaves: 1}}
	switch f.fault {
	case "ignores its noise":
		copy(regions.Counts, before)
	case "keeps state":
		regions.Counts[0] += float64(f.calls.Add(1))
	case "writes to the table":
		if in.Table.Len() > 0 {
			in.Table.Column(0).U8[0] ^= 1
		}
	case "panics without rows":
		_ = in.Rows[0]
	case "refuses a small table":
		if len(in.Rows) < 2 {
			return nil, errors.New("too few rows")
		}
	case "assigns rows":
		regions.Assignment = make([]int32, len(in.Rows))
	case "suppresses a row":
		regions.Suppressed = []int32{0}
	case "overflows":
		if in.Budget.Epsilon() < 1e-3 {
			regions.Counts[0] = math.Inf(1)
		}
	case "never checks its context again":
		if in.Table.Len() > 1000 {
			release.Structure.Nodes = 1 << 20
		}
	case "does not cover the domain":
		if in.Table.Len() > 0 {
			regions.Tree = []algorithms.Cut{}
			regions.High[0]--
		}
	}
	if f.fault != "releases no records" {
		size := 1
		if f.fault == "publishes its size" {
			size = len(in.Rows)
		}
		release.Lazy = &algorithms.LazyRecords{Rows: size, Weight: 1,
			Draw: func(ctx context.Context) (*datasets.Table, error) {
				if err := ctx.Err(); err != nil && f.fault != "draws without end" {
					return nil, err
				}
				b := datasets.NewBuilder(schema, size)
				for range size {
					b.AddRow()
				}
				if f.fault == "invents a code" {
					b.Set(0, 2, 200)
				}
				if f.fault == "draws a record too many" {
					b.AddRow()
				}
				return b.Table(), nil
			}}
	}
	return release, nil
}

// TestSuppressedRows: positions ascend, so that the order of rows shows nowhere. That rows are
// in no region and in no count is for package verify.
func TestSuppressedRows(t *testing.T) {
	in := algorithms.Input{Table: Table(3), Rows: []int32{0, 1, 2}}
	q := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{40}, Classes: 2,
		Counts: make([]float64, 2), Assignment: []int32{0, -1, -1}}
	q.Counts[in.Table.Column(in.Table.Schema().Class()).At(0)]++
	for _, suppressed := range [][]int32{{1, 2}, {2, 1}, {1}} {
		q.Suppressed = suppressed
		err := checkRows(algorithms.Guarantee{Model: algorithms.KAnonymity}, in, q)
		must.Be(t, err == nil, slices.Equal(suppressed, []int32{1, 2}), suppressed, err)
	}
}

// TestParamsAskCheckSchema: what only a table can tell is refused by CheckSchema, and a fake that
// accepts any text passes with that alone.
func TestParamsAskCheckSchema(t *testing.T) {
	must.Fail(t, checkParams(fake{fault: "accepts any text"}), "",
		"any text is accepted, and nothing is found")
	if err := checkParams(fake{fault: picky}); err != nil {
		t.Errorf("what CheckSchema refuses is called accepted: %v", err)
	}
}

// TestChecksNoticeFaults: the fake without a fault passes everything, and for each fault the check
// made for it fails.
func TestChecksNoticeFaults(t *testing.T) {
	// A fault runs through its own check only: one that writes to the table, checked for two
	// releases at once, would be a race.
	run := func(fault, check string) map[string]error {
		f := fake{fault: fault, calls: new(atomic.Int64)}
		found := map[string]error{"info": checkInfo(f), "params": checkParams(f)}
		if variants := f.Info().Variants; len(variants) > 0 {
			for _, c := range checks {
				if check == "" || c.name == check {
					found[c.name] = c.run(newSubject(f, variants[0], f.Params()))
				}
			}
		}
		return found
	}
	for name, err := range run("", "") {
		if err != nil {
			t.Errorf("without a fault, %s: %v", name, err)
		}
	}
	for _, c := range []struct{ fault, check, says string }{
		{"accepts a negative number", "params", "depth: -1 is accepted, must be refused"},
		{"accepts any text", "params", `style: "no such value" is accepted, must be refused`},
		{"does not name the key", "params", "key is not named"},
		{"bad defaults", "params", "defaults"},
		{"hides its k", "params", "must implement algorithms.Anonymous"},
		{"no relation", "info", "relation"},
		{"no variants", "info", "no variants"},
		{"short for no reason", "info", "errata"},
		{"promises membership", "info", "membership"},
		{"promises membership", "shape", "product membership"},
		{"assigns rows", "shape", "under differential privacy"},
		{"suppresses a row", "shape", "rows are suppressed"},
		{"releases no records", "shape", "product records"},
		{"invents a code", "shape", "code 200"},
		{"draws a record too many", "shape", "2 records are drawn where 1"},
		{"draws without end", "cancelled", "records drawn after"},
		{"does not cover the domain", "shape", "cells of a domain"},
		{"reads the domain off the data", "rare value", "regions cover"},
		{"ignores its noise", "noisy", "ignores its noise"},
		{"keeps state", "reproducible", "differ"},
		{"keeps state", "parallel", "differs"},
		{"charges nothing", "budget", "nothing was charged"},
		{"loses more than it says", "budget", "proven"},
		{"writes to the table", "input untouched", "changed"},
		{"panics without rows", "small tables", "panic"},
		{"publishes its size", "size", "the number of records is published"},
		{"refuses a small table", "small tables", "too few rows"},
		{"takes a class for granted", "odd inputs", "no class: panic"},
		{"publishes negative counts", "extreme epsilon", "count"},
		{"overflows", "extreme epsilon", "finite"},
		{"ignores its context", "cancelled", "must give its error"},
		{"never checks its context again", "cancelled", "the context is checked"},
	} {
		must.Fail(t, run(c.fault, c.check)[c.check], c.says, c.fault, c.check)
	}
}

func TestHashCoversEveryField(t *testing.T) {
	full := func() *algorithms.Release {
		return &algorithms.Release{
			Table: Table(3), Weights: []float64{1, 2, 3}, Degrees: []int32{1, 2},
			Warnings:  []string{"w"},
			Structure: algorithms.Structure{Nodes: 3, Leaves: 2, Depth: 1},
			Regions: &algorithms.Regions{
				Attributes: []int{1}, Low: []uint32{0, 5}, High: []uint32{5, 40}, Classes: 1,
				Counts:   []float64{1, 2},
				Tree:     []algorithms.Cut{{Dim: 1, At: 5, Left: ^0, Right: ^1}},
				Nodes:    []int32{-1, 2},
				Axes:     []*datasets.Axis{Table(1).Schema().Attributes[2].Axis()},
				TightLow: []uint32{1, 6}, TightHigh: []uint32{2, 7},
				Means: []float64{1, 6}, Assignment: []int32{0, 1, -1}, Suppressed: []int32{2},
			},
		}
	}
	want := Hash(full())
	if Hash(full()) != want {
		t.Fatal("the hash of equal releases differs")
	}
	for _, part := range []func(r *algorithms.Release) any{
		func(r *algorithms.Release) any { return r },
		func(r *algorithms.Release) any { return r.Regions },
		func(r *algorithms.Release) any { return &r.Regions.Tree[0] },
		func(r *algorithms.Release) any { return &r.Structure },
	} {
		fields := reflect.TypeOf(part(full())).Elem()
		for i := range fields.NumField() {
			r := full()
			field := reflect.ValueOf(part(r)).Elem().Field(i)
			if !field.CanSet() || field.IsZero() {
				continue // has no part in what full has
			}
			if field.Kind() == reflect.Slice { // and so the elements count
				last := reflect.MakeSlice(field.Type(), 1, 1)
				field.Set(reflect.AppendSlice(field.Slice(0, field.Len()-1), last))
			} else {
				field.SetZero()
			}
			if Hash(r) == want {
				t.Errorf("%s.%s can change, and the hash stays", fields, fields.Field(i).Name)
			}
		}
	}
}
