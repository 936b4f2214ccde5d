package shop

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"
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

// lockWaiting locks the orders that wait on the service, as lockOrders does, and returns them. The caller has locked
// neither a service nor a wallet.
func (s *Shop) lockWaiting(ctx context.Context, tx bun.Tx, userID, serviceID int64) ([]Order, error) {
	waiting, err := waitingOn(ctx, tx, userID, serviceID)
	if err != nil {
		return nil, err
	}
	return waiting, s.lockOrders(ctx, tx, waiting)
}

// lockOrders locks the recharges that orders wait for, then the orders, each in ascending order of their numbers. The
// orders are in that order.
func (s *Shop) lockOrders(ctx context.Context, tx bun.Tx, waiting []Order) error {
	byRecharge := slices.DeleteFunc(slices.Clone(waiting), func(o Order) bool { return o.RechargeID == nil })
	slices.SortFunc(byRecharge, func(a, b Order) int { return cmp.Compare(*a.RechargeID, *b.RechargeID) })
	for _, o := range byRecharge {
		if _, err := s.wallets.LockUnpaid(ctx, tx, *o.RechargeID); err != nil {
			return err
		}
	}
	for _, o := range waiting {
		_, err := tx.NewUpdate().Model((*Order)(nil)).Set("state = state").Where("id = ?", o.ID).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// lockReserved locks the plans and coupons that get back what these orders took, each in ascending order of their
// numbers. plan and coupon are those of an order that is about to be made, 0 where there is none.
func lockReserved(ctx context.Context, tx bun.Tx, waiting []Order, plan, coupon int64) error {
	if len(waiting) == 0 {
		return nil
	}
	var plans, coupons []int64
	if plan != 0 {
		plans = append(plans, plan)
	}
	if coupon != 0 {
		coupons = append(coupons, coupon)
	}
	for _, o := range waiting {
		if o.TookStock {
			plans = append(plans, o.PlanID)
		}
		if o.CouponID != nil {
			coupons = append(coupons, *o.CouponID)
		}
	}
	slices.Sort(plans)
	slices.Sort(coupons)
	for _, id := range slices.Compact(plans) {
		if _, err := tx.NewUpdate().Model((*Plan)(nil)).Set("stock = stock").Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
	}
	for _, id := range slices.Compact(coupons) {
		if _, err := tx.NewUpdate().Model((*Coupon)(nil)).Set("taken = taken").Where("id = ?", id).
			Exec(ctx); err != nil {
			return err
		}
	}
	return nil
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
	if err := s.lockOrders(ctx, tx, orders); err != nil {
		return err
	}
	return lockReserved(ctx, tx, orders, 0, 0)
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
