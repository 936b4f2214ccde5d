package setting

import (
	"net/mail"
	"strings"

	"airstrip/internal/text"
)

const (
	maxAbout = 2000   // characters
	maxLegal = 50_000 // characters
)

// most is how many characters the text called name may have.
func most(name string) int {
	switch name {
	case "terms_zh", "terms_en", "privacy_zh", "privacy_en":
		return maxLegal
	}
	return maxAbout
}

// about checks what the operator says of the site. Addresses become links, so only those of web pages do.
func (p *problems) about(s *Site) {
	address, err := mail.ParseAddress(s.ContactEmail)
	p.When(s.ContactEmail != "" && (err != nil || address.Address != s.ContactEmail), "contact_email", "email",
		"请填写邮箱地址",
		"Please give an e-mail address")
	p.When(s.ContactURL != "" && !isContactPage(s.ContactURL), "contact_url", "url",
		"请填写以 https:// 开头的完整网址，例如 https://t.me/名称", "Please give a whole https:// address, such as https://t.me/name")
	for _, link := range []struct{ name, address string }{
		{"terms_url", s.TermsURL}, {"privacy_url", s.PrivacyURL}, {"source_url", s.SourceURL},
	} {
		p.When(link.address != "" && !isWebPage(link.address), link.name, "url", "请填写完整的网址",
			"Please give a whole address")
	}
	p.When(s.Accent != "" && !hexColour.MatchString(s.Accent), "accent", "colour", "请填写颜色，如 #146f87",
		"Please give a colour such as #146f87")
	p.When(s.SecurityContact != "" && !isContact(s.SecurityContact), "security_contact", "contact",
		"请填写 mailto:邮箱 或 https:// 网址", "Please give mailto: with an e-mail address, or an https:// address")
}

// Contact is whom to notify of a weakness, as a URI; empty where the operator named nobody.
func (s Site) Contact() string {
	switch {
	case s.SecurityContact != "":
		return s.SecurityContact
	case s.ContactURL != "": // no address for programs to collect
		return s.ContactURL
	case s.ContactEmail != "":
		return "mailto:" + s.ContactEmail
	}
	return ""
}

// isContactPage reports whether users can be led to address: without a password in it, which every visitor would read.
func isContactPage(address string) bool {
	u, ok := text.WebAddress(address)
	return ok && u.Scheme == "https" && u.User == nil
}

// isContact reports whether RFC 9116 takes s as a way to report a weakness.
func isContact(s string) bool {
	if address, ok := strings.CutPrefix(s, "mailto:"); ok {
		parsed, err := mail.ParseAddress(address)
		return err == nil && parsed.Address == address
	}
	return strings.HasPrefix(s, "https://") && isWebPage(s)
}

func isWebPage(address string) bool {
	_, ok := text.WebAddress(address)
	return ok
}
