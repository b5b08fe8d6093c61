package metrics

import (
	"context"
	"errors"

	"ppdp/algorithms"
)

func init() {
	Register(measured{Info{
		Name: "records", Title: "Published records", Unit: "records", Revision: 1,
		Source: "sum of the published records' weights",
	}, func(_ context.Context, c Case) (float64, error) {
		n, ok := c.Release.RecordCount()
		if !ok {
			return 0, errors.New("the release holds no records")
		}
		return n, nil
	}})
	Register(measured{Info{
		Name: "record-weight", Title: "Mean weight of a published record", Revision: 1,
		Records: true,
		Source: "sum of the published records' weights by their number: 1 where each stands for " +
			"itself",
	}, func(_ context.Context, c Case) (float64, error) {
		n, _ := c.Release.RecordCount()
		return n / float64(c.Release.Table.Len()), nil
	}})
	Register(measured{Info{
		Name: "outside-schema", Title: "Records outside the schema", Unit: "fraction", Revision: 1,
		Source: "share of a file's records that have a value which the schema does not allow, or " +
			"cannot be read",
	}, func(_ context.Context, c Case) (float64, error) { return c.Release.Outside, nil }})
	Register(measured{Info{
		Name: "regions", Title: "Published regions", Unit: "regions", Revision: 1,
		Source: "number of boxes of the published partition, empty ones included",
		Needs:  []algorithms.Product{algorithms.RegionsProduct},
	}, func(_ context.Context, c Case) (float64, error) {
		return float64(c.Release.Regions.Len()), nil
	}})
}
