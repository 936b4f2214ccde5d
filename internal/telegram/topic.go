package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf16"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/job"
	"airstrip/internal/secret"
	"airstrip/internal/ticket"
)

const (
	ticketsAtOnce  = 20
	firstMessages  = 100 // of an older ticket that a topic shows from the start
	repeatMessages = 10  // that a topic shows again which was deleted
	copiedAtOnce   = 50
	topicName      = 128  // characters that Telegram takes
	partSize       = 4000 // UTF-16 units; Telegram takes 4096 of a message
	pauseAfter     = time.Minute
	recordTime     = 10 * time.Second

	partHead        = -1
	removeTopicKind = "telegram.remove_topic"
)

// group is a group of staff, and up to which change of a ticket it shows them.
type group struct {
	bun.BaseModel `bun:"table:telegram_group"`
	ChatID        int64 `bun:",pk"`
	Revision      int64
}

// topic is that of a ticket.
type topic struct {
	bun.BaseModel `bun:"table:telegram_topic"`
	TicketID      int64 `bun:",pk"`
	UserID        int64
	ChatID        int64
	ThreadID      int64
	MessageID     int64 // the last message that is there as a whole
	Part          int   // how many parts of the next one are there; partHead: not even the head is
	IsClosed      bool
}

// topicAnswer is a message of staff that was written in a topic.
type topicAnswer struct {
	bun.BaseModel `bun:"table:telegram_topic_answer"`
	MessageID     int64 `bun:",pk"`
}

// errNotOurs ends the copying in a process that another one has taken over from.
var errNotOurs = errors.New("telegram: another process copies the tickets")

// FollowTickets keeps the topics of the group of staff as the tickets are, until ctx ends. Of several processes one
// writes there.
func (b *Bot) FollowTickets(ctx context.Context) {
	changes, stop := b.tickets.Watch()
	defer stop()
	for ctx.Err() == nil {
		err := b.CopyTickets(ctx)
		if err == nil || errors.Is(err, errNotOurs) {
			select {
			case <-ctx.Done():
			case <-changes:
			case <-time.After(pause):
			}
			continue
		}
		wait := pause
		if no := new(refusal); errors.As(err, &no) {
			wait = max(no.pause(), pause)
			if no.pause() == 0 {
				wait = pauseAfter
			}
		}
		if ctx.Err() == nil {
			slog.WarnContext(ctx, "tickets could not be shown in the Telegram group of staff", "again_in", wait,
				"error", err)
		}
		select { // what changes meanwhile does not shorten a pause that Telegram wants
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// CopyTickets copies what changed of tickets into the group of staff, unless another process does. A message is there
// once and in its order, whatever stops in between; it is twice only where the process dies, or the answer is lost,
// between Telegram's taking it and the note of that.
func (b *Bot) CopyTickets(ctx context.Context) error {
	chatID := b.settings.Get().TelegramStaffGroup
	me := b.self.Load()
	if chatID == 0 || me == nil {
		return nil
	}
	since, held, err := b.holdGroup(ctx, chatID)
	if err != nil || !held {
		return err
	}
	for {
		changed, err := b.tickets.Changed(ctx, since, ticketsAtOnce)
		if err != nil || len(changed) == 0 {
			return err
		}
		for i := range changed {
			k := &changed[i]
			if err := b.copyTicket(ctx, me, chatID, k); err != nil {
				return fmt.Errorf("ticket %d: %w", k.ID, err)
			}
			since = k.Revision
			if err := b.record(ctx, chatID, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewUpdate().Model((*group)(nil)).Set("revision = ?", since).
					Where("chat_id = ?", chatID).Exec(ctx)
				return err
			}); err != nil {
				return err
			}
		}
	}
}

// holdGroup takes or keeps the right to write to the group, and gives the change up to which it shows the tickets. A
// new group begins with what changes from now on.
func (b *Bot) holdGroup(ctx context.Context, chatID int64) (since int64, held bool, err error) {
	newest, err := b.tickets.Revision(ctx)
	if err != nil {
		return 0, false, err
	}
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := b.db.Now()
		n, err := db.Changed(tx.NewRaw(`INSERT INTO telegram_group AS g (chat_id, revision, process, until)
			VALUES (?, ?, ?, ?)
			ON CONFLICT (chat_id) DO UPDATE SET process = EXCLUDED.process, until = EXCLUDED.until
			WHERE g.process = EXCLUDED.process OR g.until <= ? OR g.until > ?`, chatID, newest, b.process,
			now.Add(pollLease), now, now.Add(pollLease+clock.Tolerance)).Exec(ctx))
		if held = n == 1; err != nil || !held {
			return err
		}
		var g group
		err = tx.NewSelect().Model(&g).Where("chat_id = ?", chatID).Scan(ctx)
		since = g.Revision
		return err
	})
	return since, held, err
}

