package format

import (
	"cmp"
	"strconv"
	"strings"
)

// Version is a program's version, compared number by number. It is zero if unknown.
type Version [3]int

// parseVersion reads the numbers at the start of text, as in "1.12.0-rc.2", "v2.0" or "2701", and ignores the rest.
func parseVersion(text string) (v Version) {
	text = strings.TrimLeft(text, " /v")
	for i := range v {
		digits := 0
		for digits < len(text) && digits < 9 && text[digits] >= '0' && text[digits] <= '9' {
			digits++
		}
		v[i], _ = strconv.Atoi(text[:digits])
		if digits == len(text) || text[digits] != '.' {
			break
		}
		text = text[digits+1:]
	}
	return v
}

// Known reports whether the version is known.
func (v Version) Known() bool { return v != Version{} }

// Before reports whether v is an older version than w.
func (v Version) Before(w Version) bool {
	for i := range v {
		if c := cmp.Compare(v[i], w[i]); c != 0 {
			return c < 0
		}
	}
	return false
}

func (v Version) String() string {
	if !v.Known() {
		return ""
	}
	return strings.TrimSuffix(strconv.Itoa(v[0])+"."+strconv.Itoa(v[1])+"."+strconv.Itoa(v[2]), ".0.0")
}
