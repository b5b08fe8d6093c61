package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// coin is an algorithm for tests: it publishes the rows a fair coin chooses, charges its budget,
// and misbehaves on demand.
type coin struct{}

type coinParams struct {
	Mood  string  `yaml:"mood" doc:"of the coin" values:"a word"`
	Share float64 `yaml:"share" doc:"of heads" values:"a number"`
	K     int     `yaml:"k" doc:"never used"`
}

func (p *coinParams) Validate() error {
	var errs []error
	if !(p.Share >= 0 && p.Share <= 1) {
		errs = append(errs, errors.New("share: must be between 0 and 1"))
	}
	return errors.Join(errs...)
}

func (coin) Info() algorithms.Info {
	return algorithms.Info{Name: "test-coin", Title: "Coin", Source: "test",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{
			{Variant: algorithms.Published, Model: algorithms.DifferentialPrivacy, Unit: "record",
				Relation: "none", Status: algorithms.Broken},
			// which is not so: see Release
			{Variant: algorithms.Strict, Model: algorithms.DifferentialPrivacy, Unit: "record",
				Relation: "none", Status: algorithms.Holds, Approximate: true}}}
}

func (coin) Params() algorithms.Params { return &coinParams{Share: 0.5} }

// meddle changes what it was lent. Other jobs may be reading it, which is the mistake to be
// noticed by the harness, not by the race detector.
//
//go:norace
func meddle(table *datasets.Table) { table.Column(0).Exact[0]++ }

// Release publishes the rows that the coin chooses, and does what the mood asks for.
func (coin) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	p := in.Params.(*coinParams)
	root := in.Budget.Root()
	switch p.Mood {
	case "panic":
		panic("a mistake in a plug-in")
	case "error":
		return nil, errors.New("cannot be done")
	case "processors":
		return nil, fmt.Errorf("%d processors", runtime.GOMAXPROCS(0))
	case "hang":
		select {} // ignores its context
	case "greedy":
		path := root.Fork()
		noise := in.Budget.Laplace("count", in.Noise.Open("count"), privacy.Exact(1))
		for range 3 {
			if _, err := noise.Add(&path, in.Budget.Epsilon()/2, 0); err != nil {
				return nil, err
			}
		}
	case "warns":
		return &algorithms.Release{Table: in.Table, Warnings: slices.Repeat([]string{
			strings.Repeat("\u009b word", 1_000_000)}, 1000)}, nil
	case "mute":
		return nil, nil
	case "meddle":
		meddle(in.Table)
	case "deaf":
		path := root.Fork()
		noise := in.Budget.Laplace("counts", in.Noise.Open("counts"), privacy.Exact(1))
		for range 3 {
			_, _ = noise.Add(&path, in.Budget.Epsilon()*0.75, 0)
		}
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var noise privacy.VectorNoise = in.Budget.Laplace("count", in.Noise.Open("count"),
		privacy.Sensitivity{Claimed: 1, Proven: 2})
	if in.Budget.Unit() == privacy.Rho {
		noise = in.Budget.Gaussian("total", in.Noise.Open("total"),
			privacy.Sensitivity{Claimed: 1, Proven: 2})
	}
	if err := noise.AddAll(&root, in.Budget.Total(), make([]float64, 1)); err != nil {
		return nil, err
	}
	stream := in.Noise.Open("rows")
	var kept []int32
	for _, row := range in.Rows {
		if stream.Float64() < p.Share {
			kept = append(kept, row)
		}
	}
	return &algorithms.Release{Table: in.Table.Select(kept)}, nil
}

// raw is an algorithm without privacy for tests.
type raw struct{}

func (raw) Info() algorithms.Info {
	return algorithms.Info{Name: "test-raw", Title: "Raw", Source: "test",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{
			{Variant: algorithms.Published, Model: algorithms.NoPrivacy}}}
}
func (raw) Params() algorithms.Params { return nil }
func (raw) Release(_ context.Context, in algorithms.Input) (*algorithms.Release, error) {
	return &algorithms.Release{Table: in.Table.Select(in.Rows)}, nil
}

func init() {
	algorithms.Register(coin{})
	algorithms.Register(raw{})
}
