package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/elementary"
	"ppdp/internal/results"
)

// ranking says of a user's own run who is best, what is no use, and what each release guarantees.
type ranking struct {
	Alarms     []string // not to be overlooked
	Contests   []*contest
	Guarantees []*guaranteeLine
	// Private says that the data are the user's own: choosing by what is shown spends privacy.
	// MadeUp says that they are nobody's.
	Private, MadeUp bool
	Note            string // of the spec: what was left out
	// Majority and Sampled are those of any contest.
	Majority, Sampled bool
}

// contest is the releases of one dataset under one budget; those whose guarantee knows no epsilon
// take part in all.
type contest struct {
	Title    string
	Columns  []rankColumn
	Lines    []*rankLine // under a guarantee, best first; then those without, for reference
	Ranked   int
	Counted  bool // records, of some line
	Majority bool // is known in some column
	Sampled  bool // some cells say what sample of the true records is as good
	Timed    bool
}

// rankColumn is a measurement.
type rankColumn struct {
	Title, Better string
	measurement   results.Measurement
	higher        bool
	fraction      bool    // values are from 0 to 1, and so are their intervals
	majority      float64 // what the majority class reaches, NaN where that was not measured
}

// rankLine is a setting.
type rankLine struct {
	Place, Label  string
	Rank          string // mean over the columns
	Private       bool   // under a guarantee that is not broken
	Doubt         string // of its guarantee, "" for none
	NoBetter      bool   // than the majority class, by any classifier
	Cells         []rankCell
	Records, Time string

	setting *results.Setting
	mean    float64
	size    float64
}

// rankCell is a mean with its interval, also as a drawing in hundredths of the width.
type rankCell struct {
	Mean, Interval          string
	Sample, SampleInterval  string // of the true records that is as good; "" where unknown
	equivalent              results.Equivalent
	Best                    bool   // or not to be told from the best: the intervals overlap
	At, Lo, Width, Majority string // places in the drawing; "" where there is none

	row *results.Row
}

// guaranteeLine is what releases promise that promise the same.
type guaranteeLine struct {
	Labels []string
	Text   string
}

// sizes are metrics of how much was published, not of what it is worth.
var sizes = []string{"records", "regions", "nodes", "edges", "max-degree", "anonymity",
	results.RuntimeMetric}

const (
	majorityClassifier = "majority"
	recordsMetric      = "records"
)

// newRanking compares the releases of a run. It is nil where nothing but sizes was measured.
func newRanking(run *results.Summary, times bool) *ranking {
	m := &run.Manifest
	rows := run.Rows()
	r := &ranking{Note: m.Note}
	var sets []string
	budgets := make(map[string][]string)
	for i := range rows {
		row := &rows[i]
		set := row.Dataset.Label()
		if !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
		if text := row.BudgetText(); text != "" && !slices.Contains(budgets[set], text) {
			budgets[set] = append(budgets[set], text)
		}
		r.MadeUp = r.MadeUp || row.Dataset.Name == "from-schema"
		r.Private = r.Private || row.Dataset.Name == "csv" || row.Dataset.Name == "graph"
	}
	for _, set := range sets {
		for _, budget := range append(budgets[set], "")[:max(1, len(budgets[set]))] {
			c := newContest(m, rows, set, budget)
			c.Timed = times && run.Timed
			if len(c.Columns) == 0 || len(c.Lines) == 0 {
				continue
			}
			c.Title = cmp.Or(strings.Replace(budget, "epsilon", "Epsilon", 1), "Releases")
			if len(sets) > 1 {
				c.Title += ", " + set
			}
			r.Contests = append(r.Contests, c)
			r.Majority, r.Sampled = r.Majority || c.Majority, r.Sampled || c.Sampled
			r.Alarms = append(r.Alarms, c.alarms()...)
		}
	}
	if len(r.Contests) == 0 {
		return nil
	}
	for i := range rows {
		if rows[i].Algorithm == results.SampleAlgorithm {
			continue
		}
		text := guaranteeText(m, &rows[i], budgets[rows[i].Dataset.Label()])
		at := slices.IndexFunc(r.Guarantees, func(g *guaranteeLine) bool { return g.Text == text })
		if at < 0 {
			at = len(r.Guarantees)
			r.Guarantees = append(r.Guarantees, &guaranteeLine{Text: text})
		}
		g := r.Guarantees[at]
		if label := rows[i].Label(); !slices.Contains(g.Labels, label) {
			g.Labels = append(g.Labels, label)
		}
	}
	return r
}