// record notes what Telegram has taken, even where ctx ends meanwhile, and keeps the right to write to the group.
func (b *Bot) record(ctx context.Context, chatID int64, fn func(context.Context, bun.Tx) error) error {
	ctx, cancel := detached.WithTimeout(ctx, recordTime)
	defer cancel()
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewRaw(`UPDATE telegram_group SET until = ? WHERE chat_id = ? AND process = ?`,
			b.db.Now().Add(pollLease), chatID, b.process).Exec(ctx))
		if err != nil {
			return err
		}
		if err := fn(ctx, tx); err != nil {
			return err
		}
		if n == 0 {
			return errNotOurs
		}
		return nil
	})
}

// copyTicket brings the topic of a ticket to what the ticket is now.
func (b *Bot) copyTicket(ctx context.Context, me *self, chatID int64, k *ticket.Ticket) error {
	t, err := b.topicOf(ctx, k.ID)
	if err != nil {
		return err
	}
	if t == nil || t.ChatID != chatID {
		if k.State == ticket.Closed {
			return nil
		}
		if t, err = b.makeTopic(ctx, me, chatID, k, t, firstMessages); err != nil {
			return err
		}
	}
	if t.IsClosed && k.State != ticket.Closed {
		if err := b.setClosed(ctx, me, t, false); err != nil {
			return err
		}
	}
	for {
		again, err := b.copyMessages(ctx, me, k, t)
		if no := new(refusal); errors.As(err, &no) && isGone(no) {
			if t, err = b.makeTopic(ctx, me, chatID, k, t, repeatMessages); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if !again {
			break
		}
	}
	if !t.IsClosed && k.State == ticket.Closed {
		return b.setClosed(ctx, me, t, true)
	}
	return nil
}

// isGone tells whether Telegram refuses a call because the topic is no more.
func isGone(no *refusal) bool {
	return no.Code == http.StatusBadRequest &&
		no.says("thread not found", "topic_deleted", "topic_id_invalid", "topic not found")
}

// isAboutGroup tells whether Telegram refuses a call because of the group or the bot's rights in it, so that it would
// refuse others, too.
func isAboutGroup(no *refusal) bool {
	return no.Code != http.StatusBadRequest || no.says("chat not found", "rights", "admin", "forum", "upgraded",
		"kicked", "forbidden", "topic_closed", "chat_write_forbidden")
}

func (b *Bot) topicOf(ctx context.Context, ticketID int64) (*topic, error) {
	var found []topic
	err := b.db.NewSelect().Model(&found).Where("ticket_id = ?", ticketID).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// makeTopic makes the topic of a ticket, in the place of former where there was one. The messages that are not in that
// one go there, and the last ones before them up to most in all.
func (b *Bot) makeTopic(ctx context.Context, me *self, chatID int64, k *ticket.Ticket, former *topic, most int64,
) (*topic, error) {
	messages, more, err := b.tickets.Messages(ctx, k, ticket.Page{Limit: most}, false)
	if err != nil {
		return nil, err
	}
	t := &topic{TicketID: k.ID, UserID: k.UserID, ChatID: chatID, Part: partHead}
	if more && len(messages) > 0 {
		t.MessageID = messages[0].ID - 1
	}
	if former != nil {
		t.MessageID = min(t.MessageID, former.MessageID)
	}
	var made struct {
		ThreadID int64 `json:"message_thread_id"`
	}
	if err := b.ask(ctx, me.token, call{"createForumTopic", map[string]any{
		"chat_id": chatID, "name": shorten(fmt.Sprintf("#%d %s", k.ID, k.Title), topicName),
	}}, &made); err != nil {
		return nil, err
	}
	t.ThreadID = made.ThreadID
	ids := []int64{0}
	for _, m := range messages {
		if former != nil && m.ID <= former.MessageID {
			ids = append(ids, m.ID)
		}
	}
	return t, b.record(ctx, chatID, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(t).On("CONFLICT (ticket_id) DO UPDATE").Set("chat_id = EXCLUDED.chat_id").
			Set("thread_id = EXCLUDED.thread_id").Set("message_id = EXCLUDED.message_id").Set("part = EXCLUDED.part").
			Set("is_closed = EXCLUDED.is_closed").Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*topicAnswer)(nil)).Where("message_id IN (?)", bun.List(ids)).Exec(ctx)
		return err
	})
}

