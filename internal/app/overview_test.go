package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/money"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type shownTotal struct {
	Rows   int64
	Amount string
	Bytes  int64
}

type shownFigure struct {
	Key, Measure, List, Query string
	Now                       shownTotal
	Before                    *shownTotal
	Percent                   *int64 `json:"change_percent"`
	Oldest                    *time.Time
	Parts                     []struct {
		Name, Query string
		Rows        int64
	}
}

type shownOverview struct {
	Figures []shownFigure
	Days    []struct {
		Revenue *string
		Moved   *int64 `json:"moved_bytes"`
	}
	Steps []struct {
		Key    string
		IsDone bool `json:"is_done"`
	}
}

// paid has a user pay a recharge now.
func (h *fixture) paid(userID int64, amount money.Amount) {
	h.Helper()
	err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
		charge, err := h.Payments.Charge(sandbox.Name, amount)
		if err != nil {
			return err
		}
		r, err := h.Wallets.StartRecharge(ctx, tx, userID, charge)
		if err != nil {
			return err
		}
		_, err = h.Wallets.Credit(ctx, tx, r, "paid-"+r.TradeNo)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
}

func (o shownOverview) figure(t *testing.T, key string) shownFigure {
	t.Helper()
	i := slices.IndexFunc(o.Figures, func(f shownFigure) bool { return f.Key == key })
	if i < 0 {
		t.Fatalf("there is no figure %s", key)
	}
	return o.Figures[i]
}

func (h *fixture) overview(role account.Role, query string) (o shownOverview) {
	h.Helper()
	h.ask(h.staff[role], http.StatusOK, "GET", "/api/v2/staff/overview?"+query, "", &o)
	return o
}

// listed counts the rows of a figure's list with its filter.
func (h *fixture) listed(f shownFigure) int64 {
	h.Helper()
	admin := h.staff[account.Admin]
	switch f.List {
	case "users", "orders", "recharges":
		var n consoleCount
		h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/"+f.List+"/count?"+f.Query, "", &n)
		return n.Rows
	case "statistics/traffic":
		var rows []struct {
			Up     int64 `json:"up_bytes"`
			Down   int64 `json:"down_bytes"`
			Billed int64 `json:"billed_bytes"`
		}
		h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/statistics/traffic?"+f.Query, "", &rows)
		sum := int64(0)
		for _, r := range rows {
			if f.Key == "billed_traffic" {
				sum += r.Billed
			} else {
				sum += r.Up + r.Down
			}
		}
		return sum
	case "jobs/timetable":
		var jobs []struct {
			NextAt      *time.Time `json:"next_at"`
			FailedAt    *time.Time `json:"failed_at"`
			RecoveredAt *time.Time `json:"recovered_at"`
		}
		h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/jobs/timetable", "", &jobs)
		late := int64(0)
		for _, j := range jobs {
			overdue := j.NextAt != nil && j.NextAt.Add(5*time.Minute).Before(h.now)
			if overdue || j.FailedAt != nil && j.RecoveredAt == nil {
				late++
			}
		}
		return late
	}
	var list struct {
		Total      int64
		TotalCount int64 `json:"total_count"`
	}
	h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/"+f.List+"?"+f.Query, "", &list)
	return list.Total + list.TotalCount
}

