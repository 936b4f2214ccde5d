package shop

import (
	"context"

	"github.com/uptrace/bun"
)

// Close ends the user's pending orders and gives back what they hold, as part of the closing of the account: none of
// them shall come true afterwards. Refund requests that were assigned to the user are free.
func (s *Shop) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	var pending []Order
	if err := tx.NewSelect().Model(&pending).Where("user_id = ? AND state = ?", userID, Pending).OrderExpr("id").
		Scan(ctx); err != nil {
		return err
	}
	if err := s.lockEnding(ctx, tx, pending); err != nil {
		return err
	}
	for i := range pending {
		if _, err := s.end(ctx, tx, &pending[i], Cancelled); err != nil {
			return err
		}
	}
	_, err := tx.NewUpdate().Model((*RefundRequest)(nil)).Set("assigned_to = NULL").Where("assigned_to = ?", userID).
		Exec(ctx)
	return err
}
