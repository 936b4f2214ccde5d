// Package setting keeps what the operator may change while the server runs: one struct, its defaults here, the changed
// values as rows. What must be known before the database opens is configuration and not here.
package setting

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// Site is all settings. The JSON name of a field is the setting's name.
type Site struct {
	SiteName string `json:"site_name"`
	// of who asks for no language that the product speaks: pages, mails, the bot
	Language fault.Lang `json:"language"`
	// what users read in place of the number of a class; a class that has no name is called by its number
	ClassNames []ClassName `json:"class_names"`
	TimeZone   string      `json:"time_zone"` // IANA name; days, months and check-ins are counted in it
	Currency   string      `json:"currency"`  // ISO 4217; fixed once money has moved

	AboutZH      string `json:"about_zh"`      // what the service is, for the page /about; empty: a sentence of ours
	AboutEN      string `json:"about_en"`      // the same in English
	ContactEmail string `json:"contact_email"` // whom users write to; empty: no address is named
	ContactURL   string `json:"contact_url"`   // where users write to, such as https://t.me/name; empty: no link
	TermsURL     string `json:"terms_url"`     // terms of service elsewhere; empty: no link

	Accent   string `json:"accent"`    // colour of buttons and links, such as #146f87; empty: the built-in one
	FooterZH string `json:"footer_zh"` // text in the footer of the pages; empty: nothing
	FooterEN string `json:"footer_en"` // the same in English

	// Texts in Markdown at /terms and /privacy, which people accept at sign-up. Empty in both languages: there is none.
	// In one language alone: readers of the other get that one.
	TermsZH   string `json:"terms_zh"`
	TermsEN   string `json:"terms_en"`
	PrivacyZH string `json:"privacy_zh"`
	PrivacyEN string `json:"privacy_en"`

	// Whom to notify of a weakness, as mailto:… or https://…, in /.well-known/security.txt; empty: ContactURL, or
	// ContactEmail.
	SecurityContact string `json:"security_contact"`

	PrivacyURL string `json:"privacy_url"` // privacy notice elsewhere; empty: no link
	// where users get the source of what runs here, as section 13 of the AGPL wants it
	SourceURL string `json:"source_url"`
	TestPages bool   `json:"test_pages"` // whether the pages under /test-page are there

	SignUpMode       string   `json:"sign_up_mode"`         // open, invite or closed
	SignUpDomains    []string `json:"sign_up_domains"`      // allowed e-mail domains; empty allows all
	SignUpPerIPDaily int      `json:"sign_up_per_ip_daily"` // accounts per IP a day
	// whether a new user proves the address with a code sent to it
	SignUpEmailCode bool `json:"sign_up_email_code"`

	// whether staff need a second factor before they may do what only staff may
	StaffTwoFactor bool `json:"staff_two_factor"`
	// StaffNetworks are those from which staff may act, as CIDR; empty: from anywhere.
	StaffNetworks     []string `json:"staff_networks"`
	StaffSessionHours int      `json:"staff_session_hours"` // after which a member of staff signs in again
	// how long a session of a member of staff lives without a refresh, which a page in use asks for each 20 minutes
	StaffIdleMinutes int `json:"staff_idle_minutes"`

	SMTPHost string `json:"smtp_host"` // empty: mails are kept and not sent
	SMTPPort int    `json:"smtp_port"`
	SMTPTLS  string `json:"smtp_tls"` // starttls, tls (from the first byte, as on port 465) or none
	// empty: without authentication; the password is the secret smtp_password
	SMTPUsername string `json:"smtp_username"`
	SMTPFrom     string `json:"smtp_from"` // address that mails come from, as a@example.com or Name <a@example.com>

	// below the text of each mail, such as an address of the operator; empty: nothing
	MailFooterZH string `json:"mail_footer_zh"`
	MailFooterEN string `json:"mail_footer_en"`

	BroadcastPerMinute int `json:"broadcast_per_minute"` // users whom an announcement is sent to in a minute

	CaptchaProvider string `json:"captcha_provider"` // pow (built in), turnstile, hcaptcha or recaptcha
	// public key at the provider; the other one is the secret captcha_key
	CaptchaSiteKey string `json:"captcha_site_key"`
	// where the provider verifies answers; empty: its usual address
	CaptchaVerifyURL      string `json:"captcha_verify_url"`
	CaptchaRegister       string `json:"captcha_register"` // never, risk or always, as the others
	CaptchaLogin          string `json:"captcha_login"`
	CaptchaForgotPassword string `json:"captcha_forgot_password"`
	CaptchaCheckIn        string `json:"captcha_checkin"`
	CaptchaTicket         string `json:"captcha_ticket"`
	CaptchaPuzzles        int    `json:"captcha_puzzles"` // how many make one built-in proof of work
	CaptchaZeros          int    `json:"captcha_zeros"`   // zero hex digits that each of them wants

	// how the bot hears of messages: poll, or webhook where Telegram reaches the site by HTTPS
	TelegramUpdates string `json:"telegram_updates"`
	// ids of groups in which the bot answers commands, and never with what is about an account; it ignores other groups
	TelegramGroups []int64 `json:"telegram_groups"`
	// id of the group with topics in which staff answers tickets, each in a topic of its own; 0: none
	TelegramStaffGroup int64 `json:"telegram_staff_group"`

	CrispWebsiteID string `json:"crisp_website_id"` // UUID of the site at Crisp, the live chat; empty: no chat

	TicketMaxOpen         int `json:"ticket_max_open"`          // tickets that one user may have open at once
	TicketMessagesPerHour int `json:"ticket_messages_per_hour"` // messages that one user may write in an hour

	// address of a mailbox that takes mails to NAME+anything@… as its own; users answer notices of tickets there.
	// Empty: they answer on the site
	TicketMailAddress string `json:"ticket_mail_address"`
	IMAPHost          string `json:"imap_host"` // server of that mailbox; empty: it is not read
	IMAPPort          int    `json:"imap_port"`
	IMAPTLS           string `json:"imap_tls"`      // tls (from the first byte), starttls or none
	IMAPUsername      string `json:"imap_username"` // the password is the secret imap_password
	IMAPFolder        string `json:"imap_folder"`

	// what the files that one user has sent and uploads may take, in units of 1024² bytes; 0: no files can be sent
	AttachmentQuotaMB int `json:"attachment_quota_mb"`
	// the bucket for files that are sent from now on; empty: the folder attachments of AIRSTRIP_DATA
	AttachmentS3Bucket string `json:"attachment_s3_bucket"`
	// address of the S3-compatible service, as https://s3.example.com; the key is the secret attachment_s3_key
	AttachmentS3URL       string `json:"attachment_s3_url"`
	AttachmentS3Region    string `json:"attachment_s3_region"`
	AttachmentS3AccessKey string `json:"attachment_s3_access_key"`

	RechargePresets []money.Amount `json:"recharge_presets"`
	RechargeMin     money.Amount   `json:"recharge_min"`
	RechargeMax     money.Amount   `json:"recharge_max"`
	RechargeMinutes int            `json:"recharge_minutes"` // how long a recharge or order may stay pending

	// where a credit goes that is more than the new plan: time (stays with the service) or wallet
	ChangeCredit string `json:"change_credit"`

	// what one member of staff may give alone on a day of the site, by its worth and in all ways together
	StaffCreditLimit money.Amount `json:"staff_credit_limit"`

	CommissionPermille  int  `json:"commission_permille"`   // of what the invited pay; 0: none
	CommissionFirstOnly bool `json:"commission_first_only"` // whether only the first order of each counts
	// until a commission is released; refunds within them take it back
	CommissionDays int `json:"commission_days"`
	// people that one user may bring in before buying more invites; -1: no limit
	InviteQuota int          `json:"invite_quota"`
	InvitePrice money.Amount `json:"invite_price"` // of one more invite; 0: not for sale
	InviteCodes int          `json:"invite_codes"` // codes that one user may have beside the given one
	// the least length of a code that a user chooses
	InviteCodeMin int `json:"invite_code_min"`
	// words that nobody can choose as a code, besides those that would pass for the site's own
	InviteReserved []string `json:"invite_reserved"`
	// the least commission that staff pays outside of the site; 0: none, users move it into their wallets
	PayoutMin money.Amount `json:"payout_min"`

	CheckIn      bool `json:"checkin"`        // whether users get traffic for a daily check-in
	CheckInMinMB int  `json:"checkin_min_mb"` // the least and the most that one gives, in units of 1024² bytes
	CheckInMaxMB int  `json:"checkin_max_mb"`

	// site addresses for subscription links, without closing slash; empty: the site's own
	LinkURLs        []string `json:"link_urls"`
	LinkPerMinute   int      `json:"link_per_minute"`
	LinkPerDay      int      `json:"link_per_day"`
	LinkPerIPMinute int      `json:"link_per_ip_minute"`
	LinkUpdateHours int      `json:"link_update_hours"`
	LinkLogDays     int      `json:"link_log_days"` // how long fetches of links are kept
	// a link fetched from so many networks in a day is reported to its user; 0: never
	LinkNoticeNetworks int `json:"link_notice_networks"`
	// what files tell in entries of their own besides traffic and expiry, where a link asks for such
	LinkNotices []string `json:"link_notices"`
	// the operator's Emby media server, without closing slash; empty: none. Its API key is the secret emby_key
	EmbyURL   string `json:"emby_url"`
	EmbyClass int    `json:"emby_class"` // class that a plan needs for the media server
	// push address of the operator's Grafana Loki, which gets sign-ins, audit hits and link fetches; empty: none
	LokiPushURL string `json:"loki_push_url"`
	// empty: without authentication; the password is the secret loki_password
	LokiUsername string `json:"loki_username"`
	// X-Scope-OrgID, where Loki serves several; empty: it does not
	LokiTenant     string `json:"loki_tenant"`
	TrafficLogDays int    `json:"traffic_log_days"`
	// how long days of traffic are kept, and no shorter than hours; older months are kept as sums
	TrafficDailyDays int `json:"traffic_daily_days"`
	// how many times its usual a user's or node's day is before staff is notified; 0: never
	TrafficAnomalyFactor int `json:"traffic_anomaly_factor"`
	TrafficAnomalyUserGB int `json:"traffic_anomaly_user_gb"` // days of users with less are never notified of
	TrafficAnomalyNodeGB int `json:"traffic_anomaly_node_gb"` // the same of nodes
	// on days on which fewer users moved anything no user's day is notified of
	TrafficAnomalyUsers int `json:"traffic_anomaly_users"`
	NodeReportSeconds   int `json:"node_report_seconds"`
	NodeOfflineMinutes  int `json:"node_offline_minutes"` // how long a node is silent before staff is notified
	// whether nodes may reach private addresses; for the demo and tests
	NodeAllowPrivate bool `json:"node_allow_private"`
	// whether webhooks may be sent to private addresses, and over plain HTTP; for receivers on the operator's own
	// network
	WebhookAllowPrivate bool `json:"webhook_allow_private"`
}

