package format

import (
	"bytes"
	"encoding/json"
)

// indented writes JSON that a person can read.
func indented(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		panic(err) // the types are ours and hold nothing that JSON lacks
	}
	return b.Bytes()
}

// lines writes an array with an entry per line.
func lines(entries []any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, e := range entries {
		b.WriteByte("[,"[min(i, 1)])
		if err := enc.Encode(e); err != nil {
			panic(err) // the types are ours and hold nothing that JSON lacks
		}
	}
	b.WriteString("]\n")
	return b.Bytes()
}
