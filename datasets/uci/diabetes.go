package uci

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ppdp/datasets"
)

// Words of DiabetesParams.
const (
	First = "first"
	All   = "all"
	Early = "early"
	Any   = "any"
)

// DiabetesParams say what a record and its class are.
type DiabetesParams struct {
	Encounters string `yaml:"encounters" doc:"first, the first stay of each of 71,518 patients; all, 101,766 stays, up to 40 of one patient: what protects a record then protects a person by as much less; or a number, so many stays of each patient at most, drawn at random: then patients are protected, not stays" values:"first, all or a whole number from 1 to 1000"`
	Readmitted string `yaml:"readmitted" doc:"the class: early, readmitted within 30 days, or any" words:"early any"`
}

func (p *DiabetesParams) Validate() error {
	if n := p.contributions(); p.Encounters != First && p.Encounters != All &&
		(n < 1 || n > datasets.MostContributions || strconv.Itoa(n) != p.Encounters) {
		return fmt.Errorf("encounters: %q, must be %s, %s or a whole number from 1 to %d",
			p.Encounters, First, All, datasets.MostContributions)
	}
	return nil
}

// contributions is how many stays of each patient are used, 0 where stays are protected.
func (p *DiabetesParams) contributions() int {
	n, _ := strconv.Atoi(p.Encounters) // 0 for words
	return n
}

func (p *DiabetesParams) choice() choice {
	chosen := choice{classes: p.classes(), contributions: p.contributions()}
	if p.Encounters == All {
		chosen.share = 40
	}
	return chosen
}

func (p *DiabetesParams) classes() []int {
	readmitted, rows := 6293, 71518
	switch {
	case p.contributions() > 0: // as of all stays, whichever are drawn
		rows = 0
		for _, patients := range patients[:min(p.contributions(), len(patients))] {
			rows += patients
		}
		all := (&DiabetesParams{All, p.Readmitted}).classes()
		readmitted = int(math.Round(float64(rows) * float64(all[1]) / float64(all[0]+all[1])))
	case p.Encounters == All && p.Readmitted == Early:
		readmitted, rows = 11357, 101766
	case p.Encounters == All:
		readmitted, rows = 46902, 101766
	case p.Readmitted == Any:
		readmitted = 28533
	}
	return []int{rows - readmitted, readmitted}
}

// patients are how many have at least one stay, two, and so on.
var patients = []int{71518, 16773, 6339, 3011, 1590, 873, 527, 320, 209, 139, 97, 77, 58, 44, 39,
	30, 26, 23, 17, 14, 8, 7, 5, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

// diabetes writes the columns of the schema, of the encounters asked for.
func diabetes(text []byte, given params) ([]byte, error) {
	p := given.(*DiabetesParams)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	at := make(map[string]int)
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, name := range []string{person, "encounter_id", "diag_1", "readmitted"} {
		if _, known := at[name]; !known {
			return nil, fmt.Errorf("no column %s", name)
		}
	}
	number := func(row []string, column string) int64 {
		n, err := strconv.ParseInt(row[at[column]], 10, 64)
		if err != nil {
			return -1 // the smallest: seen below
		}
		return n
	}
	first := make(map[string]int64) // encounter of each patient
	for _, row := range rows[1:] {
		id, patient := number(row, "encounter_id"), row[at[person]]
		if earliest, seen := first[patient]; !seen || id < earliest {
			first[patient] = id
		}
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows[0][at["diag_1"]] = "diagnosis"
	w.Write(rows[0]) // into memory: it cannot fail
	for _, row := range rows[1:] {
		id := number(row, "encounter_id")
		if p.Encounters == First && first[row[at[person]]] != id {
			continue
		}
		row[at["diag_1"]] = diagnosis(row[at["diag_1"]])
		class := &row[at["readmitted"]]
		switch {
		case *class == "<30", *class == ">30" && p.Readmitted == Any:
			*class = "yes"
		case *class == "NO", *class == ">30":
			*class = "no"
		}
		w.Write(row)
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// chapters are the groups of ICD-9 codes of Strack et al. 2014, Table 2, with the symptoms that
// belong to them: whole numbers, both ends included.
var chapters = []struct {
	name              string
	from, to, symptom int
}{
	{"circulatory", 390, 459, 785},
	{"respiratory", 460, 519, 786},
	{"digestive", 520, 579, 787},
	{"diabetes", 250, 250, 0},
	{"injury", 800, 999, 0},
	{"musculoskeletal", 710, 739, 0},
	{"genitourinary", 580, 629, 788},
	{"neoplasms", 140, 239, 0},
}

// diagnosis is the group of an ICD-9 code; "?" stays what it is.
func diagnosis(code string) string {
	if code == "?" {
		return code
	}
	whole, _, _ := strings.Cut(code, ".")
	n, err := strconv.Atoi(whole)
	if err != nil {
		return "other" // V and E codes
	}
	for _, c := range chapters {
		if n >= c.from && n <= c.to || n == c.symptom {
			return c.name
		}
	}
	return "other"
}
