// Package ticket owns the conversations of users with staff: their messages, who is to answer next, what each side has
// read, and the words by which they are found. A user sees their own tickets and never a note of staff; another user's
// ticket does not exist for them. A banned user may write. Whatever changes bumps the revision of the ticket, by which
// open pages hear of it.
package ticket

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/attachment"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/notify"
	"airstrip/internal/setting"
)

// State is where a ticket stands.
type State string

// The states of a ticket. A message of the user opens a resolved one again; a closed one takes no messages.
const (
	Pending    State = "pending" // staff has not answered yet
	Processing State = "processing"
	Resolved   State = "resolved"
	Closed     State = "closed"
)

// Side is who is to write next.
type Side string

// The sides of a ticket. What is resolved or closed waits for nobody.
const (
	Staff  Side = "staff"
	User   Side = "user"
	Nobody Side = "nobody"
)

// Category is what a ticket is about.
type Category string

// Priority is how urgent a ticket is.
type Priority string

// The categories and the priorities; General and Normal stand for those that are not named.
const (
	General    Category = "general"
	Connection Category = "connection"
	Billing    Category = "billing"
	Account    Category = "account"

	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
)

// The greatest lengths of texts, in characters.
const (
	MaxTitle   = 120
	MaxContent = 10_000
)

// Ticket is one conversation.
type Ticket struct {
	bun.BaseModel  `bun:"table:ticket"`
	ID             int64 `bun:",pk,autoincrement"`
	UUID           uuid.UUID
	UserID         int64
	Title          string
	Category       Category
	Priority       Priority
	State          State
	Awaiting       Side
	AssignedTo     *int64 // a member of staff
	MergedInto     *int64 // the ticket that has the messages of this one now
	MessageCount   int64  // of those that the user sees, as the ids below
	FirstMessageID int64
	LastMessageID  int64
	LastAnswerID   int64 // of staff
	UserReadID     int64 // the last message that the user has read
	Revision       int64
	ShownRevision  int64 // of the last change that the user sees
	CreatedAt      time.Time
	UpdatedAt      time.Time // of the last change that the user sees
	ClosedAt       *time.Time
}

// Unread tells whether staff wrote something that the user has not read.
func (t *Ticket) Unread() bool { return t.LastAnswerID > t.UserReadID }

