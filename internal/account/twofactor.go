package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// The second factor is TOTP (RFC 6238: SHA-1, six digits, 30 s, one step of drift either way), and for the day that the
// device is lost ten recovery codes, each good for one use.

const (
	totpStep      = 30 * time.Second
	totpDrift     = 1  // steps
	recoveryCodes = 10 // of a set

	// Six digits can be guessed by who has the password and many networks. Recovery codes can't, and so are not held up
	// by such a guesser.
	wrongDigits       = 20 // for an account from anywhere
	wrongDigitsWindow = time.Hour

	sealTOTP     = "totp secret"
	sealRecovery = "recovery code"
)

// Faults of the second factor.
var (
	ErrTwoFactorRequired = fault.Unauthorized("two_fa_required", "请输入两步验证码", "Please enter the code of your second step")
	ErrWrongTwoFactor    = fault.Unauthorized("two_fa_wrong", "验证码不正确或已使用，请等待下一个", "This code is wrong or was used before; please wait for the next one")
	ErrTooManyWrongTwoFA = fault.TooMany("too_many_two_fa_failures", "验证码错误次数过多，请稍后再试或使用恢复码", "Too many wrong codes; please wait, or use a recovery code")
	ErrTwoFactorOn       = fault.Conflict("two_factor_on", "两步验证已经开启", "The second step is on already")
	ErrTwoFactorOff      = fault.Conflict("two_factor_off", "两步验证没有开启", "The second step is not on")
	ErrNotEnrolling      = fault.Conflict("two_factor_not_begun", "请先开始设置两步验证", "Please begin the set-up of the second step first")
)

type totpRow struct {
	bun.BaseModel `bun:"table:totp"`
	AccountID     int64 `bun:",pk"`
	Sealed        []byte
	LastStep      int64
	ConfirmedAt   *time.Time
	CreatedAt     time.Time
}

type recoveryCode struct {
	bun.BaseModel `bun:"table:recovery_code"`
	AccountID     int64  `bun:",pk"`
	Hash          []byte `bun:",pk"`
	UsedAt        *time.Time
}

// Enrolment is what an authenticator app needs to know.
type Enrolment struct {
	Secret string // base32
	URI    string // otpauth://, for a QR code
}

// BeginTwoFactor makes a secret for the user, who shows their password. Nothing is asked for at sign-in before a code of
// it was seen by ConfirmTwoFactor; a set-up that was begun before is forgotten. A wrong password stands at the field
// password.
func (a *Accounts) BeginTwoFactor(ctx context.Context, who Identity, password string, from Client) (Enrolment, error) {
	u, err := a.User(ctx, who.UserID)
	if err != nil {
		return Enrolment{}, err
	}
	issuer := strings.ReplaceAll(a.settings.Get().SiteName, ":", " ") // which would end it
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: u.Email})
	if err != nil {
		return Enrolment{}, err
	}
	err = a.prove(ctx, u.Email, password, noSecond, from, func(ctx context.Context, tx bun.Tx, r row) error {
		t := totpRow{AccountID: r.ID, Sealed: a.key.Seal(sealTOTP, []byte(key.Secret())), CreatedAt: a.db.Now()}
		n, err := db.Changed(tx.NewInsert().Model(&t).On("CONFLICT (account_id) DO UPDATE").
			Set("sealed = EXCLUDED.sealed").Set("last_step = 0").Set("created_at = EXCLUDED.created_at").Where("totp_row.confirmed_at IS NULL").Exec(ctx))
		if err == nil && n == 0 {
			err = ErrTwoFactorOn
		}
		return err
	})
	return Enrolment{key.Secret(), key.URL()}, atFields(err, "password", "code")
}

// ConfirmTwoFactor turns the second factor on with a code from the app, and gives the recovery codes, which are never
// shown again. A wrong code stands at the field code.
func (a *Accounts) ConfirmTwoFactor(ctx context.Context, who Identity, code string, from Client) (codes []string, err error) {
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		t, err := a.totpOf(ctx, tx, who.UserID)
		switch {
		case err != nil:
			return err
		case t == nil:
			return ErrNotEnrolling
		case t.ConfirmedAt != nil:
			return ErrTwoFactorOn
		}
		ok, err := a.takeDigits(ctx, tx, t, normalTwoFactor(code))
		if err != nil {
			return err
		}
		if !ok {
			return ErrWrongTwoFactor
		}
		now := a.db.Now()
		t.ConfirmedAt = &now
		if _, err := tx.NewUpdate().Model(t).Column("confirmed_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		if codes, err = a.makeRecoveryCodes(ctx, tx, who.UserID); err != nil {
			return err
		}
		return a.note(ctx, tx, who.UserID, TwoFactorOn, from)
	})
	return codes, atFields(err, "password", "code")
}

