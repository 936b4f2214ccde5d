package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"airstrip/internal/db"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/uptrace/bun"
)

// The second factor is TOTP (RFC 6238: SHA-1, six digits, 30 s, one step of drift either way), with ten recovery codes,
// each valid once, for the day on which the device is lost.

const (
	totpStep      = 30 * time.Second
	totpDrift     = 1  // steps
	recoveryCodes = 10 // in a set

	sealTOTP     = "totp secret"
	sealRecovery = "recovery code"
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

// totpOf returns the user's secret; nil where there is none.
func (v *verifier) totpOf(ctx context.Context, idb bun.IDB, userID int64) (*totpRow, error) {
	var t totpRow
	err := idb.NewSelect().Model(&t).Where("account_id = ? AND confirmed_at IS NOT NULL", userID).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil
	}
	return &t, err
}

// stepOf returns the time step of the code; 0 where it is wrong or was used before.
func (v *verifier) stepOf(t *totpRow, code string) (int64, error) {
	secret, err := v.key.Open(sealTOTP, t.Sealed)
	if err != nil {
		return 0, fmt.Errorf("the TOTP secret of account %d: %w", t.AccountID, err)
	}
	now := v.db.Now().Unix() / int64(totpStep.Seconds())
	opts := hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	for step := max(now-totpDrift, t.LastStep+1); step <= now+totpDrift; step++ {
		// The library reports malformed codes as errors; here they are wrong codes.
		if ok, err := hotp.ValidateCustom(code, uint64(step), string(secret), opts); err == nil && ok {
			return step, nil
		}
	}
	return 0, nil
}

// consumeDigits accepts a code of the app once: it and the codes before it are no longer valid.
func (v *verifier) consumeDigits(ctx context.Context, tx bun.Tx, t *totpRow, code string) (bool, error) {
	step, err := v.stepOf(t, code)
	if err != nil || step == 0 {
		return false, err
	}
	n, err := db.Changed(tx.NewUpdate().Model((*totpRow)(nil)).Set("last_step = ?", step).
		Where("account_id = ? AND last_step < ?", t.AccountID, step).Exec(ctx))
	return n == 1, err
}

// guessDigits counts a guess at the digits and tells whether it is right, or returns ErrTooManyWrongTwoFA where no
// guess remains.
func (v *verifier) guessDigits(ctx context.Context, tx bun.Tx, of allowance, right func() (bool, error)) (bool, error) {
	left, wait, err := v.limits.consumeGuess(ctx, tx, of)
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
	return true, v.limits.returnGuess(ctx, tx, of)
}

func (v *verifier) consumeRecoveryCode(
	ctx context.Context, tx bun.Tx, userID int64, code string, from Client,
) (bool, error) {
	n, err := db.Changed(tx.NewUpdate().Model((*recoveryCode)(nil)).Set("used_at = ?", v.db.Now()).
		Where("account_id = ? AND hash = ? AND used_at IS NULL", userID, v.recoveryHash(userID, code)).Exec(ctx))
	if err != nil || n == 0 {
		return false, err
	}
	return true, v.history.note(ctx, tx, userID, RecoveryCodeUsed, from)
}

func (v *verifier) recoveryHash(userID int64, code string) []byte {
	mac := hmac.New(sha256.New, v.key.For(sealRecovery))
	fmt.Fprintf(mac, "%d %s", userID, code)
	return mac.Sum(nil)
}

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// normalTwoFactor returns a code as it is compared, without the separators that people type.
func normalTwoFactor(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}
