package wallet

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/webhook"
)

// Refunded is the reason of a movement by which money goes back to who paid a recharge.
const Refunded Reason = "gateway_refund"

// GatewayRefundState is the state of a refund of a recharge.
type GatewayRefundState string

// The states of a refund of a recharge; the last two are final.
const (
	// the amount is held; the platform, or a second member of staff, has not said yes yet
	GatewayRefundPending GatewayRefundState = "pending"
	GatewayRefundDone    GatewayRefundState = "done"
	GatewayRefundFailed  GatewayRefundState = "failed" // refused or declined; the amount is the user's again
)

// GatewayRefund is a part of a recharge, or all of it, that goes back to who paid.
type GatewayRefund struct {
	bun.BaseModel `bun:"table:gateway_refund"`
	ID            int64  `bun:",pk,autoincrement"`
	No            string // names it at the platform; the same in every call
	RechargeID    int64
	UserID        int64
	Amount        money.Amount // out of the wallet
	Fee           money.Amount // given back in addition to the amount
	PayAmount     money.Amount // both, in the currency of the payment
	ByHand        bool         // staff paid it, not the platform
	Outside       bool         `bun:"-"` // by hand, from elsewhere than the payment is; said when it ends
	Waits         bool         // for a second member of staff; no platform is asked before
	State         GatewayRefundState
	Reason        string // for the user too
	Answer        string // what the platform said last, where that was no yes
	MadeBy        *int64 // member of staff; nil: the operator
	DecidedBy     *int64 // the second member, of one by hand
	Attempts      int64
	NextAt        time.Time
	CreatedAt     time.Time
	EndedAt       *time.Time
}

// Ref is what the refund's hold and movement refer to.
func (g *GatewayRefund) Ref() Reference { return Reference{"gateway_refund", g.ID} }

// Faults of refunds of recharges.
var (
	ErrNoGatewayRefund = fault.NotFound("gateway_refund_not_found", "没有这笔退款", "There is no such refund")
	ErrNotRefundable   = fault.Conflict("recharge_not_refundable", "这笔充值未支付或已全部退回，没有可退的部分",
		"This recharge was not paid or was given back already; nothing of it can be refunded")
	ErrPayerGone = fault.Conflict("payer_closed",
		"付款账号已注销或已并入其他账号，其钱包中没有这笔钱；如果它已并入其他账号，请从那个账号的余额中扣除，再在站外退给付款人",
		"The account that paid was closed or merged into another one, and its wallet does not have the money. Where it "+
			"was merged, take the money out of the other account by an adjustment, and pay it back outside of the site")
	ErrRefundEnded = fault.Conflict("gateway_refund_ended", "这笔退款已处理", "This refund has ended already")
)

