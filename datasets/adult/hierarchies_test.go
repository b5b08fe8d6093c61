package adult

import (
	"io/fs"
	"strings"
	"testing"

	"ppdp/datasets"
)

// TestHierarchyHeights holds the hierarchies to the heights of the Incognito paper's table of
// Adult.
func TestHierarchyHeights(t *testing.T) {
	vectors, quasi := 1, 0
	for _, want := range []struct {
		attribute string
		height    int
	}{
		{"age", 4}, {"sex", 1}, {"race", 1}, {"marital-status", 2}, {"education", 3},
		{"native-country", 2}, {"workclass", 2}, {"occupation", 2},
	} {
		a := &Schema().Attributes[Schema().Index(want.attribute)]
		if a.Hierarchy == nil {
			t.Fatalf("%s has no hierarchy", want.attribute)
		}
		if err := a.Hierarchy.Validate(a.Cells()); err != nil {
			t.Errorf("%s: %v", want.attribute, err)
		}
		if got := a.Hierarchy.Height(); got != want.height {
			t.Errorf("%s: height %d, must be %d", want.attribute, got, want.height)
		}
		vectors *= a.Hierarchy.Height() + 1
		quasi++
	}
	if vectors != 6480 {
		t.Errorf("%d generalisations, must be 6,480", vectors)
	}
	files, err := fs.Glob(hierarchyFiles, "hierarchies/*.yaml")
	if err != nil || len(files) != quasi {
		t.Errorf("%d hierarchy files (%v), must be %d", len(files), err, quasi)
	}
}

// TestAgeGroups: ages 15 to 94 in groups of 5, 10 and 20 years.
func TestAgeGroups(t *testing.T) {
	h := Schema().Attributes[Schema().Index("age")].Hierarchy
	for level, years := range []uint32{1, 5, 10, 20, 80} {
		for code := range uint32(80) {
			if got := h.Levels[level].Group[code]; got != code/years {
				t.Fatalf("level %d: age %d is in group %d, must be %d",
					level, 15+code, got, code/years)
			}
		}
	}
}

func TestHierarchyFilesRefused(t *testing.T) {
	age := &datasets.Attribute{Name: "age", Low: 15, High: 95, Step: 1}
	sex := &datasets.Attribute{Name: "sex", Kind: datasets.Categorical, Values: []string{"f", "m"}}
	for _, test := range []struct {
		attribute     *datasets.Attribute
		content, want string
	}{
		{age, "widths: [5, 7]", "width 7 above groups of 5"},
		{age, "taxonomy: {any: [f, m]}", "must be widths"},
		{sex, "widths: [5]", "must be a taxonomy"},
		{sex, "{}", "must have a root"},
		{sex, "taxonomy: {any: [f]}", `value "m" is not a leaf`},
		{sex, "taxonomy: {any: [f, {other: [m]}]}", `leaf "f" at depth 1, must be 2`},
		{sex, "levels: 3", "levels"},
	} {
		if _, err := parseHierarchy("x.yaml", []byte(test.content), test.attribute); err == nil ||
			!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("%s: %v, want %q", test.content, err, test.want)
		}
	}
}
