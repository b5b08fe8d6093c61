package language

import (
	"strings"
	"testing"
)

func TestTrainParse(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "2/3": 6, "0.8": 7, "1/9": 1, "8/9": 8} {
		var train Train
		if !train.parse(text) {
			t.Errorf("%q is refused", text)
			continue
		}
		if got, err := train.Of(9); err != nil || got != want {
			t.Errorf("%q of 9 rows: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "07", "+7", "1", "0/3", "3/3", "4/3", "-1/3",
		"1/-3", "1/0", "0.0", "1.0", "NaN", "Inf", "a", "1/2/3", "0x7"} {
		var train Train
		if train.parse(text) && text != "1" {
			t.Errorf("%q is taken for %+v", text, train)
		}
	}
	for _, text := range []string{"9", "10", "0.1", "1/10"} {
		var train Train
		if !train.parse(text) {
			t.Fatalf("%q is refused", text)
		}
		if rows, err := train.Of(9); err == nil || !strings.Contains(err.Error(), "both sides") {
			t.Errorf("%q of 9 rows: %d, %v, want an error", text, rows, err)
		}
	}
}

func FuzzTrain(f *testing.F) {
	for _, text := range []string{"30162", "2/3", "0.8", "1e-3", "1/", "/", "9223372036854775808"} {
		f.Add(text, 100)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		var train Train
		if !train.parse(text) {
			return
		}
		if rows, err := train.Of(n); err == nil && (rows < 1 || rows >= n) {
			t.Errorf("%q of %d rows: %d", text, n, rows)
		}
	})
}
