package mail

import (
	htmltemplate "html/template"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// values are what the variables of a template stand for in one mail. A content gives all variables of its kind each
// time, whatever it holds; one that has nothing to say is empty. So the values of an example say which there are.
type values struct {
	lang      fault.Lang
	zone      *time.Location
	site      string            // address, without closing slash
	recipient string            // address
	button    string            // colour of buttons
	texts     map[string]string // words within a line; nothing in them is Markdown
	addresses map[string]string // of the site's pages; links may begin with them
	blocks    map[string]block
	needed    []string // without which the mail is of no use
}

// block is a part of a mail that stands on lines of its own. What opens something, such as a code, is one: it can be no
// part of an address that leads to another site.
type block struct {
	plain string
	html  htmltemplate.HTML
}

func newValues(lang fault.Lang, zone *time.Location, siteName, site, recipient string) *values {
	return &values{
		lang: lang, zone: zone, site: site, recipient: recipient,
		texts:     map[string]string{"site_name": siteName, "recipient": recipient},
		addresses: map[string]string{"site_url": site},
		blocks:    map[string]block{},
	}
}

// text gives a variable the same words in both languages.
func (v *values) text(name, value string) { v.texts[name] = value }

// say gives a variable words in the language of the reader.
func (v *values) say(name, zh, en string) { v.texts[name] = fault.Text{ZH: zh, EN: en}.In(v.lang) }

func (v *values) time(name string, at time.Time) { v.texts[name] = v.when(at) }

func (v *values) when(at time.Time) string { return at.In(v.zone).Format("2006-01-02 15:04 (MST)") }

func (v *values) amount(name string, amount money.Amount, currency string) {
	v.texts[name] = amount.String() + " " + currency
}

// origin gives where a change came from; of one that came from no address who made it.
func (v *values) origin(ip string, nobody fault.Text) {
	if ip == "" {
		v.texts["origin"] = nobody.In(v.lang)
		return
	}
	v.say("origin", "从 IP 地址 "+ip, "from the address "+ip)
}

// page gives a variable the address of one of the site's pages.
func (v *values) page(name, path string) { v.addresses[name] = v.site + path }

// message gives a variable what a person wrote, with its lines as they are.
func (v *values) message(name, plain string) {
	v.block(name, plain, `<p style="white-space:pre-wrap">`+escape(plain)+`</p>`)
}

// block gives a variable lines of its own. Whoever calls it has escaped what is in html.
func (v *values) block(name, plain, html string) {
	v.blocks[name] = block{plain, htmltemplate.HTML(html)}
}

func (v *values) need(names ...string) { v.needed = append(v.needed, names...) }

func (v *values) has(name string) bool {
	_, isText := v.texts[name]
	_, isAddress := v.addresses[name]
	_, isBlock := v.blocks[name]
	return isText || isAddress || isBlock
}

// names are those of all variables.
func (v *values) names() []string {
	return slices.Sorted(func(yield func(string) bool) {
		all := []iter.Seq[string]{maps.Keys(v.texts), maps.Keys(v.addresses), maps.Keys(v.blocks)}
		for _, some := range all {
			for name := range some {
				if !yield(name) {
					return
				}
			}
		}
	})
}

// example is the value of a variable as it is shown to who writes a template.
func (v *values) example(name string) string {
	if value, ok := v.blocks[name]; ok {
		return strings.TrimSpace(value.plain)
	}
	return v.texts[name] + v.addresses[name]
}

func escape(plain string) string { return htmltemplate.HTMLEscapeString(plain) }
