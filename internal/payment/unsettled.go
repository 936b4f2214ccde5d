package payment

import (
	"context"

	"github.com/uptrace/bun"
)

// Unsettled returns the numbers of the payment cases about the user that have not ended.
func (p *Payments) Unsettled(ctx context.Context, idb bun.IDB, userID int64) (cases []int64, err error) {
	err = idb.NewSelect().Model((*Case)(nil)).Column("id").Where("user_id = ? AND state IN (?)", userID,
		bun.List([]CaseState{CaseOpen, CaseWaiting, CaseRefunding})).OrderExpr("id").Scan(ctx, &cases)
	return cases, err
}
