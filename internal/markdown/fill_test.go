package markdown

import (
	"strings"
	"testing"
)

func TestFill_ShowsValuesAsText(t *testing.T) {
	hostile := "a*b* [x](javascript:alert(1)) <script>`|` \n# 1. &lt;"
	for source, want := range map[string]string{
		"{{name}}":                  "<p>a*b* [x](javascript:alert(1)) &lt;script&gt;`|` # 1. &amp;lt;</p>\n",
		"**{{ name }}**":            "<p><strong>a*b* [x](javascript:alert(1)) &lt;script&gt;`|` # 1. &amp;lt;</strong></p>\n",
		"`{{name}}`":                "<p><code>a*b* [x](javascript:alert(1)) &lt;script&gt;&#39;|&#39; # 1. &amp;lt;</code></p>\n",
		"    {{name}}":              "<pre><code>a*b* [x](javascript:alert(1)) &lt;script&gt;&#39;|&#39; # 1. &amp;lt;\n</code></pre>\n",
		"```\n{{url}}\n```":         "<pre><code>https://example.com/a_b_c?x=1&amp;y=2\n</code></pre>\n",
		"`{{url}}`":                 "<p><code>https://example.com/a_b_c?x=1&amp;y=2</code></p>\n",
		"{{url}}":                   "<p>https://example.com/a_b_c?x=1&amp;y=2</p>\n",
		"{{other}} and {{Name}} {}": "<p>{{other}} and {{Name}} {}</p>\n",
	} {
		filled := Fill(source, map[string]string{"name": hostile},
			map[string]string{"url": "https://example.com/a_b_c?x=1&y=2"})
		if got := HTML(filled); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s:\n%s\n%s, want\n%s", source, filled, got, want)
		}
	}
	got := HTML(Fill("[here]({{url}}/buy)", nil, map[string]string{"url": "https://example.com"}))
	if !strings.Contains(got, `href="https://example.com/buy"`) {
		t.Error(got)
	}
}

func TestUses_FindsVariables(t *testing.T) {
	if !Uses("a {{ link }}", "link") || Uses("a {{links}} {link}", "link") {
		t.Error("a variable is not told from other text")
	}
}

func TestInAddress_FindsWhatLeavesThePage(t *testing.T) {
	for source, inside := range map[string]bool{
		"[a](https://x.example/?u={{link}})":           true,
		"[a](<https://x.example/?u={{ link }}>)":       true,
		"![a](https://x.example/{{link}}.png)":         true,
		"<https://x.example/?u={{link}}>":              true,
		"https://x.example/?u={{link}}":                true,
		"[a][1]\n\n[1]: https://x.example/?u={{link}}": true,
		"[{{link}}](https://x.example)":                false,
		"`{{link}}` {{link}} [a](https://x.example)":   false,
		"[a]({{url}}/?u=link)":                         false,
	} {
		if InAddress(source, "link") != inside {
			t.Errorf("%q: %t", source, !inside)
		}
	}
}
