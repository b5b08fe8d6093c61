package plots

import (
	"bytes"
	"fmt"
	"regexp"
)

var (
	svgColour = regexp.MustCompile(`(fill|stroke):#([0-9A-F]{6})`)
	svgSize   = regexp.MustCompile(`width="[0-9.]+pt" height="[0-9.]+pt" viewBox="0 0 ([0-9.]+) [0-9.]+"`)
	svgFont   = regexp.MustCompile(`font-family:[^;"]*;font-variant:normal;font-weight:normal;font-style:normal;`)
)

// Inline returns the picture as an SVG element to stand in an HTML page. It is as wide as its surroundings allow, up to its
// printed size. Every colour #RRGGBB is the page's custom property --plot-RRGGBB where it has one, so that a page with
// a dark ground can turn ink and paper round. The label must hold neither quotes nor markup; it says in words what the picture shows.
func (d *Drawing) Inline(label string) ([]byte, error) {
	if bytes.ContainsAny([]byte(label), `<>&"`) {
		return nil, fmt.Errorf("label %q must hold neither quotes nor markup", label)
	}
	picture, err := d.Render("svg")
	if err != nil {
		return nil, err
	}
	start := bytes.Index(picture, []byte("<svg "))
	size := svgSize.FindSubmatch(picture)
	if start < 0 || size == nil {
		return nil, fmt.Errorf("the SVG canvas has changed: no size in %.200q", picture)
	}
	picture = picture[start:]
	picture = svgFont.ReplaceAll(picture, nil)
	picture = svgColour.ReplaceAll(picture, []byte("$1:var(--plot-$2,#$2)"))
	attributes := fmt.Sprintf(`role="img" aria-label="%s" font-family="%s" style="width:100%%;max-width:%spt;height:auto" viewBox=`, label, fontFamily, size[1])
	old := size[0][:bytes.Index(size[0], []byte("viewBox="))+len("viewBox=")]
	return bytes.Replace(picture, old, []byte(attributes), 1), nil
}
