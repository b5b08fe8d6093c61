package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Clock is how texts write dates or times: YYYY, MM, DD, hh, mm and ss stand for digits, anything
// else for itself. With a clock a number counts days since 1970-01-01, or minutes or seconds since
// then if the texts have them; without a date it counts since midnight. There are no time zones.
type Clock string

// clockParts are the parts in the order of their size.
var clockParts = []string{"YYYY", "MM", "DD", "hh", "mm", "ss"}

// next splits the pattern's first part off: its index among clockParts, or -1 for a letter.
func (c Clock) next() (part int, width int) {
	part = slices.IndexFunc(clockParts, func(p string) bool {
		return strings.HasPrefix(string(c), p)
	})
	if part < 0 {
		return part, 1
	}
	return part, len(clockParts[part])
}

func (c Clock) has(part string) bool { return strings.Contains(string(c), part) }

// Unit is what a number counts, in seconds.
func (c Clock) Unit() int64 {
	switch {
	case c.has("ss"):
		return 1
	case c.has("mm"):
		return 60
	}
	return 24 * 3600
}

// Layout is the pattern as package time writes it.
func (c Clock) Layout() string {
	return strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02", "hh", "15", "mm", "04", "ss",
		"05").Replace(string(c))
}

// Validate rejects a pattern in which two days, or two minutes of a day, are written alike.
func (c Clock) Validate() error {
	var count [6]int
	for rest := c; rest != ""; {
		part, width := rest.next()
		if part >= 0 {
			count[part]++
		} else if !strings.ContainsRune(" -/.:,T", rune(rest[0])) {
			return c.wrong()
		}
		rest = rest[width:]
	}
	date, hours, minutes, seconds := count[0], count[3], count[4], count[5]
	if slices.Max(count[:]) > 1 || count[1] != date || count[2] != date || hours != minutes ||
		seconds > minutes || date+hours == 0 {
		return c.wrong()
	}
	return nil
}

func (c Clock) wrong() error {
	return fmt.Errorf("%q, must be a pattern of YYYY, MM and DD, of hh and mm, perhaps with ss, "+
		"or of both, such as YYYY-MM-DD hh:mm", string(c))
}

// Number reads a date or time; false if the text is not of the form.
func (c Clock) Number(text string) (number float64, ok bool) {
	if len(text) != len(c) {
		return 0, false
	}
	var of [6]int
	for rest := c; rest != ""; {
		part, width := rest.next()
		field := text[:width]
		if part < 0 && field[0] != rest[0] {
			return 0, false
		}
		for i := 0; part >= 0 && i < width; i++ {
			if field[i] < '0' || field[i] > '9' {
				return 0, false
			}
			of[part] = 10*of[part] + int(field[i]-'0')
		}
		rest, text = rest[width:], text[width:]
	}
	seconds := int64(3600*of[3] + 60*of[4] + of[5])
	midnight := seconds == 24*3600 && of[3] == 24 && !c.has("YYYY") // the end of a day
	if !midnight && (of[3] > 23 || of[4] > 59 || of[5] > 59) {
		return 0, false
	}
	if c.has("YYYY") {
		day := time.Date(of[0], time.Month(of[1]), of[2], 0, 0, 0, 0, time.UTC)
		if day.Month() != time.Month(of[1]) || day.Day() != of[2] {
			return 0, false // the 30th of February
		}
		seconds += day.Unix()
	}
	return float64(seconds / c.Unit()), true
}

// Text writes a number, of which any fraction is cut.
func (c Clock) Text(number float64) string {
	seconds := int64(math.Floor(number)) * c.Unit()
	at := time.Unix(seconds, 0).UTC()
	of := []int{at.Year(), int(at.Month()), at.Day(), at.Hour(), at.Minute(), at.Second()}
	if !c.has("YYYY") {
		of[3] = int(seconds / 3600) // 24 at the end of a day
	}
	var b strings.Builder
	for rest := c; rest != ""; {
		part, width := rest.next()
		if part < 0 {
			b.WriteByte(rest[0])
		} else {
			fmt.Fprintf(&b, "%0*d", width, of[part])
		}
		rest = rest[width:]
	}
	return b.String()
}
