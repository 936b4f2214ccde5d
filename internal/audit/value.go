package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

// Secret is a text that the log never shows: in JSON it tells only whether it is there.
type Secret string

const hidden = "(secret)"

// MarshalJSON hides the text.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte(`""`), nil
	}
	return []byte(`"` + hidden + `"`), nil
}

// String hides the text from logs and formats, too.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// secretNames are names of fields whose texts are hidden even where their type does not do it.
var secretNames = regexp.MustCompile(
	`(?i)password|passwd|secret|private|token|credential|hash|sealed|(^|[_a-z])key$|^psk$`)

const (
	// maxValue bounds, in bytes, what is stored of each side. A longer one, such as a template, is named by its checksum.
	maxValue = 16 << 10
	// maxField bounds a field of an object that is longer than maxValue, so that the shorter ones are stored in clear.
	maxField = 1 << 10
)

// differing gives both sides as they are stored. Of two objects only the fields that differ are kept.
func differing(before, after any) (was, is string, err error) {
	old, err := plain(before)
	if err != nil {
		return "", "", err
	}
	fresh, err := plain(after)
	if err != nil {
		return "", "", err
	}
	o, isObject := old.(map[string]any)
	f, bothObjects := fresh.(map[string]any)
	if isObject && bothObjects {
		for name, value := range o {
			other, ok := f[name]
			if ok && string(encode(value)) == string(encode(other)) {
				delete(o, name)
				delete(f, name)
			}
		}
	}
	return stored(old), stored(fresh), nil
}

// plain gives a value as JSON has it, without secrets and with its fields in snake case.
func plain(value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // 2^53 is not the end of what is counted
	if err := dec.Decode(&out); err != nil {
		return nil, err
	}
	return hide(out), nil
}

func hide(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			if text, ok := inner.(string); ok && text != "" && secretNames.MatchString(name) {
				inner = hidden
			}
			out[snake(name)] = hide(inner)
		}
		return out
	case []any:
		for i := range v {
			v[i] = hide(v[i])
		}
	}
	return value
}

// snake writes a Go field's name as the API writes its own: ExemptUserIDs as exempt_user_ids.
func snake(name string) string {
	if strings.ToLower(name) == name {
		return name
	}
	return strings.ToLower(humps.ReplaceAllString(name, "${1}${3}_${2}${4}"))
}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z]{2,})`)

func encode(value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // it came from JSON
	}
	return bytes.TrimSpace(out.Bytes())
}

func stored(value any) string {
	if value == nil {
		return ""
	}
	text := encode(value)
	if object, ok := value.(map[string]any); ok && len(text) > maxValue {
		for name, field := range object {
			if inner := encode(field); len(inner) > maxField {
				object[name] = checksum(inner)
			}
		}
		text = encode(object)
	}
	if len(text) > maxValue {
		text = encode(checksum(text))
	}
	return string(text)
}

// checksum names a text that is too long to store.
func checksum(text []byte) any {
	sum := sha256.Sum256(text)
	return map[string]any{"bytes": len(text), "sha256": hex.EncodeToString(sum[:])}
}
