package account

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/permission"
)

// stepUpLife is how long a session may do what is dangerous after its user showed the password or a passkey.
const stepUpLife = 10 * time.Minute

// Faults of proofs. ErrStepUp refuses something dangerous to a session in which neither the password nor a passkey was
// shown of late.
var (
	ErrStepUp = fault.Forbidden("step_up_required", "此操作需要重新验证身份：请输入密码或使用通行密钥",
		"This asks you to show again who you are: please enter your password or use a passkey")
	ErrStepUpByCode = fault.Conflict("step_up_other_way", "你的账号不能用邮箱验证码验证身份，请使用密码或通行密钥",
		"An e-mailed code is not enough for your account; please use the password or a passkey")
)

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
	case !i.Has(needs):
		return cmp.Or[error](i.refusal, permission.ErrRefused)
	case (dangerous || needs.Dangerous()) && !i.Proved:
		return ErrStepUp
	}
	return nil
}

// AdmitProved is Admit for what users may do to their own accounts: nil where this very session showed of late who uses
// it. An API token shows nothing and is refused.
func (i Identity) AdmitProved() error {
	switch {
	case i.apiTokenID != 0:
		return ErrTokenScope
	case !i.Proved:
		return ErrStepUp
	}
	return nil
}

// StepUpWays are the ways in which a user can show who they are.
type StepUpWays struct {
	Password  bool
	Passkey   bool
	EmailCode bool // where there is no other way, and never for staff
	TwoFactor bool // whether the password and the mailed code need the second factor besides
}

// StepUpWays returns the ways that the caller has. Who has a password or a passkey cannot use a mailed code: whoever
// finds a session open often finds the mailbox open too.
func (si *SignIns) StepUpWays(ctx context.Context, who Identity) (StepUpWays, error) {
	r, err := find(ctx, si.db, "id = ?", who.UserID)
	if err != nil {
		return StepUpWays{}, err
	}
	return si.stepUpWays(ctx, si.db, r)
}

func (si *SignIns) stepUpWays(ctx context.Context, idb bun.IDB, r row) (ways StepUpWays, err error) {
	ways.Password = r.Password != ""
	if ways.Passkey, err = idb.NewSelect().Model((*Passkey)(nil)).
		Where("account_id = ? AND suspected_at IS NULL", r.ID).Exists(ctx); err != nil {
		return ways, err
	}
	ways.EmailCode = !ways.Password && !ways.Passkey && r.Role == ""
	t, err := si.verifier.totpOf(ctx, idb, r.ID)
	ways.TwoFactor = t != nil
	return ways, err
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

// SendStepUpCode mails the caller a code for StepUpByCode, or returns ErrStepUpByCode.
func (si *SignIns) SendStepUpCode(ctx context.Context, who Identity, from Client) error {
	return si.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := si.withoutOtherWay(ctx, tx, who)
		if err != nil {
			return err
		}
		content, err := si.codes.issue(ctx, tx, stepUpCode(r), from)
		if err != nil {
			return err
		}
		return si.codes.mails.Send(ctx, tx,
			mail.Message{To: r.Email, Lang: from.Lang, Content: content, Until: si.db.Now().Add(codeLife)})
	})
}

// StepUpByCode records that the caller's session shows a code of SendStepUpCode and, where it is on, the second factor.
// The code is not consumed until both are right. Invalid input names the fields email_code, code.
func (si *SignIns) StepUpByCode(ctx context.Context, who Identity, emailCode, code string, from Client) error {
	from = from.within(who)
	var wrong error
	whose := func(ctx context.Context, tx bun.Tx) (row, error) { return find(ctx, tx, "id = ?", who.UserID) }
	err := si.verifier.withLockedAccount(ctx, code, from, whose, func(ctx context.Context, tx bun.Tx) error {
		r, err := si.withoutOtherWay(ctx, tx, who)
		if err != nil {
			return err
		}
		shown := stepUpCode(r)
		shown.code, shown.field = normalCode(emailCode), "email_code"
		if wrong, err = si.codes.redeem(ctx, tx, from, shown); err != nil || wrong != nil {
			return err
		}
		if err := si.verifier.secondFactor(code, from)(ctx, tx, r); err != nil {
			return err
		}
		return si.sessions.proved(ctx, tx, who, "email_code")
	})
	return cmp.Or(atFields(err, "password", "code"), wrong)
}

// withoutOtherWay returns the caller's row where a mailed code is their only way, and else ErrStepUpByCode.
func (si *SignIns) withoutOtherWay(ctx context.Context, tx bun.Tx, who Identity) (row, error) {
	r, err := find(ctx, tx, "id = ?", who.UserID)
	if err != nil {
		return r, err
	}
	ways, err := si.stepUpWays(ctx, tx, r)
	if err == nil && !ways.EmailCode {
		err = ErrStepUpByCode
	}
	return r, err
}

// stepUpCode is the code that is sent to the user. It is bound to the account, whose address may become another's.
func stepUpCode(r row) presentedCode {
	return presentedCode{purpose: forStepUp, email: r.Email, binding: strconv.FormatInt(r.ID, 10)}
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