// StartGatewayRefund holds in the wallet what is to go back of r, for g with its Amount, ByHand, Reason and MadeBy, and
// keeps it as pending and waiting for a second member of staff. An amount beyond what is left of the recharge is a
// fault of the field "amount", one beyond what is available in the wallet is ErrBalanceTooLow, and ErrPayerGone where
// the account was closed.
//
// The fee went to the gateway, which does not give it back for parts; so the payer gets it back only where all of the
// recharge goes back at once. A part costs in the currency of the payment its share of what was paid, rounded down.
func (w *Wallets) StartGatewayRefund(ctx context.Context, tx bun.Tx, r *Recharge, g *GatewayRefund) error {
	if err := w.LockRecharges(ctx, tx, r.ID); err != nil {
		return err
	}
	available, err := w.Lock(ctx, tx, r.UserID) // other refunds of the recharge wait here
	if err != nil {
		return err
	}
	r, err = w.RechargeByNo(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	if r.State != RechargeDone || r.Remaining() == 0 {
		return ErrNotRefundable
	}
	if remaining := r.Remaining(); g.Amount <= 0 || g.Amount > remaining {
		return fault.Invalid("amount", "range", "退款金额须大于零且不超过这笔充值尚可退的 "+remaining.String(),
			"The amount must be above zero and at most the "+remaining.String()+" that are left of this recharge")
	}
	if g.Amount > available {
		switch err := w.MayGain(ctx, tx, r.UserID); {
		case errors.Is(err, ErrClosed):
			return ErrPayerGone
		case err != nil:
			return err
		}
	}
	g.Fee, g.PayAmount = r.Fee, r.PayAmount
	if g.Amount < r.Amount {
		g.Fee = 0
		if g.PayAmount, err = r.PayAmount.Share(int64(g.Amount), int64(r.Amount+r.Fee)); err != nil {
			return err
		}
	}
	if g.PayAmount == 0 {
		return fault.Invalid("amount", "range", "金额太小，折合支付货币后不足一个最小单位",
			"The amount is too small: it is less than the smallest unit of the currency of the payment")
	}
	g.ID, g.No, g.RechargeID, g.UserID, g.State, g.CreatedAt = 0, rand.Text(), r.ID, r.UserID, GatewayRefundPending,
		w.db.Now()
	g.NextAt, g.Waits = g.CreatedAt, true
	if _, err := tx.NewInsert().Model(g).Exec(ctx); err != nil {
		return db.Error(err)
	}
	return w.Hold(ctx, tx, r.UserID, g.Amount, g.Ref())
}

// Remaining is what may still go back of the recharge, before the wallet is asked: nothing that is on its way or done.
func (r *Recharge) Remaining() money.Amount { return r.Amount - r.Refunded - r.Refunding }

// EndGatewayRefund ends a pending refund and what is held for it: as done it leaves the wallet, and a recharge of which
// nothing is left is refunded; as failed it stays. answer is the platform's, decidedBy the second member of staff. It
// reports whether the refund was pending. A refund is booked on the account that has the payment, unless it is Outside.
func (w *Wallets) EndGatewayRefund(ctx context.Context, tx bun.Tx, g *GatewayRefund, to GatewayRefundState,
	answer string, decidedBy *int64,
) (ended bool, err error) {
	n, err := db.Changed(tx.NewUpdate().Model((*GatewayRefund)(nil)).Set("state = ?", to).Set("answer = ?", answer).
		Set("decided_by = COALESCE(decided_by, ?)", decidedBy).Set("waits = ?", false).Set("ended_at = ?", w.db.Now()).
		Where("id = ? AND state = ?", g.ID, GatewayRefundPending).Exec(ctx))
	if err != nil || n == 0 {
		return false, err
	}
	if err := w.LockRecharges(ctx, tx, g.RechargeID); err != nil {
		return false, err
	}
	if _, err := w.Lock(ctx, tx, g.UserID); err != nil { // so that of two last parts the later one sees the other
		return false, err
	}
	if err := w.EndHold(ctx, tx, g.Ref()); err != nil || to != GatewayRefundDone {
		return true, err
	}
	r, err := w.RechargeByNo(ctx, tx, g.RechargeID)
	if err != nil {
		return false, err
	}
	if r.Refunded == r.Amount {
		if _, err := w.transition(ctx, tx, r.ID, RechargeRefunded, nil); err != nil {
			return false, err
		}
	}
	if err := webhook.Emit(ctx, tx, webhook.Event{Type: webhook.RechargeRefunded, At: w.db.Now(), Data: map[string]any{
		"recharge_no": r.ID, "recharge_id": r.UUID, "user_id": g.UserID, "gateway": r.Gateway, "amount": g.Amount,
		"fee": g.Fee, "currency": r.Currency, "by_hand": g.ByHand,
	}}); err != nil {
		return false, err
	}
	from := Outside
	if !g.Outside {
		if from, err = receivedBy(ctx, tx, r); err != nil {
			return false, err
		}
	}
	entries := []Entry{
		{Account{Kind: UserWallet, UserID: g.UserID}, -g.Amount},
		{Account{Kind: from, Name: r.Gateway}, g.Amount + g.Fee},
	}
	if g.Fee > 0 {
		entries = append(entries, Entry{Account{Kind: Fees}, -g.Fee})
	}
	return true, w.Post(ctx, tx, Refunded, g.Ref(), r.Gateway, entries...)
}

// receivedBy returns which account of its gateway the payment of a recharge was booked on.
func receivedBy(ctx context.Context, tx bun.Tx, r *Recharge) (kind Kind, err error) {
	err = tx.NewRaw(`SELECT a.kind FROM ledger_transaction t JOIN posting p ON p.transaction_id = t.id
		JOIN ledger_account a ON a.id = p.account_id AND a.kind IN (?, ?)
		WHERE t.reference_kind = ? AND t.reference_id = ? AND t.reason = ?`, Clearing, Outside, r.Ref().Kind, r.ID,
		RechargePaid).Scan(ctx, &kind)
	return kind, err
}

// ReleaseGatewayRefund lets the platform be asked for a refund that waits; by is the second member of staff.
func (w *Wallets) ReleaseGatewayRefund(ctx context.Context, tx bun.Tx, g *GatewayRefund, by *int64) error {
	g.Waits, g.DecidedBy, g.NextAt = false, by, w.db.Now()
	n, err := db.Changed(tx.NewUpdate().Model(g).Column("waits", "decided_by", "next_at").WherePK().
		Where("waits AND NOT by_hand").Exec(ctx))
	if err == nil && n == 0 {
		err = ErrRefundEnded
	}
	return err
}

// ClaimGatewayRefunds returns the refund with this id, or with 0 all, that platforms are to be asked for now, and keeps
// others from asking until pause after the number of former tries is over. One whose next try is further ahead than any
// pause was put off while the clock was ahead, and is due. pause must not shrink as the tries grow.
func (w *Wallets) ClaimGatewayRefunds(ctx context.Context, id int64,
	pause func(attempts int64) time.Duration,
) (claimed []GatewayRefund, err error) {
	var due []GatewayRefund
	now := w.db.Now()
	q := w.db.NewSelect().Model(&due).Where("state = ? AND NOT waits", GatewayRefundPending).
		Where("next_at <= ? OR next_at > ?", now, now.Add(pause(math.MaxInt64)+clock.Tolerance)).
		OrderExpr("next_at, id").Limit(1000)
	if id != 0 {
		q.Where("id = ?", id)
	}
	if err := q.Scan(ctx); err != nil || len(due) == 0 {
		return nil, err
	}
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		claimed = nil
		for _, g := range due {
			n, err := db.Changed(tx.NewUpdate().Model((*GatewayRefund)(nil)).Set("attempts = attempts + 1").
				Set("next_at = ?", now.Add(pause(g.Attempts))).
				Where("id = ? AND attempts = ? AND state = ?", g.ID, g.Attempts, GatewayRefundPending).Exec(ctx))
			if err != nil {
				return err
			}
			if n == 1 {
				claimed = append(claimed, g)
			}
		}
		return nil
	})
	return claimed, err
}