// Each figure is the number of rows, or the bytes, of the list that it names.
func TestOverview_Figures_AreThoseOfTheirLists(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		hk := h.add("hk", "")
		h.moves(hk.Secret, 3, 4)
		h.now = h.now.Add(24 * time.Hour)
		h.moves(hk.Secret, 10, 20)
		h.recharge(h.T, h.users[0].id, 3000)
		if w := h.call(h.Context(), h.present(h.users[1]), "POST", "/api/v2/user/tickets-v2",
			`{"title":"Slow","content":"It is slow"}`); w.Code != 200 {
			h.Fatal(w.Body)
		}
		h.now = h.now.Add(time.Hour)
		for _, query := range []string{
			"days=1", "days=7", "days=30", "days=90", "from=2026-01-30&until=2026-01-31", "from=2026-02-01&until=2026-02-01",
		} {
			counted := int64(0)
			for _, role := range []account.Role{account.Owner, account.Admin} { // whose sign-in counts as seen
				h.present(h.staff[role])
			}
			seen := h.overview(account.Owner, query)
			seen.Figures = append(seen.Figures, h.overview(account.Owner, query+"&part=traffic").Figures...)
			for _, f := range seen.Figures {
				if f.List == "" {
					continue
				}
				want, got := h.listed(f), f.Now.Rows
				if f.Measure == "bytes" {
					got = f.Now.Bytes
				}
				if got != want {
					h.Errorf("%s: %s is %d, its list has %d", query, f.Key, got, want)
				}
				counted += got
			}
			if counted == 0 || len(seen.Figures) < 20 {
				h.Errorf("%s: %d figures add up to %d", query, len(seen.Figures), counted)
			}
		}
		if f := h.overview(account.Owner, "").figure(h.T, "tickets"); f.Now.Rows != 1 || f.Oldest == nil ||
			!f.Oldest.Equal(h.now.Add(-time.Hour)) {
			h.Errorf("waiting tickets are %+v", f)
		}
		for query, field := range map[string]string{
			"from=yesterday&until=2026-01-31": "from", "from=2026-01-31&until=x": "until",
			"from=2026-01-31&until=2026-01-30": "until", "from=2030-01-01&until=2030-01-02": "until",
			"from=2020-01-01&until=2026-01-01": "until",
		} {
			h.wantField(h.staff[account.Owner], "GET", "/api/v2/staff/overview?"+query, "", field)
		}
	})
}

// What is added up from stored hours is what the rows say, whether hours were stored or not.
func TestOverview_StoredHours_AddUpToTheRows(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for i := range 12 {
			h.now = h.now.Add(time.Duration(7+i) * time.Minute * 29)
			h.paid(h.users[i%3].id, 1000+money.Amount(i))
		}
		h.now = h.now.Add(25 * time.Minute)
		queries := []string{"days=1", "days=2", "days=7", "from=2026-02-01&until=2026-02-02"}
		raw := map[string]shownOverview{}
		for _, q := range queries {
			raw[q] = h.overview(account.Owner, q)
		}
		if err := h.Console.StoreHours(h.Context()); err != nil {
			h.Fatal(err)
		}
		for _, q := range queries {
			stored := h.overview(account.Owner, q)
			for _, key := range []string{"revenue", "gifts", "received", "returned", "orders"} {
				was, is := raw[q].figure(h.T, key), stored.figure(h.T, key)
				if was.Now != is.Now || *was.Before != *is.Before {
					h.Errorf("%s: %s was %+v and is %+v", q, key, was, is)
				}
			}
			if fmt.Sprint(jsonOf(raw[q].Days)) != fmt.Sprint(jsonOf(stored.Days)) {
				h.Errorf("%s: days differ", q)
			}
		}
		all := h.overview(account.Owner, "days=30")
		if f := all.figure(h.T, "received"); f.Now.Rows != 12 {
			h.Errorf("received is %+v", f.Now)
		}
		sold, err := h.Wallets.SiteBetween(h.Context(), time.Time{}, h.now.Add(time.Hour), wallet.Sales, wallet.Refunds)
		if err != nil {
			h.Fatal(err)
		}
		if f := all.figure(h.T, "revenue"); f.Now.Amount != sold.Amount.String() || sold.Found == 0 {
			h.Errorf("revenue is %+v, the ledger has %+v", f.Now, sold)
		}
		h.sound(h.T)
	})
}

