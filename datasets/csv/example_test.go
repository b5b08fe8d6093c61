package csvtable_test

import (
	"context"
	"fmt"
	"strings"

	csvtable "ppdp/datasets/csv"
)

// A user's table is read by its schema; columns that the schema leaves out are not read.
func ExampleParseSchema() {
	format, err := csvtable.ParseSchema("people.schema.yaml", []byte(`
class: pays
attributes:
  - {name: age, kind: numeric, low: 18, high: 95}
  - {name: pays, kind: categorical, values: ["no", "yes"]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := format.Read(context.Background(), "people.csv",
		strings.NewReader("name,age,pays\nAda,36,yes\nAlan,41,no\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(content.Table.Len(), "rows,", "left out:", content.LeftOut)

	_, err = format.Read(context.Background(), "people.csv",
		strings.NewReader("age,pays\n17,yes\n"))
	fmt.Println("17 lies outside of what is public:", err != nil)
	// Output:
	// 2 rows, left out: [name]
	// 17 lies outside of what is public: true
}
