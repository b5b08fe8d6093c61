package publish_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "ppdp/algorithms/mondrian" // registers the algorithm that the request names
	"ppdp/publish"
)

// A 2-anonymous release of four people is made, with a certificate beside it, and checked.
func Example() {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	table, schema := filepath.Join(dir, "people.csv"), filepath.Join(dir, "people.schema.yaml")
	for path, text := range map[string]string{
		table: "age,ill\n21,no\n64,yes\n28,yes\n60,no\n",
		schema: `attributes:
  - {name: age, kind: numeric, low: 0, high: 100}
  - {name: ill, kind: categorical, values: ["no", "yes"], role: sensitive}
`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}

	out := filepath.Join(dir, "out")
	_, err = publish.Make(context.Background(), &publish.Request{
		Algorithm: "mondrian", Params: publish.Settings{"k": "2"}, Table: table, Schema: schema,
		Out: out, Program: "an example", Now: time.Now(),
		Log: func(string) {}, // notes for the holder
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := publish.Verify(context.Background(), out,
		&publish.Original{Table: table, Schema: schema})
	if err != nil || report.Err() != nil {
		fmt.Println(err, report)
		return
	}
	fmt.Println(report.Records, "records in", report.Classes, "classes of",
		report.Smallest, "or more")
	// Output: 4 records in 2 classes of 2 or more
}
