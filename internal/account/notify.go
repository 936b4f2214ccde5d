package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/mail"
)

// Notify sends the user a mail in the language that they last used, as part of tx. It returns ErrNoUser for an unknown
// id.
func (a *Accounts) Notify(ctx context.Context, tx bun.Tx, userID int64, content mail.Content) error {
	r, err := find(ctx, tx, "id = ?", userID)
	if err != nil {
		return err
	}
	return a.mails.Send(ctx, tx, mail.Message{To: r.Email, Lang: r.Lang, Content: content})
}

// NotifyIfWanted is Notify for what a user may do without: nothing is sent to who turned notices by mail off.
func (a *Accounts) NotifyIfWanted(ctx context.Context, tx bun.Tx, userID int64, content mail.Content) error {
	r, err := find(ctx, tx, "id = ?", userID)
	if err != nil || !r.NoticeByMail {
		return err
	}
	return a.mails.Send(ctx, tx, mail.Message{To: r.Email, Lang: r.Lang, Content: content})
}

// NotifyStaff sends a mail to everybody with one of the roles, each in their language, as part of tx.
func (a *Accounts) NotifyStaff(ctx context.Context, tx bun.Tx, roles []Role, content mail.Content) error {
	staff, err := a.Staff(ctx, tx, roles)
	if err != nil {
		return err
	}
	for _, u := range staff {
		if err := a.mails.Send(ctx, tx, mail.Message{To: u.Email, Lang: u.Lang, Content: content}); err != nil {
			return err
		}
	}
	return nil
}
