package wallet

import (
	"context"
	"time"

	"airstrip/internal/money"
)

// Asked is what a payment looks like to its gateway, and when it came.
type Asked struct {
	Gateway  string
	Amount   money.Amount // in Currency, as the payer paid it
	Currency string
	At       time.Time
}

// likePeriod is how long before a payment its recharge may have begun, and maxLike how many are worth a look.
const (
	likePeriod = 3 * 24 * time.Hour
	maxLike    = 10
)

// RechargesLike returns the unpaid recharges that a payment may be for, the newest first: of this gateway, with this
// amount to pay, and begun in the days before it came.
func (w *Wallets) RechargesLike(ctx context.Context, p Asked) (found []Recharge, err error) {
	// The gateway and the amount are compared as expressions: their indexes would read all recharges of a gateway.
	err = selectRecharges(w.db, &found).Where("?TableAlias.created_at BETWEEN ? AND ?", p.At.Add(-likePeriod), p.At).
		Where("gateway || '' = ?", p.Gateway).Where("pay_amount = ? AND pay_currency = ?", p.Amount, p.Currency).
		Where("state || '' IN ('pending', 'expired', 'failed')").
		OrderExpr("?TableAlias.created_at DESC, ?TableAlias.id DESC").Limit(maxLike).Scan(ctx)
	return found, err
}
