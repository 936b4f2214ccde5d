package web

import "strings"

// vendors are the addresses that the captcha of a provider loads from, as its own documents name them, by directive.
// reCAPTCHA comes from recaptcha.net, which is reachable where google.com is not.
// https://developers.cloudflare.com/turnstile/reference/content-security-policy/
// https://docs.hcaptcha.com/#content-security-policy-settings
// https://developers.google.com/recaptcha/docs/faq
var vendors = map[string]map[string]string{
	"turnstile": {
		"script-src": "https://challenges.cloudflare.com", "frame-src": "https://challenges.cloudflare.com",
	},
	"hcaptcha": {
		"script-src": "https://hcaptcha.com https://*.hcaptcha.com", "frame-src": "https://hcaptcha.com https://*.hcaptcha.com",
		"style-src": "https://hcaptcha.com https://*.hcaptcha.com", "connect-src": "https://hcaptcha.com https://*.hcaptcha.com",
	},
	"recaptcha": {
		"script-src": "https://www.recaptcha.net/recaptcha/ https://www.gstatic.com/recaptcha/ https://www.gstatic.cn/recaptcha/",
		"frame-src":  "https://www.recaptcha.net/recaptcha/ https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
	},
}

// policy is the Content-Security-Policy of a page: everything from here, and besides only the captcha of the provider
// that the site has.
func policy(nonce, provider string) string {
	from := vendors[provider]
	var b strings.Builder
	for _, d := range []struct{ name, sources string }{
		{"default-src", "'self'"},
		{"script-src", "'self' 'nonce-" + nonce + "'"},
		{"style-src", "'self' 'nonce-" + nonce + "'"},
		{"img-src", "'self' data: blob:"},
		{"connect-src", "'self'"},
		{"frame-src", "'self'"},
		{"object-src", "'none'"},
		{"base-uri", "'none'"},
		{"frame-ancestors", "'none'"},
		{"form-action", "'self'"},
	} {
		b.WriteString(d.name + " " + d.sources)
		if more := from[d.name]; more != "" {
			b.WriteString(" " + more)
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}
