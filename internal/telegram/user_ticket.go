package telegram

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/markdown"
	"airstrip/internal/ticket"
)

// What buttons about tickets carry; all but the first two are followed by the ticket's number.
const (
	pressTickets   = "tickets"
	pressNewTicket = "newticket"
	pressTicket    = "ticket"
	pressAnswer    = "answer"
	pressClose     = "close"
	pressReopen    = "reopen"
)

const (
	ticketsShown  = 8
	messagesShown = 5
	shortMessage  = 600 // characters of one of several messages
)

// ticketMark begins what the bot writes about a ticket of the person, so that an answer to that is known to belong
// there.
func ticketMark(no int64) string { return fmt.Sprintf("🎫 #%d", no) }

const newTicketMark = "🎫 +"

var markedTicket = regexp.MustCompile(`^🎫 #(\d{1,18})(?:\s|$)`)

// wish is what a person wants of their tickets.
type wish struct {
	what string // one of the words of the buttons
	no   string // of the ticket; empty: none is named
	text string
}

// wishOf reads what somebody wrote or pressed in private; false where it is not about tickets.
func (b *Bot) wishOf(me *self, u update) (wish, bool) {
	if u.Callback != nil {
		word, rest, _ := strings.Cut(u.Callback.Data, " ")
		known := slices.Contains([]string{
			pressTickets, pressNewTicket, pressTicket, pressAnswer, pressClose, pressReopen,
		}, word)
		return wish{what: word, no: rest}, known
	}
	m := u.Message
	if to := m.ReplyTo; to != nil && to.From != nil && to.From.ID == me.id && !strings.HasPrefix(m.Text, "/") {
		if strings.HasPrefix(to.Text, newTicketMark) {
			return wish{what: pressNewTicket, text: m.Text}, true
		}
		if found := markedTicket.FindStringSubmatch(to.Text); found != nil {
			return wish{what: pressAnswer, no: found[1], text: m.Text}, true
		}
	}
	command, rest := cutWord(m.Text)
	no, text := cutWord(rest)
	no = strings.TrimPrefix(no, "#")
	switch command {
	case "/tickets":
		return wish{what: pressTickets}, true
	case "/newticket":
		return wish{what: pressNewTicket, text: rest}, true
	case "/ticket":
		return wish{what: pressTicket, no: no}, true
	case "/reply":
		return wish{what: pressAnswer, no: no, text: text}, true
	case "/close":
		return wish{what: pressClose, no: no}, true
	}
	return wish{}, false
}

// cutWord gives the first word of a text and what stands after it.
func cutWord(s string) (first, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

// aboutTicket does what an update wants of tickets and returns what to say; false where it is about something else.
func (b *Bot) aboutTicket(ctx context.Context, me *self, u update) ([]call, bool, error) {
	if b.tickets == nil {
		return nil, false, nil
	}
	if m := u.Message; m != nil && m.Chat.ID != 0 && m.Chat.ID == b.settings.Get().TelegramStaffGroup {
		if was, err := b.wasHandled(ctx, me, u); was || err != nil {
			return nil, true, err
		}
		calls, err := b.fromStaffGroup(ctx, me, u)
		return calls, true, err
	}
	var who *person
	switch {
	case u.Callback != nil && u.Callback.Message != nil && u.Callback.Message.Chat.Type == "private":
		who = &u.Callback.From
	case u.Message != nil && u.Message.From != nil && !u.Message.From.IsBot && u.Message.Chat.Type == "private":
		who = u.Message.From
	default:
		return nil, false, nil
	}
	w, isAbout := b.wishOf(me, u)
	if !isAbout {
		return nil, false, nil
	}
	if was, err := b.wasHandled(ctx, me, u); was || err != nil {
		return nil, true, err
	}
	if b.people.Allow(strconv.FormatInt(who.ID, 10)) != nil {
		return nil, true, nil
	}
	answer, err := b.answerWish(ctx, me, u, *who, w)
	if err != nil {
		return nil, true, err
	}
	if u.Callback != nil {
		return []call{answerCallback(u.Callback.ID, ""), answer}, true, nil
	}
	return []call{answer}, true, nil
}

// answerWish does what a person wants of their own tickets.
func (b *Bot) answerWish(ctx context.Context, me *self, u update, who person, w wish) (call, error) {
	user, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return send(who.ID, say(b.langOf(ctx, who), textNotLinked, b.site)), nil
	}
	if err != nil {
		return call{}, err
	}
	answer, err := b.grantWish(keyed(ctx, me, u, user.ID, w.text), u, who, user, w)
	if f, known := fault.As(err); known && fault.Refused(err) {
		if errors.Is(err, captcha.ErrRequired) {
			return send(who.ID, say(user.Lang, textTicketOnSite, b.site)), nil
		}
		return send(who.ID, faultText(f, user.Lang)), nil
	}
	return answer, err
}

