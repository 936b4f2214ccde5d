package api

import (
	"bytes"
	"encoding/json"
	"slices"

	"airstrip/internal/fault"
)

// maxNames bounds the names of one object, each of which is compared with all others.
const maxNames = 64

// DecodeExactly reads JSON of an API whose names are lower-case letters, digits and underscores. Package json alone
// would take PASSWORD for password, and the last of two equal names. Unknown names of that form are ignored. It looks
// at each byte once and allocates nothing for each row, since reports have thousands.
func DecodeExactly(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return err
	}
	// From here on body is known to be JSON.
	var names [][]byte // of the objects that one is in, those of the outermost first
	var opened []int   // how many names there were when each object or array began
	expectsName := false
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			opened, expectsName = append(opened, len(names)), body[i] == '{'
		case '}', ']':
			names, opened, expectsName = names[:opened[len(opened)-1]], opened[:len(opened)-1], false
		case ',':
			// In an array a string after a comma is a value; no colon follows it, as one follows a name.
			expectsName = true
		case '"':
			end := i + 1 + endOfString(body[i+1:])
			if expectsName && isName(body[end+1:]) {
				name := body[i+1 : end]
				if !isExact(name) {
					return fault.Invalid(string(name), "unknown", "没有这个字段", "There is no such field")
				}
				before := names[opened[len(opened)-1]:]
				if len(before) == maxNames {
					return ErrTooLarge
				}
				if slices.ContainsFunc(before, func(n []byte) bool { return bytes.Equal(n, name) }) {
					return fault.Invalid(string(name), "repeated", string(name)+" 出现了不止一次",
						string(name)+" is given more than once")
				}
				names = append(names, name)
			}
			i, expectsName = end, false
		}
	}
	return nil
}

// endOfString returns where the closing quote of a string is whose opening one precedes s.
func endOfString(s []byte) int {
	for i := 0; ; i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
}

// isName reports whether a colon follows a string.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

func isExact(name []byte) bool {
	return !slices.ContainsFunc(name, func(c byte) bool {
		return c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
}
