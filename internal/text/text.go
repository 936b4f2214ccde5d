// Package text tells which texts the site takes from people and programs. A text that fails IsStorable cannot be kept
// by both databases; one that fails IsVisible shows something other than it is, such as a name that looks like another
// one.
package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsStorable reports whether s is UTF-8 without the character NUL, which PostgreSQL does not keep.
func IsStorable(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// IsVisible reports whether s has only characters that are seen as themselves: no control characters but tab and line
// ends, none that changes the direction of writing, and none without a width. Joiners and variation selectors count
// where they make up an emoji.
func IsVisible(s string) bool {
	at := strings.IndexFunc(s, isInvisible)
	return at < 0 || !strings.ContainsFunc(emoji.ReplaceAllLiteralString(s, ""), isInvisible)
}

func isInvisible(r rune) bool {
	switch {
	case r >= ' ' && r <= '~', r == '\t', r == '\n', r == '\r':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point) || r == blank
}

const blank = '\u2800' // BRAILLE PATTERN BLANK, a symbol to Unicode

// emoji matches the emoji that have invisible parts, as Unicode Technical Standard 51 forms them: a sequence joined by
// U+200D, a symbol that is shown in colour or as text by a variation selector, a keycap, the flag of a region.
var emoji = func() *regexp.Regexp {
	const (
		symbol  = `[\p{So}\p{Sm}\x{203C}\x{2049}\x{3030}\x{1F000}-\x{1FAFF}]`
		element = symbol + `\x{FE0F}?[\x{1F3FB}-\x{1F3FF}]?`
	)
	return regexp.MustCompile(element + `(?:\x{200D}` + element + `)+|` + symbol +
		`[\x{FE0E}\x{FE0F}]|[0-9#*]\x{FE0F}\x{20E3}|` +
		`\x{1F3F4}[\x{E0030}-\x{E0039}\x{E0061}-\x{E007A}]{3,6}\x{E007F}`)
}()