// A server whose clock was wrong stored hours to come and wrote rows of hours that were stored.
func TestOverview_AfterAWrongClock_AddsUpToTheRows(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		right := h.now.Add(30 * 24 * time.Hour)
		must := func(err error) {
			h.Helper()
			if err != nil {
				h.Fatal(err)
			}
		}
		h.paid(h.users[0].id, 1000)
		h.now = right
		must(h.Console.StoreHours(h.Context()))
		h.now = right.Add(-20 * 24 * time.Hour)
		h.paid(h.users[1].id, 1000)
		h.now = right.Add(365 * 24 * time.Hour)
		must(h.Console.StoreHours(h.Context()))
		h.now = right.Add(time.Hour)
		h.paid(h.users[2].id, 1000)
		h.now = right.Add(5 * time.Hour)
		must(h.Console.StoreHours(h.Context()))
		must(h.Console.CorrectHours(h.Context()))
		if f := h.overview(account.Owner, "days=40").figure(h.T, "received"); f.Now.Rows != 3 {
			h.Errorf("received is %+v", f.Now)
		}
		h.sound(h.T)
	})
}

func jsonOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// A percentage of few says nothing, and a day that is not over is compared with the same hours.
func TestOverview_Comparison_IsWithTheSameHoursAndOfEnoughRows(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		pays := func(n int) {
			for range n {
				h.paid(h.users[0].id, 1000)
			}
		}
		h.now = time.Date(2026, 2, 10, 4, 0, 0, 0, time.UTC) // noon in Shanghai
		pays(20)
		h.now = h.now.Add(time.Hour)
		pays(3)
		h.now = h.now.Add(23*time.Hour + 30*time.Minute)
		pays(5)
		f := h.overview(account.Owner, "days=1").figure(h.T, "received")
		if f.Now.Rows != 5 || f.Before == nil || f.Before.Rows != 20 || f.Percent == nil || *f.Percent != -75 {
			h.Fatalf("received is %+v before %+v: %v", f.Now, f.Before, f.Percent)
		}
		h.now = h.now.Add(24*time.Hour + time.Minute)
		if f = h.overview(account.Owner, "days=1").figure(h.T, "received"); f.Before.Rows != 5 || f.Percent != nil {
			h.Errorf("received is %+v before %+v: %v", f.Now, f.Before, f.Percent)
		}
	})
}

// Members see only the figures, days and steps for which they have the permission.
func TestOverview_EachRole_SeesWhatItMay(t *testing.T) {
	needs := map[string]permission.Permission{
		"revenue": permission.RefundRead, "gifts": permission.RefundRead, "returned": permission.RefundRead,
		"received": permission.RechargeRead, "failed_payments": permission.RechargeRead,
		"orders": permission.OrderRead, "new_users": permission.UserRead, "active_users": permission.TrafficRead,
		"traffic": permission.TrafficRead, "billed_traffic": permission.TrafficRead,
		"nodes_offline": permission.NodeRead, "tickets": permission.TicketRead, "cases": permission.CaseRead,
		"failed_jobs": permission.JobRead, "late_jobs": permission.JobRead,
	}
	eachFixture(t, func(h *fixture) {
		for role := range h.staff {
			o := h.overview(role, "")
			o.Figures = append(o.Figures, h.overview(role, "part=traffic").Figures...)
			for key, p := range needs {
				shown := slices.ContainsFunc(o.Figures, func(f shownFigure) bool { return f.Key == key })
				if shown != role.Set().Has(p) {
					h.Errorf("%s: %s is shown: %v", role, key, shown)
				}
			}
			if (len(o.Days) > 0) != role.Set().Has(permission.RefundRead) {
				h.Errorf("%s: %d days", role, len(o.Days))
			}
		}
		done := ""
		for _, s := range h.overview(account.Owner, "").Steps {
			done += fmt.Sprintf("%s %v, ", s.Key, s.IsDone)
		}
		if !strings.HasPrefix(done, "site false, contact false, mail false, gateway ") ||
			!strings.HasSuffix(done, "plan true, node false, purchase true, ") {
			h.Errorf("the steps are %s", done)
		}
	})
}
