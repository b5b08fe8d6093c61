package csvtable

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/spelling"
	"ppdp/internal/strictyaml"
)

// Format is what a schema file says: the table's public schema and how its text is laid out. It is
// immutable and safe for concurrent use.
type Format struct {
	// Schema describes the attributes in the order of the schema file.
	Schema *datasets.Schema
	// Delimiter separates fields.
	Delimiter rune
	// Header says that the first record names the columns. Without one the columns are the
	// schema file's attributes in order.
	Header bool
	// Latin1 says that the text is in Windows-1252, which contains Latin-1, and not in UTF-8.
	Latin1 bool
	// Comma says that numbers are written with a comma in place of a point. Tables that are written
	// have a point.
	Comma bool
	// Trim cuts the white space around fields.
	Trim  bool
	About About // whose table it is
	// Missing are the texts that stand for a missing value.
	Missing []string
	// Person is the column that says whom a record is about, "" for none. It is no attribute. Of a
	// person's records Schema.Contributions are read, the others are left out.
	Person string
	// Disk is where large tables are kept that are read, nil for the heap.
	Disk *datasets.Disk

	layout  []int // without a header, for each column: its attribute, ignored or personal
	parquet bool  // the text is a Parquet file's table: places are rows
}

// Plain is the format that Write writes tables of a schema in. Its exported fields may be changed
// before the first use; rows that lack a value are dropped where their attribute has no cell for
// it.
func Plain(schema *datasets.Schema) *Format {
	f := &Format{Schema: schema, Delimiter: ',', Header: true}
	for i := range schema.Attributes {
		f.layout = append(f.layout, i)
	}
	return f
}

// ignored and personal stand for columns that are no attributes: the second is the person's.
const ignored, personal = -1, -2

// dropRow is the code of missing values whose row is left out.
const dropRow = datasets.NoCode

// schemaFile mirrors a schema file.
type schemaFile struct {
	Delimiter      string      `yaml:"delimiter" default:"\",\"" doc:"the character between fields; \\t for a tab"`
	Header         bool        `yaml:"header" default:"true" doc:"the first line names the columns, which may then come in any order; those that the schema does not list are left out, and the run says which. With false the attributes are all columns in their order"`
	Encoding       string      `yaml:"encoding" words:"utf-8 latin-1" default:"utf-8" doc:"latin-1 reads Latin-1 and Windows-1252, which contains it. Columns in messages count bytes of the text in UTF-8"`
	Decimal        string      `yaml:"decimal" default:"\".\"" doc:"a comma reads numbers with a decimal comma; points are then errors. Releases are written with a point"`
	Trim           bool        `yaml:"trim" default:"false" doc:"true cuts white space around fields; not possible with a delimiter that is white space"`
	Missing        []string    `yaml:"missing,flow-one" default:"none" doc:"texts that mark a missing value, such as ? or an empty text; they must be no values. Rows with one are dropped, and their number is reported, unless missing-as-value keeps them"`
	MissingAsValue keptMissing `yaml:"missing-as-value" default:"false" doc:"true, or a list of attributes, keeps rows in which these lack a value. Missing is then one more category, also of the class, or a cell beside the numbers or dates, and is written as the first marker. A list costs less than true where most columns are complete"`
	Class          string      `yaml:"class" default:"none" doc:"the attribute that classifiers predict; it must be categorical"`
	Person         string      `yaml:"person" default:"none" doc:"the column that says whom a record is about, such as the number of a patient; persons are then protected. It is no attribute, or one of kind ignored, and is never released"`
	Contributions  int         `yaml:"contributions" min:"1" max:"1000" default:"none" doc:"required with person: how many records of each person are used at most, from 1 to 1000"`
	Attributes     []attribute `yaml:"attributes" default:"required" doc:"the columns, one entry each"`
	About          `yaml:",inline"`
}

