package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// CheckQuery answers a fault that names the first value of a query that no database keeps: not UTF-8, or with the
// character NUL.
func CheckQuery(values url.Values) error {
	for name, all := range values {
		for _, value := range all {
			if !text.IsStorable(value) {
				return notStorable(name)
			}
		}
	}
	return nil
}

// CheckValues answers a fault that names the first value of a query or form that is no text that people can read.
func CheckValues(values url.Values) error {
	for name, all := range values {
		for _, value := range all {
			if err := checkValue(name, name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkValue refuses what no field takes. Passwords may have any characters; field, the innermost name of path, shows
// which they are.
func checkValue(path, field, value string) error {
	switch {
	case !text.IsStorable(value):
		return notStorable(path)
	case !text.IsVisible(value) && !isPassword(field):
		return fault.Invalid(path, "invisible_characters", "包含不可见或改变文字方向的字符，请删除后重试",
			"This has invisible characters, or ones that change the direction of writing; please remove them")
	}
	return nil
}

func isPassword(field string) bool {
	return strings.Contains(field, "password") || strings.Contains(field, "passwd") || strings.HasSuffix(field, "pwd")
}

const maxDepth = 64 // levels of JSON

// CheckJSON answers a fault for JSON that two programs may read differently or that people cannot read: text as
// CheckValues refuses it, half of a surrogate pair, a name that occurs twice in one object, or a number such as 1E400
// that no float has. What is no JSON at all is left to the decoder.
func CheckJSON(body []byte) error {
	if !utf8.Valid(body) {
		return ErrUnreadable
	}
	surrogates := bytes.Contains(body, []byte(`\ud`)) || bytes.Contains(body, []byte(`\uD`))
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var in jsonPath
	for {
		start := dec.InputOffset()
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		value, isText := token.(string)
		half := isText && surrogates && hasHalfSurrogate(body[start:dec.InputOffset()])
		if isText && in.expectsName() {
			again := in.name(value)
			switch {
			case half || !text.IsStorable(value) || !text.IsVisible(value):
				return ErrUnreadable
			case again:
				return fault.Invalid(in.String(), "repeated", in.String()+" 出现了不止一次",
					in.String()+" is given more than once")
			}
			continue
		}
		if half {
			return notStorable(in.String())
		}
		if isText {
			if err := checkValue(in.String(), in.field(), value); err != nil {
				return err
			}
		}
		if number, ok := token.(json.Number); ok && len(in) > 0 {
			if _, err := number.Float64(); err != nil {
				return fault.Invalid(in.String(), "range", "数字超出范围", "This number is out of range")
			}
		}
		switch delim, _ := token.(json.Delim); {
		case delim == '{' || delim == '[':
			if len(in) == maxDepth {
				return ErrUnreadable
			}
			in = append(in, level{object: delim == '{', names: map[string]bool{}})
			continue
		case delim != 0:
			in = in[:len(in)-1]
		}
		in.next()
	}
}

// hasHalfSurrogate reports whether a JSON string, as it is written in a body, escapes half of a surrogate pair, which
// the decoder replaces in silence.
func hasHalfSurrogate(raw []byte) bool {
	high := false // whether the escape before was the first half of a pair
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			if high {
				return true
			}
			continue
		}
		i++
		var unit uint64
		if raw[i] == 'u' { // four digits follow, else the decoder would not have given the token
			unit, _ = strconv.ParseUint(string(raw[i+1:i+5]), 16, 16)
			i += 4
		}
		low := unit >= 0xDC00 && unit <= 0xDFFF
		if high != low {
			return true
		}
		high = unit >= 0xD800 && unit <= 0xDBFF
	}
	return high
}

// jsonPath is a position in a JSON text, from the outermost object or array inwards.
type jsonPath []level

type level struct {
	object bool
	names  map[string]bool // of the object so far
	now    string          // the name whose value comes
	named  bool            // whether a value comes, not a name
	index  int             // in the array
}

func (p jsonPath) expectsName() bool {
	return len(p) > 0 && p[len(p)-1].object && !p[len(p)-1].named
}

// name goes to the value of a name and reports whether the object had that name before.
func (p jsonPath) name(name string) (again bool) {
	top := &p[len(p)-1]
	again = top.names[name]
	top.names[name], top.now, top.named = true, name, true
	return again
}

// next goes past a value.
func (p jsonPath) next() {
	if len(p) > 0 {
		top := &p[len(p)-1]
		top.named = false
		top.index++
	}
}

// field is the innermost name that one is at.
func (p jsonPath) field() string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].object {
			return p[i].now
		}
	}
	return ""
}

func (p jsonPath) String() string {
	var path strings.Builder
	for i, l := range p {
		switch {
		case !l.object:
			fmt.Fprintf(&path, "[%d]", l.index)
		case i > 0:
			path.WriteString("." + l.now)
		default:
			path.WriteString(l.now)
		}
	}
	if path.Len() == 0 {
		return "body"
	}
	return path.String()
}

func notStorable(name string) error {
	if !text.IsStorable(name) {
		return ErrUnreadable
	}
	return fault.Invalid(name, "characters", "包含无法保存的字符", "This has characters that cannot be kept")
}
