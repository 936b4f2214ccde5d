package captcha

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/secret"
)

// endpoints are where the providers verify answers, by the names that the setting has for them. All three take the same
// form and answer the same shape:
// https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
// https://docs.hcaptcha.com/#verify-the-user-response-server-side
// https://developers.google.com/recaptcha/docs/verify
var endpoints = map[string]string{
	"turnstile": "https://challenges.cloudflare.com/turnstile/v0/siteverify",
	"hcaptcha":  "https://api.hcaptcha.com/siteverify",
	"recaptcha": "https://www.google.com/recaptcha/api/siteverify",
}

// minScore is what an answer needs whose provider gives points from 0, a machine, to 1, a person.
const minScore = 0.5

var errRefused = fault.Unprocessable("captcha_failed", "人机验证未通过，请重试", "The captcha was not passed; please try again")

// vendor takes the answers of a provider's widget.
type vendor struct {
	captchas *Captchas
	provider string
}

func (v vendor) verify(ctx context.Context, answer string, ip netip.Addr) error {
	c, site := v.captchas, v.captchas.settings.Get()
	key, err := c.secrets.Get(ctx, secret.CaptchaKey)
	if err != nil {
		return err
	}
	form := url.Values{"secret": {key}, "response": {answer}, "remoteip": {ip.String()}}
	if v.provider == "hcaptcha" {
		form.Set("sitekey", site.CaptchaSiteKey) // else an answer from any other site of the same account is good
	}
	endpoint := site.CaptchaVerifyURL
	if endpoint == "" {
		endpoint = endpoints[v.provider]
	}
	verdict, err := v.ask(ctx, endpoint, form)
	if err != nil {
		return ErrUnavailable.Because(err)
	}
	if slices.ContainsFunc(verdict.Codes, ours) {
		slog.ErrorContext(ctx, "the captcha's provider refuses our keys", "provider", v.provider, "codes",
			verdict.Codes)
		return ErrUnavailable
	}
	if !verdict.Success || (verdict.Score != nil && *verdict.Score < minScore) {
		return errRefused.Because(fmt.Errorf("%s: %v", v.provider, verdict.Codes))
	}
	return nil
}

type verdict struct {
	Success bool     `json:"success"`
	Score   *float64 `json:"score"`
	Codes   []string `json:"error-codes"`
}

// ours reports whether an error code speaks of what we sent with the answer, or of trouble at the provider.
func ours(code string) bool {
	return strings.Contains(code, "secret") || strings.Contains(code, "sitekey") || code == "internal-error"
}

func (v vendor) ask(ctx context.Context, endpoint string, form url.Values) (out verdict, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return out, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := v.captchas.client.Do(req)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusInternalServerError {
		return out, fmt.Errorf("%s answers %s", v.provider, res.Status)
	}
	return out, json.NewDecoder(io.LimitReader(res.Body, 64<<10)).Decode(&out)
}
