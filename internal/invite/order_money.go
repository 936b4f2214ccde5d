package invite

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/money"
)

// orderMoney is money that came in and paid for an order that earned no commission.
type orderMoney struct {
	bun.BaseModel `bun:"table:order_money"`
	OrderID       int64 `bun:",pk"`
	UserID        int64
	Amount        money.Amount
	Gone          money.Amount // of Amount, what came back into the buyer's wallet or went back to who had paid it
}

// spent is money that came in, paid for an order and has not come back.
type spent struct {
	orderID    int64
	commission *Commission // that counted it; nil: the order earned none
	amount     money.Amount
}

// hasSpent is the condition of commissions that count spent money.
const hasSpent = "base > returned + given_back AND NOT came_back"

// spentBy returns the spent money of the orders that the condition finds.
func spentBy(ctx context.Context, tx bun.Tx, condition string, value any) (found []spent, err error) {
	var earned []Commission
	if err := tx.NewSelect().Model(&earned).Where(condition, value).
		Where(hasSpent).Scan(ctx); err != nil {
		return nil, err
	}
	for n := range earned {
		c := &earned[n]
		found = append(found, spent{c.OrderID, c, c.Base - c.Returned - c.GivenBack})
	}
	var others []orderMoney
	err = tx.NewSelect().Model(&others).Where(condition, value).Where("gone < amount").Scan(ctx)
	for _, m := range others {
		found = append(found, spent{m.OrderID, nil, m.Amount - m.Gone})
	}
	return found, err
}

// allSpent returns the spent money of the user's orders, newest order first.
func allSpent(ctx context.Context, tx bun.Tx, userID int64) ([]spent, error) {
	found, err := spentBy(ctx, tx, "user_id = ?", userID)
	slices.SortFunc(found, func(a, b spent) int { return cmp.Compare(b.orderID, a.orderID) })
	return found, err
}

// spend records the money that paid for an order without a commission.
func spend(ctx context.Context, tx bun.Tx, m *orderMoney) error {
	_, err := tx.NewInsert().Model(m).Exec(ctx)
	return db.Error(err)
}

// unspend records that so much of the money of an order without a commission is gone.
func unspend(ctx context.Context, tx bun.Tx, orderID int64, gone money.Amount) error {
	_, err := tx.NewUpdate().Model((*orderMoney)(nil)).Set("gone = gone + ?", gone).Where("order_id = ?", orderID).
		Exec(ctx)
	return err
}
