package external

import (
	"fmt"
	"os"
	"path/filepath"
)

// homes are the names of the folders below.
const homes = "ppdp-baseline-*"

// newHome makes a temporary folder for data and answers, readable to its owner alone, and removes
// those that killed processes of the same user have left. It is removed as well once the process
// has ended or held is closed, at the latest by the next call.
func newHome(name string) (path string, held *os.File, err error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), homes))
	for _, path := range left {
		removeAbandoned(path)
	}
	path, err = os.MkdirTemp("", "ppdp-baseline-"+name+"-")
	if err != nil {
		return "", nil, fmt.Errorf("temporary folder (TMPDIR): %w", err)
	}
	if held, err = hold(path); err != nil {
		os.RemoveAll(path)
	}
	return path, held, err
}
