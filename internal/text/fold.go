package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Folded returns the form of s by which texts are the same that differ only in the case or width of letters, in white
// space, or in characters that nobody sees. It is stored (gateway_settlement.reference_key), so it must not change.
func Folded(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || isInvisible(c) {
			return -1
		}
		return c
	}, strings.ToLower(norm.NFKC.String(s)))
}
