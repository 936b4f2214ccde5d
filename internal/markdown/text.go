package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Text renders source as plain text: for mails, messages of a bot and previews. Links have their address behind them.
func Text(source string) string { return TextFrom("", source) }

// TextFrom is Text in which links without a site lead to that of base, as in HTMLFrom.
func TextFrom(base, source string) string {
	doc, content := parse(source)
	resolve(doc, base)
	w := &plainWriter{source: content}
	w.blocks(doc, "")
	return strings.TrimSpace(w.out.String())
}

type plainWriter struct {
	source []byte
	out    strings.Builder
}

// blocks writes the blocks of n, each line behind indent.
func (w *plainWriter) blocks(n ast.Node, indent string) {
	for block := n.FirstChild(); block != nil; block = block.NextSibling() {
		w.block(block, indent)
	}
}

func (w *plainWriter) block(n ast.Node, indent string) {
	switch n := n.(type) {
	case *ast.List:
		number := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			bullet := "- "
			if n.IsOrdered() {
				bullet = strconv.Itoa(number) + ". "
				number++
			}
			inner := &plainWriter{source: w.source}
			inner.blocks(item, "")
			w.lines(strings.TrimSpace(inner.out.String()), indent+bullet, indent+strings.Repeat(" ", len(bullet)))
		}
		w.gap(n)
	case *ast.Blockquote:
		inner := &plainWriter{source: w.source}
		inner.blocks(n, "")
		w.lines(strings.TrimSpace(inner.out.String()), indent+"> ", indent+"> ")
		w.gap(n)
	case *ast.ThematicBreak:
		w.lines("---", indent, indent)
		w.gap(n)
	case *ast.CodeBlock:
		w.code(n.Lines().Value(w.source), indent)
		w.gap(n)
	case *ast.FencedCodeBlock:
		w.code(n.Lines().Value(w.source), indent)
		w.gap(n)
	case *tables.Table:
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			var cells []string
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells = append(cells, w.inline(cell))
			}
			w.lines(strings.Join(cells, " | "), indent, indent)
		}
		w.gap(n)
	default: // a paragraph, a heading, the text of a tight list's item
		w.lines(w.inline(n), indent, indent)
		if n.Kind() != ast.KindTextBlock {
			w.gap(n)
		}
	}
}

func (w *plainWriter) code(lines []byte, indent string) {
	w.lines(strings.TrimRight(string(lines), "\n"), indent+"    ", indent+"    ")
}

// gap leaves an empty line behind a block that another one follows.
func (w *plainWriter) gap(n ast.Node) {
	if n.NextSibling() != nil {
		w.out.WriteString("\n")
	}
}

// lines writes each line of text, the first behind first and the others behind rest.
func (w *plainWriter) lines(text, first, rest string) {
	for line := range strings.SplitSeq(text, "\n") {
		w.out.WriteString(strings.TrimRight(first+line, " ") + "\n")
		first = rest
	}
}

// inline gives the text of the inline nodes below n.
func (w *plainWriter) inline(n ast.Node) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			out.WriteString(unescape(c.Segment.Value(w.source)))
			if c.SoftLineBreak() || c.HardLineBreak() {
				out.WriteByte('\n')
			}
		case *ast.String:
			out.Write(c.Value)
		case *ast.CodeSpan:
			for part := c.FirstChild(); part != nil; part = part.NextSibling() {
				if t, ok := part.(*ast.Text); ok {
					out.WriteString(strings.ReplaceAll(string(t.Segment.Value(w.source)), "\n", " "))
				}
			}
		case *ast.AutoLink:
			out.Write(c.Label(w.source))
		case *ast.Link:
			out.WriteString(withAddress(w.inline(c), string(c.Destination)))
		case *ast.Image:
			out.WriteString(withAddress(w.inline(c), string(c.Destination)))
		default:
			out.WriteString(w.inline(c))
		}
	}
	return out.String()
}

// withAddress names the address of a link behind its text, unless that is the address itself.
func withAddress(label, address string) string {
	switch {
	case !isSafe(address), label == address:
		return label
	case label == "":
		return address
	}
	return label + " (" + address + ")"
}

// unescape resolves backslashes before punctuation, and entities.
func unescape(segment []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(segment))))
}
