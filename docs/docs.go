// Package docs holds the pages that the program itself shows, as they stand beside this file. It leaves out reading them:
// package report does.
package docs

import _ "embed"

// Errata is errata.md.
//
//go:embed errata.md
var Errata string

// ErrataTests is errata-tests.csv: which tests of this module show which entry, a header and then "erratum,test" lines.
//
//go:embed errata-tests.csv
var ErrataTests string
