package ticket

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/permission"
	"airstrip/internal/role"
)

// Faults of what staff does with tickets.
var (
	ErrOtherUser = fault.Conflict("ticket_of_another_user", "只能合并同一用户的工单", "Only tickets of one user can be merged")
	ErrSelfMerge = fault.Conflict("ticket_same", "不能把工单并入它自己", "A ticket cannot be merged into itself")
)

// Find gives a ticket of any user.
func (t *Tickets) Find(ctx context.Context, id string) (*Ticket, error) {
	return find(ctx, t.db, id, ofAll)
}

// Answer is what a member of staff writes.
type Answer struct {
	Content string
	Note    bool     // seen by staff alone
	Files   []string // ids of uploads, see Upload
	State   State    // of the ticket from now on; empty: Processing where it was Pending, else as it was
}

// Answer adds an answer or a note of a member of staff: ErrClosed unless it opens the ticket again, ErrMerged. The user
// is to write next. Who answers what is nobody's gets it assigned. Wrong input names content, attachments, status.
func (t *Tickets) Answer(ctx context.Context, by int64, id string, a Answer) (*Message, error) {
	a.Content = strings.TrimSpace(a.Content)
	var wrong fault.Problems
	checkContent(&wrong, a.Content, a.Files)
	checkFiles(&wrong, a.Files)
	checkState(&wrong, a.State)
	wrong.When(a.Note && a.State != "", "status", "unexpected", "备注不改变工单状态", "A note does not change the state")
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	messageID, err := idempotency.Tx(ctx, t.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		k, err := locked(ctx, tx, id, ofAll)
		if err != nil {
			return 0, err
		}
		before := k.described()
		action := "ticket.answer"
		if a.Note {
			action = "ticket.note"
		} else if err := k.take(a, by, t); err != nil {
			return 0, err
		}
		m, err := t.add(ctx, tx, k, &Message{AuthorID: by, ByStaff: true, IsNote: a.Note, Content: a.Content}, a.Files)
		if err != nil {
			return 0, err
		}
		after := k.described()
		after["message_id"] = m.ID
		return m.ID, audit.Record(ctx, tx, action, audit.ID("ticket", k.ID), before, after, "")
	})
	if err != nil {
		return nil, err
	}
	return t.message(ctx, messageID)
}

// take moves a ticket to where an answer leaves it.
func (k *Ticket) take(a Answer, by int64, t *Tickets) error {
	switch {
	case k.MergedInto != nil:
		return ErrMerged
	case k.State == Closed && (a.State == "" || a.State == Closed):
		return ErrClosed
	case a.State != "":
		k.set(a.State, t.db.Now())
	case k.State == Pending:
		k.set(Processing, t.db.Now())
	}
	if k.Awaiting != Nobody {
		k.Awaiting = User
	}
	if k.AssignedTo == nil {
		k.AssignedTo = &by
	}
	return nil
}

// described is what the audit log keeps of a ticket: none of its texts.
func (k *Ticket) described() map[string]any {
	return map[string]any{
		"state": k.State, "awaiting": k.Awaiting, "category": k.Category, "priority": k.Priority,
		"assigned_to": k.AssignedTo, "merged_into": k.MergedInto,
	}
}

// Change is what a member of staff changes of a ticket. What is nil stays.
type Change struct {
	State      *State
	Category   *Category
	Priority   *Priority
	AssignedTo *int64 // 0: nobody

	// What the member saw; ErrChanged where it is something else by now. What is nil is not compared.
	WasState      *State
	WasAssignedTo *int64 // 0: nobody
}

// meets tells whether the ticket still is what the member saw.
func (c Change) meets(k *Ticket) bool {
	var assigned int64
	if k.AssignedTo != nil {
		assigned = *k.AssignedTo
	}
	return (c.WasState == nil || *c.WasState == k.State) && (c.WasAssignedTo == nil || *c.WasAssignedTo == assigned)
}

// Manage changes a ticket: ErrMerged, ErrChanged. Wrong input names status, category, priority, assigned_to.
func (t *Tickets) Manage(ctx context.Context, id string, c Change) (*Ticket, error) {
	var wrong fault.Problems
	if c.State != nil {
		checkState(&wrong, *c.State)
		wrong.When(*c.State == "", "status", "choice", "没有这个状态", "There is no such state")
	}
	if c.Category != nil {
		checkCategory(&wrong, *c.Category)
	}
	if c.Priority != nil {
		checkPriority(&wrong, *c.Priority)
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	var k *Ticket
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		if k, err = locked(ctx, tx, id, ofAll); err != nil {
			return err
		}
		if k.MergedInto != nil {
			return ErrMerged
		}
		if !c.meets(k) {
			return ErrChanged
		}
		before := k.described()
		if c.State != nil {
			k.set(*c.State, t.db.Now())
			if k.Awaiting == Nobody { // whoever writes then begins anew
				if err := forgetSentNotices(ctx, tx, true, k.ID); err != nil {
					return err
				}
			}
		}
		if c.Category != nil {
			k.Category = *c.Category
		}
		if c.Priority != nil {
			k.Priority = *c.Priority
		}
		if err := t.assign(ctx, tx, k, c.AssignedTo); err != nil {
			return err
		}
		if err := t.save(ctx, tx, k, true); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "ticket.manage", audit.ID("ticket", k.ID), before, k.described(), "")
	})
	return k, err
}

