package wallet

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
)

// numbersAtOnce is how many numbers one statement names, so that no statement grows without bound.
const numbersAtOnce = 500

// RechargesNumbered returns the recharges at a gateway that have one of these numbers, ours or the platform's.
func (w *Wallets) RechargesNumbered(ctx context.Context, gateway string, numbers []string) (found []Recharge,
	err error,
) {
	known := map[int64]bool{}
	for some := range slices.Chunk(numbers, numbersAtOnce) {
		for _, column := range []string{"transaction_id", "trade_no"} {
			var part []Recharge
			err := w.db.NewSelect().Model(&part).Where("gateway = ? AND ? IN (?)", gateway, bun.Ident(column),
				bun.List(some)).Scan(ctx)
			if err != nil {
				return nil, err
			}
			for _, r := range part {
				if !known[r.ID] {
					known[r.ID] = true
					found = append(found, r)
				}
			}
		}
	}
	return found, nil
}

// RechargesPaid returns the recharges that were paid at a gateway from one time up to another, the oldest first.
func (w *Wallets) RechargesPaid(ctx context.Context, gateway string, from, to time.Time) (found []Recharge, err error) {
	err = w.db.NewSelect().Model(&found).Where("gateway = ? AND paid_at >= ? AND paid_at <= ?", gateway, from, to).
		OrderExpr("paid_at, id").Scan(ctx)
	return found, err
}

// ReturnedPayment is a refund of a recharge that a platform carried out.
type ReturnedPayment struct {
	No            string // names it at the platform
	RechargeID    int64
	TransactionID string       // the platform's name of the payment that went back
	PayAmount     money.Amount // in the currency of the payment
	EndedAt       time.Time
}

// ReturnedPayments returns the refunds that the platform of a gateway carried out from one time up to another, the
// oldest first.
func (w *Wallets) ReturnedPayments(ctx context.Context, gateway string, from, to time.Time) (found []ReturnedPayment,
	err error,
) {
	err = w.db.NewRaw(`SELECT g.no, g.recharge_id, r.transaction_id, g.pay_amount, g.ended_at FROM gateway_refund g
		JOIN recharge r ON r.id = g.recharge_id
		WHERE r.gateway = ? AND g.state = 'done' AND NOT g.by_hand AND g.ended_at >= ? AND g.ended_at <= ?
		ORDER BY g.ended_at, g.id`, gateway, from, to).Scan(ctx, &found)
	return found, err
}

// ReturnedOf returns the refunds that a platform carried out of these recharges, the oldest first.
func (w *Wallets) ReturnedOf(ctx context.Context, rechargeIDs []int64) (found []ReturnedPayment, err error) {
	for some := range slices.Chunk(rechargeIDs, numbersAtOnce) {
		var part []ReturnedPayment
		err := w.db.NewRaw(`SELECT g.no, g.recharge_id, r.transaction_id, g.pay_amount, g.ended_at FROM gateway_refund g
			JOIN recharge r ON r.id = g.recharge_id WHERE g.state = 'done' AND NOT g.by_hand AND r.id IN (?)
			ORDER BY g.id`, bun.List(some)).Scan(ctx, &part)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	return found, nil
}
