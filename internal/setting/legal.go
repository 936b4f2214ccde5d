package setting

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"

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

// legalHash is a version with the texts that it is of.
type legalHash struct {
	texts   [4]string
	version string
}

// lastLegal is what LegalVersion returned last: each page that is loaded asks for it, and the texts may be long.
var lastLegal atomic.Pointer[legalHash]

// LegalVersion names the terms and the privacy notice in both languages as they are now, by a hash of them. It is
// another one after any change, and the same again where a change is taken back. Empty: there is nothing to accept.
func (s Site) LegalVersion() string {
	texts := [...]string{s.TermsZH, s.TermsEN, s.PrivacyZH, s.PrivacyEN}
	for i, text := range texts {
		texts[i] = strings.TrimSpace(text)
	}
	if texts == [4]string{} {
		return ""
	}
	if last := lastLegal.Load(); last != nil && last.texts == texts {
		return last.version
	}
	hash := sha256.New()
	for _, text := range texts {
		hash.Write([]byte(text + "\x00")) // which no setting holds
	}
	const bytes = 16
	version := hex.EncodeToString(hash.Sum(nil)[:bytes])
	lastLegal.Store(&legalHash{texts, version})
	return version
}
