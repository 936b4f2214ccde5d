package ticket

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Filter says which tickets are wanted. Zero values want all.
type Filter struct {
	UserID     int64
	States     []State
	Awaiting   Side
	Category   Category
	Priority   Priority
	AssignedTo int64
	Unassigned bool
	Text       string // words that the title or a message has
	Notes      bool   // whether words of notes count, too
	Limit      int64
	Offset     int64
}

func (f Filter) narrow(q *bun.SelectQuery) {
	if f.UserID != 0 {
		q.Where("?TableAlias.user_id = ?", f.UserID)
	}
	if len(f.States) > 0 {
		q.Where("state IN (?)", bun.List(f.States))
	}
	if f.Awaiting != "" {
		q.Where("awaiting = ?", f.Awaiting)
	}
	if f.Category != "" {
		q.Where("category = ?", f.Category)
	}
	if f.Priority != "" {
		q.Where("priority = ?", f.Priority)
	}
	if f.AssignedTo != 0 {
		q.Where("assigned_to = ?", f.AssignedTo)
	}
	if f.Unassigned {
		q.Where("assigned_to IS NULL")
	}
	if f.Text != "" {
		search(q, f.Text, f.Notes, f.UserID)
	}
}

// List gives a part of the tickets that fit, the one with the newest message first, and how many there are.
func (t *Tickets) List(ctx context.Context, f Filter) (tickets []Ticket, total int64, err error) {
	q := t.db.NewSelect().Model(&tickets).OrderExpr("last_message_id DESC").Limit(f.Limit).Offset(f.Offset)
	f.narrow(q)
	total, err = q.ScanAndCount(ctx)
	return tickets, total, err
}

// CountUnread gives how many of the user's tickets have an answer that they have not read.
func (t *Tickets) CountUnread(ctx context.Context, userID int64) (int64, error) {
	return t.db.NewSelect().Model((*Ticket)(nil)).Where("user_id = ? AND last_answer_id > user_read_id", userID).
		Count(ctx)
}

// Waiting gives how many tickets wait for staff, and since when the first of them does.
func (t *Tickets) Waiting(ctx context.Context) (n int64, since *time.Time, err error) {
	var oldest []time.Time
	err = t.db.NewSelect().Model((*Ticket)(nil)).Column("updated_at").Where("awaiting = ?", Staff).
		OrderExpr("updated_at").Limit(1).Scan(ctx, &oldest)
	if err != nil || len(oldest) == 0 {
		return 0, nil, err
	}
	n, err = t.db.NewSelect().Model((*Ticket)(nil)).Where("awaiting = ?", Staff).Count(ctx)
	return n, new(oldest[0].UTC()), err
}
