package payment

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

// StaffOrder is an order that a member of staff makes for a user. Its price may be below the listed one; the difference
// is what the member gives.
type StaffOrder struct {
	bun.BaseModel   `bun:"table:staff_order"`
	ID              int64 `bun:",pk,autoincrement"`
	UserID          int64
	PriceID         int64
	RenewServiceID  *int64
	ChangeServiceID *int64
	AutoRenew       bool
	Price           money.Amount // before a credit
	Listed          money.Amount // that the shop asked when it was made
	Gateway         string       // at which the user is to pay; empty: the wallet pays at once
	Reason          string
	State           string
	OrderID         *int64 // that it led to
	MadeBy          *int64 // member of staff; nil: the operator
	CreatedAt       time.Time
	DecidedBy       *int64 // the second member
	EndedAt         *time.Time
	Assigned        bool `bun:"-"` // the user is to pay it; an order has a gateway then, what is quoted need not
}

// The states of an order by staff. Only a waiting one changes.
const (
	orderWaiting  = "waiting" // for a second member
	orderMade     = "made"
	orderDeclined = "declined"
)

// assignedTime is how long an order that staff makes waits for its user to pay it, where its gateway needs no longer.
// Stripe ends its pages after a day.
const assignedTime = 23 * time.Hour

// Faults of orders by staff.
var (
	ErrOwnOrder = fault.Forbidden("order_for_oneself", "不能为自己下单，请在商店购买",
		"Nobody orders for themselves here; please buy in the shop")
	ErrOrderWaits = fault.Conflict("staff_order_waits", "你为该用户提交的一个订单正在等待另一位成员确认",
		"An order that you made for this user waits for a second member of staff")
	ErrOrderGrew = fault.Conflict("staff_order_grew", "该订单的让利已高于提交时；请拒绝，然后重新提交",
		"This order gives more now than when it was made. Decline it and make it anew")
)

// OnAssign has fn told of each order that waits for its user to pay it, in the transaction that makes it.
func (p *Payments) OnAssign(fn func(ctx context.Context, tx bun.Tx, userID, orderID int64) error) {
	p.onAssign = fn
}

func (o *StaffOrder) purchase() shop.Purchase {
	by := &shop.ByStaff{Amount: o.Price}
	if o.Assigned || o.Gateway != "" {
		by.Waits = assignedTime
	}
	return shop.Purchase{
		PriceID: o.PriceID, RenewServiceID: o.RenewServiceID, ChangeServiceID: o.ChangeServiceID,
		AutoRenew: o.AutoRenew, ByStaff: by,
	}
}

// QuoteFor tells what an order by staff would cost its user and bring, or why it cannot be made. It changes nothing.
func (p *Payments) QuoteFor(ctx context.Context, o StaffOrder) (*shop.Quote, error) {
	return p.shop.PreOrder(ctx, o.UserID, o.purchase())
}

// OrderFor makes an order for a user: paid from the wallet at once, or waiting until the user pays it at the gateway.
// What its price is below the listed one counts as given; beyond what the member may give alone on a day it waits for a
// second member: approval.ErrSecondMember. It gives the order's number.
func (p *Payments) OrderFor(ctx context.Context, o StaffOrder) (orderID int64, err error) {
	if err := audit.CheckReason(&o.Reason); err != nil {
		return 0, err
	}
	if o.MadeBy != nil && *o.MadeBy == o.UserID {
		return 0, ErrOwnOrder
	}
	orderID, err = idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		made := o // a transaction that is tried again begins anew
		if err := p.propose(ctx, tx, &made); err != nil || made.OrderID == nil {
			return 0, err
		}
		return *made.OrderID, nil
	})
	if err == nil && orderID == 0 {
		err = approval.ErrSecondMember
	}
	return orderID, err
}

// propose keeps the order, and makes it where the member may do that alone.
func (p *Payments) propose(ctx context.Context, tx bun.Tx, o *StaffOrder) error {
	if err := p.approvals.Lock(ctx, tx, o.MadeBy); err != nil {
		return err
	}
	waits, err := tx.NewSelect().Model((*StaffOrder)(nil)).Where("user_id = ? AND made_by = ? AND state = ?", o.UserID,
		o.MadeBy, orderWaiting).Exists(ctx)
	if err == nil && waits {
		err = ErrOrderWaits
	}
	if err != nil {
		return err
	}
	var given money.Amount
	if o.Listed, given, err = p.shop.BelowList(ctx, tx, o.PriceID, o.Price); err != nil {
		return err
	}
	o.ID, o.State, o.CreatedAt = 0, orderWaiting, p.db.Now()
	if _, err := tx.NewInsert().Model(o).Exec(ctx); err != nil {
		return db.Error(err)
	}
	alone, err := p.approvals.Propose(ctx, tx, approval.Act{
		Kind: approval.OrderByHand, ReferenceID: o.ID, MadeBy: o.MadeBy, Beneficiary: o.UserID, Worth: given,
		Reason: o.Reason, Gives: map[string]any{
			"user_id": o.UserID, "price_id": o.PriceID, "price": o.Price, "listed": o.Listed, "gateway": o.Gateway,
			"renew_service_id": o.RenewServiceID, "change_service_id": o.ChangeServiceID,
		},
	})
	if err == nil && alone {
		err = p.makeOrder(ctx, tx, o)
	}
	return err
}

// makeOrder makes the order that nobody needs to approve any more.
func (p *Payments) makeOrder(ctx context.Context, tx bun.Tx, o *StaffOrder) error {
	var begin shop.RechargeFunc
	what := o.purchase()
	if o.Gateway != "" {
		m, err := p.Method(o.Gateway)
		if err != nil || !m.Enabled {
			return fault.Invalid("gateway", "unknown", "没有这个支付方式", "There is no such payment gateway")
		}
		what.PayTime, begin = payTime(m.Gateway), p.bringing(o.UserID, m)
	}
	id, err := p.shop.Place(ctx, tx, o.UserID, what, begin)
	if err != nil {
		return err
	}
	o.State, o.OrderID, o.EndedAt = orderMade, &id, new(p.db.Now())
	if _, err := tx.NewUpdate().Model(o).Column("state", "order_id", "decided_by", "ended_at").WherePK().
		Exec(ctx); err != nil {
		return err
	}
	if o.Gateway != "" && p.onAssign != nil {
		return p.onAssign(ctx, tx, o.UserID, id)
	}
	return nil
}

// DecideOrder makes, as a second member of staff, an order that waits, or declines it. One that would give more by now
// than it said is ErrOrderGrew. by is nil for the operator.
func (p *Payments) DecideOrder(ctx context.Context, id int64, approve bool, by *int64) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		o := &StaffOrder{ID: id}
		if err := tx.NewSelect().Model(o).WherePK().Scan(ctx); err != nil {
			return err
		}
		if approve {
			act, err := p.approvals.Waits(ctx, tx, approval.OrderByHand, id)
			if err != nil {
				return err
			}
			_, given, err := p.shop.BelowList(ctx, tx, o.PriceID, o.Price)
			if err == nil && act != nil && given > act.Worth {
				err = ErrOrderGrew
			}
			if err != nil {
				return err
			}
		}
		if err := p.approvals.Decide(ctx, tx, approval.OrderByHand, id, approve, by); err != nil {
			return err
		}
		o.DecidedBy = by
		if approve {
			return p.makeOrder(ctx, tx, o)
		}
		o.State, o.EndedAt = orderDeclined, new(p.db.Now())
		_, err := tx.NewUpdate().Model(o).Column("state", "decided_by", "ended_at").WherePK().Exec(ctx)
		return err
	})
}
