package shop

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
)

// CancelFor ends a pending order of any user for staff, and gives back what it holds.
func (s *Shop) CancelFor(ctx context.Context, orderID int64, reason string) error {
	reason = strings.TrimSpace(reason)
	if err := checkReason("reason", reason); err != nil {
		return err
	}
	o, err := only(s.OrdersByID(ctx, []int64{orderID}))
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		ended, err := s.end(ctx, tx, o, Cancelled)
		if err != nil {
			return err
		}
		if !ended {
			return ErrNotPending
		}
		was, is := map[string]any{"state": Pending}, map[string]any{"state": Cancelled}
		return audit.Record(ctx, tx, "order.cancel", audit.ID("order", orderID), was, is, reason)
	})
}
