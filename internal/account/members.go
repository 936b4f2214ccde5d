package account

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/role"
)

// Faults of giving roles.
var (
	// ErrLastOwnerRole is returned where the role of the only owner is changed: a site without one has nobody who may
	// give roles but the operator.
	ErrLastOwnerRole = fault.Conflict("last_owner_role", "这是唯一未被封禁的站长，请先指定另一位站长",
		"This is the only owner without a ban; make somebody else one first")
	// ErrMemberBeyond refuses to change the role of a member who may do more than who changes it.
	ErrMemberBeyond = fault.Forbidden("member_beyond_own_permissions", "此成员的权限超出了你自己的权限",
		"This member may do what you may not do yourself")
	ErrNoMember = fault.NotFound("member_not_found", "没有这位工作人员", "There is no such member of staff")
	errMember   = fault.Invalid("email", "member", "该用户已是工作人员", "This user is a member of staff already")
)

// SetRole makes the user a member of staff, or with an empty role no longer one. It takes effect with their next call.
// The only owner stays one.
func (a *Accounts) SetRole(ctx context.Context, email string, to Role) error {
	return changeByEmail(ctx, a.db, email, func(ctx context.Context, tx bun.Tx, r row) error {
		return a.setRole(ctx, tx, Identity{}, r, to, "")
	})
}

// AddMember makes the user with this address a member of staff and returns their id. Nobody gives a role that goes
// beyond their own permissions: role.ErrBeyond. Invalid input names the fields email and role.
func (a *Accounts) AddMember(ctx context.Context, by Identity, email string, to Role, reason string) (int64, error) {
	if to == "" {
		return 0, errRole
	}
	var id int64
	err := changeByEmail(ctx, a.db, email, func(ctx context.Context, tx bun.Tx, r row) error {
		if r.Role != "" {
			return errMember
		}
		id = r.ID
		return a.setRole(ctx, tx, by, r, to, reason)
	})
	if errors.Is(err, ErrNoUser) {
		err = fault.Invalid("email", "unknown", "没有使用该邮箱的用户", "Nobody has an account with this address")
	}
	return id, err
}

// ChangeMember gives a member of staff another role, or with an empty one ends their membership. Nobody changes the
// role of who may do more, nor gives one that goes beyond their own permissions: ErrMemberBeyond, role.ErrBeyond.
func (a *Accounts) ChangeMember(ctx context.Context, by Identity, id int64, to Role, reason string) error {
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := findLocked(ctx, tx, "id = ? AND role <> ''", id)
		if errors.Is(err, ErrNoUser) {
			err = ErrNoMember
		}
		if err != nil {
			return err
		}
		return a.setRole(ctx, tx, by, r, to, reason)
	})
}

// setRole gives the user whose row is locked another role. The zero Identity is the operator.
func (a *Accounts) setRole(ctx context.Context, tx bun.Tx, by Identity, r row, to Role, reason string) error {
	if err := checkRole(ctx, tx, to); err != nil {
		return err
	}
	if by.UserID != 0 {
		switch has, err := by.covers(ctx, tx, r.Role); {
		case err != nil:
			return err
		case !has:
			return ErrMemberBeyond
		}
		switch gives, err := by.covers(ctx, tx, to); {
		case err != nil:
			return err
		case !gives:
			return role.ErrBeyond
		}
	}
	if to != Owner {
		switch left, err := hasOtherOwner(ctx, tx, r); {
		case err != nil:
			return err
		case !left:
			return ErrLastOwnerRole
		}
	}
	was := r.Role
	r.Role = to
	if _, err := tx.NewUpdate().Model(&r).Column("role").WherePK().Exec(ctx); err != nil {
		if err = db.Error(err); errors.Is(err, db.ErrForeignKey) { // the role was removed meanwhile
			err = errRole
		}
		return err
	}
	if err := noteOwner(ctx, tx, r); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, "staff.role", audit.ID("user", r.ID), map[string]any{"role": was},
		map[string]any{"role": to}, reason); err != nil {
		return err
	}
	return a.Visits.endLostOf(ctx, tx, r.ID)
}

var errRole = fault.Invalid("role", "choice", "没有这个角色", "There is no such role")

// checkRole returns a fault of the field role where members cannot have it. Everybody can be without one.
func checkRole(ctx context.Context, idb bun.IDB, to Role) error {
	if to == "" {
		return nil
	}
	exists, err := role.Exists(ctx, idb, to)
	if err == nil && !exists {
		err = errRole
	}
	return err
}

// Covers tells whether who has all that a role gives.
func (a *Accounts) Covers(ctx context.Context, who Identity, of Role) (bool, error) {
	return who.covers(ctx, a.db, of)
}

// Member is a member of staff.
type Member struct {
	ID            int64
	Email, Name   string
	Role          Role
	Banned        bool
	Authenticator bool // whether codes of an app are asked for
	Passkeys      int
	Sessions      int        // that run
	SeenAt        *time.Time // the last sign-in or refresh
}

// Members returns all members of staff by their addresses.
func (a *Accounts) Members(ctx context.Context) ([]Member, error) {
	var members []Member
	if err := a.db.NewRaw(`SELECT a.id, a.email, a.name, a.role, a.banned_at IS NOT NULL AS banned,
		a.signed_in_at AS seen_at,
		EXISTS (SELECT 1 FROM totp t WHERE t.account_id = a.id AND t.confirmed_at IS NOT NULL) AS authenticator,
		(SELECT COUNT(*) FROM passkey p WHERE p.account_id = a.id AND p.suspected_at IS NULL) AS passkeys
		FROM account a WHERE a.role <> '' ORDER BY a.email`).Scan(ctx, &members); err != nil {
		return nil, err
	}
	at := map[int64]*Member{}
	ids := make([]int64, len(members))
	for i := range members {
		at[members[i].ID], ids[i] = &members[i], members[i].ID
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var sessions []session
	if err := a.db.NewSelect().Model(&sessions).Where("account_id IN (?) AND ended_at IS NULL AND expires_at > ?",
		bun.List(ids), a.db.Now()).Scan(ctx); err != nil {
		return nil, err
	}
	for _, s := range sessions {
		m := at[s.AccountID]
		if m.SeenAt == nil || m.SeenAt.Before(s.SeenAt) {
			m.SeenAt = &s.SeenAt
		}
		if _, over := a.Sessions.roles.sessionEnd(m.Role, s.CreatedAt, s.SeenAt); !over {
			m.Sessions++
		}
	}
	return members, nil
}
