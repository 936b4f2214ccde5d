// Package merge makes two accounts of one person one. What is of use now moves to the account that stays: the balance
// and the released commission, the invited people who came after that account, tickets, labels and notes. What tells of
// the past (orders, invoices, recharges, postings) stays under the number of the other one, which ends as an account
// that its user closes, and the row of the merge leads from one to the other. Nothing of a service moves, since orders,
// postings and the log of traffic name its user: whoever has something that waits or runs is not merged, and the
// refusal names it. A merge counts as given by what it moves, so beyond the limit of a member it waits for a second
// one.
package merge

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/ticket"
	"airstrip/internal/wallet"
)

// State is where a merge stands.
type State string

// The states of a merge. Only a waiting one changes.
const (
	Waiting  State = "waiting" // for a second member of staff
	Done     State = "done"
	Declined State = "declined"
)

// Merge is one account that becomes part of another one.
type Merge struct {
	bun.BaseModel `bun:"table:account_merge"`
	ID            int64 `bun:",pk,autoincrement"`
	FromID        int64
	IntoID        int64
	Balance       money.Amount // that moved; while it waits, that was there when it was made
	Commission    money.Amount // released, the same
	Reason        string       // for the audit log
	State         State
	MadeBy        *int64 // member of staff; nil: the operator
	CreatedAt     time.Time
	DecidedBy     *int64 // the second member
	EndedAt       *time.Time
}

func (m *Merge) ref() wallet.Reference { return wallet.Reference{Kind: "account_merge", ID: m.ID} }

func (m *Merge) worth() (money.Amount, error) { return m.Balance.Add(m.Commission) }

// ErrGrew is the fault of approving a merge that would move more than it said.
var ErrGrew = fault.Conflict("merge_grew", "该账号的余额已高于提交时；请拒绝，然后重新提交",
	"The account has more now than when the merge was made. Decline it and make it anew")

// Parts are what a merge needs of the other parts.
type Parts struct {
	DB        *db.DB
	Accounts  *account.Accounts
	Approvals *approval.Approvals
	Wallets   *wallet.Wallets
	Services  *service.Services
	Invites   *invite.Invites
	Shop      *shop.Shop
	Payments  *payment.Payments
	Tickets   *ticket.Tickets
	Console   *console.Console
}

// Merges are all merges of accounts.
type Merges struct{ p Parts }

// New returns the merges in p.DB.
func New(p Parts) *Merges { return &Merges{p} }

// Wish is a merge that somebody asks for.
type Wish struct {
	FromID int64  // the account that ends
	IntoID int64  // the one that stays
	Email  string // of the account that ends, typed again
	Reason string
	MadeBy *int64 // nil: the operator
}

// Merge makes one account part of another one. What is worth more than the member may give alone on a day waits for a
// second one: approval.ErrSecondMember. Where either account has something that waits or runs: ErrBlocked, which names
// all of it. Invalid input names the fields email, reason and into_id.
func (m *Merges) Merge(ctx context.Context, w Wish) error {
	if err := audit.CheckReason(&w.Reason); err != nil {
		return err
	}
	done, err := idempotency.Tx(ctx, m.p.DB, func(ctx context.Context, tx bun.Tx) (bool, error) {
		return m.propose(ctx, tx, w)
	})
	if err == nil && !done {
		err = approval.ErrSecondMember
	}
	return err
}

// propose keeps the merge, and carries it out where the member may do that alone.
func (m *Merges) propose(ctx context.Context, tx bun.Tx, w Wish) (done bool, err error) {
	if err := m.p.Approvals.Lock(ctx, tx, w.MadeBy); err != nil {
		return false, err
	}
	made := &Merge{
		FromID: w.FromID, IntoID: w.IntoID, Reason: w.Reason, State: Waiting, MadeBy: w.MadeBy, CreatedAt: m.p.DB.Now(),
	}
	from, err := m.admit(ctx, tx, made)
	if err != nil {
		return false, err
	}
	if account.NormalEmail(w.Email) != from.Email {
		return false, fault.Invalid("email", "mismatch", "与要合并的账号的邮箱不一致",
			"This is not the address of the account that ends")
	}
	worth, err := made.worth()
	if err != nil {
		return false, err
	}
	if _, err := tx.NewInsert().Model(made).Exec(ctx); err != nil {
		return false, db.Error(err)
	}
	alone, err := m.p.Approvals.Propose(ctx, tx, approval.Act{
		Kind: approval.AccountMerge, ReferenceID: made.ID, MadeBy: w.MadeBy, Beneficiary: w.IntoID, Worth: worth,
		Reason: w.Reason, Gives: map[string]any{
			"from_id": w.FromID, "into_id": w.IntoID, "balance": made.Balance, "commission": made.Commission,
		},
	})
	if err != nil || !alone {
		return false, err
	}
	return true, m.carryOut(ctx, tx, made)
}

