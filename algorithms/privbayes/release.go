package privbayes

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/datasets"
	"ppdp/privacy"
)

// maxTries bounds how often a record is drawn for its bits to encode values. On Adult four draws in
// five and more do; where one in twenty does, two records in a million exhaust the tries.
const maxTries = 256

// Release publishes synthetic records.
func (a Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	p, err := algorithms.CheckInput[*Params](ctx, a, in)
	if err != nil {
		return nil, err
	}
	f := &fit{ctx: ctx, in: in, params: p, domains: newDomains(in.Table.Schema(), p.Bins),
		path: in.Budget.Root(), epsilon: in.Budget.Epsilon()}
	if err := f.count(); err != nil {
		return nil, err
	}
	if err := f.cut(); err != nil {
		return nil, err
	}
	network, err := f.network()
	if err != nil {
		return nil, err
	}
	return f.draw(network)
}

// fit is the state of one release.
type fit struct {
	ctx      context.Context
	in       algorithms.Input
	params   *Params
	domains  []domain
	path     privacy.Path
	epsilon  float64 // what network and marginals may spend together
	records  float64 // the public or noisy number of records
	nodes    int     // of the network
	warnings []string
}

func (f *fit) strict() bool { return f.in.Variant == algorithms.Strict }

// count sets the number of records: the public one, or a noisy one for a share of the budget.
func (f *fit) count() error {
	f.records = float64(len(f.in.Rows))
	if !f.strict() {
		return nil
	}
	cost := float64(f.epsilon * countShare)
	noise := f.in.Budget.Geometric("number of records", f.in.Noise.Open("number of records"),
		privacy.Exact(1))
	noisy, err := noise.Add(&f.path, cost, f.records)
	f.records, f.epsilon = max(0, noisy), f.epsilon-cost
	return err
}

// cutShare is the share of epsilon that decides on private bins, all attributes together.
const cutShare = 0.2

// cut cuts numeric attributes into private bins.
func (f *fit) cut() error {
	var wide []int
	for a := range f.domains {
		if f.params.Cut == margins.Private && f.domains[a].Wide() {
			wide = append(wide, a)
		}
	}
	if len(wide) == 0 {
		return nil
	}
	cost := float64(f.epsilon * cutShare)
	bins, err := margins.CutAll(&f.in, wide, f.params.Bins, f.marginalSensitivity(), &f.path, cost)
	if err != nil {
		return err
	}
	for i, a := range wide {
		f.domains[a] = newDomain(bins[i])
	}
	f.epsilon -= cost
	return f.ctx.Err()
}

// marginalSensitivity is how far the counts of one marginal move in L1: replacing a record takes
// one from a cell and gives one to another.
func (f *fit) marginalSensitivity() float64 {
	if f.strict() {
		return 1
	}
	return 2
}

// marginals declares the noise of count marginals over which epsilon is divided evenly.
func (f *fit) marginals(epsilon float64, count int) *marginals {
	noise := f.in.CountNoise("marginals", privacy.Exact(f.marginalSensitivity()))
	return &marginals{noise: noise, path: &f.path, epsilon: epsilon / float64(count)}
}

// chooser declares the exponential mechanism of d-1 choices that share epsilon.
func (f *fit) chooser(epsilon float64, d int) *chooser {
	score, n := f.params.Encoding.score(), len(f.in.Rows)
	return &chooser{
		ctx: f.ctx, scorer: newScorer(score, n, f.in.Variant), path: &f.path,
		epsilon: epsilon / float64(d-1),
		choice: f.in.Budget.Exponential("network", f.in.Noise.Open("network"),
			sensitivity(score, f.in.Variant, n)),
	}
}

// first draws the first node of a network: any is as good.
func (f *fit) first(d int) int { return f.in.Noise.Open("first node").IntN(d) }

// network chooses the network and buys its conditionals, in the order in which nodes are drawn.
func (f *fit) network() ([]conditional, error) {
	if f.params.Encoding == Binary {
		return f.overBits()
	}
	return f.overAttributes()
}

const noParents = "no marginal with a parent is theta-useful at this budget and number of" +
	" records: nodes are drawn independently"

// independent is the network of d nodes without parents.
func (f *fit) independent(d int) []pair {
	pairs := make([]pair, d)
	for node := range pairs {
		pairs[node].child = node
	}
	if d > 1 && f.params.Degree > 0 {
		f.warnings = append(f.warnings, noParents)
	}
	return pairs
}

