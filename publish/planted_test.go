package publish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/algorithms/incognito"
	"ppdp/internal/must"
)

// planted are algorithms that tests make fail. Without a sabotage they are those they wrap.
type planted struct {
	algorithms.Algorithm
	name string
}

var (
	plantedRuns int // releases that planted algorithms were asked for
	// sabotage is done before a release.
	sabotage func(ctx context.Context, in *algorithms.Input) error
)

func init() {
	algorithms.Register(planted{must.Get(algorithms.Lookup("independent")), "planted"})
	algorithms.Register(planted{must.Get(algorithms.Lookup("incognito")), "planted-classes"})
}

func (p planted) Info() algorithms.Info {
	info := p.Algorithm.Info()
	info.Name = p.name
	return info
}

func (p planted) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	plantedRuns++
	if sabotage != nil {
		if err := sabotage(ctx, &in); err != nil {
			return nil, err
		}
	}
	return p.Algorithm.Release(ctx, in)
}

// TestAccountFirst: what the account refuses is refused before the algorithm is run at all, on
// made-up records or others.
func TestAccountFirst(t *testing.T) {
	dir, r := files(t, 60)
	r.Algorithm, r.Params, r.Total = "planted", set("iterations=5"), Total{TotalEpsilon: 2}
	must.Get(Make(t.Context(), r))
	for want, change := range map[string]func(r *Request){
		"must stay what it is":            func(r *Request) { r.TotalEpsilon = 3 },
		"1 are spent and 1 are left":      func(r *Request) { r.Epsilon = 1.5 },
		"in which a release with a delta": func(r *Request) { r.Delta = 1e-6 },
		"by --total (with": func(r *Request) {
			r.Account, r.Total = dir+"/new", Total{}
		},
		"say that it has changed": func(r *Request) {
			write(t, r.Table, read(t, r.Table)+"\n")
		},
		"it is lost": func(r *Request) {
			os.Remove(Beside(r.Table, accountEnding))
		},
	} {
		sub, changed := t.TempDir(), *r
		must.Do(t, os.CopyFS(sub, os.DirFS(dir)))
		changed.Table, changed.Schema = filepath.Join(sub, "my.csv"),
			filepath.Join(sub, "my.schema.yaml")
		changed.Out = filepath.Join(sub, "second")
		change(&changed)
		plantedRuns = 0
		refused(t, must.Err(Make(t.Context(), &changed)), want)
		must.Be(t, plantedRuns, 0, "releases", want)
	}
	r.Out += "2"
	if must.Get(Make(t.Context(), r)); plantedRuns < 2 {
		t.Errorf("%d runs of a release and its audit: nothing is counted", plantedRuns)
	}
}

// outliers is a request for a table of which some of n records are unlike all others, so that
// leaving them out is cheapest.
func outliers(t *testing.T, some, n int, params ...string) *Request {
	_, r := files(t, 1)
	lines := []string{"age;job;height;town;y;id"}
	for i := range n {
		age := 20
		if i < some {
			age = 40 + 4*i
		}
		lines = append(lines, fmt.Sprintf("%d;admin;1.6;%c;no;%d", age, 'x'+rune(i%3), i))
	}
	write(t, r.Table, strings.Join(lines, "\n")+"\n")
	r.Algorithm, r.Epsilon, r.Params = "planted-classes", 0, set(params...)
	return r
}

// TestSuppressedCounted: a release that leaves out more records than its settings allow is not
// handed out, whatever the algorithm says of it: 12 of 52 where a tenth is 5. A twentieth of 19 is
// nobody, whom the algorithm leaves out itself.
func TestSuppressedCounted(t *testing.T) {
	r := outliers(t, 1, 19, "k=5", "suppression=0.05")
	must.Be(t, must.Get(Make(t.Context(), r)).Certificate.Anonymity.Records, 19)
	r = outliers(t, 12, 52, "k=5", "suppression=0.1")
	sabotage = func(_ context.Context, in *algorithms.Input) error {
		params := *in.Params.(*incognito.Params)
		params.Suppression, in.Params = .25, &params
		return nil
	}
	defer func() { sabotage = nil }()
	_, err := Make(t.Context(), r)
	must.Fail(t, err, "12 of 52 records are left out, must be 5",
		"12 of 52 left out, a tenth may be")
	nothing(t, r, err)
	r.Params = set("k=5", "suppression=0.25")
	made := must.Get(Make(t.Context(), r))
	if n := made.Certificate.Anonymity.Records; n != 40 || made.Certificate.EarlierAnonymised != 0 {
		t.Errorf("%d records, %+v", n, made.Certificate)
	}
}

