package publish

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/strictyaml"
	"ppdp/privacy"
)

// Files of a release's folder.
const (
	RecordsFile     = "records.csv"
	SchemaFile      = "schema.yaml"
	CroissantFile   = "croissant.json"
	CertificateFile = "certificate.json"
	PageFile        = "certificate.html"
	// RiskFile says what a release under k-anonymity still gives away.
	RiskFile = "risk.html"
	// FormatFile is the JSON Schema of CertificateFile.
	FormatFile = "certificate.schema.json"
)

const certificateFormat = "ppdp certificate 1"

//go:embed certificate.schema.json certificate.html.tmpl
var embedded embed.FS

// Certificate says what a release guarantees and how it was made. All of it may be published: it
// holds nothing that was read off the private data. Its form is that of FormatFile.
type Certificate struct {
	Format   string `json:"format"`
	Title    string `json:"title"`
	Released string `json:"released"` // the day, UTC
	License  string `json:"license,omitempty"`
	Program  string `json:"program"`
	Content  string `json:"content"` // what the records are, in a sentence
	Weighted bool   `json:"weighted"`
	// Uninformative are columns drawn uniformly from their domains: they say nothing.
	Uninformative []string    `json:"uninformative,omitempty"`
	Guarantee     Promise     `json:"guarantee"`
	Algorithm     Method      `json:"algorithm"`
	Randomness    string      `json:"randomness"`
	Mechanisms    []Mechanism `json:"mechanisms"`
	Budget        *Spending   `json:"budget,omitempty"` // of differential privacy
	// EarlierAnonymised is how many releases of the table under k-anonymity came before this one.
	EarlierAnonymised int      `json:"earlierAnonymised"`
	NotCovered        []string `json:"notCovered"`
	Files             []File   `json:"files"`
}

// Promise is a guarantee.
type Promise struct {
	Model    string  `json:"model"`
	Sentence string  `json:"sentence"`
	Unit     string  `json:"unit"`
	Relation string  `json:"relation"`
	Epsilon  float64 `json:"epsilon,omitempty"`
	Delta    float64 `json:"delta,omitempty"`
	K        int     `json:"k,omitempty"`
	Note     string  `json:"note,omitempty"`
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
	Epsilon float64 `json:"epsilon"` // with Delta, what Total stands for
	Delta   float64 `json:"delta"`
	Number  int     `json:"number"` // of the release, from 1
}

// File is a file of the folder.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// certify describes a release. k is the k of k-anonymity, 0 under differential privacy. Only a
// Publication can be certified: a release that follows from a seed has no certificate.
func (c *chosen) certify(r *Request, p *privacy.Publication, k int, weighted bool,
	s Standing) *Certificate {
	cert := &Certificate{
		Format: certificateFormat, Title: r.Title, Program: r.Program, License: r.License,
		Weighted: weighted,
		Released: r.Now.UTC().Format("2006-01-02"), EarlierAnonymised: s.Anonymised,
		Randomness: "the operating system's (crypto/rand); no seed exists that gives it again",
		Mechanisms: []Mechanism{},
		Guarantee: Promise{Model: string(c.guarantee.Model), Unit: c.guarantee.Unit,
			Relation: c.guarantee.Relation, Epsilon: r.Epsilon, Delta: r.Delta, K: k},
		Algorithm: Method{Name: c.info.Name, Title: c.info.Title, Source: c.info.Source,
			Variant: string(c.guarantee.Variant), Revision: c.info.Revision,
			Params: strictyaml.Resolved(c.params)},
	}
	if cert.Title == "" {
		cert.Title = "Release"
	}
	if c.guarantee.Model == algorithms.KAnonymity {
		cert.Content = "The original records, generalised: classes of records that look alike."
		cert.Guarantee.Sentence = fmt.Sprintf("Every record looks, in the attributes that could "+
			"identify a person, like at least %d others in this file.", k-1)
		cert.NotCovered = slices.Clone(anonymityLimits)
		return cert
	}
	cert.Guarantee.Note = c.guarantee.Note
	cert.Content = "Synthetic records, drawn from noisy statistics. No row is a person's record."
	cert.Guarantee.Sentence = sentence(r.Epsilon, r.Delta)
	cert.NotCovered = slices.Clone(privacyLimits)
	cert.Budget = &s.Spending
	for _, row := range p.Budget().Ledger() {
		m := Mechanism{Purpose: row.Purpose, Mechanism: row.Mechanism, Cost: row.Cost,
			Unit: string(p.Budget().Unit())}
		if row.Chooses() {
			m.Sampling = "exact, from integers; scores are rounded to 2^-16 of their " +
				"sensitivity, and the noise covers what that may cost"
		} else {
			m.Sensitivity, m.Sampling = float64(row.Proven), "exact, from integers"
		}
		cert.Mechanisms = append(cert.Mechanisms, m)
	}
	return cert
}

// sentence says what (epsilon, delta) means for one person.
func sentence(epsilon, delta float64) string {
	text := "Whether any one record was in the table or not changes the probability of every " +
		"possible release by a factor of at most e^" + strconv.FormatFloat(epsilon, 'g', -1, 64)
	if factor := privacyFactor(epsilon); factor != "" {
		text += " (" + factor + ")"
	}
	if delta > 0 {
		return text + fmt.Sprintf(", and by a probability of at most %v beyond that.", delta)
	}
	return text + "."
}

var anonymityLimits = []string{
	"k-anonymity is not differential privacy: it bounds no one's risk whatever others know.",
	"Where all records of a class share a sensitive value, that value is known of each of them.",
	"Who knows that a person is in the table, and a fact about them that is not generalised, may " +
		"learn more.",
	"Sensitive values and the class are published as they are.",
	"Another release of the same people, made by anyone, can split the classes. Releases under " +
		"k-anonymity do not add up to a bound.",
	"How the classes were chosen depends on the data, and may itself give away something of them.",
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
	"The proofs are of the algorithm as described. Mistakes in the program are not excluded; " +
		"audits by replay and as a black box have found none that are not listed.",
}

// certify adds metadata, page and certificate, and returns the digest of the last.
func (f *folder) certify(c *Certificate, schema *datasets.Schema) (string, error) {
	format, err := embedded.ReadFile(FormatFile)
	if err != nil {
		return "", err
	}
	for _, file := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{CroissantFile, func(w io.Writer) error { return writeCroissant(w, c, schema, f.files) }},
		{FormatFile, func(w io.Writer) error { _, err := w.Write(format); return err }},
		{PageFile, func(w io.Writer) error { return page.Execute(w, c) }},
		{CertificateFile, func(w io.Writer) error { return writeJSON(w, c) }},
	} {
		c.Files = f.files
		if err := f.write(file.name, file.write); err != nil {
			return "", err
		}
	}
	return f.files[len(f.files)-1].SHA256, nil
}

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

var page = template.Must(template.New("certificate.html.tmpl").Funcs(template.FuncMap{
	"number": func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) },
	"plus":   func(x, y float64) float64 { return x + y },
}).ParseFS(embedded, "certificate.html.tmpl"))

// readCertificate reads a folder's certificate strictly.
func readCertificate(dir string) (*Certificate, []byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, CertificateFile))
	if err != nil {
		return nil, nil, err
	}
	c := new(Certificate)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, text, fmt.Errorf("%s: %w", CertificateFile, err)
	}
	return c, text, nil
}
