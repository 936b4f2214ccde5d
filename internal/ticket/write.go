package ticket

import (
	"context"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
)

// Draft is a ticket that a user opens.
type Draft struct {
	Title    string
	Content  string
	Category Category // empty: General
	Priority Priority // empty: Normal
	Captcha  string   // the answer to a captcha, where the setting wants one
	Files    []string // ids of uploads, see Upload
	IP       netip.Addr
}

// manyADay is how many tickets a user opens within a day before another one looks like the work of a program.
const manyADay = 3

// Open begins a ticket of the user: ErrTooManyOpen, ErrTooManyMessages, captcha.ErrRequired. Wrong input names title,
// content, category, priority, attachments.
func (t *Tickets) Open(ctx context.Context, userID int64, d Draft) (*Ticket, error) {
	d.Title, d.Content = strings.TrimSpace(d.Title), strings.TrimSpace(d.Content)
	if d.Category == "" {
		d.Category = General
	}
	if d.Priority == "" {
		d.Priority = Normal
	}
	var wrong fault.Problems
	checkTitle(&wrong, d.Title)
	checkContent(&wrong, d.Content, nil)
	checkFiles(&wrong, d.Files)
	checkCategory(&wrong, d.Category)
	checkPriority(&wrong, d.Priority)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	if err := t.requireCaptcha(ctx, userID, d); err != nil {
		return nil, err
	}
	id, err := idempotency.Tx(ctx, t.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		if err := t.admitWriter(ctx, tx, userID); err != nil {
			return 0, err
		}
		open, err := tx.NewSelect().Model((*Ticket)(nil)).Where("user_id = ? AND state <> ?", userID, Closed).Count(ctx)
		if err != nil {
			return 0, err
		}
		if open >= int64(t.settings.Get().TicketMaxOpen) {
			return 0, ErrTooManyOpen
		}
		k := &Ticket{
			UUID: uuid.New(), UserID: userID, Title: d.Title, Category: d.Category, Priority: d.Priority,
			State: Pending, Awaiting: Staff, CreatedAt: t.db.Now(), UpdatedAt: t.db.Now(),
		}
		if err := t.save(ctx, tx, k, true); err != nil {
			return 0, err
		}
		if err := index(ctx, tx, k.ID, d.Title, false); err != nil {
			return 0, err
		}
		_, err = t.add(ctx, tx, k, &Message{AuthorID: userID, Content: d.Content}, d.Files)
		return k.ID, err
	})
	if err != nil {
		return nil, err
	}
	return t.byID(ctx, id)
}

// requireCaptcha asks for a captcha as the setting says. A repeat of a request that was done needs none: its answer to
// the captcha is used up.
func (t *Tickets) requireCaptcha(ctx context.Context, userID int64, d Draft) error {
	done, err := idempotency.Done(ctx, t.db)
	if err != nil || done {
		return err
	}
	lately, err := t.db.NewSelect().Model((*Ticket)(nil)).
		Where("user_id = ? AND created_at > ?", userID, t.db.Now().AddDate(0, 0, -1)).Count(ctx)
	if err != nil {
		return err
	}
	return t.captchas.Require(ctx, captcha.Ticket, lately >= manyADay, d.Captcha, d.IP)
}

// Send adds a message of the user to their ticket, with the uploads that files names: ErrClosed, ErrMerged,
// ErrTooManyMessages. A resolved ticket is open again. Wrong input names content, attachments.
func (t *Tickets) Send(ctx context.Context, userID int64, id, content string, files ...string) (*Message, error) {
	content = strings.TrimSpace(content)
	if err := contentProblem(content, files...); err != nil {
		return nil, err
	}
	messageID, err := idempotency.Tx(ctx, t.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		if err := t.admitWriter(ctx, tx, userID); err != nil {
			return 0, err
		}
		k, err := locked(ctx, tx, id, ofUser(userID))
		if err != nil {
			return 0, err
		}
		m, err := t.sendIn(ctx, tx, k, content, files)
		if err != nil {
			return 0, err
		}
		return m.ID, nil
	})
	if err != nil {
		return nil, err
	}
	return t.message(ctx, messageID)
}

