package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

const enrolmentLife = 10 * time.Minute

// Faults of the second factor.
var (
	ErrTwoFactorRequired = fault.Unauthorized("two_fa_required", "请输入两步验证码",
		"Please enter the code of your second step")
	ErrWrongTwoFactor = fault.Unauthorized("two_fa_wrong", "验证码不正确或已使用，请等待下一个",
		"This code is wrong or was used before; please wait for the next one")
	ErrTooManyWrongTwoFA = fault.TooMany("too_many_two_fa_failures", "验证码错误次数过多，请稍后再试或使用恢复码",
		"Too many wrong codes; please wait, or use a recovery code")
	ErrTwoFactorOn  = fault.Conflict("two_factor_on", "两步验证已经开启", "The second step is on already")
	ErrTwoFactorOff = fault.Conflict("two_factor_off", "两步验证没有开启", "The second step is not on")
	ErrNotEnrolling = fault.Conflict("two_factor_not_begun", "请先开始设置两步验证",
		"Please begin the set-up of the second step first")
)

// TwoFactor turns the second factor of an account on and off.
type TwoFactor struct {
	db          *db.DB
	key         seal.Key
	settings    *setting.Settings
	verifier    *verifier
	credentials *Credentials
	history     *History
}

// enrolment is a secret that waits for its first code.
type enrolment struct {
	bun.BaseModel `bun:"table:totp_enrolment"`
	AccountID     int64     `bun:",pk"`
	SessionID     uuid.UUID // that began it; no other session can confirm it
	Sealed        []byte
	ExpiresAt     time.Time
}

// Enrolment is what an authenticator app needs.
type Enrolment struct {
	Secret string // base32
	URI    string // otpauth://, for a QR code
}

// Begin makes a secret for the user, who proves the password. It is shown only once. The second factor is required at
// sign-in only after Confirm has received a code of the secret, within ten minutes and from the same session. It
// replaces an enrolment that was begun before. A wrong password is reported at the field password.
func (tf *TwoFactor) Begin(ctx context.Context, who Identity, password string, from Client) (Enrolment, error) {
	u, err := userByID(ctx, tf.db, who.UserID)
	if err != nil {
		return Enrolment{}, err
	}
	issuer := strings.ReplaceAll(tf.settings.Get().SiteName, ":", " ") // a colon would end the issuer
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: u.Email})
	if err != nil {
		return Enrolment{}, err
	}
	err = tf.verifier.prove(ctx, u.Email, password, noSecond, from.within(who),
		func(ctx context.Context, tx bun.Tx, r row) error {
			switch t, err := tf.verifier.totpOf(ctx, tx, r.ID); {
			case err != nil:
				return err
			case t != nil:
				return ErrTwoFactorOn
			}
			e := enrolment{
				AccountID: r.ID, SessionID: who.SessionID, Sealed: tf.key.Seal(sealTOTP, []byte(key.Secret())),
				ExpiresAt: tf.db.Now().Add(enrolmentLife),
			}
			_, err := tx.NewInsert().Model(&e).On("CONFLICT (account_id) DO UPDATE").
				Set("session_id = EXCLUDED.session_id").Set("sealed = EXCLUDED.sealed").
				Set("expires_at = EXCLUDED.expires_at").Exec(ctx)
			return err
		})
	return Enrolment{key.Secret(), key.URL()}, atFields(err, "password", "code")
}

// Confirm turns the second factor on with a code of the app, and returns the recovery codes, which are never shown
// again. All other sessions and all API tokens end. A wrong code is reported at the field code. What the same call
// changes besides is done in the same transaction.
func (tf *TwoFactor) Confirm(
	ctx context.Context, who Identity, code string, from Client, besides ...Step,
) (codes []string, err error) {
	var right bool
	err = tf.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		t, err := tf.enrolled(ctx, tx, who)
		if err != nil {
			return err
		}
		if right, err = tf.verifier.guessDigits(ctx, tx, twoFactorAllowance(r.ID, from.within(who)),
			func() (bool, error) {
				t.LastStep, err = tf.verifier.stepOf(t, normalTwoFactor(code))
				return t.LastStep > 0, err
			}); err != nil || !right {
			return err
		}
		n, err := db.Changed(tx.NewInsert().Model(t).On("CONFLICT (account_id) DO NOTHING").Exec(ctx))
		if err == nil && n == 0 {
			err = ErrTwoFactorOn
		}
		if err != nil {
			return err
		}
		if codes, err = tf.makeRecoveryCodes(ctx, tx, r.ID); err != nil {
			return err
		}
		if err := doAll(ctx, tx, besides); err != nil {
			return err
		}
		return tf.credentials.recordChange(ctx, tx, r, tf.change(TwoFactorOn, who, from), from)
	})
	if err == nil && !right {
		err = ErrWrongTwoFactor
	}
	return codes, atFields(err, "password", "code")
}

