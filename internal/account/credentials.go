package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/mail"
	"airstrip/internal/setting"
)

// A credential is whatever opens an account: the password, the e-mail address that codes are sent to, the second factor
// with its recovery codes, a passkey, a linked Telegram account. Every change of one goes through changeCredentials, so
// that whoever got in before the change does not stay in.

// ErrCredentialsChanged is the fault of a call that began before a change of credentials and would end after it.
var ErrCredentialsChanged = fault.Conflict("credentials_changed", "账号的登录方式刚刚变更，请重新登录后再试", "What opens this account has just been changed; please sign in again and try once more")

// Credentials changes what opens an account.
type Credentials struct {
	db              *db.DB
	settings        *setting.Settings
	mails           *mail.Mails
	hasher          *hasher
	verifier        *verifier
	codes           *EmailCodes
	sessions        *Sessions
	history         *History
	existenceChecks *limit.Limiter
	onChange        []func(ctx context.Context, tx bun.Tx, userID int64) error
}

// credentialChange is one change of a credential.
type credentialChange struct {
	kind      ActivityKind
	keep      uuid.UUID // the session that made the change and goes on; the zero UUID: none does
	recovered bool      // the change was made without the present password, so passkeys and the Telegram account go too
	by        *int64    // the member of staff who made the change; nil: the user or the operator
	former    string    // the e-mail address before the change; empty where it stays
	content   func(left waysIn) mail.Content
}

// waysIn is what opened the account beside the password when a change was made. A recovery removes it, other changes
// leave it.
type waysIn struct {
	passkeys int
	telegram bool
}

// changeCredentials records a change of what opens r's account, as part of the transaction that makes it. It ends all
// sessions but the one to keep, all API tokens, enrolments that wait for a code, sign-in links and e-mail codes, writes the
// activity and queues the mail to the user.
func (cr *Credentials) recordChange(ctx context.Context, tx bun.Tx, r row, c credentialChange, from Client) error {
	now := cr.db.Now()
	left, err := cr.waysIn(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	// The first statement locks the account's row: a sign-in at the same time either comes before, and its session ends
	// here, or sees another version and is refused.
	steps := []struct {
		sql  string
		args []any
	}{
		{`UPDATE account SET credentials_version = credentials_version + 1, credentials_changed_at = ? WHERE id = ?`, []any{now, r.ID}},
		{`UPDATE session SET ended_at = ? WHERE account_id = ? AND id <> ? AND ended_at IS NULL`, []any{now, r.ID, c.keep}},
		{`UPDATE api_token SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL`, []any{now, r.ID}},
		{`UPDATE email_code SET used_at = ? WHERE email IN (?, ?) AND purpose IN (?, ?, ?) AND used_at IS NULL`, []any{now, r.Email, c.former, ForLogin, ForForgotPassword, forChangeEmail}},
		{`DELETE FROM totp_enrolment WHERE account_id = ?`, []any{r.ID}},
		{`DELETE FROM passkey_challenge WHERE account_id = ?`, []any{r.ID}},
		{`DELETE FROM sign_in_token WHERE account_id = ?`, []any{r.ID}},
	}
	for _, s := range steps {
		if _, err := tx.NewRaw(s.sql, s.args...).Exec(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.sql, db.Error(err))
		}
	}
	for _, void := range cr.onChange {
		if err := void(ctx, tx, r.ID); err != nil {
			return err
		}
	}
	if c.recovered {
		for _, sql := range []string{`DELETE FROM passkey WHERE account_id = ?`, `UPDATE account SET telegram_id = NULL WHERE id = ?`} {
			if _, err := tx.NewRaw(sql, r.ID).Exec(ctx); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
	}
	if err := cr.history.noteBy(ctx, tx, r.ID, c.kind, from, c.by); err != nil {
		return err
	}
	to := r.Email
	if c.former != "" {
		to = c.former
	}
	return cr.mails.Send(ctx, tx, mail.Message{To: to, Lang: r.Lang, Content: c.content(left)})
}

// OnCredentialsChange lets another part void what it has that opens the account of a user, in the transaction that changes
// the user's credentials. Call it before the server serves.
func (cr *Credentials) OnChange(fn func(ctx context.Context, tx bun.Tx, userID int64) error) {
	cr.onChange = append(cr.onChange, fn)
}

func (cr *Credentials) waysIn(ctx context.Context, tx bun.Tx, userID int64) (w waysIn, err error) {
	err = tx.NewRaw(`SELECT (SELECT count(*) FROM passkey WHERE account_id = ?0), telegram_id IS NOT NULL FROM account WHERE id = ?0`, userID).
		Scan(ctx, &w.passkeys, &w.telegram)
	return w, err
}

// securityMail gives the mail that tells of a change in the security settings.
func (cr *Credentials) securityMail(kind ActivityKind, name string, from Client) func(waysIn) mail.Content {
	return func(waysIn) mail.Content {
		return mail.SecurityChanged{What: string(kind), Name: name, At: cr.db.Now(), IP: addressOf(from)}
	}
}

// addressOf gives the client's address for a mail; empty where the operator or the Telegram bot made the call.
func addressOf(from Client) string {
	if !from.IP.IsValid() {
		return ""
	}
	return from.IP.String()
}

// ProveOwner tells whether the caller shows the account's password and, where it is on, the second factor; then runs in
// the same transaction. Wrong input is named password, code.
func (cr *Credentials) Prove(ctx context.Context, who Identity, password, code string, from Client, then func(context.Context, bun.Tx) error) error {
	u, err := userByID(ctx, cr.db, who.UserID)
	if err != nil {
		return err
	}
	return atFields(cr.verifier.prove(ctx, u.Email, password, cr.verifier.secondFactor(code, from.within(who)), from.within(who), func(ctx context.Context, tx bun.Tx, _ row) error {
		return then(ctx, tx)
	}), "password", "code")
}