func (f *fit) overBits() ([]conditional, error) {
	columns := bitColumns(f.in.Table, f.in.Rows, f.domains)
	d := len(columns)
	if f.nodes = d; d == 0 {
		return nil, nil
	}
	choosing := float64(f.epsilon * f.params.Beta)
	k := usefulDegree(d, f.params.Degree, f.records, f.epsilon-choosing,
		f.marginalSensitivity(), f.params.Theta)
	counts, err := countSubsets(f.ctx, columns, len(f.in.Rows), k+1)
	if err != nil {
		return nil, fmt.Errorf("privbayes: %w", err)
	}
	tables := newBitTables(counts)
	var pairs []pair
	if k == 0 {
		choosing, pairs = 0, f.independent(d)
	} else {
		search := &bitSearch{chooser: f.chooser(choosing, d), tables: tables, degree: k}
		if pairs, err = search.network(f.first(d)); err != nil {
			return nil, err
		}
	}
	all := make([]levels, d)
	for i := range all {
		all[i] = bitLevels()
	}
	network := make([]conditional, d)
	m := f.marginals(f.epsilon-choosing, d-k)
	set := make([]int, 0, k)
	for i := k; i < d; i++ {
		set = set[:0]
		for _, p := range pairs[i].parents {
			set = append(set, p.node)
		}
		tables.condition(set)
		joint, err := m.noisy(tables.split(pairs[i].child))
		if err != nil {
			return nil, err
		}
		if i == k { // its marginal holds all nodes before it
			for j := range k {
				network[j] = newConditional(pairs[j], all, marginalise(joint, pairs[k], pairs[j]))
			}
		}
		network[i] = newConditional(pairs[i], all, joint)
	}
	return network, nil
}

func (f *fit) overAttributes() ([]conditional, error) {
	schema := f.in.Table.Schema()
	if err := checkSize(schema, f.domains, f.params.Encoding); err != nil {
		return nil, fmt.Errorf("privbayes: %w", err)
	}
	d := len(f.domains)
	f.nodes = d
	all := make([]levels, d)
	columns := make([][]uint32, d)
	for i := range all {
		all[i] = newLevels(&schema.Attributes[i], f.domains[i], f.params.Encoding)
		columns[i] = make([]uint32, len(f.in.Rows))
		f.domains[i].valuesOf(columns[i], f.in.Table.Column(i), f.in.Rows)
	}
	choosing := float64(f.epsilon * f.params.Beta)
	useful := min(maxMarginal, usefulCells(d, f.records, f.epsilon-choosing,
		f.marginalSensitivity(), f.params.Theta))
	search := &domainSearch{columns: columns, levels: all, degree: f.params.Degree, useful: useful}
	var pairs []pair
	if d == 1 || f.params.Degree == 0 || !parentsPossible(all, useful) {
		choosing, pairs = 0, f.independent(d)
	} else {
		search.chooser = f.chooser(choosing, d)
		var err error
		if pairs, err = search.network(f.first(d)); err != nil {
			return nil, err
		}
	}
	network := make([]conditional, d)
	m := f.marginals(f.epsilon-choosing, d)
	for i, p := range pairs {
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		search.condition(p.parents)
		joint, err := m.noisy(search.split(p.parents, p.child))
		if err != nil {
			return nil, err
		}
		network[i] = newConditional(p, all, joint)
	}
	return network, nil
}

func (f *fit) draw(network []conditional) (*algorithms.Release, error) {
	rows := int(math.Min(f.records, float64(f.params.MaxRows)))
	release := &algorithms.Release{}
	if float64(rows) < f.records {
		release.Weights = make([]float64, rows)
		for i := range release.Weights {
			release.Weights[i] = f.records / float64(rows)
		}
		f.warnings = append(f.warnings, fmt.Sprintf("%.0f records to draw, max_rows is %d: each"+
			" stands for %.4g", f.records, rows, f.records/float64(rows)))
	}
	schema := f.in.Table.Schema()
	stream := f.in.Noise.Open("records")
	w := &writer{
		schema: schema, domains: f.domains, encoding: f.params.Encoding, place: f.params.Values,
		stream: stream, builder: datasets.NewBuilder(schema, rows),
		values: make([]uint32, len(f.domains)),
	}
	for range f.domains {
		w.crowds = append(w.crowds, make(margins.Crowd))
	}
	nodes, uniform := make([]uint32, f.nodes), make([]float64, f.nodes)
	var bits []bitConditional
	if f.params.Encoding == Binary {
		bits = newBitConditionals(network)
		network = nil
	}
	mended := 0
	for row := range rows {
		if row&0xfff == 0 {
			if err := f.ctx.Err(); err != nil {
				return nil, err
			}
		}
		for try := 1; ; try++ {
			if bits != nil {
				drawRecord(bits, nodes, uniform, stream)
			}
			for i := range network {
				network[i].draw(nodes, stream)
			}
			if w.read(nodes) {
				break
			}
			if try == maxTries {
				w.mend()
				mended++
				break
			}
		}
		w.write()
	}
	if mended > 0 {
		f.warnings = append(f.warnings,
			fmt.Sprintf("%d of %d records encoded no value in %d draws: the attributes concerned"+
				" were drawn uniformly", mended, rows, maxTries))
	}
	for i, crowd := range w.crowds {
		f.warnings = append(f.warnings, f.domains[i].Warnings(&schema.Attributes[i], crowd, rows,
			f.records, f.params.Cut)...)
	}
	release.Table, release.Warnings = w.builder.Table(), f.warnings
	return release, nil
}
