package wallet

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

// Faults of giving up a recharge.
var (
	ErrNotPending = fault.Conflict("recharge_not_pending", "这笔充值已不在等待支付",
		"This recharge no longer waits for payment")
	ErrPaysOrder = fault.Conflict("recharge_pays_order", "这笔充值用于支付订单，请取消该订单",
		"This recharge pays for an order; cancel the order")
)

// CancelRecharge ends a pending recharge of the user, named by its number or uuid, before its time: ErrNoRecharge,
// ErrNotPending. One that pays for an order ends with the order: ErrPaysOrder. A payment that arrives all the same is
// credited as one that comes late. It returns the recharge as it is then.
func (w *Wallets) CancelRecharge(ctx context.Context, userID int64, id string) (*Recharge, error) {
	r, err := w.Recharge(ctx, userID, id)
	if err != nil {
		return nil, err
	}
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return w.cancel(ctx, tx, r) })
	if err != nil {
		return nil, err
	}
	return w.Recharge(ctx, userID, id)
}

// CancelRechargeFor is CancelRecharge for staff, with any user's recharge. Wrong input names the field reason.
func (w *Wallets) CancelRechargeFor(ctx context.Context, no int64, reason string) error {
	if err := audit.CheckReason(&reason); err != nil {
		return err
	}
	r, err := w.RechargeByNo(ctx, w.db, no)
	if err != nil {
		return err
	}
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := w.cancel(ctx, tx, r); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "recharge.cancel", audit.ID("recharge", no),
			map[string]any{"state": RechargePending}, map[string]any{"state": RechargeExpired}, reason)
	})
}

func (w *Wallets) cancel(ctx context.Context, tx bun.Tx, r *Recharge) error {
	if r.OrderID != nil {
		return ErrPaysOrder
	}
	ended, err := w.transition(ctx, tx, r.ID, RechargeExpired, nil)
	if err == nil && !ended {
		err = ErrNotPending
	}
	return err
}
