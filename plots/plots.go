// Package plots draws the figures of an experiment from its summary rows: curves with error bars over
// one or two horizontal axes, benchmark lines, a legend in a strip of its own and a caption that says
// what was averaged. Equal rows give equal bytes in every format.
//
// It leaves out how rows come about (package results), which claims they support (package claims) and
// any choice of what to show beyond the figure's own description.
package plots

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/plot/vg"

	"ppdp/results"
)

// combinedPanels is how many figures one page shows at most.
const combinedPanels = 9

// Options are what a figure's description does not say. The zero value draws a panel of 12 cm by
// 8.5 cm without title and source.
type Options struct {
	Title  string // above the panels
	Source string // what the figure is after, in the caption: "Qardaji & Li 2012, Fig. 3"
	// Width is the whole picture's, Height that of one panel with its axes; headings, legend and caption
	// come on top of it. Zero means the defaults.
	Width, Height vg.Length
	// SeriesOrder gives colours and markers in this order of series; series not named follow in the order
	// of the rows. Figures drawn with the same order and series look alike.
	SeriesOrder []string
}

// Drawing is a finished picture, to be written in any format. It is not safe for concurrent use.
type Drawing struct{ sheet *sheet }

// Render returns the picture in a format, one of Formats.
func (d *Drawing) Render(format string) ([]byte, error) { return d.sheet.render(format) }

