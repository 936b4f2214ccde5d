package service

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
)

// Credit is what a change of plan took of the period of one order and credited to another one.
type Credit struct {
	From   int64 `bun:"order_id"`
	To     int64 `bun:"credited_by"`
	Amount money.Amount
}

// CreditsTo returns what was credited to an order, and to the orders from which that came, newest order first.
func (s *Services) CreditsTo(ctx context.Context, idb bun.IDB, orderID int64) (credits []Credit, err error) {
	err = idb.NewRaw(`WITH RECURSIVE credit (order_id, credited_by, amount) AS (
			SELECT order_id, credited_by, given_back FROM fulfilment WHERE credited_by = ? AND given_back > 0
			UNION ALL SELECT f.order_id, f.credited_by, f.given_back FROM fulfilment f
			JOIN credit c ON f.credited_by = c.order_id WHERE f.given_back > 0)
		SELECT order_id, credited_by, amount FROM credit ORDER BY order_id DESC`, orderID).Scan(ctx, &credits)
	return credits, err
}