func contentProblem(content string, files ...string) error {
	var wrong fault.Problems
	checkContent(&wrong, content, files)
	checkFiles(&wrong, files)
	return wrong.Err()
}

// sendIn adds a message of the user, who was admitted as a writer, to a ticket that is locked.
func (t *Tickets) sendIn(ctx context.Context, tx bun.Tx, k *Ticket, content string, files []string) (*Message,
	error,
) {
	if err := k.admitMessage(); err != nil {
		return nil, err
	}
	k.Awaiting = Staff
	if k.State == Resolved {
		k.State = Processing
	}
	return t.add(ctx, tx, k, &Message{AuthorID: k.UserID, Content: content}, files)
}

// Update is what a user does to a ticket in one call: they open it where it was closed, write in it and close it, in
// this order.
type Update struct {
	Open    bool
	Content *string
	Close   bool
}

// Update does all of an update or nothing, with the faults of Send and SetOpen.
func (t *Tickets) Update(ctx context.Context, userID int64, id string, c Update) (*Ticket, error) {
	var content string
	if c.Content != nil {
		content = strings.TrimSpace(*c.Content)
		if err := contentProblem(content); err != nil {
			return nil, err
		}
	}
	var k *Ticket
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		admit := t.lockWriter
		if c.Content != nil {
			admit = t.admitWriter
		}
		if err := admit(ctx, tx, userID); err != nil {
			return err
		}
		if k, err = locked(ctx, tx, id, ofUser(userID)); err != nil {
			return err
		}
		if c.Open {
			if err := t.setOpenIn(ctx, tx, k, true); err != nil {
				return err
			}
		}
		if c.Content != nil {
			if _, err := t.sendIn(ctx, tx, k, content, nil); err != nil {
				return err
			}
		}
		if c.Close {
			return t.setOpenIn(ctx, tx, k, false)
		}
		return nil
	})
	return k, err
}

func (k *Ticket) admitMessage() error {
	switch {
	case k.MergedInto != nil:
		return ErrMerged
	case k.State == Closed:
		return ErrClosed
	}
	return nil
}

// SetOpen closes the user's ticket, or opens it again: ErrMerged, ErrTooManyOpen. What is so already stays as it is.
func (t *Tickets) SetOpen(ctx context.Context, userID int64, id string, open bool) (*Ticket, error) {
	return t.Update(ctx, userID, id, Update{Open: open, Close: !open})
}

// setOpenIn opens or closes a ticket that is locked; its user's other calls that write wait.
func (t *Tickets) setOpenIn(ctx context.Context, tx bun.Tx, k *Ticket, open bool) error {
	switch {
	case k.MergedInto != nil:
		return ErrMerged
	case open == (k.State != Closed):
		return nil
	case open:
		count, err := tx.NewSelect().Model((*Ticket)(nil)).Where("user_id = ? AND state <> ?", k.UserID, Closed).
			Count(ctx)
		if err != nil {
			return err
		}
		if count >= int64(t.settings.Get().TicketMaxOpen) {
			return ErrTooManyOpen
		}
	}
	k.set(stateWhenOpen(k, open), t.db.Now())
	return t.save(ctx, tx, k, true)
}

func stateWhenOpen(k *Ticket, open bool) State {
	switch {
	case !open:
		return Closed
	case k.LastAnswerID == 0:
		return Pending
	}
	return Processing
}

// set moves a ticket to a state. One that is opened again waits for staff.
func (k *Ticket) set(to State, now time.Time) {
	if k.State == to {
		return
	}
	k.State, k.ClosedAt, k.UpdatedAt = to, nil, now
	switch {
	case to == Closed:
		k.ClosedAt, k.Awaiting = &now, Nobody
	case to == Resolved:
		k.Awaiting = Nobody
	case k.Awaiting == Nobody:
		k.Awaiting = Staff
	}
}

