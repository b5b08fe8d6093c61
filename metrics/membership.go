package metrics

import (
	"context"
	"errors"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/datasets/gower"
	"ppdp/numeric/elementary"
)

func init() {
	info := attack("membership", "Membership inference", "fraction", "van Breugel et al. 2023 "+
		"(density: of the release over that of a reference), Chen et al. 2020 (distance), Hayes "+
		"et al. 2019 (classifier, "+attackerSource+"); true-positive rates as Carlini et al. 2022")
	info.Revision = 3
	Register(parameterised[MembershipParams]{info,
		MembershipParams{DensityScore, AttackAUC, 0.01, Estimate, false}, membership})
}

// Score is how an attack finds out how likely it is that a release was made from a record.
type Score string

const (
	// DensityScore is the density of released records at the record over that of others of the
	// population. Densities are those of the closest record (Loftsgaarden & Quesenberry 1965),
	// which take numbers and categories as Gower's distance does and see a single copy.
	DensityScore    Score = "density"
	DistanceScore   Score = "distance"   // how near the closest released record is
	ClassifierScore Score = "classifier" // how surely a forest takes it for a released record
)

func (Score) Enum() []string {
	return algorithms.Words(DensityScore, DistanceScore, ClassifierScore)
}

// AttackFigure is a number that says how well an attack succeeds.
type AttackFigure string

const (
	AttackAUC AttackFigure = "auc" // area under the ROC curve, 1/2 for guesses
	AttackTPR AttackFigure = "tpr" // members found where few others are taken for members
)

func (AttackFigure) Enum() []string { return algorithms.Words(AttackAUC, AttackTPR) }

// MembershipParams are the parameters of the metric membership.
type MembershipParams struct {
	Score Score        `yaml:"score" doc:"what the attack goes by"`
	Of    AttackFigure `yaml:"of" doc:"the number asked for"`
	FPR   float64      `yaml:"fpr" doc:"of tpr: the share of others that may be taken for members" min:"0" max:"1"`
	End   End          `yaml:"end" doc:"the number, or an end of its 95 % interval"`
	// Allowed is beside a number measured.
	Allowed bool `yaml:"allowed" doc:"the most that the certificate of the release, where it has one, leaves to any attack"`
}

func (p *MembershipParams) Validate() error {
	if p.Allowed && p.End != Estimate {
		return errors.New("allowed: true, must be without an end")
	}
	return nil
}

// membership is how well an attack that has the release tells its members from records held out,
// of which it has others, the reference: one half is attacked, the other is the reference. It is
// undefined with fewer than two records held out, no member, and no record released.
//
// Ends of a rate are scores.found's. Those of the area are of a share of as many pairs as the
// smaller side has records, which are wider than need be (Hoeffding 1963, section 5).
//
// What a guarantee allows is algorithms.Promise.Allows.
func membership(ctx context.Context, c Case, params *MembershipParams) (float64, error) {
	if promised := c.Release.Promised; params.Allowed {
		most, area := promised.Allows(params.FPR)
		switch {
		case !(promised.Epsilon > 0):
			return math.NaN(), nil
		case params.Of == AttackAUC:
			return area, nil
		}
		return most, nil
	}
	type key struct{ membership Score }
	s, err := memoize(ctx, c.Published, key{params.Score}, func() (scores, error) {
		if params.Score == ClassifierScore {
			return scoresOfClassifier(ctx, c)
		}
		return scoresOfDistances(ctx, c, params.Score == DensityScore)
	})
	pairs := float64(min(len(s.members), len(s.others)))
	switch {
	case err != nil || pairs == 0:
		return math.NaN(), err
	case params.Of == AttackTPR:
		return s.found(params.FPR, params.End), nil
	}
	return share{s.auc() * pairs, pairs}.at(params.End), nil
}

// scores of records are the larger the likelier they are members.
type scores struct{ members, others []float64 }

// auc is the chance that a member has a larger score than another record, ties half.
func (s scores) auc() float64 {
	n := len(s.members) + len(s.others)
	of, labels := make([]float64, 0, 2*n), make([]uint32, n)
	for side, values := range [][]float64{s.others, s.members} {
		for _, x := range values {
			labels[len(of)/2] = uint32(side)
			of = append(of, 0, x)
		}
	}
	return AUC(of, labels, 2)
}