// keyed binds the update to ctx, so that what it does in a transaction with a key it does once, and as the user's
// account.
func keyed(ctx context.Context, me *self, u update, userID int64, text string) context.Context {
	hash := sha256.Sum256([]byte(text))
	return idempotency.With(account.Acting(ctx, userID), idempotency.Request{
		UserID: userID, Key: fmt.Sprintf("telegram %d %d", me.id, u.ID), Hash: hash[:],
	})
}

// faultText says what is wrong, field by field where it is about input.
func faultText(f *fault.Error, lang fault.Lang) string {
	var texts []string
	for _, field := range f.Fields {
		texts = append(texts, field.Text.In(lang))
	}
	if len(texts) == 0 {
		return f.Text.In(lang)
	}
	return strings.Join(texts, "\n")
}

func (b *Bot) grantWish(ctx context.Context, u update, who person, user account.User, w wish) (call, error) {
	switch {
	case w.what == pressTickets:
		return b.listTickets(ctx, who, user)
	case u.Message != nil && w.text == "" && u.Message.hasMedia():
		return send(who.ID, say(user.Lang, textPicturesOnSite, b.site+"/user/tickets")), nil
	case w.what == pressNewTicket:
		return b.openTicket(ctx, who, user, w.text)
	}
	k, err := b.tickets.Show(ctx, user.ID, w.no)
	if err != nil {
		return call{}, err
	}
	switch {
	case w.what == pressTicket:
		return b.showTicket(ctx, who, user, k)
	case w.what == pressAnswer && w.text == "":
		return send(who.ID, ticketMark(k.ID)+" "+k.Title+"\n"+textWriteAnswer.In(user.Lang)).
			prompt(hintAnswer.In(user.Lang)), nil
	case w.what == pressAnswer:
		if _, err := b.tickets.Send(ctx, user.ID, w.no, w.text); err != nil {
			return call{}, err
		}
		return send(who.ID, ticketMark(k.ID)+" "+textAnswerSent.In(user.Lang), b.ticketButtons(k, user.Lang)...), nil
	}
	k, err = b.tickets.SetOpen(ctx, user.ID, w.no, w.what == pressReopen)
	if err != nil {
		return call{}, err
	}
	return send(who.ID, ticketMark(k.ID)+" "+stateTexts[k.State].In(user.Lang), b.ticketButtons(k, user.Lang)...), nil
}

// openTicket opens a ticket, whose title is the first line of text; without text it asks for one.
func (b *Bot) openTicket(ctx context.Context, who person, user account.User, text string) (call, error) {
	if text == "" {
		return send(who.ID, newTicketMark+" "+textWriteTicket.In(user.Lang)).prompt(hintTicket.In(user.Lang)), nil
	}
	title, content, _ := strings.Cut(text, "\n")
	title, content = strings.TrimSpace(title), strings.TrimSpace(content)
	if content == "" || len([]rune(title)) > ticket.MaxTitle {
		content = text
	}
	k, err := b.tickets.Open(ctx, user.ID, ticket.Draft{Title: shorten(title, ticket.MaxTitle), Content: content})
	if err != nil {
		return call{}, err
	}
	return send(who.ID, ticketMark(k.ID)+" "+say(user.Lang, textTicketOpened, k.Title),
		b.ticketButtons(k, user.Lang)...), nil
}

