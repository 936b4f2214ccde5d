package shop

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// An order that waits for money and renews or replaces a service can no longer be kept once the service is given back,
// by a change of plan or a refund. Whoever gives a service back cancels these orders in the same transaction. Their
// rows are locked first, since a payment of one of them locks its recharge before the wallet.

// waitingOn returns the user's orders that wait for money and renew or replace the service, oldest first.
func waitingOn(ctx context.Context, tx bun.Tx, userID, serviceID int64) (waiting []Order, err error) {
	err = tx.NewSelect().Model(&waiting).Where("user_id = ? AND state = ?", userID, Pending).
		Where("service_id = ? OR replaces_id = ?", serviceID, serviceID).OrderExpr("id").Scan(ctx)
	return waiting, err
}

// lockOrders locks the recharges that orders wait for, and then the orders. The caller has locked neither a service nor
// a wallet.
func (s *Shop) lockOrders(ctx context.Context, tx bun.Tx, waiting []Order) error {
	if len(waiting) == 0 {
		return nil
	}
	var ids, recharges []int64
	for _, o := range waiting {
		ids = append(ids, o.ID)
		if o.RechargeID != nil {
			recharges = append(recharges, *o.RechargeID)
		}
	}
	if err := s.wallets.LockRecharges(ctx, tx, recharges...); err != nil {
		return err
	}
	return lockByID(ctx, tx, (*Order)(nil), ids)
}

// lockReserved locks the plans, and then the coupons, that orders took something of or are about to.
func lockReserved(ctx context.Context, tx bun.Tx, orders []Order) error {
	var plans, coupons []int64
	for _, o := range orders {
		if o.TookStock {
			plans = append(plans, o.PlanID)
		}
		if o.CouponID != nil {
			coupons = append(coupons, *o.CouponID)
		}
	}
	if err := lockByID(ctx, tx, (*Plan)(nil), plans); err != nil {
		return err
	}
	return lockByID(ctx, tx, (*Coupon)(nil), coupons)
}

func lockByID(ctx context.Context, tx bun.Tx, model any, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return db.LockRows(ctx, tx.NewSelect().Model(model).Where("id IN (?)", bun.List(ids)))
}

// lockEnding locks what the end of orders changes besides the user's money.
func (s *Shop) lockEnding(ctx context.Context, tx bun.Tx, orders []Order) error {
	if err := s.lockOrders(ctx, tx, orders); err != nil {
		return err
	}
	return lockReserved(ctx, tx, orders)
}

// LockCompletion locks what Complete may change besides the user's money and rights: of the order itself, which gives
// back what it took where it can no longer be kept, and of the orders that its change of plan ends. A transaction that
// locks the user's wallet before it calls Complete calls this first.
func (s *Shop) LockCompletion(ctx context.Context, tx bun.Tx, o *Order) (err error) {
	orders := []Order{*o}
	if o.ReplacesID != nil {
		if orders, err = waitingOn(ctx, tx, o.UserID, *o.ReplacesID); err != nil {
			return err
		}
	}
	return s.lockEnding(ctx, tx, orders)
}

// endWaiting cancels the user's orders that wait on the service, but for one that is being completed.
func (s *Shop) endWaiting(ctx context.Context, tx bun.Tx, userID, serviceID, but int64) error {
	waiting, err := waitingOn(ctx, tx, userID, serviceID)
	if err != nil {
		return err
	}
	for i := range waiting {
		if waiting[i].ID == but {
			continue
		}
		if _, err := s.end(ctx, tx, &waiting[i], Cancelled); err != nil {
			return err
		}
	}
	return nil
}