// found is the share of the members above the smallest score that at most a share of the others
// are above, or an end of its interval. Drawn anew, more or fewer of the population would be above
// that score: of others the share can be as large as the end of its own interval (Clopper & Pearson
// 1934). The ends are as far off as those of members and of others, squared and added (Newcombe
// 1998, method 10), as if members gained what others do: so it is where nothing is disclosed.
func (s scores) found(atMost float64, end End) float64 {
	sorted := slices.Sorted(slices.Values(s.others))
	allowed := int(math.Floor(atMost * float64(len(sorted))))
	hits := 0
	for _, x := range s.members {
		if allowed == len(sorted) || x > sorted[len(sorted)-1-allowed] {
			hits++
		}
	}
	found := share{float64(hits), float64(len(s.members))}
	others, p := share{float64(allowed), float64(len(sorted))}, found.at(Estimate)
	switch end {
	case Low:
		return max(0, p-length(p-found.at(Low), others.at(High)-atMost))
	case High:
		return min(1, p+length(found.at(High)-p, atMost-others.at(Low)))
	}
	return found.at(end)
}

// halves are the records held out that are attacked and those that are the reference.
func (s sides) halves() (attacked, reference []int32) {
	half := len(s.held) / 2
	return s.held[:half], s.held[half:]
}

// nearnessUnit is the distance, a thousandth of an attribute's range, below which two records count
// as about equal: the density at a copy is large, not infinite.
const nearnessUnit = gower.Unit >> 10

// nearness is minus the logarithm of a distance.
func nearness(distance int) float64 {
	return -elementary.Log(float64(min(distance, gower.Beyond-nearnessUnit) + nearnessUnit))
}

// scoresOfDistances go by the closest released record and, for a density, the closest of the
// reference.
func scoresOfDistances(ctx context.Context, c Case, density bool) (s scores, err error) {
	d, err := distancesOf(ctx, c)
	if err != nil || d == nil || len(d.sides.held) < 2 {
		return s, err
	}
	attacked, _ := d.halves()
	score := func(rows []int32, released []gower.Neighbour) ([]float64, error) {
		rows = sought(rows[:min(len(attacked), len(released))], d.reference.Len())
		known, err := d.Points(c.Table, rows).Nearest(ctx, d.reference)
		values := make([]float64, len(known))
		for i := range known {
			values[i] = nearness(released[i].First)
			if density {
				values[i] -= nearness(known[i].First)
			}
		}
		return values, err
	}
	if s.members, err = score(d.sides.members, d.members); err == nil {
		s.others, err = score(attacked, d.held)
	}
	return s, err
}

// mostLearnt bounds the released records that a classifier of members learns from.
const mostLearnt = 1 << 17

// scoresOfClassifier are how sure the attacker is that a record is one of the release and none of
// the reference.
func scoresOfClassifier(ctx context.Context, c Case) (s scores, err error) {
	both, err := sidesOf(ctx, c)
	if err != nil || len(both.held) < 2 {
		return s, err
	}
	table, rows := disclosed(c)
	if len(rows) == 0 {
		return s, nil
	}
	attacked, reference := both.halves()
	rows, reference = rows[:min(len(rows), mostLearnt)], reference[:min(len(reference), mostLearnt)]
	members := both.members[:len(attacked)]
	learnt := len(rows) + len(reference)
	joint := joined(c.Table.Schema(), []labelledRows{{table, rows, 1}, {c.Table, reference, 0},
		{c.Table, members, 0}, {c.Table, attacked, 0}})
	lines := joint.AllRows()
	model, err := fit(ctx, attacker, classifiers.Data{Table: joint, Rows: lines[:learnt]})
	if err != nil {
		return s, err
	}
	p := make([]float64, 2*2*len(attacked))
	model.(classifiers.ProbabilityModel).Probabilities(p, joint, lines[learnt:])
	for i := range attacked {
		s.members = append(s.members, p[2*i+1])
		s.others = append(s.others, p[2*(len(attacked)+i)+1])
	}
	return s, nil
}

// labelledRows are rows of a table and whether they are published.
type labelledRows struct {
	table *datasets.Table
	rows  []int32
	class uint32
}

// joined is rows of tables of a schema in one, whose class is whether they are published.
func joined(schema *datasets.Schema, parts []labelledRows) *datasets.Table {
	b := datasets.NewBuilder(withClass(schema, -1), 0)
	var published []uint32
	for _, part := range parts {
		b.Append(part.table.Select(part.rows))
		published = append(published, slices.Repeat([]uint32{part.class}, len(part.rows))...)
	}
	return b.Table().With(datasets.Attribute{Name: "published", Kind: datasets.Categorical,
		Values: []string{"no", "yes"}, Role: datasets.Class}, published)
}

// withClass is a schema whose class is the given attribute, -1 for none.
func withClass(s *datasets.Schema, class int) *datasets.Schema {
	changed := *s
	changed.Attributes = slices.Clone(s.Attributes)
	for a := range changed.Attributes {
		switch attribute := &changed.Attributes[a]; {
		case a == class:
			attribute.Role = datasets.Class
		case attribute.Role == datasets.Class:
			attribute.Role = datasets.QuasiIdentifier
		}
	}
	return &changed
}
