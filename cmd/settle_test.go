package cmd

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"ppdp/report/claims"
)

// TestSettledValues: the committed values give the committed verdicts, with every point and
// reading, and each of those. Make them with
//
//	make settle && cp -R results/settled/values report/reference/settled
func TestSettledValues(t *testing.T) {
	const dir = "../report/reference/settled"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED: there are no values of settled runs in report/reference/settled")
	}
	v := must(readClaims(claims.Papers()))
	if err := v.recompute(dir); err != nil {
		t.Error(err)
	}
}