// Read notes that the user has read a ticket of theirs up to a message.
func (t *Tickets) Read(ctx context.Context, userID int64, id string, upTo int64) error {
	k, err := t.Show(ctx, userID, id)
	if err != nil {
		return err
	}
	upTo = min(upTo, k.LastMessageID)
	if upTo <= k.UserReadID {
		return nil
	}
	return t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		k, err := locked(ctx, tx, id, ofUser(userID))
		if err != nil || upTo <= k.UserReadID {
			return err
		}
		was := k.Unread()
		k.UserReadID = upTo
		if k.Unread() == was {
			_, err := tx.NewUpdate().Model(k).Column("user_read_id").WherePK().Exec(ctx)
			return err
		}
		return t.save(ctx, tx, k, true) // other pages of the user show the mark, too
	})
}

// add writes a message with its files into a ticket that is locked, and has the other side told of it.
func (t *Tickets) add(ctx context.Context, tx bun.Tx, k *Ticket, m *Message, files []string) (*Message, error) {
	m.UUID, m.TicketID, m.CreatedAt = uuid.New(), k.ID, t.db.Now()
	if _, err := tx.NewInsert().Model(m).Exec(ctx); err != nil {
		return nil, err
	}
	if err := t.claim(ctx, tx, m, files); err != nil {
		return nil, err
	}
	if err := index(ctx, tx, k.ID, m.Content, m.IsNote); err != nil {
		return nil, err
	}
	if m.IsNote {
		return m, t.save(ctx, tx, k, false)
	}
	k.LastMessageID, k.UpdatedAt = m.ID, m.CreatedAt
	k.MessageCount++
	if k.FirstMessageID == 0 {
		k.FirstMessageID = m.ID
	}
	if m.ByStaff {
		k.LastAnswerID = m.ID
	} else {
		k.UserReadID = m.ID
	}
	if err := t.save(ctx, tx, k, true); err != nil {
		return nil, err
	}
	if err := webhook.Emit(ctx, tx, webhook.Event{Type: webhook.TicketMessage, At: m.CreatedAt, Data: map[string]any{
		"ticket_id": k.UUID, "ticket_no": k.ID, "user_id": k.UserID, "message_id": m.UUID, "by_staff": m.ByStaff,
		"state": k.State,
	}}); err != nil {
		return nil, err
	}
	return m, t.notify(ctx, tx, Notice{Ticket: *k, Message: *m})
}

// byID returns a ticket that was just written, or wallet.ErrClosed: closing the account deletes its tickets.
func (t *Tickets) byID(ctx context.Context, id int64) (*Ticket, error) {
	k := new(Ticket)
	err := t.db.NewSelect().Model(k).Where("id = ?", id).Scan(ctx)
	return k, db.OrMissing(err, wallet.ErrClosed)
}

// message returns a message that was just written, or wallet.ErrClosed as byID does.
func (t *Tickets) message(ctx context.Context, id int64) (*Message, error) {
	messages := make([]Message, 1)
	if err := t.db.NewSelect().Model(&messages[0]).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, db.OrMissing(err, wallet.ErrClosed)
	}
	return &messages[0], t.attach(ctx, messages)
}

type writer struct {
	bun.BaseModel `bun:"table:ticket_writer"`
	UserID        int64 `bun:",pk"`
	HourAt        time.Time
	MessageCount  int
}

// lockWriter lets the user's other calls that write wait until the transaction ends.
func (t *Tickets) lockWriter(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewRaw(`INSERT INTO ticket_writer (user_id, hour_at, message_count) VALUES (?, ?, 0)
		ON CONFLICT (user_id) DO UPDATE SET message_count = ticket_writer.message_count`, userID, t.db.Now()).Exec(ctx)
	return err
}

// admitWriter counts one message of the user, or answers ErrTooManyMessages.
func (t *Tickets) admitWriter(ctx context.Context, tx bun.Tx, userID int64) error {
	if err := t.lockWriter(ctx, tx, userID); err != nil {
		return err
	}
	var w writer
	if err := tx.NewSelect().Model(&w).Where("user_id = ?", userID).Scan(ctx); err != nil {
		return err
	}
	now := t.db.Now()
	if wait := w.HourAt.Add(time.Hour).Sub(now); wait <= 0 || wait > time.Hour {
		w.HourAt, w.MessageCount = now, 0
	} else if w.MessageCount >= t.settings.Get().TicketMessagesPerHour {
		return ErrTooManyMessages.After(wait)
	}
	w.MessageCount++
	_, err := tx.NewUpdate().Model(&w).WherePK().Exec(ctx)
	return err
}

