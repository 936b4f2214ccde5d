package shop

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/assignment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/permission"
)

// AssignRefundRequest assigns an open request to a member of staff who may see requests, or to nobody: ErrNoRequest,
// ErrRequestEnded, assignment.ErrChanged. Wrong input names assigned_to.
func (s *Shop) AssignRefundRequest(ctx context.Context, id int64, w assignment.Wish) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		q, err := db.LockRow[RefundRequest](ctx, tx, id, ErrNoRequest)
		if err != nil {
			return err
		}
		if q.State != RequestOpen {
			return ErrRequestEnded
		}
		return w.CarryOut(ctx, tx, assignment.Target{
			Row: &q, Assigned: &q.AssignedTo, Object: audit.ID("refund_request", id), Sees: permission.RefundRead,
			Decides: permission.Refund,
		})
	})
}