// TurnOff deletes the secret and the recovery codes of a user who proves password and code. All other sessions and all
// API tokens end. Invalid input names the fields password and code. What the same call changes besides is done in the
// same transaction.
func (tf *TwoFactor) TurnOff(
	ctx context.Context, who Identity, password, code string, from Client,
	besides ...Step,
) error {
	return tf.verifier.proveBoth(ctx, who, password, code, from, func(ctx context.Context, tx bun.Tx, r row) error {
		if err := tf.forget(ctx, tx, r.ID); err != nil {
			return err
		}
		if err := doAll(ctx, tx, besides); err != nil {
			return err
		}
		return tf.credentials.recordChange(ctx, tx, r, tf.change(TwoFactorOff, who, from), from)
	})
}

// forget deletes the secret and the recovery codes of a user.
func (tf *TwoFactor) forget(ctx context.Context, tx bun.Tx, userID int64) error {
	for _, gone := range []any{(*totpRow)(nil), (*recoveryCode)(nil)} {
		if _, err := tx.NewDelete().Model(gone).Where("account_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Step is one of several changes that a call makes in one transaction.
type Step func(context.Context, bun.Tx) error

func doAll(ctx context.Context, tx bun.Tx, steps []Step) error {
	for _, step := range steps {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// RenewRecoveryCodes replaces the recovery codes of a user who proves password and code.
func (tf *TwoFactor) RenewRecoveryCodes(
	ctx context.Context, who Identity, password, code string, from Client,
) (codes []string, err error) {
	err = tf.verifier.proveBoth(ctx, who, password, code, from,
		func(ctx context.Context, tx bun.Tx, r row) (err error) {
			if codes, err = tf.makeRecoveryCodes(ctx, tx, r.ID); err != nil {
				return err
			}
			return tf.credentials.recordChange(ctx, tx, r, tf.change(RecoveryCodesMade, who, from), from)
		})
	return codes, err
}

// Check tells whether a code is right for the user's secret, or for the enrolment of this session, without consuming
// it. A wrong code is reported at the field code.
func (tf *TwoFactor) Check(ctx context.Context, who Identity, code string, from Client) error {
	var right bool
	err := tf.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		t, err := tf.verifier.totpOf(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if t == nil {
			if t, err = tf.enrolled(ctx, tx, who); errors.Is(err, ErrNotEnrolling) {
				err = ErrTwoFactorOff
			}
			if err != nil {
				return err
			}
		}
		if right, err = tf.verifier.guessDigits(ctx, tx, twoFactorAllowance(r.ID, from.within(who)),
			func() (bool, error) {
				step, err := tf.verifier.stepOf(t, normalTwoFactor(code))
				return step > 0, err
			}); err != nil || right {
			return err
		}
		return tf.history.recordSignIn(ctx, tx, r.Email, from, WrongTwoFactor)
	})
	if err == nil && !right {
		err = ErrWrongTwoFactor
	}
	return atFields(err, "password", "code")
}

// change describes a change of the second factor by the session that makes the call.
func (tf *TwoFactor) change(kind ActivityKind, who Identity, from Client) credentialChange {
	return credentialChange{kind: kind, keep: who.SessionID, content: tf.credentials.securityMail(kind, "", from)}
}

// enrolled returns the second factor that the caller's session is setting up, as it will be once it is confirmed, or
// ErrNotEnrolling; ErrTwoFactorOn where the account has one already.
func (tf *TwoFactor) enrolled(ctx context.Context, tx bun.Tx, who Identity) (*totpRow, error) {
	var e enrolment
	now := tf.db.Now()
	err := tx.NewSelect().Model(&e).Where("account_id = ? AND session_id = ? AND expires_at > ?", who.UserID,
		who.SessionID, now).Scan(ctx)
	switch {
	case err == nil:
		return &totpRow{AccountID: e.AccountID, Sealed: e.Sealed, ConfirmedAt: &now, CreatedAt: now}, nil
	case !errors.Is(err, db.ErrNoRows):
		return nil, err
	}
	t, err := tf.verifier.totpOf(ctx, tx, who.UserID)
	if err == nil && t != nil {
		err = ErrTwoFactorOn
	}
	return nil, cmp.Or[error](err, ErrNotEnrolling)
}

// makeRecoveryCodes replaces the recovery codes by a new set.
func (tf *TwoFactor) makeRecoveryCodes(ctx context.Context, tx bun.Tx, userID int64) ([]string, error) {
	if _, err := tx.NewDelete().Model((*recoveryCode)(nil)).Where("account_id = ?", userID).Exec(ctx); err != nil {
		return nil, err
	}
	codes, rows := make([]string, recoveryCodes), make([]recoveryCode, recoveryCodes)
	for i := range codes {
		code := rand.Text()[:10] // base32, 50 bits; never six digits
		codes[i] = code[:5] + "-" + code[5:]
		rows[i] = recoveryCode{AccountID: userID, Hash: tf.verifier.recoveryHash(userID, code)}
	}
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	return codes, err
}