// Message is one message of a ticket, or a note.
type Message struct {
	bun.BaseModel `bun:"table:ticket_message"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	TicketID      int64
	AuthorID      int64
	ByStaff       bool
	IsNote        bool
	Content       string // Markdown
	CreatedAt     time.Time

	Attachments []Attachment `bun:"-"` // in the order in which they were chosen
}

// Faults of tickets.
var (
	ErrNoTicket = fault.NotFound("ticket_not_found", "没有这个工单", "There is no such ticket")
	ErrClosed   = fault.Conflict("ticket_closed", "工单已关闭；重新打开后才能回复",
		"The ticket is closed; open it again before you write")
	ErrChanged = fault.Conflict("ticket_changed", "工单刚被其他成员修改，请查看后再操作",
		"Another member has changed the ticket in the meantime; please look at it again")
	ErrMerged = fault.Conflict("ticket_merged", "该工单已并入另一个工单，请在那里继续",
		"This ticket was merged into another one; please go on there")
	ErrTooManyOpen = fault.Conflict("too_many_open_tickets", "未关闭的工单太多，请先在已有工单中继续，或关闭不再需要的",
		"Too many of your tickets are open; please go on in one of them, or close what is done")
	ErrTooManyMessages = fault.TooMany("too_many_ticket_messages", "消息过于频繁，请稍后再发",
		"Too many messages within an hour; please write again later")
)

const revision = "ticket"

// Tickets are all tickets.
type Tickets struct {
	db        *db.DB
	settings  *setting.Settings
	captchas  *captcha.Captchas
	accounts  *account.Accounts
	files     *attachment.Store
	uploads   *limit.Limiter
	onMessage Teller

	mu        sync.Mutex
	listeners map[int64]map[*listener]struct{} // by user
}

// Notice is a message that the other side of its ticket is notified of, and the ticket as it is now.
type Notice struct {
	Ticket  Ticket
	Message Message
	// Notified are the channels that notified the other side of a message which it has not read or answered since.
	Notified []notify.Channel
}

// Teller tells the other side of a ticket about a message. It returns by which channels notices of it were queued, of
// those that are not in n.Notified.
type Teller func(ctx context.Context, tx bun.Tx, n Notice) ([]notify.Channel, error)

// New gives the tickets kept in d.
func New(d *db.DB, settings *setting.Settings, captchas *captcha.Captchas, accounts *account.Accounts,
	files *attachment.Store,
) *Tickets {
	return &Tickets{
		db: d, settings: settings, captchas: captchas, accounts: accounts, files: files,
		uploads:   limit.Per(time.Hour, uploadsPerHour),
		onMessage: func(context.Context, bun.Tx, Notice) ([]notify.Channel, error) { return nil, nil },
		listeners: map[int64]map[*listener]struct{}{},
	}
}

// OnMessage has fn told of each message that is no note, in its transaction. It must be called before the server
// starts.
func (t *Tickets) OnMessage(fn Teller) { t.onMessage = fn }

// find gives the ticket that id names, by its number or UUID. ErrNoTicket where there is none that fits.
func find(ctx context.Context, idb bun.IDB, id string, narrow func(*bun.SelectQuery)) (*Ticket, error) {
	found := new(Ticket)
	q := db.Named(idb.NewSelect().Model(found), id)
	narrow(q)
	err := q.Scan(ctx)
	return found, db.OrMissing(err, ErrNoTicket)
}

// ofUser narrows a query to the tickets of a user.
func ofUser(userID int64) func(*bun.SelectQuery) {
	return func(q *bun.SelectQuery) { q.Where("?TableAlias.user_id = ?", userID) }
}

// ofAll narrows nothing.
func ofAll(*bun.SelectQuery) {}

// locked gives the ticket that id names for a change: others that change it wait.
func locked(ctx context.Context, tx bun.Tx, id string, narrow func(*bun.SelectQuery)) (*Ticket, error) {
	return find(ctx, tx, id, func(q *bun.SelectQuery) {
		narrow(q)
		db.Locked(q)
	})
}

// save writes a changed ticket with the next revision; shown tells whether its user sees a difference.
func (t *Tickets) save(ctx context.Context, tx bun.Tx, k *Ticket, shown bool) error {
	r, err := db.Bump(ctx, tx, revision)
	if err != nil {
		return err
	}
	k.Revision = r
	if shown {
		k.ShownRevision = r
	}
	if k.ID == 0 {
		_, err = tx.NewInsert().Model(k).Exec(ctx)
	} else {
		_, err = tx.NewUpdate().Model(k).WherePK().Exec(ctx)
	}
	return err
}

// Show gives a ticket of the user.
func (t *Tickets) Show(ctx context.Context, userID int64, id string) (*Ticket, error) {
	return find(ctx, t.db, id, ofUser(userID))
}

// Page says which part of a conversation is wanted: Limit messages with ids greater than After or, where Before is not
// 0, the last ones with smaller ids; without either the newest.
type Page struct {
	After, Before int64
	Limit         int64
}

// Messages gives a part of a ticket's messages in their order, and whether there are more on the side from which they
// were cut.
func (t *Tickets) Messages(ctx context.Context, k *Ticket, p Page, notes bool) (messages []Message, more bool,
	err error,
) {
	q := t.db.NewSelect().Model(&messages).Where("ticket_id = ?", k.ID).Limit(p.Limit + 1)
	if !notes {
		q.Where("NOT is_note")
	}
	if p.After > 0 {
		err = q.Where("id > ?", p.After).OrderExpr("id").Scan(ctx)
		more = int64(len(messages)) > p.Limit
		messages = messages[:min(int64(len(messages)), p.Limit)]
		return messages, more, errors.Join(err, t.attach(ctx, messages))
	}
	if p.Before > 0 {
		q.Where("id < ?", p.Before)
	}
	err = q.OrderExpr("id DESC").Scan(ctx)
	more = int64(len(messages)) > p.Limit
	messages = messages[:min(int64(len(messages)), p.Limit)]
	slices.Reverse(messages)
	return messages, more, errors.Join(err, t.attach(ctx, messages))
}

// NewestMessages gives a part of the messages that the user sees, newest first.
func (t *Tickets) NewestMessages(ctx context.Context, k *Ticket, limit, offset int64) (messages []Message, err error) {
	err = t.db.NewSelect().Model(&messages).Where("ticket_id = ? AND NOT is_note", k.ID).OrderExpr("id DESC").
		Limit(limit).Offset(offset).Scan(ctx)
	return messages, errors.Join(err, t.attach(ctx, messages))
}

// Named gives messages by their ids.
func (t *Tickets) Named(ctx context.Context, ids []int64) (map[int64]Message, error) {
	by := map[int64]Message{}
	if len(ids) == 0 {
		return by, nil
	}
	var messages []Message
	if err := t.db.NewSelect().Model(&messages).Where("id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	if err := t.attach(ctx, messages); err != nil {
		return nil, err
	}
	for _, m := range messages {
		by[m.ID] = m
	}
	return by, nil
}
