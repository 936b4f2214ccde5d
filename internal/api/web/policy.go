package web

import (
	"slices"
	"strings"
)

// vendors are the addresses that a captcha or the live chat loads from, as its own documents name them, by directive.
// reCAPTCHA comes from recaptcha.net, which is reachable where google.com is not.
// https://developers.cloudflare.com/turnstile/reference/content-security-policy/
// https://docs.hcaptcha.com/#content-security-policy-settings
// https://developers.google.com/recaptcha/docs/faq
// https://docs.crisp.chat/guides/others/whitelisting-our-systems/crisp-domain-names
var vendors = map[string]map[string]string{
	"turnstile": {
		"script-src": "https://challenges.cloudflare.com", "frame-src": "https://challenges.cloudflare.com",
	},
	"hcaptcha": {
		"script-src":  "https://hcaptcha.com https://*.hcaptcha.com",
		"frame-src":   "https://hcaptcha.com https://*.hcaptcha.com",
		"style-src":   "https://hcaptcha.com https://*.hcaptcha.com",
		"connect-src": "https://hcaptcha.com https://*.hcaptcha.com",
	},
	"recaptcha": {
		"script-src": "https://www.recaptcha.net/recaptcha/ https://www.gstatic.com/recaptcha/ " +
			"https://www.gstatic.cn/recaptcha/",
		"frame-src": "https://www.recaptcha.net/recaptcha/ https://www.google.com/recaptcha/ " +
			"https://recaptcha.google.com/recaptcha/",
	},
	crisp: {
		"script-src": "https://client.crisp.chat", "style-src": "https://client.crisp.chat",
		"font-src":  "https://client.crisp.chat",
		"img-src":   "https://client.crisp.chat https://image.crisp.chat https://storage.crisp.chat",
		"media-src": "https://client.crisp.chat",
		"connect-src": "https://client.crisp.chat https://storage.crisp.chat wss://client.relay.crisp.chat " +
			"wss://client.relay.rescue.crisp.chat wss://stream.relay.crisp.chat",
		"frame-src": "https://game.crisp.chat", "worker-src": "blob: https://client.crisp.chat",
	},
}

const crisp = "crisp"

// trusted requires Trusted Types, so that only the app's own rules (web/src/app/trusted-types.ts) turn texts into
// markup or scripts. Vendors' scripts are not known to support it, so pages that load one do without.
const trusted = "; require-trusted-types-for 'script'; trusted-types default"

// policy returns the Content-Security-Policy of a page: everything from the site itself, and from vendors only what is
// configured.
func policy(nonce string, has []string) string {
	styles := "'self' 'nonce-" + nonce + "'"
	if slices.Contains(has, crisp) { // Crisp inserts style elements of its own, which a nonce would forbid.
		styles = "'self' 'unsafe-inline'"
	}
	var b strings.Builder
	for _, d := range []struct{ name, sources string }{
		{"default-src", "'self'"},
		{"script-src", "'self' 'nonce-" + nonce + "'"},
		{"style-src", styles},
		{"img-src", "'self' data: blob:"},
		{"font-src", "'self'"},
		{"media-src", "'self'"},
		{"worker-src", "'self'"},
		{"connect-src", "'self'"},
		{"frame-src", "'self'"},
		{"object-src", "'none'"},
		{"base-uri", "'none'"},
		{"frame-ancestors", "'none'"},
		{"form-action", "'self'"},
	} {
		b.WriteString(d.name + " " + d.sources)
		for _, name := range has {
			if more := vendors[name][d.name]; more != "" {
				b.WriteString(" " + more)
			}
		}
		b.WriteString("; ")
	}
	all := strings.TrimSuffix(b.String(), "; ")
	if slices.ContainsFunc(has, func(name string) bool { return vendors[name] != nil }) {
		return all
	}
	return all + trusted
}
