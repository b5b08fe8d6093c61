package spec

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppdp/internal/declared"
	"ppdp/internal/results"
)

// page is where the language is explained.
const page = "../../docs/spec.md"

// sections are the mappings of the language, in the order of the page.
var sections = []struct {
	title string
	of    reflect.Type
}{
	{"A spec", reflect.TypeFor[Spec]()},
	{"An entry under `dataset`", reflect.TypeFor[DatasetSpec]()},
	{"An entry under `algorithms`", reflect.TypeFor[AlgorithmSpec]()},
	{"An entry under `measure`", reflect.TypeFor[MeasureSpec]()},
	{"An entry under `plots`", reflect.TypeFor[results.Figure]()},
	{"`quick`", reflect.TypeFor[QuickSpec]()},
}

// keyTables are the tables of all keys, as the page has them.
func keyTables(t *testing.T) string {
	var b strings.Builder
	for _, section := range sections {
		fmt.Fprintf(&b, "\n### %s\n\n| key | takes | default | meaning |\n|---|---|---|---|\n",
			section.title)
		for _, key := range declared.Keys(section.of) {
			if key.Meaning == "" || key.Allowed == "" {
				t.Errorf("%s: %s has no meaning or does not say what it takes", section.title,
					key.Name)
			}
			row := fmt.Sprintf("| `%s` | %s | %s | %s", key.Name, key.Allowed, key.Default,
				key.Meaning)
			b.WriteString(strings.ReplaceAll(row, "a|b", `a\|b`) + " |\n")
		}
	}
	return b.String()
}

// TestPage: the page's tables are those of the tags.
func TestPage(t *testing.T) {
	const end = "TestPage -update` writes them anew.\n"
	text := string(must(os.ReadFile(page)))
	above, tables, found := strings.Cut(text, end)
	if !found {
		t.Fatalf("%s has no %q", page, end)
	}
	want := keyTables(t)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(page, []byte(above+end+want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, tables); diff != "" {
		t.Error(diff)
	}
}

var (
	example  = regexp.MustCompile(`(?m)(?:^    .*\n|^\n)+`)
	topLevel = regexp.MustCompile(`(?m)^([a-z]+):.*\n(?: .*\n)*`)
)

// examples lists the page's examples as whole specs: what has no name replaces keys of the last
// example that has one, whose figures are left out.
func examples(text string) (all []string) {
	var base map[string]string
	for _, code := range example.FindAllString(text, -1) {
		code = regexp.MustCompile(`(?m)^    `).ReplaceAllString(code, "")
		keys, names := make(map[string]string), []string(nil)
		for _, match := range topLevel.FindAllStringSubmatch(code, -1) {
			keys[match[1]], names = match[0], append(names, match[1])
		}
		if len(keys) == 0 {
			continue // no YAML
		}
		if keys["name"] != "" {
			base = keys
		} else {
			for name, value := range base { // order-free: fills a map
				if name != "plots" && keys[name] == "" {
					keys[name], names = value, append(names, name)
				}
			}
		}
		slices.Sort(names)
		whole := ""
		for _, name := range names {
			whole += keys[name]
		}
		all = append(all, whole)
	}
	return all
}

// TestPageExamples: all examples of the page can be planned, and together they show every key.
func TestPageExamples(t *testing.T) {
	all := examples(string(must(os.ReadFile(page))))
	if len(all) < 10 {
		t.Fatalf("only %d examples found", len(all))
	}
	for _, text := range all {
		parsed, err := Parse(page, []byte(text))
		for _, quick := range []bool{false, true} {
			if err == nil {
				_, err = parsed.Plan(Overrides{Quick: quick})
			}
		}
		if err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	shown := strings.Join(all, "")
	for _, section := range sections {
		for _, key := range declared.Keys(section.of) {
			if !regexp.MustCompile(`(?m)(^|[{ ])` + key.Name + `: `).MatchString(shown) {
				t.Errorf("%s: no example has %s", section.title, key.Name)
			}
		}
	}
}
