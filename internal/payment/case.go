package payment

import (
	"context"
	"errors"
	"log/slog"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/assignment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// CaseState is the state of a payment case.
type CaseState string

// The states of a payment case. The last three are final.
const (
	CaseOpen      CaseState = "open"
	CaseWaiting   CaseState = "waiting"   // a member credited it, and a second one has to approve
	CaseRefunding CaseState = "refunding" // the platform has not answered yet
	CaseCredited  CaseState = "credited"
	CaseRefunded  CaseState = "refunded"
	CaseDismissed CaseState = "dismissed"
)

// Case is a payment that a platform vouches for and that was refused, doubled or matches nothing. There is one for each
// payment at a platform, however often its notify comes, and another one where the platform says another amount of it:
// a payment settles one of them.
type Case struct {
	bun.BaseModel `bun:"table:payment_case"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          Reason
	Gateway       string
	TransactionID string
	TradeNo       string       // as the platform names it; not always ours
	Amount        money.Amount // what was paid, in Currency
	Currency      string
	RechargeID    *int64
	UserID        *int64 // whose recharge it is, or to whom it was credited
	State         CaseState
	Credit        money.Amount `bun:",nullzero"` // what the wallet gains, in the site's currency
	Reason        string       // of what staff decided
	DecidedBy     *int64       // member of staff; nil: nobody yet, or the operator
	RefundNo      *string
	Waits         bool   // the refund, for a second member of staff; the platform is not asked before
	Answer        string // what the platform said last to a refund, where that was no yes
	Attempts      int64
	NextAt        time.Time
	CreatedAt     time.Time
	EndedAt       *time.Time
	AssignedTo    *int64 // member of staff who deals with it; nil: nobody
}

// Ref is what the credit of a case refers to.
func (c *Case) Ref() wallet.Reference { return wallet.Reference{Kind: "payment_case", ID: c.ID} }

// Faults of payment cases.
var (
	ErrNoCase    = fault.NotFound("payment_case_not_found", "没有这笔待处理付款", "There is no such payment case")
	ErrCaseEnded = fault.Conflict("payment_case_decided", "这笔付款已处理或正在处理",
		"This payment case was decided already, or is being decided")
	ErrCaseBooked = fault.Conflict("payment_already_booked", "这笔付款已经入账，只能忽略",
		"This payment was booked already; the case can only be dismissed")
	ErrCaseNoRefund = fault.Conflict("payment_case_no_refund", "此支付方式不能退款；请自行退给付款人，再忽略并写明原因",
		"This gateway cannot give money back. Pay it back yourself, then dismiss the case with that as the reason")
	ErrCaseNoMoney = fault.Conflict("payment_case_no_money", "这笔付款的金额不是正数，只能忽略",
		"The amount of this payment is not above zero; the case can only be dismissed")
)

// OnCase has fn called for each new case, in the transaction that opens it.
func (p *Payments) OnCase(fn func(ctx context.Context, tx bun.Tx, c *Case) error) { p.onCase = fn }

// openCase opens a case for the payment as part of tx, unless it has one of this amount, and gives the case's number. r
// is nil where the payment names no recharge of ours.
func (p *Payments) openCase(ctx context.Context, tx bun.Tx, gateway string, pay Payment, why Reason,
	r *wallet.Recharge,
) (int64, error) {
	// Another gateway may have reported the same payment; see wallet.ExternalPayment.
	id, found, err := caseOf(ctx, tx, "transaction_id = ? AND trade_no = ? AND amount = ? AND currency = ?",
		pay.TransactionID, pay.TradeNo, pay.Amount, pay.Currency)
	if err != nil || found {
		return id, err
	}
	now := p.db.Now()
	c := &Case{
		Kind: why, Gateway: gateway, TransactionID: pay.TransactionID, TradeNo: pay.TradeNo, Amount: pay.Amount,
		Currency: pay.Currency,
		State:    CaseOpen, NextAt: now, CreatedAt: now,
	}
	if r != nil {
		c.RechargeID, c.UserID = &r.ID, &r.UserID
	}
	n, err := db.Changed(tx.NewInsert().Model(c).
		On("CONFLICT (gateway, transaction_id, amount, currency) DO NOTHING").Returning("id").Exec(ctx))
	if err != nil {
		return 0, err
	}
	if n == 0 {
		id, _, err := caseOf(ctx, tx, "gateway = ? AND transaction_id = ? AND amount = ? AND currency = ?", gateway,
			pay.TransactionID, pay.Amount, pay.Currency)
		return id, err
	}
	slog.ErrorContext(ctx, "a payment needs a decision by staff", "case", c.ID, "kind", why, "gateway", gateway)
	if p.onCase == nil {
		return c.ID, nil
	}
	return c.ID, p.onCase(ctx, tx, c)
}

// caseOf returns the number of the oldest case that is as where says.
func caseOf(ctx context.Context, tx bun.Tx, where string, values ...any) (id int64, found bool, err error) {
	var ids []int64
	err = tx.NewSelect().Model((*Case)(nil)).Column("id").Where(where, values...).OrderExpr("id").Limit(1).
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, false, err
	}
	return ids[0], true, nil
}

// closeConfirmed dismisses the open cases of a payment that was credited to its recharge after all.
func (p *Payments) closeConfirmed(ctx context.Context, tx bun.Tx, r *wallet.Recharge, transactionID string) error {
	_, err := tx.NewUpdate().Model((*Case)(nil)).Set("state = ?", CaseDismissed).Set("ended_at = ?", p.db.Now()).
		Set("reason = ?", "支付平台随后确认，充值已到账 / The platform confirmed the payment later, and its recharge is paid").
		Where("transaction_id = ? AND (gateway = ? OR trade_no = ?) AND state = ?", transactionID, r.Gateway, r.TradeNo,
			CaseOpen).Exec(ctx)
	return err
}

// CaseFilter says which cases are wanted. Zero values want all.
type CaseFilter struct {
	State         CaseState
	Assigned      assignment.Filter
	Limit, Offset int64
}

// Cases returns a part of the cases that fit, newest first, and how many there are.
func (p *Payments) Cases(ctx context.Context, f CaseFilter) (cases []Case, total int64, err error) {
	q := p.db.NewSelect().Model(&cases).OrderExpr("id DESC").Limit(f.Limit).Offset(f.Offset)
	if f.State != "" {
		q.Where("state = ?", f.State)
	}
	f.Assigned.Narrow(q)
	total, err = q.ScanAndCount(ctx)
	return cases, total, err
}

// CasesOf returns the numbers of the cases about a recharge, the newest first.
func (p *Payments) CasesOf(ctx context.Context, rechargeID int64) ([]int64, error) {
	ids := []int64{}
	err := p.db.NewSelect().Model((*Case)(nil)).Column("id").Where("recharge_id = ?", rechargeID).OrderExpr("id DESC").
		Scan(ctx, &ids)
	return ids, err
}

const maxShownNotifies = 100

// Case returns a case with the newest of the notifies that opened and repeated it, as they came.
func (p *Payments) Case(ctx context.Context, id int64) (*Case, []StoredNotify, error) {
	c, err := caseIn(ctx, p.db, id)
	if err != nil {
		return nil, nil, err
	}
	var notifies []StoredNotify
	err = p.db.NewSelect().Model(&notifies).Where("case_id = ?", id).OrderExpr("id DESC").
		Limit(maxShownNotifies).Scan(ctx)
	return c, notifies, err
}

// Events returns the newest of the notifies of a recharge, as they came.
func (p *Payments) Events(ctx context.Context, rechargeID int64) (notifies []StoredNotify, err error) {
	err = p.db.NewSelect().Model(&notifies).Where("recharge_id = ?", rechargeID).OrderExpr("id DESC").
		Limit(maxShownNotifies).Scan(ctx)
	return notifies, err
}

func caseIn(ctx context.Context, idb bun.IDB, id int64) (*Case, error) {
	var found []Case
	err := idb.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoCase
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// lockCase returns a case that nobody else changes until tx ends.
func lockCase(ctx context.Context, tx bun.Tx, id int64, state CaseState) (*Case, error) {
	n, err := db.Changed(tx.NewUpdate().Model((*Case)(nil)).Set("state = state").Where("id = ? AND state = ?", id,
		state).Exec(ctx))
	if err != nil {
		return nil, err
	}
	c, err := caseIn(ctx, tx, id)
	if err == nil && n == 0 {
		err = ErrCaseEnded
	}
	return c, err
}

// CaseCredit is what staff wants to put into a wallet for a payment.
type CaseCredit struct {
	CaseID  int64
	UserID  int64        // 0: whose recharge the payment was for; another one only where that account was closed
	Amount  money.Amount // in the site's currency; 0: all that was paid
	Reason  string
	StaffID *int64 // nil: the operator
}

// CreditCase puts the payment of an open case into the user's wallet. Beyond what the member may give alone, or into
// the member's own wallet, it waits for a second member. Wrong input is named user_id, amount, reason.
func (p *Payments) CreditCase(ctx context.Context, wish CaseCredit) (*Case, error) {
	if err := checkCaseReason(&wish.Reason); err != nil {
		return nil, err
	}
	id, err := idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		c, err := lockCase(ctx, tx, wish.CaseID, CaseOpen)
		if err != nil {
			return 0, err
		}
		if c.UserID, err = p.creditsTo(ctx, tx, c, wish.UserID); err != nil {
			return 0, err
		}
		err = p.wallets.MayGain(ctx, tx, *c.UserID)
		if errors.Is(err, wallet.ErrClosed) {
			err = errCaseOfClosed
		}
		if err != nil {
			return 0, err
		}
		if c.Credit, err = p.creditOf(ctx, tx, c, wish.Amount); err != nil {
			return 0, err
		}
		if err := p.claim(ctx, tx, c); err != nil {
			return 0, err
		}
		c.State, c.Reason, c.DecidedBy = CaseWaiting, wish.Reason, wish.StaffID
		if _, err := tx.NewUpdate().Model(c).Column("user_id", "credit", "state", "reason", "decided_by").WherePK().
			Exec(ctx); err != nil {
			return 0, err
		}
		alone, err := p.approvals.Propose(ctx, tx, approval.Act{
			Kind: approval.PaymentCase, ReferenceID: c.ID, MadeBy: wish.StaffID, Beneficiary: *c.UserID,
			Worth:  c.Credit,
			Reason: c.Reason, Gives: map[string]any{"user_id": c.UserID, "credit": c.Credit},
		})
		if err == nil && alone {
			err = p.bookCase(ctx, tx, c)
		}
		return c.ID, err
	})
	if err != nil {
		return nil, err
	}
	return caseIn(ctx, p.db, id)
}

// errCaseOfClosed is wallet.ErrClosed with the field that names another user.
var errCaseOfClosed = wallet.ErrClosed.In(fault.Field{Name: "user_id", Code: "closed", Text: fault.Text{
	ZH: "该账号已注销，请指定另一位用户", EN: "This account was closed; please name another user",
}})

// creditsTo returns the user whom the payment belongs to, or the one whom staff names where it belongs to nobody or to
// an account that was closed: its user may have another one.
func (p *Payments) creditsTo(ctx context.Context, tx bun.Tx, c *Case, named int64) (*int64, error) {
	if c.UserID != nil && (named == 0 || named == *c.UserID) {
		return c.UserID, nil
	}
	if named == 0 {
		return nil, fault.Invalid("user_id", "required", "这笔付款没有对应的用户，请指定",
			"This payment belongs to no known user; please name one")
	}
	if c.UserID != nil {
		err := p.wallets.MayGain(ctx, tx, *c.UserID)
		if err == nil {
			err = fault.Invalid("user_id", "mismatch", "这笔付款属于另一位用户", "This payment belongs to another user")
		}
		if !errors.Is(err, wallet.ErrClosed) {
			return nil, err
		}
	}
	known, err := p.wallets.Exists(ctx, tx, named)
	if err == nil && !known {
		err = fault.Invalid("user_id", "unknown", "没有这个用户", "There is no such user")
	}
	return &named, err
}

// creditOf returns what the wallet gains: all that was paid, or the part that staff names.
func (p *Payments) creditOf(ctx context.Context, tx bun.Tx, c *Case, named money.Amount) (money.Amount, error) {
	if c.Amount <= 0 {
		return 0, ErrCaseNoMoney
	}
	paid, err := p.paidOf(ctx, tx, c)
	switch {
	case err != nil:
		return 0, err
	case named == 0 && paid == 0:
		return 0, fault.Invalid("amount", "required", "无法换算成网站货币，请填写入账金额",
			"The payment cannot be converted to the site's currency; please give the amount")
	case named == 0:
		return paid, nil
	case named < 0 || (paid != 0 && named > paid) || named > maxCaseCredit:
		return 0, fault.Invalid("amount", "range", "入账金额须大于零且不超过实际付款",
			"The amount must be above zero and at most what was paid")
	}
	return named, nil
}

const maxCaseCredit = money.Amount(1_000_000_00) // as an adjustment

// paidOf returns what was paid in the site's currency, rounded down; 0 where that is not known.
func (p *Payments) paidOf(ctx context.Context, tx bun.Tx, c *Case) (money.Amount, error) {
	if c.Currency == p.settings.Get().Currency {
		return c.Amount, nil
	}
	if c.RechargeID == nil {
		return 0, nil
	}
	r, err := p.wallets.RechargeByNo(ctx, tx, *c.RechargeID)
	if err != nil || c.Currency != r.PayCurrency || r.PayAmount <= 0 {
		return 0, err
	}
	hi, lo := bits.Mul64(uint64(r.Amount+r.Fee), uint64(c.Amount))
	if hi >= uint64(r.PayAmount) {
		return 0, nil
	}
	paid, _ := bits.Div64(hi, lo, uint64(r.PayAmount))
	if paid > uint64(maxCaseCredit) {
		return 0, nil
	}
	return money.Amount(paid), nil
}

// claim records that the case settles the payment, so that nothing else is booked for it.
func (p *Payments) claim(ctx context.Context, tx bun.Tx, c *Case) error {
	err := p.wallets.ClaimPayment(ctx, tx, wallet.ExternalPayment{
		Gateway: c.Gateway, TransactionID: c.TransactionID, TradeNo: c.TradeNo,
	}, c.Ref())
	if errors.Is(err, wallet.ErrTransactionUsed) {
		err = ErrCaseBooked
	}
	return err
}

// bookCase posts the credit of a case that is approved. A recharge that still waits for that payment ends.
func (p *Payments) bookCase(ctx context.Context, tx bun.Tx, c *Case) error {
	if c.RechargeID != nil {
		if err := p.wallets.ExpireRecharge(ctx, tx, *c.RechargeID); err != nil {
			return err
		}
	}
	c.State, c.EndedAt = CaseCredited, new(p.db.Now())
	if _, err := tx.NewUpdate().Model(c).Column("state", "ended_at").WherePK().Exec(ctx); err != nil {
		return err
	}
	return p.wallets.Post(ctx, tx, wallet.CaseCredited, c.Ref(), c.Gateway,
		wallet.Entry{Account: wallet.Account{Kind: wallet.Clearing, Name: c.Gateway}, Amount: -c.Credit},
		wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: *c.UserID}, Amount: c.Credit})
}

// DecideCase approves or declines, as a second member of staff, the credit or the refund of a case that waits. A
// declined one is open again. by is nil for the operator.
func (p *Payments) DecideCase(ctx context.Context, id int64, approve bool, by *int64) (*Case, error) {
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c, err := caseIn(ctx, tx, id)
		if err != nil {
			return err
		}
		kind, state, carryOut := approval.PaymentCase, CaseWaiting, p.bookCase
		if c.Waits {
			kind, state, carryOut = approval.CaseRefund, CaseRefunding, p.releaseCase
		}
		if c, err = lockCase(ctx, tx, id, state); err != nil {
			return err
		}
		if err := p.approvals.Decide(ctx, tx, kind, id, approve, by); err != nil {
			return err
		}
		if approve {
			return carryOut(ctx, tx, c)
		}
		return p.reopen(ctx, tx, c, "")
	})
	if err != nil {
		return nil, err
	}
	asking, cancel := detached.WithTimeout(db.Unguarded(ctx), settleTimeout)
	defer cancel()
	if err := p.retryCases(asking, id); err != nil {
		slog.ErrorContext(ctx, "a refund of a payment case could not be asked for; it is tried again", "case", id,
			"error", err)
	}
	return caseIn(ctx, p.db, id)
}

// reopen opens the case again after a decision that had no effect.
func (p *Payments) reopen(ctx context.Context, tx bun.Tx, c *Case, answer string) error {
	if err := p.wallets.ReleasePayment(ctx, tx, c.Ref()); err != nil {
		return err
	}
	c.State, c.Credit, c.Reason, c.DecidedBy, c.RefundNo, c.Waits, c.Answer, c.UserID = CaseOpen, 0, "", nil, nil,
		false, answer, nil
	if c.RechargeID != nil {
		r, err := p.wallets.RechargeByNo(ctx, tx, *c.RechargeID)
		if err != nil {
			return err
		}
		c.UserID = &r.UserID
	}
	_, err := tx.NewUpdate().Model(c).Column("state", "credit", "reason", "decided_by", "refund_no", "waits", "answer",
		"user_id").WherePK().Exec(ctx)
	return err
}

// DismissCase ends an open case without moving money: it was a test, or was paid back past the platform.
func (p *Payments) DismissCase(ctx context.Context, id int64, reason string, by *int64) (*Case, error) {
	if err := checkCaseReason(&reason); err != nil {
		return nil, err
	}
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c, err := lockCase(ctx, tx, id, CaseOpen)
		if err != nil {
			return err
		}
		c.State, c.Reason, c.DecidedBy, c.EndedAt = CaseDismissed, reason, by, new(p.db.Now())
		if _, err = tx.NewUpdate().Model(c).Column("state", "reason", "decided_by", "ended_at").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "payment.case.decide", audit.ID("payment_case", id),
			map[string]any{"state": CaseOpen}, map[string]any{"state": CaseDismissed}, reason)
	})
	if err != nil {
		return nil, err
	}
	return caseIn(ctx, p.db, id)
}

func checkCaseReason(reason *string) error {
	*reason = strings.TrimSpace(*reason)
	if n := len([]rune(*reason)); n == 0 || n > 200 || slices.Contains([]byte(*reason), 0) {
		return fault.Invalid("reason", "length", "须为 1 到 200 个字符", "This must have 1 to 200 characters")
	}
	return nil
}

// CasesNumbered returns the cases of payments at a gateway that have one of these numbers of the gateway's. A payment
// of which the gateway said several amounts has several.
func (p *Payments) CasesNumbered(ctx context.Context, gateway string, transactionIDs []string) (cases []Case,
	err error,
) {
	for some := range slices.Chunk(transactionIDs, 500) {
		var part []Case
		if err := p.db.NewSelect().Model(&part).Where("gateway = ? AND transaction_id IN (?)", gateway, bun.List(some)).
			OrderExpr("id").Scan(ctx); err != nil {
			return nil, err
		}
		cases = append(cases, part...)
	}
	return cases, nil
}
