package privbayes

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/datasets"
	"ppdp/privacy"
)

// maxTries bounds how often a record is drawn for its bits to encode values. On Adult four draws in
// five and more do; where one in twenty does, two records in a million exhaust the tries.
const maxTries = 256

// publish releases synthetic records.
func publish(ctx context.Context, in algorithms.Input, p *Params) (*algorithms.Release, error) {
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
	warnings []string
}

func (f *fit) strict() bool { return f.in.Variant == algorithms.Strict }

// countShare is the share of the budget that buys the noisy number of records under strict.
const countShare = 0.02

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
	schema, all := f.in.Table.Schema(), make([]int, len(f.domains))
	for a := range all {
		all[a] = a
	}
	bins, spent, err := margins.CutAll(&f.in, all, f.params.Cut, f.params.Bins,
		f.marginalSensitivity(), &f.path, float64(f.epsilon*cutShare))
	if err != nil {
		return err
	}
	for a, own := range bins {
		if own != nil {
			f.domains[a] = newDomain(*own, &schema.Attributes[a])
		}
	}
	f.epsilon -= spent
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

// search is the start of a search for a network over d nodes.
func (f *fit) search(d int) search {
	return search{ctx: f.ctx, added: make([]bool, d),
		scorer: newScorer(f.params.Encoding, len(f.in.Rows), f.in.Variant)}
}

const noParents = "no marginal with a parent is theta-useful at this budget and number of" +
	" records: nodes are drawn independently"

// network chooses the network and buys its conditionals, in the order in which nodes are drawn.
func (f *fit) network() ([]conditional, error) {
	choosing := float64(f.epsilon * f.params.Beta)
	span := f.overAttributes
	if f.params.Encoding == Binary {
		span = f.overBits
	}
	over, err := span(f.epsilon - choosing)
	if err != nil {
		return nil, err
	}
	d := len(over.levels)
	if over.related {
		network, err := f.greedyBayes(over, choosing)
		if err != nil {
			return nil, err
		}
		return f.noisyConditionals(over, network, f.epsilon-choosing)
	}
	if d == 0 {
		return nil, nil
	}
	if d > 1 && f.params.Degree > 0 {
		f.warnings = append(f.warnings, noParents)
	}
	independent := make([]apPair, d)
	for node := range independent {
		independent[node].child = node
	}
	return f.noisyConditionals(over, independent, f.epsilon)
}

func (f *fit) draw(network []conditional) (*algorithms.Release, error) {
	release, rows := margins.Thinned(f.records, 1, f.params.MaxRows)
	f.warnings = append(f.warnings, release.Warnings...)
	schema := f.in.Table.Schema()
	stream := f.in.Noise.Open("records")
	w := &writer{fit: f, stream: stream, builder: datasets.NewBuilder(schema, rows),
		values: make([]uint32, len(f.domains))}
	for range f.domains {
		w.crowds = append(w.crowds, make(margins.Crowd))
	}
	nodes := make([]uint32, len(network))
	mended := 0
	for row := range rows {
		if row&0xfff == 0 {
			if err := f.ctx.Err(); err != nil {
				return nil, err
			}
		}
		for try := 1; ; try++ {
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
