package payment

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/detached"
	"airstrip/internal/wallet"
)

// Outcome is what became of a notify.
type Outcome string

// The outcomes.
const (
	Received Outcome = "received" // and not acted on, because something of ours failed; the gateway will repeat it
	Credited Outcome = "credited"
	Repeated Outcome = "repeated" // of a payment that was credited before
	Noted    Outcome = "noted"    // it speaks of no money
	Refused  Outcome = "refused"
)

// Reason says why a notify was refused.
type Reason string

// The reasons for a refusal.
const (
	BadSignature    Reason = "bad_signature"
	WrongMerchant   Reason = "wrong_merchant"
	Unreadable      Reason = "unreadable"
	UnknownNumber   Reason = "unknown_number"
	WrongGateway    Reason = "wrong_gateway"
	WrongAmount     Reason = "wrong_amount"
	WrongCurrency   Reason = "wrong_currency"
	NotConfirmed    Reason = "not_confirmed"    // the gateway, when asked, says otherwise
	PaidTwice       Reason = "paid_twice"       // another payment for a recharge that is paid: money to give back
	TransactionUsed Reason = "transaction_used" // this payment paid for another recharge
	AccountClosed   Reason = "account_closed"   // the account that recharged was closed before the payment came
	SecondMember    Reason = "second_member"    // one member of staff said it was paid; another has to say so too
)

// StoredNotify is a notify as it was received; it is stored before it is acted on.
type StoredNotify struct {
	bun.BaseModel `bun:"table:payment_notify"`
	ID            int64 `bun:",pk,autoincrement"`
	Gateway       string
	Method        string
	Query         string
	Header        map[string][]string `bun:"type:jsonb"`
	Body          []byte
	Address       string
	Outcome       Outcome
	Reason        Reason // of a refusal
	RechargeID    *int64
	StaffID       *int64 // who confirmed the payment by hand; then nothing came from the gateway
	CaseID        *int64 // that staff decides
	CreatedAt     time.Time
}

// Notify handles a request that claims to come from the gateway called name. It is stored as it is, verified, compared
// with the recharge and with what the gateway says when asked, and acted on once however often it comes. The answer is
// for the gateway; an error means that nothing is known yet and that the gateway should send the notify again.
func (p *Payments) Notify(ctx context.Context, name string, n Notify) (Answer, error) {
	m, err := p.Method(name)
	if err != nil {
		return Answer{}, err
	}
	g := m.Gateway
	ctx, cancel := detached.WithTimeout(ctx, settleTimeout) // a sender that hangs up does not undo what it said
	defer cancel()
	header := map[string][]string{}
	for k, v := range n.Header {
		if k != "Cookie" && k != "Authorization" {
			header[k] = v
		}
	}
	query := strings.ToValidUTF8(n.Query, "\uFFFD") // what is no text cannot be kept as text
	notify := &StoredNotify{
		Gateway: name, Method: n.Method, Query: query, Header: header, Body: append([]byte{}, n.Body...),
		Address: n.Address, Outcome: Received, CreatedAt: p.db.Now(),
	}
	if err := p.store(ctx, notify, nil); err != nil {
		return Answer{}, err
	}
	pay, err := g.Read(ctx, n)
	switch {
	case errors.Is(err, ErrSignature):
		return g.Answer(false), p.refuse(ctx, notify.ID, BadSignature, 0)
	case errors.Is(err, ErrMerchant):
		return g.Answer(false), p.refuse(ctx, notify.ID, WrongMerchant, 0)
	case errors.Is(err, ErrNoPayment):
		return g.Answer(true), p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			return note(ctx, tx, notify.ID,
				Noted, "", 0)
		})
	case errors.Is(err, ErrUnreadable):
		return g.Answer(false), p.refuse(ctx, notify.ID, Unreadable, 0)
	case err != nil: // what Read needed from the platform could not be had
		return Answer{}, ErrGatewayDown.Because(err)
	}
	accepted, err := p.settle(ctx, m, pay, notify.ID, false)
	return g.Answer(accepted), err
}

