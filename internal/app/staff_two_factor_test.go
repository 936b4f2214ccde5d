package app

import (
	"net/http"
	"strings"
	"testing"

	"airstrip/internal/account"
)

// The setting holds at once, for whichever role and operation, and for API tokens that were given before it.
func TestStaffTwoFactor_EachOperation_RefusesMembersWithoutOne(t *testing.T) {
	sqliteFixture(t, func(h *fixture) {
		secret := h.token(h.staff[account.Owner].id, account.ScopeJobs, account.ScopePartner, account.ScopeGrant,
			account.ScopeGrafana)
		routes := h.staffRoutes(h.T)
		answeredToToken := func() (ids []string) {
			for _, r := range routes {
				if !r.token && !r.job {
					continue
				}
				for _, path := range h.pathsOf(r.path, h.users[0].id, secret) {
					if w := h.callWith(h.T, r.method, path, secret); w.Code == http.StatusOK {
						ids = append(ids, r.id)
					}
				}
			}
			return ids
		}
		if len(answeredToToken()) < 3 {
			h.Fatal("before the setting the token opens next to nothing, so its refusals would mean nothing")
		}
		h.set(map[string]any{"staff_two_factor": true})
		if ids := answeredToToken(); len(ids) > 0 {
			h.Errorf("the token of an owner without a second factor opens %q", ids)
		}
		for role, member := range h.staff {
			for _, r := range routes {
				if r.token {
					continue
				}
				if w := h.asMember(member, r); w.Code != http.StatusForbidden ||
					!strings.Contains(w.Body.String(), `"staff_two_factor_required"`) {
					h.Errorf("%s %s (%s) answers the %s %d %s", r.method, r.path, r.id, role, w.Code, w.Body)
				}
			}
		}
	})
}