// attribute mirrors one entry of a schema file and remembers its place.
type attribute struct {
	Name       string             `yaml:"name" missing:"must be what the column is called" of:"all" doc:"the name of the column, as in the header"`
	Kind       string             `yaml:"kind" words:"numeric categorical ignored" missing:"must be numeric, categorical or ignored" of:"all" doc:"numeric, categorical, or ignored for a column to skip, which has no other key but name. Without a header every column needs an entry"`
	Time       datasets.Clock     `yaml:"time" of:"numeric" doc:"the form of dates or times, of YYYY, MM, DD, hh, mm and ss, such as DD.MM.YYYY, hh:mm or YYYY-MM-DD hh:mm:ss. Bounds are then written in it, and so are released values. Cells are days, or minutes or seconds if the form has them, and step counts these"`
	Low        *bound             `yaml:"low" of:"numeric" doc:"the lowest value allowed; required"`
	High       *bound             `yaml:"high" of:"numeric" doc:"the first value that is not allowed; required. With low 18 and high 95 the ages are 18 to 94"`
	Step       *float64           `yaml:"step" of:"numeric" doc:"the distance between values, 1 by default. Unless the attribute is continuous, a value is low plus a multiple of it"`
	Continuous bool               `yaml:"continuous" of:"numeric" doc:"true allows any value between the bounds and cuts the range into cells of width step, which is then required and divides high − low evenly"`
	Digits     *int               `yaml:"digits" of:"numeric, continuous" doc:"how many digits after the point a value has: 0 for whole amounts, 2 for cents. More are an error in the table, and releases have as many. Without it a released value has all digits of a random number"`
	Widths     []int              `yaml:"widths" of:"numeric" doc:"groups for full-domain generalisation (Incognito), as numbers of steps: [5, 10] gives groups of 5, then of 10, then everything. Each is a multiple of the one before"`
	Scale      string             `yaml:"scale" words:"log" of:"numeric" doc:"log has releases from marginals and PrivBayes cut the attribute into bins that grow with the distance from 0, for amounts that spread over several powers of ten; low is then at least 0"`
	Bins       []bound            `yaml:"bins" of:"numeric" doc:"where the bins of such releases begin, and where the last one ends: [0, 1, 1000, 5000, 2000000], from low to high. Use what is known without the data, such as tax brackets"`
	Role       string             `yaml:"role" words:"quasi-identifier sensitive class" of:"numeric, categorical" doc:"quasi-identifier (the default), sensitive or class"`
	Values     []string           `yaml:"values" of:"categorical" doc:"every value there can be. Text must match exactly, upper and lower case included"`
	Order      string             `yaml:"order" words:"given random" of:"categorical" doc:"given if the order of the list has a meaning (school grades); random shuffles the list in a way that depends on the name of the attribute only. Without it the order is used but means nothing"`
	Taxonomy   *datasets.Taxonomy `yaml:"taxonomy" of:"categorical" doc:"a tree over the values, from one root to the values as leaves: {any: {low: [primary], high: [secondary, tertiary]}}. Incognito, DiffGen and DiffMulti generalise along it; without one they have the values and, above them, one group. With a taxonomy values may be left out: it is then the leaves from left to right"`

	node   *strictyaml.Node
	broken bool // something in it could not be decoded, so its values are not what was written
}

// bound is a number, or a date or time: which one is known when the attribute is compiled.
type bound struct{ node *strictyaml.Node }

func (b *bound) UnmarshalStrict(_ *strictyaml.Reader, n *strictyaml.Node) { b.node = n }

func (a *attribute) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain attribute
	before := r.Problems()
	r.Decode(n, (*plain)(a))
	if n.Kind == strictyaml.MappingNode {
		declared.CheckNode(r, n, a)
	}
	a.node, a.broken = n, r.Problems() > before
}

var roles = map[string]datasets.Role{
	datasets.Sensitive.String(): datasets.Sensitive,
	datasets.Class.String():     datasets.Class,
}

// ParseSchema reads a schema file. file names it in messages; the error holds everything wrong with
// it, each as file:line: what.
func ParseSchema(file string, data []byte) (*Format, error) {
	return parseSchema(file, data, "", 0)
}

