package mail

import (
	"cmp"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"

	"airstrip/internal/fault"
)

// Content is what a mail says: one of the types below, each with a template of its kind in both languages.
type Content interface{ kind() string }

// Code brings a code that proves the address.
type Code struct {
	Purpose string // register, login, forgot_password, change_email, step_up or test; the template of that name is used
	Code    string
	Minutes int
	Path    string // of the page that has the code filled in; empty where there is none
	Other   string // with change_email: the address that the account will have
}

// EmailTaken tells somebody who asked for a code to make an account, or to move one to this address, that there is an
// account already.
type EmailTaken struct{}

// PasswordChanged tells that the password was changed.
type PasswordChanged struct {
	At time.Time
	IP string // empty: by the operator
	// without the present password; then Passkeys and Telegram were removed, else they still open the account
	Recovered bool
	Passkeys  int
	Telegram  bool
}

// EmailChanged tells the former address that the account has another one now.
type EmailChanged struct {
	At        time.Time
	IP        string // empty: staff changed it
	Other     string
	Recovered bool // by staff; then Passkeys and Telegram were removed, else they still open the account
	Passkeys  int
	Telegram  bool
}

// SecurityChanged tells of another event in the security of the account.
type SecurityChanged struct {
	What string // kind of the activity: two_factor_on, api_token_made and so on, as in the template
	Name string // of the passkey or API token; else empty
	At   time.Time
	IP   string // empty: not known
}

// PasskeyAdded tells that there is another passkey that opens the account.
type PasskeyAdded struct {
	At   time.Time
	IP   string
	Name string
}

// AccountClosed tells the address that the account had that it is closed.
type AccountClosed struct {
	At time.Time
	IP string
}

// Banned tells that the account is suspended.
type Banned struct {
	Reason string     // may be empty
	Until  *time.Time // nil: no end is set
}

// NewPlace tells of a sign-in from an area or a device that the account was not used from before.
type LoginAlert struct {
	At     time.Time
	IP     string
	Area   string // ISO 3166-1; empty where unknown
	Device string // empty where unknown
}

func (c Code) kind() string          { return c.Purpose }
func (EmailTaken) kind() string      { return "email_taken" }
func (PasswordChanged) kind() string { return "password_changed" }
func (EmailChanged) kind() string    { return "email_changed" }
func (PasskeyAdded) kind() string    { return "passkey_added" }
func (SecurityChanged) kind() string { return "security_changed" }
func (AccountClosed) kind() string   { return "account_closed" }
func (Banned) kind() string          { return "banned" }
func (LoginAlert) kind() string      { return "new_place" }

// Letter is the written mail.
type Letter struct {
	Subject, Text, HTML string

	// Unsubscribe is the address by which its reader gets no more of the kind with one click (RFC 8058); empty: it is
	// about the reader's own account and goes to them in any case.
	Unsubscribe string `json:",omitempty"`

	ReplyTo string `json:",omitempty"` // where answers go; empty: to the sender
	Thread  string `json:",omitempty"` // Message-ID of what it belongs to, without angle brackets
}

// Each template file defines "subject" and "text", which are plain text, and "html", the inside of the frame in
// frame.html.
//
//go:embed templates
var files embed.FS

// Write gives the words of a message, for other ways than mail to tell them.
func (m *Mails) Write(msg Message) (Letter, error) {
	t, err := templates()
	if err != nil {
		return Letter{}, err
	}
	site := m.settings.Get()
	lang := cmp.Or(msg.Lang, site.Language)
	pair, ok := t[path(lang, msg.Content.kind())]
	if !ok {
		return Letter{}, fmt.Errorf("mail: no template for %q in %s", msg.Content.kind(), lang)
	}
	about := struct {
		Lang                      fault.Lang
		SiteName, SiteURL, Mailed string
		Zone                      *time.Location
		Content                   Content
	}{lang, site.SiteName, m.site, msg.To, site.Zone(), msg.Content}

	var subject, text, html strings.Builder
	if err := pair.text.ExecuteTemplate(&subject, "subject", about); err != nil {
		return Letter{}, err
	}
	if err := pair.text.ExecuteTemplate(&text, "text", about); err != nil {
		return Letter{}, err
	}
	if err := pair.html.ExecuteTemplate(&html, "frame", about); err != nil {
		return Letter{}, err
	}
	oneLine := strings.Join(strings.Fields(subject.String()), " ")
	letter := Letter{
		Subject: oneLine, Text: strings.TrimSpace(text.String()) + "\n", HTML: strings.TrimSpace(html.String()) + "\n",
	}
	switch c := msg.Content.(type) {
	case Announcement:
		letter.Unsubscribe = c.Unsubscribe
	case TicketAnswered:
		letter.ReplyTo, letter.Thread = c.ReplyTo, c.Thread
	}
	return letter, nil
}

type templatePair struct {
	text *texttemplate.Template
	html *htmltemplate.Template
}

func path(lang fault.Lang, kind string) string {
	return "templates/" + string(lang) + "/" + kind + ".tmpl"
}

// templates reads all templates, by path, once.
var templates = sync.OnceValues(func() (map[string]templatePair, error) {
	functions := map[string]any{"when": func(t time.Time, zone *time.Location) string {
		return t.In(zone).
			Format("2006-01-02 15:04 (MST)")
	}}
	all := map[string]templatePair{}
	for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
		entries, err := files.ReadDir("templates/" + string(lang))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := "templates/" + string(lang) + "/" + e.Name()
			text, err := texttemplate.New(name).Option("missingkey=error").Funcs(functions).ParseFS(files, name)
			if err != nil {
				return nil, err
			}
			html, err := htmltemplate.New(name).Option("missingkey=error").Funcs(functions).
				ParseFS(files, "templates/frame.html", name)
			if err != nil {
				return nil, err
			}
			all[name] = templatePair{text, html}
		}
	}
	return all, nil
})
