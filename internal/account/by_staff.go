package account

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/money"
	"airstrip/internal/permission"
)

// ErrOnStaff is the fault of acting on a member of staff without permission.StaffChange, or on one who may do more.
var ErrOnStaff = fault.Forbidden("staff_protected_account", "你无权对此工作人员的账号进行此操作",
	"You may not do this to the account of this member of staff")

// What follows is done to a user by a member of staff; the zero Identity is the operator. Whoever acts on a member of
// staff needs permission.StaffChange besides: ErrOnStaff.

// actedOn locks the row of a user whose account is open and whom by may act on.
func actedOn(ctx context.Context, tx bun.Tx, by Identity, needs permission.Permission, userID int64) (row, error) {
	r, err := findLocked(ctx, tx, "id = ?", userID)
	if err == nil {
		err = r.open()
	}
	if err != nil {
		return r, err
	}
	return r, by.admittedTo(ctx, tx, needs, r)
}

// admittedTo returns ErrOnStaff where the member of staff may not do to the user what needs the permission.
func (i Identity) admittedTo(ctx context.Context, idb bun.IDB, needs permission.Permission, user row) error {
	if i.UserID == 0 {
		return nil
	}
	may, err := i.mayActOn(ctx, idb, needs, user)
	if err == nil && !may {
		err = ErrOnStaff
	}
	return err
}

// Invite makes an account that has no password yet and sends its user a mail to set one. Invalid input names the
// fields email and name.
func (a *Accounts) Invite(ctx context.Context, by Identity, email, name string, lang fault.Lang) (User, error) {
	r := newRow(email, name)
	if r.Name == "" {
		r.Name = nameOf(r.Email)
	}
	if err := invalid(checkEmail(r.Email, nil), checkName(r.Name)); err != nil {
		return User{}, err
	}
	r.Lang = lang
	u, err := a.add(ctx, r)
	if err != nil {
		return u, err
	}
	return u, a.EmailCodes.SendReset(ctx, by, u.ID, "")
}

// nameOf returns the name of a user who gave none: the address up to the @.
func nameOf(email string) string {
	name, _, _ := strings.Cut(email, "@")
	return string([]rune(name)[:min(32, len([]rune(name)))])
}

// SendReset mails the user a code to set another password, as if they had asked for it, whatever was asked for today.
func (e *EmailCodes) SendReset(ctx context.Context, by Identity, userID int64, reason string) error {
	return e.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := actedOn(ctx, tx, by, permission.UserRecover, userID)
		if err != nil {
			return err
		}
		content, err := e.make(ctx, tx, presentedCode{purpose: ForForgotPassword, email: r.Email}, Client{})
		if err != nil {
			return err
		}
		if err := e.mails.Send(ctx, tx, mail.Message{
			To: r.Email, Lang: r.Lang, Content: content, Until: e.db.Now().Add(codeLife),
		}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "user.password.mail", audit.ID("user", r.ID), nil,
			map[string]any{"mailed_to": r.Email}, reason)
	})
}

// EndAllOf ends all sessions of the user and visits to them, and returns how many sessions there were.
func (ss *Sessions) EndAllOf(ctx context.Context, by Identity, userID int64, reason string) (ended int, err error) {
	err = ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := actedOn(ctx, tx, by, permission.UserRecover, userID)
		if err != nil {
			return err
		}
		if ended, err = ss.end(ctx, tx, "account_id = ?", r.ID); err != nil {
			return err
		}
		if _, err := ss.visits.end(ctx, tx, endedByStaff, "account_id = ?", r.ID); err != nil {
			return err
		}
		if err := ss.history.noteBy(ctx, tx, r.ID, OtherSessionsEnded, Client{}, by.staffID()); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "user.sessions.end", audit.ID("user", r.ID), map[string]any{"sessions": ended},
			map[string]any{"sessions": 0}, reason)
	})
	return ended, err
}

// EndOneOf ends one session of the user, or returns ErrNoSession.
func (ss *Sessions) EndOneOf(ctx context.Context, by Identity, userID int64, id uuid.UUID, reason string) error {
	return ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := actedOn(ctx, tx, by, permission.UserRecover, userID)
		if err != nil {
			return err
		}
		ended, err := ss.endOne(ctx, tx, r.ID, id, endedByStaff)
		if err != nil {
			return err
		}
		if ended == 0 {
			return ErrNoSession
		}
		if err := ss.history.noteBy(ctx, tx, r.ID, SessionEnded, Client{}, by.staffID()); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "user.sessions.end", audit.ID("user", r.ID), map[string]any{"session": id},
			map[string]any{"session": nil}, reason)
	})
}

