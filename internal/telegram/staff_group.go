package telegram

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/ticket"
)

// fromStaffGroup does what somebody wrote in a topic of the group of staff. Who they are and what they may do is looked
// up for each message. Outside of the topics the bot says nothing.
func (b *Bot) fromStaffGroup(ctx context.Context, me *self, u update) ([]call, error) {
	m := u.Message
	if m.From == nil || m.From.IsBot || !m.InTopic || (m.Text == "" && !m.hasMedia()) {
		return nil, nil
	}
	if word, _ := cutWord(m.Text); strings.HasPrefix(word, "/") {
		if _, to, _ := strings.Cut(word, "@"); to != "" && !strings.EqualFold(to, b.Name()) {
			return nil, nil // for another bot
		}
	}
	ticketID, err := b.ticketOfTopic(ctx, m.Chat.ID, m.ThreadID)
	if err != nil || ticketID == 0 {
		return nil, err
	}
	refuse := func(text string) []call { return []call{send(m.Chat.ID, text).inTopic(m.ThreadID).replyTo(m)} }
	who, member, err := b.accounts.MemberByTelegram(ctx, m.From.ID)
	switch {
	case errors.Is(err, account.ErrNoUser),
		err == nil && who.Refusal() == nil && !who.Has(permission.TicketAnswer):
		if b.people.Allow(strconv.FormatInt(m.From.ID, 10)) != nil {
			return nil, nil
		}
		return refuse(textStaffOnly.In(b.langOf(ctx, *m.From))), nil
	case err != nil:
		return nil, err
	}
	err = who.Refusal()
	said := ""
	if err == nil {
		ctx = b.log.As(ctx, who.Actor(account.Client{}, fmt.Sprintf("telegram %d", u.ID)))
		ctx = context.WithValue(keyed(ctx, me, u, member.ID, m.Text), inTopicKey{}, true)
		said, err = b.doInTopic(ctx, m, who, member, strconv.FormatInt(ticketID, 10))
	}
	switch f, known := fault.As(err); {
	case known && fault.Refused(err):
		return refuse(faultText(f, member.Lang)), nil
	case err != nil:
		return nil, err
	case said != "":
		return refuse(said), nil
	}
	return []call{react(m, "👍")}, nil
}

// errNotAllowed is the fault of a member whose role lacks the permission for a command.
var errNotAllowed = &fault.Error{Status: 403, Code: "permission_required", Text: textNotAllowed}

// doInTopic does what a member wrote in a ticket's topic, and returns what to say; empty: it was done.
func (b *Bot) doInTopic(ctx context.Context, m *message, who account.Identity, member account.User, no string,
) (string, error) {
	if m.Text == "" {
		return textOnlyText.In(member.Lang), nil
	}
	if !strings.HasPrefix(m.Text, "/") {
		_, err := b.tickets.Answer(ctx, who.UserID, no, ticket.Answer{Content: m.Text})
		return "", err
	}
	word, rest := cutWord(m.Text)
	command, _, _ := strings.Cut(word, "@")
	manage := func(c ticket.Change) error {
		if !who.Has(permission.TicketManage) {
			return errNotAllowed
		}
		_, err := b.tickets.Manage(ctx, no, c)
		return err
	}
	switch command {
	case "/note":
		_, err := b.tickets.Answer(ctx, who.UserID, no, ticket.Answer{Content: rest, Note: true})
		return "", err
	case "/close":
		return "", manage(ticket.Change{State: new(ticket.Closed)})
	case "/reopen":
		return "", manage(ticket.Change{State: new(ticket.Processing)})
	case "/assign":
		to := member
		if rest != "" {
			var err error
			if to, err = b.accounts.ByEmail(ctx, rest); errors.Is(err, account.ErrNoUser) {
				return textNoSuchMember.In(member.Lang), nil
			} else if err != nil {
				return "", err
			}
		}
		err := manage(ticket.Change{AssignedTo: &to.ID})
		return say(member.Lang, textAssigned, to.Name), err
	}
	return textStaffCommands.In(member.Lang), nil
}

// inTopicKey marks the context of what a member writes in a topic.
type inTopicKey struct{}

// NoteMessage notes, as part of the transaction that adds a message to a ticket, whether it was written in the ticket's
// topic, which shows it then.
func (b *Bot) NoteMessage(ctx context.Context, tx bun.Tx, m ticket.Message) error {
	if ctx.Value(inTopicKey{}) == nil {
		return nil
	}
	_, err := tx.NewInsert().Model(&topicAnswer{MessageID: m.ID}).Exec(ctx)
	return err
}

// ticketOfTopic gives the ticket whose topic this is; 0: none.
func (b *Bot) ticketOfTopic(ctx context.Context, chatID, threadID int64) (int64, error) {
	var found []int64
	err := b.db.NewSelect().Model((*topic)(nil)).Column("ticket_id").
		Where("chat_id = ? AND thread_id = ?", chatID, threadID).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}