// assign gives a ticket to a member of staff who may answer it.
func (t *Tickets) assign(ctx context.Context, tx bun.Tx, k *Ticket, to *int64) error {
	if to == nil {
		return nil
	}
	if *to == 0 {
		k.AssignedTo = nil
		return nil
	}
	members, err := t.accounts.Users(ctx, tx, []int64{*to})
	if err != nil {
		return err
	}
	may, err := role.Of(ctx, tx, members[*to].Role)
	if err != nil {
		return err
	}
	if !may.Has(permission.TicketAnswer) {
		return fault.Invalid("assigned_to", "choice", "该成员不能回复工单", "This member may not answer tickets")
	}
	k.AssignedTo = to
	return nil
}

// Merge moves all messages of a ticket into another one of the same user, and closes it: ErrOtherUser, ErrSelfMerge,
// ErrMerged. What was merged into it before goes with it.
func (t *Tickets) Merge(ctx context.Context, id, into string) (*Ticket, error) {
	var to *Ticket
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		from, err := find(ctx, tx, id, ofAll)
		if err != nil {
			return err
		}
		if to, err = find(ctx, tx, into, ofAll); err != nil {
			return err
		}
		switch {
		case from.ID == to.ID:
			return ErrSelfMerge
		case from.UserID != to.UserID:
			return ErrOtherUser
		}
		// Both in the order of their ids, so that two merges do not wait for each other.
		var both []Ticket
		if err := db.Locked(tx.NewSelect().Model(&both).Where("id IN (?)", bun.List([]int64{from.ID, to.ID})).
			OrderExpr("id")).Scan(ctx); err != nil {
			return err
		}
		if len(both) != 2 {
			return ErrNoTicket
		}
		for i := range both {
			if both[i].MergedInto != nil {
				return ErrMerged
			}
			if both[i].ID == from.ID {
				from = &both[i]
			} else {
				to = &both[i]
			}
		}
		return t.merge(ctx, tx, from, to)
	})
	return to, err
}

func (t *Tickets) merge(ctx context.Context, tx bun.Tx, from, to *Ticket) error {
	before := from.described()
	// A notice of one of them is none of the other: the next message is notified of again.
	for _, toStaff := range []bool{false, true} {
		if err := forgetSentNotices(ctx, tx, toStaff, from.ID, to.ID); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		`UPDATE ticket_message SET ticket_id = ?1 WHERE ticket_id = ?0`,
		`UPDATE ticket SET merged_into = ?1 WHERE merged_into = ?0`,
		`INSERT INTO ticket_word (word, ticket_id, is_note)
			SELECT word, ?1, is_note FROM ticket_word WHERE ticket_id = ?0 ORDER BY word ON CONFLICT DO NOTHING`,
		`DELETE FROM ticket_word WHERE ticket_id = ?0`,
	} {
		if _, err := tx.NewRaw(statement, from.ID, to.ID).Exec(ctx); err != nil {
			return err
		}
	}
	to.MessageCount += from.MessageCount
	to.FirstMessageID = min(to.FirstMessageID, from.FirstMessageID)
	to.LastMessageID = max(to.LastMessageID, from.LastMessageID)
	// The user has read only what they have read in both.
	if from.Unread() || to.Unread() {
		to.UserReadID = min(to.UserReadID, from.UserReadID)
	} else {
		to.UserReadID = max(to.UserReadID, from.UserReadID)
	}
	to.LastAnswerID = max(to.LastAnswerID, from.LastAnswerID)
	if from.Awaiting == Staff && to.State != Closed {
		if to.State == Resolved {
			to.State = Processing
		}
		to.Awaiting = Staff
	}
	now := t.db.Now()
	from.set(Closed, now)
	from.MergedInto, from.UserReadID = &to.ID, from.LastAnswerID
	from.UpdatedAt, to.UpdatedAt = now, now
	for _, k := range []*Ticket{from, to} {
		if err := t.save(ctx, tx, k, true); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, "ticket.merge", audit.ID("ticket", from.ID), before, from.described(), "")
}

// Members gives what staff sees of people: users and members, by their ids.
func (t *Tickets) Members(ctx context.Context, ids []int64) (map[int64]account.User, error) {
	return t.accounts.Users(ctx, t.db, ids)
}

func checkState(wrong *fault.Problems, s State) {
	known := s == "" || s == Pending || s == Processing || s == Resolved || s == Closed
	wrong.When(!known, "status", "choice", "没有这个状态", "There is no such state")
}