// parseSchema takes the target for the class in place of the file's, unless it is empty, and a
// number of contributions, unless it is 0.
func parseSchema(file string, data []byte, target string, contributions int) (*Format, error) {
	reader := strictyaml.NewReader(file)
	root := reader.Document(data)
	read := schemaFile{Delimiter: ",", Header: true, Encoding: "utf-8", Decimal: "."}
	reader.Decode(root, &read)
	if root == nil || root.Kind != strictyaml.MappingNode {
		return nil, reader.Err()
	}
	declared.CheckNode(reader, root, &read)
	c := compiler{Reader: reader, root: root, file: read, asked: contributions}
	if target != "" {
		c.retarget(target)
	}
	format := c.compile()
	if err := reader.Err(); err != nil {
		return nil, err
	}
	return format, nil
}

// compiler turns a schema file into a Format and reports what does not fit together.
type compiler struct {
	*strictyaml.Reader
	root  *strictyaml.Node
	file  schemaFile
	asked int // contributions in place of the file's; 0 for these
}

// retarget makes an attribute the class; the one that was is a quasi-identifier.
func (c *compiler) retarget(target string) {
	c.file.Class = target
	for i := range c.file.Attributes {
		entry := &c.file.Attributes[i]
		if entry.Role == datasets.Class.String() || entry.Name == target {
			entry.Role = ""
		}
	}
}

// at is the node of a key of mapping n, or n itself where the key is absent.
func at(n *strictyaml.Node, key string) *strictyaml.Node {
	if value := strictyaml.Find(n, key); value != nil {
		return value
	}
	return n
}

func (c *compiler) compile() *Format {
	f := &Format{
		Schema: new(datasets.Schema), Delimiter: c.delimiter(), Header: c.file.Header,
		Latin1: c.file.Encoding == "latin-1", Trim: c.file.Trim, Missing: c.file.Missing,
		About: c.file.About,
	}
	if f.Comma = c.file.Decimal == ","; !f.Comma && c.file.Decimal != "." {
		c.Problemf(at(c.root, "decimal"), `%q, must be "." or ","`, c.file.Decimal)
	}
	if f.Trim && unicode.IsSpace(f.Delimiter) {
		c.Problemf(at(c.root, "trim"),
			"true with a delimiter that is white space itself, must be false")
	}
	for i, marker := range f.Missing {
		if slices.Contains(f.Missing[:i], marker) {
			c.Problemf(at(c.root, "missing"), "%q is listed twice", marker)
		}
		c.readable(at(c.root, "missing"), marker)
	}
	if keep := &c.file.MissingAsValue; len(f.Missing) == 0 && (keep.all || len(keep.names) > 0) {
		c.Problemf(at(c.root, "missing-as-value"),
			"values to keep without missing markers, must come with missing: [...]")
	}
	if len(c.file.Attributes) == 0 && strictyaml.Find(c.root, "attributes") == nil {
		c.Problemf(c.root, "no attributes, must list at least one under attributes:")
	} else if len(c.file.Attributes) == 0 {
		c.Problemf(at(c.root, "attributes"), "must list at least one attribute")
	}
	class := c.class()
	lines := make(map[string]int)
	for i := range c.file.Attributes {
		entry := &c.file.Attributes[i]
		if entry.node == nil || entry.node.Kind != strictyaml.MappingNode {
			continue // refused when it was decoded
		}
		if line, twice := lines[entry.Name]; twice && entry.Name != "" {
			c.Problemf(at(entry.node, "name"), "duplicate %q, first in line %d", entry.Name, line)
		} else {
			lines[entry.Name] = entry.node.Line
		}
		if entry.Kind == "ignored" {
			c.meaningless(entry)
			column := ignored
			if entry.Name != "" && entry.Name == c.file.Person {
				column = personal
			}
			if entry.Name != "" && entry.Name == c.file.Class {
				c.Problemf(at(entry.node, "kind"), "the class attribute must not be ignored")
			}
			f.layout = append(f.layout, column)
			continue
		}
		a := c.attribute(entry, entry.Name == class)
		f.layout = append(f.layout, len(f.Schema.Attributes))
		f.Schema.Attributes = append(f.Schema.Attributes, a)
	}
	for i, name := range c.file.MissingAsValue.names {
		if f.Schema.Index(name) < 0 {
			c.Problemf(item(at(c.root, "missing-as-value"), i), "%q, must be an attribute%s", name,
				spelling.Hint(name, f.Schema.Names()))
		}
	}
	c.person(f)
	if c.Err() == nil {
		if err := f.Schema.Validate(); err != nil {
			c.problems(c.root, err)
		}
	}
	return f
}

