package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/db"
)

// unrecorded returns what the doctor finds of acts and approvals that the audit log does not name.
func (h *fixture) unrecorded() (what []string) {
	h.Helper()
	broken, err := h.Check(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	for _, v := range slices.DeleteFunc(broken, func(v db.Violation) bool {
		return !strings.Contains(v.Rule,
			"audit log")
	}) {
		what = append(what, v.What)
	}
	return what
}

// Each act of staff must have its entry in the audit log, and each approval of one.
func TestDoctor_ActWithoutItsEntry_IsFound(t *testing.T) {
	insert := func(id int64, at string) string {
		return fmt.Sprintf(`INSERT INTO staff_grant (id, kind, reference_id, staff_id, worth, day, state, created_at)
			SELECT %d, kind, reference_id, NULL, worth, day, 'alone', '%s' FROM staff_grant WHERE state = 'alone'
			LIMIT 1`, id, at)
	}
	for name, c := range map[string]struct {
		statement string
		want      []string
	}{
		"act put in by hand":            {insert(1000, `2100-01-01T00:00:00.000Z`), []string{"act 1000"}},
		"act put in with an early time": {insert(1000, `2020-01-01T00:00:00.000Z`), []string{"act 1000"}},
		"act from before the log":       {insert(-1, `2020-01-01T00:00:00.000Z`), nil},
		"act on something else": {
			`UPDATE staff_grant SET reference_id = reference_id + 100 WHERE state = 'alone'`, []string{"act 4"},
		},
		"act of another kind": {`UPDATE staff_grant SET kind = 'traffic' WHERE state = 'alone'`, []string{"act 4"}},
		"approved by hand": {
			`UPDATE staff_grant SET state = 'approved', decided_at = created_at WHERE state = 'waiting'`,
			[]string{"approval of act 6"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(h *fixture) {
				// after the log's beginning, which has the real time
				h.now = time.Date(2099, 1, 31, 4, 0, 0, 0, time.UTC)
				adjust := func(amount string) {
					h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/wallet-adjustments",
						fmt.Sprintf(`{"user_id":%d,"amount":%q,"reason":"an outage"}`, h.users[0].id, amount), nil)
				}
				h.limited("100.00")
				adjust("1.00")
				h.limited("0.00")
				adjust("2.00")
				h.decide(h.staff[account.Finance], 200, true)
				adjust("3.00")
				if found := h.unrecorded(); found != nil {
					h.Fatalf("found %q on a site that nobody touched", found)
				}
				h.past(h.T, c.statement)
				if found := h.unrecorded(); !slices.Equal(found, c.want) {
					h.Errorf("found %q, want %q", found, c.want)
				}
			})
		})
	}
}
