package publish

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
	"ppdp/publish/risk"
)

// Files of a release's folder.
const (
	RecordsFile     = "records.csv"
	ParquetFile     = "records.parquet" // the same records, on request
	SchemaFile      = "schema.yaml"
	CroissantFile   = "croissant.json"
	CertificateFile = "certificate.json"
	PageFile        = "certificate.html"
	// RiskFile says what a release under k-anonymity still discloses.
	RiskFile = "risk.html"
	// FormatFile is the JSON Schema of CertificateFile.
	FormatFile = "certificate.schema.json"
	// DeploymentFile is an entry for a registry of releases under differential privacy.
	DeploymentFile = "deployment.yaml"
)

// certificateFormat changes with the form of a certificate and with what Verify derives.
const certificateFormat = "ppdp certificate 4"

// untitled is the title of a release that was given none.
const untitled = "Release"

//go:embed certificate.html.tmpl
var pageText string

//go:embed certificate.schema.json
var formatText string

// Certificate says what a release guarantees and how it was made. All of it may be published: what
// it holds of private data is in the records and marginals, too. Its form is that of FormatFile.
type Certificate struct {
	Format string `json:"format"`
	// About is the holder's word, which nothing checks.
	csvtable.About
	Released string `json:"released"` // the day, UTC
	License  string `json:"license,omitempty"`
	Program  string `json:"program"`
	Content  string `json:"content"` // what the records are, in a sentence
	Weighted bool   `json:"weighted"`
	Parquet  bool   `json:"parquet,omitempty"`
	// DropsMissing says that records lacking a value were left out, as Missing explains: by rule,
	// and without their number, which is private.
	DropsMissing bool   `json:"dropsMissing"`
	Missing      string `json:"missing,omitempty"`
	// Uninformative are columns drawn uniformly from their domains: they say nothing.
	Uninformative []string    `json:"uninformative,omitempty"`
	Guarantee     Promise     `json:"guarantee"`
	Anonymity     *Anonymity  `json:"anonymity,omitempty"` // of k-anonymity
	Algorithm     Method      `json:"algorithm"`
	Audit         *Audited    `json:"audit,omitempty"` // of differential privacy
	Randomness    string      `json:"randomness"`
	Mechanisms    []Mechanism `json:"mechanisms"`
	Noise         []Noise     `json:"noise,omitempty"`  // of counts in MarginalsFile
	Budget        *Spending   `json:"budget,omitempty"` // of differential privacy
	// EarlierAnonymised is how many releases of the table under k-anonymity came before this one.
	EarlierAnonymised int      `json:"earlierAnonymised"`
	NotCovered        []string `json:"notCovered"`
	Files             []File   `json:"files"`
}