// TurnOffTwoFactor forgets secret and recovery codes of a user who shows password and code. What is wrong stands at the
// fields password and code.
func (a *Accounts) TurnOffTwoFactor(ctx context.Context, who Identity, password, code string, from Client) error {
	return a.proveBoth(ctx, who, password, code, from, func(ctx context.Context, tx bun.Tx, r row) error {
		for _, gone := range []any{(*totpRow)(nil), (*recoveryCode)(nil)} {
			if _, err := tx.NewDelete().Model(gone).Where("account_id = ?", r.ID).Exec(ctx); err != nil {
				return err
			}
		}
		return a.note(ctx, tx, r.ID, TwoFactorOff, from)
	})
}

// RenewRecoveryCodes gives a user who shows password and code a new set; the old one is void.
func (a *Accounts) RenewRecoveryCodes(ctx context.Context, who Identity, password, code string, from Client) (codes []string, err error) {
	err = a.proveBoth(ctx, who, password, code, from, func(ctx context.Context, tx bun.Tx, r row) (err error) {
		if codes, err = a.makeRecoveryCodes(ctx, tx, r.ID); err != nil {
			return err
		}
		return a.note(ctx, tx, r.ID, RecoveryCodesMade, from)
	})
	return codes, err
}

// CheckTwoFactor tells whether code is right for the user's secret, confirmed or not, without using it up. A wrong one
// stands at the field code.
func (a *Accounts) CheckTwoFactor(ctx context.Context, who Identity, code string, from Client) error {
	var right bool
	err := a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		t, err := a.totpOf(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if t == nil {
			return ErrTwoFactorOff
		}
		if err := errors.Join(a.admit(ctx, tx, r.Email, from), a.admitDigits(ctx, tx, r.Email)); err != nil {
			return err
		}
		step, err := a.stepOf(t, normalTwoFactor(code))
		if right = step > 0; err != nil || right {
			return err
		}
		return a.record(ctx, tx, r.Email, from, WrongTwoFactor)
	})
	if err == nil && !right {
		err = ErrWrongTwoFactor
	}
	return atFields(err, "password", "code")
}

// proveBoth runs then for a user with a second factor who shows the password and a code.
func (a *Accounts) proveBoth(ctx context.Context, who Identity, password, code string, from Client, then func(context.Context, bun.Tx, row) error) error {
	u, err := a.User(ctx, who.UserID)
	if err != nil {
		return err
	}
	t, err := a.totpOf(ctx, a.db, u.ID)
	if err != nil {
		return err
	}
	if t == nil || t.ConfirmedAt == nil {
		return ErrTwoFactorOff
	}
	return atFields(a.prove(ctx, u.Email, password, a.second(code, from), from, then), "password", "code")
}

