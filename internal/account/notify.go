package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/mail"
	"airstrip/internal/notify"
	"airstrip/internal/permission"
)

// Notify notifies the user by the channels that they chose, in the language that they last used, as part of tx. It
// returns ErrNoUser for an unknown id. Nobody is notified of a closed account.
func (a *Accounts) Notify(ctx context.Context, tx bun.Tx, userID int64, content mail.Content) error {
	_, err := a.NotifyExcept(ctx, tx, userID, content, nil)
	return err
}

// NotifyExcept is Notify by the channels that are not in except, and returns those by which a notice was queued.
func (a *Accounts) NotifyExcept(ctx context.Context, tx bun.Tx, userID int64, content mail.Content,
	except []notify.Channel,
) ([]notify.Channel, error) {
	r, err := find(ctx, tx, "id = ?", userID)
	if err != nil || r.ClosedAt != nil {
		return nil, err
	}
	return a.notices.NotifyExcept(ctx, tx, r.recipient(), content, except)
}

// recipient returns the user as notices reach them.
func (u User) recipient() notify.User {
	return notify.User{ID: u.ID, Email: u.Email, Lang: u.Lang, TelegramID: u.TelegramID}
}

// NoticeUser returns the user as notices reach them, or ErrNoUser.
func (a *Accounts) NoticeUser(ctx context.Context, userID int64) (notify.User, error) {
	u, err := a.User(ctx, userID)
	return u.recipient(), err
}

// NotifyStaff sends a mail to everybody who may do what needs the permission, each in their language, as part of tx.
func (a *Accounts) NotifyStaff(ctx context.Context, tx bun.Tx, needs permission.Permission, content mail.Content,
) error {
	staff, err := a.Staff(ctx, tx, needs)
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
