package app

import (
	"strings"
	"testing"

	"airstrip/internal/account"
)

// A time in a body that the databases cannot store is refused by its name, whether the body's type has it as a time or
// as a text: SQLite kept such times and ordered them wrongly, PostgreSQL failed.
func TestTimesInBodies_OutsideOfWhatTheDatabasesStore_AreRefusedAndNamed(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(h *fixture) {
		for _, at := range []string{
			"0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "1899-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59",
		} {
			for field, call := range map[string][2]string{
				"valid_from": {"/api/v2/staff/coupons", `{"code":"TIME","percent":10,"valid_from":"AT"}`},
				"valid_to":   {"/api/v2/staff/coupons", `{"code":"TIME","percent":10,"valid_to":"AT"}`},
				"expires_at": {"/api/v2/staff/cd-keys", `{"kind":"amount","amount":"1.00","size":1,"expires_at":"AT"}`},
			} {
				answer := h.ask(h.staff[account.Owner], 422, "POST", call[0], strings.Replace(call[1], "AT", at, 1), nil)
				if !strings.Contains(answer, `"field":"`+field+`","code":"range"`) {
					h.Errorf("%s %s: %s", field, at, answer)
				}
			}
		}
		h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/coupons",
			`{"code":"TIME","percent":10,"valid_from":"2026-01-01T00:00:00Z","valid_to":"9999-12-31T23:59:59Z"}`, nil)
	})
}
