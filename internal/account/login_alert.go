package account

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/geo"
	"airstrip/internal/mail"
)

// sendLoginAlert notifies a user that somebody signs in from an area or a device that none of their sign-ins
// of the last 90 days came from. It must be called before the sign-in is recorded. The first sign-in of an account
// causes no notice.
func (si *SignIns) sendLoginAlert(ctx context.Context, tx bun.Tx, r row, from Client) error {
	var before []signInAttempt
	err := tx.NewSelect().Model(&before).Column("ip", "user_agent").Distinct().
		Where("email = ? AND wrong = '' AND at >= ? AND at > ?", r.Email, r.CreatedAt, si.db.Now().
			Add(-signInRetention)).
		Scan(ctx)
	if err != nil || len(before) == 0 {
		return err
	}
	here := si.history.origin(from.IP.String(), userAgent(from))
	var knownArea, knownDevice bool
	for _, t := range before {
		p := si.history.origin(t.IP, t.UserAgent)
		knownArea = knownArea || p.Area == here.Area
		knownDevice = knownDevice || p.Device.same(here.Device)
	}
	if knownArea && knownDevice {
		return nil
	}
	content := mail.LoginAlert{
		At: si.db.Now(), IP: here.IP,
		Device: strings.Trim(here.Device.Browser+" · "+here.Device.System, " ·"),
	}
	if here.Area != geo.Unknown {
		content.Area = here.Area
	}
	return si.notices.Notify(ctx, tx, r.recipient(), content)
}
