package account

import (
	"context"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/setting"

	"github.com/uptrace/bun"
)

// ErrStaffTwoFactor refuses a staff operation where the site requires a second factor of its staff and the caller has
// none.
var ErrStaffTwoFactor = fault.Forbidden("staff_two_factor_required", "本站要求工作人员启用两步验证：请先在账号安全中开启两步验证或添加通行密钥",
	"This site makes its staff use a second factor: please turn on two-step sign-in or add a passkey in your "+
		"account's security settings first")

// ErrStaffBanned refuses a staff operation while the caller is banned.
var ErrStaffBanned = fault.Forbidden("staff_banned", "你的账号已被封禁，封禁期间不能执行工作人员操作",
	"Your account is banned; while the ban runs you cannot act as a member of staff")

// staffRoles decides which staff roles take effect.
type staffRoles struct {
	db       *db.DB
	settings *setting.Settings
}

// inEffect returns the role that takes effect and, where it is empty, the reason: the member is banned, or the site
// requires a second factor of its staff and the member has none.
func (s *staffRoles) inEffect(ctx context.Context, userID int64, role Role, banned bool) (Role, error, error) {
	if role == "" {
		return "", nil, nil
	}
	if banned {
		return "", ErrStaffBanned, nil
	}
	if !s.settings.Get().StaffTwoFactor {
		return role, nil, nil
	}
	var has bool
	err := s.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM totp WHERE account_id = ?0 AND confirmed_at IS NOT NULL)
		OR EXISTS (SELECT 1 FROM passkey WHERE account_id = ?0 AND suspected_at IS NULL)`, userID).Scan(ctx, &has)
	if err != nil {
		return "", nil, err
	}
	if !has {
		return "", ErrStaffTwoFactor, nil
	}
	return role, nil, nil
}

// withhold removes a role that is not in effect from who, keeps it as Withheld with the reason, and notes the ban.
func (s *staffRoles) withhold(ctx context.Context, who Identity, banned bool) (Identity, error) {
	role, refusal, err := s.inEffect(ctx, who.UserID, who.Role, banned)
	who.banned = banned
	if err == nil && role != who.Role {
		who.Role, who.Withheld, who.refusal = role, who.Role, refusal
	}
	return who, err
}

// Refusal returns why a member of staff's role does not take effect: ErrStaffBanned or ErrStaffTwoFactor; nil for
// everybody else.
func (i Identity) Refusal() error { return i.refusal }

// IsStaff tells whether the address is that of an account with a role, in effect or not.
func (a *Accounts) IsStaff(ctx context.Context, email string) (bool, error) {
	return a.db.NewSelect().Model((*row)(nil)).Where("email = ? AND role <> ''", NormalEmail(email)).Exists(ctx)
}

// Staff returns everybody with one of the roles who is not banned.
func (a *Accounts) Staff(ctx context.Context, tx bun.Tx, roles []Role) ([]User, error) {
	var rows []row
	if err := tx.NewSelect().Model(&rows).
		Where("role IN (?) AND closed_at IS NULL AND banned_at IS NULL", bun.List(roles)).OrderExpr("id").
		Scan(ctx); err != nil {
		return nil, err
	}
	users := make([]User, len(rows))
	for i, r := range rows {
		users[i] = r.User
	}
	return users, nil
}
