// Package testinput holds the tables and graphs that several baselines are tested on: Adult and the networks of the
// papers where they are present, generated tables, random graphs. Only tests import it.
package testinput

import (
	"context"
	"os"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/datasets/discrete"
	"ppdp/random"
)

// Adult loads a selection of the Adult table from $PPDP_DATA, or skips the test.
func Adult(tb testing.TB, selection string) *datasets.Table {
	tb.Helper()
	return load(tb, adult.Source{}, datasets.Request{Params: &adult.Params{Select: selection}, Files: files(tb)}).Table
}

// Discrete is the table of LeFevre et al. 2006 of a shape: 5 attributes of 8 cells, the same table on every call.
func Discrete(tb testing.TB, shape discrete.Shape, rows int) *datasets.Table {
	tb.Helper()
	params := discrete.Source{}.Params().(*discrete.Params)
	params.N, params.Shape = rows, shape
	return load(tb, discrete.Source{}, datasets.Request{Params: params, Key: random.NewKey(3)}).Table
}

// files are the files below $PPDP_DATA; without it the test is skipped.
func files(tb testing.TB) datasets.Files {
	tb.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: no real data")
	}
	return datasets.Files{Dirs: []string{dir}}
}

func load(tb testing.TB, source datasets.Source, request datasets.Request) *datasets.Dataset {
	tb.Helper()
	set, err := source.Load(context.Background(), request)
	if err != nil {
		tb.Fatal(err)
	}
	return set
}