// Decide carries out, as a second member of staff, a merge that waits, or drops it. One that would move more by now
// than it said is ErrGrew. by is nil for the operator.
func (m *Merges) Decide(ctx context.Context, id int64, approve bool, by *int64) error {
	return m.p.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		waits := &Merge{ID: id}
		if err := tx.NewSelect().Model(waits).WherePK().Scan(ctx); err != nil {
			return err
		}
		if approve {
			if err := m.readmit(ctx, tx, waits); err != nil {
				return err
			}
		}
		if err := m.p.Approvals.Decide(ctx, tx, approval.AccountMerge, id, approve, by); err != nil {
			return err
		}
		waits.DecidedBy = by
		if approve {
			return m.carryOut(ctx, tx, waits)
		}
		waits.State, waits.EndedAt = Declined, new(m.p.DB.Now())
		return update(ctx, tx, waits)
	})
}

// readmit looks anew at what a merge that waits would do.
func (m *Merges) readmit(ctx context.Context, tx bun.Tx, waits *Merge) error {
	if waits.State != Waiting {
		return approval.ErrNotWaiting
	}
	act, err := m.p.Approvals.Waits(ctx, tx, approval.AccountMerge, waits.ID)
	if err != nil {
		return err
	}
	if _, err := m.admit(ctx, tx, waits); err != nil {
		return err
	}
	worth, err := waits.worth()
	if err == nil && act != nil && worth > act.Worth {
		err = ErrGrew
	}
	return err
}

// carryOut moves what moves and closes the account that ends. Both are locked, and nothing of them waits.
func (m *Merges) carryOut(ctx context.Context, tx bun.Tx, made *Merge) error {
	made.State, made.EndedAt = Done, new(m.p.DB.Now())
	if err := update(ctx, tx, made); err != nil {
		return err
	}
	from, into := made.FromID, made.IntoID
	if err := m.p.Wallets.MoveAll(ctx, tx, from, into, made.ref()); err != nil {
		return err
	}
	if err := m.p.Invites.MoveTo(ctx, tx, from, into); err != nil {
		return err
	}
	invited, err := m.p.Accounts.TakeInvited(ctx, tx, from, into)
	if err != nil {
		return err
	}
	if err := m.p.Tickets.MoveTo(ctx, tx, from, into); err != nil {
		return err
	}
	if err := m.p.Console.MoveTo(ctx, tx, from, into); err != nil {
		return err
	}
	moved := map[string]any{"balance": made.Balance, "commission": made.Commission, "invited": invited}
	for user, other := range map[int64]map[string]any{
		from: {"merged_into": into, "moved": moved}, into: {"merged_from": from, "moved": moved},
	} {
		if err := audit.Record(ctx, tx, string(permission.UserMerge), audit.ID("user", user), nil, other,
			made.Reason); err != nil {
			return err
		}
	}
	return m.p.Accounts.CloseEmpty(ctx, tx, from)
}

func update(ctx context.Context, tx bun.Tx, made *Merge) error {
	_, err := tx.NewUpdate().Model(made).Column("balance", "commission", "state", "decided_by", "ended_at").WherePK().
		Exec(ctx)
	return db.Error(err)
}

// Of returns the merges that were carried out with the user on either side, oldest first.
func (m *Merges) Of(ctx context.Context, userID int64) (merges []Merge, err error) {
	err = m.p.DB.NewSelect().Model(&merges).Where("(from_id = ?0 OR into_id = ?0) AND state = ?1", userID, Done).
		OrderExpr("id").Scan(ctx)
	return merges, err
}
