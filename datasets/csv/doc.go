// Package csvtable is the dataset "csv": a user-supplied table, delimiter-separated text with a
// schema file beside it. The schema is public knowledge, written down by the holder of the data:
// bounds, lists of values, orders and taxonomies. Nothing of it is ever taken from the data while a
// table is read; a value the schema does not foresee is an error with its place, never a new value.
//
//	delimiter: ";"                # default ","; any single character
//	header: true                  # default; columns are then found by name and others left out
//	encoding: utf-8               # default; latin-1 reads Windows-1252
//	trim: false                   # default; true cuts white space around fields
//	missing: ["?"]                # texts that stand for a missing value; default none
//	missing-as-value: [pay]       # or true; default: rows that lack a value are dropped
//	class: y                      # may be left out: a table without a class
//	attributes:                   # without a header: in the order of the columns
//	  - {name: age, kind: numeric, low: 18, high: 95}                     # integers 18 ... 94
//	  - {name: born, kind: numeric, low: 1900, high: 2020, widths: [5, 10]} # steps, by level
//	  - {name: pay, kind: numeric, low: 0, high: 9, step: 0.1, continuous: true, role: sensitive}
//	  - {name: seen, kind: numeric, time: DD.MM.YYYY, low: 01.01.2020, high: 01.01.2025} # days
//	  - {name: gain, kind: numeric, low: 0, high: 100000, bins: [0, 1, 5000, 100000]}
//	  - {name: job, kind: categorical, values: [admin, services, technician], order: random}
//	  - {name: education, kind: categorical,
//	     taxonomy: {any: {low: [primary], high: [secondary, tertiary]}}}
//	  - {name: note, kind: ignored}                                       # a column to skip
//	  - {name: y, kind: categorical, values: ["no", "yes"], role: class}
//
// Bounds are half-open, [low, high): high itself is outside. step defaults to 1; a continuous
// attribute must state it, and its bounds must lie a whole number of steps apart. role is
// quasi-identifier (the default), sensitive or class. Values match to the letter. Their order is
// the list's, or without a list the taxonomy's leaves from left to right; order: given says that it
// has a meaning, order: random draws one that depends on the attribute's name alone.
//
// Releases from marginals and PrivBayes cut a numeric attribute into its bins, which go from low to
// high, or with scale: log into bins that grow with the distance from 0.
//
// Full-domain generalisation climbs the levels of a numeric attribute's widths, each a multiple of
// the one before, or those of a categorical attribute's taxonomy; above them all is one group of
// everything.
//
// With missing-as-value all attributes, or those listed, keep a missing value, written as the first
// marker. It is one more category, placed where the schema lists it, else last and below the
// taxonomy's root, or the cell after all numbers, which is no number: it has a bin and a group of
// its own, no part in means, and is neither above nor below another.
//
// A Parquet file is read as the text that its values have; delimiter, header and encoding do not
// matter then.
//
// The package also drafts schema files (Draft), lists everything wrong with a table (Check), reads
// published tables as texts (ReadTexts), and writes tables back as text (Write). It leaves out
// guessing: Draft reads private data and says so in what it writes.
package csvtable