func newContest(m *results.Manifest, rows []results.Row, set, budget string) *contest {
	c, yardsticks := &contest{}, m.Yardsticks(rows)
	lines := make(map[*results.Setting]*rankLine)
	for i := range rows {
		row := &rows[i]
		if row.Dataset.Label() != set || row.Algorithm == results.SampleAlgorithm ||
			row.BudgetText() != budget && row.BudgetText() != "" {
			continue // samples are the yardstick
		}
		l := lines[row.Setting]
		if l == nil {
			l = &rankLine{Label: row.Label(), setting: row.Setting, size: math.NaN()}
			l.Private, l.Doubt = standing(m, row)
			lines[row.Setting] = l
			c.Lines = append(c.Lines, l)
		}
		switch row.Metric {
		case recordsMetric:
			l.size, l.Records, c.Counted = row.Mean, number(math.Round(row.Mean)), true
		case results.RuntimeMetric:
			l.Time = duration(row.Mean)
		}
	}
	for i := range m.Measures {
		use := &m.Measures[i]
		if slices.Contains(sizes, use.Metric) || use.Classifier == majorityClassifier {
			continue
		}
		title := strings.TrimPrefix(use.Title, "Classification ")
		column := rankColumn{Title: cmp.Or(title, use.Metric), Better: "lower is better",
			measurement: use.Measurement, higher: use.HigherIsBetter,
			fraction: use.Unit == "fraction"}
		if use.Classifier != "" {
			column.Title += ", " + use.Classifier
		}
		if _, settings, ok := strings.Cut(use.Metric, " "); ok {
			column.Title += ", " + settings
		}
		if use.HigherIsBetter {
			column.Better = "higher is better"
		}
		c.addColumn(column, rows, lines, yardsticks)
	}
	c.place()
	return c
}

// addColumn fills a column of all lines.
func (c *contest) addColumn(column rankColumn, rows []results.Row,
	lines map[*results.Setting]*rankLine, yardsticks results.Yardsticks) {
	column.majority = majorityOf(rows, column.measurement, lines)
	interval := func(row *results.Row) (lo, hi float64) {
		lo, hi = interval(row)
		if column.fraction {
			lo, hi = min(row.Mean, max(lo, 0)), max(row.Mean, min(hi, 1))
		}
		return lo, hi
	}
	at, any := len(c.Columns), false
	lo, hi := column.majority, column.majority
	for _, l := range c.Lines {
		l.Cells = append(l.Cells, rankCell{})
	}
	for i := range rows {
		row := &rows[i]
		l := lines[row.Setting]
		if l == nil || row.Measurement != column.measurement || math.IsNaN(row.Mean) {
			continue
		}
		any = true
		l.Cells[at].row = row
		from, to := interval(row)
		if lo, hi = min(lo, from), max(hi, to); math.IsNaN(lo) {
			lo, hi = from, to
		}
	}
	if !any {
		for _, l := range c.Lines {
			l.Cells = l.Cells[:at]
		}
		return
	}
	c.Columns = append(c.Columns, column)
	c.Majority = c.Majority || !math.IsNaN(column.majority)
	place := func(x float64) float64 {
		if hi <= lo {
			return 0.5
		}
		return 0.04 + 0.92*(x-lo)/(hi-lo)
	}
	var best *results.Row
	for _, l := range c.Lines {
		if row := l.Cells[at].row; row != nil && l.Private &&
			(best == nil || better(row.Mean, best.Mean, column.higher)) {
			best = row
		}
	}
	for _, l := range c.Lines {
		cell := &l.Cells[at]
		if cell.row == nil {
			continue
		}
		if e, ok := yardsticks.Of(cell.row); ok && l.Private {
			c.Sampled = true
			cell.equivalent, cell.Sample = e, e.String()
			if e.Lo < e.Hi {
				cell.SampleInterval = e.Interval()
			}
		}
		from, to := interval(cell.row)
		cell.Mean, cell.At = digits3(cell.row.Mean), percent(place(cell.row.Mean))
		cell.Lo, cell.Width = percent(place(from)), percent(place(to)-place(from))
		if cell.row.N > 1 {
			cell.Interval = digits3(from) + " to " + digits3(to)
		}
		if !math.IsNaN(column.majority) {
			cell.Majority = percent(place(column.majority))
		}
		if best != nil {
			least, most := interval(best)
			cell.Best = l.Private && from <= most && to >= least
		}
	}
}

// interval is a row's, of no width where a single trial gives none.
func interval(r *results.Row) (lo, hi float64) {
	if math.IsNaN(r.Lo95) || math.IsNaN(r.Hi95) {
		return r.Mean, r.Mean
	}
	return r.Lo95, r.Hi95
}