// ClassName is what users call a class of plans and nodes.
type ClassName struct {
	Class int          `json:"class"`
	Name  string       `json:"name"`  // where the reader's language has none of its own
	Names fault.ByLang `json:"names"` // of single languages
}

// ClassName gives the name of a class in a reader's language; empty where the operator gave it none.
func (s Site) ClassName(class int, lang fault.Lang) string {
	for _, c := range s.ClassNames {
		if c.Class == class {
			return c.Names.In(lang, c.Name)
		}
	}
	return ""
}

// MailFooter gives what is below the text of mails in a language; empty: nothing.
func (s Site) MailFooter(lang fault.Lang) string {
	return strings.TrimSpace(fault.Text{ZH: s.MailFooterZH, EN: s.MailFooterEN}.In(lang))
}

// Where the part of a change's credit goes that is more than the new plan: it stays with the service as time, or the
// wallet gets it.
const (
	AsTime   = "time"
	ToWallet = "wallet"
)

// Defaults are the settings of a new site.
func Defaults() Site {
	return Site{
		SiteName: "网络加速器", Language: fault.ZH, TimeZone: "Asia/Shanghai", Currency: "CNY",
		SignUpMode: "open", SignUpPerIPDaily: 20, StaffSessionHours: 12, StaffIdleMinutes: 120,
		SMTPPort: 587, SMTPTLS: "starttls", BroadcastPerMinute: 120,
		CaptchaProvider: "pow", CaptchaRegister: "risk", CaptchaLogin: "risk", CaptchaForgotPassword: "risk",
		CaptchaCheckIn: "never", CaptchaTicket: "never",
		CaptchaPuzzles: 80, CaptchaZeros: 4,
		TelegramUpdates: "poll",
		TicketMaxOpen:   10, TicketMessagesPerHour: 60,
		IMAPPort: 993, IMAPTLS: "tls", IMAPFolder: "INBOX",
		AttachmentQuotaMB: 200, AttachmentS3Region: "us-east-1",
		RechargePresets: []money.Amount{1000, 3000, 5000, 10000, 20000, 50000}, RechargeMin: 100,
		RechargeMax: 10000000, RechargeMinutes: 30,
		ChangeCredit: AsTime, StaffCreditLimit: 100000, CommissionPermille: 100, CommissionDays: 14, InviteQuota: -1,
		InviteCodes: 10, InviteCodeMin: 4,
		CheckIn: true, CheckInMinMB: 100, CheckInMaxMB: 500,
		LinkPerMinute: 10, LinkPerDay: 200, LinkPerIPMinute: 30, LinkUpdateHours: 12, LinkLogDays: 30,
		LinkNoticeNetworks: 12, EmbyClass: 1,
		TrafficLogDays: 90, TrafficDailyDays: 730, TrafficAnomalyFactor: 5, TrafficAnomalyUserGB: 100,
		TrafficAnomalyNodeGB: 2000, TrafficAnomalyUsers: 100, NodeReportSeconds: 60, NodeOfflineMinutes: 5,
	}
}

