package app

import (
	"slices"
	"testing"
)

// A chain that somebody took away is told to staff once a day, and stays gone over a start.
func TestAuditLog_TamperedWith_NotifiesStaff(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		told := func() (to []string) {
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
		if err := h.Audit.Seal(t.Context()); err != nil || told() != nil {
			t.Fatal(err, told())
		}
		h.past(t, `DELETE FROM audit_head`)
		for range 3 {
			if err := h.Audit.Seal(t.Context()); err == nil {
				t.Error("a chain was begun anew")
			}
		}
		if want := []string{"admin@example.com", "owner@example.com"}; !slices.Equal(told(), want) {
			t.Errorf("told %s, want %s", told(), want)
		}
		if broken, err := h.Check(t.Context()); err != nil || len(broken) == 0 {
			t.Error(broken, err)
		}
	})
}
