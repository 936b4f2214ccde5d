package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"airstrip/internal/fault"
)

// CheckValues answers a fault that names the first value that is no text: not UTF-8, or with the character NUL, which
// the databases do not keep.
func CheckValues(values url.Values) error {
	for name, all := range values {
		for _, text := range all {
			if !sound(text) {
				return notText(name)
			}
		}
	}
	return nil
}

const deepest = 64 // levels of JSON

// CheckJSON answers a fault for JSON that two programs may read differently: text as CheckValues refuses it, or a name
// that stands twice in one object. What is no JSON at all is left to the one who decodes it.
func CheckJSON(body []byte) error {
	if !utf8.Valid(body) {
		return ErrUnreadable
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var in place
	for {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		text, isText := token.(string)
		if isText && in.expectsName() {
			again := in.name(text)
			switch {
			case !sound(text):
				return ErrUnreadable
			case again:
				return fault.Invalid(in.String(), "repeated", in.String()+" 出现了不止一次", in.String()+" is given more than once")
			}
			continue
		}
		switch delim, _ := token.(json.Delim); {
		case isText && !sound(text):
			return notText(in.String())
		case delim == '{' || delim == '[':
			if len(in) == deepest {
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

// place is where in a JSON text one is, from the outermost object or array inwards.
type place []level

type level struct {
	object bool
	names  map[string]bool // that were seen in the object
	now    string          // the name whose value comes
	named  bool            // whether a value comes, not a name
	index  int             // in the array
}

func (p place) expectsName() bool {
	return len(p) > 0 && p[len(p)-1].object && !p[len(p)-1].named
}

// name goes to the value of a name and tells whether it was there before.
func (p place) name(name string) (again bool) {
	top := &p[len(p)-1]
	again = top.names[name]
	top.names[name], top.now, top.named = true, name, true
	return again
}

// next goes past a value.
func (p place) next() {
	if len(p) > 0 {
		top := &p[len(p)-1]
		top.named = false
		top.index++
	}
}

func (p place) String() string {
	var text strings.Builder
	for i, l := range p {
		switch {
		case !l.object:
			fmt.Fprintf(&text, "[%d]", l.index)
		case i > 0:
			text.WriteString("." + l.now)
		default:
			text.WriteString(l.now)
		}
	}
	if text.Len() == 0 {
		return "body"
	}
	return text.String()
}

func sound(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

func notText(name string) error {
	if !sound(name) {
		return ErrUnreadable
	}
	return fault.Invalid(name, "characters", "包含无法保存的字符", "This has characters that cannot be kept")
}
