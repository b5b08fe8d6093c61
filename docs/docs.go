// Package docs holds the data that the program itself shows. It leaves out reading them.
package docs

import _ "embed"

// Errata is errata.yaml, which claims.ReadErrata reads.
//
//go:embed errata.yaml
var Errata string

// Audits is generated/audits.jsonl: what audits have found of every variant under differential
// privacy, at its default parameters and an epsilon of 1, in the format of a run's audits. "make
// audits" writes it.
//
//go:embed generated/audits.jsonl
var Audits string
