package metrics

func init() {
	register := func(name, title, source string, share func(truth, published marginal) float64) {
		registerMarginals(Info{
			Name: name, Title: title, Unit: "fraction",
			Source: "folklore: of the combinations of so many attributes' values that " + source +
				", the mean over all sets of attributes",
		}, share)
	}
	register("fabricated", "Combinations that are made up",
		"published records have, the share that no row released has",
		func(truth, published marginal) float64 { return lacking(published.counts, truth.counts) })
	register("suppressed", "Combinations that are lost",
		"rows released have, the share that no published record has",
		func(truth, published marginal) float64 { return lacking(truth.counts, published.counts) })
}

// lacking is the share of the cells with records that hold none in the other marginal.
func lacking(counts, other []float64) float64 {
	occur, missing := 0, 0
	for cell, n := range counts {
		if n > 0 {
			occur++
			if !(other[cell] > 0) {
				missing++
			}
		}
	}
	return float64(missing) / float64(occur) // some occur where there is any record
}
