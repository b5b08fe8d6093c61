package elementary

import (
	_ "embed"
	"strconv"
	"strings"
)

// The functions look their values up here. What a row holds is said in tables.txt.
var (
	expTable  [expSteps][2]float64
	logTable  [logSteps][5]float64
	tanTable  [tanSteps/4 + 1][2]float64
	erfcTable [erfcRows][erfcTerms + 1]float64
)

// tables holds the rows of exp, log, tan and erfc, one a line. Comment lines begin with #.
// go test -run Tables -update writes it.
//
//go:embed tables.txt
var tables string

func init() {
	rest := tables
	for i := range expTable {
		rest = readRow(rest, expTable[i][:])
	}
	for i := range logTable {
		rest = readRow(rest, logTable[i][:])
	}
	for i := range tanTable {
		rest = readRow(rest, tanTable[i][:])
	}
	for i := range erfcTable {
		rest = readRow(rest, erfcTable[i][:])
	}
}

// readRow reads the first row of a text and returns what follows it.
func readRow(text string, row []float64) (rest string) {
	line, rest, _ := strings.Cut(text, "\n")
	for strings.HasPrefix(line, "#") {
		line, rest, _ = strings.Cut(rest, "\n")
	}
	for i := range row {
		var number string
		number, line, _ = strings.Cut(line, " ")
		var err error
		if row[i], err = strconv.ParseFloat(number, 64); err != nil {
			panic(err)
		}
	}
	return rest
}
