package mail

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airstrip/internal/fault"
	"airstrip/internal/markdown"
	"airstrip/internal/text"
)

const (
	maxSubject = 150    // characters
	maxBody    = 10_000 // characters
)

// check tidies a template that is written and names what is wrong with it: subject or body.
func (m *Mails) check(t *Template) error {
	t.Subject = strings.TrimSpace(t.Subject)
	t.Body = strings.TrimSpace(strings.ReplaceAll(t.Body, "\r\n", "\n"))
	k, known := kindNamed(t.Kind)
	if !known {
		return ErrNoTemplate
	}
	v := m.exampleValues(k, t.Lang)
	var p fault.Problems
	p.When(t.Subject == "", "subject", "required", "请填写主题", "Please write a subject")
	p.When(utf8.RuneCountInString(t.Subject) > maxSubject, "subject", "too_long", "主题最多 150 字",
		"A subject has at most 150 characters")
	p.When(strings.ContainsFunc(t.Subject, endsLine), "subject", "line_break", "主题不能换行", "A subject is one line")
	p.When(!text.IsStorable(t.Subject), "subject", "characters", "含有无法存储的字符", "It has characters that cannot be stored")
	p.When(t.Body == "", "body", "required", "请填写正文", "Please write a text")
	p.When(utf8.RuneCountInString(t.Body) > maxBody, "body", "too_long", "正文最多 10000 字",
		"A text has at most 10,000 characters")
	p.When(!text.IsStorable(t.Body), "body", "characters", "含有无法存储的字符", "It has characters that cannot be stored")
	for field, source := range map[string]string{"subject": t.Subject, "body": t.Body} {
		unknown := v.unknown(source)
		p.When(unknown != "", field, "unknown_variable", "没有这个变量："+unknown, "There is no such variable: "+unknown)
	}
	for name := range v.blocks {
		p.When(markdown.Uses(t.Subject, name), "subject", "block_variable", "主题中不能使用 {{"+name+"}}",
			"{{"+name+"}} cannot be in a subject")
		p.When(v.hasWithin(t.Body, name), "body", "block_variable", "{{"+name+"}} 须单独占一行",
			"{{"+name+"}} needs a line of its own")
	}
	for _, name := range v.needed {
		p.When(!markdown.Uses(t.Body, name), "body", "missing_variable", "缺少 {{"+name+"}}，没有它这封邮件就没有用处",
			"{{"+name+"}} is missing: the mail is of no use without it")
	}
	p.When(v.leaves(t.Body), "body", "variable_in_address", "变量不能写在其他网站的网址中，否则会随点击发给该网站",
		"A variable cannot be a part of another site's address: whoever clicks would give it to that site")
	return p.Err()
}

// endsLine reports whether some program reads a new line where r is; a control character is none that anybody needs.
func endsLine(r rune) bool {
	const lineSeparator, paragraphSeparator = 0x2028, 0x2029
	return unicode.IsControl(r) || r == lineSeparator || r == paragraphSeparator
}

// unknown returns what in source looks like a variable and is none; empty: nothing.
func (v *values) unknown(source string) string {
	rest := markdown.FillPlain(source, func(name string) (string, bool) { return "", v.has(name) })
	_, after, found := strings.Cut(rest, "{{")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(after, "}}")
	name, _, _ = strings.Cut(name, "\n")
	const most = 40
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most]) + "…"
	}
	return strings.TrimSpace(name)
}

// hasWithin reports whether a block is among other words of body.
func (v *values) hasWithin(body, name string) bool {
	return slices.ContainsFunc(v.parts(body), func(p part) bool { return markdown.Uses(p.markdown, name) })
}

// leaves reports whether a link to another site has a variable in its address, so that a click gives the value away.
func (v *values) leaves(body string) bool {
	const site, mark = "https://site.airstrip.invalid", "airstrip1variable2mark"
	for _, one := range v.parts(body) {
		filled := markdown.FillPlain(one.markdown, func(name string) (string, bool) {
			if _, isAddress := v.addresses[name]; isAddress {
				return site, true
			}
			return mark, true
		})
		for _, target := range markdown.Targets(filled) {
			target = strings.ToLower(target)
			isOurs := target == site || strings.HasPrefix(target, site+"/") ||
				strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") && !strings.HasPrefix(target, `/\`)
			if !isOurs && (strings.Contains(target, mark) || strings.Contains(target, site)) {
				return true
			}
		}
	}
	return false
}
