package metrics

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/metrics/verify"
)

func init() {
	Register(measured{Info{
		Name: "anonymity", Title: "Largest k", Unit: "records", HigherIsBetter: true, Revision: 1,
		Source: "Samarati & Sweeney 1998: size of the smallest class of records with the same " +
			"published ranges",
		Needs: []algorithms.Product{algorithms.RegionsProduct, algorithms.MembershipProduct},
	}, anonymity})
}

// anonymity is the largest k for which a release is k-anonymous, by an inspection that is
// independent of the algorithms. It is undefined for releases without a record. A release that
// contradicts its own table (a record outside its region, a count that is not one) is an error.
func anonymity(_ context.Context, c Case) (float64, error) {
	report, err := verify.Regions(c.Table, c.Train, c.Release.Regions)
	if err == nil {
		err = report.Err()
	}
	if err != nil || report.Classes == 0 {
		return math.NaN(), err
	}
	return float64(report.K), nil
}
