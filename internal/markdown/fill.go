package markdown

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// variable matches {{name}}.
var variable = regexp.MustCompile(`\{\{ *([a-z][a-z_]*) *\}\}`)

// Uses tells whether source has the variable {{name}}.
func Uses(source, name string) bool {
	return slices.ContainsFunc(variable.FindAllStringSubmatch(source, -1), func(found []string) bool {
		return found[1] == name
	})
}

// Variables are the names of the variables in source, in their order.
func Variables(source string) (names []string) {
	for _, found := range variable.FindAllStringSubmatch(source, -1) {
		names = append(names, found[1])
	}
	return names
}

// FillPlain puts values in the place of variables in a text that is no Markdown. Variables that value does not know
// stay as they are.
func FillPlain(source string, value func(name string) (string, bool)) string {
	return variable.ReplaceAllStringFunc(source, func(found string) string {
		if filled, known := value(variable.FindStringSubmatch(found)[1]); known {
			return filled
		}
		return found
	})
}

// InAddress tells whether the variable {{name}} is a part of the address of a link or an image in source. What Fill
// puts there leaves the page with the request for that address.
func InAddress(source, name string) bool {
	const mark = "airstrip1variable2mark"
	targets := Targets(FillPlain(source, func(found string) (string, bool) { return mark, found == name }))
	return slices.ContainsFunc(targets, func(target string) bool {
		return strings.Contains(strings.ToLower(target), mark)
	})
}

// Targets are the addresses that links and images in source lead to.
func Targets(source string) (targets []string) {
	doc, content := parse(source)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			targets = append(targets, string(n.Destination))
		case *ast.Image:
			targets = append(targets, string(n.Destination))
		case *ast.AutoLink:
			targets = append(targets, string(n.URL(content)))
		}
		return ast.WalkContinue, nil
	})
	return targets
}

// address matches web addresses in which nothing means anything to Markdown.
var address = regexp.MustCompile(`^https?://[A-Za-z0-9.:/-]+$`)

// Fill puts values in the place of variables such as {{site_name}}. Texts make no link, no heading and no other
// Markdown, whatever is in them; addresses may be the beginning of a link's target. Variables that have no value stay
// as they are.
func Fill(source string, texts, addresses map[string]string) string {
	doc, content := parse(source)
	var code []text.Segment
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
		case n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock:
			code = append(code, n.Lines().Sliced(0, n.Lines().Len())...)
		case n.Kind() == ast.KindText && n.Parent().Kind() == ast.KindCodeSpan:
			code = append(code, n.(*ast.Text).Segment)
		}
		return ast.WalkContinue, nil
	})
	var out strings.Builder
	last := 0
	for _, at := range variable.FindAllSubmatchIndex(content, -1) {
		name := content[at[2]:at[3]]
		value, isText := texts[string(name)]
		if !isText {
			var known bool
			if value, known = addresses[string(name)]; !known {
				continue
			}
		}
		out.Write(content[last:at[0]])
		last = at[1]
		switch {
		case slices.ContainsFunc(code, func(s text.Segment) bool { return s.Start <= at[0] && at[1] <= s.Stop }):
			out.WriteString(strings.ReplaceAll(oneLine(value), "`", "'")) // nothing can be escaped in code
		case !isText && address.MatchString(value):
			out.WriteString(value)
		default:
			out.WriteString(Escape(value))
		}
	}
	out.Write(content[last:])
	return out.String()
}

// Escape writes plain text as Markdown that shows it.
func Escape(plain string) string {
	var out strings.Builder
	for _, r := range oneLine(plain) {
		if r > ' ' && r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func oneLine(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(words, " ")
}
