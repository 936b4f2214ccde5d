package account

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// stepUpLife is how long a session may do what is dangerous after its user showed the password or a passkey.
const stepUpLife = 10 * time.Minute

// ErrStepUp refuses something dangerous to a session in which neither the password nor a passkey was shown of late.
var ErrStepUp = fault.Forbidden("step_up_required", "此操作需要重新验证身份：请输入密码或使用通行密钥",
	"This asks you to show again who you are: please enter your password or use a passkey")

// stillProved tells whether a proof is recent.
func (ss *Sessions) stillProved(at bun.NullTime) bool {
	return !at.IsZero() && ss.db.Now().Sub(at.Time) < stepUpLife
}

// Admit returns nil where the caller may do what needs the permission, and otherwise why not. What is dangerous, by its
// permission or by itself, asks for a password or a passkey that this very session showed of late; a sign-in with one
// counts. An API token shows none: those of staff open nothing but the routes of their scope, which do not ask here,
// and who made one showed the password for it.
func (i Identity) Admit(needs permission.Permission, dangerous bool) error {
	switch {
	case !i.Role.Has(needs):
		return cmp.Or[error](i.refusal, permission.ErrRefused)
	case (dangerous || needs.Dangerous()) && !i.Proved:
		return ErrStepUp
	}
	return nil
}

// StepUp records that the caller's session shows the password and, where it is on, the second factor. Invalid input
// names the fields password, code.
func (si *SignIns) StepUp(ctx context.Context, who Identity, password, code string, from Client) error {
	u, err := userByID(ctx, si.db, who.UserID)
	if err != nil {
		return err
	}
	from = from.within(who)
	err = si.verifier.prove(ctx, u.Email, password, si.verifier.secondFactor(code, from), from,
		func(ctx context.Context, tx bun.Tx, _ row) error { return si.sessions.proved(ctx, tx, who, "password") })
	return atFields(err, "password", "code")
}

// StepUp records that the caller's session shows a passkey of the caller, which answered a challenge of BeginSignIn.
func (p *Passkeys) StepUp(ctx context.Context, who Identity, response json.RawMessage, from Client) error {
	return p.use(ctx, response, from, func(ctx context.Context, tx bun.Tx, r row) error {
		if r.ID != who.UserID {
			return ErrPasskeyInvalid
		}
		return p.signIns.sessions.proved(ctx, tx, who, "passkey")
	})
}

// proved notes a proof of the session's own user. A session that ended meanwhile is not revived.
func (ss *Sessions) proved(ctx context.Context, tx bun.Tx, who Identity, by string) error {
	n, err := db.Changed(tx.NewUpdate().Model((*session)(nil)).Set("proved_at = ?", ss.db.Now()).
		Where("id = ? AND account_id = ? AND ended_at IS NULL", who.SessionID, who.UserID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrSignedOut
	}
	if err != nil {
		return err
	}
	return audit.Record(ctx, tx, "staff.step_up", audit.ID("user", who.UserID), nil, map[string]any{"by": by}, "")
}
