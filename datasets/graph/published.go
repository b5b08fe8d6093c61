package graph

import (
	"context"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Published is one of the four networks of Qardaji & Li 2012, with its row of Table 1.
type Published struct {
	Name       string
	Title      string
	Statistics Statistics
	SHA256     string // of the canonical edge list
	Citation   string
	License    string
	Home       string // public address
}

const (
	facebook = "A. L. Traud, P. J. Mucha, M. A. Porter: Social structure of Facebook " +
		"networks. Physica A 391(16), 2012 (Facebook100; edges only)"
	facebookLicense = "none stated (public research data; edges only)"
	enron           = "B. Klimt, Y. Yang: Introducing the Enron corpus. CEAS 2004; J. Leskovec, " +
		"K. Lang, A. Dasgupta, M. Mahoney: Community structure in large networks. Internet " +
		"Mathematics 6(1), 2009"
	enronLicense = "public, Stanford Large Network Dataset Collection"
)

// Networks lists the four networks in the order of Table 1.
var Networks = []Published{
	{"Caltech36", "Facebook friendships at Caltech, September 2005",
		Statistics{769, 16656, 1.14, 248},
		"87029970a44053bed0a309a975425ac74f0053ea87ebc4ce2a00c98aba2034f0",
		facebook, facebookLicense,
		"https://nrvis.com/download/data/socfb/socfb-Caltech36.zip"},
	{"Georgetown15", "Facebook friendships at Georgetown, September 2005",
		Statistics{9414, 425638, 1.04, 1235},
		"45805d892f97a047c286b1d54016aa6efe5c50952ca4590818e7c24a94eddd9d",
		facebook, facebookLicense,
		"https://nrvis.com/download/data/socfb/socfb-Georgetown15.zip"},
	{"UNC28", "Facebook friendships at UNC, September 2005", Statistics{18163, 766800, 1.05, 3795},
		"94953e8a21c9a9b210e7c6b90fc9a7c98492f3798e24cfbe2f24c310fb7995cb",
		facebook, facebookLicense,
		"https://nrvis.com/download/data/socfb/socfb-UNC28.zip"},
	{"email-Enron", "E-mail exchange at Enron", Statistics{36692, 183831, 1.56, 1383},
		"3f9baf09020f59797f464f8def0638bdade13eb96a4d6a1c965e2b21ec4f09f4", enron, enronLicense,
		"https://snap.stanford.edu/data/email-Enron.txt.gz"},
}

func init() {
	for _, network := range Networks {
		datasets.Register(network)
		datasets.Register(standIn{network})
	}
}

func (p Published) Info() datasets.Info {
	return datasets.Info{Name: p.Name, Title: p.Title, Citation: p.Citation,
		License: p.License, Graph: true,
		Files: []datasets.File{p.file()}}
}

func (p Published) file() datasets.File {
	// The largest public form is less than 40 MB unpacked.
	return datasets.File{Path: "graphs/" + p.Name + ".edges",
		SHA256: p.SHA256, URL: p.Home, Limit: 64 << 20, Canonical: Canonical}
}

// Params returns nil: there is nothing to choose.
func (p Published) Params() any { return nil }

// Load reads the canonical edge list, verified against the pinned checksum.
func (p Published) Load(ctx context.Context, request datasets.Request) (*datasets.Dataset, error) {
	content, err := request.Files.Open(p.file())
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	loaded, err := Read(p.file().Path, content, Reading{})
	if err != nil {
		return nil, err
	}
	// The content was verified in its canonical form, so its checksum is the graph's.
	return &datasets.Dataset{Graph: loaded.Graph, Checksum: p.SHA256}, nil
}

// standIn is a random graph with a network's row of Table 1, for machines without the network.
type standIn struct{ Published }

func (s standIn) Info() datasets.Info {
	return datasets.Info{Name: s.Name + "-standin", Graph: true, StandsFor: s.Name,
		Title: "random graph with the published nodes, edges, exponent and maximum degree of " +
			s.Name,
		Citation: "statistics: Qardaji & Li 2012, Table 1",
		License:  "none needed: generated"}
}

// Load generates the stand-in. It is one fixed graph, as the network it stands for is: the
// request's key has no part in it.
func (s standIn) Load(ctx context.Context, _ datasets.Request) (*datasets.Dataset, error) {
	degrees, err := s.Statistics.DegreeSequence()
	if err != nil {
		return nil, err
	}
	name := s.Info().Name
	g, err := Realise(ctx, random.NewKey(0).Derive("graph", name).Stream(), degrees)
	if err != nil {
		return nil, err
	}
	return &datasets.Dataset{Graph: g, Checksum: g.Checksum(), Notes: []string{
		"generated: nodes, edges, power-law exponent and maximum degree are those of Table 1, " +
			"everything else is random"}}, nil
}
