package account

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/money"
)

// Faults of closing an account.
var (
	ErrCloseBanned = fault.Forbidden("close_while_banned", "账号封禁期间不能注销，请联系客服",
		"The account is suspended and can’t be closed now; please write to support")
	ErrLastOwner = fault.Conflict("last_owner", "你是唯一的站长，请先指定另一位站长",
		"You are the only owner of the site; please make somebody else one first")
)

// Loss is what a user would lose by closing the account now.
type Loss struct {
	Balance    money.Amount // of the wallet, with what orders hold
	Commission money.Amount
	Services   int64 // running services, and packages with traffic remaining
	TwoFactor  bool  // whether closing needs a code of the second factor
}

// Money is the sum of money that would be lost.
func (l Loss) Money() money.Amount { return l.Balance + l.Commission }

// Loss returns what the user would lose by closing the account now.
func (a *Accounts) Loss(ctx context.Context, userID int64) (l Loss, err error) {
	b, err := a.wallets.Balance(ctx, userID)
	if err != nil {
		return l, err
	}
	l.Balance, l.Commission = b.Posted, b.Commission+b.PayingOut // closing ends the payout
	if l.Services, err = a.services.CountRunning(ctx, userID); err != nil {
		return l, err
	}
	t, err := a.verifier.totpOf(ctx, a.db, userID)
	l.TwoFactor = t != nil
	return l, err
}

// CloseInput is what a user confirms to close the account.
type CloseInput struct {
	Password  string
	TwoFactor string // needed where the second factor is on
	Email     string // of the account, typed again
	Forfeit   money.Amount
}

// OnClose registers fn to delete what another package stores about a user, in the transaction that closes the account.
// It must be called before the server starts.
func (a *Accounts) OnClose(fn func(ctx context.Context, tx bun.Tx, userID int64) error) {
	a.onClose = append(a.onClose, fn)
}

// Close ends the caller's account for good: sessions, services and all credentials end at once, and the personal data
// is erased. The ledger keeps its entries under the account's id. The balance that the user gives up must be exactly
// in.Forfeit, the sum that they were shown. The address may sign up again. Invalid input names the fields password,
// code, email, forfeit.
func (a *Accounts) Close(ctx context.Context, who Identity, in CloseInput, from Client) error {
	u, err := a.User(ctx, who.UserID)
	if err != nil {
		return err
	}
	loss, err := a.Loss(ctx, u.ID)
	if err != nil {
		return err
	}
	if err := invalid(checkTypedEmail(u.Email, in.Email), checkForfeit(loss.Money(), in.Forfeit)); err != nil {
		return err
	}
	return atFields(a.verifier.prove(closing(ctx, u.ID), u.Email, in.Password,
		a.verifier.secondFactor(in.TwoFactor, from.within(who)), from.within(who),
		func(ctx context.Context, tx bun.Tx, r row) error {
			r, err := find(ctx, tx, "id = ?", r.ID) // as it is now that its row is locked
			if err != nil {
				return err
			}
			if r.Banned() { // otherwise signing up again would escape the ban
				return ErrCloseBanned
			}
			return a.closeRow(ctx, tx, r, in.Forfeit, from)
		}), "password", "code")
}

// closeRow closes the account, on which tx began with LockToClose. The money that is lost must be exactly forfeit.
func (a *Accounts) closeRow(ctx context.Context, tx bun.Tx, r row, forfeit money.Amount, from Client) error {
	if err := a.notLastOwner(ctx, tx, r); err != nil {
		return err
	}
	if err := a.wallets.LockPending(ctx, tx, r.ID); err != nil {
		return err
	}
	if err := a.notices.Close(ctx, tx, r.ID); err != nil {
		return err
	}
	for _, end := range a.onClose {
		if err := end(ctx, tx, r.ID); err != nil {
			return err
		}
	}
	if err := a.wallets.Close(ctx, tx, r.ID); err != nil {
		return err
	}
	b, err := a.wallets.BalanceIn(ctx, tx, r.ID) // including what arrived before the wallet was closed
	if err != nil {
		return err
	}
	if err := invalid(checkForfeit(Loss{Balance: b.Posted, Commission: b.Commission}.Money(), forfeit)); err != nil {
		return err
	}
	if err := a.services.Close(ctx, tx, r.ID); err != nil {
		return err
	}
	return a.erasePerson(ctx, tx, r, from)
}

// notLastOwner returns ErrLastOwner where r is the only owner.
func (a *Accounts) notLastOwner(ctx context.Context, tx bun.Tx, r row) error {
	left, err := hasOtherOwner(ctx, tx, r)
	if err == nil && !left {
		err = ErrLastOwner
	}
	return err
}

// hasOtherOwner tells whether an owner without a running or a future ban remains when r no longer is one. It locks the
// rows of all owners, so that two who leave, or ban each other, at once are handled one after the other.
func hasOtherOwner(ctx context.Context, tx bun.Tx, r row) (bool, error) {
	if r.Role != Owner {
		return true, nil
	}
	if _, err := tx.NewRaw(`UPDATE account SET role = role WHERE role = ?`, Owner).Exec(ctx); err != nil {
		return false, err
	}
	return tx.NewSelect().Model((*row)(nil)).Where("role = ? AND id <> ? AND closed_at IS NULL", Owner, r.ID).
		Where("id NOT IN (SELECT account_id FROM ban_task WHERE ended_at IS NULL)").Exists(ctx)
}

// erasePerson deletes all credentials and personal data of the account, after a last mail.
func (a *Accounts) erasePerson(ctx context.Context, tx bun.Tx, r row, from Client) error {
	now := a.db.Now()
	if err := a.mails.Send(ctx, tx, mail.Message{
		To: r.Email, Lang: from.Lang,
		Content: mail.AccountClosed{At: now, IP: addressOf(from)},
	}); err != nil {
		return err
	}
	for _, table := range []string{
		"staff_visit", "session", "api_token", "sign_in_token", "passkey", "passkey_challenge", "totp",
		"totp_enrolment", "recovery_code", "activity",
	} {
		if _, err := tx.NewDelete().Table(table).Where("account_id = ?", r.ID).Exec(ctx); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	for _, table := range []string{"sign_in", "email_code"} {
		if _, err := tx.NewDelete().Table(table).Where("email = ?", r.Email).Exec(ctx); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	r.UUID, r.Email, r.Name, r.Role, r.InviteCode = uuid.New(), "closed-"+strconv.FormatInt(r.ID,
		10)+"@invalid", "-", "", newInviteCode()
	r.Password, r.PasswordVersion = "", uuid.New()
	r.TelegramID, r.EmailVerifiedAt, r.SignedInAt, r.ClosedAt = nil, nil, nil, &now
	r.CredentialsVersion++ // refuses simultaneous calls that have just proved who they are
	_, err := tx.NewUpdate().Model(&r).WherePK().
		Column("uuid", "email", "name", "role", "invite_code", "password", "password_version",
			"telegram_id", "email_verified_at", "signed_in_at", "closed_at", "credentials_version").Exec(ctx)
	return err
}

func checkTypedEmail(email, typed string) *fault.Field {
	if NormalEmail(typed) != email {
		return field("email", "mismatch", "与账号邮箱不一致", "This is not the account’s address")
	}
	return nil
}

func checkForfeit(loss, seen money.Amount) *fault.Field {
	if loss != seen {
		return field("forfeit", "changed", "余额已变为 "+loss.String()+"，请重新确认",
			"The balance is "+loss.String()+" now; please confirm again")
	}
	return nil
}
