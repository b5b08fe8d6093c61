package csvtable

import (
	"bytes"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestTimes: dates and times are read into cells and written as they were, in tables, generalised
// values and schemas.
func TestTimes(t *testing.T) {
	const schema = `attributes:
  - {name: born, kind: numeric, time: DD.MM.YYYY, low: 01.01.1970, high: 01.01.1980}
  - {name: at, kind: numeric, time: "hh:mm", low: "08:00", high: "24:00", step: 30}
`
	const text = "born,at\n05.01.1970,08:30\n31.12.1979,23:30\n"
	format := parse(t, schema)
	content := must.Get(read(format, text))
	born, at := &format.Schema.Attributes[0], &format.Schema.Attributes[1]
	if born.Cells() != 3652 || at.Cells() != 32 || content.Table.Column(0).At(0) != 4 ||
		content.Table.Column(1).At(1) != 31 {
		t.Errorf("%d days and %d half hours; codes %d and %d", born.Cells(), at.Cells(),
			content.Table.Column(0).At(0), content.Table.Column(1).At(1))
	}
	var b bytes.Buffer
	if err := Write(&b, content.Table, nil, nil); err != nil || b.String() != text {
		t.Errorf("%v: wrote\n%s", err, b.String())
	}
	for _, test := range []struct {
		a         *datasets.Attribute
		low, high uint32
		want      string
	}{
		{born, 0, 31, "[01.01.1970, 01.02.1970)"}, {born, 0, 3652, "[01.01.1970, 01.01.1980)"},
		{born, 4, 5, "05.01.1970"}, {at, 30, 32, "[23:00, 24:00)"},
	} {
		if got := GroupText(test.a, test.low, test.high); got != test.want {
			t.Errorf("%s, must be %s", got, test.want)
		}
	}
	_, err := read(format, "born,at\n1.1.1970,08:31\n01.01.1980,24:00\n")
	want := []string{`f.csv:2:1: born: "1.1.1970" is not of the form DD.MM.YYYY, must be in the ` +
		`half-open bounds [01.01.1970, 01.01.1980)`,
		"f.csv:2:10: at: 08:31 is between steps, must be 08:00 plus a multiple of 30 and " +
			"below 24:00",
		"f.csv:3:1: born: 01.01.1980 is outside its public bounds, must be in [01.01.1970, " +
			"01.01.1980): at least the low and below the high bound",
		"f.csv:3:12: at: 24:00 is outside its public bounds"}
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Fatal(err)
	}
	for _, line := range want {
		if !strings.Contains(err.Error(), line) {
			t.Errorf("%v lacks %s", err, line)
		}
	}
}
