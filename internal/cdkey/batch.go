package cdkey

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

const (
	maxSize   = 10_000
	maxAmount = money.Amount(1_000_000_00) // of one key
)

// Make makes a batch and gives its keys, which cannot be shown again. What is worth more than the member may give alone
// on a day counts only when a second member has confirmed it. by is nil for the operator. A repeat under one
// Idempotency-Key gives the same batch and keys.
func (k *Keys) Make(ctx context.Context, b Batch, by *int64) (Batch, []string, error) {
	now := k.db.Now()
	b.Name, b.MadeBy, b.CreatedAt = strings.TrimSpace(b.Name), by, now
	if b.Kind == Plan {
		b.Months, b.Days = orZero(b.Months), orZero(b.Days)
	}
	if b.ExpiresAt != nil {
		b.ExpiresAt = new(b.ExpiresAt.UTC().Truncate(time.Millisecond))
	}
	answer, err := idempotency.Tx(ctx, k.db, func(ctx context.Context, tx bun.Tx) (made, error) {
		if err := k.check(ctx, tx, &b); err != nil {
			return made{}, err
		}
		codes, err := k.insert(ctx, tx, &b)
		if err != nil {
			return made{}, err
		}
		text, err := json.Marshal(codes)
		return made{b.ID, k.key.Seal(sealedFor, text)}, err
	})
	if err != nil {
		return b, nil, err
	}
	var found []Batch
	if err := selectBatches(k.db, &found).Where("?TableAlias.id = ?", answer.BatchID).Scan(ctx); err != nil {
		return b, nil, err
	}
	if len(found) == 0 {
		return b, nil, ErrNoBatch
	}
	text, err := k.key.Open(sealedFor, answer.Keys)
	if err != nil {
		return b, nil, err
	}
	var codes []string
	return found[0], codes, json.Unmarshal(text, &codes)
}

// sealedFor is the purpose that the keys of a batch are sealed for while a repeated request may ask for them again.
const sealedFor = "cd-keys of a request"

// made is what a request that made a batch came to. The keys are sealed, since the database keeps no cd-key in clear.
type made struct {
	BatchID int64
	Keys    []byte
}

// insert makes the batch with its keys and gives them as they are written for people.
func (k *Keys) insert(ctx context.Context, tx bun.Tx, b *Batch) ([]string, error) {
	b.ID, b.ConfirmedAt = 0, nil
	if _, err := tx.NewInsert().Model(b).Exec(ctx); err != nil {
		return nil, db.Error(err)
	}
	worth, err := b.worth(ctx, tx, k.db.Now())
	if err != nil {
		return nil, err
	}
	codes := make([]string, b.Size)
	for i := range codes {
		codes[i] = newCode()
	}
	for part := range slices.Chunk(codes, 500) {
		keys := make([]Key, len(part))
		for i, code := range part {
			keys[i] = Key{BatchID: b.ID, Hash: hash(code), Prefix: code[:visible]}
		}
		if _, err := tx.NewInsert().Model(&keys).Exec(ctx); err != nil {
			return nil, db.Error(err)
		}
	}
	act := approval.Act{Kind: approval.CDKeys, ReferenceID: b.ID, MadeBy: b.MadeBy, Worth: worth, Gives: b}
	alone, err := k.approvals.Propose(ctx, tx, act)
	if err == nil && alone {
		err = k.release(ctx, tx, b, nil)
	}
	for i, code := range codes {
		codes[i] = grouped(code)
	}
	return codes, err
}

func orZero(n *int) *int {
	if n == nil {
		return new(0)
	}
	return n
}

// worth is what all uses of the batch's keys give at most.
func (b *Batch) worth(ctx context.Context, tx bun.Tx, now time.Time) (worth money.Amount, err error) {
	switch b.Kind {
	case Amount:
		worth = b.Amount
	case Plan:
		worth, err = shop.PlanWorth(ctx, tx, now, *b.PlanID, *b.Months, *b.Days)
	case Traffic:
		worth, err = shop.TrafficWorth(ctx, tx, now, *b.Bytes)
	}
	return shop.Times(worth, int64(b.Size)*int64(b.MaxUses)), err
}

