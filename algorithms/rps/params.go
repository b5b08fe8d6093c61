package rps

import (
	"math/bits"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Quality is the function that scores a cut.
type Quality string

const (
	Even  Quality = "even"  // eq. 2: (n-|r₁-r₂|)/4, even sizes
	Class Quality = "class" // eq. 3: even sizes and sides that agree with a binary class
)

func (Quality) Enum() []string { return algorithms.Words(Even, Class) }

// AttributeChoice says between which attributes' cuts one query chooses.
type AttributeChoice string

const (
	All    AttributeChoice = "all"    // every cut of every attribute (section 3.2)
	Random AttributeChoice = "random" // the cuts of one attribute, drawn uniformly (section 4.2)
)

func (AttributeChoice) Enum() []string { return algorithms.Words(All, Random) }

// Partition says how a region is cut.
type Partition string

const (
	Balanced Partition = "balanced" // by the exponential mechanism
	Fixed    Partition = "fixed"    // in the middle of a uniformly drawn attribute, at no cost
	// Median is at the noisy median of a uniformly drawn attribute: by smooth sensitivity, the way
	// that section 3.2 names first.
	Median Partition = "median"
)

func (Partition) Enum() []string { return algorithms.Words(Balanced, Fixed, Median) }

// Allocation divides the part of the budget that is spent on the way to a leaf.
type Allocation string

const (
	// UniformLevels gives every level the same share.
	UniformLevels Allocation = "uniform"
	// ShallowLevels is uniform, but the first 8 levels have no stop test and use their whole share
	// for the cut, as section 3.2 suggests. (Under partition: fixed that share is left over.)
	ShallowLevels Allocation = "shallow"
)

func (Allocation) Enum() []string {
	return algorithms.Words(UniformLevels, ShallowLevels)
}

// Counts says where a leaf's size comes from.
type Counts string

const (
	Noisy   Counts = "noisy" // noisy counts for each class
	ByDepth Counts = "depth" // N/2^depth, published variant only: it reveals N (errata R3)
)

func (Counts) Enum() []string { return algorithms.Words(Noisy, ByDepth) }

// leafShare is the part of epsilon kept for a leaf's count, "half the privacy budget" of section
// 3.2. The rest is for the levels.
const leafShare = 0.5

// shallowDepth is the first level with a stop test under allocation: shallow.
const shallowDepth = 8

// Params are the settings of a release.
type Params struct {
	Quality    Quality         `yaml:"quality" doc:"what a cut is chosen by, under partition: balanced"`
	Attributes AttributeChoice `yaml:"attributes" doc:"which cuts compete: those of all attributes, or of one drawn at random; other partitions than balanced always draw one"`
	Partition  Partition       `yaml:"partition" doc:"how regions are cut"`
	// Depth is the paper's maximum depth: at 1000 a level's share is a thousandth of the budget.
	Depth     int     `yaml:"depth" doc:"the largest number of cuts above a leaf" min:"1" max:"1000"`
	Stop      float64 `yaml:"stop" doc:"end the recursion at regions whose noisy count is at most this" min:"0"`
	StopCheck bool    `yaml:"stop_check" doc:"ask for noisy counts on the way; without, stop has no meaning and depth alone limits the recursion"`
	// Narrow reads no data. A region that is narrow along every attribute is a leaf.
	Narrow     float64    `yaml:"narrow" doc:"do not cut a region along an attribute where it has at most this share of the attribute's cells; 0 is a single cell" min:"0" below:"1"`
	Allocation Allocation `yaml:"allocation" doc:"how the budget of the levels is divided: shallow has no stop tests on the first 8"`
	Counts     Counts     `yaml:"counts" doc:"where a leaf's size comes from"`
	MaxNodes   int        `yaml:"max_nodes" doc:"the largest number of regions visited; a release that would need more fails" min:"1" max:"2147483647"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// defaults are the paper's settings for synthetic data (section 4.1) where it gives them.
func DefaultParams() *Params {
	return &Params{
		Quality: Even, Attributes: All, Partition: Balanced,
		Depth: 50, Stop: 5, StopCheck: true,
		Allocation: UniformLevels, Counts: Noisy,
		MaxNodes: 5e7, Drawing: partition.DefaultDrawing(),
	}
}

// FitSchema lets the cuts of one attribute compete, so that a cut costs less, and ends where leaves
// are as many as their counts allow.
func (p *Params) FitSchema(s *datasets.Schema, cells int) {
	p.Attributes = Random
	cuts := bits.Len(uint(max(1, cells/s.Classes()))) - 1
	p.Depth = max(1, min(partition.DomainBits(s), cuts))
	if s.Classes() == 2 {
		p.Quality = Class
	}
}

// level is what the queries of one level of the tree may spend; 0 where there is no such query.
type level struct {
	stop, cut float64
}

// levels divides what leaves do not get of epsilon over the levels 0 to Depth-1 of a path.
func (p *Params) levels(epsilon float64) []level {
	levels := make([]level, p.Depth)
	share := float64(epsilon*(1-leafShare)) / float64(p.Depth)
	for d := range levels {
		stops := p.StopCheck && (p.Allocation != ShallowLevels || d >= shallowDepth)
		cuts := p.Partition != Fixed
		switch {
		case stops && cuts:
			levels[d] = level{stop: share / 2, cut: share / 2}
		case stops:
			levels[d].stop = share
		case cuts:
			levels[d].cut = share
		}
	}
	return levels
}
