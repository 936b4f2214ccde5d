package public

import (
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/setting"
	"airstrip/internal/sitepicture"
	"airstrip/internal/telegram"
)

// siteResult is what the pages need to know of the site before anybody signs in.
type siteResult struct {
	SiteName string       `json:"site_name"`
	SiteURL  string       `json:"site_url"`
	Footer   string       `json:"footer" doc:"The years and the site's name"`
	Version  string       `json:"version"`
	Demo     bool         `json:"demo" doc:"Whether this is a demonstration with play money"`
	Language fault.Lang   `json:"language" enum:"zh-CN,en" doc:"Of readers whose browser asks for no language that the pages have"`
	Currency string       `json:"currency" doc:"ISO 4217"`
	TimeZone string       `json:"time_zone" doc:"IANA name of the zone in which the site counts days"`
	Telegram string       `json:"telegram" doc:"User name of the bot that signs people in, without @; empty: there is none"`
	Passkeys bool         `json:"passkeys" doc:"Whether people can sign in with passkeys"`
	SignUp   siteSignUp   `json:"sign_up"`
	Captcha  siteCaptcha  `json:"captcha" doc:"When a captcha is asked for; captcha-key gives it"`
	Recharge siteRecharge `json:"recharge"`
	About    siteAbout    `json:"about"`
	Tests    bool         `json:"test_pages" doc:"Whether the pages under /test-page are there"`
	Crisp    string       `json:"crisp_website_id" doc:"Of the live chat; empty: there is none"`
	Look     siteLook     `json:"look"`
	Legal    siteLegal    `json:"legal"`
	Unowned  bool         `json:"unowned" doc:"Whether nobody owns the site yet: /setup makes its owner"`

	Maintenance []siteMaintenance `json:"maintenance" doc:"What is announced about maintenance and concerns everybody, for a strip on every page"`
}

// siteMaintenance is a note on maintenance. Texts are in both languages; bodies are Markdown.
type siteMaintenance struct {
	ID      int64      `json:"id"`
	TitleZH string     `json:"title_zh" doc:"Empty: the body has no title"`
	TitleEN string     `json:"title_en"`
	BodyZH  string     `json:"body_zh" doc:"Empty: the title says it all"`
	BodyEN  string     `json:"body_en"`
	EndsAt  *time.Time `json:"ends_at" nullable:"true" doc:"null: no end is set"`
}

func maintenance(a *announcement.Announcements) []siteMaintenance {
	list := []siteMaintenance{}
	for _, one := range a.InForce(announcement.Maintenance) {
		titleZH, bodyZH := one.In(fault.ZH)
		titleEN, bodyEN := one.In(fault.EN)
		list = append(list, siteMaintenance{one.ID, titleZH, titleEN, bodyZH, bodyEN, one.EndsAt})
	}
	return list
}

// siteAbout is what the operator says of the site. An empty text or address was not given.
type siteAbout struct {
	ZH           string `json:"text_zh" doc:"What the service is, in Chinese; empty: not said"`
	EN           string `json:"text_en" doc:"The same in English"`
	ContactEmail string `json:"contact_email" doc:"Whom to write to; empty: no address is named"`
	ContactURL   string `json:"contact_url" doc:"Where to write to, such as https://t.me/name; empty: no link"`
	TermsURL     string `json:"terms_url" doc:"Empty: there are none"`
	PrivacyURL   string `json:"privacy_url" doc:"Empty: there is none"`
	SourceURL    string `json:"source_url" doc:"Where the source of what runs here can be had; empty: ask the operator"`
}

// siteLook is what the operator chose of the look of the pages. What is empty is built in.
type siteLook struct {
	LogoURL  string `json:"logo_url" doc:"Path of the site's own logo; empty: the built-in one"`
	IconURL  string `json:"icon_url" doc:"Path of the site's own icon; empty: the built-in one"`
	Accent   string `json:"accent" doc:"Colour whose hue buttons and links have, such as #146f87; empty: the built-in one"`
	Button   string `json:"button" doc:"Its shade for buttons, on which white text has a contrast of at least 4.5; empty: the built-in one"`
	FooterZH string `json:"footer_zh" doc:"Text of the footer in Chinese; empty: none"`
	FooterEN string `json:"footer_en" doc:"The same in English"`
}

