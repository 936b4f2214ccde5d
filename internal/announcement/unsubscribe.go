package announcement

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/notify"
)

// UnsubscribePath is where the links to unsubscribe lead, before their token.
const UnsubscribePath = "/unsubscribe/"

// ErrNoLink is the fault of a link to unsubscribe that the site did not make.
var ErrNoLink = fault.NotFound("unsubscribe_link_invalid", "退订链接无效，请使用邮件中的完整链接",
	"This link to unsubscribe is not valid; please use the whole link of the mail")

const signPurpose = "announcement unsubscribe"

// UnsubscribeURL is the address by which a user gets no more announcements without a sign-in. It does not end, since
// mails are kept for years.
func (b *Broadcasts) UnsubscribeURL(userID int64) string {
	id := binary.BigEndian.AppendUint64(nil, uint64(userID))
	return b.Site + UnsubscribePath + base64.RawURLEncoding.EncodeToString(append(id, b.Key.Digest(signPurpose, id)...))
}

// Subscriber gives whom a token of such an address is of, and whether they get announcements: ErrNoLink.
func (b *Broadcasts) Subscriber(ctx context.Context, token string) (userID int64, subscribed bool, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != 24 || !hmac.Equal(raw[8:], b.Key.Digest(signPurpose, raw[:8])) {
		return 0, false, ErrNoLink
	}
	userID = int64(binary.BigEndian.Uint64(raw))
	u, err := b.Accounts.User(ctx, userID)
	switch {
	case errors.Is(err, account.ErrNoUser), err == nil && u.ClosedAt != nil:
		return 0, false, ErrNoLink
	case err != nil:
		return 0, false, err
	}
	for _, by := range unsubscribable {
		wanted, err := b.Notices.Wants(ctx, b.DB, userID, notify.Announcement, by)
		if err != nil || wanted {
			return userID, wanted, err
		}
	}
	return userID, false, nil
}

// Subscribe changes by a token whether its user gets announcements by mail and Telegram: ErrNoLink. To say the same
// twice changes nothing.
func (b *Broadcasts) Subscribe(ctx context.Context, token string, wanted bool) error {
	userID, subscribed, err := b.Subscriber(ctx, token)
	if err != nil || subscribed == wanted {
		return err
	}
	var choices []notify.Choice
	for _, by := range unsubscribable {
		choices = append(choices, notify.Choice{Event: notify.Announcement, Channel: by, Wanted: wanted})
	}
	return b.Notices.Choose(ctx, userID, choices...)
}

// unsubscribable are the channels that a link to unsubscribe speaks of. Users turn push off where they turned it on.
var unsubscribable = []notify.Channel{notify.ByMail, notify.ByTelegram}