// Close deletes the tickets of a user, as part of the closing of their account.
func (t *Tickets) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	own := tx.NewSelect().Model((*Ticket)(nil)).Column("id").Where("user_id = ?", userID)
	messages := tx.NewSelect().Model((*Message)(nil)).Column("id").Where("ticket_id IN (?)", own)
	if err := t.removeFiles(ctx, tx, func(q *bun.SelectQuery) {
		q.Where("message_id IN (?) OR message_id IS NULL AND user_id = ?", messages, userID)
	}); err != nil {
		return err
	}
	for _, table := range []any{(*sentNotice)(nil), (*Message)(nil), (*word)(nil)} {
		if _, err := tx.NewDelete().Model(table).Where("ticket_id IN (?)", own).Exec(ctx); err != nil {
			return err
		}
	}
	if _, err := tx.NewUpdate().Model((*Ticket)(nil)).Set("merged_into = NULL").Where("user_id = ?", userID).
		Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewUpdate().Model((*Ticket)(nil)).Set("assigned_to = NULL").Where("assigned_to = ?", userID).
		Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewDelete().Model((*Ticket)(nil)).Where("user_id = ?", userID).Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewDelete().Model((*writer)(nil)).Where("user_id = ?", userID).Exec(ctx); err != nil {
		return err
	}
	_, err := db.Bump(ctx, tx, revision)
	return err
}

// MoveTo gives a user's tickets, with what they wrote in them, to another account of the same person, as part of tx.
func (t *Tickets) MoveTo(ctx context.Context, tx bun.Tx, from, into int64) error {
	number, err := db.Bump(ctx, tx, revision)
	if err != nil {
		return err
	}
	own := tx.NewSelect().Model((*Ticket)(nil)).Column("id").Where("user_id = ?", from)
	for _, update := range []*bun.UpdateQuery{
		tx.NewUpdate().Model((*Message)(nil)).Set("author_id = ?", into).Where("ticket_id IN (?) AND NOT by_staff", own),
		tx.NewUpdate().Model((*Attachment)(nil)).Set("user_id = ?", into).
			Where("user_id = ? AND message_id IS NOT NULL", from),
		tx.NewUpdate().Model((*Ticket)(nil)).Set("user_id = ?", into).Set("revision = ?", number).
			Set("shown_revision = ?", number).Where("user_id = ?", from),
	} {
		if _, err := update.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func checkTitle(wrong *fault.Problems, title string) {
	length := utf8.RuneCountInString(title)
	wrong.When(length == 0, "title", "required", "请填写标题", "Please enter a title")
	wrong.When(length > MaxTitle, "title", "too_long", "标题最多 120 字", "A title has at most 120 characters")
	wrong.When(!text.IsVisible(title) || strings.ContainsAny(title, "\r\n\t"), "title", "characters",
		"标题包含看不见的字符", "The title has characters that cannot be seen")
}

// checkContent checks the text of a message; one that has files needs none.
func checkContent(wrong *fault.Problems, content string, files []string) {
	length := utf8.RuneCountInString(content)
	wrong.When(length == 0 && len(files) == 0, "content", "required", "请填写内容", "Please write something")
	wrong.When(length > MaxContent, "content", "too_long", "内容最多 10,000 字", "A message has at most 10,000 characters")
	wrong.When(!text.IsStorable(content), "content", "characters", "内容包含无法保存的字符",
		"The message has characters that cannot be kept")
}

func checkCategory(wrong *fault.Problems, c Category) {
	known := c == General || c == Connection || c == Billing || c == Account
	wrong.When(!known, "category", "choice", "没有这个分类", "There is no such category")
}

func checkPriority(wrong *fault.Problems, p Priority) {
	wrong.When(p != Low && p != Normal && p != High, "priority", "choice", "没有这个优先级", "There is no such priority")
}
