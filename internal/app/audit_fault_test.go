package app

import (
	"slices"
	"testing"
)

// Staff is notified once a day of a chain that was removed. It stays missing after a restart.
func TestAuditLog_TamperedWith_NotifiesStaff(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		notified := func() (to []string) {
			mails, err := h.Mails.List(h.Context(), 200)
			if err != nil {
				h.Fatal(err)
			}
			for _, m := range mails {
				if m.Kind == "audit_fault" {
					to = append(to, m.Recipient)
				}
			}
			slices.Sort(to)
			return to
		}
		if err := h.Audit.Seal(h.Context()); err != nil || notified() != nil {
			h.Fatal(err, notified())
		}
		h.past(h.T, `DELETE FROM audit_head`)
		for range 3 {
			if err := h.Audit.Seal(h.Context()); err == nil {
				h.Error("a chain was begun again")
			}
		}
		if want := []string{"admin@example.com", "owner@example.com"}; !slices.Equal(notified(), want) {
			h.Errorf("notified are %s, want %s", notified(), want)
		}
		if broken, err := h.Check(h.Context()); err != nil || len(broken) == 0 {
			h.Error(broken, err)
		}
	})
}
