package shop

import (
	"context"

	"github.com/uptrace/bun"
)

// Unsettled returns the numbers of the user's orders that wait to be paid, and of requests for refunds that staff has
// not answered.
func (s *Shop) Unsettled(ctx context.Context, idb bun.IDB, userID int64) (orders, requests []int64, err error) {
	err = idb.NewSelect().Model((*Order)(nil)).Column("id").Where("user_id = ? AND state = ?", userID, Pending).
		OrderExpr("id").Scan(ctx, &orders)
	if err != nil {
		return nil, nil, err
	}
	err = idb.NewSelect().Model((*RefundRequest)(nil)).Column("id").Where("user_id = ? AND state = ?", userID,
		RequestOpen).OrderExpr("id").Scan(ctx, &requests)
	return orders, requests, err
}
