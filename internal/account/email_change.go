package account

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/permission"
)

// RequestEmailChange sends a code to the user's present address and one to the new address, once the password is right.
// A new address that has an account already gets a mail that says so instead, and the answer is the same. Invalid input
// names the fields email, current_password.
func (cr *Credentials) RequestEmailChange(
	ctx context.Context, who Identity, email, password string, from Client,
) error {
	u, err := userByID(ctx, cr.db, who.UserID)
	if err != nil {
		return err
	}
	email = NormalEmail(email)
	if err := invalid(checkNewEmail(u.Email, email, cr.settings.Get().SignUpDomains)); err != nil {
		return err
	}
	err = cr.verifier.prove(ctx, u.Email, password, noSecond, from.within(who),
		func(ctx context.Context, tx bun.Tx, r row) error {
			taken, err := tx.NewSelect().Model((*row)(nil)).Where("email = ?", email).Exists(ctx)
			if err != nil {
				return err
			}
			for _, to := range []string{r.Email, email} {
				content, err := cr.codes.issue(ctx, tx, emailChange(r.ID, to, email), from)
				if err != nil {
					return err
				}
				content.Other = email
				msg := mail.Message{To: to, Lang: from.Lang, Content: content, Until: cr.db.Now().Add(codeLife)}
				if to == email && taken {
					msg.Content = mail.EmailTaken{}
				}
				if err := cr.mails.Send(ctx, tx, msg); err != nil {
					return err
				}
			}
			return nil
		})
	if errors.Is(err, ErrWrongCredentials) {
		err = wrongPassword()
	}
	return err
}

// ChangeEmail changes the user's address, with the codes that were sent to the new and to the present address. All
// other sessions and all API tokens end. Invalid input names the fields email, email_code, current_email_code.
func (cr *Credentials) ChangeEmail(
	ctx context.Context, who Identity, email, code, currentCode string, from Client,
) error {
	email = NormalEmail(email)
	var wrong error
	err := cr.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		if err := invalid(checkNewEmail(r.Email, email, cr.settings.Get().SignUpDomains)); err != nil {
			return err
		}
		fresh, present := emailChange(r.ID, email, email), emailChange(r.ID, r.Email, email)
		fresh.code, fresh.field = normalCode(code), "email_code"
		present.code, present.field = normalCode(currentCode), "current_email_code"
		if wrong, err = cr.codes.redeem(ctx, tx, from, fresh, present); err != nil || wrong != nil {
			return err
		}
		former := r.Email
		r.Email = email
		if _, err := tx.NewUpdate().Model(&r).Column("email").WherePK().Exec(ctx); err != nil {
			if err = db.Error(err); errors.Is(err, db.ErrUnique) {
				err = ErrEmailTaken.Because(err)
			}
			return err
		}
		if err := cr.markEmailVerified(ctx, tx, r.ID); err != nil {
			return err
		}
		return cr.recordChange(ctx, tx, r, cr.emailChanged(r, former, who.SessionID, false, from), from)
	})
	return cmp.Or(err, wrong)
}

// Faults of an address that staff replaces.
var (
	ErrOtherEmail = fault.Invalid("user_old_email", "mismatch", "与该用户当前的邮箱不符",
		"This is not the user's present address")
	ErrStaffProtected = fault.Forbidden("staff_protected", "工作人员的邮箱只能在服务器上用命令更改",
		"Only a command on the server changes the address of a member of staff")
)

// ReplaceEmail changes a user's address without a code, for people who lost theirs. The caller names both the present
// address and the new one, so that a mistyped id changes nobody else. All sessions of the user end, the former address
// gets a mail, and the history records who made the change. The address of a member of staff can only be replaced by
// the operator, who is the zero Identity, since its owner can sign in as that member. Invalid input names the fields
// user_old_email, user_new_email.
func (cr *Credentials) ReplaceEmail(
	ctx context.Context, by Identity, userID int64, present, email, reason string, from Client,
) (former string, err error) {
	email = NormalEmail(email)
	err = cr.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// A change of the address waits for the calls of the user, which may wait for what findLocked locks.
		if err := LockToClose(ctx, tx, userID); err != nil {
			return err
		}
		r, err := findLocked(ctx, tx, "id = ? AND closed_at IS NULL", userID)
		if err != nil {
			return err
		}
		if by.UserID != 0 && (!by.Has(permission.UserEmailReplace) || r.Role != "") {
			return ErrStaffProtected
		}
		if r.Email != NormalEmail(present) {
			return ErrOtherEmail
		}
		if wrong := checkNewEmail(r.Email, email, nil); wrong != nil {
			wrong.Name = "user_new_email"
			return invalid(wrong)
		}
		former, r.Email = r.Email, email
		if _, err := tx.NewUpdate().Model(&r).Column("email").WherePK().Exec(ctx); err != nil {
			if err = db.Error(err); errors.Is(err, db.ErrUnique) {
				err = fault.Invalid("user_new_email", "taken", "该邮箱已被使用", "This address is taken").Because(err)
			}
			return err
		}
		was, is := map[string]any{"email": former}, map[string]any{"email": email}
		if err := audit.Record(ctx, tx, "user.email.replace", audit.ID("user", userID), was, is, reason); err != nil {
			return err
		}
		change := cr.emailChanged(r, former, uuid.Nil, true, Client{})
		change.by = by.staffID()
		return cr.recordChange(ctx, tx, r, change, from)
	})
	return former, err
}

func (cr *Credentials) emailChanged(
	r row, former string, keep uuid.UUID, recovered bool, from Client,
) credentialChange {
	return credentialChange{
		kind: EmailChanged, keep: keep, recovered: recovered, former: former,
		content: func(left otherCredentials) mail.Content {
			return mail.EmailChanged{
				At: cr.db.Now(), IP: addressOf(from), Other: r.Email, Recovered: recovered,
				Passkeys: left.passkeys, Telegram: left.telegram,
			}
		},
	}
}

// emailChange is the code that is sent to one of the two addresses. It is bound to the user and to the new address.
func emailChange(userID int64, to, email string) presentedCode {
	return presentedCode{purpose: forChangeEmail, email: to, binding: strconv.FormatInt(userID, 10) + " " + email}
}

func checkNewEmail(present, email string, allowed []string) *fault.Field {
	if present == email {
		return field("email", "same", "新邮箱与当前邮箱相同", "This is the present address")
	}
	return checkEmail(email, allowed)
}

func wrongPassword() error {
	return fault.Invalid("current_password", "wrong_password", "当前密码不正确", "The present password is wrong")
}