// Promise is a guarantee.
type Promise struct {
	Model    string `json:"model"`
	Sentence string `json:"sentence"`
	Unit     string `json:"unit"`
	Relation string `json:"relation"`
	// Contributions is how many records of a person there are at most; 0 for the unit record.
	Contributions int     `json:"contributions,omitempty"`
	Epsilon       float64 `json:"epsilon,omitempty"`
	Delta         float64 `json:"delta,omitempty"`
	K             int     `json:"k,omitempty"`
	// Limits bound what each class tells of each sensitive attribute, where the algorithm was asked
	// to.
	Limits *Limits `json:"limits,omitempty"`
	// Suppression is the largest share of records left out; nil of algorithms that know no limit.
	Suppression *float64 `json:"suppression,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// Limits are those of l-diversity and t-closeness; an l of 1 or a t of 1 asks nothing.
type Limits struct {
	L         int     `json:"l"`
	Diversity string  `json:"diversity"`
	C         float64 `json:"c"` // of recursive (c, l)-diversity
	T         float64 `json:"t"`
	Distance  string  `json:"distance"`
}

// Anonymity is what a release under k-anonymity is about, and what it reached.
type Anonymity struct {
	QuasiIdentifiers []string `json:"quasiIdentifiers"` // generalised; all others are unchanged
	Sensitive        []string `json:"sensitive"`
	Class            string   `json:"class"` // "" for none
	Records          int      `json:"records"`
	Classes          int      `json:"classes"`
	K                int      `json:"k"` // of the smallest class: records, or persons at least
	// Unchanged says what the classes tell of the class and the sensitive attributes.
	Unchanged []Diversity `json:"unchanged"`
}

// Diversity is what classes tell of an attribute: l of distinct l-diversity, t of t-closeness where
// all values are equally far apart, and how many records are in classes that share one value.
type Diversity struct {
	Attribute string  `json:"attribute"`
	L         int     `json:"l"`
	T         float64 `json:"t"`
	Disclosed int     `json:"disclosed"`
}

// Disclosure says which attribute the classes disclose of most records, "" without classes. Of two
// that are disclosed alike the one with the greater t is named.
func (a *Anonymity) Disclosure() string {
	if len(a.Unchanged) == 0 || a.Records == 0 {
		return ""
	}
	worst := slices.MaxFunc(a.Unchanged, func(x, y Diversity) int {
		return cmp.Or(cmp.Compare(x.Disclosed, y.Disclosed), cmp.Compare(x.T, y.T))
	})
	if worst.Disclosed == 0 {
		return "No class discloses an attribute for certain: in each, every attribute that is " +
			"unchanged has at least two values."
	}
	return fmt.Sprintf("But %s is disclosed of %.1f %% of the records: all of a class share it, "+
		"so who finds somebody's class knows it.", worst.Attribute,
		100*float64(worst.Disclosed)/float64(a.Records))
}

// Method is an algorithm with its settings.
type Method struct {
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Source   string            `json:"source"`
	Variant  string            `json:"variant"`
	Revision int               `json:"revision"`
	Params   map[string]string `json:"params"`
}

// Mechanism is one row of the privacy ledger of a release.
type Mechanism struct {
	Purpose   string  `json:"purpose"`
	Mechanism string  `json:"mechanism"`
	Cost      float64 `json:"cost"` // its part of the most expensive path, in Unit
	Unit      string  `json:"unit"`
	// Sensitivity is left out of choices: some are scaled by the number of records, which is
	// private.
	Sensitivity float64 `json:"sensitivity,omitempty"`
	Sampling    string  `json:"sampling"`
}

// Spending is what a table's account allows and what has been spent of it. It is zero without
// differential privacy, but for the number.
type Spending struct {
	Unit    string  `json:"unit"`
	Total   float64 `json:"total"`
	Before  float64 `json:"before"`  // what earlier releases cost
	Cost    float64 `json:"cost"`    // what this one costs
	Epsilon float64 `json:"epsilon"` // with Delta, what Total stands for; 0 for a total in rho
	Delta   float64 `json:"delta"`
	Rho     float64 `json:"rho,omitempty"` // of a total in zCDP
	Number  int     `json:"number"`        // of the release, from 1
}

// Allowed is what the holder allows all releases together.
func (s Spending) Allowed() Total { return Total{s.Epsilon, s.Delta, s.Rho} }

// reportedDelta is the delta at which costs in rho are given as an epsilon, if the total has none.
const reportedDelta = 1e-9

// Together is the (epsilon, delta) of this release and all before it: their costs add up, and the
// sum is converted once.
func (s Spending) Together() (epsilon, delta float64) {
	return s.as(s.Before + s.Cost)
}

// as is a cost as (epsilon, delta).
func (s Spending) as(cost float64) (epsilon, delta float64) {
	if s.Unit == string(privacy.Rho) {
		delta = cmp.Or(s.Delta, reportedDelta)
		return privacy.EpsilonOf(cost, delta), delta
	}
	return cost, 0
}

// Odds is how often in 100 times the best guess is right once all that is allowed is spent.
func (s Spending) Odds() float64 { return odds(s.as(s.Total)) }

// File is a file of the folder.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// derive sets everything in a certificate that follows from the rest of it, from the algorithm, the
// schema, the marginals and, under k-anonymity, what was measured on the records (nil without
// records). Verify does the same again.
func (c *chosen) derive(cert *Certificate, schema *datasets.Schema,
	marginals []algorithms.Marginal, measured *risk.Report) {
	g := &c.guarantee
	promise := Promise{Model: string(g.Model), Unit: g.Unit, Relation: g.Relation,
		Contributions: g.Contributions}
	cert.Format, cert.Missing = certificateFormat, csvtable.MissingRule(schema, cert.DropsMissing)
	cert.Randomness = "the operating system's (crypto/rand); no seed exists that gives it again"
	cert.Algorithm = Method{Name: c.info.Name, Title: c.info.Title, Source: c.info.Source,
		Variant: string(g.Variant), Revision: c.info.Revision,
		Params: strictyaml.Resolved(c.params)}
	cert.Uninformative, cert.Anonymity, cert.Noise = nil, nil, nil
	if anonymous, ok := c.params.(algorithms.Anonymous); ok {
		promise.K = anonymous.Anonymity()
		promise.Sentence = fmt.Sprintf("Every record looks, in the attributes that could identify "+
			"a person, like at least %d others in this file.", promise.K-1)
		if g.Contributions > 0 {
			promise.Sentence = fmt.Sprintf("Every record looks, in the attributes that could "+
				"identify a person, like records of at least %d other persons in this file.",
				promise.K-1)
			promise.Note = "Each record is of another person."
			if g.Contributions > 1 {
				promise.Note = fmt.Sprintf("A class has records of %d persons or more, up to %d "+
					"of each. Whose they are is not in this file: who holds the original can "+
					"count them.", promise.K, g.Contributions)
			}
		}
		cert.Content = "The original records, generalised: classes of records that look alike."
		cert.NotCovered = slices.Clone(anonymityLimits)
		if limits := c.limits(); limits.Any() {
			promise.Limits = &Limits{limits.L, string(limits.Diversity), limits.C, limits.T,
				string(limits.Distance)}
			promise.Sentence += limits.Sentence()
			cert.NotCovered = append(cert.NotCovered, disclosureLimit)
		}
		if s, ok := c.params.(suppressing); ok {
			promise.Suppression = new(float64(s.Suppressible()))
		}
		cert.Guarantee = promise
		cert.Anonymity = reached(schema, promise.K, measured)
		cert.Mechanisms, cert.Budget, cert.Audit = []Mechanism{}, nil, nil
		cert.Weighted = false
		return
	}
	promise.Epsilon, promise.Delta = cert.Guarantee.Epsilon, cert.Guarantee.Delta
	promise.Note = g.Note
	promise.Sentence = sentence(promise.Epsilon, promise.Delta, g.Contributions)
	cert.Content = "Synthetic records, drawn from noisy statistics. No row is a person's record."
	cert.Guarantee, cert.NotCovered = promise, slices.Clone(privacyLimits)
	if g.Contributions > 0 {
		cert.NotCovered[0] = "It protects single persons. A family is protected less."
	}
	if c.info.Can(algorithms.RegionsProduct) { // records are drawn from these
		cert.Uninformative = schema.Names(datasets.Sensitive)
	}
	spending := *cmp.Or(cert.Budget, new(Spending))
	cert.Noise = cert.noise(schema, marginals)
	unit, _ := costUnit(promise.Epsilon, promise.Delta)
	spending.Unit, spending.Total = spending.Allowed().cost()
	spending.Cost, _ = costIn(spending.Unit, promise.Epsilon, promise.Delta) // 0 is not allowed
	cert.Budget = &spending
	for m := range results.Each(cert.Mechanisms) {
		m.Unit, m.Sampling = unit, "exact, from integers"
		if (privacy.Entry{Mechanism: m.Mechanism}).Chooses() {
			m.Sensitivity = 0
			m.Sampling += "; scores are rounded to 2^-16 of their sensitivity, and the noise " +
				"covers what that may cost"
		}
	}
}

// reached lists what k-anonymous records are about, and how alike they are.
func reached(schema *datasets.Schema, k int, measured *risk.Report) *Anonymity {
	a := &Anonymity{QuasiIdentifiers: schema.Names(datasets.QuasiIdentifier),
		Sensitive: append([]string{}, schema.Names(datasets.Sensitive)...),
		Class:     strings.Join(schema.Names(datasets.Class), ""), Unchanged: []Diversity{}}
	if measured != nil {
		a.Records, a.Classes, a.K = measured.Records, measured.Classes, measured.K
		if c := schema.Contributions; c > 1 { // the persons of whom a class is for certain
			a.K = max(k, (a.K+c-1)/c)
		}
		for d := range results.Each(measured.Sensitive) {
			a.Unchanged = append(a.Unchanged, Diversity{d.Attribute, d.Distinct, d.Equal,
				d.Homogeneous})
		}
	}
	return a
}

// sentence says what (epsilon, delta) means for one person, or for a record where contributions
// is 0.
func sentence(epsilon, delta float64, contributions int) string {
	unit, others := "record", "other records"
	if contributions > 0 {
		unit, others = "person", "records of other persons"
	}
	return "Whether a certain " + unit + " was in the table cannot be told for sure, even by who " +
		"knows all " + others + ": with this release such a guess is right at most " +
		results.FormatNumber(odds(epsilon, delta)) + " times in 100; by tossing a coin, 50 times."
}

// odds is how often in 100 times the best guess is right, of two equally likely tables, one with a
// record and one without it: (e^epsilon + delta) / (e^epsilon + 1), rounded up to a tenth. The two
// ways to err are traded off as in Kairouz, Oh & Viswanath, The Composition Theorem for
// Differential Privacy, ICML 2015.
func odds(epsilon, delta float64) float64 {
	right := 1 - (1-delta)/(1+elementary.Exp(epsilon))
	return math.Ceil(1000*right) / 10
}

// suppressing are parameters that limit how many records are left out, disclosing those that limit
// what classes tell.
type (
	suppressing interface{ Suppressible() disclosure.Suppression }
	disclosing  interface{ Disclosing() *disclosure.Limits }
)

// limits are those that the algorithm was asked to keep.
func (c *chosen) limits() *disclosure.Limits {
	if d, ok := c.params.(disclosing); ok {
		return d.Disclosing()
	}
	return &disclosure.Limits{}
}

// missed lists the sensitive attributes of which classes tell more than the limits allow.
func (c *chosen) missed(schema *datasets.Schema, measured *risk.Report) (problems []error) {
	for _, name := range schema.Names(datasets.Sensitive) {
		at := slices.IndexFunc(measured.Sensitive,
			func(d risk.Disclosure) bool { return d.Attribute == name })
		if missed := measured.Sensitive[at].Missed(c.limits()); missed != "" {
			problems = append(problems, fmt.Errorf("%s: %s: a class has %s", RecordsFile, name,
				missed))
		}
	}
	return problems
}

// mostSuppressed is the largest number of records whose share of all is no more than the one that
// may be left out, a decimal. It shares no code with what leaves records out.
func mostSuppressed(share *float64, records int) int {
	return sort.Search(records, func(n int) bool {
		return share == nil || big.NewRat(int64(n)+1, int64(records)).Cmp(decimal(*share)) > 0
	})
}

// suppressed compares the number of published records, under k-anonymity, with the table's.
func (c *Certificate) suppressed(table *datasets.Table) error {
	if c.Anonymity == nil {
		return nil
	}
	n := table.Len()
	left, most := n-c.Anonymity.Records, mostSuppressed(c.Guarantee.Suppression, n)
	return problem.Unless(left <= most, "%d of %d records are left out, must be %d or fewer", left,
		n, most)
}

// disclosureLimit is what l and t do not say.
const disclosureLimit = "l and t are about one sensitive attribute at a time, and about those " +
	"who know no more than the classes: who can rule values out learns more."

var anonymityLimits = []string{
	"k-anonymity is not differential privacy: it bounds no one's risk whatever others know.",
	"Where all records of a class share a sensitive value, that value is known of each of them.",
	"Who knows that a person is in the table, and a fact about them that is not generalised, may " +
		"learn more.",
	"Sensitive values and the class are published as they are.",
	"Another release of the same people, made by anyone, can split the classes. Releases under " +
		"k-anonymity do not add up to a bound.",
	"How the classes were chosen depends on the data, and may itself disclose something of them.",
	"The schema is taken to be public knowledge, written down before anyone saw the data.",
}

var privacyLimits = []string{
	"It protects single records. A person with several records is protected less, and so is a " +
		"family.",
	"What can be learned about a person from everyone else's records is not hidden.",
	"Releases that are not in the account add to this one. Deleting or copying the account " +
		"undoes it.",
	"Choosing algorithm or settings by help of the private data is not covered by epsilon.",
	"The schema is taken to be public knowledge, written down before anyone saw the data.",
	"How long the release took, how much memory it used, and messages shown to the holder of the " +
		"table are not covered.",
	"The proofs are of the algorithm as described. Mistakes in the program are not excluded.",
}

// part is a file of a folder that follows from its certificate, schema and records.
type part struct {
	name  string
	write func(w io.Writer, before []File) error // before are the files that are there already
}

// parts are all of them, in the order in which they are written.
func (c *Certificate) parts(schema *datasets.Schema, records *records,
	measured *risk.Report) []part {
	title := c.Title
	if title == untitled {
		title = RecordsFile
	}
	parts := []part{
		{ParquetFile, func(w io.Writer, _ []File) error {
			return csvtable.WriteParquet(w, schema, &records.Texts, records.weights,
				func(a *datasets.Attribute) bool {
					return c.Guarantee.K > 0 && a.Role == datasets.QuasiIdentifier
				})
		}},
		{SchemaFile, func(w io.Writer, _ []File) error { return csvtable.WriteSchema(w, schema) }},
		{RiskFile, func(w io.Writer, _ []File) error { return risk.WritePage(w, title, measured) }},
		{CroissantFile, func(w io.Writer, before []File) error {
			return writeCroissant(w, c, schema, before)
		}},
		{DeploymentFile, func(w io.Writer, _ []File) error {
			return deployment().Execute(w, deploymentOf(c, schema))
		}},
		{FormatFile, func(w io.Writer, _ []File) error { return results.Text(formatText)(w) }},
		{PageFile, func(w io.Writer, before []File) error {
			shown := *c
			shown.Files = before
			return page().Execute(w, shown)
		}},
	}
	return slices.DeleteFunc(parts, func(p part) bool {
		return p.name == RiskFile && measured == nil || p.name == ParquetFile && !c.Parquet ||
			p.name == DeploymentFile && c.Budget == nil
	})
}

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New(PageFile).Funcs(template.FuncMap{
		"number": func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) },
		"rounded": func(x float64) string {
			return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
		},
		"percent": func(x float64) string { return strconv.FormatFloat(100*x, 'g', 2, 64) + " %" },
		"plus":    func(x, y float64) float64 { return x + y },
		"join":    strings.Join, "odds": odds, "people": people,
		"rows":   func(k int) int { return 12 * ((min(k, 100) + 24) / 25) },
		"gained": func(p Promise) int { return right(p) - 50 },
	}).Parse(pageText))
})

// person is one of the hundred, or of the k, that the page draws.
type person struct {
	X, Y  int
	Class string
}

// people draws a guarantee: of a hundred guesses those that are right by chance, those that are
// right by help of the release, and those that are wrong; or the k that look alike.
func people(p Promise) (all []person) {
	n, chance, gained := min(p.K, 100), 1, 1
	if p.K == 0 {
		n, chance, gained = 100, 50, right(p)
	}
	for i := range n {
		class := "wrong"
		if i < chance {
			class = "chance"
		} else if i < gained {
			class = "gained"
		}
		all = append(all, person{6 + i%25*12, 6 + i/25*12, class})
	}
	return all
}

// right is the most guesses of a hundred that are right with a release, in whole ones.
func right(p Promise) int { return int(math.Ceil(odds(p.Epsilon, p.Delta))) }

// readPart reads a file of a folder that somebody else may have made. Records are read elsewhere.
func readPart(dir, name string) ([]byte, error) {
	return datasets.ReadFile(filepath.Join(dir, name), 1<<30)
}

// readCertificate reads a folder's certificate. Its form is another matter: checkForm.
func readCertificate(dir string) (*Certificate, []byte, error) {
	text, err := readPart(dir, CertificateFile)
	if err != nil {
		return nil, nil, err
	}
	c := new(Certificate)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, text, fmt.Errorf("%s: %w", CertificateFile, err)
	}
	return c, text, nil
}

// measure says what generalised records still disclose, from what is published alone; nil where
// all are suppressed. Classes below k, or the usual threshold, are small.
func (c *chosen) measure(r *records, schema *datasets.Schema) (*risk.Report, error) {
	if r.Rows == 0 {
		return nil, nil
	}
	table, err := risk.NewTable(&r.Texts, schema)
	if err != nil {
		return nil, err
	}
	options := risk.Defaults()
	options.K = max(c.params.(algorithms.Anonymous).Anonymity(), options.K)
	options.Suppressed = "" // such records are not in the file: a "*" is a value of the others
	if limits := c.limits(); limits.Any() {
		options.C = limits.C
	}
	return risk.Measure(table, options)
}
