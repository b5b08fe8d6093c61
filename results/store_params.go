package results

import (
	"fmt"
	"strings"
)

var paramEscaper = strings.NewReplacer(`\`, `\\`, `;`, `\;`, `=`, `\=`, "\n", `\n`, "\r", `\r`)

// FormatParams writes parameters as summary.csv does: name=value by name, joined by ";", with \\, \;,
// \=, \n and \r for the characters that would be taken for structure.
func FormatParams(params map[string]string) string {
	var b strings.Builder
	for i, name := range sortedNames(params) {
		if i > 0 {
			b.WriteByte(';')
		}
		paramEscaper.WriteString(&b, name)
		b.WriteByte('=')
		paramEscaper.WriteString(&b, params[name])
	}
	return b.String()
}

// parseParams reads what FormatParams wrote; an empty text is no parameters, a nil map.
func parseParams(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	params := make(map[string]string)
	var name, part strings.Builder
	inValue := false
	end := func() error {
		if !inValue {
			return fmt.Errorf("%q, must be name=value", part.String())
		}
		if name.Len() == 0 {
			return fmt.Errorf("=%s, must have a name", part.String())
		}
		if _, taken := params[name.String()]; taken {
			return fmt.Errorf("%s is given twice", name.String())
		}
		params[name.String()] = part.String()
		name.Reset()
		part.Reset()
		inValue = false
		return nil
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i == len(text) {
				return nil, fmt.Errorf("%q ends in a lone backslash", text)
			}
			switch text[i] {
			case 'n':
				part.WriteByte('\n')
			case 'r':
				part.WriteByte('\r')
			case '\\', ';', '=':
				part.WriteByte(text[i])
			default:
				return nil, fmt.Errorf(`\%c, must be \\, \;, \=, \n or \r`, text[i])
			}
		case '=':
			if inValue {
				return nil, fmt.Errorf("%q has a second =, which must be written \\=", text)
			}
			name.WriteString(part.String())
			part.Reset()
			inValue = true
		case ';':
			if err := end(); err != nil {
				return nil, err
			}
		default:
			part.WriteByte(c)
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	return params, nil
}
