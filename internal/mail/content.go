package mail

import (
	"cmp"
	"fmt"
	htmltemplate "html/template"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/fault"
)

// Content is what a mail says: one of the types of this package, each with a template of its kind in both languages and
// the variables that the template may have.
type Content interface {
	kind() string
	fill(v *values)
}

// Code brings a code that proves the address.
type Code struct {
	Purpose string // register, login, forgot_password, change_email, step_up or test; the template of that name is used
	Code    string
	Minutes int
	Path    string // of the page that has the code filled in; empty where there is none
	Other   string // with change_email: the address that the account will have
}

const (
	forgotPassword = "forgot_password"
	changeEmail    = "change_email"
)

const codeStyle = "margin:20px 0;padding:16px;background:#f3f4f6;border-radius:8px;" +
	"font:600 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;text-align:center"

// builtinButton is the colour of buttons where the site has no accent colour.
const builtinButton = "#1d4ed8"

// buttonStyle is the style of a button in a colour on which white text is easy to read.
func buttonStyle(colour string) string {
	return "display:inline-block;padding:12px 20px;background:" + colour + ";border-radius:8px;color:#ffffff;" +
		"font-weight:600;text-decoration:none"
}

func (c Code) fill(v *values) {
	v.block("code", "    "+c.Code, `<p style="`+codeStyle+`">`+escape(c.Code)+`</p>`)
	v.text("minutes", strconv.Itoa(c.Minutes))
	v.need("code")
	switch c.Purpose {
	case forgotPassword:
		label := fault.Text{ZH: "重置密码", EN: "Set a new password"}.In(v.lang)
		v.block("link", v.site+c.Path, `<p style="text-align:center"><a href="`+escape(v.site+c.Path)+
			`" style="`+buttonStyle(v.button)+`">`+label+`</a></p>`)
		v.need("link")
	case changeEmail:
		v.text("new_address", c.Other)
		v.say("advice", "如果不是你本人操作，请立即修改密码：有人登录了你的账号。",
			"If you did not ask for it, change your password: somebody is signed in to your account.")
		if v.recipient == c.Other {
			v.say("advice", "如果不是你本人操作，请忽略本邮件；没有验证码就不会有任何更改。",
				"If you did not ask for it, ignore this mail; nothing happens without the code.")
		}
	}
}

// EmailTaken tells somebody who asked for a code to make an account, or to move one to this address, that there is an
// account already.
type EmailTaken struct{}

func (EmailTaken) fill(*values) {}

// PasswordChanged tells that the password was changed.
type PasswordChanged struct {
	At time.Time
	IP string // empty: by the operator
	// without the present password; then Passkeys and Telegram were removed, else they still open the account
	Recovered bool
	Passkeys  int
	Telegram  bool
}

func (c PasswordChanged) fill(v *values) {
	v.time("time", c.At)
	v.origin(c.IP, fault.Text{ZH: "由站点管理员", EN: "by the operator"})
	otherWays(v, c.Recovered, c.Passkeys, c.Telegram)
}

