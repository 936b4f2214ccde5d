package app

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// What several members of staff do at the same time, such as making something under one name, is done or refused: no
// rule of the database is met that the code does not turn into a fault.
func TestStaff_TheSameAtOnce_IsNoInternalError(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		acts := auditedActs(h)
		for _, r := range h.staffRoutes(h.T) {
			prepare, ok := acts[r.id]
			if !ok || r.method == http.MethodGet || !strings.HasPrefix(r.path, "/api/v2/staff/") {
				continue
			}
			a := prepare()
			a.as = h.present(a.as)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if w := h.change(r, a, "*"); w.Code == http.StatusInternalServerError {
						h.Errorf("%s done three times at once answers %d %s", r.id, w.Code, w.Body)
					}
				})
			}
			wg.Wait()
		}
	})
}
