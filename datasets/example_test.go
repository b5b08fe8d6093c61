package datasets_test

import (
	"fmt"

	"ppdp/datasets"
)

// A schema is public knowledge: bounds and values are written down, never read off the data.
func ExampleBuilder() {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Kind: datasets.Numeric, Low: 18, High: 95, Step: 1},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"clerk", "smith"}},
	}}
	builder := datasets.NewBuilder(schema, 2)
	for _, person := range []struct {
		age float64
		job string
	}{{40, "smith"}, {18, "clerk"}} {
		row := builder.AddRow()
		if err := builder.SetNumber(row, 0, person.age); err != nil {
			fmt.Println(err)
		}
		code, err := schema.Attributes[1].TextCode(person.job)
		if err != nil {
			fmt.Println(err)
		}
		builder.Set(row, 1, code)
	}
	table := builder.Table()
	for _, row := range table.AllRows() {
		fmt.Println(table.Number(row, 0), schema.Attributes[1].Text(table.Column(1).At(row)))
	}
	_, err := schema.Attributes[1].TextCode("baker")
	fmt.Println(err != nil)
	// Output:
	// 40 smith
	// 18 clerk
	// true
}