// person sets the column that says whom records are about, and how many there may be of each.
func (c *compiler) person(f *Format) {
	f.Person, f.Schema.Contributions = c.file.Person, c.file.Contributions
	number, named := strictyaml.Find(c.root, "contributions"), strictyaml.Find(c.root, "person")
	if c.asked != 0 {
		f.Schema.Contributions = c.asked
	} else if number == nil && named != nil {
		c.Problemf(named, "without contributions:, which must be how many records of each person "+
			"are kept at most, from 1 to %d", datasets.MostContributions)
	}
	switch {
	case named == nil && c.asked != 0:
		c.Problemf(c.root, "no person:, must name the column that says whom a record is about "+
			"where contributions are limited (%d)", c.asked)
	case named == nil && number != nil:
		c.Problemf(number, "without person:, must come with the column that says whom a record is "+
			"about")
	case named == nil:
	case f.Person == "":
		c.Problemf(named, "empty, must name the column that says whom a record is about")
	case f.Schema.Index(f.Person) >= 0:
		c.Problemf(named, "%q is an attribute, must be one of kind ignored or none: it is never "+
			"released", f.Person)
	case !f.Header && !slices.Contains(f.layout, personal):
		c.Problemf(named, "%q is no column, must be listed under attributes with kind ignored "+
			"where there is no header", f.Person)
	default:
		c.readable(named, f.Person)
	}
}

// problems reports an error of the datasets package, which may hold several, at a node.
func (c *compiler) problems(n *strictyaml.Node, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		c.Problemf(n, "%s", line)
	}
}

func (c *compiler) delimiter() rune {
	delimiter, size := utf8.DecodeRuneInString(c.file.Delimiter)
	if size == 0 || size != len(c.file.Delimiter) || !validDelimiter(delimiter) {
		c.Problemf(at(c.root, "delimiter"),
			`%q, must be a single character such as ",", ";" or "\t", no quote and no line break`,
			c.file.Delimiter)
		return ','
	}
	return delimiter
}

func validDelimiter(delimiter rune) bool {
	return utf8.ValidRune(delimiter) && !strings.ContainsRune("\"\r\n\x00\ufeff\ufffd", delimiter)
}

// class finds the class attribute's name: what class: says, or the one attribute of that role.
func (c *compiler) class() string {
	var names, named []string
	for i := range c.file.Attributes {
		entry := &c.file.Attributes[i]
		names = append(names, entry.Name)
		if entry.Role == datasets.Class.String() {
			if named = append(named, entry.Name); len(named) > 1 {
				c.Problemf(at(entry.node, "role"),
					"a second class attribute after %q, must be only one", named[0])
			}
		}
	}
	node := strictyaml.Find(c.root, "class")
	if node == nil && c.file.Class == "" {
		return cmp.Or(named...)
	}
	node = cmp.Or(node, c.root) // where only the user's target names it
	if len(named) > 0 && named[0] != c.file.Class {
		c.Problemf(node, "%q, but the attribute with the role class is %q", c.file.Class, named[0])
	}
	if !slices.Contains(names, c.file.Class) && len(names) > 0 {
		c.Problemf(node, "%q is no attribute, must be one of %s",
			c.file.Class, strings.Join(names, ", "))
	}
	return c.file.Class
}