// release lets the keys of a batch count. Until then the schema refuses every use of them.
func (k *Keys) release(ctx context.Context, tx bun.Tx, b *Batch, by *int64) error {
	b.ConfirmedBy, b.ConfirmedAt = by, new(k.db.Now())
	if _, err := tx.NewUpdate().Model(b).Column("confirmed_by", "confirmed_at").WherePK().Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewUpdate().Model((*Key)(nil)).Set("max_uses = ?", b.MaxUses).Where("batch_id = ?", b.ID).Exec(ctx)
	return err
}

func (k *Keys) check(ctx context.Context, idb bun.IDB, b *Batch) error {
	within := func(n *int, low, high int) bool { return n != nil && *n >= low && *n <= high }
	switch {
	case utf8.RuneCountInString(b.Name) > 64 || !utf8.ValidString(b.Name):
		return fault.Invalid("name", "too_long", "名称不能超过 64 个字符", "The name must not be longer than 64 characters")
	case b.Size < 1 || b.Size > maxSize:
		return fault.Invalid("size", "range", "数量须在 1 到 10000 之间", "A batch has 1 to 10,000 keys")
	case b.MaxUses < 1 || b.MaxUses > 100_000:
		return fault.Invalid("max_uses", "range", "每个兑换码的可用次数须在 1 到 100000 之间", "A key can be used 1 to 100,000 times")
	case b.PerUser != nil && *b.PerUser < 1:
		return fault.Invalid("per_user", "range", "每人可兑换数量须大于零；不限请留空",
			"The limit per user must be above zero; leave it out for no limit")
	case b.ExpiresAt != nil && !b.ExpiresAt.After(b.CreatedAt):
		return fault.Invalid("expires_at", "range", "有效期必须晚于现在", "The end must be after now")
	case (b.Kind != Amount && b.Amount != 0) || (b.Kind != Plan && (b.PlanID != nil || b.Months != nil)) ||
		(b.Kind != Traffic && b.Bytes != nil) || (b.Kind == Amount && b.Days != nil):
		return fault.Invalid("kind", "mixed", "一批兑换码只能是金额、套餐或流量中的一种",
			"A batch gives money, a plan or traffic, one of them")
	}
	switch b.Kind {
	case Amount:
		if b.Amount < 1 || b.Amount > maxAmount {
			return fault.Invalid("amount", "range", "金额须大于零且不超过一百万",
				"The amount must be above zero and at most a million")
		}
	case Plan:
		if b.PlanID == nil {
			return fault.Invalid("plan_id", "required", "请选择套餐", "Please choose a plan")
		}
		ok, err := shop.HasPlan(ctx, idb, *b.PlanID)
		switch {
		case err != nil:
			return err
		case !ok:
			return fault.Invalid("plan_id", "unknown", "没有这个套餐", "There is no such plan")
		case !within(b.Months, 0, 120) || !within(b.Days, 0, 3660) || *b.Months+*b.Days == 0:
			return fault.Invalid("days", "range", "时长须为 1 天到 10 年", "The time must be from a day to ten years")
		}
	case Traffic:
		switch {
		case b.Bytes == nil || *b.Bytes < 1 || *b.Bytes > 1<<50:
			return fault.Invalid("bytes", "range", "流量须大于零且不超过 1 PB", "The traffic must be above zero and at most 1 PB")
		case b.Days != nil && !within(b.Days, 1, 3660):
			return fault.Invalid("days", "range", "有效天数须在 1 到 3660 之间；永久请留空",
				"The days must be from 1 to 3660; leave them out for no end")
		}
	default:
		return fault.Invalid("kind", "choice", "类型只能是 amount、plan 或 traffic", "The kind is amount, plan or traffic")
	}
	return nil
}

func selectBatches(idb bun.IDB, into any) *bun.SelectQuery {
	return idb.NewSelect().Model(into).ColumnExpr("?TableAlias.*").
		ColumnExpr("(SELECT COUNT(*) FROM cd_key_redemption WHERE batch_id = ?TableAlias.id) AS used")
}

