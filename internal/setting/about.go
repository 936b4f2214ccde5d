package setting

import (
	"net/mail"
	"net/url"
	"unicode/utf8"

	"airstrip/internal/fault"
)

const aboutAtMost = 2000 // characters

// checkAbout looks at what the operator says of the site. Addresses become links, so only those of web pages do.
func (s Site) checkAbout() error {
	for name, text := range map[string]string{"about_zh": s.AboutZH, "about_en": s.AboutEN} {
		if utf8.RuneCountInString(text) > aboutAtMost {
			return fault.Invalid(name, "length", "介绍不能超过 2000 个字符", "The text has at most 2000 characters")
		}
	}
	if s.ContactEmail != "" {
		if address, err := mail.ParseAddress(s.ContactEmail); err != nil || address.Address != s.ContactEmail {
			return fault.Invalid("contact_email", "email", "请填写邮箱地址", "Please give an e-mail address")
		}
	}
	for name, address := range map[string]string{"terms_url": s.TermsURL, "privacy_url": s.PrivacyURL, "source_url": s.SourceURL} {
		if address != "" && !isWebPage(address) {
			return fault.Invalid(name, "url", "请填写完整的网址", "Please give a whole address")
		}
	}
	return nil
}

func isWebPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}