// atFields gives faults of password and code the shape that they have for somebody who is signed in: they stand at
// fields, and do not mean that the session has ended.
func atFields(err error, password, code string) error {
	for name, wrong := range map[string][]*fault.Error{password: {ErrWrongCredentials}, code: {ErrWrongTwoFactor, ErrTwoFactorRequired}} {
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

// second gives the test of the second factor for prove: nil for an account that has none; ErrTwoFactorRequired,
// ErrWrongTwoFactor.
func (a *Accounts) second(code string, from Client) func(context.Context, bun.Tx, row) error {
	code = normalTwoFactor(code)
	return func(ctx context.Context, tx bun.Tx, r row) error {
		t, err := a.totpOf(ctx, tx, r.ID)
		if err != nil || t == nil || t.ConfirmedAt == nil {
			return err
		}
		if code == "" {
			return ErrTwoFactorRequired
		}
		var ok bool
		if sixDigits.MatchString(code) {
			if err := a.admitDigits(ctx, tx, r.Email); err != nil {
				return err
			}
			ok, err = a.takeDigits(ctx, tx, t, code)
		} else {
			ok, err = a.takeRecoveryCode(ctx, tx, r.ID, code, from)
		}
		if err == nil && !ok {
			err = ErrWrongTwoFactor
		}
		return err
	}
}

// noSecond is for prove where the user is signed in and one factor is enough.
func noSecond(context.Context, bun.Tx, row) error { return nil }

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// normalTwoFactor gives a code as it is compared: people type it in groups.
func normalTwoFactor(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}

// totpOf gives the user's secret, nil where there is none.
func (a *Accounts) totpOf(ctx context.Context, idb bun.IDB, userID int64) (*totpRow, error) {
	var t totpRow
	err := idb.NewSelect().Model(&t).Where("account_id = ?", userID).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil
	}
	return &t, err
}

// stepOf gives the step whose code it is, 0 where it is wrong or was taken before.
func (a *Accounts) stepOf(t *totpRow, code string) (int64, error) {
	secret, err := a.key.Open(sealTOTP, t.Sealed)
	if err != nil {
		return 0, fmt.Errorf("the TOTP secret of account %d: %w", t.AccountID, err)
	}
	now := a.db.Now().Unix() / int64(totpStep.Seconds())
	opts := hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	for step := max(now-totpDrift, t.LastStep+1); step <= now+totpDrift; step++ {
		// A code that is no code at all is an error to the library and a wrong one to us.
		if ok, err := hotp.ValidateCustom(code, uint64(step), string(secret), opts); err == nil && ok {
			return step, nil
		}
	}
	return 0, nil
}

// takeDigits uses up a code of the app: it and those before it count no more.
func (a *Accounts) takeDigits(ctx context.Context, tx bun.Tx, t *totpRow, code string) (bool, error) {
	step, err := a.stepOf(t, code)
	if err != nil || step == 0 {
		return false, err
	}
	n, err := db.Changed(tx.NewUpdate().Model((*totpRow)(nil)).Set("last_step = ?", step).
		Where("account_id = ? AND last_step < ?", t.AccountID, step).Exec(ctx))
	return n == 1, err
}

// admitDigits answers ErrTooManyWrongTwoFA where so many wrong codes were shown for the account that it may be guessing.
func (a *Accounts) admitDigits(ctx context.Context, idb bun.IDB, email string) error {
	now := a.db.Now()
	var wrong struct {
		Codes int
		First *time.Time
	}
	if err := idb.NewRaw(`SELECT count(*) AS codes, min(at) AS first FROM sign_in WHERE email = ? AND at > ? AND wrong = ?`,
		email, now.Add(-wrongDigitsWindow), WrongTwoFactor).Scan(ctx, &wrong); err != nil {
		return err
	}
	if wrong.Codes >= wrongDigits {
		return ErrTooManyWrongTwoFA.After(wrong.First.Add(wrongDigitsWindow).Sub(now))
	}
	return nil
}

func (a *Accounts) takeRecoveryCode(ctx context.Context, tx bun.Tx, userID int64, code string, from Client) (bool, error) {
	n, err := db.Changed(tx.NewUpdate().Model((*recoveryCode)(nil)).Set("used_at = ?", a.db.Now()).
		Where("account_id = ? AND hash = ? AND used_at IS NULL", userID, a.recoveryHash(userID, code)).Exec(ctx))
	if err != nil || n == 0 {
		return false, err
	}
	return true, a.note(ctx, tx, userID, RecoveryCodeUsed, from)
}

// makeRecoveryCodes gives a new set in the place of the old one.
func (a *Accounts) makeRecoveryCodes(ctx context.Context, tx bun.Tx, userID int64) ([]string, error) {
	if _, err := tx.NewDelete().Model((*recoveryCode)(nil)).Where("account_id = ?", userID).Exec(ctx); err != nil {
		return nil, err
	}
	codes, rows := make([]string, recoveryCodes), make([]recoveryCode, recoveryCodes)
	for i := range codes {
		code := rand.Text()[:10] // base32, 50 bits; never six digits
		codes[i] = code[:5] + "-" + code[5:]
		rows[i] = recoveryCode{AccountID: userID, Hash: a.recoveryHash(userID, code)}
	}
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	return codes, err
}

func (a *Accounts) recoveryHash(userID int64, code string) []byte {
	mac := hmac.New(sha256.New, a.key.For(sealRecovery))
	fmt.Fprintf(mac, "%d %s", userID, code)
	return mac.Sum(nil)
}
