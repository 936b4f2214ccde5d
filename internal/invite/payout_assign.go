package invite

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/assignment"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
)

// AssignPayout assigns a payout that has not ended to a member of staff who may pay commission out, or to nobody:
// ErrNoPayout, ErrPayoutEnded, assignment.ErrChanged. Wrong input names assigned_to.
func (i *Invites) AssignPayout(ctx context.Context, id int64, w assignment.Wish) error {
	return i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		p, err := i.lockPayout(ctx, tx, id)
		if err != nil {
			return err
		}
		if !p.pending() {
			return ErrPayoutEnded
		}
		return w.CarryOut(ctx, tx, assignment.Target{
			Row: p, Assigned: &p.AssignedTo, Object: audit.ID("commission_payout", id), Sees: permission.CommissionPay,
			Decides: permission.CommissionPay,
		})
	})
}
