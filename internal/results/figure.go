package results

// RegionsKind is the kind of figure that maps a release's regions.
const RegionsKind = "regions"

// Figure describes one plot of a run, as written in a spec under plots. Axis is "" or
// SampleEquivalent, Kind "" or RegionsKind.
type Figure struct {
	Name      string    `yaml:"name" json:"name" doc:"the name of its file; what comes before - is the panel" values:"words such as a or b-Caltech36"`
	Title     string    `yaml:"title" json:"title,omitempty" doc:"above the figure" values:"one line" default:"none"`
	Kind      string    `yaml:"kind" json:"kind,omitempty" doc:"the map of one release: its regions as rectangles over the original rows, along the attributes x and y; the spec has to keep regions" words:"regions" default:"curves"`
	Where     Filter    `yaml:"where" json:"where,omitempty" doc:"draws only what has these values: metric, classifier, dataset, algorithm, variant, epsilon, delta, parameters" values:"a mapping of names to values; a|b is either" default:"everything"`
	X         string    `yaml:"x" json:"x" doc:"what runs along the axis; of a map an attribute" values:"epsilon or a parameter's name"`
	X2        string    `yaml:"x2" json:"x2,omitempty" doc:"a second parameter along the top axis, for series that do not have x" values:"a parameter's name" default:"none"`
	Y         string    `yaml:"y" json:"y" doc:"what is drawn; of a map an attribute" values:"a measurement as it is recorded, such as accuracy or count-error attribute=age"`
	XLabel    string    `yaml:"xlabel" json:"xlabel,omitempty" doc:"the label of x" values:"one line" default:"made from x"`
	X2Label   string    `yaml:"x2label" json:"x2label,omitempty" doc:"the label of x2" values:"one line" default:"made from x2"`
	YLabel    string    `yaml:"ylabel" json:"ylabel,omitempty" doc:"the label of y" values:"one line" default:"made from y"`
	Axis      string    `yaml:"axis" json:"axis,omitempty" doc:"draws, in place of y itself, how large a sample of the true records is as good, in per cent; needs the control sample at several shares" words:"sample-equivalent" default:"y itself"`
	XScale    string    `yaml:"xscale" json:"xscale,omitempty" doc:"the scale of x" words:"linear log" default:"linear"`
	YScale    string    `yaml:"yscale" json:"yscale,omitempty" doc:"the scale of y" words:"linear log" default:"linear, or log for a sample's size"`
	XLim      []float64 `yaml:"xlim" json:"xlim,omitempty" doc:"the ends of x" values:"two numbers, the lower first" default:"fitted to the data"`
	YLim      []float64 `yaml:"ylim" json:"ylim,omitempty" doc:"the ends of y" values:"two numbers, the lower first" default:"fitted to the data, alike in figures of one measure that fill half of it"`
	Reference []string  `yaml:"reference" json:"reference,omitempty" doc:"algorithms or classifiers of the experiment, each drawn as a horizontal line at its mean" values:"a list of names such as identity and majority" default:"none"`
}