// siteLegal is what people accept when they sign up. GET /site/texts has the texts.
type siteLegal struct {
	Version    string `json:"version" doc:"To be sent as accepted_terms; empty: there is nothing to accept"`
	HasTerms   bool   `json:"has_terms" doc:"Whether there are terms of service, at /terms"`
	HasPrivacy bool   `json:"has_privacy" doc:"Whether there is a privacy notice, at /privacy"`
}

type siteTexts struct {
	Terms   string `json:"terms" doc:"Terms of service, in Markdown; empty: there are none"`
	Privacy string `json:"privacy" doc:"Privacy notice, in Markdown; empty: there is none"`
	Version string `json:"version" doc:"Of both texts in both languages, to be sent as accepted_terms; empty: there are none"`
}

type siteSignUp struct {
	Mode      string   `json:"mode" enum:"open,invite,closed"`
	EmailCode bool     `json:"email_code" doc:"Whether a code sent to the address is required"`
	Domains   []string `json:"domains" doc:"Allowed e-mail domains; empty allows all"`
}

type siteCaptcha struct {
	Register       string `json:"register" enum:"never,risk,always"`
	Login          string `json:"login" enum:"never,risk,always"`
	ForgotPassword string `json:"forgot_password" enum:"never,risk,always"`
	CheckIn        string `json:"checkin" enum:"never,risk,always"`
	Ticket         string `json:"ticket" enum:"never,risk,always"`
}

type siteRecharge struct {
	Presets []money.Amount `json:"presets"`
	Min     money.Amount   `json:"min"`
	Max     money.Amount   `json:"max"`
}

// Footer is what the pages' footer reads.
func Footer(siteName string) string { return "2020-2025 " + siteName }

// SiteNow returns what everybody may know of the site as it is set now.
type SiteNow func() siteResult

// NewSiteNow is of a site at siteURL that runs version; picture gives where one of its own pictures is.
func NewSiteNow(settings *setting.Settings, accounts *account.Accounts, bot *telegram.Bot,
	announcements *announcement.Announcements, siteURL, version string, demo bool, picture func(name string) string,
) SiteNow {
	return func() siteResult {
		s := settings.Get()
		return siteResult{
			SiteName: s.SiteName, SiteURL: siteURL, Footer: Footer(s.SiteName), Version: version, Demo: demo,
			Language: s.Language,
			Currency: s.Currency, TimeZone: s.TimeZone, Telegram: bot.Name(), Passkeys: accounts.Passkeys.Enabled(),
			SignUp: siteSignUp{s.SignUpMode, s.SignUpEmailCode, append([]string{}, s.SignUpDomains...)},
			Captcha: siteCaptcha{
				s.CaptchaRegister, s.CaptchaLogin, s.CaptchaForgotPassword, s.CaptchaCheckIn, s.CaptchaTicket,
			},
			Recharge: siteRecharge{append([]money.Amount{}, s.RechargePresets...), s.RechargeMin, s.RechargeMax},
			About: siteAbout{
				s.AboutZH, s.AboutEN, s.ContactEmail, s.ContactURL, s.TermsURL, s.PrivacyURL,
				s.SourceURL,
			},
			Look: siteLook{
				picture(sitepicture.Logo), picture(sitepicture.Icon),
				s.Accent, s.ButtonColour(), s.FooterZH, s.FooterEN,
			},
			Legal: siteLegal{s.LegalVersion(), s.Terms(s.Language) != "", s.Privacy(s.Language) != ""},
			Tests: s.TestPages,
			Crisp: s.CrispWebsiteID, Unowned: accounts.Setup.IsOpen(),

			Maintenance: maintenance(announcements),
		}
	}
}

// JSON is the result of the operation, for the pages that the server sends: they need not ask for it.
func (now SiteNow) JSON() ([]byte, error) { return json.Marshal(now()) }

// Site adds the operations about the site itself.
func Site(now SiteNow, settings *setting.Settings) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.PublicOp("GET /site").
			Named("site_get", "What everybody may know of the site"),
			func(context.Context, account.Identity, *v2.Empty) (siteResult, error) { return now(), nil })
		v2.Handle(r, v2.PublicOp("GET /site/texts").
			Named("site_texts", "The terms of service and the privacy notice, in the caller's language"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (siteTexts, error) {
				s, lang := settings.Get(), api.CallerOf(ctx).Lang
				return siteTexts{s.Terms(lang), s.Privacy(lang), s.LegalVersion()}, nil
			})
	}
}
