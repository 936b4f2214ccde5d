package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"unicode/utf8"
)

// controls are the control characters that JSON leaves unescaped and terminals obey. Some of what is printed was named
// by nodes and users.
var controls = regexp.MustCompile(`[\x{7f}-\x{9f}]`)

// printJSON prints v as indented JSON; a nil slice is printed as an empty list.
func printJSON(v any) error {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		v = []any{}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := os.Stdout.Write(controls.ReplaceAllFunc(out.Bytes(), func(c []byte) []byte {
		r, _ := utf8.DecodeRune(c)
		return fmt.Appendf(nil, `\u%04x`, r)
	}))
	return err
}
