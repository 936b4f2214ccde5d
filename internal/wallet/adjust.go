package wallet

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
)

// Gifts is the site's account of what users got without paying, and of what staff took back.
const Gifts Kind = "gifts"

// Bank is the site's account of what was paid outside of the site.
const Bank Kind = "bank"

// PayoutHold is the kind of reference of commission that is held until it is paid outside of the site.
const PayoutHold = "commission_payout"

// The reasons of gifts and of what invites bring.
const (
	CDKey              Reason = "cd_key"
	Adjusted           Reason = "adjustment"
	Commission         Reason = "commission"
	CommissionReversed Reason = "commission_reversed"
	CommissionSettled  Reason = "commission_settled"    // paid what its inviter owed of reversed commissions
	CommissionMoved    Reason = "commission_withdrawal" // into the wallet
	InvitesBought      Reason = "invite_purchase"
	CommissionPaid     Reason = "commission_payout" // outside of the site
)

// AdjustmentState is the state of an adjustment.
type AdjustmentState string

// The states of an adjustment; a pending one waits for a second member of staff.
const (
	AdjustmentPending  AdjustmentState = "pending"
	AdjustmentPosted   AdjustmentState = "posted"
	AdjustmentDeclined AdjustmentState = "declined"
)

// Adjustment is money that staff puts into a wallet or takes out of it.
type Adjustment struct {
	bun.BaseModel `bun:"table:wallet_adjustment"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Amount        money.Amount // negative: taken
	Reason        string       // the user reads it
	State         AdjustmentState
	MadeBy        *int64 // member of staff; nil: the operator
	CreatedAt     time.Time
	DecidedBy     *int64 // the second member; nil where none was needed, or the operator
	DecidedAt     *time.Time
}

// Ref is what the adjustment's movement refers to.
func (a *Adjustment) Ref() Reference { return Reference{"adjustment", a.ID} }

// Faults of adjustments.
var (
	ErrNoAdjustment = fault.NotFound("adjustment_not_found", "没有这笔调整", "There is no such adjustment")
	ErrDecided      = fault.Conflict("adjustment_decided", "这笔调整已处理", "This adjustment was decided already")
)

const maxAdjustment = money.Amount(1_000_000_00)

// Adjust moves amount between a wallet and the site's gifts. It is pending until a second member of staff confirms it
// where it is in the member's own wallet, or beyond what the member may give alone on a day; what is taken out counts
// as much as what is put in. by is nil for the operator. Wrong input is named user_id, amount, reason.
func (w *Wallets) Adjust(ctx context.Context, userID int64, amount money.Amount, reason string, by *int64) (*Adjustment,
	error,
) {
	reason = strings.TrimSpace(reason)
	switch {
	case amount == 0 || amount > maxAdjustment || amount < -maxAdjustment:
		return nil, fault.Invalid("amount", "range", "金额不能为零，且不超过一百万",
			"The amount must not be zero, and at most a million")
	case reason == "" || utf8.RuneCountInString(reason) > 200 || !utf8.ValidString(reason):
		return nil, fault.Invalid("reason", "length", "请填写 1 到 200 个字符的原因，用户可见",
			"Please give a reason of 1 to 200 characters; the user reads it")
	}
	id, err := idempotency.Tx(ctx, w.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		has, err := w.Exists(ctx, tx, userID)
		if err == nil && !has {
			err = fault.Invalid("user_id", "unknown", "没有这个用户", "There is no such user")
		}
		if err == nil && amount > 0 {
			err = w.MayGain(ctx, tx, userID)
		}
		if err != nil {
			return 0, err
		}
		a := &Adjustment{
			UserID: userID, Amount: amount, Reason: reason, State: AdjustmentPending, MadeBy: by,
			CreatedAt: w.db.Now(),
		}
		if _, err := tx.NewInsert().Model(a).Exec(ctx); err != nil {
			return 0, db.Error(err)
		}
		alone, err := w.approvals.Propose(ctx, tx, approval.Act{
			Kind: approval.Adjustment, ReferenceID: a.ID, MadeBy: by, Beneficiary: userID, Worth: max(amount, -amount),
			Reason: reason, Gives: map[string]any{"user_id": userID, "amount": amount},
		})
		if err == nil && alone {
			err = w.endAdjustment(ctx, tx, a, AdjustmentPosted, nil)
		}
		return a.ID, err
	})
	if err != nil {
		return nil, err
	}
	return w.Adjustment(ctx, id)
}

// endAdjustment ends a pending adjustment; one that is posted moves its amount.
func (w *Wallets) endAdjustment(ctx context.Context, tx bun.Tx, a *Adjustment, to AdjustmentState, by *int64) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Adjustment)(nil)).Set("state = ?", to).Set("decided_by = ?", by).
		Set("decided_at = ?", w.db.Now()).
		Where("id = ? AND state = ?", a.ID, AdjustmentPending).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrDecided
	}
	if err != nil || to != AdjustmentPosted {
		return err
	}
	return w.Post(ctx, tx, Adjusted, a.Ref(), a.Reason, Entry{Account{Kind: Gifts}, -a.Amount},
		Entry{Account{Kind: UserWallet, UserID: a.UserID}, a.Amount})
}

// ConfirmAdjustment posts a pending adjustment. Neither who made it nor whose wallet it is can do that; by is nil for
// the operator.
func (w *Wallets) ConfirmAdjustment(ctx context.Context, id int64, by *int64) (*Adjustment, error) {
	return w.DecideAdjustment(ctx, id, true, by)
}

// DeclineAdjustment ends a pending adjustment without moving anything.
func (w *Wallets) DeclineAdjustment(ctx context.Context, id int64, by *int64) (*Adjustment, error) {
	return w.DecideAdjustment(ctx, id, false, by)
}

// DecideAdjustment confirms or declines a pending adjustment.
func (w *Wallets) DecideAdjustment(ctx context.Context, id int64, approve bool, by *int64) (*Adjustment, error) {
	err := w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a, err := adjustment(ctx, tx, id)
		if err != nil {
			return err
		}
		if a.State != AdjustmentPending {
			return ErrDecided
		}
		if err := w.approvals.Decide(ctx, tx, approval.Adjustment, id, approve, by); err != nil {
			if errors.Is(err, approval.ErrNotWaiting) { // somebody decided it meanwhile
				err = ErrDecided
			}
			return err
		}
		to := AdjustmentDeclined
		if approve {
			to = AdjustmentPosted
		}
		return w.endAdjustment(ctx, tx, a, to, by)
	})
	if err != nil {
		return nil, err
	}
	return w.Adjustment(ctx, id)
}

// Adjustment returns one adjustment.
func (w *Wallets) Adjustment(ctx context.Context, id int64) (*Adjustment, error) {
	return adjustment(ctx, w.db, id)
}

func adjustment(ctx context.Context, idb bun.IDB, id int64) (*Adjustment, error) {
	var found []Adjustment
	err := idb.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoAdjustment
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Adjustments returns a part of the adjustments, newest first, and how many there are in all: of one state and one user
// where these are given.
func (w *Wallets) Adjustments(ctx context.Context, state AdjustmentState, userID, limit,
	offset int64,
) (adjustments []Adjustment, total int64, err error) {
	q := w.db.NewSelect().Model(&adjustments).OrderExpr("id DESC").Limit(limit).Offset(offset)
	if state != "" {
		q.Where("state = ?", state)
	}
	if userID != 0 {
		q.Where("user_id = ?", userID)
	}
	total, err = q.ScanAndCount(ctx)
	return adjustments, total, err
}

// Give puts money into a wallet as a posted adjustment, as part of tx. Its worth is part of another act, which covers
// it.
func (w *Wallets) Give(ctx context.Context, tx bun.Tx, userID int64, amount money.Amount, reason string,
	by *int64,
) error {
	if err := w.MayGain(ctx, tx, userID); err != nil {
		return err
	}
	a := &Adjustment{
		UserID: userID, Amount: amount, Reason: reason, State: AdjustmentPending, MadeBy: by, CreatedAt: w.db.Now(),
	}
	if _, err := tx.NewInsert().Model(a).Exec(ctx); err != nil {
		return db.Error(err)
	}
	return w.endAdjustment(ctx, tx, a, AdjustmentPosted, nil)
}
