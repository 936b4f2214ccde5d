package format

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// yamlFile writes YAML whose values are JSON, which YAML 1.2 contains. Every string is quoted, so none can be mistaken
// for a number, a date or a keyword. The entries of lists are on lines of their own.
type yamlFile struct {
	bytes.Buffer
	over map[string]any // Merged over what is written, by key; nil for nothing.
}

// value writes a value under key, which must be a plain word.
func (y *yamlFile) value(key string, v any) {
	if patch, ok := y.takeOverlay(key); ok {
		v = overlay(v, patch)
	}
	y.WriteString(key + ": ")
	y.json(v)
}

// takeOverlay returns and removes what is to be merged over the value of key.
func (y *yamlFile) takeOverlay(key string) (patch any, ok bool) {
	if patch, ok = y.over[key]; ok {
		y.over = maps.Clone(y.over)
		delete(y.over, key)
	}
	return patch, ok
}

// writeRemaining writes the keys of over that were not used.
func (y *yamlFile) writeRemaining() {
	for _, key := range slices.Sorted(maps.Keys(y.over)) {
		y.value(key, nil)
	}
}

// list writes a list under key, one entry per line, also if it is empty.
func list[T any](y *yamlFile, key string, entries []T) {
	if patch, ok := y.takeOverlay(key); ok {
		if some, is := patch.([]any); is {
			list(y, key, some)
		}
		return
	}
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
		panic(err) // These types can always be encoded.
	}
}