// writeHead writes what begins a topic: whose ticket it is, and what can be done there.
func (b *Bot) writeHead(ctx context.Context, me *self, k *ticket.Ticket, t *topic) error {
	people, err := b.tickets.Members(ctx, []int64{k.UserID})
	if err != nil {
		return err
	}
	u := people[k.UserID]
	text := say(b.settings.Get().Language, textTopicHead, k.ID, k.Title, u.Name, u.Email, k.Category, k.Priority)
	if err := b.writePart(ctx, me, t, 0, text); err != nil {
		return err
	}
	return b.advance(ctx, t, t.MessageID, 0)
}

// copyMessages writes the next messages of a ticket into its topic, and tells whether there may be more. Notes are not
// written there.
func (b *Bot) copyMessages(ctx context.Context, me *self, k *ticket.Ticket, t *topic) (more bool, err error) {
	if t.Part == partHead {
		if err := b.writeHead(ctx, me, k, t); err != nil {
			return false, err
		}
	}
	page := ticket.Page{After: t.MessageID, Limit: copiedAtOnce}
	if page.After == 0 {
		page.After = k.FirstMessageID - 1
	}
	messages, more, err := b.tickets.Messages(ctx, k, page, false)
	if err != nil || len(messages) == 0 {
		return false, err
	}
	ids, authors := []int64{}, []int64{}
	for _, m := range messages {
		ids, authors = append(ids, m.ID), append(authors, m.AuthorID)
	}
	people, err := b.tickets.Members(ctx, authors)
	if err != nil {
		return false, err
	}
	var there []int64 // written in the topic
	if err := b.db.NewSelect().Model((*topicAnswer)(nil)).Column("message_id").
		Where("message_id IN (?)", bun.List(ids)).Scan(ctx, &there); err != nil {
		return false, err
	}
	written := map[int64]bool{}
	for _, id := range there {
		written[id] = true
	}
	for _, m := range messages {
		who := "👤 "
		if m.ByStaff {
			who = "💬 "
		}
		parts := split(who + people[m.AuthorID].Name + "\n" + plain(m.Text()))
		if written[m.ID] {
			parts = nil
		}
		for t.Part < len(parts) {
			if err := b.writePart(ctx, me, t, m.ID, parts[t.Part]); err != nil {
				return false, err
			}
			if err := b.advance(ctx, t, t.MessageID, t.Part+1); err != nil {
				return false, err
			}
		}
		if err := b.advance(ctx, t, m.ID, 0); err != nil {
			return false, err
		}
	}
	return more, nil
}

