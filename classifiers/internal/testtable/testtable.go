// Package testtable holds the tables that several classifiers are tested on: the classic weather
// data, random tables and Adult where it is present. Only tests import it.
package testtable

import (
	"context"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/internal/must"
)

// Adult loads a selection of the Adult table from $PPDP_DATA, or skips the test.
func Adult(tb testing.TB, selection string) *datasets.Table {
	tb.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: no Adult data to compare with the references")
	}
	set := must.Get(adult.Source.Load(context.Background(), datasets.Request{
		Params: &adult.Params{Select: selection},
		Files:  datasets.Files{Dirs: []string{dir}},
	}))
	return set.Table
}

// StandIn is the first rows of a selection of Adult's stand-in, which needs no files.
func StandIn(tb testing.TB, selection string, rows int) *datasets.Table {
	tb.Helper()
	set := must.Get(adult.StandIn.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: selection}}))
	return set.Table.Select(set.Table.AllRows()[:rows])
}

// TB is what Fit and Predict need of a test, a benchmark or a property.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Fit fits a classifier or fails the test.
func Fit(tb TB, c classifiers.Classifier, data classifiers.Data) classifiers.Model {
	tb.Helper()
	return must.Get(c.Fit(context.Background(), data))
}

// Predict returns the predictions of all rows of a table.
func Predict(model classifiers.Model, table *datasets.Table) []uint32 {
	predicted := make([]uint32, table.Len())
	model.Predict(predicted, table, table.AllRows())
	return predicted
}

// Accuracy is the share of the given rows whose class a model predicts.
func Accuracy(model classifiers.Model, table *datasets.Table, rows []int32) float64 {
	predicted := make([]uint32, len(rows))
	model.Predict(predicted, table, rows)
	right := 0
	for i, row := range rows {
		if predicted[i] == table.Column(table.Schema().Class()).At(row) {
			right++
		}
	}
	return float64(right) / float64(len(rows))
}

// Categorical describes an attribute of the given values.
func Categorical(name string, values ...string) datasets.Attribute {
	return datasets.Attribute{Name: name, Kind: datasets.Categorical, Values: values}
}

// Class describes a class of the given values.
func Class(values ...string) datasets.Attribute {
	class := Categorical("class", values...)
	class.Role = datasets.Class
	return class
}

// Table has attributes and rows that list their codes.
func Table(attributes []datasets.Attribute, rows ...[]uint32) *datasets.Table {
	b := datasets.NewBuilder(&datasets.Schema{Attributes: attributes}, len(rows))
	for _, codes := range rows {
		b.AddRow(codes...)
	}
	return b.Table()
}

// Weather is the play-tennis table of Quinlan 1986, Table 1, 14 days. With numeric, temperature
// and humidity are the numbers of Weka's weather.numeric.
func Weather(numeric bool) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		Categorical("outlook", "sunny", "overcast", "rain"),
		Categorical("temperature", "hot", "mild", "cool"),
		Categorical("humidity", "high", "normal"),
		Categorical("windy", "false", "true"),
		Categorical("play", "no", "yes"),
	}}
	schema.Attributes[4].Role = datasets.Class
	if numeric {
		schema.Attributes[1] = datasets.Attribute{Name: "temperature", Low: 60, High: 100, Step: 1}
		schema.Attributes[2] = datasets.Attribute{Name: "humidity", Low: 0, High: 101, Step: 1}
	}
	days := [14][7]uint32{ // the five attributes, then temperature and humidity in numbers
		{0, 0, 0, 0, 0, 85, 85}, {0, 0, 0, 1, 0, 80, 90}, {1, 0, 0, 0, 1, 83, 86},
		{2, 1, 0, 0, 1, 70, 96}, {2, 2, 1, 0, 1, 68, 80}, {2, 2, 1, 1, 0, 65, 70},
		{1, 2, 1, 1, 1, 64, 65}, {0, 1, 0, 0, 0, 72, 95}, {0, 2, 1, 0, 1, 69, 70},
		{2, 1, 1, 0, 1, 75, 80}, {0, 1, 1, 1, 1, 75, 70}, {1, 1, 0, 1, 1, 72, 90},
		{1, 0, 1, 0, 1, 81, 75}, {2, 1, 0, 1, 0, 71, 91},
	}
	b := datasets.NewBuilder(schema, len(days))
	for _, day := range days {
		row := b.AddRow()
		for at := range 5 {
			b.Set(row, at, day[at])
		}
		if numeric {
			b.Set(row, 1, day[5]-60)
			b.Set(row, 2, day[6])
		}
	}
	return b.Table()
}

// Random draws a table of up to most rows: two to four features of mixed kinds and small domains,
// two or three classes that depend on the first two features with more or less noise.
func Random(t *rapid.T, most int, numeric bool) *datasets.Table {
	schema := &datasets.Schema{}
	for i := range rapid.IntRange(2, 4).Draw(t, "features") {
		cells := rapid.IntRange(1, 6).Draw(t, "cells")
		name := fmt.Sprintf("f%d", i)
		if numeric && rapid.Bool().Draw(t, "numeric") {
			a := datasets.Attribute{Name: name, Low: -2, Step: 0.5}
			a.High = a.Low + float64(a.Step*float64(cells))
			a.Continuous = rapid.Bool().Draw(t, "continuous")
			schema.Attributes = append(schema.Attributes, a)
			continue
		}
		a := Categorical(name)
		for v := range cells {
			a.Values = append(a.Values, fmt.Sprintf("v%d", v))
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	schema.Attributes = append(schema.Attributes,
		Class([]string{"a", "b", "c"}[:rapid.IntRange(2, 3).Draw(t, "classes")]...))
	must.Do(t, schema.Validate())
	// rapid prefers small numbers, and small tables hold no test worth making.
	rows := rapid.SampledFrom([]int{0, 1, 2, 5, most / 4, most / 2, most}).Draw(t, "rows")
	noise := rapid.IntRange(0, 10).Draw(t, "noise")
	b := datasets.NewBuilder(schema, rows)
	last := len(schema.Attributes) - 1
	for range rows {
		row := b.AddRow()
		sum := 0
		for at := range schema.Attributes {
			code := rapid.IntRange(0, schema.Attributes[at].Cells()-1).Draw(t, "code")
			if at == last && rapid.IntRange(0, 9).Draw(t, "luck") >= noise {
				code = sum / 3 % schema.Classes()
			}
			if at < 2 {
				sum += code
			}
			b.Set(row, at, uint32(code))
		}
	}
	return b.Table()
}
