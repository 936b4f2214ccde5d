package app

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

func TestCheckIn_BothGenerationsOfTheAPI_ShareTheDay(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		const v2 = "/api/v2/user/services-old/checkin/"
		user := h.users[0]
		var status struct {
			State, Today          string
			Streak                int64
			MinBytes              int64     `json:"min_bytes"`
			MaxBytes              int64     `json:"max_bytes"`
			NextAt                time.Time `json:"next_at"`
			Days                  []struct{ Date string }
			CanCheckIn            bool `json:"can_checkin"`
			Bytes, LastBytes, Sum int64
		}
		h.ask(user, 200, "GET", v2, "", &status)
		if status.State != "open" || status.Today != "2026-01-31" || status.MinBytes != 100<<20 ||
			status.MaxBytes != 500<<20 || !status.NextAt.Equal(h.now.Add(12*time.Hour)) || len(status.Days) != 0 {
			h.Errorf("%+v", status)
		}
		body := h.ask(user, 200, "POST", v2, "", &status)
		if !strings.Contains(body, "签到成功") || status.Streak != 1 || status.Bytes < 100<<20 {
			h.Errorf("%s", body)
		}
		for _, path := range []string{v2, "/v1/user/checkin"} {
			if body := h.ask(user, 409, "POST", path, "", nil); !strings.Contains(body, `"checkin_done"`) {
				h.Errorf("%s", body)
			}
		}
		h.ask(user, 200, "GET", "/v1/user/checkin", "", &status)
		if status.State != "done" || status.CanCheckIn {
			h.Errorf("%+v", status)
		}
		h.now = h.now.Add(12 * time.Hour) // midnight
		h.ask(user, 200, "POST", "/v1/user/checkin", "", &status)
		if status.Streak != 2 {
			h.Errorf("%+v", status)
		}
		h.ask(user, 200, "GET", v2+"?month=2026-01", "", &status)
		if len(status.Days) != 1 || status.Days[0].Date != "2026-01-31" || status.Today != "2026-02-01" {
			h.Errorf("%+v", status)
		}
		h.ask(user, 422, "GET", v2+"?month=2026-13", "", nil)

		other := h.users[1]
		if w := h.callWith(h.T, "POST", v2, h.token(other.id, account.ScopeRead)); w.Code != http.StatusForbidden {
			h.Errorf("a token that may only read: %d %s", w.Code, w.Body)
		}
		if w := h.callWith(h.T, "POST", v2, h.token(other.id, account.ScopeWrite)); w.Code != http.StatusOK {
			h.Errorf("a token that may write: %d %s", w.Code, w.Body)
		}
		h.sound(h.T)
	})
}
