// Package ppdp holds the source of what makes and measures releases, as it was when the program was
// built: internal/source tells by it what has changed since an earlier run. All of a folder is
// embedded, tests too, which no pattern can leave out. Only the digests of other files are used.
package ppdp

import "embed"

// Source has the packages that a plug-in may import.
//
//go:embed algorithms audit classifiers datasets experiments internal metrics numeric
//go:embed privacy
var Source embed.FS
