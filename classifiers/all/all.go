// Package all registers every classifier: import it for its side effect.
package all

import (
	_ "ppdp/classifiers/boosting"
	_ "ppdp/classifiers/c45"
	_ "ppdp/classifiers/forest"
	_ "ppdp/classifiers/id3"
	_ "ppdp/classifiers/leafmajority"
	_ "ppdp/classifiers/logistic"
	_ "ppdp/classifiers/majority"
	_ "ppdp/classifiers/naivebayes"
	_ "ppdp/classifiers/ridge"
	_ "ppdp/classifiers/svm"
)
