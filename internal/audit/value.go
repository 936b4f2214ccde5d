package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

// Secret is a text that the log never shows: of two of them it shows only whether they differ.
type Secret string

// What the log shows instead of a secret, and instead of a changed one.
const (
	hidden        = "(secret)"
	hiddenChanged = "(another secret)"
)

// secretMark begins the JSON of a Secret until it is hidden. The digest that follows it has a key of this process, so
// that it says nothing to whoever finds one elsewhere.
const secretMark = "\ufffdsecret:"

var digestKey = func() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
}()

// MarshalJSON hides the text behind a digest, by which the log knows whether a secret changed.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte(`""`), nil
	}
	m := hmac.New(sha256.New, digestKey)
	m.Write([]byte(s))
	return json.Marshal(secretMark + hex.EncodeToString(m.Sum(nil)))
}

// String hides the text from logs and formats, too.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// Clear is a value without secrets, whose fields are shown whatever they are called; a Secret in it stays hidden.
type Clear struct{ Value any }

// MarshalJSON gives the value's.
func (c Clear) MarshalJSON() ([]byte, error) { return json.Marshal(c.Value) }

// secretNames are names of fields whose texts are hidden even where their type does not do it.
var secretNames = regexp.MustCompile(
	`(?i)password|passwd|secret|private|token|credential|hash|sealed|(^|[_a-z])key$|^psk$`)

const (
	// maxValue bounds, in bytes, what is stored of each side. A longer one, such as a template, is named by its
	// checksum.
	maxValue = 16 << 10
	// maxField bounds a field of an object that is longer than maxValue, so that the shorter ones are stored in clear.
	maxField = 1 << 10
)

// differing returns both sides as they are stored: of two objects only the fields that differ.
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
	_, clear := after.(Clear)
	return stored(hide("", old, nil, clear)), stored(hide("", fresh, old, clear)), nil
}

// plain returns a value as decoded JSON, still with the secrets that hide removes.
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
	return out, dec.Decode(&out)
}

// hide returns the value of the field called name without secrets and with fields in snake case. was is what it was
// before, nil where that is not known: a secret that differs from it is shown as another one. Where the value is clear
// only what is marked as a secret is one.
func hide(name string, value, was any, clear bool) any {
	switch v := value.(type) {
	case map[string]any:
		old, _ := was.(map[string]any)
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[snake(name)] = hide(name, inner, old[name], clear)
		}
		return out
	case []any:
		old, _ := was.([]any)
		out := make([]any, len(v))
		for i := range v {
			var before any
			if i < len(old) {
				before = old[i]
			}
			out[i] = hide(name, v[i], before, clear)
		}
		return out
	case string:
		if v == "" || !(strings.HasPrefix(v, secretMark) || !clear && secretNames.MatchString(name)) {
			return v
		}
		if before, ok := was.(string); ok && before != "" && before != v {
			return hiddenChanged
		}
		return hidden
	}
	return value
}

// snake converts a Go field name to the form of the API: ExemptUserIDs to exempt_user_ids.
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

// checksum identifies a text that is too long to store.
func checksum(text []byte) any {
	sum := sha256.Sum256(text)
	return map[string]any{"bytes": len(text), "sha256": hex.EncodeToString(sum[:])}
}
