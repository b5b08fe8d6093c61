package datasets

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"ppdp/internal/must"
)

func TestClock(t *testing.T) {
	for _, test := range []struct {
		clock  Clock
		text   string
		number float64
	}{
		{"YYYY-MM-DD", "1970-01-01", 0}, {"YYYY-MM-DD", "1969-12-31", -1},
		{"DD.MM.YYYY", "29.02.2000", 11016}, {"MM/DD/YYYY", "12/31/9999", 2932896},
		{"YYYY-MM-DDThh:mm:ss", "2001-09-09T01:46:40", 1e9},
		{"YYYY-MM-DD hh:mm", "1970-01-02 00:01", 1441}, {"hh:mm", "23:59", 1439},
		{"hh:mm", "24:00", 1440}, {"hh:mm:ss", "00:01:01", 61},
		{"YYYY/MM/DD", "0000/01/01", -719528},
	} {
		must.Do(t, test.clock.Validate())
		if number, ok := test.clock.Number(test.text); !ok || number != test.number {
			t.Errorf("%s by %s is %v %t, must be %v", test.text, test.clock, number, ok,
				test.number)
		}
		if text := test.clock.Text(test.number + 0.5); text != test.text {
			t.Errorf("%v by %s is %s, must be %s", test.number, test.clock, text, test.text)
		}
	}
	for clock, text := range map[Clock]string{"YYYY-MM-DD": "2001-02-29", "hh:mm": "24:01",
		"hh:mm:ss": "12:60:00", "YYYY-MM-DD hh:mm": "2000-01-01 24:00", "DD.MM.YYYY": "1.1.2000",
		"YYYY/MM/DD": "2000-01-01", "MM/DD/YYYY": "13/01/2000", "DD/MM/YYYY": "+1/01/2000"} {
		if number, ok := clock.Number(text); ok {
			t.Errorf("%s by %s is %v", text, clock, number)
		}
	}
	for _, clock := range []Clock{"", "YYYY", "YYYY-MM", "MM-DD", "hh", "mm:ss", "hh:ss",
		"YYYY-MM-DD YYYY", "YYYY-MM-DD hh", "DD.MM.YY", "YYYYxMMxDD", "2006-01-02"} {
		if clock.Validate() == nil {
			t.Errorf("%q passes", clock)
		}
	}
}

// TestClockIsTime compares with package time.
func TestClockIsTime(t *testing.T) {
	const clock, layout = Clock("YYYY-MM-DD hh:mm:ss"), "2006-01-02 15:04:05"
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-6e10, 2.5e11).Draw(t, "at"), 0).UTC()
		text := at.Format(layout)
		if number, ok := clock.Number(text); !ok || int64(number) != at.Unix() ||
			clock.Text(number) != text {
			t.Fatalf("%s is %v %t, must be %d", text, number, ok, at.Unix())
		}
		some := rapid.StringMatching(`\d{4}-[01]\d-[0-3]\d [0-2]\d:[0-6]\d:[0-6]\d`).Draw(t, "text")
		parsed, err := time.Parse(layout, some)
		number, ok := clock.Number(some)
		if ok != (err == nil) || ok && int64(number) != parsed.Unix() {
			t.Fatalf("%s is %v %t, package time says %v %v", some, number, ok, parsed, err)
		}
	})
}
