package format

import (
	"bytes"
	"encoding/json"
)

// yamlFile writes YAML whose every value is JSON, which YAML 1.2 contains: so every string is quoted, and none can be
// taken for a number, a date or a word of the language. The entries of lists stand on lines of their own.
type yamlFile struct{ bytes.Buffer }

// value writes one value under key, which must be a plain word.
func (y *yamlFile) value(key string, v any) {
	y.WriteString(key + ": ")
	y.json(v)
}

// list writes a list under key, one entry per line; an empty one too.
func list[T any](y *yamlFile, key string, entries []T) {
	if len(entries) == 0 {
		y.WriteString(key + ": []\n")
		return
	}
	y.WriteString(key + ":\n")
	for _, e := range entries {
		y.WriteString("  - ")
		y.json(e)
	}
}

func (y *yamlFile) json(v any) {
	enc := json.NewEncoder(y)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // the types are ours and hold nothing that JSON lacks
	}
}
