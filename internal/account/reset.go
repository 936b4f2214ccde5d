package account

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/mail"
)

// ResetPassword sets a new password with a code that was sent for ForForgotPassword, and ends all sessions. Wrong input
// is named email, email_code, password. Without an account the code is wrong, as any other would be.
func (a *Accounts) ResetPassword(ctx context.Context, email, code, password string, from Client) error {
	if err := a.strangers.Allow(network(from.IP)); err != nil {
		return err
	}
	s := shown{purpose: ForForgotPassword, email: NormalEmail(email), code: normalCode(code), field: "email_code"}
	password = normalPassword(password)
	if err := invalid(checkEmail(s.email, nil), checkCode(s.field, s.code), checkPassword("password", password)); err != nil {
		return err
	}
	phc, err := a.hash.hash(ctx, password)
	if err != nil {
		return err
	}
	var wrong error
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if wrong, err = a.redeem(ctx, tx, s); err != nil || wrong != nil {
			return err
		}
		r, err := find(ctx, tx, "email = ?", s.email)
		if err != nil {
			return err
		}
		if r, err = a.setPassword(ctx, tx, r, phc, from); err != nil {
			return err
		}
		if err := a.verified(ctx, tx, r.ID); err != nil {
			return err
		}
		return a.tellNewPassword(ctx, tx, r, from)
	})
	return cmp.Or(err, wrong)
}

// verified notes that the user has just proven to have their e-mail address.
func (a *Accounts) verified(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewUpdate().Model((*row)(nil)).Set("email_verified_at = ?", a.db.Now()).Where("id = ?", userID).Exec(ctx)
	return err
}

func (a *Accounts) tellNewPassword(ctx context.Context, tx bun.Tx, r row, from Client) error {
	return a.mails.Send(ctx, tx, mail.Message{To: r.Email, Lang: r.Lang, Content: mail.PasswordChanged{At: a.db.Now(), IP: from.IP.String()}})
}

// resetToken is an address and its code in one word, for links.
func resetToken(email, code string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(email)) + "." + code
}

// ErrResetToken is the fault of a word that is no token of a link to set a new password.
var ErrResetToken = fault.Invalid("token", "format", "链接不完整，请重新打开邮件中的链接", "The link is not complete; please open the one in the mail again")

// ParseResetToken gives the address and the code in the token of a link to set a new password, neither of them tested.
func ParseResetToken(token string) (email, code string, err error) {
	address, code, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(address)
	if err != nil || len(raw) == 0 || checkCode("token", code) != nil {
		return "", "", ErrResetToken
	}
	return string(raw), code, nil
}
