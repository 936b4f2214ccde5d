package payment

import (
	"cmp"
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/wallet"
)

// ByHand is a gateway without a platform that could be asked: what staff says of a bill is all that there is.
type ByHand interface {
	// Received gives the payment of a bill that staff says was paid.
	Received(b Bill) Payment
}

// ErrNotPaid is the fault of confirming what the platform itself, when asked, does not call paid.
var ErrNotPaid = fault.Conflict("not_paid_at_gateway", "支付平台显示这笔充值尚未支付",
	"The payment platform does not call this recharge paid")

// How staff came to a payment: in the place of a notify's method.
const (
	methodHand = "HAND" // said so
	methodAsk  = "ASK"  // had the platform asked
)

// Confirmation is a member of staff who confirms a recharge.
type Confirmation struct {
	TradeNo string
	StaffID int64
	Address string // that the member called from
	Act     int64  // the act that the member means, where one on this payment was declined; 0: none is named
}

// ConfirmByHand finishes a recharge for staff and gives it. One that has no platform is taken at the member's word: not
// for their own wallet, and where it is more than the member may give alone only once a second one says the same, until
// then it is approval.ErrSecondMember. Once a second one declined it, a call counts only where it names the newest act
// on the payment, or is approval.ErrDeclinedBefore. Of any other the platform is asked, and has the last word. Every
// try is kept among the notifies with who it was.
func (p *Payments) ConfirmByHand(ctx context.Context, c Confirmation) (*wallet.Recharge, error) {
	r, err := p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
	if err != nil {
		return nil, err
	}
	m, err := p.Method(r.Gateway)
	if err != nil {
		return nil, err
	}
	ctx, cancel := detached.WithTimeout(ctx, settleWithin)
	defer cancel()
	kept := &Kept{
		Gateway: r.Gateway, Method: methodAsk, Header: map[string][]string{}, Body: []byte{}, Address: c.Address,
		Outcome:    Received,
		RechargeID: &r.ID, StaffID: &c.StaffID, CreatedAt: p.db.Now(),
	}
	g, byHand := m.Gateway.(ByHand)
	if byHand {
		kept.Method = methodHand
	}
	if err := p.keep(ctx, kept); err != nil {
		return nil, err
	}
	if byHand {
		if err := p.wallets.MayGain(ctx, p.db, r.UserID); err != nil {
			return nil, cmp.Or(p.refuse(ctx, kept.ID, AccountClosed, r.ID), err)
		}
		err := p.takeWord(ctx, r, g.Received(p.bill(r)), kept.ID, func(ctx context.Context, tx bun.Tx) (bool, error) {
			return p.wordCounts(ctx, tx, r, c)
		})
		if err != nil {
			return nil, err
		}
		return p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
	}
	pay, err := p.ask(ctx, m, r)
	if err != nil {
		return nil, ErrGatewayDown.Because(err)
	}
	if pay.State != Paid {
		if err := p.refuse(ctx, kept.ID, NotConfirmed, r.ID); err != nil {
			return nil, err
		}
		return nil, ErrNotPaid
	}
	accepted, err := p.settle(approval.Vouched(ctx), m, pay, kept.ID, true)
	if err == nil && !accepted {
		// the account was closed, or the platform speaks of another amount or currency
		err = cmp.Or(p.wallets.MayGain(ctx, p.db, r.UserID), error(ErrNotPaid))
	}
	if err != nil {
		return nil, err
	}
	return p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
}

// takeWord credits a recharge that has no platform where counts says that the word of staff is enough.
func (p *Payments) takeWord(ctx context.Context, r *wallet.Recharge, pay Payment, notifyID int64,
	counts func(ctx context.Context, tx bun.Tx) (bool, error),
) error {
	var refusal error
	_, err := p.creditIf(ctx, r, pay, notifyID, func(ctx context.Context, tx bun.Tx) (bool, error) {
		enough, err := counts(ctx, tx)
		refusal = nil
		if errors.Is(err, approval.ErrDeclinedBefore) {
			refusal = err
			return false, nil
		}
		if err == nil && !enough {
			refusal = approval.ErrSecondMember
		}
		return enough, err
	})
	return cmp.Or(err, refusal)
}

// wordCounts records what the member says of the payment and reports whether it is to be credited.
func (p *Payments) wordCounts(ctx context.Context, tx bun.Tx, r *wallet.Recharge, c Confirmation) (bool, error) {
	staffID := c.StaffID
	if err := p.approvals.Lock(ctx, tx, &staffID); err != nil {
		return false, err
	}
	unpaid, err := p.wallets.LockUnpaid(ctx, tx, r.ID)
	if err != nil || !unpaid { // nothing is credited again
		return true, err
	}
	if err := p.approvals.Named(ctx, tx, approval.PaymentByHand, r.ID, c.Act); err != nil {
		return false, err
	}
	waiting, err := p.approvals.Waits(ctx, tx, approval.PaymentByHand, r.ID)
	if err != nil {
		return false, err
	}
	if waiting == nil {
		return p.approvals.Propose(ctx, tx, approval.Act{
			Kind: approval.PaymentByHand, ReferenceID: r.ID, MadeBy: &staffID, Beneficiary: r.UserID, Worth: r.Amount,
			Gives: map[string]any{"recharge": r.TradeNo, "gateway": r.Gateway},
		})
	}
	return p.secondWord(ctx, tx, r.ID, &staffID)
}

// DecideByHand approves or declines, as a second member of staff, that a recharge without a platform was paid. by is
// nil for the operator.
func (p *Payments) DecideByHand(ctx context.Context, rechargeID int64, approve bool, by *int64) error {
	r, err := p.wallets.RechargeByNo(ctx, p.db, rechargeID)
	if err != nil {
		return err
	}
	waiting, err := p.approvals.Waits(ctx, p.db, approval.PaymentByHand, rechargeID)
	switch {
	case err != nil:
		return err
	case waiting == nil:
		return approval.ErrNotWaiting
	case !approve:
		return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			return p.approvals.Decide(ctx, tx, approval.PaymentByHand, rechargeID, false, by)
		})
	}
	m, err := p.Method(r.Gateway)
	if err != nil {
		return err
	}
	g, ok := m.Gateway.(ByHand)
	if !ok {
		return ErrNotPaid
	}
	kept := &Kept{
		Gateway: r.Gateway, Method: methodHand, Header: map[string][]string{}, Body: []byte{}, Outcome: Received,
		RechargeID: &r.ID, StaffID: by, CreatedAt: p.db.Now(),
	}
	ctx, cancel := detached.WithTimeout(ctx, settleWithin)
	defer cancel()
	if err := p.keep(ctx, kept); err != nil {
		return err
	}
	return p.takeWord(ctx, r, g.Received(p.bill(r)), kept.ID, func(ctx context.Context, tx bun.Tx) (bool, error) {
		return p.secondWord(ctx, tx, rechargeID, by)
	})
}

// secondWord approves, as part of tx, what another member said; not enough where the second member may not.
func (p *Payments) secondWord(ctx context.Context, tx bun.Tx, rechargeID int64, by *int64) (enough bool, err error) {
	err = p.approvals.Decide(ctx, tx, approval.PaymentByHand, rechargeID, true, by)
	if errors.Is(err, approval.ErrSecondMember) {
		return false, nil
	}
	return err == nil, err
}