// zones are those that were asked for, by name: time.LoadLocation reads a file each time.
var zones sync.Map

// Zone is the site's time zone.
func (s Site) Zone() *time.Location {
	if zone, known := zones.Load(s.TimeZone); known {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return time.UTC // Set refuses unknown names, so only a damaged row leads here
	}
	zones.Store(s.TimeZone, zone)
	return zone
}

const revision = "setting"

// Settings gives the present settings without touching the database.
type Settings struct {
	db  *db.DB
	now *db.Snapshot[Site]

	currencyInUse func(ctx context.Context, tx bun.Tx) (bool, error) // nil: nothing on this site has amounts
}

// New loads the settings.
func New(ctx context.Context, d *db.DB) (*Settings, error) {
	s := &Settings{db: d}
	s.now = db.NewSnapshot(d, revision, "settings", func(ctx context.Context) (Site, error) { return read(ctx, d) })
	return s, s.now.Load(ctx)
}

// Get returns the present settings.
func (s *Settings) Get() Site { return s.now.Get() }

// Follow keeps the settings current with what other processes change, until ctx ends.
func (s *Settings) Follow(ctx context.Context) { s.now.Follow(ctx) }

// Watch returns a channel that holds a value once Get gives other settings than before. Call stop when done.
func (s *Settings) Watch() (changes <-chan struct{}, stop func()) { return s.now.Watch() }

