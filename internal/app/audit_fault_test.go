package app

import (
	"slices"
	"testing"
)

// Staff is notified once a day of a chain that was removed. It stays missing after a restart.
func TestAuditLog_TamperedWith_NotifiesStaff(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		notified := func() (to []string) {
			mails, err := h.Mails.List(t.Context(), 200)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mails {
				if m.Kind == "audit_fault" {
					to = append(to, m.Recipient)
				}
			}
			slices.Sort(to)
			return to
		}
		if err := h.Audit.Seal(t.Context()); err != nil || notified() != nil {
			t.Fatal(err, notified())
		}
		h.past(t, `DELETE FROM audit_head`)
		for range 3 {
			if err := h.Audit.Seal(t.Context()); err == nil {
				t.Error("a chain was begun again")
			}
		}
		if want := []string{"admin@example.com", "owner@example.com"}; !slices.Equal(notified(), want) {
			t.Errorf("notified are %s, want %s", notified(), want)
		}
		if broken, err := h.Check(t.Context()); err != nil || len(broken) == 0 {
			t.Error(broken, err)
		}
	})
}
