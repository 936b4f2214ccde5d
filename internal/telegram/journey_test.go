package telegram_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/service"
)

// What the bot says follows what happens, from the link of the site to its end; after that it knows nobody.
func TestBot_FromLinkToUnlink(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{
			"checkin_min_mb": []byte("512"), "checkin_max_mb": []byte("512"),
		}))
		user, quota := w.linked("lin@example.com", lin), int64(10<<30)
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := w.services.Start(ctx, tx, service.Terms{
				UserID: user.ID, PlanID: 1, Name: "Ten", Class: 1, QuotaBytes: &quota, Reset: service.Never, Months: 1,
			})
			return err
		}))
		w.Say(lin, "/me")
		w.says("Plan: Ten", "Traffic left: 10.00 GB of 10.00 GB", "Expires: ")
		w.Say(lin, "/checkin")
		w.says("512 MB", "day 1 in a row")
		w.Say(lin, "/me")
		w.says("Traffic left: 10.50 GB of 10.50 GB")
		w.Say(lin, "/sub")
		w.says(site + "/link/of/")

		begun := w.begin()
		w.Start(lin, begun.Link)
		w.Press(lin, w.says("Number").Markup.Rows[0][0])
		w.says("Confirmed")
		grant, err := w.signIn(begun, "")
		w.must(err)
		if grant.User.ID != user.ID {
			w.Errorf("signed in is user %d, want %d", grant.User.ID, user.ID)
		}

		w.Say(lin, "/unlink")
		w.Press(lin, w.says("Unlink").Markup.Rows[0][0])
		w.says("Unlinked")
		for _, command := range []string{"/me", "/sub", "/checkin", "/tickets"} {
			w.Say(lin, command)
			if c := w.says("not linked"); strings.Contains(c.Text, "lin@") || strings.Contains(c.Text, "/link/") {
				w.Errorf("after the end %s is answered %q", command, c.Text)
			}
		}
	})
}