func (p *Payments) store(ctx context.Context, notify *StoredNotify,
	record func(ctx context.Context, tx bun.Tx) error,
) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		notify.ID = 0
		_, err := tx.NewInsert().Model(notify).Exec(ctx)
		if err == nil && record != nil {
			err = record(ctx, tx)
		}
		return err
	})
}

// settle acts on what a verified notify says of a payment, or the gateway itself, where it was asked. notifyID is 0
// where there is no notify.
func (p *Payments) settle(ctx context.Context, m Method, pay Payment, notifyID int64, asked bool) (accepted bool,
	err error,
) {
	r, err := p.wallets.RechargeByTradeNo(ctx, pay.TradeNo)
	switch {
	case errors.Is(err, wallet.ErrNoRecharge):
		return false, p.refusePayment(ctx, m.Name, pay, notifyID, UnknownNumber, nil)
	case err != nil:
		return false, err
	case r.Gateway != m.Name:
		return p.settleElsewhere(ctx, m, r, pay, notifyID)
	case r.PayAmount != pay.Amount:
		return false, p.refusePayment(ctx, m.Name, pay, notifyID, WrongAmount, r)
	case r.PayCurrency != pay.Currency:
		return false, p.refusePayment(ctx, m.Name, pay, notifyID, WrongCurrency, r)
	case pay.State == Failed:
		return true, p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			if err := p.wallets.FailRecharge(ctx, tx, r.ID); err != nil {
				return err
			}
			return note(ctx, tx, notifyID, Noted, "", r.ID)
		})
	case pay.State != Paid:
		return true, p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			return note(ctx, tx, notifyID, Noted, "",
				r.ID)
		})
	case pay.TransactionID == "" || pay.TransactionID == r.OutsidePayment(): // no platform may call a payment that
		return false, p.refuse(ctx, notifyID, Unreadable, r.ID)
	}
	if !asked && r.TransactionID == nil {
		said, err := p.ask(ctx, m, r)
		if err != nil {
			return false, ErrGatewayDown.Because(err)
		}
		if said != pay {
			return false, p.refusePayment(ctx, m.Name, pay, notifyID, NotConfirmed, r)
		}
	}
	return p.credit(ctx, r, pay, notifyID)
}

// settleElsewhere acts on what a verified notify says of a recharge that belongs to another gateway than m. Both may be
// accounts with one merchant, so the recharge's own gateway is asked: what that confirms is settled as its payment, and
// anything else is refused. Where it cannot be asked the notify is to come again besides.
func (p *Payments) settleElsewhere(ctx context.Context, m Method, r *wallet.Recharge, pay Payment, notifyID int64,
) (accepted bool, err error) {
	own, found := p.gateways.find(r.Gateway)
	isOwn := found && r.TransactionID != nil && *r.TransactionID == pay.TransactionID
	var unasked error
	if _, byHand := own.Gateway.(ByHand); found && !byHand && pay.State == Paid && r.TransactionID == nil {
		said, err := p.ask(ctx, own, r)
		if err != nil {
			unasked = ErrGatewayDown.Because(err)
		}
		isOwn = err == nil && said == pay
	}
	if isOwn {
		return p.settle(ctx, own, pay, notifyID, true)
	}
	return false, cmp.Or(p.refusePayment(ctx, m.Name, pay, notifyID, WrongGateway, r), unasked)
}

// credit books the payment and completes the order that waited for it, in one transaction. Where the order cannot be
// completed the money is credited all the same, and the order gives back what it holds when its time is over. For an
// account that was closed meanwhile staff decides on the payment.
func (p *Payments) credit(ctx context.Context, r *wallet.Recharge, pay Payment, notifyID int64) (accepted bool,
	err error,
) {
	accepted, err = p.creditIf(ctx, r, pay, notifyID, func(context.Context, bun.Tx) (bool, error) { return true, nil })
	if errors.Is(err, wallet.ErrClosed) {
		return false, p.refusePayment(ctx, r.Gateway, pay, notifyID, AccountClosed, r)
	}
	return accepted, err
}

