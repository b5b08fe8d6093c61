package classifiers

// RegionClassifier is implemented by classifiers that learn from a published partition itself: from
// the class counts of its regions instead of records.
type RegionClassifier interface {
	Classifier
	// FitRegions returns the class predicted for the points of each region. counts holds that of
	// region r and class c at r·classes+c, finite and at least 0; classes is at least 1.
	FitRegions(counts []float64, classes int) []uint32
}