func (b *Bot) listTickets(ctx context.Context, who person, user account.User) (call, error) {
	tickets, _, err := b.tickets.List(ctx, ticket.Filter{UserID: user.ID, Limit: ticketsShown})
	if err != nil {
		return call{}, err
	}
	var rows [][]button
	for i := range tickets {
		k := &tickets[i]
		title := fmt.Sprintf("#%d %s · %s", k.ID, shorten(k.Title, 40), stateTexts[k.State].In(user.Lang))
		if k.Unread() {
			title = "🔵 " + title
		}
		rows = append(rows, []button{{Text: title, Data: pressTicket + " " + strconv.FormatInt(k.ID, 10)}})
	}
	text := textYourTickets
	if len(tickets) == 0 {
		text = textNoTickets
	}
	return send(who.ID, text.In(user.Lang), append(rows, []button{
		{Text: buttonNewTicket.In(user.Lang), Data: pressNewTicket},
		{Text: buttonSite.In(user.Lang), URL: b.site + "/user/tickets"},
	})...), nil
}

// showTicket tells the newest messages of a ticket, which are read by that.
func (b *Bot) showTicket(ctx context.Context, who person, user account.User, k *ticket.Ticket) (call, error) {
	messages, more, err := b.tickets.Messages(ctx, k, ticket.Page{Limit: messagesShown}, false)
	if err != nil {
		return call{}, err
	}
	parts := []string{ticketMark(k.ID) + " " + k.Title + "\n" + stateTexts[k.State].In(user.Lang)}
	if more {
		parts = append(parts, say(user.Lang, textOlderOnSite, b.ticketURL(k.ID)))
	}
	zone := b.settings.Get().Zone()
	for _, m := range messages {
		author := textYou
		if m.ByStaff {
			author = textSupport
		}
		parts = append(parts, fmt.Sprintf("%s · %s\n%s", author.In(user.Lang),
			m.CreatedAt.In(zone).Format("2006-01-02 15:04"), shorten(plain(m.Text()), shortMessage)))
	}
	if err := b.tickets.Read(ctx, user.ID, k.UUID.String(), k.LastMessageID); err != nil {
		return call{}, err
	}
	return send(who.ID, strings.Join(parts, "\n\n"), b.ticketButtons(k, user.Lang)...), nil
}

// ticketButtons are what a user can do with a ticket.
func (b *Bot) ticketButtons(k *ticket.Ticket, lang fault.Lang) [][]button {
	no := " " + strconv.FormatInt(k.ID, 10)
	onSite := button{Text: buttonOpenTicket.In(lang), URL: b.ticketURL(k.ID)}
	switch {
	case k.MergedInto != nil:
		return [][]button{{onSite}}
	case k.State == ticket.Closed:
		return [][]button{{{Text: buttonReopen.In(lang), Data: pressReopen + no}, onSite}}
	}
	return [][]button{
		{{Text: buttonAnswer.In(lang), Data: pressAnswer + no}, {Text: buttonClose.In(lang), Data: pressClose + no}},
		{onSite},
	}
}

func (b *Bot) ticketURL(no int64) string {
	return b.site + "/user/tickets/view/" + strconv.FormatInt(no, 10)
}

// plain gives a message as text that Telegram shows, never an empty one.
func plain(content string) string {
	if text := strings.TrimSpace(markdown.Text(content)); text != "" {
		return text
	}
	return content
}

// shorten cuts a text to at most so many characters.
func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
