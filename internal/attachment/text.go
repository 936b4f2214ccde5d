package attachment

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	encodings "golang.org/x/text/encoding/unicode"
)

// textEndings are those that a text may keep. Any other, such as .html or .svg, which a program on the reader's machine
// might run or draw, gets .txt behind it.
var textEndings = []string{
	".txt", ".log", ".json", ".yaml", ".yml", ".conf", ".cfg", ".ini", ".toml", ".csv", ".md",
}

// readText gives a text in UTF-8; false where data is none. Besides UTF-8 that is UTF-16 with a byte order mark and
// GB18030, as programs on Windows write their logs.
func readText(data []byte) (plain []byte, ok bool) {
	var from encoding.Encoding
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}), bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		from = encodings.UTF16(encodings.LittleEndian, encodings.ExpectBOM)
	case utf8.Valid(data):
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		return data, len(data) > 0 && isText(data)
	default:
		from = simplifiedchinese.GB18030
	}
	plain, err := from.NewDecoder().Bytes(data)
	ok = err == nil && len(plain) > 0 && !bytes.ContainsRune(plain, utf8.RuneError) && isText(plain)
	return plain, ok
}

// isText tells whether a text has only such control characters as logs have: line ends, tabs, page ends, and the
// escapes and backspaces of terminals.
func isText(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\f\b\x1b", r)
	})
}

const maxName = 100 // characters

// safeName gives the name under which a file is offered: without folders and characters that mean something to systems,
// or turn the direction of writing, and with one of the endings of its type.
func safeName(name string, endings []string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"/\|?*`, r):
			return '_'
		case !unicode.IsGraphic(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, " .")
	if name == "" {
		name = "file"
	}
	ending := strings.ToLower(path.Ext(name))
	if !slices.Contains(endings, ending) {
		name, ending = name+endings[0], endings[0]
	}
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName-len(ending)]) + ending
	}
	return name
}
