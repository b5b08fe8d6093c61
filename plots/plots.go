// Package plots draws the figures of a run: curves with error bars over one or two horizontal axes,
// benchmark lines, maps of regions, a legend in a strip below and a caption on what was averaged.
// Equal runs give equal bytes in every format.
//
// A figure passes through three types. A chart has what it shows: curves, labels and the ranges of
// its axes, without places or colours. A panel is a chart with styles, which draws inside a frame.
// A Page has one or more panels with title, legend and caption, and renders them in any of the
// formats.
//
// The package leaves out how numbers come about (package results), which claims they support
// (package claims) and any choice of what to show beyond the figure's own description.
package plots

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"ppdp/internal/results"
)

// write writes dir/name.FORMAT for every format and returns the paths.
func (s *Page) write(dir, name string) (paths []string, err error) {
	for _, format := range Formats() {
		picture, err := s.Render(format)
		if err != nil {
			return paths, err
		}
		path := filepath.Join(dir, name+"."+format)
		if err := results.WriteFile(path, results.Text(picture)); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// WriteExperiment writes every figure of a run's manifest into dir in every format. Where there are
// several, it also writes all of them side by side under results.CombinedName, on several pages if
// they are many. A series looks the same in all figures. WriteExperiment returns the paths
// written; figures that cannot be drawn are left out and reported together.
func WriteExperiment(dir string, r *results.Summary) (paths, warnings []string, err error) {
	m := &r.Manifest
	charts, warnings, problems := experimentCharts(r)
	styles := newCurveStyles(charts, m.SeriesOrder)
	type file struct {
		name   string
		charts []*chart
		paths  []string
		err    error
	}
	files := results.Mapped(charts,
		func(c *chart) *file { return &file{name: c.figure.Name, charts: []*chart{c}} })
	if len(charts) > 1 {
		name := results.CombinedName
		for group := range slices.Chunk(charts, combinedPanels) {
			files = append(files, &file{name: name, charts: group})
			name = fmt.Sprintf("%s-%d", results.CombinedName, len(files)-len(charts)+1)
		}
	}
	// Pages only read what they share, so that each processor can draw its own. The last ones, of
	// many panels, take longest: they come first.
	var writing errgroup.Group
	writing.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range slices.Backward(files) {
		writing.Go(func() error {
			f.paths, f.err = newPage(m, f.charts, styles).write(dir, f.name)
			return nil // one that fails does not stop the others
		})
	}
	_ = writing.Wait()
	for _, f := range files {
		paths = append(paths, f.paths...)
		problems = append(problems, f.err)
	}
	return paths, warnings, errors.Join(problems...)
}

// Picture is the drawing of one of a manifest's figures, with the numbers in it.
type Picture struct {
	*Page
	Figure          results.Figure
	XLabel, X2Label string
	// Measure describes y: "Classification accuracy, higher is better"; "" for a map.
	Measure string
	// Lines are the figure's curves and then its benchmarks, with points that have no place on its
	// axes; none for a map.
	Lines []Line
}

// Alt describes the picture for those who do not see it.
func (p *Picture) Alt() string {
	text := p.Measure + ", by " + p.XLabel
	if p.Measure == "" {
		text = "regions along " + p.Figure.X + " and " + p.Figure.Y
	}
	name := p.Figure.Name
	if p.Figure.Title != "" {
		name += ", " + p.Figure.Title
	}
	return "Figure " + name + ": " + text
}

// Experiment draws the figures that WriteExperiment writes, without those side by side. The
// drawings have neither title nor source, for pages that give these once for all of them.
func Experiment(r *results.Summary) (pictures []Picture, warnings []string, err error) {
	charts, warnings, problems := experimentCharts(r)
	styles := newCurveStyles(charts, r.Manifest.SeriesOrder)
	for _, c := range charts {
		page := newPage(&r.Manifest, []*chart{c}, styles)
		page.title, page.source = "", ""
		p := Picture{Page: page, Figure: c.figure, XLabel: c.xLabel, X2Label: c.x2Label,
			Lines: c.lines}
		if !c.isMap {
			p.Measure = measureText(&r.Manifest, c.measure)
		}
		pictures = append(pictures, p)
	}
	return pictures, warnings, errors.Join(problems...)
}

// experimentCharts makes a chart of each figure of a run's manifest, or a problem where it cannot
// be drawn.
func experimentCharts(r *results.Summary) (charts []*chart, warnings []string, problems []error) {
	rows := r.Rows()
	for _, figure := range r.Manifest.Figures {
		var c *chart
		err := results.CheckFigureName(figure.Name) // a manifest may be anybody's
		switch {
		case err != nil:
			err = fmt.Errorf("figure %w", err)
		case figure.Kind == results.RegionsKind:
			c, err = newMap(figure, r)
		default:
			measure, shown := r.Manifest.Measure(figure.Y), rows
			if figure.Axis == results.SampleEquivalent {
				figure, measure, shown = equivalents(figure, measure, r.Manifest.Yardsticks(rows),
					rows)
			}
			c, err = newChart(figure, measure, shown)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		charts = append(charts, c)
		warnings = append(warnings, c.warnings...)
	}
	for _, alike := range results.Grouped(charts, (*chart).heights) {
		shareRange(alike)
	}
	return charts, warnings, problems
}

// combinedPanels is how many figures one page shows at most.
const combinedPanels = 9