// Of returns the running sessions of a user, by their last use.
func (ss *Sessions) Of(ctx context.Context, userID int64) ([]SignedInDevice, error) {
	return ss.Devices(ctx, Identity{UserID: userID})
}

// TurnOffFor turns the second factor of a user off who has lost it. All sessions and API tokens of the user end, and
// the user gets a mail. Where it is not on: ErrTwoFactorOff.
func (tf *TwoFactor) TurnOffFor(ctx context.Context, by Identity, userID int64, reason string) error {
	return tf.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := actedOn(ctx, tx, by, permission.UserTwoFactorOff, userID)
		if err != nil {
			return err
		}
		switch t, err := tf.verifier.totpOf(ctx, tx, r.ID); {
		case err != nil:
			return err
		case t == nil:
			return ErrTwoFactorOff
		}
		if err := tf.forget(ctx, tx, r.ID); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "user.two_factor.off", audit.ID("user", r.ID),
			map[string]any{"two_factor": true}, map[string]any{"two_factor": false}, reason); err != nil {
			return err
		}
		change := tf.change(TwoFactorOff, Identity{}, Client{})
		change.by, change.keep = by.staffID(), uuid.Nil
		return tf.credentials.recordChange(ctx, tx, r, change, Client{})
	})
}

// On tells whether the second factor of a user is on.
func (tf *TwoFactor) On(ctx context.Context, userID int64) (bool, error) {
	t, err := tf.verifier.totpOf(ctx, tf.db, userID)
	return t != nil, err
}

// CloseFor closes the account of a user for good, as Close does, a banned one too. email is the user's address, typed
// again; forfeit is the money that the user loses. Invalid input names the fields email and forfeit.
func (a *Accounts) CloseFor(ctx context.Context, by Identity, userID int64, email string, forfeit money.Amount,
	reason string,
) error {
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := LockToClose(ctx, tx, userID); err != nil {
			return err
		}
		r, err := actedOn(ctx, tx, by, permission.UserClose, userID)
		if err != nil {
			return err
		}
		if err := invalid(checkTypedEmail(r.Email, email)); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "user.close", audit.ID("user", r.ID),
			map[string]any{"closed": false}, map[string]any{"closed": true, "forfeited": forfeit}, reason); err != nil {
			return err
		}
		return a.closeRow(ctx, tx, r, forfeit, Client{Lang: r.Lang})
	})
}

// open is ErrClosed where the account is closed.
func (r row) open() error {
	if r.ClosedAt != nil {
		return ErrClosed
	}
	return nil
}

// MayActOn returns ErrOnStaff where by may not do to the user what needs the permission, ErrNoUser where there is no
// such user, and ErrClosed where the account is closed.
func (a *Accounts) MayActOn(ctx context.Context, by Identity, needs permission.Permission, userID int64) error {
	r, err := find(ctx, a.db, "id = ?", userID)
	if err == nil {
		err = r.open()
	}
	if err != nil {
		return err
	}
	return by.admittedTo(ctx, a.db, needs, r)
}

// BanIn bans a user now as part of tx, for a job that a member of staff made; nil is the operator. No member of staff
// is banned by a job: ErrOnStaff.
func (b *Bans) BanIn(ctx context.Context, tx bun.Tx, t BanTask, by *int64) error {
	now := b.db.Now()
	t.CreatedAt, t.StartsAt, t.MadeBy = now, now, by
	if t.EndsAt != nil {
		t.EndsAt = new(t.EndsAt.UTC().Truncate(time.Millisecond))
	}
	r, err := find(ctx, tx, "id = ? AND closed_at IS NULL", t.AccountID)
	if err == nil && r.Role != "" {
		err = ErrOnStaff
	}
	if err != nil {
		return err
	}
	if _, err := tx.NewInsert().Model(&t).Exec(ctx); err != nil {
		return err
	}
	return b.applyTo(ctx, tx, r.ID)
}
