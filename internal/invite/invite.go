// Package invite owns the commissions that users earn by the purchases of those whom they invited; who invited whom is
// part of the accounts. A commission counts only money that came in through a gateway, never gifts; orders take money
// before gifts. It is held until its release, and taken back, before or after that, as far as the money comes back into
// the buyer's wallet, also through changes of plan, or goes back to who paid it. What the inviter had withdrawn by then
// is owed, and later commission pays it first.
package invite

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

// Invites are all users' invites.
type Invites struct {
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets

	approvals *approval.Approvals
	accounts  seal.RowCipher // of what payouts go to; see UseKey

	onDecision []func(ctx context.Context, tx bun.Tx, p *Payout) error
}

// New gives the invites kept in d.
func New(d *db.DB, settings *setting.Settings, wallets *wallet.Wallets) *Invites {
	return &Invites{db: d, settings: settings, wallets: wallets, approvals: approval.New(d, settings)}
}

// Register puts the release of commissions on the timetable.
func (i *Invites) Register(q *job.Queue) {
	q.Every("invite.release", i.Release)
}

// State is where a commission stands.
type State string

// The states of a commission.
const (
	Pending  State = "pending"  // held in the inviter's commission account until it is sure that nothing is refunded
	Released State = "released" // the inviter's
	// all of it was taken back, before or after its release, since the money went back or the inviter left
	Reversed State = "reversed"
)

// Commission is what a user earned by an order of somebody they invited.
type Commission struct {
	bun.BaseModel `bun:"table:commission"`
	ID            int64 `bun:",pk,autoincrement"`
	OrderID       int64
	InviterID     int64
	HolderID      *int64       // who has it since the inviter's account became part of theirs; nil: the inviter
	UserID        int64        // who bought
	Base          money.Amount // the part of the order that was paid with money, not with gifts
	Returned      money.Amount // of Base, what went back to who had paid it
	GivenBack     money.Amount // of Base, what came back into the buyer's wallet
	CameBack      bool         // all that of Base was not returned, by a refund from before GivenBack was counted
	Permille      int64
	Amount        money.Amount // when it was earned
	Reversed      money.Amount // of Amount, what was taken back since
	Withdrawn     money.Amount // of Reversed, what its holder had withdrawn, so that it could not be taken
	Owed          money.Amount // of Withdrawn, what no later commission has paid yet
	Settled       money.Amount // of Amount, what paid at its release what its inviter owed of others
	State         State
	CreatedAt     time.Time
	ReleaseAt     time.Time
	EndedAt       *time.Time
}

// remaining returns what of the amount was not taken back.
func (c *Commission) remaining() money.Amount { return c.Amount - c.Reversed }

// holder returns whose commission account has what was released.
func (c *Commission) holder() int64 {
	if c.HolderID != nil {
		return *c.HolderID
	}
	return c.InviterID
}

// heldBy is the condition of commissions whose holder is ?0.
const heldBy = "(inviter_id = ?0 AND holder_id IS NULL OR holder_id = ?0)"

func (c *Commission) ref() wallet.Reference { return wallet.Reference{Kind: "commission", ID: c.ID} }

// Faults of invites.
var (
	ErrNotForSale = fault.Conflict("invites_not_for_sale", "本站不出售邀请名额", "Invites are not for sale here")
	ErrTooLittle  = fault.Conflict("commission_too_low", "可用返佣余额不足", "There is not that much released commission")
)

// Rate gives what a user earns of each payment, in thousandths.
func (i *Invites) Rate(ctx context.Context, idb bun.IDB, userID int64) (permille int64, err error) {
	own, err := ownRate(ctx, idb, userID)
	if err != nil {
		return 0, err
	}
	if own != nil {
		return *own, nil
	}
	return int64(i.settings.Get().CommissionPermille), nil
}

// ownRate gives the rate that staff gave the user, in thousandths; nil: none.
func ownRate(ctx context.Context, idb bun.IDB, userID int64) (permille *int64, err error) {
	var own []int64
	err = idb.NewRaw(`SELECT permille FROM commission_rate WHERE user_id = ?`, userID).Scan(ctx, &own)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	return &own[0], nil
}

// SetRate gives a user a rate of their own for what is paid from now on; nil: the site's.
func (i *Invites) SetRate(ctx context.Context, userID int64, permille *int64) error {
	if permille != nil && (*permille < 0 || *permille > 1000) {
		return fault.Invalid("permille", "range", "返佣比例须在 0 到 1000 千分之间", "The commission is from 0 to 1000 per mille")
	}
	return i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := ownRate(ctx, tx, userID)
		if err != nil {
			return err
		}
		before, after := map[string]any{"permille": was}, map[string]any{"permille": permille}
		if err := audit.Record(ctx, tx, "invite.rate.set", audit.ID("user", userID), before, after, ""); err != nil {
			return err
		}
		if permille == nil {
			_, err := tx.NewRaw(`DELETE FROM commission_rate WHERE user_id = ?`, userID).Exec(ctx)
			return err
		}
		_, err = tx.NewRaw(`INSERT INTO commission_rate (user_id, permille) VALUES (?, ?) ON CONFLICT (user_id)
			DO UPDATE SET permille = EXCLUDED.permille`,
			userID, *permille).Exec(ctx)
		return err
	})
}
