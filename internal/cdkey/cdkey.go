// Package cdkey makes and redeems codes that give money, time of a plan, or traffic. A key is shown once, when its
// batch is made; the database has only its hash. A key is redeemed at most as often as its batch allows, and at most
// once by each user, whatever happens at the same time. Failed tries are limited per user.
package cdkey

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

// Keys are all cd-keys.
type Keys struct {
	db        *db.DB
	key       seal.Key
	wallets   *wallet.Wallets
	services  *service.Services
	approvals *approval.Approvals
}

// New gives the cd-keys kept in d. What a repeated request may ask for again is sealed with key.
func New(d *db.DB, key seal.Key, settings *setting.Settings, wallets *wallet.Wallets,
	services *service.Services,
) *Keys {
	return &Keys{d, key, wallets, services, approval.New(d, settings)}
}

// Register puts the forgetting of failed tries on the timetable.
func (k *Keys) Register(q *job.Queue) {
	q.Every("cdkey.forget", k.forget)
}

// Kind is what a key gives.
type Kind string

// The kinds of keys.
const (
	Amount  Kind = "amount"  // money into the wallet
	Plan    Kind = "plan"    // a plan for a time
	Traffic Kind = "traffic" // a package of traffic
)

// Gift is what one use of a key gives.
type Gift struct {
	Kind   Kind
	Amount money.Amount `bun:",nullzero"` // of Amount
	PlanID *int64       // of Plan
	Months *int         // of Plan
	Days   *int         // of Plan beside the months; of Traffic how long it lives, nil: until it is used up
	Bytes  *int64       // of Traffic
}

// Batch is some keys that give the same.
type Batch struct {
	bun.BaseModel `bun:"table:cd_key_batch"`
	ID            int64  `bun:",pk,autoincrement"`
	Name          string // for staff
	Gift
	Size        int        // how many keys
	MaxUses     int        // of each key, by as many users
	PerUser     *int       // keys of the batch that one user may redeem; nil: no limit
	ExpiresAt   *time.Time // nil: never
	MadeBy      *int64     // member of staff; nil: the operator
	CreatedAt   time.Time
	ConfirmedBy *int64
	ConfirmedAt *time.Time // nil: it waits for a second member of staff
	VoidedBy    *int64
	VoidedAt    *time.Time
	Used        int64 `bun:",scanonly"` // redemptions of all its keys
}

// Key is one key as staff sees it.
type Key struct {
	bun.BaseModel `bun:"table:cd_key"`
	ID            int64 `bun:",pk,autoincrement"`
	BatchID       int64
	Hash          []byte
	Prefix        string // the first characters; the rest is known to who holds it
	MaxUses       int    // 0 while the batch waits for a second member of staff
	Used          int
	VoidedAt      *time.Time
}

// Use is one use of a key.
type Use struct {
	bun.BaseModel `bun:"table:cd_key_redemption"`
	ID            int64 `bun:",pk,autoincrement"`
	KeyID         int64
	BatchID       int64
	UserID        int64
	ServiceID     *int64 // that it began or prolonged
	PackageID     *int64 // that it brought
	CreatedAt     time.Time
	MadeBy        *int64 // of the batch, as it was then
	ApprovedBy    *int64
}

// Redemption is a use with what it gave.
type Redemption struct {
	Use `bun:",extend"`
	Gift
	Prefix   string
	PlanName *string
}

// Faults of cd-keys. An unknown key and one that is used up, void or out of time are the same to who tries them.
var (
	ErrInvalid = fault.NotFound("cd_key_invalid", "兑换码无效、已被使用或已过期",
		"This cd-key is not valid, was used, or has expired")
	ErrRedeemed = fault.Conflict("cd_key_redeemed", "你已经兑换过这个兑换码", "You have redeemed this cd-key already")
	ErrEnough   = fault.Conflict("cd_key_limit", "该批次的兑换码你已达到可兑换数量",
		"You have redeemed as many cd-keys of this kind as one may")
	ErrTooMany = fault.TooMany("too_many_cd_keys", "错误次数过多，请稍后再试", "Too many wrong cd-keys; please try again later")
	ErrNoBatch = fault.NotFound("cd_key_batch_not_found", "没有这批兑换码", "There is no such batch of cd-keys")
	ErrNoKey   = fault.NotFound("cd_key_not_found", "没有这个兑换码", "There is no such cd-key")
	ErrOwn     = fault.Forbidden("cd_key_own", "这个兑换码由你生成或确认，不能由你兑换",
		"You made or approved this cd-key, so you cannot redeem it")
	ErrConfirmed = fault.Conflict("cd_key_batch_confirmed", "这批兑换码不在待确认状态",
		"This batch does not wait for a confirmation")
)

func (k *Keys) forget(ctx context.Context) error {
	return k.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*tries)(nil)).Where("updated_at < ?", k.db.Now().Add(-failuresCount)).Exec(ctx)
		return err
	})
}
