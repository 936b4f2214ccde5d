package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/invite"
)

// inviteQuotaUsedUp returns the fault of an invite code whose user may invite nobody else; nil where they may.
func (s *SignUps) inviteQuotaUsedUp(ctx context.Context, idb bun.IDB, inviter int64) (*fault.Field, error) {
	left, err := invite.Remaining(ctx, idb, s.settings.Get(), inviter)
	if err != nil || left == nil || *left > 0 {
		return nil, err
	}
	return field("invite_code", "invite_code_used_up", "该邀请码的名额已用完", "The invites of this code are used up"), nil
}

// consumeInvite makes other sign-ups with the same inviter wait until tx ends, and returns a fault where the inviter's
// quota is used up.
func (s *SignUps) consumeInvite(ctx context.Context, tx bun.Tx, inviter *int64) error {
	if inviter == nil || s.settings.Get().InviteQuota < 0 {
		return nil
	}
	if _, err := tx.NewRaw(`UPDATE account SET invited_by = invited_by WHERE id = ?`, *inviter).Exec(ctx); err != nil {
		return err
	}
	used, err := s.inviteQuotaUsedUp(ctx, tx, *inviter)
	if err != nil {
		return err
	}
	return invalid(used)
}
