package claims

import "ppdp/internal/strictyaml"

// Errata are the entries about one paper.
type Errata struct {
	Title   string    `yaml:"title"`
	Entries []Erratum `yaml:"entries"`
}

// Erratum says where a text is wrong, incomplete or not private. Texts are sentences, one a line,
// in which `words` are code.
type Erratum struct {
	ID      string   `yaml:"id"` // "R1", as comments, claims and guarantees cite it
	Title   string   `yaml:"title"`
	Verdict string   `yaml:"verdict"` // holds, short, broken, text or note
	But     string   `yaml:"but"`     // what the verdict is to be read with
	Text    string   `yaml:"text"`
	PPDP    string   `yaml:"ppdp"`   // what ppdp does about it
	Replay  string   `yaml:"replay"` // how a replay refutes the guarantee
	Tests   []string `yaml:"tests"`  // that show it
}

// ReadErrata reads docs/errata.yaml.
func ReadErrata(text string) (all []Errata, err error) {
	r := strictyaml.NewReader("docs/errata.yaml")
	r.Decode(r.Document([]byte(text)), &all)
	return all, r.Err()
}

// Says is the verdict in words: "holds, unproved".
func (e *Erratum) Says() string {
	if e.But == "" {
		return e.Verdict
	}
	return e.Verdict + ", " + e.But
}