func better(a, b float64, higher bool) bool {
	if higher {
		return a > b
	}
	return a < b
}

// majorityOf is what always guessing the majority class reaches, by the metric of a classifier: on
// the data without privacy where that was measured, else the best of any release.
func majorityOf(rows []results.Row, of results.Measurement,
	lines map[*results.Setting]*rankLine) float64 {
	reference, any := math.NaN(), math.NaN()
	for i := range rows {
		row := &rows[i]
		l := lines[row.Setting]
		if l == nil || of.Classifier == "" || row.Metric != of.Metric ||
			row.Classifier != majorityClassifier || math.IsNaN(row.Mean) {
			continue
		}
		if row.Algorithm == "identity" {
			reference = row.Mean
		}
		if math.IsNaN(any) || row.Mean > any {
			any = row.Mean
		}
	}
	if math.IsNaN(reference) {
		return any
	}
	return reference
}

// place orders the lines by their mean rank over the columns; a missing value ranks last.
func (c *contest) place() {
	var private []*rankLine
	for _, l := range c.Lines {
		if l.Private {
			private = append(private, l)
		}
	}
	c.Ranked = len(private)
	for at := range c.Columns {
		for _, l := range private {
			rank := 1.0
			for _, other := range private {
				switch mine, theirs := l.Cells[at].row, other.Cells[at].row; {
				case l == other || theirs == nil && mine != nil:
				case mine == nil && theirs != nil,
					mine != nil && better(theirs.Mean, mine.Mean, c.Columns[at].higher):
					rank++
				case mine == nil || mine.Mean == theirs.Mean:
					rank += 0.5
				}
			}
			l.mean += rank / float64(len(c.Columns))
		}
	}
	slices.SortStableFunc(c.Lines, func(a, b *rankLine) int {
		if a.Private != b.Private {
			return cmp.Compare(index(!a.Private), index(!b.Private))
		}
		return cmp.Compare(a.mean, b.mean)
	})
	for i, l := range c.Lines {
		if !l.Private {
			continue
		}
		l.Place, l.Rank = strconv.Itoa(i+1), strconv.FormatFloat(l.mean, 'f', 1, 64)
		l.NoBetter = c.noBetter(l)
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// noBetter reports that by no classifier a line is shown to be better than the majority class: the
// 95 % interval of each reaches down to it.
func (c *contest) noBetter(l *rankLine) bool {
	judged := false
	for at, column := range c.Columns {
		row := l.Cells[at].row
		if row == nil || math.IsNaN(column.majority) {
			continue
		}
		judged = true
		lo, hi := interval(row)
		if column.higher && lo > column.majority || !column.higher && hi < column.majority {
			return false
		}
	}
	return judged
}

// sampled is the range of the samples that a line is as good as, "" where none is known.
func (l *rankLine) sampled() string {
	var least, most *rankCell
	for i := range l.Cells {
		cell := &l.Cells[i]
		if cell.Sample == "" || math.IsNaN(cell.equivalent.Share) {
			continue
		}
		if least == nil || cell.equivalent.Share < least.equivalent.Share {
			least = cell
		}
		if most == nil || cell.equivalent.Share > most.equivalent.Share {
			most = cell
		}
	}
	switch {
	case least == nil:
		return ""
	case least.Sample == most.Sample:
		return least.Sample
	}
	return least.Sample + " to " + most.Sample
}

// alarms are what a reader must not overlook.
func (c *contest) alarms() (all []string) {
	var useless, large []string
	truth := math.NaN()
	reference := true // classifiers of the original data, where there are any, beat the majority
	for _, l := range c.Lines {
		if !l.Private && l.setting.Algorithm == "identity" {
			truth, reference = l.size, !c.noBetter(l)
		}
	}
	for _, l := range c.Lines {
		if !l.Private {
			continue
		}
		if l.NoBetter {
			useless = append(useless, l.Label)
		}
		if l.size >= results.Swamped*l.setting.Copies()*truth {
			large = append(large, fmt.Sprintf("%s %s", l.Label, l.Records))
		}
	}
	why := ""
	if !reference {
		why = " Neither are classifiers of the original data: the table may not tell the class."
	}
	switch n := len(useless); {
	case n == 0:
	case n == c.Ranked:
		all = append(all, fmt.Sprintf("%s: NO RELEASE IS SHOWN TO BE BETTER THAN ALWAYS GUESSING "+
			"THE MAJORITY CLASS. To learn a classifier from they may be worthless; more "+
			"records, a larger epsilon or fewer attributes may help.%s", c.Title, why))
	default:
		all = append(all, fmt.Sprintf("%s: not shown to be better than always guessing the "+
			"majority class, by any classifier: %s.%s", c.Title, strings.Join(useless, "; "), why))
	}
	if len(large) > 0 {
		all = append(all, fmt.Sprintf("%s: %s were released, and these publish at least %v times "+
			"as many records, most of them noise: %s.", c.Title, number(math.Round(truth)),
			results.Swamped, strings.Join(large, "; ")))
	}
	return all
}

// unprotected is how manifests say that nothing is guaranteed.
var unprotected = []string{"none", ""}

// usesOf lists what the manifest says of a setting's variant, at least an empty entry: a guarantee
// that depends on parameters has several.
func usesOf(m *results.Manifest, s *results.Setting) (uses []results.AlgorithmUse) {
	for _, use := range m.Algorithms {
		if use.Name == s.Algorithm && use.Variant == s.Variant {
			uses = append(uses, use)
		}
	}
	if uses == nil {
		uses = []results.AlgorithmUse{{}}
	}
	return uses
}

// standing says whether a row's release is under a guarantee that is not broken, and what is to be
// said against it. A guarantee that depends on parameters is listed with several statuses: it
// counts as holding where one of them says so and the ledger shows no broken release.
func standing(m *results.Manifest, row *results.Row) (private bool, doubt string) {
	uses := usesOf(m, row.Setting)
	status := uses[0].Status
	for _, use := range uses {
		if use.Status == "holds" {
			status = use.Status
		}
	}
	switch {
	case slices.Contains(unprotected, uses[0].Guarantee):
		return false, "no privacy"
	case row.Broken || status == "broken":
		return false, "guarantee broken"
	case status != "holds":
		return true, "guarantee " + status
	}
	return true, ""
}

func errataText(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " See errata " + strings.Join(ids, ", ") + "."
}

// guaranteeText says in a sentence what a setting promises, under each of the budgets.
func guaranteeText(m *results.Manifest, row *results.Row, budgets []string) string {
	s, use := row.Setting, usesOf(m, row.Setting)[0]
	status := ""
	switch private, doubt := standing(m, row); {
	case slices.Contains(unprotected, use.Guarantee):
		return "No privacy. It is here for reference and must not be published."
	case !private:
		return fmt.Sprintf("Not private: the claim of %s is broken, no finite bound is known.%s",
			use.Guarantee, errataText(use.Errata))
	case doubt != "":
		status = " But it is " + doubt + "." + errataText(use.Errata)
	}
	if use.Guarantee == "k-anonymity" {
		return fmt.Sprintf("k-anonymity, k = %s: whoever knows somebody's quasi-identifiers finds "+
			"at least %[1]s people who share their published values. Nothing limits what these "+
			"have in common: if all have one disease, so has that person.%s", s.Params["k"], status)
	}
	factor := "e^epsilon"
	if s.Epsilon != nil && s.Delta == 0 && len(budgets) == 1 {
		factor += " = " + digits3(elementary.Exp(*s.Epsilon))
	}
	return fmt.Sprintf("Differential privacy of one %s at %s; neighbours: %s. By such a change no "+
		"release becomes more than %s times as likely, whatever anybody knows besides.%s",
		cmp.Or(use.Unit, "record"), strings.Join(budgets, " or "), cmp.Or(use.Relation, "not said"),
		factor, status)
}

// digits3 writes a number with three digits.
func digits3(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', 3, 64), "-", "−", 1)
}

// duration is a mean time in seconds for people.
func duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return ""
	case seconds < 0.0995:
		return strconv.FormatFloat(1000*seconds, 'g', 2, 64) + " ms"
	case seconds < 99.5:
		return strconv.FormatFloat(seconds, 'g', 2, 64) + " s"
	}
	return strconv.FormatFloat(seconds, 'f', 0, 64) + " s"
}

// Headline says in one line who is best in a run's contests, and whether that is worth anything.
func Headline(run *results.Summary) string {
	r := newRanking(run, false)
	if r == nil {
		return "nothing was compared"
	}
	var parts []string
	for _, c := range r.Contests {
		if c.Ranked == 0 {
			continue
		}
		best := c.Lines[0]
		text := fmt.Sprintf("%s: best of %d is %s, mean rank %s over %d measures", c.Title,
			c.Ranked, best.Label, best.Rank, len(c.Columns))
		if shares := best.sampled(); shares != "" {
			text += ", as good as samples of " + shares + " of the true records"
		}
		if best.NoBetter {
			text += ", NOT SHOWN TO BEAT THE MAJORITY CLASS"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
