package payment

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/wallet"
)

// ByHand is a gateway without a platform that could be asked: what staff says of a bill is all that there is.
type ByHand interface {
	// Received gives the payment of a bill that staff says was paid.
	Received(b Bill) Payment
}

// ErrNotPaid is the fault of confirming what the platform itself, when asked, does not call paid.
var ErrNotPaid = fault.Conflict("not_paid_at_gateway", "支付平台显示这笔充值尚未支付", "The payment platform does not call this recharge paid")

// How staff came to a payment: in the place of a notify's method.
const (
	methodHand = "HAND" // said so
	methodAsk  = "ASK"  // had the platform asked
)

const handCounts = 24 * time.Hour // for how long what a member confirmed counts against the limit

// Confirmation is a member of staff who confirms a recharge.
type Confirmation struct {
	TradeNo string
	StaffID int64
	Address string // that the member called from
}

// ConfirmByHand finishes a recharge for staff and gives it. One that has no platform is taken at the member's word: not
// for their own wallet, and where it is more than a member may credit alone only once a second one says the same, until
// then it is wallet.ErrSecondMember. Of any other the platform is asked, and has the last word. Every try is kept among
// the notifies with who it was.
func (p *Payments) ConfirmByHand(ctx context.Context, c Confirmation) (*wallet.Recharge, error) {
	r, err := p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
	if err != nil {
		return nil, err
	}
	m, err := p.Method(r.Gateway)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	kept := &Kept{
		Gateway: r.Gateway, Method: methodAsk, Header: map[string][]string{}, Body: []byte{}, Address: c.Address, Outcome: Received,
		RechargeID: &r.ID, StaffID: &c.StaffID, CreatedAt: p.db.Now(),
	}
	var pay Payment
	if g, ok := m.Gateway.(ByHand); ok {
		kept.Method, pay = methodHand, g.Received(p.bill(r))
		err = p.mayConfirm(ctx, r, kept)
	} else if err = p.keep(ctx, kept); err == nil {
		if pay, err = p.ask(ctx, m, r); err != nil {
			err = ErrGatewayDown.Because(err)
		}
	}
	if err != nil {
		return nil, err
	}
	if pay.State != Paid {
		if err := p.refuse(ctx, kept.ID, NotConfirmed, r.ID); err != nil {
			return nil, err
		}
		return nil, ErrNotPaid
	}
	accepted, err := p.settle(ctx, m, pay, kept.ID, true)
	if err == nil && !accepted {
		err = ErrNotPaid // the platform speaks of another amount or currency
	}
	if err != nil {
		return nil, err
	}
	return p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
}

// mayConfirm keeps the member's word, as a refusal where a second member is needed.
func (p *Payments) mayConfirm(ctx context.Context, r *wallet.Recharge, kept *Kept) error {
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, "payment_by_hand"); err != nil { // keeps others waiting, so that the sum stays true
			return err
		}
		alone, err := p.alone(ctx, tx, r, *kept.StaffID)
		if err != nil {
			return err
		}
		kept.ID, kept.Outcome, kept.Reason = 0, Received, ""
		if !alone {
			kept.Outcome, kept.Reason = Refused, SecondMember
		}
		_, err = tx.NewInsert().Model(kept).Exec(ctx)
		return err
	})
	if err == nil && kept.Outcome == Refused {
		err = wallet.ErrSecondMember
	}
	return err
}

// alone tells whether the member's word is enough.
func (p *Payments) alone(ctx context.Context, tx bun.Tx, r *wallet.Recharge, staffID int64) (bool, error) {
	if r.State == wallet.RechargeDone { // nothing is credited again
		return true, nil
	}
	if r.UserID == staffID {
		return false, nil
	}
	var others int
	err := tx.NewRaw(`SELECT COUNT(*) FROM payment_notify WHERE recharge_id = ? AND method = ? AND reason = ? AND staff_id NOT IN (?, ?)`,
		r.ID, methodHand, SecondMember, staffID, r.UserID).Scan(ctx, &others)
	if err != nil || others > 0 {
		return others > 0, err
	}
	var confirmed int64
	err = tx.NewRaw(`SELECT COALESCE(SUM(r.amount), 0) FROM payment_notify n JOIN recharge r ON r.id = n.recharge_id
		WHERE n.staff_id = ? AND n.method = ? AND n.outcome IN (?, ?) AND n.created_at > ?`,
		staffID, methodHand, Received, Credited, p.db.Now().Add(-handCounts)).Scan(ctx, &confirmed)
	return confirmed+int64(r.Amount) <= int64(p.settings.Get().StaffCreditLimit), err
}
