package metrics

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
)

func init() {
	// A metric on the sizes of equivalence classes: the records that share published ranges.
	register := func(info Info, of func(c Case, classes []float64) float64) {
		Register(parameterised[ClassParams]{info,
			ClassParams{Counts: PublishedCounts},
			func(ctx context.Context, c Case, params *ClassParams) (float64, error) {
				if info.Anonymity && c.K < 1 {
					return 0, fmt.Errorf("k is %d, must be at least 1", c.K)
				}
				sizes, err := regionSizes(ctx, c, params.Counts)
				return of(c, equivalenceClasses(c.Release.Regions, sizes)), err
			}})
	}
	register(Info{
		Name: "discernibility", Title: "Discernibility penalty", Unit: "records²", Revision: 1,
		Source: "Bayardo & Agrawal 2005; LeFevre et al. 2006, section 1.2; Al-Hussaeni et al. " +
			"2018, equation 4",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, discernibility)
	register(Info{
		Name: "cavg", Title: "Normalised average class size", Revision: 1,
		Source: "LeFevre et al. 2006, section 1.2 (C_AVG)",
		Needs:  []algorithms.Product{algorithms.RegionsProduct}, Anonymity: true,
	}, averageClass)
}

// ClassParams are the parameters of metrics on regions and their sizes.
type ClassParams struct {
	Counts Counts `yaml:"counts" doc:"how many records regions have: as published or as it is in truth"`
}

// discernibility is C_DM = Σ |E|² over the equivalence classes E and, for every suppressed row, the
// number of all rows: it could be any of them.
func discernibility(c Case, classes []float64) float64 {
	suppressed := len(c.Release.Regions.Suppressed)
	sum := float64(float64(suppressed) * float64(len(c.Train)))
	for _, n := range classes {
		sum += float64(n * n)
	}
	if sum == 0 {
		return math.NaN()
	}
	return sum
}

// averageClass is C_AVG = (N / number of classes) / k over the N records released. Suppressed rows
// are neither records nor a class.
func averageClass(c Case, classes []float64) float64 {
	records, occupied := 0.0, 0
	for _, n := range classes {
		if n > 0 {
			records += n
			occupied++
		}
	}
	return records / float64(occupied) / float64(c.K)
}
