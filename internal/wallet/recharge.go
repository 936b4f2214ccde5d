package wallet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/webhook"
)

// RechargeState is the state of a recharge.
type RechargeState string

// The states of a recharge.
const (
	RechargePending  RechargeState = "pending"
	RechargeDone     RechargeState = "paid"
	RechargeExpired  RechargeState = "expired"
	RechargeFailed   RechargeState = "failed"
	RechargeRefunded RechargeState = "refunded"
)

// rechargeFrom is the table of transitions: the states from which each state may be reached. Money that arrives late is
// money all the same, so expiry and failure are not the end.
var rechargeFrom = map[RechargeState][]RechargeState{
	RechargeDone:     {RechargePending, RechargeExpired, RechargeFailed},
	RechargeExpired:  {RechargePending},
	RechargeFailed:   {RechargePending},
	RechargeRefunded: {RechargeDone},
}

// Recharge is money on its way into a wallet.
type Recharge struct {
	bun.BaseModel `bun:"table:recharge"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	UserID        int64
	TradeNo       string // our number for it at the gateway; nobody can guess it
	Gateway       string
	Amount        money.Amount // what the wallet gains
	Currency      string       // the site's
	Fee           money.Amount // what the gateway costs the payer besides the amount, in the site's currency
	// what is paid at the gateway; fixed here, like its currency: a payment of anything else is not this recharge's
	PayAmount     money.Amount
	PayCurrency   string
	State         RechargeState
	PayPage       *PayPage `bun:"type:jsonb"` // none until the gateway was asked for it
	TransactionID *string  // the gateway's name of the payment
	CreatedAt     time.Time
	UpdatedAt     time.Time
	ExpiresAt     time.Time
	PaidAt        *time.Time
	InvoiceUUID   *uuid.UUID `bun:",scanonly"`
	OrderID       *int64     `bun:",scanonly"` // the order that waits, or waited, for it

	Refunded  money.Amount `bun:",scanonly"` // of Amount, what went back to who paid
	Refunding money.Amount `bun:",scanonly"` // of Amount, what is on its way back
}

// PayPage is where a person pays: an address to open, the text of a QR code to scan, or words that say how.
type PayPage struct {
	Kind string      `json:"kind"` // url, qrcode or text
	URL  string      `json:"url"`  // of the first two
	Text *fault.Text `json:"text,omitempty"`
	Ref  string      `json:"ref,omitempty"` // the gateway's own number of the bill, where it is asked by that
}

// Charge is what a recharge is to bring in, and what the payer pays for it.
type Charge struct {
	Gateway     string
	Amount      money.Amount  // what the wallet gains
	Fee         money.Amount  // in addition to the amount, in the site's currency
	PayAmount   money.Amount  // both together, in PayCurrency
	PayCurrency string        // ISO 4217
	Waits       time.Duration // for the payment; 0: as long as the site has it
}

// Ref is what the recharge's movement and invoice refer to.
func (r *Recharge) Ref() Reference { return Reference{"recharge", r.ID} }

// Faults of recharges.
var (
	ErrNoRecharge       = fault.NotFound("recharge_not_found", "没有这笔充值", "There is no such recharge")
	ErrTooManyRecharges = fault.TooMany("too_many_recharges", "待支付的充值过多，请先支付或取消其中一笔",
		"Too many recharges are waiting for payment; pay or cancel one first")
	ErrTooManyBegun = fault.TooMany("too_many_recharges_begun", "近一小时内发起而未支付的充值过多，请稍后再试",
		"Too many recharges were begun within an hour and not paid; try again later")
)

// outsideNumber begins the numbers of payments that came past the gateway of their recharge. A rule of the doctor has
// it too.
const outsideNumber = "outside-"

// OutsidePayment is the number of a payment for the recharge that staff says came past its gateway.
func (r *Recharge) OutsidePayment() string { return outsideNumber + r.TradeNo }

// IsOutside reports whether the recharge was paid past its gateway.
func (r *Recharge) IsOutside() bool {
	return r.TransactionID != nil && *r.TransactionID == r.OutsidePayment()
}

// Fees is the site's account of what payers paid besides what their wallets gained.
const Fees Kind = "fees"

// ErrTransactionUsed is the error of a payment that would be booked for a second recharge.
var ErrTransactionUsed = errors.New("wallet: this payment was booked for another recharge")

const (
	// maxPendingRecharges is how many recharges of a user that began within the site's time to pay may be pending.
	// Those that may wait longer do not count after it: nobody is to wait for days until one of them expires.
	maxPendingRecharges = 20
	// maxUnpaidRecharges is how many may be pending in all.
	maxUnpaidRecharges = 100
	// maxBegunRecharges is how many that a user began within an hour may be unpaid, cancelled ones included: the
	// gateway is asked about each of them for a while.
	maxBegunRecharges = 60
)

// StartRecharge begins a recharge, or is ErrClosed. An amount outside the site's limits is a fault of the field
// "amount".
func (w *Wallets) StartRecharge(ctx context.Context, tx bun.Tx, userID int64, c Charge) (*Recharge, error) {
	if err := RefuseBanned(ctx, tx, userID); err != nil {
		return nil, err
	}
	site := w.settings.Get()
	if c.Amount < site.RechargeMin || c.Amount > site.RechargeMax {
		return nil, fault.Invalid("amount", "range",
			"充值金额须在 "+site.RechargeMin.String()+" 到 "+site.RechargeMax.String()+" 之间",
			"The amount must be from "+site.RechargeMin.String()+" to "+site.RechargeMax.String())
	}
	if _, err := w.LockOpen(ctx, tx, userID); err != nil { // locked, so that the count below stays true
		return nil, err
	}
	now, siteWaits := w.db.Now(), time.Duration(site.RechargeMinutes)*time.Minute
	var pending struct{ InAll, Recent int }
	if err := tx.NewSelect().Model((*Recharge)(nil)).ColumnExpr("COUNT(*) AS in_all").
		ColumnExpr("COUNT(CASE WHEN created_at > ? THEN 1 END) AS recent", now.Add(-siteWaits)).
		Where("user_id = ? AND state = ?", userID, RechargePending).Scan(ctx, &pending); err != nil {
		return nil, err
	}
	if pending.Recent >= maxPendingRecharges || pending.InAll >= maxUnpaidRecharges {
		return nil, ErrTooManyRecharges.After(time.Minute)
	}
	if err := w.limitBegun(ctx, tx, userID, now); err != nil {
		return nil, err
	}
	r := &Recharge{
		UUID: uuid.New(), UserID: userID, TradeNo: rand.Text(), Gateway: c.Gateway, Amount: c.Amount,
		Currency: site.Currency,
		Fee:      c.Fee, PayAmount: c.PayAmount, PayCurrency: c.PayCurrency,
		State: RechargePending, CreatedAt: now, UpdatedAt: now,
		ExpiresAt: now.Add(cmp.Or(c.Waits, siteWaits)),
	}
	_, err := tx.NewInsert().Model(r).Exec(ctx)
	return r, db.Error(err)
}

// limitBegun is ErrTooManyBegun for a user who began maxBegunRecharges within an hour and paid none of them.
func (w *Wallets) limitBegun(ctx context.Context, tx bun.Tx, userID int64, now time.Time) error {
	var first Recharge // of the last maxBegunRecharges
	err := tx.NewSelect().Model(&first).Column("created_at").
		Where("user_id = ? AND state NOT IN (?)", userID, bun.List([]RechargeState{RechargeDone, RechargeRefunded})).
		OrderExpr("id DESC").Offset(maxBegunRecharges - 1).Limit(1).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if left := first.CreatedAt.Add(time.Hour).Sub(now); err == nil && left > 0 {
		return ErrTooManyBegun.After(left)
	}
	return err
}

// RechargeFor returns the amount of a recharge that brings in what is missing: at least the site's minimum.
func (w *Wallets) RechargeFor(missing money.Amount) money.Amount {
	return max(missing, w.settings.Get().RechargeMin)
}

// transition moves a recharge to another state where the table allows it, and reports whether it did.
func (w *Wallets) transition(ctx context.Context, tx bun.Tx, id int64, to RechargeState,
	set func(*bun.UpdateQuery),
) (bool, error) {
	q := tx.NewUpdate().Model((*Recharge)(nil)).Set("state = ?", to).Set("updated_at = ?", w.db.Now()).
		Where("id = ? AND state IN (?)", id, bun.List(rechargeFrom[to]))
	if set != nil {
		set(q)
	}
	n, err := db.Changed(q.Exec(ctx))
	return n == 1, err
}

// Credit books the payment called transactionID at the gateway: the recharge is paid, the wallet has the money, the
// invoice is issued. A recharge that was paid before is left alone, credited is false then. A transactionID that paid
// for another recharge is ErrTransactionUsed. With that of OutsidePayment the gateway has not received the money.
func (w *Wallets) Credit(ctx context.Context, tx bun.Tx, r *Recharge, transactionID string) (credited bool, err error) {
	credited, err = w.transition(ctx, tx, r.ID, RechargeDone, func(q *bun.UpdateQuery) {
		q.Set("transaction_id = ?", transactionID).Set("paid_at = ?", w.db.Now())
	})
	if errors.Is(err, db.ErrUnique) {
		err = ErrTransactionUsed
	}
	if err != nil || !credited {
		return false, err
	}
	if err := w.ClaimPayment(ctx, tx, r.Payment(transactionID), r.Ref()); err != nil {
		return false, err
	}
	into := Clearing
	if transactionID == r.OutsidePayment() {
		into = Outside
	}
	entries := []Entry{
		{Account{Kind: into, Name: r.Gateway}, -r.Amount - r.Fee},
		{Account{Kind: UserWallet, UserID: r.UserID}, r.Amount},
	}
	lines := []Line{{Kind: RechargeLine, Name: r.Gateway, Amount: r.Amount}}
	if r.Fee > 0 {
		entries = append(entries, Entry{Account{Kind: Fees}, r.Fee})
		lines = append(lines, Line{Kind: FeeLine, Name: r.Gateway, Amount: r.Fee})
	}
	if err := w.Post(ctx, tx, RechargePaid, r.Ref(), r.Gateway, entries...); err != nil {
		return false, err
	}
	if err := webhook.Emit(ctx, tx, webhook.Event{Type: webhook.RechargePaid, At: w.db.Now(), Data: map[string]any{
		"recharge_no": r.ID, "recharge_id": r.UUID, "user_id": r.UserID, "gateway": r.Gateway, "amount": r.Amount,
		"fee": r.Fee, "currency": r.Currency, "trade_no": r.TradeNo, "outside": into == Outside,
	}}); err != nil {
		return false, err
	}
	if err := w.Invoice(ctx, tx, r.UserID, r.Ref(), lines...); err != nil {
		return false, err
	}
	for _, fn := range w.onCredit {
		if err := fn(ctx, tx, r); err != nil {
			return false, err
		}
	}
	return true, nil
}

// OnCredit has fn told of each recharge that was paid, in its transaction. It must be called before the server starts.
func (w *Wallets) OnCredit(fn func(ctx context.Context, tx bun.Tx, r *Recharge) error) {
	w.onCredit = append(w.onCredit, fn)
}

// LockUnpaid makes whoever else would credit the recharge wait until tx ends, and reports whether it is unpaid.
func (w *Wallets) LockUnpaid(ctx context.Context, tx bun.Tx, id int64) (unpaid bool, err error) {
	n, err := db.Changed(tx.NewUpdate().Model((*Recharge)(nil)).Set("state = state").
		Where("id = ? AND state IN (?)", id, bun.List(rechargeFrom[RechargeDone])).Exec(ctx))
	return n == 1, err
}

// LockRecharges locks recharges until tx ends. Whoever locks a wallet, too, calls it first, as a payment does.
func (w *Wallets) LockRecharges(ctx context.Context, tx bun.Tx, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	return db.LockRows(ctx, tx.NewSelect().Model((*Recharge)(nil)).Where("id IN (?)", bun.List(ids)))
}

// FailRecharge notes that the gateway gave a pending recharge up.
func (w *Wallets) FailRecharge(ctx context.Context, tx bun.Tx, id int64) error {
	_, err := w.transition(ctx, tx, id, RechargeFailed, nil)
	return err
}

// ExpireRecharge ends a pending recharge before its time.
func (w *Wallets) ExpireRecharge(ctx context.Context, tx bun.Tx, id int64) error {
	_, err := w.transition(ctx, tx, id, RechargeExpired, nil)
	return err
}

// ExpireRecharges ends all recharges whose time is over.
func (w *Wallets) ExpireRecharges(ctx context.Context) error {
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := w.db.Now()
		_, err := tx.NewUpdate().Model((*Recharge)(nil)).Set("state = ?", RechargeExpired).Set("updated_at = ?", now).
			Where("state = ? AND expires_at <= ?", RechargePending, now).Exec(ctx)
		return err
	})
}

// SavePayPage notes where the recharge is paid. The first page stays.
func (w *Wallets) SavePayPage(ctx context.Context, r *Recharge, page PayPage) error {
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(&Recharge{ID: r.ID, PayPage: &page}).Column("pay_page").WherePK().
			Where("pay_page IS NULL").Exec(ctx)
		return err
	})
}

func selectRecharges(idb bun.IDB, into any) *bun.SelectQuery {
	return idb.NewSelect().Model(into).ColumnExpr("?TableAlias.*").
		ColumnExpr("(SELECT uuid FROM invoice WHERE reference_kind = 'recharge' AND reference_id = ?TableAlias.id) " +
			"AS invoice_uuid").
		ColumnExpr("(SELECT id FROM shop_order WHERE recharge_id = ?TableAlias.id) AS order_id").
		ColumnExpr("(SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM gateway_refund WHERE recharge_id = " +
			"?TableAlias.id AND state = 'done') AS refunded").
		ColumnExpr("(SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM gateway_refund WHERE recharge_id = " +
			"?TableAlias.id AND state = 'pending') AS refunding")
}

func one(found []Recharge, err error) (*Recharge, error) {
	if err == nil && len(found) == 0 {
		err = ErrNoRecharge
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Recharge returns a user's recharge by its number or uuid.
func (w *Wallets) Recharge(ctx context.Context, userID int64, id string) (*Recharge, error) {
	var found []Recharge
	err := db.Named(selectRecharges(w.db, &found), id).Where("user_id = ?", userID).Scan(ctx)
	return one(found, err)
}

// RechargeByNo returns the recharge with this number, whosever it is.
func (w *Wallets) RechargeByNo(ctx context.Context, idb bun.IDB, id int64) (*Recharge, error) {
	var found []Recharge
	err := selectRecharges(idb, &found).Where("id = ?", id).Scan(ctx)
	return one(found, err)
}

// RechargeByTradeNo returns the recharge with this trade number, whosever it is.
func (w *Wallets) RechargeByTradeNo(ctx context.Context, tradeNo string) (*Recharge, error) {
	var found []Recharge
	err := selectRecharges(w.db, &found).Where("trade_no = ?", tradeNo).Scan(ctx)
	return one(found, err)
}

// Recharges returns a part of a user's recharges, newest first, and how many there are in all.
func (w *Wallets) Recharges(ctx context.Context, userID int64, limit, offset int64) (recharges []Recharge, total int64,
	err error,
) {
	total, err = selectRecharges(w.db, &recharges).Where("user_id = ?", userID).OrderExpr("id DESC").Limit(limit).
		Offset(offset).ScanAndCount(ctx)
	return recharges, total, err
}

// UnpaidRecharges returns the recharges that are pending or ended unpaid after since, for asking the gateways about
// them.
func (w *Wallets) UnpaidRecharges(ctx context.Context, since time.Time) (recharges []Recharge, err error) {
	err = w.db.NewSelect().Model(&recharges).Where("state IN (?)", bun.List(rechargeFrom[RechargeDone])).
		Where("expires_at > ?", since).OrderExpr("id").Scan(ctx)
	return recharges, err
}

// GatewayUsed reports whether any recharge was begun at the gateway of that name.
func GatewayUsed(ctx context.Context, tx bun.Tx, gateway string) (bool, error) {
	return tx.NewSelect().Model((*Recharge)(nil)).Where("gateway = ?", gateway).Exists(ctx)
}

// PaidBy returns the gateway's number of the payment that the recharge was booked for; empty where there is none yet.
func PaidBy(ctx context.Context, tx bun.Tx, rechargeID int64) (transactionID string, found bool, err error) {
	var paid []string
	err = tx.NewSelect().Model((*Recharge)(nil)).Column("transaction_id").Where("id = ?", rechargeID).Scan(ctx, &paid)
	if err != nil || len(paid) == 0 {
		return "", false, err
	}
	return paid[0], true, nil
}