// writePart writes a part of a message into the topic. One that Telegram will never take is left out, so that it does
// not stand in the way of all others.
func (b *Bot) writePart(ctx context.Context, me *self, t *topic, messageID int64, part string) error {
	err := b.ask(ctx, me.token, send(t.ChatID, part).inTopic(t.ThreadID), nil)
	if no := new(refusal); errors.As(err, &no) && !isGone(no) && !isAboutGroup(no) {
		slog.ErrorContext(ctx, "Telegram does not take a message of a ticket, which is left out", "ticket", t.TicketID,
			"message", messageID, "error", err)
		return nil
	}
	return err
}

// advance notes which messages the topic has.
func (b *Bot) advance(ctx context.Context, t *topic, messageID int64, part int) error {
	t.MessageID, t.Part = messageID, part
	return b.record(ctx, t.ChatID, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model(t).Column("message_id", "part").WherePK().Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model(&topicAnswer{MessageID: messageID}).WherePK().Exec(ctx)
		return err
	})
}

// setClosed closes the topic or opens it again. One that is so already, or is gone, stays.
func (b *Bot) setClosed(ctx context.Context, me *self, t *topic, closed bool) error {
	method := map[bool]string{true: "closeForumTopic", false: "reopenForumTopic"}[closed]
	err := b.ask(ctx, me.token, call{method, map[string]any{
		"chat_id": t.ChatID, "message_thread_id": t.ThreadID,
	}}, nil)
	if no := new(refusal); errors.As(err, &no) && (isGone(no) || no.says("not_modified")) {
		err = nil
	}
	if err != nil {
		return err
	}
	t.IsClosed = closed
	return b.record(ctx, t.ChatID, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(t).Column("is_closed").WherePK().Exec(ctx)
		return err
	})
}

// removedTopic is one whose ticket is deleted.
type removedTopic struct{ ChatID, ThreadID int64 }

// removeTopics has the topics of a user's tickets deleted after the commit of tx.
func (b *Bot) removeTopics(ctx context.Context, tx bun.Tx, userID int64) error {
	var removed []topic
	if err := tx.NewSelect().Model(&removed).Where("user_id = ?", userID).Scan(ctx); err != nil || len(removed) == 0 {
		return err
	}
	if _, err := tx.NewDelete().Model((*topic)(nil)).Where("user_id = ?", userID).Exec(ctx); err != nil {
		return err
	}
	var jobs []removedTopic
	for _, t := range removed {
		jobs = append(jobs, removedTopic{t.ChatID, t.ThreadID})
	}
	return job.AddAll(ctx, tx, b.db.Now(), removeTopicKind, jobs)
}

func (b *Bot) removeTopic(ctx context.Context, t removedTopic) error {
	token, err := b.secrets.Get(ctx, secret.TelegramToken)
	if err != nil || token == "" {
		return err
	}
	err = b.askPatiently(ctx, token, call{"deleteForumTopic", map[string]any{
		"chat_id": t.ChatID, "message_thread_id": t.ThreadID,
	}}, nil)
	if no := new(refusal); errors.As(err, &no) && no.Code == http.StatusBadRequest {
		slog.WarnContext(ctx, "the topic of a deleted ticket could not be deleted in Telegram", "chat", t.ChatID,
			"topic", t.ThreadID, "error", err)
		return nil
	}
	return err
}

// split cuts a text into parts that Telegram takes, at ends of lines where there are some.
func split(s string) (parts []string) {
	for {
		size, end, line := 0, 0, 0
		for i, r := range s {
			size += utf16.RuneLen(r)
			if size > partSize {
				break
			}
			if end = i + len(string(r)); r == '\n' {
				line = end
			}
		}
		if end == len(s) {
			return append(parts, s)
		}
		if line > end/2 {
			end = line
		}
		parts, s = append(parts, s[:end]), s[end:]
	}
}
