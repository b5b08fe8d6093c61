package metrics

import (
	"context"
	"errors"

	"ppdp/algorithms"
)

func init() {
	Register(size{Info{
		Name: "records", Title: "Published records", Unit: "records", Revision: 1,
		Source: "sum of the published records' weights",
		Needs:  []algorithms.Product{algorithms.Records},
	}, func(release *algorithms.Release) (float64, error) {
		n, ok := release.RecordCount()
		if !ok {
			return 0, errors.New("records: the release holds no records")
		}
		return n, nil
	}})
	Register(size{Info{
		Name: "regions", Title: "Published regions", Unit: "regions", Revision: 1,
		Source: "number of boxes of the published partition, empty ones included",
		Needs:  []algorithms.Product{algorithms.Boxes},
	}, func(release *algorithms.Release) (float64, error) {
		if release.Regions == nil {
			return 0, errors.New("regions: the release holds no regions")
		}
		return float64(release.Regions.Len()), nil
	}})
}

// size counts what a release consists of.
type size struct {
	info Info
	of   func(*algorithms.Release) (float64, error)
}

func (s size) Info() Info { return s.info }

// Measure is always defined.
func (s size) Measure(_ context.Context, c Case) (float64, bool, error) {
	value, err := s.of(c.Release)
	return value, err == nil, err
}
