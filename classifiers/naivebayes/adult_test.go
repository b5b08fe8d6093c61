package naivebayes

import (
	"testing"

	"ppdp/classifiers/internal/testtable"
)

// TestAdultReference compares with NaiveBayes of Weka 3.6, defaults, 5 folds: 79.73 % on the 11
// attributes, 82.84 % on all 15; and with 79.89 % on the 11 attributes all categorical with
// add-one. The folds differ, hence the 0.3 points.
func TestAdultReference(t *testing.T) {
	testtable.AdultAccuracy(t, Classifier{}, "rps", 0.7973, 0.003, 1)
	testtable.AdultAccuracy(t, Classifier{}, "all", 0.8284, 0.003, 1)
	testtable.AdultAccuracy(t, Classifier{Cells}, "rps", 0.7989, 0.003, 1)
}

// TestFiveColumns compares with the accuracy without privacy in diffprivlib's notebook on naive
// Bayes (IBM/differential-privacy-library, notebooks/naive_bayes.ipynb), which is scikit-learn's
// GaussianNB.
func TestFiveColumns(t *testing.T) {
	testtable.Compare(t, Classifier{}, 0.002, map[string]testtable.Reference{
		"adult-five": {Accuracy: 0.7964},
	})
}