// creditIf is credit where may, which is asked as part of the same transaction, allows it. Otherwise what may did is
// kept, and the notify is refused until a second member of staff, who may decide acts, says the same.
func (p *Payments) creditIf(ctx context.Context, r *wallet.Recharge, pay Payment, notifyID int64,
	may func(ctx context.Context, tx bun.Tx) (bool, error),
) (accepted bool, err error) {
	order, err := p.shop.OrderOf(ctx, r.ID)
	if err != nil {
		return false, err
	}
	var outcome Outcome
	var reason Reason
	book := func(complete bool) error {
		return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			allowed, err := may(ctx, tx)
			if err != nil {
				return err
			}
			if !allowed {
				outcome, reason = Refused, SecondMember
				return note(ctx, tx, notifyID, outcome, reason, r.ID)
			}
			if complete {
				if err := p.shop.LockCompletion(ctx, tx, order); err != nil {
					return err
				}
			}
			credited, err := p.wallets.Credit(ctx, tx, r, pay.TransactionID)
			if err != nil {
				return err
			}
			outcome, reason = Credited, ""
			if credited {
				if err := p.closeConfirmed(ctx, tx, r, pay.TransactionID); err != nil {
					return err
				}
			}
			if credited && complete {
				if _, err := p.shop.Complete(ctx, tx, order); err != nil {
					return err
				}
			}
			if !credited {
				if outcome, reason, err = p.settledAs(ctx, tx, r.ID, pay.TransactionID); err != nil {
					return err
				}
			}
			if reason == PaidTwice {
				id, err := p.openCase(ctx, tx, r.Gateway, pay, reason, r)
				if err != nil {
					return err
				}
				if err := noteCase(ctx, tx, notifyID, id); err != nil {
					return err
				}
			}
			return note(ctx, tx, notifyID, outcome, reason, r.ID)
		})
	}
	err = book(order != nil)
	if err != nil && order != nil && !errors.Is(err, wallet.ErrTransactionUsed) && !errors.Is(err, wallet.ErrClosed) &&
		!errors.Is(err, ErrPaidAlready) {
		slog.ErrorContext(ctx, "a paid order could not be completed; its recharge is credited alone", "order", order.ID,
			"error", err)
		err = book(false)
	}
	if errors.Is(err, wallet.ErrTransactionUsed) {
		return p.answerSettled(ctx, r, pay, notifyID)
	}
	if err != nil {
		return false, err
	}
	if outcome == Credited {
		slog.InfoContext(ctx, "a recharge was paid", "recharge", r.ID, "gateway", r.Gateway, "amount",
			r.Amount.String())
	}
	return true, nil
}

// settledAs tells a repeated notify from a second payment for the same recharge.
func (p *Payments) settledAs(ctx context.Context, tx bun.Tx, rechargeID int64, transactionID string) (Outcome, Reason,
	error,
) {
	paidBy, found, err := wallet.PaidBy(ctx, tx, rechargeID)
	if err == nil && found && paidBy != transactionID {
		return Refused, PaidTwice, nil
	}
	return Repeated, "", err
}

