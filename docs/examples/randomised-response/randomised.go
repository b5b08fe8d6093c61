//go:build ignore

// Randomised response as a baseline of ppdp; the standard library alone.
//
// A value of k possible ones is kept with probability e^a / (e^a + k - 1), where a is the value's
// share of epsilon, and replaced by one of the others, all equally likely, else (Kairouz, Bonawitz
// & Ramage 2016, section 3). A record has d values and a share of epsilon / d for each, so that
// replacing a record changes the probability of any output by a factor of at most e^epsilon.
//
// Compile it first: go build -o randomised randomised.go
package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

type request struct {
	ID         string
	Seed       string // 64 hexadecimal digits
	Epsilon    float64
	Total      float64
	Rows       string // path of a CSV of codes
	Attributes []struct {
		Name  string
		Cells int // codes are from 0 to Cells - 1
	}
	Folder string
}

type spent struct {
	Purpose   string  `json:"purpose"`
	Mechanism string  `json:"mechanism"`
	Amount    float64 `json:"amount"`
}

type answer struct {
	ID    string  `json:"id"`
	File  string  `json:"file,omitempty"`
	Spent []spent `json:"spent,omitempty"`
	Error string  `json:"error,omitempty"`
}

// release writes randomised records.
func release(q *request) (*answer, error) {
	var seed [32]byte
	if n, err := hex.Decode(seed[:], []byte(q.Seed)); n != len(seed) || err != nil {
		return nil, errors.Join(errors.New("the seed has not 64 hexadecimal digits"), err)
	}
	source := rand.New(rand.NewChaCha8(seed))
	share := q.Epsilon / float64(max(1, len(q.Attributes)))
	keep := make([]float64, len(q.Attributes))
	for i, a := range q.Attributes {
		// 1 / (1 + (k - 1) e^-a), which no large epsilon overflows
		keep[i] = 1 / (1 + float64(a.Cells-1)*math.Exp(-share))
	}
	rows, err := os.Open(q.Rows)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out bytes.Buffer
	from, to := csv.NewReader(rows), csv.NewWriter(&out)
	record, err := from.Read() // the header, which is that of the answer, too
	for header := true; err == nil; record, err = from.Read() {
		for i := range record {
			if header || source.Float64() < keep[i] {
				continue
			}
			code, err := strconv.Atoi(record[i])
			if err != nil {
				return nil, err
			}
			other := source.IntN(q.Attributes[i].Cells - 1)
			if other >= code {
				other++
			}
			record[i] = strconv.Itoa(other)
		}
		if err := to.Write(record); err != nil {
			return nil, err
		}
		header = false
	}
	if err != io.EOF {
		return nil, err
	}
	to.Flush()
	const name = "records.csv"
	if err := os.WriteFile(filepath.Join(q.Folder, name), out.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return &answer{ID: q.ID, File: name,
		Spent: []spent{{"values", "randomised response", q.Total}}}, nil
}

func main() {
	lines, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	fmt.Println(`{"protocol":1}`)
	hello, err := lines.ReadBytes('\n')
	if err != nil || !bytes.Contains(hello, []byte(`"protocol":1`)) {
		fmt.Fprintln(os.Stderr, "this program speaks protocol 1")
		os.Exit(1)
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // there are no more requests
		}
		var q request
		var said *answer
		if err = json.Unmarshal(line, &q); err == nil {
			said, err = release(&q)
		}
		if err != nil { // one release fails, the program goes on
			said = &answer{ID: q.ID, Error: err.Error()}
		}
		if err := out.Encode(said); err != nil {
			os.Exit(1)
		}
	}
}
