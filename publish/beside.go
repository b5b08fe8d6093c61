package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Beside is the path of a file that belongs to a table: my.account.jsonl of my.csv.gz.
func Beside(table, ending string) string {
	stem := strings.TrimSuffix(table, ".gz")
	return strings.TrimSuffix(stem, filepath.Ext(stem)) + ending
}

// BesideTable sets a schema file that was not named to the one beside the table.
func BesideTable(schema *string, table string) error {
	if *schema != "" {
		return nil
	}
	*schema = Beside(table, ".schema.yaml")
	if _, err := os.Stat(*schema); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no %s beside the table: name its schema file by --schema; "+
			"`ppdp datasets schema %s` drafts one", filepath.ToSlash(*schema), table)
	}
	return nil
}

// accountEnding is how the names of accounts end.
const accountEnding = ".account.jsonl"

// account finds the account of a request's table: the one given, else the file beside the table,
// or, where that is a link, beside what it leads to. Two accounts, or two names of a table whose
// account is found by name, are an error, since a new account would start with nothing spent. So is
// an account under another name that knows the table by its SHA-256, sum.
func (r *Request) account(sum string) (f accountFile, err error) {
	defer ofAccount(&err)
	table, err := filepath.EvalSymlinks(r.Table)
	if err != nil {
		return f, err
	}
	info, err := os.Stat(table)
	if err != nil {
		return f, err
	}
	f = accountFile{r.Account, info.Mode().Perm()&0o666 | 0o600}
	if f.path != "" {
		f.path, err = realPath(f.path)
		return f, err
	}
	if err := oneName(table, info); err != nil {
		return f, fmt.Errorf("%w; or name the account", err)
	}
	f.path = Beside(table, accountEnding)
	var found []string
	for _, name := range []string{f.path, Beside(r.Table, accountEnding)} {
		real, err := realPath(name)
		if err != nil {
			return f, err
		}
		if _, err := os.Lstat(real); err == nil && !slices.Contains(found, real) {
			found = append(found, real)
		}
	}
	switch {
	case len(found) == 0:
		return f, r.elsewhere(f, sum)
	case len(found) > 1:
		return f, fmt.Errorf("both %s exist, must be one: name the one that has all releases of "+
			"the table", strings.Join(found, " and "))
	case filepath.Dir(found[0]) != filepath.Dir(table):
		return f, fmt.Errorf("%s lies beside a link; the table is %s. Move it there as %s, or "+
			"name it", found[0], table, filepath.Base(f.path))
	}
	f.path = found[0]
	return f, r.elsewhere(f, sum)
}

// elsewhere refuses a table that its account does not know, but another in the same folder does.
func (r *Request) elsewhere(own accountFile, sum string) error {
	a, err := own.read()
	if err != nil || a.knows(sum) {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(own.path))
	for _, entry := range entries {
		name, marked := strings.CutSuffix(entry.Name(), markEnding)
		other := &account{accountFile: accountFile{
			path: filepath.Join(filepath.Dir(own.path), name)}}
		if !marked || other.readMark() != nil {
			continue // a file of another program
		}
		if other, err := other.read(); err != nil {
			r.Log(fmt.Sprintf("whether it is the account of this table cannot be told: %v", err))
		} else if other.knows(sum) {
			return other.refused("it is the account of %s, which was renamed or copied. Name it "+
				"or, if the table was renamed, rename the account to %s and its "+
				"mark to %s%s", r.Table, own.path, own.path, markEnding)
		}
	}
	return err
}

// knows reports whether a release in the account is of the table with a SHA-256.
func (a *account) knows(sum string) bool {
	return slices.ContainsFunc(a.lines, func(line accountLine) bool {
		return line.Release != nil && line.Release.Table == a.mark.digest(sum)
	})
}

// oneName refuses a file that has several names, as far as the system says.
func oneName(path string, info fs.FileInfo) error {
	stat := reflect.Indirect(reflect.ValueOf(info.Sys()))
	if stat.Kind() != reflect.Struct {
		return nil
	}
	if n := stat.FieldByName("Nlink"); n.IsValid() && n.CanUint() && n.Uint() > 1 {
		return fmt.Errorf("%s has %d names (hard links), must have one, by which its account is "+
			"found and goes on: remove the others", path, n.Uint())
	}
	return nil
}

// realPath resolves links. A path that names nothing stays as it is; a link to nothing is an error.
func realPath(path string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}
