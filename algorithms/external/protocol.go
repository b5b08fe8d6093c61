package external

import (
	"bytes"
	"encoding/json"
	"fmt"

	"ppdp/datasets"
	"ppdp/internal/process"
)

// protocol is the version that both sides name in their first line.
const protocol = 1

// hello is the first line of either side.
type hello struct {
	Protocol int    `json:"protocol"`
	Program  string `json:"program,omitempty"`
}

// request is one line to the program. Its keys come in this order, without blanks, so that a
// program without a JSON library can search for them. But for the id, which no other request has,
// and paths, it depends on the job alone, never on what the program was asked before.
type request struct {
	ID      string         `json:"id"`
	Seed    string         `json:"seed"` // 64 hexadecimal digits
	Variant string         `json:"variant"`
	Epsilon float64        `json:"epsilon"`
	Delta   float64        `json:"delta"`
	Unit    string         `json:"unit"`  // of the budget: epsilon or rho
	Total   float64        `json:"total"` // the budget in that unit
	Params  map[string]any `json:"params"`
	// Data names the content of Rows or Edges: what was read for one name holds for all requests
	// with it.
	Data       string      `json:"data"`
	Rows       string      `json:"rows,omitempty"` // path of a CSV
	Records    *int        `json:"records,omitempty"`
	Values     string      `json:"values,omitempty"`
	Attributes []attribute `json:"attributes,omitempty"`
	Edges      string      `json:"edges,omitempty"` // path of an edge list
	Nodes      *int        `json:"nodes,omitempty"`
	Folder     string      `json:"folder"` // for the file of the answer
}

// attribute is one column of the schema.
type attribute struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Role       string   `json:"role"`
	Cells      int      `json:"cells"` // of the domain: codes are from 0 to cells - 1
	Low        *float64 `json:"low,omitempty"`
	High       *float64 `json:"high,omitempty"`
	Step       *float64 `json:"step,omitempty"`
	Continuous bool     `json:"continuous,omitempty"`
	Ordered    bool     `json:"ordered,omitempty"`
	Values     []string `json:"values,omitempty"` // of a categorical attribute, by code
	// Missing is the text of a missing value: of numbers the last cell, else one of Values.
	Missing *string `json:"missing,omitempty"`
}

func attributesOf(schema *datasets.Schema) []attribute {
	all := make([]attribute, len(schema.Attributes))
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		all[i] = attribute{Name: a.Name, Kind: "numeric", Role: a.Role.String(), Cells: a.Cells(),
			Ordered: a.Ordered, Missing: a.Missing}
		if a.Kind == datasets.Categorical {
			all[i].Kind, all[i].Values = "categorical", a.Values
		} else {
			all[i].Low, all[i].High, all[i].Step = &a.Low, &a.High, &a.Step
			all[i].Continuous = a.Continuous
		}
	}
	return all
}

// line is what a program prints: a call, or its answer to the request.
type line struct {
	call
	answer
}

// answer is the last line to a request.
type answer struct {
	ID       string   `json:"id"`
	File     string   `json:"file"` // inside the request's folder
	Spent    []spent  `json:"spent"`
	Warnings []string `json:"warnings"`
	Error    string   `json:"error"`
}

// spent is what the program says that a mechanism has cost, in the budget's unit.
type spent struct {
	Purpose   string  `json:"purpose"`
	Mechanism string  `json:"mechanism"`
	Amount    float64 `json:"amount"`
}

// noLine is the error of a line that the program printed.
func noLine(line []byte, err error) error {
	return fmt.Errorf("it printed %s, which is no line of the protocol: %w", process.Shown(line),
		err)
}

// decodeStrictly decodes exactly one JSON object without unknown keys.
func decodeStrictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%s behind the object", process.Shown(rest))
	}
	return nil
}

func mustJSON(v any) []byte {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // paths stay as they are
	if err := encoder.Encode(v); err != nil {
		panic(err) // requests hold nothing that cannot be written
	}
	return line.Bytes()
}