type row struct {
	bun.BaseModel `bun:"table:setting"`
	Name          string          `bun:",pk"`
	Value         json.RawMessage `bun:"type:jsonb"`
	UpdatedAt     time.Time
}

func read(ctx context.Context, idb bun.IDB) (Site, error) {
	var rows []row
	if err := idb.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return Site{}, err
	}
	values := map[string]json.RawMessage{}
	for _, r := range rows {
		values[r.Name] = r.Value
	}
	all, err := json.Marshal(values)
	if err != nil {
		return Site{}, err
	}
	site := Defaults()
	if err := json.Unmarshal(all, &site); err != nil {
		return Site{}, fmt.Errorf("read the settings: %w", err)
	}
	return site, nil
}

// OnCurrencyChange has inUse report whether amounts of the present currency are stored; then Set refuses another
// currency. Call it before the settings are used.
func (s *Settings) OnCurrencyChange(inUse func(ctx context.Context, tx bun.Tx) (bool, error)) {
	s.currencyInUse = inUse
}

func (s *Settings) refuseCurrencyInUse(ctx context.Context, tx bun.Tx) error {
	if s.currencyInUse == nil {
		return nil
	}
	used, err := s.currencyInUse(ctx, tx)
	if err == nil && used {
		err = fault.Invalid("currency", "fixed", "已有资金往来，货币不能再更改",
			"Money has moved already; the currency can no longer change")
	}
	return err
}
