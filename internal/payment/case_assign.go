package payment

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/assignment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/permission"
)

// AssignCase assigns a case that has not ended to a member of staff who may see cases, or to nobody: ErrNoCase,
// ErrCaseEnded, assignment.ErrChanged. Wrong input names assigned_to.
func (p *Payments) AssignCase(ctx context.Context, id int64, w assignment.Wish) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c, err := db.LockRow[Case](ctx, tx, id, ErrNoCase)
		if err != nil {
			return err
		}
		if c.EndedAt != nil {
			return ErrCaseEnded
		}
		return w.CarryOut(ctx, tx, assignment.Target{
			Row: &c, Assigned: &c.AssignedTo, Object: audit.ID("payment_case", id), Sees: permission.CaseRead,
			Decides: permission.CaseDecide,
		})
	})
}

// Close frees what is assigned to a member of staff, as part of the closing of the account.
func (p *Payments) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewUpdate().Model((*Case)(nil)).Set("assigned_to = NULL").Where("assigned_to = ?", userID).Exec(ctx)
	return err
}
