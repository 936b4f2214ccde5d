package format

import (
	"bytes"
	"encoding/json"
)

// indented returns readable JSON.
func indented(v any) []byte { return asJSON(v, " ") }

// compact returns JSON of one line.
func compact(v any) []byte { return asJSON(v, "") }

func asJSON(v any, indent string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		panic(err) // These types can always be encoded.
	}
	return b.Bytes()
}

// lines returns an array with one entry per line.
func lines(entries []any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, e := range entries {
		b.WriteByte("[,"[min(i, 1)])
		if err := enc.Encode(e); err != nil {
			panic(err) // These types can always be encoded.
		}
	}
	b.WriteString("]\n")
	return b.Bytes()
}
