package payment

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/wallet"
)

// ByHand is a gateway without a platform that could be asked. Staff says which of its bills were paid.
type ByHand interface {
	// Received returns the payment of a bill that staff says was paid.
	Received(b Bill) Payment
}

// byHandTime is how long a bill waits that staff confirms: a transfer takes days, and somebody has to see it.
const byHandTime = 72 * time.Hour

// payTime returns how long a bill waits at the gateway; 0: as long as the site has it.
func payTime(g Gateway) time.Duration {
	if _, ok := g.(ByHand); ok {
		return byHandTime
	}
	return 0
}

// ErrNotPaid is the fault of confirming what the platform itself, when asked, does not call paid.
var ErrNotPaid = fault.Conflict("not_paid_at_gateway", "支付平台显示这笔充值尚未支付",
	"The payment platform does not call this recharge paid")

// ErrPaidAlready is the fault of saying that a recharge was paid past its platform when it was paid there.
var ErrPaidAlready = fault.Conflict("recharge_paid_already", "这笔充值已经支付；另外收到的款项请用余额调整入账",
	"This recharge was paid already. Book money that came besides as an adjustment of the balance")

// How staff came to a payment. It is stored where a notify has its HTTP method.
const (
	methodHand = "HAND" // a member of staff says that it was paid
	methodAsk  = "ASK"  // a member of staff had the platform asked
)

// Confirmation is a member of staff who confirms a recharge.
type Confirmation struct {
	TradeNo string
	StaffID int64
	Address string // that the member called from
	Act     int64  // the act that the member means, where one on this payment was declined; 0: none is named
	Outside bool   // it was paid past the platform, which is not asked
	Reason  string // for the audit log
}

// received returns the payment of a recharge that staff says was paid.
func (p *Payments) received(m Method, r *wallet.Recharge) Payment {
	bill := p.bill(r)
	if g, ok := m.Gateway.(ByHand); ok {
		return g.Received(bill)
	}
	pay := bill.Unpaid(Paid)
	pay.TransactionID = r.OutsidePayment()
	return pay
}

// AsksPlatform reports whether the gateway has a platform that says which bills were paid, and whether that can give
// payments back.
func (p *Payments) AsksPlatform(gateway string) (asks, refunds bool) {
	m, ok := p.gateways.find(gateway)
	if !ok {
		return false, false
	}
	_, byHand := m.Gateway.(ByHand)
	_, refunds = m.Gateway.(Refunder)
	return !byHand, refunds
}

// ConfirmByHand finishes a recharge for staff and returns it. One that has no platform is credited because the member
// says so: not to their own wallet, and beyond what the member may give alone only once a second one, who may decide
// acts, says the same; until then it returns approval.ErrSecondMember. Once a second one declined it, only a call that
// names the newest act on the payment counts; any other is approval.ErrDeclinedBefore. For a recharge with a platform
// that is asked, and decides, unless the member says that it was paid past it: should the platform report a payment
// later, that is a case of one paid twice. Every call is stored among the notifies with the member who made it.
func (p *Payments) ConfirmByHand(ctx context.Context, c Confirmation) (*wallet.Recharge, error) {
	r, err := p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
	if err != nil {
		return nil, err
	}
	m, err := p.Method(r.Gateway)
	if err != nil {
		return nil, err
	}
	ctx, cancel := detached.WithTimeout(ctx, settleTimeout)
	defer cancel()
	notify := &StoredNotify{
		Gateway: r.Gateway, Method: methodAsk, Header: map[string][]string{}, Body: []byte{}, Address: c.Address,
		Outcome:    Received,
		RechargeID: &r.ID, StaffID: &c.StaffID, CreatedAt: p.db.Now(),
	}
	_, byHand := m.Gateway.(ByHand)
	byHand = byHand || c.Outside
	var record func(ctx context.Context, tx bun.Tx) error
	if byHand { // the act is recorded
		notify.Method = methodHand
	} else {
		record = audit.Recording("payment.ask", audit.ID("recharge", r.ID), nil, map[string]any{"gateway": r.Gateway})
	}
	if err := p.store(ctx, notify, record); err != nil {
		return nil, err
	}
	if byHand {
		if err := p.wallets.MayGain(ctx, p.db, r.UserID); err != nil {
			return nil, cmp.Or(p.refuse(ctx, notify.ID, AccountClosed, r.ID), err)
		}
		pay := p.received(m, r)
		approved := func(ctx context.Context, tx bun.Tx) (bool, error) { return p.isApproved(ctx, tx, r, pay, c) }
		err := p.creditByHand(ctx, r, pay, notify.ID, approved)
		if errors.Is(err, ErrPaidAlready) {
			return nil, cmp.Or(p.refuse(ctx, notify.ID, PaidTwice, r.ID), err)
		}
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
		if err := p.refuse(ctx, notify.ID, NotConfirmed, r.ID); err != nil {
			return nil, err
		}
		return nil, ErrNotPaid
	}
	accepted, err := p.settle(approval.Vouched(ctx), m, pay, notify.ID, true)
	if err == nil && !accepted {
		// the account was closed, a case of the payment waits, or the platform speaks of another amount or currency
		err = cmp.Or(p.wallets.MayGain(ctx, p.db, r.UserID), p.caseWaits(ctx, r, pay), error(ErrNotPaid))
	}
	if err != nil {
		return nil, err
	}
	return p.wallets.RechargeByTradeNo(ctx, c.TradeNo)
}

