package text

import (
	"regexp"
	"strconv"
)

// integer matches the one spelling of an integer: no plus sign, no leading zeros, no spaces.
var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// Integer reads an integer in its one decimal spelling, so that no other reader takes the same text for another
// number. ok is false for anything else, and for what does not fit into 64 bits.
func Integer(s string) (n int64, ok bool) {
	if !integer.MatchString(s) {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