// readable reports texts that reading a table can never yield, so that no value would match them.
func (c *compiler) readable(n *strictyaml.Node, text string) {
	switch {
	case c.file.Trim && strings.TrimSpace(text) != text:
		c.Problemf(n, "%q can never be read, must have no white space at its ends where trim is "+
			"true", text)
	case strings.ContainsRune(text, '\r'):
		c.Problemf(n, "%q can never be read, must have no carriage return", text)
	case strings.HasPrefix(text, "\ufeff"):
		c.Problemf(n, "%q can never be read, must not begin with a byte-order mark", text)
	}
}

// meaningless reports keys that have no meaning on a column of an entry's kind.
func (c *compiler) meaningless(entry *attribute) {
	for _, key := range strictyaml.Fields(reflect.TypeFor[attribute]()) {
		value, of := strictyaml.Find(entry.node, key.Name), key.Tag.Get("of")
		if value != nil && of != "all" && !strings.Contains(of, entry.Kind) {
			c.Problemf(value, "has no meaning on a column of kind %s, must be left out", entry.Kind)
		}
	}
}

// attribute compiles one entry.
func (c *compiler) attribute(entry *attribute, isClass bool) (a datasets.Attribute) {
	n := entry.node
	a = datasets.Attribute{Name: entry.Name, Continuous: entry.Continuous, Digits: entry.Digits}
	a.Role = roles[entry.Role]
	if isClass {
		if entry.Role != "" && a.Role != datasets.Class {
			c.Problemf(at(n, "role"), "%q, but class: names this attribute", entry.Role)
		}
		a.Role = datasets.Class
	}
	if c.file.MissingAsValue.has(a.Name) && len(c.file.Missing) > 0 {
		a.Missing = &c.file.Missing[0]
	}
	complete := false
	switch entry.Kind {
	case "numeric":
		a.Kind = datasets.Numeric
		complete = c.numeric(entry, &a)
		if a.Role == datasets.Class {
			c.Problemf(at(n, "kind"), "numeric, but the class attribute must be categorical")
		}
	case "categorical":
		a.Kind = datasets.Categorical
		complete = c.categorical(entry, &a)
	}
	c.readable(at(n, "name"), a.Name)
	if complete && !entry.broken && a.Name != "" {
		if err := a.Validate(); err != nil {
			c.problems(n, err)
		}
	}
	return a
}

// numeric fills in a numeric attribute. It reports whether the entry is complete enough for
// Attribute.Validate to say something useful.
func (c *compiler) numeric(entry *attribute, a *datasets.Attribute) bool {
	c.meaningless(entry)
	complete := true
	if a.Clock = entry.Time; a.Clock != "" || strictyaml.Find(entry.node, "time") != nil {
		if err := a.Clock.Validate(); err != nil {
			c.problems(at(entry.node, "time"), err)
			return false
		}
	}
	lacks := func(key, why string) {
		if strictyaml.Find(entry.node, key) == nil {
			c.Problemf(entry.node, "no %s, %s", key, why)
		}
		complete = false
	}
	read := func(key string, value *bound, why string) (number float64) {
		if value == nil {
			lacks(key, why)
			return 0
		}
		before := c.Problems()
		if a.Clock == "" {
			c.Decode(value.node, &number)
		} else if read, ok := a.Clock.Number(value.node.Value); ok {
			number = read
		} else {
			c.Problemf(value.node, "%q, must be of the form %s", value.node.Value, a.Clock)
		}
		complete = complete && c.Problems() == before
		return number
	}
	a.Low = read("low", entry.Low, "must be the lowest value there can be")
	a.High = read("high", entry.High,
		"must be the first value above all there can be: the bounds are half-open, [low, high)")
	switch {
	case entry.Step != nil:
		a.Step = *entry.Step
	case !entry.Continuous && strictyaml.Find(entry.node, "step") == nil:
		a.Step = 1
	default:
		lacks("step", "must be the width of the cells a continuous attribute is cut into")
	}
	if complete && !entry.broken && a.Continuous && a.Step > 0 && a.High > a.Low &&
		!a.WholeCells() {
		// The middle of a last cell cut short would lie outside the bounds.
		c.Problemf(at(entry.node, "step"),
			"%v between the bounds %v and %v, must fit between them a whole number of times",
			a.Step, a.Low, a.High)
	}
	a.Log = entry.Scale == "log"
	if complete && !entry.broken && strictyaml.Find(entry.node, "bins") != nil &&
		a.Validate() == nil {
		edges := make([]float64, len(entry.Bins))
		for i := range edges {
			edges[i] = read("bins", &entry.Bins[i], "")
		}
		if complete {
			c.bins(at(entry.node, "bins"), a, edges)
		}
	}
	if complete && !entry.broken && entry.Widths != nil && a.Validate() == nil {
		var err error
		a.Hierarchy, err = datasets.WidthHierarchy(a.Numbers(), a.Missing != nil, entry.Widths...)
		if err != nil {
			c.problems(at(entry.node, "widths"), err)
		}
	}
	for i, marker := range c.file.Missing {
		number, ok := numberOf(a, marker, c.file.Decimal == ",")
		if ok && complete && number >= a.Low && number < a.High {
			c.Problemf(item(at(c.root, "missing"), i), "%q is a missing marker, but also a value "+
				"of %s, must be outside its bounds", marker, a.Name)
		}
	}
	return complete
}

