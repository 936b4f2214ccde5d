package invite

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/assignment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// PayoutState is where a payout stands.
type PayoutState string

// The states of a payout. The amount is held while it is open or waiting; the other states are final.
const (
	PayoutOpen      PayoutState = "open"    // staff is to pay or refuse it
	PayoutWaiting   PayoutState = "waiting" // a member of staff wants to pay it, a second one is to approve that
	PayoutPaid      PayoutState = "paid"
	PayoutRefused   PayoutState = "refused"
	PayoutWithdrawn PayoutState = "withdrawn" // by its user
)

// PayoutMethods are the ways in which commission is paid out.
var PayoutMethods = []string{"alipay", "wechat", "bank", "usdt", "other"}

const maxPayoutAccount = 300 // characters

// Payout is commission that a user wants paid outside of the site.
type Payout struct {
	bun.BaseModel `bun:"table:commission_payout"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Amount        money.Amount
	Method        string
	Sealed        []byte `bun:"account"`
	Account       string `bun:"-"` // where it is paid to; empty once the user's account was closed
	State         PayoutState
	Answer        string // of staff, for the user
	MadeBy        *int64 // member of staff who paid or refused it last
	DecidedBy     *int64 // the second member
	CreatedAt     time.Time
	EndedAt       *time.Time
	AssignedTo    *int64 // member of staff who deals with it; nil: nobody
}

// Ref is what the hold and the movement of a payout refer to.
func (p *Payout) Ref() wallet.Reference { return wallet.Reference{Kind: wallet.PayoutHold, ID: p.ID} }

// pending reports whether the amount is still held.
func (p *Payout) pending() bool { return p.State == PayoutOpen || p.State == PayoutWaiting }

// Faults of payouts.
var (
	ErrNoPayout    = fault.NotFound("payout_not_found", "没有这笔提现申请", "There is no such payout request")
	ErrPayoutEnded = fault.Conflict("payout_ended", "这笔提现申请已处理",
		"This payout request was dealt with already")
	// ErrPayoutWaiting is the fault of a payout that staff may have paid already: it waits for a second member.
	ErrPayoutWaiting = fault.Conflict("payout_waiting", "这笔提现申请正在付款审批中，暂时不能更改",
		"The payment of this payout request is being approved; it cannot be changed until that is decided")
	ErrPayoutOpen = fault.Conflict("payout_open", "已有一笔提现申请在处理，请等它处理完",
		"A payout request is being dealt with already; please wait for it")
	ErrNoPayouts = fault.Forbidden("payouts_off", "本站不支持提现，可转入钱包使用",
		"Nothing is paid out on this site; commission can be moved into the wallet")
)

// UseKey seals the accounts that payouts go to with key. It must be called before any payout is asked for.
func (i *Invites) UseKey(key seal.Key) { i.accounts = key.RowCipher(payoutPurpose) }

const payoutPurpose = "commission payout"

// AskPayout asks staff to pay released commission to an account outside of the site, and holds the amount until then.
// Wrong input is named amount, method, account.
func (i *Invites) AskPayout(ctx context.Context, userID int64, amount money.Amount, method, account string) (*Payout,
	error,
) {
	least := i.settings.Get().PayoutMin
	if least == 0 {
		return nil, ErrNoPayouts
	}
	account = strings.TrimSpace(account)
	var wrong fault.Problems
	wrong.When(amount < least, "amount", "range", "提现金额至少为 "+least.String(),
		"The amount is at least "+least.String())
	wrong.When(account == "" || utf8.RuneCountInString(account) > maxPayoutAccount || !text.IsStorable(account) ||
		!text.IsVisible(account), "account", "length", "请填写 1 到 300 个字符的收款账号",
		"Please give the account to pay to, in 1 to 300 characters")
	wrong.When(!slices.Contains(PayoutMethods, method), "method", "choice", "不支持该收款方式",
		"This way to be paid is not supported")
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	id, err := idempotency.Tx(ctx, i.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		if _, err := i.wallets.LockCommission(ctx, tx, userID); err != nil {
			return 0, err
		}
		open, err := i.pendingPayout(ctx, tx, userID)
		if err == nil && open != nil {
			err = ErrPayoutOpen
		}
		if err == nil {
			err = i.wallets.MayGain(ctx, tx, userID) // after the closing of the account nothing is held any more
		}
		if err != nil {
			return 0, err
		}
		p := &Payout{UserID: userID, Amount: amount, Method: method, State: PayoutOpen, CreatedAt: i.db.Now()}
		if _, err := tx.NewInsert().Model(p).Exec(ctx); err != nil {
			return 0, db.Error(err)
		}
		p.Sealed = i.accounts.Seal(p.ID, []byte(account))
		if _, err := tx.NewUpdate().Model(p).Column("account").WherePK().Exec(ctx); err != nil {
			return 0, err
		}
		err = i.wallets.HoldCommission(ctx, tx, userID, amount, p.Ref())
		if errors.Is(err, wallet.ErrBalanceTooLow) {
			err = ErrTooLittle
		}
		return p.ID, err
	})
	if err != nil {
		return nil, err
	}
	return i.payout(ctx, i.db, id)
}

// WithdrawPayout ends a request that its user no longer wants; what is held is free again.
func (i *Invites) WithdrawPayout(ctx context.Context, userID, id int64) error {
	return i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		p, err := i.lockPayout(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case p.UserID != userID:
			return ErrNoPayout
		case p.State == PayoutWaiting: // it may be paid outside already
			return ErrPayoutWaiting
		case p.State != PayoutOpen:
			return ErrPayoutEnded
		}
		return i.endPayout(ctx, tx, p, PayoutWithdrawn, "", nil)
	})
}

// PayPayout notes that a member of staff has paid, or is about to pay, the payout outside of the site. What is worth
// more than the member may give alone on a day, or is the member's own, waits for a second one:
// approval.ErrSecondMember. by is nil for the operator.
func (i *Invites) PayPayout(ctx context.Context, id int64, answer string, by *int64) error {
	paid, err := idempotency.Tx(ctx, i.db, func(ctx context.Context, tx bun.Tx) (bool, error) {
		if err := i.approvals.Lock(ctx, tx, by); err != nil {
			return false, err
		}
		p, err := i.lockPayout(ctx, tx, id)
		if err != nil {
			return false, err
		}
		switch p.State {
		case PayoutOpen:
		case PayoutWaiting:
			return false, ErrPayoutWaiting
		default:
			return false, ErrPayoutEnded
		}
		alone, err := i.approvals.Propose(ctx, tx, approval.Act{
			Kind: approval.CommissionPayout, ReferenceID: p.ID, MadeBy: by, Beneficiary: p.UserID, Worth: p.Amount,
			Reason: answer, Gives: map[string]any{"user_id": p.UserID, "amount": p.Amount, "method": p.Method},
		})
		if err != nil {
			return false, err
		}
		p.MadeBy = by
		if alone {
			return true, i.settlePayout(ctx, tx, p, answer)
		}
		p.State, p.Answer = PayoutWaiting, answer
		_, err = tx.NewUpdate().Model(p).Column("state", "answer", "made_by").WherePK().Exec(ctx)
		return false, err
	})
	if err == nil && !paid {
		err = approval.ErrSecondMember
	}
	return err
}

// DecidePayout pays, as a second member of staff, a payout that waits, or leaves it open. by is nil for the operator.
func (i *Invites) DecidePayout(ctx context.Context, id int64, approve bool, by *int64) error {
	return i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		p, err := i.lockPayout(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := i.approvals.Decide(ctx, tx, approval.CommissionPayout, id, approve, by); err != nil {
			return err
		}
		if approve {
			p.DecidedBy = by
			return i.settlePayout(ctx, tx, p, p.Answer)
		}
		_, err = tx.NewUpdate().Model(p).Set("state = ?", PayoutOpen).Set("answer = ''").Set("made_by = NULL").
			WherePK().Exec(ctx)
		return err
	})
}

// RefusePayout ends a payout that staff does not pay, and tells its user why; what is held is free again.
func (i *Invites) RefusePayout(ctx context.Context, id int64, answer string, by *int64) error {
	return i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		p, err := i.lockPayout(ctx, tx, id)
		if err != nil {
			return err
		}
		if !p.pending() {
			return ErrPayoutEnded
		}
		before := map[string]any{"state": p.State}
		if err := i.endPayout(ctx, tx, p, PayoutRefused, answer, by); err != nil {
			return err
		}
		return audit.Record(ctx, tx, string(permission.CommissionPay)+".refuse", audit.ID("commission_payout", id),
			before, map[string]any{"state": p.State}, answer)
	})
}

// OnDecision has fn told of each payout that was paid or refused, by staff or because commission was taken back, in
// its transaction. It must be called before the server starts.
func (i *Invites) OnDecision(fn func(ctx context.Context, tx bun.Tx, p *Payout) error) {
	i.onDecision = append(i.onDecision, fn)
}

func (i *Invites) decided(ctx context.Context, tx bun.Tx, p *Payout) error {
	for _, fn := range i.onDecision {
		if err := fn(ctx, tx, p); err != nil {
			return err
		}
	}
	return nil
}

// settlePayout ends a payout as paid: the money leaves the commission account and the site.
func (i *Invites) settlePayout(ctx context.Context, tx bun.Tx, p *Payout, answer string) error {
	if err := i.finishPayout(ctx, tx, p, PayoutPaid, answer); err != nil {
		return err
	}
	return i.wallets.Post(ctx, tx, wallet.CommissionPaid, p.Ref(), p.Method,
		wallet.Entry{Account: wallet.Account{Kind: wallet.UserCommission, UserID: p.UserID}, Amount: -p.Amount},
		wallet.Entry{Account: wallet.Account{Kind: wallet.Bank}, Amount: p.Amount})
}

// endPayout ends a pending payout without paying it, and the act that waits for it.
func (i *Invites) endPayout(ctx context.Context, tx bun.Tx, p *Payout, to PayoutState, answer string,
	by *int64,
) error {
	if p.State == PayoutWaiting {
		if err := i.approvals.Drop(ctx, tx, approval.CommissionPayout, p.ID, by); err != nil {
			return err
		}
	}
	p.MadeBy = by
	return i.finishPayout(ctx, tx, p, to, answer)
}

// finishPayout writes a final state and frees what is held. Whatever ended the payout, its user is told, unless they
// ended it themselves.
func (i *Invites) finishPayout(ctx context.Context, tx bun.Tx, p *Payout, to PayoutState, answer string) error {
	p.State, p.Answer, p.EndedAt = to, answer, new(i.db.Now())
	if _, err := tx.NewUpdate().Model(p).Column("state", "answer", "made_by", "decided_by", "ended_at").WherePK().
		Exec(ctx); err != nil {
		return db.Error(err)
	}
	if err := i.wallets.EndHold(ctx, tx, p.Ref()); err != nil || to == PayoutWithdrawn {
		return err
	}
	return i.decided(ctx, tx, p)
}

// freePayout refuses the user's pending payout, where there is one, because commission that it counts on is taken back,
// and returns what is free by that. The caller has locked the user's commission account.
func (i *Invites) freePayout(ctx context.Context, tx bun.Tx, userID int64) (money.Amount, error) {
	p, err := i.pendingPayout(ctx, tx, userID)
	if err != nil || p == nil {
		return 0, err
	}
	return p.Amount, i.endPayout(ctx, tx, p, PayoutRefused, answerReclaimed, nil)
}

const answerReclaimed = "有返佣因订单退款被收回，请按剩余金额重新申请 / Commission was taken back since an order was refunded; " +
	"please ask again for what is left"

// lockPayout gives a payout behind the lock of its user's commission account.
func (i *Invites) lockPayout(ctx context.Context, tx bun.Tx, id int64) (*Payout, error) {
	p, err := i.payout(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if _, err := i.wallets.LockCommission(ctx, tx, p.UserID); err != nil {
		return nil, err
	}
	return i.payout(ctx, tx, id)
}

func (i *Invites) pendingPayout(ctx context.Context, idb bun.IDB, userID int64) (*Payout, error) {
	var found []Payout
	err := idb.NewSelect().Model(&found).Where("user_id = ? AND ended_at IS NULL", userID).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Payout returns one payout, whoever asked for it.
func (i *Invites) Payout(ctx context.Context, id int64) (*Payout, error) {
	return i.payout(ctx, i.db, id)
}

func (i *Invites) payout(ctx context.Context, idb bun.IDB, id int64) (*Payout, error) {
	var found []Payout
	err := idb.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoPayout
	}
	if err != nil {
		return nil, err
	}
	return &found[0], i.openAccounts(found)
}

// PayoutFilter says which payouts are wanted. Zero values want all.
type PayoutFilter struct {
	UserID        int64
	State         PayoutState
	Assigned      assignment.Filter
	Limit, Offset int64
}

// Payouts gives a part of the payouts that fit, newest first, and how many there are.
func (i *Invites) Payouts(ctx context.Context, f PayoutFilter) (found []Payout, total int64, err error) {
	q := i.db.NewSelect().Model(&found).OrderExpr("id DESC").Limit(f.Limit).Offset(f.Offset)
	if f.UserID != 0 {
		q.Where("user_id = ?", f.UserID)
	}
	if f.State != "" {
		q.Where("state = ?", f.State)
	}
	f.Assigned.Narrow(q)
	if total, err = q.ScanAndCount(ctx); err != nil {
		return nil, 0, err
	}
	return found, total, i.openAccounts(found)
}

func (i *Invites) openAccounts(payouts []Payout) error {
	for n := range payouts {
		p := &payouts[n]
		if p.Sealed == nil {
			continue
		}
		plain, err := i.accounts.Open(p.ID, p.Sealed)
		if err != nil {
			return err
		}
		p.Account = string(plain)
	}
	return nil
}

// closePayouts ends the user's pending payout, forgets where payouts went and frees those that were assigned to them,
// as part of the closing of the account.
func (i *Invites) closePayouts(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := i.wallets.LockCommission(ctx, tx, userID); err != nil {
		return err
	}
	p, err := i.pendingPayout(ctx, tx, userID)
	if err == nil && p != nil {
		err = i.endPayout(ctx, tx, p, PayoutWithdrawn, "", nil)
	}
	if err != nil {
		return err
	}
	if _, err := tx.NewUpdate().Model((*Payout)(nil)).Set("account = NULL").Where("user_id = ?", userID).
		Exec(ctx); err != nil {
		return err
	}
	_, err = tx.NewUpdate().Model((*Payout)(nil)).Set("assigned_to = NULL").Where("assigned_to = ?", userID).Exec(ctx)
	return err
}

// Sealed gives the payouts whose account the key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	i := &Invites{}
	i.UseKey(key)
	var all []Payout
	if err := d.NewSelect().Model(&all).Where("account IS NOT NULL").Scan(ctx); err != nil {
		return nil, err
	}
	for n := range all {
		if i.openAccounts(all[n:n+1]) != nil {
			closed = append(closed, "commission payout "+strconv.FormatInt(all[n].ID, 10))
		}
	}
	return closed, nil
}
