package notify

import (
	"fmt"
	"slices"

	"airstrip/internal/mail"
)

// Channel is a way by which a notice reaches its user.
type Channel string

// The channels.
const (
	ByMail     Channel = "mail"
	ByTelegram Channel = "telegram"
	ByPush     Channel = "push" // to browsers that subscribed
)

// Channels are all channels.
var Channels = []Channel{ByMail, ByTelegram, ByPush}

// Event is what users are notified of. Events are stored with the users' choices and are part of the API: they are
// never renamed.
type Event string

// The events.
const (
	Security     Event = "security"
	SignIn       Event = "sign_in"
	Link         Event = "link"
	Service      Event = "service"
	Traffic      Event = "traffic"
	Renewal      Event = "renewal"
	Payment      Event = "payment"
	Ticket       Event = "ticket"
	Payout       Event = "payout"
	Announcement Event = "announcement"
)

// Rule is what holds for an event.
type Rule struct {
	Event     Event
	Mandatory []Channel // which no user can turn off
	Off       []Channel // which users turn on themselves
	Without   []Channel // by which nobody is notified
	Warns     bool      // of what somebody else may do with the account, so that turning it off asks for a recent proof
	Page      string    // that a notice leads to
	kinds     []string  // of the mails about it
}

// Rules are the events in the order of the pages. Whoever took over an account must not be able to silence it: what was
// changed in its security is always sent by mail. A payment is shown on the page that made it, so nobody gets a mail
// about it who did not ask for one.
var Rules = []Rule{
	{
		Event: Security, Warns: true, Mandatory: []Channel{ByMail}, Page: "/user/account/security",
		kinds: []string{"password_changed", "email_changed", "passkey_added", "security_changed", "banned"},
	},
	{Event: SignIn, Warns: true, Page: "/user/account/login-ip-log", kinds: []string{"new_place"}},
	{Event: Link, Warns: true, Page: "/user/connection-reset", kinds: []string{"link_spread"}},
	{Event: Service, Page: "/user/services", kinds: []string{"service_ending", "order_assigned"}},
	{Event: Traffic, Page: "/user/services/buy", kinds: []string{"traffic_used"}},
	{Event: Renewal, Page: "/user/services/renewals", kinds: []string{"renewed", "not_renewed"}},
	{Event: Payment, Off: []Channel{ByMail}, Page: "/user/wallet", kinds: []string{"payment_received"}},
	{Event: Ticket, Page: "/user/tickets", kinds: []string{"ticket_answered", "ticket_mail_refused"}},
	{Event: Payout, Warns: true, Page: "/user/promote", kinds: []string{"payout_decided"}},
	{Event: Announcement, Without: []Channel{ByPush}, Page: "/user/announcements/announcements", kinds: []string{"announcement"}},
}

// Default tells whether users who chose nothing are notified by a channel.
func (r Rule) Default(by Channel) bool { return !slices.Contains(r.Off, by) && r.Has(by) }

// Has tells whether users can be notified by a channel.
func (r Rule) Has(by Channel) bool { return !slices.Contains(r.Without, by) }

// Warns tells whether turning notices of the event off asks for a recent proof.
func (e Event) Warns() bool {
	rule, _ := ruleOf(e)
	return rule.Warns
}

func ruleOf(event Event) (Rule, bool) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Event == event })
	if i < 0 {
		return Rule{}, false
	}
	return Rules[i], true
}

// ruleFor returns the rule of the event that content tells of.
func ruleFor(content mail.Content) (Rule, error) {
	kind := mail.KindOf(content)
	i := slices.IndexFunc(Rules, func(r Rule) bool { return slices.Contains(r.kinds, kind) })
	if i < 0 {
		return Rule{}, fmt.Errorf("notify: no event has mails of the kind %s", kind)
	}
	return Rules[i], nil
}
