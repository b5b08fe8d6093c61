package clustering

import "math"

// Centroids returns the direction of each of k clusters: the sum of its weighted vectors scaled to
// length 1, 0 where there are none. clusters has the cluster of each vector.
func (v *Vectors) Centroids(clusters []uint32, k int) [][]float64 {
	centroids := make([][]float64, k)
	for c := range centroids {
		centroids[c] = make([]float64, v.size)
	}
	for i, c := range clusters {
		v.addTo(centroids[c], int32(i), v.weights[i])
	}
	for _, centroid := range centroids {
		if long := length(centroid); long > 0 {
			for k := range centroid {
				centroid[k] /= long
			}
		}
	}
	return centroids
}

// Nearest returns for each vector the index of the most similar centroid, the first of equals. The
// centroids must come from vectors over the same attributes of the same schema.
func (v *Vectors) Nearest(centroids [][]float64) []uint32 {
	nearest := make([]uint32, v.Len())
	for i := range nearest {
		most := math.Inf(-1)
		for c, centroid := range centroids {
			if similarity := v.dot(int32(i), centroid); similarity > most {
				most, nearest[i] = similarity, uint32(c)
			}
		}
	}
	return nearest
}
