package format

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxName = 64 // In runes; longer names break the layout of clients.

// clean returns a name that is safe in every format: one line, without control and direction characters or commas,
// which clients that convert the file to their own text format misread.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == ',':
			return '，'
		case r == '\u200d' || r == '\ufe0f': // They join emoji.
			return r
		case r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) ||
			unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
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

// flag returns the flag of a country, empty if unknown.
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

// flagged reports whether a name begins with a flag.
func flagged(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return first >= '🇦' && first <= '🇿'
}

// names holds the names in use. Some clients do not distinguish case.
type names map[string]bool

// unique returns name, with a number if it is in use.
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
