package uci

import (
	"strings"
	"testing"

	"ppdp/internal/declared"
)

// Of the ten features of the reports on samples of the excerpt (SDNist, sample reports, "Apparent
// match distribution"), 14,918 of 27,253 records are unique, 54.74 %.
func TestACSUniqueRecords(t *testing.T) {
	table := load(t, tables[3], &ACSParams{Ten}).Table
	seen := make(map[[10]uint32]int)
	for row := range int32(table.Len()) {
		var key [10]uint32
		for i := range key {
			key[i] = table.Column(i).At(row)
		}
		seen[key]++
	}
	unique := 0
	for _, n := range seen { // order-free: a count
		if n == 1 {
			unique++
		}
	}
	if unique != 14918 || table.Len() != 27253 {
		t.Errorf("%d of %d records are unique, must be 14918 of 27253", unique, table.Len())
	}
}

// All 24 columns of the excerpt are there, and the shorter selections are parts of it but for the
// class.
func TestACSColumns(t *testing.T) {
	set := load(t, tables[3], &ACSParams{All})
	if n := len(set.Table.Schema().Attributes); n != 24 {
		t.Errorf("%d columns", n)
	}
	for word, want := range map[string]int{Task: 10, Wide: 18, Ten: 10} { // order-free: checks
		if n := len(load(t, tables[3], &ACSParams{word}).Table.Schema().Attributes); n != want {
			t.Errorf("%s: %d columns, want %d", word, n, want)
		}
	}
	if err := declared.Check(&ACSParams{"most"}); err == nil {
		t.Error("any word is taken")
	}
}

// A number that does not apply becomes the lowest, other texts stay; decile 5 is of the upper half.
func TestACSRows(t *testing.T) {
	got, err := acs([]byte("NOC,NPF,INDP,PINCP,POVPIP,MSP,PINCP_DECILE\r\n"+
		"N,N,N,N,N,N,N\r\n0,2,170,0.0,501,6,4\r\n0,2,170,1.0,501,6,5\r\n0,2,170,1.0,501,6,9\r\n"),
		nil)
	want := "-1,1,0,-10000,-1,N,N,lower\n0,2,170,0.0,501,6,4,lower\n0,2,170,1.0,501,6,5,upper\n" +
		"0,2,170,1.0,501,6,9,upper\n"
	if _, rows, _ := strings.Cut(string(got), "\n"); err != nil || rows != want {
		t.Errorf("%q, %v, want %q", rows, err, want)
	}
	if _, err := acs([]byte("a,b\n"), nil); err == nil {
		t.Error("a table without its columns is taken")
	}
}