// nothing: a failed release under k-anonymity leaves no folder, and nothing in the account.
func nothing(t *testing.T, r *Request, err error) {
	t.Helper()
	beside := filepath.Dir(r.Table)
	for _, name := range append(must.Get(filepath.Glob(filepath.Join(beside, "*.jsonl*"))),
		must.Get(filepath.Glob(filepath.Join(beside, "*out*")))...) {
		if !strings.HasSuffix(name, ".lock") {
			t.Errorf("%s is there after %v", name, err)
		}
	}
	if err == nil || Spent(err) {
		t.Errorf("%v, must be an error before the release is entered", err)
	}
}

// TestMostSuppressed: a share of n records, as the decimal that it is written as, against integer
// arithmetic.
func TestMostSuppressed(t *testing.T) {
	for thousandths := range 1001 {
		share := float64(thousandths) / 1000
		for _, n := range []int{0, 1, 19, 52, 100, 1000, 30_162, 1_999_999} {
			must.Be(t, mostSuppressed(&share, n), thousandths*n/1000, share, n)
		}
	}
	for share, want := range map[float64]int{.3333333333333333: 0, .3333333333333334: 1} {
		must.Be(t, mostSuppressed(&share, 3), want, share)
	}
	must.Be(t, mostSuppressed(nil, 100), 0)
}

// TestFailureOfClasses: under k-anonymity only what was handed out is entered. Limits that the
// table does not keep, too few persons, a search that panics or takes too long, a class that is too
// small: none of them counts, and the next release is the first.
func TestFailureOfClasses(t *testing.T) {
	fails := func(r *Request, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if strings.Contains(want, "context") {
			ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		}
		defer cancel()
		_, err := Make(ctx, r)
		must.Fail(t, err, want)
		nothing(t, r, err)
	}
	_, r := personal(t)
	r.Algorithm, r.Epsilon, r.Params = "mondrian", 0, set("k=121")
	fails(r, "are of 119 persons: fewer")
	_, r = files(t, 60)
	lines := read(t, r.Table)
	write(t, r.Table, strings.NewReplacer(";y;no", ";x;no", ";z;no", ";x;no", ";y;yes", ";x;yes",
		";z;yes", ";x;yes").Replace(lines))
	r.Algorithm, r.Epsilon, r.Params = "planted-classes", 0, set("k=5", "l=2")
	fails(r, "the limits cannot be kept")
	write(t, r.Table, lines)
	defer func() { sabotage = nil }()
	r.Params = set("k=29")
	for want, how := range map[string]func(ctx context.Context, in *algorithms.Input) error{
		"failed: no such node": func(context.Context, *algorithms.Input) error {
			panic("no such node")
		},
		"context deadline exceeded": func(ctx context.Context, _ *algorithms.Input) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"a class of": func(_ context.Context, in *algorithms.Input) error {
			params := *in.Params.(*incognito.Params)
			params.K, in.Params = 2, &params
			return nil
		},
	} {
		sabotage = how
		fails(r, want)
	}
	sabotage = func(_ context.Context, in *algorithms.Input) error {
		schema := *in.Table.Schema() // every record is taken for another person's
		schema.Contributions = 0
		in.Table = must.Get(in.Table.WithSchema(&schema))
		return nil
	}
	_, persons := personal(t)
	persons.Algorithm, persons.Epsilon, persons.Params = "planted-classes", 0, set("k=100")
	fails(persons, "persons, must be 100 or more")
	sabotage = nil
	made := must.Get(Make(t.Context(), r))
	if made.Standing.Number != 1 || made.Certificate.EarlierAnonymised != 0 {
		t.Errorf("after failures alone: release %d, %d before", made.Standing.Number,
			made.Certificate.EarlierAnonymised)
	}
	r.Out += "2"
	if made = must.Get(Make(t.Context(), r)); made.Certificate.EarlierAnonymised != 1 {
		t.Errorf("after one release: %d", made.Certificate.EarlierAnonymised)
	}
}
