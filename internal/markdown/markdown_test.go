package markdown_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"airstrip/internal/markdown"
)

func TestHTML(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a paragraph":             {"Hello *you*, **all**", "<p>Hello <em>you</em>, <strong>all</strong></p>\n"},
		"each line break":         {"one\ntwo", "<p>one<br>\ntwo</p>\n"},
		"a heading":               {"## Title", "<h2>Title</h2>\n"},
		"emphasis in Chinese":     {"**注意：**请更新", "<p><strong>注意：</strong>请更新</p>\n"},
		"emphasis after Chinese":  {"请看**“公告”**内容", "<p>请看<strong>“公告”</strong>内容</p>\n"},
		"underscores in words":    {"user_name_here", "<p>user_name_here</p>\n"},
		"HTML as text":            {"<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"},
		"a block of HTML as text": {"<script>\nalert(1)\n</script>", "<p>&lt;script&gt;<br>\nalert(1)<br>\n&lt;/script&gt;</p>\n"},
		"a link": {
			"[here](https://example.com/a?b=c&d)",
			`<p><a href="https://example.com/a?b=c&amp;d" rel="nofollow noreferrer noopener" target="_blank">here</a></p>` + "\n",
		},
		"a link to this site": {
			"[shop](/user/services/buy)", `<p><a href="/user/services/buy" rel="nofollow noreferrer">shop</a></p>` + "\n",
		},
		"a bare link": {
			"https://example.com",
			`<p><a href="https://example.com" rel="nofollow noreferrer noopener" target="_blank">https://example.com</a></p>` +
				"\n",
		},
		"a mail address": {
			"<help@example.com>", `<p><a href="mailto:help@example.com" rel="nofollow noreferrer">help@example.com</a></p>` + "\n",
		},
		"a picture as a link": {
			"![plan](https://example.com/a.png)",
			`<p><a href="https://example.com/a.png" rel="nofollow noreferrer noopener" target="_blank">plan</a></p>` + "\n",
		},
		"a picture without a name": {
			"![](https://example.com/)",
			`<p><a href="https://example.com/" rel="nofollow noreferrer noopener" target="_blank">https://example.com/</a></p>` +
				"\n",
		},
		"a script as text alone": {"[x](javascript:alert(1))", "<p>x</p>\n"},
		"a table": {
			"| a | b |\n| - | -: |\n| 1 | 2 |",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n" +
				"<tbody>\n<tr>\n<td>1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>\n",
		},
		"code":                {"`<b>`\n\n```js\nlet a = '<'\n```", "<p><code>&lt;b&gt;</code></p>\n<pre><code>let a = &#39;&lt;&#39;\n</code></pre>\n"},
		"a list":              {"3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n"},
		"what was struck":     {"~~old~~", "<p><del>old</del></p>\n"},
		"bytes that are none": {"a\xffb", "<p>a\uFFFDb</p>\n"},
		"nothing":             {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.HTML(c.source); got != c.want {
				t.Errorf("%q is\n%q, want\n%q", c.source, got, c.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"paragraphs":    {"# Title\n\nHello **you**\nall", "Title\n\nHello you\nall"},
		"a link":        {"[here](https://example.com) or https://example.org", "here (https://example.com) or https://example.org"},
		"no script":     {"[x](javascript:alert(1))", "x"},
		"lists":         {"- a\n- b\n  1. c\n  2. d\n\nend", "- a\n- b\n  1. c\n  2. d\n\nend"},
		"a quote":       {"> a\n> b\n\nc", "> a\n> b\n\nc"},
		"code":          {"`a\\*b`\n\n```\nx\n  y\n```", "a\\*b\n\n    x\n      y"},
		"a table":       {"| a | b |\n| - | - |\n| 1 | 2 |", "a | b\n1 | 2"},
		"escapes":       {`\*a\* &lt;b&gt; &#65;`, "*a* <b> A"},
		"HTML as it is": {"<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.Text(c.source); got != c.want {
				t.Errorf("%q is\n%q, want\n%q", c.source, got, c.want)
			}
		})
	}
}

