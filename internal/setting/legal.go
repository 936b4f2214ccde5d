package setting

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"airstrip/internal/fault"
)

// Terms gives the terms of service in a language, in Markdown; empty: there are none.
func (s Site) Terms(lang fault.Lang) string { return either(s.TermsZH, s.TermsEN, lang) }

// Privacy gives the privacy notice in a language, in Markdown; empty: there is none.
func (s Site) Privacy(lang fault.Lang) string { return either(s.PrivacyZH, s.PrivacyEN, lang) }

// either gives the text of a language, and that of the other where it has none.
func either(zh, en string, lang fault.Lang) string {
	zh, en = strings.TrimSpace(zh), strings.TrimSpace(en)
	return cmp.Or(fault.Text{ZH: zh, EN: en}.In(lang), zh, en)
}

// LegalVersion names the terms and the privacy notice in both languages as they are now, by a hash of them. It is
// another one after any change, and the same again where a change is taken back. Empty: there is nothing to accept.
func (s Site) LegalVersion() string {
	hash, isEmpty := sha256.New(), true
	for _, text := range []string{s.TermsZH, s.TermsEN, s.PrivacyZH, s.PrivacyEN} {
		text = strings.TrimSpace(text)
		isEmpty = isEmpty && text == ""
		hash.Write([]byte(text + "\x00")) // which no setting holds
	}
	if isEmpty {
		return ""
	}
	const bytes = 16
	return hex.EncodeToString(hash.Sum(nil)[:bytes])
}
