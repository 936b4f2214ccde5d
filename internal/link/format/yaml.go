package format

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// yamlFile writes YAML whose every value is JSON, which YAML 1.2 contains: so every string is quoted, and none can be
// taken for a number, a date or a word of the language. The entries of lists stand on lines of their own.
type yamlFile struct {
	bytes.Buffer
	over map[string]any // laid over what is written, by key; nil: nothing
}

// value writes one value under key, which must be a plain word.
func (y *yamlFile) value(key string, v any) {
	if patch, ok := y.takeOverlay(key); ok {
		v = overlay(v, patch)
	}
	y.WriteString(key + ": ")
	y.json(v)
}

// takeOverlay gives what is to be laid over the value of key, once.
func (y *yamlFile) takeOverlay(key string) (patch any, ok bool) {
	if patch, ok = y.over[key]; ok {
		y.over = maps.Clone(y.over)
		delete(y.over, key)
	}
	return patch, ok
}

// writeRemaining writes those keys of over that nothing was written under.
func (y *yamlFile) writeRemaining() {
	for _, key := range slices.Sorted(maps.Keys(y.over)) {
		y.value(key, nil)
	}
}

// list writes a list under key, one entry per line; an empty one too.
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
		panic(err) // the types are ours and hold nothing that JSON lacks
	}
}
