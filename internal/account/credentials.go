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
	"airstrip/internal/notify"
	"airstrip/internal/setting"
)

// A credential is whatever opens an account: the password, the e-mail address to which codes are sent, the second
// factor with its recovery codes, a passkey, a linked Telegram account. Every change of one goes through
// Credentials.recordChange, so that nobody who got in before the change stays in.

// ErrCredentialsChanged is returned to a call that began before a change of credentials and would end after it.
var ErrCredentialsChanged = fault.Conflict("credentials_changed", "账号的登录方式刚刚变更，请重新登录后再试",
	"What opens this account has just been changed; please sign in again and try once more")

// Credentials changes what opens an account: the password, the e-mail address, the linked Telegram account. The second
// factor and passkeys change through it as well.
type Credentials struct {
	db              *db.DB
	settings        *setting.Settings
	mails           *mail.Mails
	notices         *notify.Notices
	hasher          *hasher
	verifier        *verifier
	codes           *EmailCodes
	sessions        *Sessions
	history         *History
	existenceChecks *limit.Limiter
	onChange        []func(ctx context.Context, tx bun.Tx, userID int64) error
}

// credentialChange describes one change of a credential.
type credentialChange struct {
	kind      ActivityKind
	keep      uuid.UUID // the session that made the change and continues; the zero UUID: none continues
	recovered bool      // the present password was not shown, so passkeys and the Telegram link are removed too
	by        *int64    // the member of staff who made the change; nil: the user or the operator
	former    string    // the e-mail address before the change; empty: it stays
	content   func(left otherCredentials) mail.Content
}

// otherCredentials counts what opens the account besides the password when a change is made. A recovery removes it,
// other changes leave it.
type otherCredentials struct {
	passkeys int
	telegram bool
}

// recordChange records a change of what opens r's account, as part of the transaction that makes the change. It ends
// all sessions but the one to keep, all API tokens, unconfirmed enrolments, sign-in links and e-mail codes, writes the
// activity and queues the notice to the user.
func (cr *Credentials) recordChange(ctx context.Context, tx bun.Tx, r row, c credentialChange, from Client) error {
	now := cr.db.Now()
	left, err := cr.otherCredentials(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	// The first statement locks the account's row. A simultaneous sign-in either comes before, and its session ends
	// here, or reads the new version and is refused.
	steps := []struct {
		sql  string
		args []any
	}{
		{
			`UPDATE account SET credentials_version = credentials_version + 1, credentials_changed_at = ? WHERE id = ?`,
			[]any{now, r.ID},
		},
		{`UPDATE api_token SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL`, []any{now, r.ID}},
		{
			`UPDATE email_code SET used_at = ? WHERE email IN (?, ?) AND purpose IN (?, ?, ?, ?) AND used_at IS NULL`,
			[]any{now, r.Email, c.former, ForLogin, ForForgotPassword, forChangeEmail, forStepUp},
		},
		{`DELETE FROM totp_enrolment WHERE account_id = ?`, []any{r.ID}},
		{`DELETE FROM passkey_challenge WHERE account_id = ?`, []any{r.ID}},
		{`DELETE FROM sign_in_token WHERE account_id = ?`, []any{r.ID}},
	}
	for _, s := range steps {
		if _, err := tx.NewRaw(s.sql, s.args...).Exec(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.sql, db.Error(err))
		}
	}
	if _, err := cr.sessions.end(ctx, tx, "account_id = ? AND id <> ?", r.ID, c.keep); err != nil {
		return err
	}
	if _, err := cr.sessions.visits.end(ctx, tx, endedByCredentials, "account_id = ?", r.ID); err != nil {
		return err
	}
	for _, void := range cr.onChange {
		if err := void(ctx, tx, r.ID); err != nil {
			return err
		}
	}
	if c.recovered {
		for _, sql := range []string{
			`DELETE FROM passkey WHERE account_id = ?`,
			`UPDATE account SET telegram_id = NULL WHERE id = ?`,
		} {
			if _, err := tx.NewRaw(sql, r.ID).Exec(ctx); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
	}
	if err := cr.history.noteBy(ctx, tx, r.ID, c.kind, from, c.by); err != nil {
		return err
	}
	to := r.recipient()
	if c.former != "" {
		to.Email = c.former
	}
	if c.recovered { // whoever linked it may be whom the account is recovered from
		to.TelegramID = nil
	}
	return cr.notices.Notify(ctx, tx, to, c.content(left))
}

// OnChange registers fn to void what another package stores that opens a user's account, in the transaction that
// changes the credentials. It must be called before the server starts.
func (cr *Credentials) OnChange(fn func(ctx context.Context, tx bun.Tx, userID int64) error) {
	cr.onChange = append(cr.onChange, fn)
}

func (cr *Credentials) otherCredentials(ctx context.Context, tx bun.Tx, userID int64) (w otherCredentials, err error) {
	err = tx.NewRaw(`SELECT (SELECT count(*) FROM passkey WHERE account_id = ?0), telegram_id IS NOT NULL FROM account
		WHERE id = ?0`, userID).
		Scan(ctx, &w.passkeys, &w.telegram)
	return w, err
}

// securityMail returns the mail about a change of the security settings.
func (cr *Credentials) securityMail(kind ActivityKind, name string, from Client) func(otherCredentials) mail.Content {
	return func(otherCredentials) mail.Content {
		return mail.SecurityChanged{What: string(kind), Name: name, At: cr.db.Now(), IP: addressOf(from)}
	}
}

// addressOf returns the client's address for a mail; empty where the operator or the Telegram bot made the call.
func addressOf(from Client) string {
	if !from.IP.IsValid() {
		return ""
	}
	return from.IP.String()
}

// Prove runs then in the transaction in which the caller proved the password and, where it is on, the second factor.
// Invalid input names the fields password and code.
func (cr *Credentials) Prove(
	ctx context.Context, who Identity, password, code string, from Client, then func(context.Context, bun.Tx) error,
) error {
	u, err := userByID(ctx, cr.db, who.UserID)
	if err != nil {
		return err
	}
	return atFields(cr.verifier.prove(ctx, u.Email, password, cr.verifier.secondFactor(code, from.within(who)),
		from.within(who), func(ctx context.Context, tx bun.Tx, _ row) error {
			return then(ctx, tx)
		}), "password", "code")
}
