package degrees

// Isotonic replaces values by the non-decreasing sequence nearest to it in least squares, in place
// and in linear time (pool adjacent violators). Applied to noisy numbers whose truth is known to be
// sorted it is the constrained inference of Hay et al. 2009.
func Isotonic(values []float64) {
	// A stack of blocks: values[b] is the mean of block b, sizes[b] how many elements it pools.
	sizes := make([]int32, len(values))
	blocks := 0
	for _, mean := range values {
		size := int32(1)
		for blocks > 0 && values[blocks-1] >= mean {
			blocks--
			size += sizes[blocks]
			mean += float64((values[blocks] - mean) * (float64(sizes[blocks]) / float64(size)))
		}
		values[blocks], sizes[blocks] = mean, size
		blocks++
	}
	// Block b begins at element b or later, so filling from the end overwrites no mean still
	// needed.
	end := len(values)
	for b := blocks - 1; b >= 0; b-- {
		begin := end - int(sizes[b])
		mean := values[b]
		for i := begin; i < end; i++ {
			values[i] = mean
		}
		end = begin
	}
}
