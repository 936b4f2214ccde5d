package app

import (
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/shop"
)

// What staff gives of a service changes the service, and nothing that was sold before is paid back by it.
func TestGifts_OfAService_DoWhatTheySay(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, user := h.staff[account.Admin], h.addUser(h.T, "fresh", 0)
		price, other := h.sells(h.T, shop.KindPlan, 2000), h.sells(h.T, shop.KindPlan, 3000)
		h.limited("100000.00")
		gift := func(status int, body string) {
			h.Helper()
			h.ask(admin, status, "POST", fmt.Sprintf("/api/v2/staff/users/%d/service-gifts", user.id), body, nil)
		}
		gift(200, fmt.Sprintf(`{"kind":"start","plan_id":%d,"days":3,"reason":"x"}`, h.planOf(price)))
		services, _, err := h.Services.List(h.Context(), user.id)
		if err != nil || len(services) != 1 {
			h.Fatal(services, err)
		}
		first := services[0]
		gift(200, fmt.Sprintf(`{"kind":"extend","service_id":%d,"days":2,"reason":"x"}`, first.ID))
		longer, err := h.Services.Get(h.Context(), user.id, first.ID)
		if err != nil || !longer.EndsAt.Equal(first.EndsAt.AddDate(0, 0, 2)) {
			h.Errorf("it ends %s, want two days after %s: %v", longer.EndsAt, first.EndsAt, err)
		}
		gift(200, fmt.Sprintf(`{"kind":"reset","service_id":%d,"reason":"x"}`, first.ID))
		again, err := h.Services.Get(h.Context(), user.id, first.ID)
		if err != nil || again.Cycle != longer.Cycle+1 || again.Billed != 0 {
			h.Errorf("after a reset: %+v, %v", again, err)
		}
		gift(200, fmt.Sprintf(`{"kind":"change","service_id":%d,"plan_id":%d,"reason":"x"}`, first.ID, h.planOf(other)))
		services, _, err = h.Services.List(h.Context(), user.id)
		if err != nil || len(services) != 2 || services[0].PlanID != h.planOf(other) ||
			!services[0].EndsAt.Equal(longer.EndsAt) || services[1].EndReason == nil {
			h.Errorf("after a change: %+v, %v", services, err)
		}
		gift(409, fmt.Sprintf(`{"kind":"reset","service_id":%d,"reason":"x"}`, first.ID))
		gift(409, fmt.Sprintf(`{"kind":"extend","service_id":%d,"days":2,"reason":"x"}`, first.ID))
		gift(422, `{"kind":"start","plan_id":999999,"days":2,"reason":"x"}`)
		h.sound(h.T)
	})
}

// What waits for a second member is not given to an account that was closed meanwhile, nor anything after that.
func TestGifts_ToAnAccountThatWasClosed_AreRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, second, user := h.staff[account.Admin], h.staff[account.Owner], h.addUser(h.T, "leaving", 0)
		plan := h.planOf(h.sells(h.T, shop.KindPlan, 2000))
		gifts := map[string]string{
			"service-gifts":  fmt.Sprintf(`{"kind":"start","plan_id":%d,"days":3,"reason":"x"}`, plan),
			"traffic-grants": `{"bytes":1000000000,"name":"thanks","reason":"x"}`,
		}
		h.limited("0.00")
		var waiting []int64
		for path, body := range gifts {
			h.ask(admin, 403, "POST", fmt.Sprintf("/api/v2/staff/users/%d/%s", user.id, path), body, nil)
			waiting = append(waiting, h.newestAct().ID)
		}
		h.give(h.T, user.id, 2000)
		h.ask(admin, 403, "POST", fmt.Sprintf("/api/v2/staff/users/%d/orders", user.id),
			fmt.Sprintf(`{"plan_id":%d,"months":1,"price":"1.00","reason":"x"}`, plan), nil)
		waiting = append(waiting, h.newestAct().ID)
		h.limited("100000.00")
		h.ask(admin, 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", user.id),
			`{"email":"leaving@example.com","forfeit":"20.00","reason":"x"}`, nil)
		for _, act := range waiting {
			h.refused(second, 409, "account_closed", "POST", fmt.Sprintf("approvals/%d/decision", act), `{"approve":true}`)
			h.ask(second, 200, "POST", fmt.Sprintf("/api/v2/staff/approvals/%d/decision", act), `{"approve":false}`, nil)
		}
		for path, body := range gifts {
			h.refused(admin, 409, "account_closed", "POST", fmt.Sprintf("users/%d/%s", user.id, path), body)
		}
		services, packages, err := h.Services.List(h.Context(), user.id)
		if err != nil || len(services)+len(packages) > 0 {
			h.Errorf("the closed account has %+v and %+v (%v)", services, packages, err)
		}
		h.sound(h.T)
	})
}

// Nobody but an owner does to the account of a member of staff what may be done to users.
func TestUserActions_OnMembersOfStaff_AreForOwners(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, owner, finance := h.staff[account.Admin], h.staff[account.Owner], h.staff[account.Finance]
		for _, path := range []string{"password-mail", "sessions/end", "link/reset"} {
			to := fmt.Sprintf("/api/v2/staff/users/%d/%s", finance.id, path)
			h.ask(admin, 403, "POST", to, `{"reason":"x"}`, nil)
			h.ask(owner, 200, "POST", to, `{"reason":"x"}`, nil)
		}
		h.ask(admin, 403, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", finance.id),
			`{"email":"finance@example.com","forfeit":"0.00","reason":"x"}`, nil)
		user := h.addUser(h.T, "leaving", 500)
		to := fmt.Sprintf("/api/v2/staff/users/%d/close", user.id)
		h.ask(admin, 422, "POST", to, `{"email":"leaving@example.com","forfeit":"0.00","reason":"x"}`, nil)
		h.ask(admin, 422, "POST", to, `{"email":"other@example.com","forfeit":"5.00","reason":"x"}`, nil)
		h.ask(admin, 200, "POST", to, `{"email":"leaving@example.com","forfeit":"5.00","reason":"x"}`, nil)
		h.ask(admin, 409, "POST", fmt.Sprintf("/api/v2/staff/users/%d/password-mail", user.id), `{"reason":"x"}`, nil)
		h.sound(h.T)
	})
}
