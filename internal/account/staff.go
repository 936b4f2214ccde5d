package account

import (
	"context"
	"net/netip"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/role"
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

// ErrStaffNetwork refuses a staff operation from an address that is not on the site's list for staff.
var ErrStaffNetwork = fault.Forbidden("staff_network", "本站只允许工作人员从指定网络执行操作，你当前的地址不在其中",
	"This site lets its staff act from some networks only, and your present address is in none of them")

// staffRoles decides which staff roles take effect.
type staffRoles struct {
	db       *db.DB
	settings *setting.Settings
}

// inEffect returns the role that takes effect and, where it is empty, the reason: the member is banned, or the site
// requires a second factor of its staff and the member has none.
func (s *staffRoles) inEffect(ctx context.Context, idb bun.IDB, userID int64, has Role, banned bool,
) (Role, error, error) {
	if has == "" {
		return "", nil, nil
	}
	if banned {
		return "", ErrStaffBanned, nil
	}
	if !s.settings.Get().StaffTwoFactor {
		return has, nil, nil
	}
	var hasFactor bool
	err := idb.NewRaw(`SELECT EXISTS (SELECT 1 FROM totp WHERE account_id = ?0 AND confirmed_at IS NOT NULL)
		OR EXISTS (SELECT 1 FROM passkey WHERE account_id = ?0 AND suspected_at IS NULL)`, userID).Scan(ctx, &hasFactor)
	if err != nil {
		return "", nil, err
	}
	if !hasFactor {
		return "", ErrStaffTwoFactor, nil
	}
	return has, nil, nil
}

// withhold reads what the role of who may do. It removes a role that is not in effect from who, keeps it as Withheld
// with the reason, and notes the ban and the address of the call.
func (s *staffRoles) withhold(ctx context.Context, who Identity, banned bool) (Identity, error) {
	who.banned, who.address = banned, addressIn(ctx)
	if who.Role == "" {
		return who, nil
	}
	var err error
	if who.own, who.revision, err = role.At(ctx, s.db, who.Role); err != nil {
		return who, err
	}
	inEffect, refusal, err := s.inEffect(ctx, s.db, who.UserID, who.Role, banned)
	if err == nil && refusal == nil && !s.settings.Get().StaffMayCallFrom(who.address) {
		inEffect, refusal = "", ErrStaffNetwork
	}
	if err == nil && inEffect != who.Role {
		who.Role, who.Withheld, who.refusal = inEffect, who.Role, refusal
	}
	return who, err
}

type addressKey struct{}

// At returns the context of a call from this address. A call without one comes from nowhere that is on a list.
func At(ctx context.Context, address netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

func addressIn(ctx context.Context) netip.Addr {
	address, _ := ctx.Value(addressKey{}).(netip.Addr)
	return address
}

// Refusal returns why a member of staff's role does not take effect: ErrStaffBanned, ErrStaffTwoFactor or
// ErrStaffNetwork; nil for everybody else.
func (i Identity) Refusal() error { return i.refusal }

// IsStaff tells whether the address is that of an account with a role, in effect or not.
func (a *Accounts) IsStaff(ctx context.Context, email string) (bool, error) {
	return a.db.NewSelect().Model((*row)(nil)).Where("email = ? AND role <> ''", NormalEmail(email)).Exists(ctx)
}

// Staff returns everybody who may do what needs the permission and is not banned, as part of tx.
func (a *Accounts) Staff(ctx context.Context, tx bun.Tx, needs permission.Permission) ([]User, error) {
	return staffWith(ctx, tx, needs)
}

// StaffWith is Staff outside of a transaction.
func (a *Accounts) StaffWith(ctx context.Context, needs permission.Permission) ([]User, error) {
	return staffWith(ctx, a.db, needs)
}

func staffWith(ctx context.Context, idb bun.IDB, needs permission.Permission) ([]User, error) {
	roles, err := role.With(ctx, idb, needs)
	if err != nil {
		return nil, err
	}
	var rows []row
	if err := idb.NewSelect().Model(&rows).
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