// bins are where an attribute's bins begin and the last one ends.
func (c *compiler) bins(n *strictyaml.Node, a *datasets.Attribute, edges []float64) {
	if len(edges) < 2 || edges[0] != a.Low || edges[len(edges)-1] != a.High {
		c.Problemf(n, "must cover all that there can be: begin with low, %v, and end with high, %v",
			a.Low, a.High)
		return
	}
	for i, edge := range edges[1:] {
		place := (edge - a.Low) / a.Step
		cell := math.Round(place)
		if edge == a.High {
			cell = float64(a.Numbers())
		} else if math.Abs(place-cell) > 1e-6 {
			c.Problemf(item(n, i+1), "%v is between steps, must be %v plus a multiple of %v",
				edge, a.Low, a.Step)
		}
		if !(edge > edges[i] && edge <= a.High) {
			c.Problemf(item(n, i+1), "%v after %v, must ascend", edge, edges[i])
			a.Bins = nil
			return
		}
		a.Bins = append(a.Bins, uint32(cell))
	}
}

// categorical fills in a categorical attribute and reports whether it is complete, as numeric does.
func (c *compiler) categorical(entry *attribute, a *datasets.Attribute) bool {
	c.meaningless(entry)
	n := entry.node
	a.Taxonomy = entry.Taxonomy
	a.Values = slices.Clone(entry.Values)
	values := strictyaml.Find(n, "values")
	if values == nil && a.Taxonomy != nil {
		values = at(n, "taxonomy")
		a.Values = a.Taxonomy.Leaves()
	}
	if values == nil {
		c.Problemf(n, "no values, must list every value there can be, or give a taxonomy over them")
	}
	for i, value := range a.Values {
		c.readable(item(values, i), value)
		if slices.Contains(c.file.Missing, value) && (a.Missing == nil || value != *a.Missing) {
			c.Problemf(item(values, i), "%q is a missing marker and can never be read as a value",
				value)
		}
	}
	if a.Ordered = entry.Order == "given"; entry.Order == "random" {
		a.Values = datasets.RandomOrder(a.Name, a.Values)
	}
	if a.Missing != nil {
		addMissing(a)
	}
	return len(a.Values) > 0 || strictyaml.Find(n, "values") != nil
}

// item is the i-th element of a list, or the node itself when it is not a list.
func item(n *strictyaml.Node, i int) *strictyaml.Node {
	if n != nil && n.Kind == strictyaml.SequenceNode && i < len(n.Content) {
		return n.Content[i]
	}
	return n
}
