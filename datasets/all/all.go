// Package all registers every dataset: import it for its side effect.
package all

import (
	_ "ppdp/datasets/adult"
	_ "ppdp/datasets/gaussian"
)
