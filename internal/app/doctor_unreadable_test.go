package app

import (
	"slices"
	"strings"
	"testing"

	"airstrip/internal/db"
)

// What a check cannot read is reported, and the other checks go on. PostgreSQL refuses such a key itself, so there the
// column is another one.
func TestDoctor_UnreadableRow_IsReportedAndTheOthersAreChecked(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.give(h.T, h.users[0].id, 100) // an act of the operator, with its entry
		h.past(h.T, `UPDATE ledger_account SET posted = posted + 700 WHERE posted = 1000`)
		if h.DB.SQLite() {
			h.past(h.T, `DROP TRIGGER audit_entry_no_update`, `UPDATE audit_entry SET key = 'nonsense' WHERE id = 1`)
		} else {
			h.past(h.T, `ALTER TABLE audit_entry DISABLE TRIGGER ALL`,
				`ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_key_key`,
				`ALTER TABLE audit_entry ALTER COLUMN key TYPE TEXT USING 'nonsense'`)
		}
		broken, err := h.Check(h.Context())
		if err != nil {
			h.Fatal(err)
		}
		for _, rule := range []string{"I2", "audit"} {
			if !slices.ContainsFunc(broken, func(v db.Violation) bool { return strings.HasPrefix(v.Rule, rule+":") }) {
				h.Errorf("nothing of %s is reported: %v", rule, broken)
			}
		}
		h.past(h.T, `DROP TABLE checkin`) // a rule whose query fails
		broken, err = h.Check(h.Context())
		if err != nil || !slices.ContainsFunc(broken, func(v db.Violation) bool {
			return strings.HasPrefix(v.Rule, "I16:")
		}) || !slices.ContainsFunc(broken, func(v db.Violation) bool { return strings.HasPrefix(v.Rule, "I2:") }) {
			h.Errorf("a table is missing: %v, %v", broken, err)
		}
	})
}
