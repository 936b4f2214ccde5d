package account

import (
	"cmp"
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/notify"
	"airstrip/internal/seal"
)

// SignIns checks what a person presents to sign in and begins the session.
type SignIns struct {
	db              *db.DB
	key             seal.Key
	notices         *notify.Notices
	limits          *attemptLimits
	verifier        *verifier
	codes           *EmailCodes
	sessions        *Sessions
	history         *History
	existenceChecks *limit.Limiter
}

// SignIn is what a person presents to sign in: a password, or a code that was sent by mail.
type SignIn struct {
	Email     string
	Password  string
	EmailCode string
	TwoFactor string // code of the app, or a recovery code; required where the second factor is on
	Remember  bool   // for 30 days after the last refresh instead of an hour
}

// ByPassword checks address, password and, where it is on, the second factor, and begins a session. Wrong credentials
// return ErrWrongCredentials, whatever is wrong. After the right password a missing code returns ErrTwoFactorRequired
// and a wrong one ErrWrongTwoFactor, both at the field two_fa_code. A banned user can sign in.
func (si *SignIns) ByPassword(ctx context.Context, c SignIn, from Client) (Grant, error) {
	var g Grant
	c.Email = NormalEmail(c.Email)
	if checkEmail(c.Email, nil) != nil { // no account has such an address, and the history does not record it
		return g, ErrWrongCredentials
	}
	var err error
	if from.solved, err = si.limits.requireCaptchaAtSignIn(ctx, c.Email, from); err != nil {
		return g, err
	}
	err = si.verifier.prove(ctx, c.Email, c.Password, si.verifier.secondFactor(c.TwoFactor, from), from,
		func(ctx context.Context, tx bun.Tx, r row) (err error) {
			g, err = si.complete(ctx, tx, r, byKey, c.Remember, from)
			return err
		})
	return g, si.withPass(ctx, atTwoFactor(err), from)
}

// withPass adds to a fault of the second factor what stands for the captcha that was solved before the password, so
// that the second step asks for no other: a detail verify_token.
func (si *SignIns) withPass(ctx context.Context, err error, from Client) error {
	f, ok := fault.As(err)
	if !ok || !from.solved || !(errors.Is(f, ErrTwoFactorRequired) || errors.Is(f, ErrWrongTwoFactor)) {
		return err
	}
	token, passErr := si.limits.captchas.Pass(ctx, from.IP)
	if passErr != nil {
		return passErr
	}
	return f.With(map[string]string{"verify_token": token})
}

// complete records a sign-in of the user r, as read before the proof, and begins the session. It returns
// ErrCredentialsChanged where the credentials changed meanwhile.
func (si *SignIns) complete(
	ctx context.Context, tx bun.Tx, r row, shown proof, remember bool, from Client,
) (Grant, error) {
	now := si.db.Now()
	r.SignedInAt = &now
	n, err := db.Changed(tx.NewUpdate().Model(&r).Column("signed_in_at").WherePK().
		Where("credentials_version = ?", r.CredentialsVersion).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrCredentialsChanged
	}
	if err != nil {
		return Grant{}, err
	}
	if err := si.sendLoginAlert(ctx, tx, r, from); err != nil {
		return Grant{}, err
	}
	if err := si.sessions.rememberLanguage(ctx, tx, &r, from); err != nil {
		return Grant{}, err
	}
	if err := si.history.recordSignIn(ctx, tx, r.Email, from, nothing); err != nil {
		return Grant{}, err
	}
	if err := si.history.note(ctx, tx, r.ID, SignedIn, from); err != nil {
		return Grant{}, err
	}
	return si.sessions.begin(ctx, tx, r, shown, remember, from)
}

// ByCode begins a session for who presents a code that was sent for ForLogin. Invalid input names the fields email,
// email_code; for an address without an account the code is reported as wrong. Wrong passwords do not block it: a code
// has a limit of its own. The second factor is required as in ByPassword, and the code is not consumed until it is
// right.
func (si *SignIns) ByCode(ctx context.Context, c SignIn, from Client) (Grant, error) {
	if err := si.existenceChecks.Allow(networkOf(from.IP)); err != nil {
		return Grant{}, err
	}
	s := presentedCode{
		purpose: ForLogin, email: NormalEmail(c.Email), code: normalCode(c.EmailCode),
		field: "email_code",
	}
	if err := invalid(checkEmail(s.email, nil), checkCode(s.field, s.code)); err != nil {
		return Grant{}, err
	}
	var g Grant
	var wrong error
	guesser := func(ctx context.Context, tx bun.Tx) (row, error) { return find(ctx, tx, "email = ?", s.email) }
	err := si.verifier.withLockedAccount(ctx, c.TwoFactor, from, guesser,
		func(ctx context.Context, tx bun.Tx) (err error) {
			if wrong, err = si.codes.redeem(ctx, tx, from, s); err != nil {
				return err
			}
			if wrong != nil {
				return si.history.recordSignIn(ctx, tx, s.email, from, WrongEmailCode)
			}
			r, err := find(ctx, tx, "email = ?", s.email)
			if err != nil {
				return err
			}
			if err := si.verifier.secondFactor(c.TwoFactor, from)(ctx, tx, r); err != nil {
				return err
			}
			now := si.db.Now()
			r.EmailVerifiedAt = &now
			if _, err := tx.NewUpdate().Model(&r).Column("email_verified_at").WherePK().Exec(ctx); err != nil {
				return err
			}
			g, err = si.complete(ctx, tx, r, byPost, c.Remember, from)
			return err
		})
	return g, cmp.Or(atTwoFactor(err), wrong)
}

// ByTelegram begins a session for the user of the Telegram account that use returns, in the transaction in which use
// consumes the confirmation. The second factor is required as in ByPassword, and nothing is consumed until it is right.
// ErrNoUser: the account is no longer linked.
func (si *SignIns) ByTelegram(
	ctx context.Context, twoFactor string, remember bool, from Client,
	use func(context.Context, bun.Tx) (telegramID int64, err error),
) (g Grant, err error) {
	peeked := errors.New("only to see whose it is")
	whose := func(ctx context.Context, tx bun.Tx) (r row, err error) {
		var telegramID int64
		err = tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
			if telegramID, err = use(ctx, tx); err == nil {
				err = peeked
			}
			return err
		})
		if !errors.Is(err, peeked) {
			return r, err
		}
		return find(ctx, tx, "telegram_id = ?", telegramID)
	}
	err = si.verifier.withLockedAccount(ctx, twoFactor, from, whose, func(ctx context.Context, tx bun.Tx) error {
		telegramID, err := use(ctx, tx)
		if err != nil {
			return err
		}
		r, err := find(ctx, tx, "telegram_id = ?", telegramID)
		if err != nil {
			return err
		}
		if err := si.verifier.secondFactor(twoFactor, from)(ctx, tx, r); err != nil {
			return err
		}
		g, err = si.complete(ctx, tx, r, byPost, remember, from)
		return err
	})
	return g, atTwoFactor(err)
}
