package account

import (
	"context"

	"airstrip/internal/fault"
)

// ErrStaffTwoFactor is the fault of a staff operation where the site makes its staff use a second factor and the caller
// has none yet.
var ErrStaffTwoFactor = fault.Forbidden("staff_two_factor_required", "本站要求工作人员启用两步验证：请先在账号安全中开启两步验证或添加通行密钥", "This site makes its staff use a second factor: please turn on two-step sign-in or add a passkey in your account's security settings first")

// inEffect gives the role that takes effect: none while the site makes staff use a second factor and this one has none.
func (a *Accounts) inEffect(ctx context.Context, userID int64, role Role) (Role, error) {
	if role == "" || !a.settings.Get().StaffTwoFactor {
		return role, nil
	}
	var has bool
	err := a.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM totp WHERE account_id = ?0 AND confirmed_at IS NOT NULL)
		OR EXISTS (SELECT 1 FROM passkey WHERE account_id = ?0 AND suspected_at IS NULL)`, userID).Scan(ctx, &has)
	if err != nil || !has {
		return "", err
	}
	return role, nil
}

// withhold takes a role that is not in effect from who, and keeps it as Withheld.
func (a *Accounts) withhold(ctx context.Context, who Identity) (Identity, error) {
	role, err := a.inEffect(ctx, who.UserID, who.Role)
	if err == nil && role != who.Role {
		who.Role, who.Withheld = role, who.Role
	}
	return who, err
}

// Refusal is what a member of staff is told who would have a role: ErrStaffTwoFactor; nil for everybody else.
func (i Identity) Refusal() error {
	if i.Withheld == "" {
		return nil
	}
	return ErrStaffTwoFactor
}
