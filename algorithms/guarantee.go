package algorithms

import (
	"fmt"
	"slices"
	"strings"

	"ppdp/internal/spelling"
	"ppdp/privacy"
)

// Model is a notion of privacy.
type Model string

const (
	NoPrivacy           Model = "none"
	KAnonymity          Model = "k-anonymity"
	DifferentialPrivacy Model = "differential privacy"
)

// Status reports whether a variant's claimed guarantee holds.
type Status = privacy.Status

// Statuses of the guarantees of variants.
const (
	Holds, Replayed, Declared = privacy.Holds, privacy.Replayed, privacy.Declared
	Short, Broken             = privacy.Short, privacy.Broken
)

// Guarantee is what one variant promises and whether that is true.
type Guarantee struct {
	Variant  Variant
	Model    Model
	Unit     string // what is protected: "record", "person", "node", "edge"; "" without privacy
	Relation string // the neighbour relation, in words: "add or remove one record"
	// Approximate says that budgets of (epsilon, delta), counted in zCDP, are taken beside those of
	// pure epsilon.
	Approximate bool
	// MaxDegree bounds the degrees of both neighbours, 0 for no bound. Relation says so in words.
	MaxDegree int
	// Contributions is how many records of one person there are at most, where the unit is a
	// person.
	Contributions int

	Status Status
	Errata []string // entries of the errata that bear on it: "R1"
	Note   string   // one sentence for people
}

// Neighbour relations that several guarantees name.
const (
	AddOrRemoveRecord = "add or remove one record"
	ReplaceRecord     = "replace one record, number of records public"
	IsolateNode       = "isolate one node, number of nodes public"
	AddOrRemoveEdge   = "add or remove one edge, number of nodes public"
	AddOrRemovePerson = "add or remove one person"
	ReplacePerson     = "replace one person by one of as many records, number of records public"
)

// units of what tables hold.
const record, person = "record", "person"

// Replaces reports whether neighbours have another record, or person, in place of one: the number
// of records is public.
func (g *Guarantee) Replaces() bool {
	return g.Relation == ReplaceRecord || g.Relation == ReplacePerson
}

// OfPersons is the guarantee on tables that have up to a number of records of each person, at a
// budget that protects so many (privacy.Budget.Group): of persons, by group privacy. It is the
// guarantee itself where the number is 0. What else is said of neighbours than that a record is
// added, removed or replaced says nothing of persons.
func (g Guarantee) OfPersons(contributions int) Guarantee {
	if contributions < 1 || g.Unit != record {
		return g
	}
	g.Unit, g.Contributions = person, contributions
	switch {
	case g.Model == KAnonymity:
	case g.Relation == AddOrRemoveRecord:
		g.Relation = AddOrRemovePerson
	case g.Relation == ReplaceRecord:
		g.Relation = ReplacePerson
	default:
		g.Break("Neighbours that differ in a record in another way say nothing of persons.")
	}
	kept := fmt.Sprintf("At most %d records of each person are used.", contributions)
	if contributions == 1 {
		kept = "One record of each person is used."
	}
	g.Note = strings.TrimSpace(g.Note + " " + kept)
	return g
}

// RecordPrivacy is differential privacy of single records, the number of records included.
func RecordPrivacy(v Variant, note string, errata ...string) Guarantee {
	return Guarantee{Variant: v, Model: DifferentialPrivacy, Unit: record,
		Relation: AddOrRemoveRecord, Status: Holds, Errata: errata, Note: note}
}

// NodePrivacy is differential privacy of single nodes.
func NodePrivacy(v Variant, note string, errata ...string) Guarantee {
	return Guarantee{Variant: v, Model: DifferentialPrivacy, Unit: "node",
		Relation: IsolateNode, Status: Holds, Errata: errata, Note: note}
}

// KAnonymous is k-anonymity of a published table, which does not bound what can be inferred about a
// record (errata M3).
func KAnonymous(note string, errata ...string) Guarantee {
	return Guarantee{Variant: Published, Model: KAnonymity, Unit: record, Relation: "none",
		Status: Holds, Errata: append(errata, "M3"),
		Note: note + " No bound on inference, no differential privacy."}
}

// NotPrivate is the guarantee of a control, which has no privacy.
func NotPrivate(note string) Guarantee {
	return Guarantee{Variant: Published, Model: NoPrivacy, Relation: "none", Status: Holds,
		Note: note}
}

// Doubt says in a few words why the guarantee is not to be relied on, "" where it holds.
func (g *Guarantee) Doubt() string {
	if g.Model == NoPrivacy {
		return privacy.Unprotected.Doubt()
	}
	return g.Status.Doubt()
}

// Break marks the guarantee as broken, for a reason (a sentence) and with the errata that bear on
// it. The first reason replaces the note of a guarantee that held, later ones are added to it.
func (g *Guarantee) Break(reason string, errata ...string) {
	if g.Status != Broken {
		g.Status, g.Note = Broken, reason
	} else {
		g.Note += " " + reason
	}
	for _, id := range errata {
		if !slices.Contains(g.Errata, id) {
			g.Errata = append(slices.Clip(g.Errata), id)
		}
	}
}

// Guarantor is implemented by parameters that the guarantee depends on. Info then describes the
// default parameters.
type Guarantor interface {
	// Guarantee describes one of Info's variants under validated parameters.
	Guarantee(v Variant) Guarantee
}

// Guarantees lists what variants promise under the default parameters, for Info.Variants.
func Guarantees(defaults Guarantor, variants ...Variant) []Guarantee {
	guarantees := make([]Guarantee, len(variants))
	for i, v := range variants {
		guarantees[i] = defaults.Guarantee(v)
	}
	return guarantees
}

// GuaranteeOf returns what a variant of an algorithm promises under parameters.
func GuaranteeOf(a Algorithm, v Variant, p Params) (Guarantee, error) {
	info := a.Info()
	guarantee, err := info.Guarantee(v)
	if err != nil {
		return Guarantee{}, err
	}
	if g, ok := p.(Guarantor); ok {
		return g.Guarantee(v), nil
	}
	return guarantee, nil
}

// Guarantee returns the guarantee of a variant.
func (i *Info) Guarantee(v Variant) (Guarantee, error) {
	names := make([]string, len(i.Variants))
	for n, g := range i.Variants {
		if g.Variant == v {
			return g, nil
		}
		names[n] = string(g.Variant)
	}
	return Guarantee{}, fmt.Errorf("%s has no variant %q%s, must be one of %s", i.Name, v,
		spelling.Hint(string(v), names), strings.Join(names, ", "))
}
