// Package examples holds baselines that are programs of their own, in other languages: complete
// ones, which ppdp init copies. It leaves out running them.
package examples

import "embed"

// Files are the programs, a folder for each.
//
//go:embed randomised-response/randomised.py randomised-response/randomised.baseline.yaml
//go:embed randomised-response/randomised.R randomised-response/randomised.go
//go:embed python/ppdp.py python/histograms.py python/histograms.baseline.yaml
//go:embed marginals/marginals.c marginals/marginals.baseline.yaml
var Files embed.FS