// Write writes dir/name.FORMAT for every format, all that are registered when none is given, and
// returns the paths.
func (d *Drawing) Write(dir, name string, formats ...string) ([]string, error) {
	if len(formats) == 0 {
		formats = Formats()
	}
	var paths []string
	for _, format := range formats {
		picture, err := d.Render(format)
		if err != nil {
			return paths, err
		}
		path := filepath.Join(dir, name+"."+format)
		err = results.WriteFile(path, func(w io.Writer) error {
			_, err := w.Write(picture)
			return err
		})
		if err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// WriteExperiment writes every figure of a run's manifest into dir in every format, and where there are
// several also all of them side by side under results.CombinedName, in pages where they are many. Curves are drawn from rows, maps of regions from what the run
// kept. A series looks the same in all figures. It returns the paths written; figures that cannot be drawn are
// left out and reported together.
func WriteExperiment(dir string, r *results.Run) (paths, warnings []string, err error) {
	charts, warnings, problems := experimentCharts(r)
	shared := newLook(charts, r.Manifest.SeriesOrder)
	opts := Options{Title: r.Manifest.Title, Source: r.Manifest.Source}
	type file struct {
		drawing *Drawing
		name    string
		paths   []string
		err     error
	}
	var files []*file
	for _, c := range charts {
		files = append(files, &file{drawing: single(c, shared, opts), name: c.figure.Name})
	}
	if len(charts) > 1 {
		for i, page := range pages(charts) {
			name := results.CombinedName
			if i > 0 {
				name += "-" + strconv.Itoa(i+1)
			}
			files = append(files, &file{drawing: combined(page, shared, opts), name: name})
		}
	}
	// Drawings share what is read only, so that each processor can draw its own. The last ones, of many panels, take longest: they come first.
	var writing errgroup.Group
	writing.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range slices.Backward(files) {
		writing.Go(func() error {
			f.paths, f.err = f.drawing.Write(dir, f.name)
			return nil // all are written whatever becomes of one
		})
	}
	_ = writing.Wait()
	for _, f := range files {
		paths = append(paths, f.paths...)
		if f.err != nil {
			problems = append(problems, f.err)
		}
	}
	return paths, warnings, errors.Join(problems...)
}

// Named is the drawing of one of a manifest's figures.
type Named struct {
	Figure results.Figure
	*Drawing
}

// Experiment draws what WriteExperiment writes, but for the figures side by side, without writing it. The drawings have
// neither title nor source, for pages that say these once for all of them.
func Experiment(r *results.Run) (drawings []Named, warnings []string, err error) {
	charts, warnings, problems := experimentCharts(r)
	shared := newLook(charts, r.Manifest.SeriesOrder)
	for _, c := range charts {
		drawings = append(drawings, Named{c.figure, single(c, shared, Options{})})
	}
	return drawings, warnings, errors.Join(problems...)
}

// experimentCharts makes a chart of each figure of a run's manifest, and a problem of each that cannot be drawn.
func experimentCharts(r *results.Run) (charts []*chart, warnings []string, problems []error) {
	rows := r.Rows()
	for _, figure := range r.Manifest.Figures {
		if err := results.CheckFigureName(figure.Name); err != nil {
			problems = append(problems, fmt.Errorf("figure %w", err))
			continue
		}
		var c *chart
		var err error
		if figure.Kind == results.RegionsKind {
			c, err = newMap(figure, r)
		} else {
			c, err = newChart(figure, r.Manifest.Measure(figure.Y), rows)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		charts = append(charts, c)
		warnings = append(warnings, c.warnings...)
	}
	return charts, warnings, problems
}

// pages deals charts out to combined figures. Few stand on one. Of many, those of one metric stay together, in the order
// in which the metrics come, as far as a page reaches.
func pages(charts []*chart) [][]*chart {
	if len(charts) <= combinedPanels {
		return [][]*chart{charts}
	}
	var metrics []string
	byMetric := make(map[string][]*chart)
	for _, c := range charts {
		if byMetric[c.figure.Y] == nil {
			metrics = append(metrics, c.figure.Y)
		}
		byMetric[c.figure.Y] = append(byMetric[c.figure.Y], c)
	}
	var all [][]*chart
	var page []*chart
	for _, metric := range metrics {
		group := byMetric[metric]
		if len(page) > 0 && len(page)+len(group) > combinedPanels {
			all, page = append(all, page), nil
		}
		for len(group) > combinedPanels {
			all, group = append(all, group[:combinedPanels]), group[combinedPanels:]
		}
		page = append(page, group...)
	}
	return append(all, page)
}

// look is how curves and benchmark lines appear, by label, on all the panels that are to agree.
type look struct {
	curves     map[string]curveStyle
	references map[string]int
	// paired says that each panel shows one variant, and what a setting looks like under one it looks like under the other.
	paired bool
}

// name is what curves that look alike have in common.
func (l look) name(cv curve) string {
	if l.paired {
		return cv.setting
	}
	return cv.label
}

// newLook gives every curve its style, in the order of the series and else of the rows.
func newLook(charts []*chart, order []string) look {
	l := look{make(map[string]curveStyle), make(map[string]int), true}
	for _, c := range charts {
		_, one := c.variant()
		l.paired = l.paired && one
		labels := make(map[string]string) // by setting
		for _, cv := range c.curves {
			if other, taken := labels[cv.setting]; taken && other != cv.label {
				l.paired = false // they would look alike on one panel
			}
			labels[cv.setting] = cv.label
		}
	}
	place := make(map[string]int)
	for i, series := range order {
		place[series] = i
	}
	type entry struct {
		name  string
		place int
	}
	var entries []entry
	at := make(map[string]int) // of a name among the entries
	for _, c := range charts {
		for _, cv := range c.curves {
			own, listed := place[cv.series]
			if !listed {
				own = len(order)
			}
			i, known := at[l.name(cv)]
			if !known {
				i = len(entries)
				at[l.name(cv)] = i
				entries = append(entries, entry{l.name(cv), own})
			}
			entries[i].place = min(entries[i].place, own)
		}
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].place < entries[j].place })
	styles := make(map[string]curveStyle)
	for i, e := range entries {
		styles[e.name] = styleOf(i)
	}
	for _, c := range charts {
		for _, cv := range c.curves {
			l.curves[cv.label] = styles[l.name(cv)]
		}
		for _, r := range c.references {
			if _, known := l.references[r.label]; !known {
				l.references[r.label] = len(l.references)
			}
		}
	}
	return l
}

// variant is the one that all curves of a chart have which name theirs, "" where none does; one is false for several.
func (c *chart) variant() (variant string, one bool) {
	for _, cv := range c.curves {
		if cv.variant != "" && variant != "" && cv.variant != variant {
			return "", false
		}
		if cv.variant != "" {
			variant = cv.variant
		}
	}
	return variant, true
}

func single(c *chart, look look, opts Options) *Drawing {
	style := sheetStyle{1}
	width := orDefault(opts.Width, panelWidth)
	return &Drawing{&sheet{
		style: style, width: width, panelHeight: orDefault(opts.Height, panelHeight),
		columns: 1, title: opts.Title, source: opts.Source,
		panels: []*panel{newPanel(c, width, style, look)},
	}}
}

func combined(charts []*chart, look look, opts Options) *Drawing {
	style := sheetStyle{combinedScale}
	width := orDefault(opts.Width, combinedWidth)
	// Two, four or eight panels make rows of two, other numbers rows of three: narrower ones have no room for labels.
	columns := min(len(charts), 3)
	if len(charts) == 4 || len(charts) == 8 {
		columns = 2
	}
	s := &sheet{style: style, width: width, columns: columns, title: opts.Title, source: opts.Source}
	s.panelHeight = orDefault(opts.Height, max(width/vg.Length(columns)*0.75, 5*vg.Centimeter))
	for _, c := range charts {
		s.panels = append(s.panels, newPanel(c, width/vg.Length(columns), style, look))
	}
	if look.paired {
		s.nameVariants()
	}
	if over := s.height() - pageHeight; over > 0 && opts.Height == 0 {
		s.panelHeight = max(s.panelHeight-over/vg.Length(s.rows()), lowestPanel)
	}
	return &Drawing{s}
}

func newPanel(c *chart, width vg.Length, style sheetStyle, look look) *panel {
	return &panel{chart: c, heading: heading(c.figure), width: width, style: style, look: look}
}

// nameVariants puts the variant into the headings of panels, where a sheet shows several and a heading does not say it yet.
func (s *sheet) nameVariants() {
	variants := make(map[string]bool)
	for _, p := range s.panels {
		if v, _ := p.variant(); v != "" {
			variants[v] = true
		}
	}
	if len(variants) < 2 {
		return
	}
	for _, p := range s.panels {
		if v, _ := p.variant(); v != "" && !strings.Contains(strings.ToLower(p.heading), v) {
			p.heading = strings.TrimSpace(p.heading + results.VariantSuffix(v))
		}
	}
}

// heading is what stands above a panel: "(a) Naive Bayes".
func heading(f results.Figure) string {
	if len(f.Name) > 1 {
		return f.Title
	}
	if f.Title == "" {
		return "(" + f.Name + ")"
	}
	return "(" + f.Name + ") " + f.Title
}

func orDefault(given, standard vg.Length) vg.Length {
	if given == 0 {
		return standard
	}
	return given
}
