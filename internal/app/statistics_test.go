package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

func TestStatistics_SumTrafficUpByDayNodeCountryPlanAndUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		first, other := h.add("hk", `,"country":"HK"`), h.add("jp", `,"country":"JP"`)
		h.moves(first.Secret, 3, 4)
		h.moves(other.Secret, 10, 20)
		h.now = h.now.Add(24 * time.Hour)
		h.moves(first.Secret, 1, 1)
		h.now = h.now.Add(time.Hour)
		admin := h.staff[account.Admin]
		sums := func(by string) (text string) {
			var rows []struct {
				Key      string
				Name     string
				UpBytes  int64 `json:"up_bytes"`
				DownByte int64 `json:"down_bytes"`
			}
			h.ask(admin, 200, "GET", "/api/v2/staff/statistics/traffic?by="+by, "", &rows)
			for _, r := range rows {
				key := r.Key
				if by == "day" || by == "plan" {
					key = ""
				}
				text += fmt.Sprintf("%s%s %d+%d ", key, r.Name, r.UpBytes, r.DownByte)
			}
			return text
		}
		if got := sums("day"); got != " 13+24  1+1 " {
			h.Errorf("days: %q", got)
		}
		if got := sums("node"); got != fmt.Sprintf("%djp 10+20 %dhk 4+5 ", other.Node.ID, first.Node.ID) {
			h.Errorf("nodes: %q", got)
		}
		if got := sums("country"); got != "JP 10+20 HK 4+5 " {
			h.Errorf("countries: %q", got)
		}
		if got := sums("plan"); !strings.HasSuffix(got, " 14+25 ") {
			h.Errorf("plans: %q", got)
		}
		var ranked struct {
			Users []struct {
				UserID int64 `json:"user_id"`
				Email  string
				Down   int64 `json:"down_bytes"`
			}
			TotalCount int64 `json:"total_count"`
		}
		h.ask(admin, 200, "GET", "/api/v2/staff/statistics/users", "", &ranked)
		if ranked.TotalCount != 1 || len(ranked.Users) != 1 || ranked.Users[0].UserID != h.users[0].id ||
			ranked.Users[0].Email == "" || ranked.Users[0].Down != 25 {
			h.Errorf("the ranking is %+v", ranked)
		}
		var months []struct {
			Up       int64  `json:"up_bytes"`
			Down     int64  `json:"down_bytes"`
			Expected *int64 `json:"expected_bytes"`
		}
		h.ask(admin, 200, "GET", "/api/v2/staff/statistics/growth", "", &months)
		up, down := int64(0), int64(0)
		for _, m := range months {
			up, down = up+m.Up, down+m.Down
		}
		if up != 14 || down != 25 {
			h.Errorf("growth: %+v", months)
		}
		h.ask(admin, 422, "GET", "/api/v2/staff/statistics/growth?months=0", "", nil)
		h.ask(admin, 422, "GET", "/api/v2/staff/statistics/traffic?by=moon", "", nil)
		h.ask(admin, 422, "GET", "/api/v2/staff/statistics/users?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "", nil)
	})
}
