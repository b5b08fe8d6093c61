package risk

import (
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms/kernel/disclosure"
)

// Disclosure is what the classes of a table say about one sensitive attribute: the worst over all
// classes.
type Disclosure struct {
	Attribute string `json:"attribute"`
	Values    int    `json:"values"` // different ones in the table
	// Homogeneous counts the records of classes with a single value: a person known to be in one
	// has no secret left.
	Homogeneous int `json:"homogeneous_records"`
	// Distinct is the l of distinct l-diversity: the fewest values in a class.
	Distinct int `json:"distinct_l"`
	// Entropy is the l of entropy l-diversity: exp of the smallest entropy.
	Entropy float64 `json:"entropy_l"`
	// Recursive is the largest l for which recursive (C, l)-diversity holds: in each class the most
	// frequent value has fewer than C times the records of the l-th most frequent and all rarer
	// ones together. 0 when not even l = 1 does.
	Recursive int     `json:"recursive_l"`
	C         float64 `json:"recursive_c"`
	// Equal, Ordered and Hierarchical are the t of t-closeness: the largest earth mover's distance
	// between the distribution in a class and in the table, where all values are equally far apart,
	// or as far as their places in the order of those that occur, or as the lowest level of their
	// hierarchy that joins them is high. They are nil for values without an order or a hierarchy.
	Equal        float64  `json:"equal_t"`
	Ordered      *float64 `json:"ordered_t,omitempty"`
	Hierarchical *float64 `json:"hierarchical_t,omitempty"`
}

// disclose measures one attribute. rows are the records class by class.
func disclose(c *Column, g *grouping, rows []int32, constant float64) Disclosure {
	places := c.Rank // by code
	if places == nil {
		for code := range c.Texts {
			places = append(places, uint32(code))
		}
	}
	values := int(slices.Max(places)) + 1
	all, class := disclosure.NewClass(values), disclosure.NewClass(values)
	for _, row := range rows {
		all.Add(places[c.Codes.At(row)], 1)
	}
	levels := make([][]uint32, len(c.Levels)) // by place
	for i, groups := range c.Levels {
		levels[i] = make([]uint32, values)
		for code, group := range groups {
			levels[i][places[code]] = group
		}
	}
	w := disclosure.NewWhole(all, levels)
	d := Disclosure{Attribute: c.Name, Values: all.Distinct(), Distinct: values,
		Entropy: math.Inf(1), Recursive: values, C: constant}
	at, ordered, hierarchical := 0, 0.0, 0.0
	for _, size := range g.sizes {
		class.Clear()
		for _, row := range rows[at : at+size] {
			class.Add(places[c.Codes.At(row)], 1)
		}
		at += size
		if class.Distinct() == 1 {
			d.Homogeneous += size
		}
		d.Distinct = min(d.Distinct, class.Distinct())
		d.Equal = max(d.Equal, w.Equal(class))
		if c.Rank != nil {
			ordered = max(ordered, w.Ordered(class))
		}
		if c.Levels != nil {
			hierarchical = max(hierarchical, w.Hierarchical(class))
		}
		d.Entropy = min(d.Entropy, class.Entropy())
		d.Recursive = min(d.Recursive, class.Recursive(constant))
	}
	if c.Rank != nil {
		d.Ordered = &ordered
	}
	if c.Levels != nil {
		d.Hierarchical = &hierarchical
	}
	return d
}

// Missed says which of the limits the attribute misses, "" for none. The report must have been made
// with their C.
func (d *Disclosure) Missed(l *disclosure.Limits) string {
	reached := disclosure.Reached{Distinct: d.Distinct, Entropy: d.Entropy, Recursive: d.Recursive,
		Distance: d.Equal}
	switch {
	case !l.Any():
		return ""
	case l.Distance == disclosure.Ordered && d.Ordered != nil:
		reached.Distance = *d.Ordered
	case l.Distance == disclosure.Hierarchical && d.Hierarchical != nil:
		reached.Distance = *d.Hierarchical
	case l.Distance != disclosure.Equal && l.T < 1:
		return fmt.Sprintf("no %s distance", l.Distance)
	}
	return l.Missed(reached)
}
