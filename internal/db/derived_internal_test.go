package db

import (
	"strings"
	"testing"
)

// On PostgreSQL a statement that waits for a row goes on with what it read of other tables before it waited.
func TestDerivedTriggers_ThatReadOtherTables_LockTheirRowFirst(t *testing.T) {
	for derived, triggers := range derivedTables {
		for _, trigger := range triggers {
			body := strings.Join(trigger.does, ";")
			changesRow := !strings.HasPrefix(body, "INSERT")
			if reads := strings.Contains(body, "SELECT"); changesRow && reads != (trigger.user != "") {
				t.Errorf("%s reads other tables: %v, locks the row of %q", trigger.name(derived), reads, trigger.user)
			}
		}
	}
}
