// Package captcha asks for an effort before a call that machines like to make: a proof of work of our own, or the
// widget of a provider that a setting names. It is asked for always, where the call looks risky, or never, by setting.
package captcha

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Kind is the call that a captcha protects.
type Kind string

// The kinds of captchas. Test protects nothing but the page that tries it.
const (
	Register       Kind = "register"
	Login          Kind = "login"
	ForgotPassword Kind = "forgot_password"
	Test           Kind = "test"
	CheckIn        Kind = "checkin"
	Ticket         Kind = "ticket"
)

// ProofOfWork is the provider built in here; the others are those that the setting captcha_provider names.
const ProofOfWork = "pow"

// Faults of captchas. ErrRequired comes with what the page needs to show one: captcha_key_type, provider, site_key.
var (
	ErrRequired    = fault.Forbidden("captcha_required", "请先完成人机验证", "Please complete the captcha first")
	ErrUnavailable = fault.Unavailable("captcha_unavailable", "人机验证服务暂时不可用，请稍后再试",
		"The captcha cannot be checked right now; please try again later").After(30 * time.Second)
)

// Captchas asks for captchas and checks their answers.
type Captchas struct {
	db       *db.DB
	key      []byte // of the answers to our own challenges
	settings *setting.Settings
	secrets  *secret.Secrets
	client   *http.Client
}

// New returns the captchas of the site that settings describe.
func New(d *db.DB, key seal.Key, settings *setting.Settings, secrets *secret.Secrets) *Captchas {
	return &Captchas{
		db: d, key: key.For("captcha"), settings: settings, secrets: secrets,
		client: &http.Client{Timeout: 5 * time.Second},
	}
}

// Widget is what a page shows.
type Widget struct {
	Kind     Kind
	Mode     string // never, risk or always
	Provider string
	SiteKey  string // public key at the provider; empty for ProofOfWork
}

// Widget returns the captcha that protects calls of kind.
func (c *Captchas) Widget(kind Kind) Widget {
	site := c.settings.Get()
	w := Widget{Kind: kind, Mode: Mode(site, kind), Provider: site.CaptchaProvider}
	if w.Provider != ProofOfWork {
		w.SiteKey = site.CaptchaSiteKey
	}
	return w
}

// Mode tells when a captcha is asked for: never, risk or always.
func Mode(site setting.Site, kind Kind) string {
	switch kind {
	case Register:
		return site.CaptchaRegister
	case Login:
		return site.CaptchaLogin
	case ForgotPassword:
		return site.CaptchaForgotPassword
	case CheckIn:
		return site.CaptchaCheckIn
	case Ticket:
		return site.CaptchaTicket
	}
	return "risk"
}

// verifier reports whether an answer is good, and takes it: no answer is good twice. A bad one is a fault.
type verifier interface {
	verify(ctx context.Context, answer string, ip netip.Addr) error
}

// Require answers nil where a call of kind needs no captcha or answer is a good one, which is used up by it; else
// ErrRequired, or ErrUnavailable where the provider cannot be asked.
func (c *Captchas) Require(ctx context.Context, kind Kind, risky bool, answer string, ip netip.Addr) error {
	if mode := c.Widget(kind).Mode; mode == "never" || (mode == "risk" && !risky) {
		return nil
	}
	return c.Demand(ctx, kind, answer, ip)
}

// Demand is Require for a call that needs a captcha whatever the setting says.
func (c *Captchas) Demand(ctx context.Context, kind Kind, answer string, ip netip.Addr) error {
	w := c.Widget(kind)
	required := ErrRequired.With(map[string]string{
		"captcha_key_type": string(w.Kind), "provider": w.Provider,
		"site_key": w.SiteKey,
	})
	if answer == "" {
		return required
	}
	provider := w.Provider
	if c.isPass(answer, ip) {
		provider = ProofOfWork
	}
	err := c.verifier(provider).verify(ctx, answer, ip)
	if fault.Refused(err) {
		return required.Because(err)
	}
	return err
}

func (c *Captchas) verifier(provider string) verifier {
	if provider == ProofOfWork {
		return ownVerifier{c}
	}
	return vendor{c, provider}
}

// Register puts the forgetting of old challenges on the timetable.
func (c *Captchas) Register(q *job.Queue) {
	q.Every("captcha.forget", c.forget)
}
