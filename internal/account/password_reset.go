package account

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
)

// ResetPassword sets a new password with a code that was sent for ForForgotPassword. All sessions and API tokens end,
// and passkeys and the link to a Telegram account are removed, since somebody else may have added them. Invalid input
// names the fields email, email_code, password. For an address without an account the code is reported as wrong.
func (cr *Credentials) ResetPassword(ctx context.Context, email, code, password string, from Client) error {
	if err := cr.existenceChecks.Allow(networkOf(from.IP)); err != nil {
		return err
	}
	s := presentedCode{
		purpose: ForForgotPassword, email: NormalEmail(email), code: normalCode(code),
		field: "email_code",
	}
	password = normalPassword(password)
	if err := invalid(checkEmail(s.email, nil), checkCode(s.field, s.code),
		checkPassword("password", password, s.email, cr.settings.Get().SiteName)); err != nil {
		return err
	}
	phc, err := cr.hasher.hash(ctx, shareOf(s.email, from), password)
	if err != nil {
		return err
	}
	var wrong error
	err = cr.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if wrong, err = cr.codes.redeem(ctx, tx, from, s); err != nil || wrong != nil {
			return err
		}
		r, err := find(ctx, tx, "email = ?", s.email)
		if err != nil {
			return err
		}
		if _, err = cr.storePassword(ctx, tx, r, phc, true, from); err != nil {
			return err
		}
		return cr.markEmailVerified(ctx, tx, r.ID)
	})
	return cmp.Or(err, wrong)
}

// markEmailVerified records that the user has just proved to have the e-mail address.
func (cr *Credentials) markEmailVerified(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewUpdate().Model((*row)(nil)).Set("email_verified_at = ?", cr.db.Now()).Where("id = ?", userID).
		Exec(ctx)
	return err
}

// resetToken joins an address and its code for use in a link.
func resetToken(email, code string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(email)) + "." + code
}

// ErrResetToken is returned for text that is no token of a link to set a new password.
var ErrResetToken = fault.Invalid("token", "format", "链接不完整，请重新打开邮件中的链接",
	"The link is not complete; please open the one in the mail again")

// ParseResetToken returns the address and the code in the token of a link to set a new password; neither is checked.
func ParseResetToken(token string) (email, code string, err error) {
	address, code, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(address)
	if err != nil || len(raw) == 0 || checkCode("token", code) != nil {
		return "", "", ErrResetToken
	}
	return string(raw), code, nil
}