// caseWaits is ErrCaseEnded where a case is about to settle the payment.
func (p *Payments) caseWaits(ctx context.Context, r *wallet.Recharge, pay Payment) error {
	by, err := p.wallets.PaymentClaim(ctx, r.Payment(pay.TransactionID))
	if err == nil && by.Kind == (&Case{}).Ref().Kind {
		err = ErrCaseEnded
	}
	return err
}

// IsBeingConfirmed reports whether what a member said of the recharge waits for a second one.
func (p *Payments) IsBeingConfirmed(ctx context.Context, rechargeID int64) (bool, error) {
	waiting, err := p.approvals.Waits(ctx, p.db, approval.PaymentByHand, rechargeID)
	return waiting != nil, err
}

// creditByHand credits a recharge that has no platform where counts allows it.
func (p *Payments) creditByHand(ctx context.Context, r *wallet.Recharge, pay Payment, notifyID int64,
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

// isApproved records that the member says it was paid, and reports whether it is to be credited.
func (p *Payments) isApproved(
	ctx context.Context, tx bun.Tx, r *wallet.Recharge, pay Payment, c Confirmation,
) (bool, error) {
	staffID := c.StaffID
	if err := p.approvals.Lock(ctx, tx, &staffID); err != nil {
		return false, err
	}
	unpaid, err := p.wallets.LockUnpaid(ctx, tx, r.ID)
	if err != nil {
		return false, err
	}
	if !unpaid { // nothing is credited again
		paidBy, _, err := wallet.PaidBy(ctx, tx, r.ID)
		if err == nil && c.Outside && paidBy != pay.TransactionID {
			err = ErrPaidAlready
		}
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
			Gives: map[string]any{"recharge": r.TradeNo, "gateway": r.Gateway, "outside": c.Outside}, Reason: c.Reason,
		})
	}
	return p.approveAsSecond(ctx, tx, r.ID, &staffID)
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
	notify := &StoredNotify{
		Gateway: r.Gateway, Method: methodHand, Header: map[string][]string{}, Body: []byte{}, Outcome: Received,
		RechargeID: &r.ID, StaffID: by, CreatedAt: p.db.Now(),
	}
	ctx, cancel := detached.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if err := p.store(ctx, notify, nil); err != nil {
		return err
	}
	return p.creditByHand(ctx, r, p.received(m, r), notify.ID, func(ctx context.Context, tx bun.Tx) (bool, error) {
		return p.approveAsSecond(ctx, tx, rechargeID, by)
	})
}

// approveAsSecond approves, as part of tx, what another member said; not enough where the second member may not.
func (p *Payments) approveAsSecond(
	ctx context.Context, tx bun.Tx, rechargeID int64, by *int64,
) (enough bool, err error) {
	err = p.approvals.Decide(ctx, tx, approval.PaymentByHand, rechargeID, true, by)
	if errors.Is(err, approval.ErrSecondMember) {
		return false, nil
	}
	return err == nil, err
}
