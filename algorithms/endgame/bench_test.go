package endgame

import (
	"ppdp/algorithms"
)

// discernibility is the sum of the squares of the regions' sizes.
func discernibility(regions *algorithms.Regions) float64 {
	sum := 0.0
	for region := range regions.Len() {
		n := 0.0
		for _, count := range regions.Count(region) {
			n += count
		}
		sum += n * n
	}
	return sum
}
