package wallet

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/text"
)

// The reasons of movements between a gateway's clearing account and the bank.
const (
	Settled           Reason = "settlement"
	SettlementUndone  Reason = "settlement_reversed"
	settlementRefKind        = "gateway_settlement"
	maxSettlement            = money.Amount(1_000_000_000_00)
	maxSettlementText        = 200
)

// Settlement is money that a gateway paid out to the operator's bank, as a member of staff entered it. It is booked
// when it is entered; a wrong one is reversed, never changed.
type Settlement struct {
	bun.BaseModel `bun:"table:gateway_settlement"`
	ID            int64 `bun:",pk,autoincrement"`
	Gateway       string
	Gross         money.Amount // what the gateway owes less by it, in the site's currency
	Fee           money.Amount // of Gross, what the gateway took for itself
	Reference     string       // the bank's or the gateway's number of the payment
	ReferenceKey  string       `bun:",nullzero"` // folded, by which each is entered once; empty: an older one has it
	Beyond        money.Amount `bun:"-"`         // how much Gross may be above what the gateway should have
	ArrivedAt     time.Time
	Note          string
	MadeBy        *int64 // member of staff; nil: the operator
	CreatedAt     time.Time
	ReversedBy    *int64
	ReversedAt    *time.Time
}

func (s *Settlement) ref() Reference { return Reference{settlementRefKind, s.ID} }

// Faults of settlements.
var (
	ErrNoSettlement       = fault.NotFound("settlement_not_found", "没有这笔结算", "There is no such settlement")
	ErrSettlementReversed = fault.Conflict("settlement_reversed", "这笔结算已被冲销", "This settlement was reversed already")
	ErrSettlementTwice    = fault.Conflict("settlement_entered_before", "该支付平台已有一笔相同编号的结算",
		"A settlement of this gateway with the same reference was entered before")
)

func (s *Settlement) check(now time.Time) error {
	s.Reference, s.Note = strings.TrimSpace(s.Reference), strings.TrimSpace(s.Note)
	s.ReferenceKey = text.Folded(s.Reference)
	switch {
	case s.Gross <= 0 || s.Gross > maxSettlement:
		return fault.Invalid("gross", "range", "结算金额须大于零，且不超过十亿",
			"The amount settled must be above zero and at most a billion")
	case s.Fee < 0 || s.Fee > s.Gross:
		return fault.Invalid("fee", "range", "手续费不能小于零，也不能超过结算金额",
			"The fee must not be below zero or above the amount settled")
	case s.ReferenceKey == "" || utf8.RuneCountInString(s.Reference) > maxSettlementText:
		return fault.Invalid("reference", "length", "请填写 1 到 200 个字符的流水号",
			"Please give the payment's number of 1 to 200 characters")
	case utf8.RuneCountInString(s.Note) > maxSettlementText:
		return fault.Invalid("note", "length", "备注最长 200 个字符", "A note has at most 200 characters")
	case s.Beyond < 0:
		return fault.Invalid("beyond", "range", "超出金额不能小于零", "The excess must not be below zero")
	case s.ArrivedAt.IsZero() || s.ArrivedAt.After(now.Add(24*time.Hour)):
		return fault.Invalid("arrived_at", "range", "到账时间不能晚于现在", "The money cannot have arrived in the future")
	}
	return nil
}

// Settle books money that a gateway paid out. A second one of the gateway with the same reference, whatever its case,
// width and spaces, is ErrSettlementTwice, unless the first was reversed. More than the gateway should have is a fault
// of the field "beyond", unless Beyond allows for it.
func (w *Wallets) Settle(ctx context.Context, s Settlement) (*Settlement, error) {
	if err := s.check(w.db.Now()); err != nil {
		return nil, err
	}
	id, err := idempotency.Tx(ctx, w.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		used, err := GatewayUsed(ctx, tx, s.Gateway)
		if err == nil && !used {
			err = fault.Invalid("gateway", "unknown", "没有通过该支付方式收款的记录", "Nothing was ever received through this gateway")
		}
		if err != nil {
			return 0, err
		}
		s.ID, s.CreatedAt, s.ReversedAt, s.ReversedBy = 0, w.db.Now(), nil, nil
		if _, err := tx.NewInsert().Model(&s).Exec(ctx); err != nil {
			if err = db.Error(err); errors.Is(err, db.ErrUnique) {
				err = ErrSettlementTwice
			}
			return 0, err
		}
		beyond, err := w.beyondOwed(ctx, tx, &s) // after the reference: nobody confirms the excess of one entered twice
		if err != nil {
			return 0, err
		}
		if err := w.bookSettlement(ctx, tx, &s, Settled, 1); err != nil {
			return 0, err
		}
		return s.ID, audit.Record(ctx, tx, "ledger.settle", audit.ID(settlementRefKind, s.ID), nil, map[string]any{
			"gateway": s.Gateway, "gross": s.Gross, "fee": s.Fee, "reference": s.Reference, "arrived_at": s.ArrivedAt,
			"beyond": beyond,
		}, s.Note)
	})
	if err != nil {
		return nil, err
	}
	return w.settlement(ctx, w.db, id)
}

