// Package assignment says to whom of staff an object is assigned that waits for a decision: a payment case, a payout
// or a refund request. The package that owns the object keeps the member in the column assigned_to of its table and
// decides what may still be assigned; the rules that all of them have are here. Only a member who may see the list can
// have something of it. Who no longer may (another role, a ban) stays named, but what they have counts as free.
package assignment

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// ErrChanged is the fault of assigning what somebody else was assigned since the caller read it.
var ErrChanged = fault.Conflict("assignment_changed", "负责人刚刚被其他成员更改，请重新载入",
	"Another member has just assigned this to somebody else; please load it again")

// Wish is whom an object is to be assigned to, and whom its caller saw it assigned to; 0 is nobody.
type Wish struct {
	To  int64
	Was int64
}

// A Target is an object that is assigned: a locked row of a table with the column assigned_to.
type Target struct {
	Row      any     // pointer to the row
	Assigned **int64 // the row's field of that column
	Object   audit.Object
	Sees     permission.Permission // what seeing the list needs
	Decides  permission.Permission // what deciding on the object needs
}

// CarryOut assigns the object and records that in the audit log, as part of tx: ErrChanged where it is not assigned to
// the one whom the caller saw. Wrong input names assigned_to.
func (w Wish) CarryOut(ctx context.Context, tx bun.Tx, t Target) error {
	was := *t.Assigned
	to, err := w.admit(ctx, tx, was, t.Sees)
	if err != nil {
		return err
	}
	*t.Assigned = to
	if _, err := tx.NewUpdate().Model(t.Row).Column("assigned_to").WherePK().Exec(ctx); err != nil {
		return err
	}
	return audit.Record(ctx, tx, string(t.Decides)+".assign", t.Object, map[string]any{"assigned_to": was},
		map[string]any{"assigned_to": to}, "")
}

// admit returns whom the object is assigned to from now on.
func (w Wish) admit(ctx context.Context, tx bun.Tx, present *int64, sees permission.Permission) (*int64, error) {
	var holder int64
	if present != nil {
		holder = *present
	}
	if holder != w.Was {
		return nil, ErrChanged
	}
	if w.To == 0 {
		return nil, nil
	}
	may, err := approval.MayAct(ctx, tx, w.To, sees)
	if err == nil && !may {
		err = fault.Invalid("assigned_to", "choice", "该成员不能查看此列表", "This member may not see this list")
	}
	return &w.To, err
}

// Filter narrows a list by the members whom its rows are assigned to. The zero value wants all.
type Filter struct {
	MemberID int64   // only those of this member
	Free     bool    // only those of nobody, and of members who may no longer see the list
	Members  []int64 // who may see the list, for Free
}

// Narrow adds the filter to a query of a table with the column assigned_to.
func (f Filter) Narrow(q *bun.SelectQuery) {
	switch {
	case f.MemberID != 0:
		q.Where("assigned_to = ?", f.MemberID)
	case f.Free:
		q.Where("(assigned_to IS NULL OR assigned_to NOT IN (?))", bun.List(f.Members))
	}
}
