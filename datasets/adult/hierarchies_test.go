package adult

import (
	"io/fs"
	"testing"
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
		if got := a.Hierarchy.Height(); got != want.height {
			t.Errorf("%s: height %d, must be %d", want.attribute, got, want.height)
		}
		if a.Hierarchy.Axis != nil {
			// All leaves lie at the same depth, so that a level is a kind of thing.
			tree := a.Hierarchy.Axis.Taxonomy
			for node := range tree.Nodes {
				depth := 0
				for at := node; tree.Nodes[at].Parent >= 0; at = tree.Nodes[at].Parent {
					depth++
				}
				if len(tree.Nodes[node].Children) == 0 && depth != want.height {
					t.Errorf("%s: leaf %q at depth %d", want.attribute, tree.Nodes[node].Name,
						depth)
				}
			}
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
