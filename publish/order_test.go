package publish

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestOrderTellsNothing: the order of the records of a class, as they are published, is independent
// of the order of the input, of what is sensitive, and of the order in another release. The records
// are numbered by their sensitive value, so that a release shows the order of each class. Where all
// orders are equally likely, the number of inversions in all classes together is as far from its
// mean as here with a chance of at most 1e-9: in all, fewer than 1 run in 10 million fails where
// nothing is wrong. The same records in another order make the same classes, in the same order.
func TestOrderTellsNothing(t *testing.T) {
	const n = 120
	stream := random.NewKey(4).Stream()
	order, ages := make([]int, n), make([]int, n)
	values := make([]string, n)
	for i := range n {
		order[i], ages[i], values[i] = i, 18+stream.IntN(60), fmt.Sprint("v", i)
	}
	permuted := slices.Clone(order)
	stream.Shuffle(n, func(i, j int) { permuted[i], permuted[j] = permuted[j], permuted[i] })
	for _, params := range [][]string{{"mondrian", "k=6"}, {"incognito", "k=6"},
		{"koptimize", "k=6"}, {"endgame", "k=6"}, {"mondrian", "k=6", "mode=relaxed"}} {
		_, r := files(t, 1)
		write(t, r.Schema, "attributes:\n  - {name: age, kind: numeric, low: 18, high: 95, "+
			"widths: [11, 33]}\n  - {name: id, kind: categorical, role: sensitive, values: ["+
			strings.Join(values, ", ")+"]}\n")
		r.Algorithm, r.Epsilon, r.Params = params[0], 0, set(params[1:]...)
		release := func(rows []int) (classes []string, members [][]int) {
			lines := []string{"age,id"}
			for _, row := range rows {
				lines = append(lines, fmt.Sprintf("%d,v%d", ages[row], row))
			}
			write(t, r.Table, strings.Join(lines, "\n")+"\n")
			r.Out, r.Changed = r.Out+"1", true
			must.Get(Make(t.Context(), r))
			text := read(t, filepath.Join(r.Out, RecordsFile))
			for _, record := range must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())[1:] {
				if c := len(classes); c == 0 || classes[c-1] != record[0] {
					classes, members = append(classes, record[0]), append(members, nil)
				}
				var row int
				must.Get(fmt.Sscanf(record[1], "v%d", &row))
				members[len(members)-1] = append(members[len(members)-1], row)
			}
			return classes, members
		}
		classes, first := release(order)
		_, second := release(order)
		again, other := release(permuted)
		name := strings.Join(params, " ")
		if len(classes) < 3 {
			t.Fatalf("%s: %d classes test nothing", name, len(classes))
		}
		if !slices.Equal(classes, again) && len(params) == 2 {
			t.Errorf("%s: other classes, or in another order, where the input has another:\n%v\n%v",
				name, classes, again)
		}
		places := func(members [][]int) []int {
			at := make([]int, n)
			for i, row := range slices.Concat(members...) {
				at[row] = i
			}
			return at
		}
		inverse := make([]int, n)
		for i, row := range permuted {
			inverse[row] = i
		}
		for _, c := range []struct {
			against string
			members [][]int
			place   []int
		}{{"input, which is that of the sensitive values", first, order},
			{"another release", second, places(first)},
			{"permuted input", other, inverse}, {"sensitive values", other, order}} {
			if is, mean, most := inversions(c.members, c.place); math.Abs(is-mean) > most {
				t.Errorf("%s: %v inversions of the order of the %s, want %v ± %v", name, is,
					c.against, mean, most)
			}
		}
	}
}

// inversions counts the pairs within a class that are in another order than their places. Where
// every order of every class is as likely, an element that is put before j others makes 0 to j
// inversions, each as likely and independently of the others (Knuth, The Art of Computer
// Programming 3, 5.1.1). So the mean is half the sum of all j, and by Hoeffding's inequality the
// count is more than off from it with a chance of at most 1e-9.
func inversions(members [][]int, place []int) (count, mean, off float64) {
	for _, class := range members {
		for j, row := range class {
			for _, before := range class[:j] {
				if place[before] > place[row] {
					count++
				}
			}
			mean += float64(j) / 2
			off += float64(j * j)
		}
	}
	return count, mean, math.Sqrt(off * math.Log(2/1e-9) / 2)
}
