package adult

import (
	"bytes"

	csvtable "ppdp/datasets/csv"
)

// format is how both halves are written: comma and space between fields, no header, "?" for a
// missing value, whose row is dropped.
func format() *csvtable.Format {
	f := csvtable.Plain(Schema())
	f.Header, f.Trim, f.Missing = false, true, []string{"?"}
	return f
}

// plain brings the text of adult.test into that form: its first line, which begins with "|", is
// emptied, and the points after its labels are cut off. Lines keep their numbers.
func plain(content []byte) []byte {
	if bytes.HasPrefix(content, []byte("|")) {
		end := bytes.IndexByte(content, '\n')
		content = content[max(0, end):]
	}
	return bytes.ReplaceAll(content, []byte(".\n"), []byte("\n"))
}
