package uci

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
)

// Words of ACSParams beside All.
const (
	Task = "task"
	Wide = "wide"
	Ten  = "ten"
)

// ACSParams say which columns a table has.
type ACSParams struct {
	Select string `yaml:"select" doc:"the columns: task, nine and whether the income is in the upper half, which is the class; wide, eight more; ten, those of SDNist's figures, and all 24, whose class is the decile of the income" words:"task wide ten all"`
}

// selections are the columns of each word, the class last.
var selections = map[string][]string{
	Task: {"AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "DVET", "DEYE",
		"INCOME"},
	// Without what repeats another column (DENSITY, INDP), what tells the income (PINCP, its
	// decile, POVPIP) and the weights of the survey.
	Wide: {"PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT",
		"INDP_CAT", "EDU", "DVET", "DREM", "DPHY", "DEYE", "DEAR", "INCOME"},
	Ten: {"AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "DVET", "DEYE",
		"PINCP_DECILE"},
	All: {"PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT",
		"DENSITY", "INDP", "INDP_CAT", "EDU", "PINCP", "POVPIP", "DVET", "DREM", "DPHY", "DEYE",
		"DEAR", "PWGTP", "WGTP", "PINCP_DECILE"},
}

// choice: a person is one record.
func (p *ACSParams) choice() choice {
	if p.Select == Task || p.Select == Wide {
		return choice{classes: []int{15728, 11525}, columns: selections[p.Select]}
	}
	return choice{columns: selections[p.Select],
		classes: []int{4247, 3121, 1951, 2301, 2062, 2046, 1980, 1930, 2012, 2295, 3308}}
}

// acs adds the column INCOME and writes a number where a question does not apply.
func acs(text []byte, _ params) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	decile := slices.Index(rows[0], "PINCP_DECILE")
	if decile < 0 {
		return nil, fmt.Errorf("no column PINCP_DECILE")
	}
	numbers := map[string]string{"NOC": "-1", "NPF": "1", "INDP": "0", "PINCP": "-10000",
		"POVPIP": "-1"}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Write(append(slices.Clone(rows[0]), "INCOME")) // into memory: it cannot fail
	for _, row := range rows[1:] {
		for i, field := range row {
			if number := numbers[rows[0][i]]; field == "N" && number != "" {
				row[i] = number
			}
		}
		income := "lower"
		if code := row[decile]; code >= "5" && code <= "9" {
			income = "upper"
		}
		w.Write(append(row, income))
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
