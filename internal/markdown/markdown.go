// Package markdown turns Markdown that people write into HTML that is safe to show, and into plain text. The dialect is
// CommonMark with tables, strikethrough and bare links. Each line break is one, as people expect who write messages,
// and emphasis works beside Chinese punctuation. HTML in the source is text. What the web app shows of the same source
// (web/src/ui/markdown.tsx) follows the same rules.
package markdown

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// schemes are those of the addresses that links may lead to. Addresses without a scheme lead to this site.
var schemes = []string{"http", "https", "mailto", "tg"}

// maxDepth bounds how deep quotes and lists may be nested; the renderers recurse.
const maxDepth = 32

var (
	engine = goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(
				util.Prioritized(parser.NewSetextHeadingParser(), 100),
				util.Prioritized(parser.NewThematicBreakParser(), 200),
				util.Prioritized(parser.NewListParser(), 300),
				util.Prioritized(parser.NewListItemParser(), 400),
				util.Prioritized(parser.NewCodeBlockParser(), 500),
				util.Prioritized(parser.NewATXHeadingParser(), 600),
				util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
				util.Prioritized(parser.NewBlockquoteParser(), 800),
				util.Prioritized(parser.NewParagraphParser(), 1000),
			),
			parser.WithInlineParsers(
				util.Prioritized(parser.NewCodeSpanParser(), 100),
				util.Prioritized(parser.NewLinkParser(), 200),
				util.Prioritized(parser.NewAutoLinkParser(), 300),
				util.Prioritized(emphasis{}, 500),
			),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough,
			extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:", "mailto:"})),
		),
		goldmark.WithRendererOptions(
			html.WithHardWraps(),
			renderer.WithNodeRenderers(util.Prioritized(links{}, 100)),
		),
	)
	policy = newPolicy()
)

// newPolicy allows what the renderers write, and nothing else. It stands behind them as a second line of defence.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre",
		"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes(schemes...)
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// HTML renders source as HTML that holds no script, no style, no picture and no link but to a web page, a mail address,
// Telegram or this site.
func HTML(source string) string { return HTMLFrom("", source) }

// HTMLFrom is HTML for readers who are elsewhere, such as of a mail: links without a site lead to that of base, an
// address with its scheme. An empty base leaves them as they are.
func HTMLFrom(base, source string) string {
	doc, bytesOf := parse(source)
	resolve(doc, base)
	var out bytes.Buffer
	if err := engine.Renderer().Render(&out, bytesOf, doc); err != nil {
		return policy.Sanitize("<p>" + string(util.EscapeHTML(bytesOf)) + "</p>") // a bytes.Buffer never fails
	}
	return policy.Sanitize(out.String())
}

// resolve gives links and pictures without a site that of base.
func resolve(doc ast.Node, base string) {
	from, err := url.Parse(base)
	if base == "" || err != nil {
		return
	}
	absolute := func(address []byte) []byte {
		to, err := url.Parse(strings.TrimSpace(string(address)))
		if err != nil || to.Scheme != "" || !isSafe(string(address)) {
			return address
		}
		return []byte(from.ResolveReference(to).String())
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination = absolute(n.Destination)
			}
		case *ast.Image:
			if entering {
				n.Destination = absolute(n.Destination)
			}
		}
		return ast.WalkContinue, nil
	})
}

// parse reads source. What is nested too deeply loses its markers, so that no renderer recurses without bound.
func parse(source string) (ast.Node, []byte) {
	content := []byte(shallow(strings.ToValidUTF8(source, "\uFFFD")))
	return engine.Parser().Parse(text.NewReader(content)), content
}

// shallow takes from each line the quote and list markers beyond maxDepth.
func shallow(source string) string {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		markers := 0
		for at := 0; at < len(line); at++ {
			switch c := line[at]; {
			case c == '>' || c == '-' || c == '+' || c == '*':
				markers++
			case c == '.' || c == ')':
				markers++
			case c == ' ' || c == '\t' || '0' <= c && c <= '9':
			default:
				at = len(line)
				continue
			}
			if markers > maxDepth {
				lines[i] = line[:at]
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// isSafe tells whether a link may lead to an address. It reads the address as browsers do, which leave out control
// characters.
func isSafe(address string) bool {
	if strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && (u.Scheme == "" || slices.Contains(schemes, strings.ToLower(u.Scheme)))
}

// links renders links that may be followed, the text of those that may not, and pictures as links: the pages load
// pictures from this site alone.
type links struct{}

func (l links) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindLink, l.link)
	register.Register(ast.KindImage, l.image)
	register.Register(ast.KindAutoLink, l.autoLink)
}

func (l links) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	return l.write(w, string(n.(*ast.Link).Destination), entering)
}

func (l links) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	address := string(n.(*ast.Image).Destination)
	status, err := l.write(w, address, entering)
	if entering && !n.HasChildren() {
		_, err = w.Write(util.EscapeHTML([]byte(address)))
	}
	return status, err
}

func (l links) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	address := autoAddress(link, source)
	if status, err := l.write(w, address, true); err != nil {
		return status, err
	}
	_, _ = w.Write(util.EscapeHTML(link.Label(source)))
	return l.write(w, address, false)
}

func (links) write(w util.BufWriter, address string, entering bool) (ast.WalkStatus, error) {
	if !isSafe(address) {
		return ast.WalkContinue, nil
	}
	if !entering {
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	}
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(util.EscapeHTML(util.URLEscape([]byte(address), true)))
	_, err := w.WriteString(`">`)
	return ast.WalkContinue, err
}

func autoAddress(link *ast.AutoLink, source []byte) string {
	address := string(link.URL(source))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		return "mailto:" + address
	}
	return address
}
