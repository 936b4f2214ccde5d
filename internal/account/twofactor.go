package account

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
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
	enrolmentLife = 10 * time.Minute

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

// enrolment is a secret that waits for its first code.
type enrolment struct {
	bun.BaseModel `bun:"table:totp_enrolment"`
	AccountID     int64     `bun:",pk"`
	SessionID     uuid.UUID // that began it; no other can confirm it
	Sealed        []byte
	ExpiresAt     time.Time
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

// BeginTwoFactor makes a secret for the user, who shows their password. It is shown this once. Nothing is asked for at
// sign-in before ConfirmTwoFactor has seen a code of it, within ten minutes and from the same session; a set-up that was
// begun before is forgotten. A wrong password stands at the field password.
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
	err = a.prove(ctx, u.Email, password, noSecond, from.within(who), func(ctx context.Context, tx bun.Tx, r row) error {
		switch t, err := a.totpOf(ctx, tx, r.ID); {
		case err != nil:
			return err
		case t != nil:
			return ErrTwoFactorOn
		}
		e := enrolment{AccountID: r.ID, SessionID: who.SessionID, Sealed: a.key.Seal(sealTOTP, []byte(key.Secret())), ExpiresAt: a.db.Now().Add(enrolmentLife)}
		_, err := tx.NewInsert().Model(&e).On("CONFLICT (account_id) DO UPDATE").
			Set("session_id = EXCLUDED.session_id").Set("sealed = EXCLUDED.sealed").Set("expires_at = EXCLUDED.expires_at").Exec(ctx)
		return err
	})
	return Enrolment{key.Secret(), key.URL()}, atFields(err, "password", "code")
}

// ConfirmTwoFactor turns the second factor on with a code from the app, and gives the recovery codes, which are never
// shown again. All other sessions and all API tokens end. A wrong code stands at the field code.
func (a *Accounts) ConfirmTwoFactor(ctx context.Context, who Identity, code string, from Client) (codes []string, err error) {
	var right bool
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		t, err := a.enrolled(ctx, tx, who)
		if err != nil {
			return err
		}
		if right, err = a.guessDigits(ctx, tx, twoFactorAllowance(r.ID, from.within(who)), func() (bool, error) {
			t.LastStep, err = a.stepOf(t, normalTwoFactor(code))
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
		if codes, err = a.makeRecoveryCodes(ctx, tx, r.ID); err != nil {
			return err
		}
		return a.changeCredentials(ctx, tx, r, a.securityChange(TwoFactorOn, who, from), from)
	})
	if err == nil && !right {
		err = ErrWrongTwoFactor
	}
	return codes, atFields(err, "password", "code")
}

// TurnOffTwoFactor forgets secret and recovery codes of a user who shows password and code. All other sessions and all API
// tokens end. What is wrong stands at the
// fields password and code.
func (a *Accounts) TurnOffTwoFactor(ctx context.Context, who Identity, password, code string, from Client) error {
	return a.proveBoth(ctx, who, password, code, from, func(ctx context.Context, tx bun.Tx, r row) error {
		for _, gone := range []any{(*totpRow)(nil), (*recoveryCode)(nil)} {
			if _, err := tx.NewDelete().Model(gone).Where("account_id = ?", r.ID).Exec(ctx); err != nil {
				return err
			}
		}
		return a.changeCredentials(ctx, tx, r, a.securityChange(TwoFactorOff, who, from), from)
	})
}

// RenewRecoveryCodes gives a user who shows password and code a new set; the old one is void.
func (a *Accounts) RenewRecoveryCodes(ctx context.Context, who Identity, password, code string, from Client) (codes []string, err error) {
	err = a.proveBoth(ctx, who, password, code, from, func(ctx context.Context, tx bun.Tx, r row) (err error) {
		if codes, err = a.makeRecoveryCodes(ctx, tx, r.ID); err != nil {
			return err
		}
		return a.changeCredentials(ctx, tx, r, a.securityChange(RecoveryCodesMade, who, from), from)
	})
	return codes, err
}

// CheckTwoFactor tells whether code is right for the user's secret, or for the one that this session is setting up,
// without using it up. A wrong one stands at the field code.
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
			if t, err = a.enrolled(ctx, tx, who); errors.Is(err, ErrNotEnrolling) {
				err = ErrTwoFactorOff
			}
			if err != nil {
				return err
			}
		}
		if right, err = a.guessDigits(ctx, tx, twoFactorAllowance(r.ID, from.within(who)), func() (bool, error) {
			step, err := a.stepOf(t, normalTwoFactor(code))
			return step > 0, err
		}); err != nil || right {
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
	if t == nil {
		return ErrTwoFactorOff
	}
	return atFields(a.prove(ctx, u.Email, password, a.second(code, from.within(who)), from.within(who), then), "password", "code")
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
		if err != nil || t == nil {
			return err
		}
		if code == "" {
			return ErrTwoFactorRequired
		}
		var ok bool
		if sixDigits.MatchString(code) {
			// Six digits can be guessed. Recovery codes can't, and so are not held up by a guesser.
			ok, err = a.guessDigits(ctx, tx, twoFactorAllowance(r.ID, from), func() (bool, error) { return a.takeDigits(ctx, tx, t, code) })
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

// securityChange is a change of the second factor by the session that makes the call.
func (a *Accounts) securityChange(kind ActivityKind, who Identity, from Client) credentialChange {
	return credentialChange{kind: kind, keep: who.SessionID, content: a.securityMail(kind, "", from)}
}

// enrolled gives the second factor that the caller's session is setting up, as it will be once it is confirmed, or
// ErrNotEnrolling; ErrTwoFactorOn where the account has one already.
func (a *Accounts) enrolled(ctx context.Context, tx bun.Tx, who Identity) (*totpRow, error) {
	var e enrolment
	now := a.db.Now()
	err := tx.NewSelect().Model(&e).Where("account_id = ? AND session_id = ? AND expires_at > ?", who.UserID, who.SessionID, now).Scan(ctx)
	switch {
	case err == nil:
		return &totpRow{AccountID: e.AccountID, Sealed: e.Sealed, ConfirmedAt: &now, CreatedAt: now}, nil
	case !errors.Is(err, db.ErrNoRows):
		return nil, err
	}
	t, err := a.totpOf(ctx, tx, who.UserID)
	if err == nil && t != nil {
		err = ErrTwoFactorOn
	}
	return nil, cmp.Or[error](err, ErrNotEnrolling)
}

// totpOf gives the user's secret, nil where there is none.
func (a *Accounts) totpOf(ctx context.Context, idb bun.IDB, userID int64) (*totpRow, error) {
	var t totpRow
	err := idb.NewSelect().Model(&t).Where("account_id = ? AND confirmed_at IS NOT NULL", userID).Scan(ctx)
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

// guessDigits counts a guess at the digits and then tells whether it is right, or answers ErrTooManyWrongTwoFA where no guess
// is left.
func (a *Accounts) guessDigits(ctx context.Context, tx bun.Tx, of allowance, right func() (bool, error)) (bool, error) {
	left, wait, err := a.takeGuess(ctx, tx, of)
	if err != nil {
		return false, err
	}
	if !left {
		return false, ErrTooManyWrongTwoFA.After(wait)
	}
	ok, err := right()
	if err != nil || !ok {
		return false, err
	}
	return true, a.returnGuess(ctx, tx, of)
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
