package plots

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
)

var (
	svgColour = regexp.MustCompile(`(fill|stroke):#([0-9A-F]{6})`)
	svgSize   = regexp.MustCompile(`width="[0-9.]+pt" height="[0-9.]+pt" viewBox="0 0 ([0-9.]+) `)
	svgFont   = regexp.MustCompile(`font-family:[^;"]*;(font-(variant|weight|style):normal;){3}`)
)

// Inline returns the picture as an SVG element of an HTML page. It is as wide as its surroundings
// allow, up to its printed size. Every colour #RRGGBB is the page's custom property --plot-RRGGBB
// where it has one, so that a page can swap ink and paper in the dark. alt describes what the
// picture shows. A curve, and its entry in the legend, is a group with its label as title; each
// point is an unseen circle whose title has its numbers.
func (s *Page) Inline(alt string) ([]byte, error) {
	picture, err := s.on(newSVG(s.width, s.height(), true))
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
	attributes := fmt.Sprintf(`role="img" aria-label="%s" font-family="%s" `+
		`style="width:100%%;max-width:%spt;height:auto" viewBox=`,
		html.EscapeString(alt), fontFamily, size[1])
	old, _, _ := bytes.Cut(size[0], []byte(`"0 0`))
	return bytes.Replace(picture, old, []byte(attributes), 1), nil
}
