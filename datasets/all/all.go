// Package all registers every dataset: import it for its side effect.
package all

import (
	_ "ppdp/datasets/adult"
	_ "ppdp/datasets/adultclusters"
	_ "ppdp/datasets/adultenlarged"
	_ "ppdp/datasets/amounts"
	_ "ppdp/datasets/csv"
	_ "ppdp/datasets/discrete"
	_ "ppdp/datasets/gaussian"
	_ "ppdp/datasets/graph"
	_ "ppdp/datasets/uci"
)