// otherWays says what became of the ways to sign in that need no password.
func otherWays(v *values, removed bool, passkeys int, telegram bool) {
	var zh, en []string
	switch {
	case passkeys > 0 && removed:
		zh, en = append(zh, "通行密钥已全部移除。"), append(en, "Your passkeys were removed.")
	case passkeys > 0:
		zh = append(zh, fmt.Sprintf("仍可用于登录的通行密钥：%d 个。", passkeys))
		en = append(en, fmt.Sprintf("Passkeys that still sign you in: %d.", passkeys))
	}
	switch {
	case telegram && removed:
		zh, en = append(zh, "Telegram 绑定已解除。"), append(en, "Your Telegram account was unlinked.")
	case telegram:
		zh = append(zh, "已绑定的 Telegram 仍可用于登录。")
		en = append(en, "Your linked Telegram account still signs you in.")
	}
	v.say("other_ways", strings.Join(zh, ""), strings.Join(en, " "))
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

func (c EmailChanged) fill(v *values) {
	v.time("time", c.At)
	v.text("new_address", c.Other)
	v.origin(c.IP, fault.Text{ZH: "由本站工作人员", EN: "from the staff of the site"})
	otherWays(v, c.Recovered, c.Passkeys, c.Telegram)
}

// SecurityChanged tells of another event in the security of the account.
type SecurityChanged struct {
	What string // kind of the activity, as in securityEvents
	Name string // of the passkey or API token; else empty
	At   time.Time
	IP   string // empty: not known
}

// securityEvents are the words of events by kind; %s stands for the name.
var securityEvents = map[string]fault.Text{
	"two_factor_on":       {ZH: "两步验证已开启", EN: "Two-step sign-in was turned on"},
	"two_factor_off":      {ZH: "两步验证已关闭", EN: "Two-step sign-in was turned off"},
	"recovery_codes_made": {ZH: "恢复码已重新生成", EN: "New recovery codes were made"},
	"passkey_removed":     {ZH: "通行密钥「%s」已移除", EN: "The passkey “%s” was removed"},
	"telegram_linked":     {ZH: "已绑定 Telegram 账号", EN: "A Telegram account was linked"},
	"telegram_unlinked":   {ZH: "已解除 Telegram 绑定", EN: "The Telegram account was unlinked"},
	tokenMade:             {ZH: "已创建 API 令牌「%s」", EN: "The API token “%s” was made"},
	tokenReused: {
		ZH: "一个登录凭证被重复使用，可能已被他人复制，该登录已结束",
		EN: "A sign-in was ended because a copy of its token was used",
	},
}

// These events end no other session.
const (
	tokenMade   = "api_token_made"
	tokenReused = "refresh_token_reused"
)

func (c SecurityChanged) fill(v *values) {
	words, known := securityEvents[c.What]
	if !known {
		words = securityEvents[tokenReused]
	}
	v.text("event", strings.ReplaceAll(words.In(v.lang), "%s", c.Name))
	v.time("time", c.At)
	v.origin(c.IP, fault.Text{})
	v.text("consequence", "")
	if c.What != tokenMade && c.What != tokenReused {
		v.say("consequence", "其他设备均已退出登录，API 令牌已全部撤销。",
			"All other devices were signed out, and all API tokens were revoked.")
	}
}

// PasskeyAdded tells that there is another passkey that opens the account.
type PasskeyAdded struct {
	At   time.Time
	IP   string
	Name string
}

func (c PasskeyAdded) fill(v *values) {
	v.time("time", c.At)
	v.text("ip", c.IP)
	v.text("name", c.Name)
}

// AccountClosed tells the address that the account had that it is closed.
type AccountClosed struct {
	At time.Time
	IP string
}

func (c AccountClosed) fill(v *values) {
	v.time("time", c.At)
	v.text("ip", c.IP)
}

// Banned tells that the account is suspended.
type Banned struct {
	Reason string     // may be empty
	Until  *time.Time // nil: no end is set
}

func (c Banned) fill(v *values) {
	v.say("duration", "结束时间未定", "without a set end")
	if c.Until != nil {
		v.say("duration", "至 "+v.when(*c.Until)+" 结束", "until "+v.when(*c.Until))
	}
	v.note("reason_note", "原因：", "Reason: ", c.Reason)
}

// note gives a variable what a person wrote behind a word that says what it is, or nothing.
func (v *values) note(name, zh, en, written string) {
	v.text(name, "")
	if written != "" {
		v.say(name, zh+written, en+written)
	}
}

// LoginAlert tells of a sign-in from an area or a device that the account was not used from before.
type LoginAlert struct {
	At     time.Time
	IP     string
	Area   string // ISO 3166-1; empty where unknown
	Device string // empty where unknown
}

func (c LoginAlert) fill(v *values) {
	v.time("time", c.At)
	v.text("ip", c.IP)
	v.text("area_note", "")
	if c.Area != "" {
		v.say("area_note", "（"+c.Area+"）", "("+c.Area+")")
	}
	v.note("device_note", "设备：", "Device: ", c.Device)
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

// Write gives the words of a message, for other ways than mail to tell them.
func (m *Mails) Write(msg Message) (Letter, error) {
	msg.Lang = cmp.Or(msg.Lang, m.settings.Get().Language)
	t, err := m.templateOf(msg.Content.kind(), msg.Lang)
	if err != nil {
		return Letter{}, err
	}
	return m.writeBy(t, msg)
}

// writeBy writes a message by a template.
func (m *Mails) writeBy(t Template, msg Message) (Letter, error) {
	site := m.settings.Get()
	v := newValues(msg.Lang, site.Zone(), site.SiteName, m.site, msg.To)
	v.button = cmp.Or(site.ButtonColour(), builtinButton)
	msg.Content.fill(v)
	letter := Letter{Subject: v.line(t.Subject), Text: v.plain(t.Body) + "\n"}
	about := frame{
		Lang: msg.Lang, Subject: letter.Subject, SiteName: site.SiteName, SiteURL: m.site, Recipient: msg.To,
		Body: v.html(t.Body), Footer: site.MailFooter(msg.Lang),
	}
	if m.logo != nil {
		about.Logo = m.logo()
	}
	switch c := msg.Content.(type) {
	case Announcement:
		letter.Unsubscribe = c.Unsubscribe
	case TicketAnswered:
		letter.ReplyTo, letter.Thread = c.ReplyTo, c.Thread
		if c.ReplyTo != "" {
			letter.Text = ReplyMark + "\n\n" + letter.Text
			about.ReplyMark = ReplyMark
		}
	}
	if about.Footer != "" {
		letter.Text += "\n" + about.Footer + "\n"
	}
	var html strings.Builder
	if err := frameTemplate.Execute(&html, about); err != nil {
		return Letter{}, err
	}
	letter.HTML = strings.TrimSpace(html.String()) + "\n"
	return letter, nil
}

// frame is what is around the text of each mail.
type frame struct {
	Lang                                  fault.Lang
	Subject, SiteName, SiteURL, Recipient string
	ReplyMark, Logo                       string
	Body                                  htmltemplate.HTML
	Footer                                string
}
