// Package all registers every algorithm: import it for its side effect. A new baseline adds its
// line here and nothing else.
package all

import (
	_ "ppdp/algorithms/aim"
	_ "ppdp/algorithms/controls"
	_ "ppdp/algorithms/day2016"
	_ "ppdp/algorithms/diffgen"
	_ "ppdp/algorithms/diffmulti"
	_ "ppdp/algorithms/dpcube"
	_ "ppdp/algorithms/endgame"
	_ "ppdp/algorithms/hay"
	_ "ppdp/algorithms/identity"
	_ "ppdp/algorithms/incognito"
	_ "ppdp/algorithms/independent"
	_ "ppdp/algorithms/koptimize"
	_ "ppdp/algorithms/mondrian"
	_ "ppdp/algorithms/mst"
	_ "ppdp/algorithms/privbayes"
	_ "ppdp/algorithms/rps"
	_ "ppdp/algorithms/rpsgraph"
)
