package account

import (
	"cmp"
	"context"
	"errors"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/seal"

	"github.com/uptrace/bun"
)

// verifier checks passwords and second factors.
type verifier struct {
	db      *db.DB
	key     seal.Key
	hasher  *hasher
	limits  *attemptLimits
	history *History
}

// prove checks a password and then, with second, what else is required. Where both are right it runs then in the same
// transaction, otherwise it records the failure. The limits are checked twice: before the password is hashed, to spare
// the work, and when the result is known, since simultaneous tries may have used them up.
func (v *verifier) prove(
	ctx context.Context, email, password string, second func(context.Context, bun.Tx, row) error, from Client,
	then func(context.Context, bun.Tx, row) error,
) error {
	if len(password) > maxTypedPassword {
		return fault.Invalid("password", "too_long", "密码过长", "The password is too long")
	}
	if err := v.limits.admit(ctx, v.db, email, from); err != nil {
		return err
	}
	guesses, err := v.limits.passwordAllowance(ctx, v.db, email, from)
	if err != nil {
		return err
	}
	if ok, wait, err := v.limits.remaining(ctx, v.db, guesses); err != nil || !ok {
		return cmp.Or(err, v.limits.demandCaptcha(ctx, wait, from))
	}
	r, err := find(ctx, v.db, "email = ?", email)
	if err != nil && !errors.Is(err, ErrNoUser) {
		return err
	}
	costs, err := v.costs(ctx)
	if err != nil {
		return err
	}
	ok, err := v.hasher.matches(ctx, shareOf(email, from), password, r.Password, costs)
	if err != nil {
		return err
	}
	stored := r.Password
	if ok && v.hasher.outdated(stored) {
		if stored, err = v.hasher.hash(ctx, share{}, normalPassword(password)); err != nil {
			return err
		}
	}
	var refused error
	err = v.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := v.limits.admit(ctx, tx, email, from); err != nil {
			return err
		}
		left, wait, err := v.limits.consumeGuess(ctx, tx, guesses)
		if err != nil || !left { // whether the password is right is not revealed
			return cmp.Or(err, v.limits.demandCaptcha(ctx, wait, from))
		}
		refused = ErrWrongCredentials
		if ok {
			if err := v.limits.returnGuess(ctx, tx, guesses); err != nil {
				return err
			}
			// The password may have been changed, or a second factor turned on, while this one was hashed.
			n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("password = ?", stored).
				Where("id = ? AND credentials_version = ?", r.ID, r.CredentialsVersion).Exec(ctx))
			if err != nil {
				return err
			}
			if n == 0 {
				return ErrCredentialsChanged
			}
			refused = second(ctx, tx, r)
		}
		switch {
		case refused == nil:
			return then(ctx, tx, r)
		case errors.Is(refused, ErrWrongCredentials):
			return v.history.recordSignIn(ctx, tx, email, from, WrongPassword)
		case errors.Is(refused, ErrWrongTwoFactor):
			return v.history.recordSignIn(ctx, tx, email, from, WrongTwoFactor)
		}
		return refused
	})
	return cmp.Or(err, refused)
}

// withLockedAccount runs fn in a transaction in which the account that whose returns is locked, so that checks of a
// second factor come one after another. Where fn returns ErrWrongTwoFactor its changes are undone, and the guess
// counts.
func (v *verifier) withLockedAccount(
	ctx context.Context, code string, from Client, whose func(context.Context, bun.Tx) (row, error),
	fn func(context.Context, bun.Tx) error,
) error {
	var refused error
	err := v.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		refused = nil
		r, err := whose(ctx, tx)
		if err != nil && !errors.Is(err, ErrNoUser) {
			return err
		}
		known := err == nil
		if _, err := tx.NewRaw(`UPDATE account SET lang = lang WHERE id = ?`, r.ID).Exec(ctx); err != nil {
			return err
		}
		err = tx.RunInTx(ctx, nil, fn) // a savepoint
		if !known || !errors.Is(err, ErrWrongTwoFactor) {
			return err
		}
		refused = err
		if sixDigits.MatchString(normalTwoFactor(code)) {
			if _, _, err := v.limits.consumeGuess(ctx, tx, twoFactorAllowance(r.ID, from)); err != nil {
				return err
			}
		}
		return v.history.recordSignIn(ctx, tx, r.Email, from, WrongTwoFactor)
	})
	return cmp.Or(err, refused)
}

// proveBoth runs then for a user with a second factor who proves the password and a code.
func (v *verifier) proveBoth(
	ctx context.Context, who Identity, password, code string, from Client,
	then func(context.Context, bun.Tx, row) error,
) error {
	u, err := userByID(ctx, v.db, who.UserID)
	if err != nil {
		return err
	}
	t, err := v.totpOf(ctx, v.db, u.ID)
	if err != nil {
		return err
	}
	if t == nil {
		return ErrTwoFactorOff
	}
	return atFields(v.prove(ctx, u.Email, password, v.secondFactor(code, from.within(who)), from.within(who), then),
		"password", "code")
}

// secondFactor returns the check of the second factor for prove. It accepts an account that has none, and otherwise
// returns ErrTwoFactorRequired or ErrWrongTwoFactor.
func (v *verifier) secondFactor(code string, from Client) func(context.Context, bun.Tx, row) error {
	code = normalTwoFactor(code)
	return func(ctx context.Context, tx bun.Tx, r row) error {
		t, err := v.totpOf(ctx, tx, r.ID)
		if err != nil || t == nil {
			return err
		}
		if code == "" {
			return ErrTwoFactorRequired
		}
		var ok bool
		if sixDigits.MatchString(code) {
			// Six digits can be guessed. Recovery codes cannot, so they are not limited.
			ok, err = v.guessDigits(ctx, tx, twoFactorAllowance(r.ID, from),
				func() (bool, error) { return v.consumeDigits(ctx, tx, t, code) })
		} else {
			ok, err = v.consumeRecoveryCode(ctx, tx, r.ID, code, from)
		}
		if err == nil && !ok {
			err = ErrWrongTwoFactor
		}
		return err
	}
}

// atFields reports faults of password and code at fields, as a signed-in caller expects them: they do not mean that the
// session has ended.
func atFields(err error, password, code string) error {
	for name, wrong := range map[string][]*fault.Error{
		password: {ErrWrongCredentials},
		code:     {ErrWrongTwoFactor, ErrTwoFactorRequired},
	} {
		for _, f := range wrong {
			if errors.Is(err, f) {
				text := f.Text
				if f == ErrWrongCredentials {
					text = fault.Text{ZH: "密码不正确", EN: "The password is wrong"}
				}
				return fault.ErrInvalid.In(fault.Field{Name: name, Code: f.Code, Text: text})
			}
		}
	}
	return err
}

// noSecond is for calls of prove where the user is signed in and the password is enough.
func noSecond(context.Context, bun.Tx, row) error { return nil }

// atTwoFactor reports faults of the second factor at the field of the sign-in form.
func atTwoFactor(err error) error {
	for _, f := range []*fault.Error{ErrTwoFactorRequired, ErrWrongTwoFactor} {
		if errors.Is(err, f) {
			return f.In(fault.Field{Name: "two_fa_code", Code: f.Code, Text: f.Text})
		}
	}
	return err
}