// NoteGatewayRefund keeps what the platform said of a refund that stays pending.
func (w *Wallets) NoteGatewayRefund(ctx context.Context, id int64, answer string) error {
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model((*GatewayRefund)(nil)).Set("answer = ?", answer).Where("id = ? AND state = ?",
			id, GatewayRefundPending).Exec(ctx)
		return err
	})
}

// GatewayRefund returns one refund of a recharge.
func (w *Wallets) GatewayRefund(ctx context.Context, id int64) (*GatewayRefund, error) {
	return w.GatewayRefundIn(ctx, w.db, id)
}

// GatewayRefundIn returns one refund of a recharge as idb sees it.
func (w *Wallets) GatewayRefundIn(ctx context.Context, idb bun.IDB, id int64) (*GatewayRefund, error) {
	var found []GatewayRefund
	err := idb.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoGatewayRefund
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// GatewayRefunds returns a part of the refunds of recharges, newest first, and how many there are in all: in one state
// and of one recharge where these are given.
func (w *Wallets) GatewayRefunds(ctx context.Context, state GatewayRefundState, rechargeID, limit,
	offset int64,
) (refunds []GatewayRefund, total int64, err error) {
	q := w.db.NewSelect().Model(&refunds).OrderExpr("id DESC").Limit(limit).Offset(offset)
	if state != "" {
		q.Where("state = ?", state)
	}
	if rechargeID != 0 {
		q.Where("recharge_id = ?", rechargeID)
	}
	total, err = q.ScanAndCount(ctx)
	return refunds, total, err
}

// PendingGatewayRefunds gives the sum of what is on its way back to who paid the user's recharges.
func (w *Wallets) PendingGatewayRefunds(ctx context.Context, idb bun.IDB, userID int64) (money.Amount, error) {
	var sum int64
	err := idb.NewSelect().Model((*GatewayRefund)(nil)).ColumnExpr("CAST(COALESCE(SUM(amount), 0) AS BIGINT)").
		Where("user_id = ? AND state = ?", userID, GatewayRefundPending).Scan(ctx, &sum)
	return money.Amount(sum), err
}

// Returned is what went back to who paid a recharge, with the fee where that was given back too.
type Returned struct {
	Amount    money.Amount
	CreatedAt time.Time // of the last part
}

// Returned gives what went back of these recharges by their numbers; nothing where nothing did.
func (w *Wallets) Returned(ctx context.Context, rechargeIDs ...int64) (map[int64]Returned, error) {
	out := map[int64]Returned{}
	if len(rechargeIDs) == 0 {
		return out, nil
	}
	var done []GatewayRefund
	err := w.db.NewSelect().Model(&done).Where("state = ? AND recharge_id IN (?)", GatewayRefundDone,
		bun.List(rechargeIDs)).OrderExpr("ended_at").Scan(ctx)
	for _, g := range done {
		out[g.RechargeID] = Returned{out[g.RechargeID].Amount + g.Amount + g.Fee, *g.EndedAt}
	}
	return out, err
}
