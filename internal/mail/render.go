package mail

import (
	htmltemplate "html/template"
	"regexp"
	"strings"

	"airstrip/internal/markdown"
)

// line fills in a text of one line that is no Markdown.
func (v *values) line(template string) string {
	filled := markdown.FillPlain(template, func(name string) (string, bool) {
		text, known := v.texts[name]
		if !known {
			text, known = v.addresses[name]
		}
		return text, known
	})
	return strings.Join(strings.Fields(filled), " ")
}

// part is a part of a template's body: Markdown, or the name of a block.
type part struct{ markdown, block string }

// alone matches the line of a variable that stands alone.
var alone = regexp.MustCompile(`^ *\{\{ *([a-z][a-z_]*) *\}\} *$`)

// parts divides a body at the lines of its blocks, so that these are never within Markdown.
func (v *values) parts(body string) (all []part) {
	var lines []string
	end := func() {
		if text := strings.Trim(strings.Join(lines, "\n"), "\n"); text != "" {
			all = append(all, part{markdown: text})
		}
		lines = nil
	}
	for line := range strings.SplitSeq(body, "\n") {
		if found := alone.FindStringSubmatch(line); found != nil {
			if _, isBlock := v.blocks[found[1]]; isBlock {
				end()
				all = append(all, part{block: found[1]})
				continue
			}
		}
		lines = append(lines, line)
	}
	end()
	return all
}

func (v *values) plain(body string) string {
	return v.join(body, func(b block) string { return strings.TrimRight(b.plain, "\n") },
		func(filled string) string { return markdown.TextFrom(v.site, filled) }, "\n\n")
}

func (v *values) html(body string) htmltemplate.HTML {
	// Blocks are safe, and so is what package markdown makes.
	return htmltemplate.HTML(v.join(body, func(b block) string { return string(b.html) },
		func(filled string) string { return strings.TrimSpace(markdown.HTMLFrom(v.site, filled)) }, "\n"))
}

func (v *values) join(body string, ofBlock func(block) string, ofMarkdown func(string) string, gap string) string {
	var texts []string
	for _, one := range v.parts(body) {
		text := ""
		if one.block != "" {
			text = ofBlock(v.blocks[one.block])
		} else {
			text = ofMarkdown(markdown.Fill(one.markdown, v.texts, v.addresses))
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Trim(strings.Join(texts, gap), "\n")
}