// Batches gives a part of all batches, newest first, and how many there are in all.
func (k *Keys) Batches(ctx context.Context, limit, offset int64) (batches []Batch, total int64, err error) {
	total, err = selectBatches(k.db, &batches).OrderExpr("?TableAlias.id DESC").Limit(limit).Offset(offset).
		ScanAndCount(ctx)
	return batches, total, err
}

// Batch gives a batch and a part of its keys.
func (k *Keys) Batch(ctx context.Context, id, limit, offset int64) (Batch, []Key, error) {
	var found []Batch
	if err := selectBatches(k.db, &found).Where("?TableAlias.id = ?", id).Scan(ctx); err != nil {
		return Batch{}, nil, err
	}
	if len(found) == 0 {
		return Batch{}, nil, ErrNoBatch
	}
	var keys []Key
	err := k.db.NewSelect().Model(&keys).Where("batch_id = ?", id).OrderExpr("id").Limit(limit).Offset(offset).Scan(ctx)
	return found[0], keys, err
}

// Confirm lets a batch count that waits for a second member of staff; who made it cannot. by is nil for the operator.
func (k *Keys) Confirm(ctx context.Context, id int64, by *int64) error {
	return k.change(ctx, id, func(ctx context.Context, tx bun.Tx, b Batch) error {
		if b.ConfirmedAt != nil || b.VoidedAt != nil {
			return ErrConfirmed
		}
		if err := k.approvals.Decide(ctx, tx, approval.CDKeys, id, true, by); err != nil {
			return err
		}
		return k.release(ctx, tx, &b, by)
	})
}

// Void makes all keys of a batch worthless that are not used up, for a reason. What was redeemed stays.
func (k *Keys) Void(ctx context.Context, id int64, by *int64, reason string) error {
	return k.change(ctx, id, func(ctx context.Context, tx bun.Tx, b Batch) error {
		if b.VoidedAt != nil {
			return nil
		}
		b.VoidedBy, b.VoidedAt = by, new(k.db.Now())
		if _, err := tx.NewUpdate().Model(&b).Column("voided_by", "voided_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		if err := k.approvals.Drop(ctx, tx, approval.CDKeys, id, by); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*Key)(nil)).Set("voided_at = ?", b.VoidedAt).
			Where("batch_id = ? AND voided_at IS NULL", id).Exec(ctx)
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "cdkey.void", audit.ID("cd_key_batch", id), voided{}, voided{b.VoidedAt}, reason)
	})
}

// Decide confirms a batch that waits, or voids it.
func (k *Keys) Decide(ctx context.Context, id int64, approve bool, by *int64) error {
	if approve {
		return k.Confirm(ctx, id, by)
	}
	return k.Void(ctx, id, by, "")
}

// VoidKey makes one key of a batch worthless, for a reason.
func (k *Keys) VoidKey(ctx context.Context, batchID, id int64, reason string) error {
	return k.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*Key)(nil)).Set("voided_at = COALESCE(voided_at, ?)", k.db.Now()).
			Where("id = ? AND batch_id = ?", id, batchID).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoKey
		}
		if err != nil {
			return err
		}
		before, after := map[string]any{"voided": false}, map[string]any{"batch_id": batchID, "voided": true}
		return audit.Record(ctx, tx, "cdkey.void", audit.ID("cd_key", id), before, after, reason)
	})
}

// voided is what the audit log keeps of a batch's end.
type voided struct {
	VoidedAt *time.Time
}

// change runs fn on a batch that nobody else changes meanwhile.
func (k *Keys) change(ctx context.Context, id int64, fn func(context.Context, bun.Tx, Batch) error) error {
	return k.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*Batch)(nil)).Set("size = size").Where("id = ?", id).Exec(ctx))
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoBatch
		}
		var b Batch
		if err := tx.NewSelect().Model(&b).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		return fn(ctx, tx, b)
	})
}
