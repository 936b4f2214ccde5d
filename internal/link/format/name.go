package format

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxName = 64 // runes; longer ones break the layout of clients

// clean makes a name that no format needs to fear: one line, no control or direction marks, no comma (what follows one is
// read as something else by clients that turn the file into their own text format).
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == ',':
			return '，'
		case r == '\u200d' || r == '\ufe0f': // hold emoji together
			return r
		case r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, " "))
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName]))
	}
	return name
}

// flag gives the flag of a country, empty where it is not known.
func flag(country string) string {
	if len(country) != 2 || country == "ZZ" {
		return ""
	}
	var out []rune
	for _, c := range strings.ToUpper(country) {
		if c < 'A' || c > 'Z' {
			return ""
		}
		out = append(out, '🇦'+c-'A')
	}
	return string(out)
}

// flagged tells whether a name begins with a flag already.
func flagged(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return first >= '🇦' && first <= '🇿'
}

// names gives out names that are not given yet; some clients take those that differ in case for the same.
type names map[string]bool

// unique gives name, or name with a number behind it where it is taken.
func (n names) unique(name string) string {
	if name == "" {
		name = "node"
	}
	unique := name
	for i := 2; n[strings.ToLower(unique)]; i++ {
		unique = name + " " + strconv.Itoa(i)
	}
	n[strings.ToLower(unique)] = true
	return unique
}
