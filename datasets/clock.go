package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// Clock is how texts write dates or times: YYYY, MM, DD, hh, mm and ss stand for digits, anything
// else for itself. With a clock a number counts days since 1970-01-01, or minutes or seconds since
// then if the texts have them; without a date it counts since midnight. There are no time zones.
type Clock string

func (c Clock) has(part string) bool { return strings.Contains(string(c), part) }

// Unit is what a number counts, in seconds.
func (c Clock) Unit() int64 {
	switch {
	case c.has("ss"):
		return 1
	case c.has("mm"):
		return 60
	}
	return day
}

// layouts are those of the patterns used so far.
var layouts sync.Map

// Layout is the pattern as package time writes it.
func (c Clock) Layout() string {
	layout, known := layouts.Load(c)
	if !known {
		layout = strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02", "hh", "15", "mm", "04",
			"ss", "05").Replace(string(c))
		layouts.Store(c, layout)
	}
	return layout.(string)
}

// Validate rejects a pattern in which two days, or two minutes of a day, are written alike.
func (c Clock) Validate() error {
	var count [6]int
	rest := string(c)
	for i, part := range []string{"YYYY", "MM", "DD", "hh", "mm", "ss"} {
		count[i] = strings.Count(rest, part)
		rest = strings.ReplaceAll(rest, part, "")
	}
	date, hours, minutes, seconds := count[0], count[3], count[4], count[5]
	if slices.Max(count[:]) > 1 || count[1] != date || count[2] != date || hours != minutes ||
		seconds > minutes || date+hours == 0 || strings.Trim(rest, " -/.:,T") != "" ||
		c.has("ss.") || c.has("ss,") { // package time takes what follows for a fraction
		return fmt.Errorf("%q, must be a pattern of YYYY, MM and DD, of hh and mm, perhaps with "+
			"ss (without point or comma behind), or of both, such as YYYY-MM-DD hh:mm", string(c))
	}
	return nil
}

// day is how many seconds it has. Without a date the last time is its end, 24:00, which package
// time does not know.
const day = 24 * 3600

func (c Clock) endOfDay() string {
	return strings.NewReplacer("hh", "24", "mm", "00", "ss", "00").Replace(string(c))
}

// Number reads a date or time; false if the text is not of the form.
func (c Clock) Number(text string) (number float64, ok bool) {
	if len(text) != len(c) { // package time takes hours of one digit, and fractions of a second
		return 0, false
	}
	at, err := time.Parse(c.Layout(), text)
	seconds := at.Unix()
	if !c.has("YYYY") {
		if seconds = (seconds%day + day) % day; err != nil && text == c.endOfDay() {
			seconds, err = day, nil
		}
	}
	return float64(seconds / c.Unit()), err == nil
}

// Text writes a number, of which any fraction is cut.
func (c Clock) Text(number float64) string {
	seconds := int64(math.Floor(number)) * c.Unit()
	if seconds == day && !c.has("YYYY") {
		return c.endOfDay()
	}
	return time.Unix(seconds, 0).UTC().Format(c.Layout())
}