// hostile are sources that would run a script, load something or leave their place where a renderer lets HTML or
// addresses through.
var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<iframe src=//evil>",
	"<a href=\"javascript:alert(1)\">x</a>", "<style>*{background:url(//evil)}</style>", "<base href=//evil>",
	"<form action=//evil><input name=a></form>", "<math><mtext></p><script>alert(1)</script>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](&#106;avascript:alert(1))",
	"[x](java&#10;script:alert(1))", "[x](&#x01;javascript:alert(1))", "[x]( javascript:alert(1))",
	"[x](<java\\\nscript:alert(1)>)", "[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:msgbox(1))",
	"[x](file:///etc/passwd)", "[x](blob:https://site/1)", "[x](view-source:x)", "[x](clash://install-config?url=evil)",
	"![x](javascript:alert(1))", "![x](https://evil/x.png\" onerror=\"alert(1))", "![\"onerror=alert(1)](x)",
	"<javascript:alert(1)>", "<data:text/html,x>", "[x]: javascript:alert(1)\n\n[x]", "javascript:alert(1)",
	"[x](https://a\"onmouseover=\"alert(1))", "[x](https://a 'onmouseover=alert(1)')", "[x](https://a `onclick=alert(1)`)",
	"**<img/src/onerror=alert(1)>**", "`<script>`<script>alert(1)</script>", "```\"><script>alert(1)</script>\nx\n```",
	"```js onload=alert(1)\nx\n```", "# <script>alert(1)</script> {onclick=alert(1)}", "[a](x){onclick=alert(1)}",
	"| <script>alert(1)</script> | b |\n| - | - |\n| <img src=x onerror=alert(1)> | x |", "<!--><script>alert(1)</script>-->",
	"<![CDATA[><script>alert(1)</script>]]>", "<?x ><script>alert(1)</script>?>", "&lt;script&gt;alert(1)&lt;/script&gt;",
	"\u2028<script>alert(1)</script>", "<scr\x00ipt>alert(1)</script>", "[x](http://[::1]:namedport)",
	"<https://x/\"onclick=alert(1)>", "https://x/\"onclick=alert(1)", "www.x.com/'><script>alert(1)</script>",
	"[<img src=x onerror=alert(1)>](https://x)", "[x](//evil/\\\"onclick=alert(1))", "[x](\\\\evil)",
}

func TestHTML_OfHostileSources_RunsAndLoadsNothing(t *testing.T) {
	for _, source := range hostile {
		checkSafe(t, source)
	}
}

func FuzzHTML(f *testing.F) {
	for _, source := range hostile {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) { checkSafe(t, source) })
}

var elements = strings.Fields("p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li " +
	"table thead tbody tr th td a")

// checkSafe parses what HTML makes as browsers do and looks at each element, attribute and address.
func checkSafe(t *testing.T, source string) {
	t.Helper()
	out := markdown.HTML(source)
	for z := html.NewTokenizer(strings.NewReader(out)); z.Next() != html.ErrorToken; {
		token := z.Token()
		switch token.Type {
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			if !slices.Contains(elements, token.Data) {
				t.Errorf("%q has the element %s: %s", source, token.Data, out)
			}
		case html.CommentToken, html.DoctypeToken:
			t.Errorf("%q has a comment: %s", source, out)
		}
		for _, a := range token.Attr {
			switch {
			case a.Key == "href":
				u, err := url.Parse(a.Val)
				if err != nil || !slices.Contains([]string{"", "http", "https", "mailto", "tg"}, u.Scheme) {
					t.Errorf("%q leads to %q", source, a.Val)
				}
			case !slices.Contains([]string{"rel", "target", "align", "start"}, a.Key):
				t.Errorf("%q has the attribute %s=%q", source, a.Key, a.Val)
			}
		}
	}
}

func TestMarkdown_NestedWithoutBound_Ends(t *testing.T) {
	const length = 20_000
	for _, part := range []string{">", "- ", "* ", "1. ", "*", "_a", "[", "![", "`", "<", "~", "|", "\\", "&", "**a *", "(", "[a]("} {
		source := strings.Repeat(part, length/len(part))
		checkSafe(t, source)
		markdown.Text(source)
	}
}

func TestMarkdown_ReadElsewhere_LinksLeadToTheSite(t *testing.T) {
	const base = "https://air.example.com/"
	for source, want := range map[string]string{
		"[a](/shop)":                    "https://air.example.com/shop",
		"[a](user/tickets?x=1#y)":       "https://air.example.com/user/tickets?x=1#y",
		"![a](/poster.png)":             "https://air.example.com/poster.png",
		"[a](//other.example/b)":        "https://other.example/b",
		"[a](https://other.example/b)":  "https://other.example/b",
		"[a](tg://resolve?domain=name)": "tg://resolve?domain=name",
	} {
		if got := markdown.HTMLFrom(base, source); !strings.Contains(got, `href="`+want+`"`) {
			t.Errorf("%s becomes %s, want %s", source, got, want)
		}
		if got := markdown.TextFrom(base, source); got != "a ("+want+")" {
			t.Errorf("%s becomes %s, want %s", source, got, want)
		}
	}
	if got := markdown.HTMLFrom(base, "[a](javascript:alert)"); strings.Contains(got, "href") {
		t.Errorf("a script became a link: %s", got)
	}
}