// answerSettled answers the notify of a payment that is booked already: with yes where a case settled it, with no while
// staff decides on that case, so that the platform repeats itself, and otherwise, since it paid for another recharge,
// with a case. Where the case that settled it was of another amount, the answer is yes, and there is another case.
func (p *Payments) answerSettled(ctx context.Context, r *wallet.Recharge, pay Payment, notifyID int64) (accepted bool,
	err error,
) {
	by, err := p.wallets.PaymentClaim(ctx, r.Payment(pay.TransactionID))
	if err != nil {
		return false, err
	}
	if by.Kind != (&Case{}).Ref().Kind {
		return false, p.refusePayment(ctx, r.Gateway, pay, notifyID, TransactionUsed, r)
	}
	c, err := caseIn(ctx, p.db, by.ID)
	if err != nil {
		return false, err
	}
	accepted = c.EndedAt != nil
	if accepted && (c.Amount != pay.Amount || c.Currency != pay.Currency) {
		err := p.refusePayment(ctx, r.Gateway, pay, notifyID, TransactionUsed, r)
		return err == nil, err
	}
	err = p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := noteCase(ctx, tx, notifyID, c.ID); err != nil {
			return err
		}
		if accepted {
			return note(ctx, tx, notifyID, Repeated, "", r.ID)
		}
		return note(ctx, tx, notifyID, Refused, c.Kind, r.ID)
	})
	return accepted && err == nil, err
}

// refusePayment refuses what a verified notify says, or the gateway itself. Money that was really paid gets a case in
// the same transaction. r is nil where the payment names no recharge of ours.
func (p *Payments) refusePayment(ctx context.Context, gateway string, pay Payment, notifyID int64, why Reason,
	r *wallet.Recharge,
) error {
	var rechargeID int64
	if r != nil {
		rechargeID = r.ID
	}
	if pay.State != Paid || pay.TransactionID == "" {
		return p.refuse(ctx, notifyID, why, rechargeID)
	}
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		id, err := p.openCase(ctx, tx, gateway, pay, why, r)
		if err != nil {
			return err
		}
		if err := noteCase(ctx, tx, notifyID, id); err != nil {
			return err
		}
		return note(ctx, tx, notifyID, Refused, why, rechargeID)
	})
}

// noteCase notes the case that a notify opened or repeated.
func noteCase(ctx context.Context, tx bun.Tx, notifyID, caseID int64) error {
	if notifyID == 0 {
		return nil
	}
	_, err := tx.NewUpdate().Model((*StoredNotify)(nil)).Set("case_id = ?", caseID).Where("id = ?", notifyID).Exec(ctx)
	return err
}

func (p *Payments) refuse(ctx context.Context, notifyID int64, why Reason, rechargeID int64) error {
	slog.WarnContext(ctx, "a payment notify was refused", "notify", notifyID, "reason", why, "recharge", rechargeID)
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return note(ctx, tx, notifyID, Refused, why,
			rechargeID)
	})
}

func note(ctx context.Context, tx bun.Tx, notifyID int64, outcome Outcome, why Reason, rechargeID int64) error {
	if notifyID == 0 {
		return nil
	}
	q := tx.NewUpdate().Model((*StoredNotify)(nil)).Set("outcome = ?", outcome).Set("reason = ?", why).
		Where("id = ?", notifyID)
	if rechargeID != 0 {
		q.Set("recharge_id = ?", rechargeID)
	}
	_, err := q.Exec(ctx)
	return err
}

// Refusals returns a part of the refused notifies, newest first, for staff.
func (p *Payments) Refusals(
	ctx context.Context, limit, offset int64,
) (notifies []StoredNotify, total int64, err error) {
	total, err = p.db.NewSelect().Model(&notifies).Where("outcome = ?", Refused).OrderExpr("id DESC").Limit(limit).
		Offset(offset).ScanAndCount(ctx)
	return notifies, total, err
}

const refusalRetention = 180 * 24 * time.Hour

// forget removes old refusals that speak of no recharge of ours and of no case, since anybody can make those.
func (p *Payments) forget(ctx context.Context) error {
	return p.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*StoredNotify)(nil)).
			Where("outcome = ? AND recharge_id IS NULL AND case_id IS NULL AND created_at < ?", Refused, p.db.Now().
				Add(-refusalRetention)).Exec(ctx)
		return err
	})
}
