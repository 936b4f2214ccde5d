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
