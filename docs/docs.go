// Package docs holds the pages that the program itself shows. It leaves out reading them: package
// report does.
package docs

import _ "embed"

// Errata is errata.md.
//
//go:embed errata.md
var Errata string

// ErrataTests is generated/errata-tests.csv: which test of this module shows which entry. A header
// comes first, then a line "erratum,test" for each.
//
//go:embed generated/errata-tests.csv
var ErrataTests string

// Audits is generated/audits.jsonl: what audits have found of every variant under differential
// privacy, at its default parameters and an epsilon of 1, in the format of a run's audits. "make
// audits" writes it.
//
//go:embed generated/audits.jsonl
var Audits string
