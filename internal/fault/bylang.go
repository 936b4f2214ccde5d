package fault

import (
	"maps"
	"strings"
)

// ByLang is a text that the operator wrote, in some of the product's languages. Beside it stands the same text without
// a language, which is shown where the reader's has none.
type ByLang map[Lang]string

// In gives the text in the language of the reader, or otherwise where there is none.
func (b ByLang) In(lang Lang, otherwise string) string {
	if text := b[lang]; text != "" {
		return text
	}
	return otherwise
}

// With gives the texts with another one for a language: nil keeps what is there, an empty one removes it.
func (b ByLang) With(lang Lang, text *string) ByLang {
	out := b.OrEmpty()
	switch {
	case text == nil:
	case strings.TrimSpace(*text) == "":
		delete(out, lang)
	default:
		out[lang] = strings.TrimSpace(*text)
	}
	return out
}

// OrEmpty gives a copy that is no nil, for columns that must have one.
func (b ByLang) OrEmpty() ByLang {
	if b == nil {
		return ByLang{}
	}
	return maps.Clone(b)
}

// FieldOf names the field of a form that has the text of one language, as name_zh.
func FieldOf(name string, lang Lang) string {
	short, _, _ := strings.Cut(string(lang), "-")
	return name + "_" + short
}