// beyondOwed returns how much a settlement is above what the gateway should have, and refuses it where that is more
// than Beyond. Other settlements of the gateway wait until tx ends.
func (w *Wallets) beyondOwed(ctx context.Context, tx bun.Tx, s *Settlement) (money.Amount, error) {
	// Payments do not wait for it, since the columns that they refer to stay.
	if _, err := tx.NewUpdate().Model((*account)(nil)).Set("created_at = created_at").
		Where("user_id IS NULL AND kind = ? AND name = ?", Clearing, s.Gateway).Exec(ctx); err != nil {
		return 0, err
	}
	var owed money.Amount
	if err := tx.NewRaw(`SELECT CAST(COALESCE(-SUM(p.amount), 0) AS BIGINT) FROM posting p
		JOIN ledger_account a ON a.id = p.account_id WHERE a.user_id IS NULL AND a.kind = ? AND a.name = ?`,
		Clearing, s.Gateway).Scan(ctx, &owed); err != nil {
		return 0, err
	}
	beyond, err := s.Gross.Add(-owed)
	if err != nil || beyond <= s.Beyond {
		return max(beyond, 0), err
	}
	return 0, fault.Invalid("beyond", "confirm",
		"按账本，该支付平台应存 "+owed.String()+"，结算金额比它多 "+beyond.String()+
			"；确认无误请在此填写 "+beyond.String(),
		"The books say that the gateway should have "+owed.String()+"; this is "+beyond.String()+" more. Enter "+
			beyond.String()+" here to confirm that it is right")
}

// bookSettlement posts a settlement, or with sign -1 its reversal.
func (w *Wallets) bookSettlement(ctx context.Context, tx bun.Tx, s *Settlement, why Reason, sign money.Amount) error {
	entries := []Entry{{Account{Kind: Clearing, Name: s.Gateway}, sign * s.Gross}}
	if arrived := s.Gross - s.Fee; arrived > 0 {
		entries = append(entries, Entry{Account{Kind: Bank}, -sign * arrived})
	}
	if s.Fee > 0 {
		entries = append(entries, Entry{Account{Kind: Fees}, -sign * s.Fee})
	}
	return w.Post(ctx, tx, why, s.ref(), s.Gateway, entries...)
}

// ReverseSettlement undoes a settlement that was entered wrongly, by a movement the other way.
func (w *Wallets) ReverseSettlement(ctx context.Context, id int64, reason string, by *int64) (*Settlement, error) {
	err := w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		s, err := w.settlement(ctx, tx, id)
		if err != nil {
			return err
		}
		n, err := db.Changed(tx.NewUpdate().Model((*Settlement)(nil)).Set("reversed_at = ?", w.db.Now()).
			Set("reversed_by = ?", by).Where("id = ? AND reversed_at IS NULL", id).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrSettlementReversed
		}
		if err == nil {
			err = w.bookSettlement(ctx, tx, s, SettlementUndone, -1)
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "ledger.settle.reverse", audit.ID(settlementRefKind, id),
			map[string]any{"reversed": false}, map[string]any{"reversed": true}, reason)
	})
	if err != nil {
		return nil, err
	}
	return w.settlement(ctx, w.db, id)
}

func (w *Wallets) settlement(ctx context.Context, idb bun.IDB, id int64) (*Settlement, error) {
	var found []Settlement
	err := idb.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoSettlement
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Settlements returns a part of the settlements, newest first, and how many there are in all; of one gateway where that
// is given.
func (w *Wallets) Settlements(ctx context.Context, gateway string, limit, offset int64) (settlements []Settlement,
	total int64, err error,
) {
	q := w.db.NewSelect().Model(&settlements).OrderExpr("id DESC").Limit(limit).Offset(offset)
	if gateway != "" {
		q.Where("gateway = ?", gateway)
	}
	total, err = q.ScanAndCount(ctx)
	return settlements, total, err
}

// GatewaySums are what the ledger says of one gateway, in the site's currency.
type GatewaySums struct {
	Gateway  string
	Received money.Amount // recharges and credited cases, with what payers paid as fees
	Returned money.Amount // what went back to payers through it
	Settled  money.Amount // what it paid out, its fees included
	Owed     money.Amount // what it should still have; negative: it paid out more than it received

	// What staff received and paid back past it, by hand. The gateway has none of that.
	OutsideReceived, OutsideReturned money.Amount
}

// add adds what an account of the gateway gained for a reason.
func (s *GatewaySums) add(kind Kind, reason Reason, gained money.Amount) {
	switch {
	case kind == Outside && reason == Refunded:
		s.OutsideReturned += gained
	case kind == Outside:
		s.OutsideReceived -= gained
	case reason == Refunded:
		s.Returned += gained
	case reason == Settled, reason == SettlementUndone:
		s.Settled += gained
	default:
		s.Received -= gained
	}
	if kind == Clearing {
		s.Owed -= gained
	}
}

// GatewaySums returns the sums of every gateway that ever moved money, by name.
func (w *Wallets) GatewaySums(ctx context.Context) (sums []GatewaySums, err error) {
	// What clearing and outside accounts gained by reason: there are few rows of it, which Go adds up.
	var moved []struct {
		Gateway string
		Kind    Kind
		Reason  Reason
		Amount  money.Amount
	}
	err = w.db.NewRaw(`SELECT a.name AS gateway, a.kind, t.reason, CAST(SUM(p.amount) AS BIGINT) AS amount
		FROM ledger_account a JOIN posting p ON p.account_id = a.id JOIN ledger_transaction t ON t.id = p.transaction_id
		WHERE a.kind IN (?, ?) GROUP BY a.name, a.kind, t.reason ORDER BY a.name`, Clearing, Outside).Scan(ctx, &moved)
	for _, m := range moved {
		if len(sums) == 0 || sums[len(sums)-1].Gateway != m.Gateway {
			sums = append(sums, GatewaySums{Gateway: m.Gateway})
		}
		sums[len(sums)-1].add(m.Kind, m.Reason, m.Amount)
	}
	return sums, err
}
