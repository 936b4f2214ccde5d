package app

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/shop"
)

// decide has a member decide the act that has waited longest; the answer must have the status.
func (h *hangar) decide(as customer, status int, approve bool) {
	h.Helper()
	var list struct {
		Approvals []struct{ ID int64 }
	}
	h.ask(h.staff[account.Owner], 200, "GET", "/api/v2/staff/approvals?state=waiting", "", &list)
	if len(list.Approvals) == 0 {
		h.Fatal("nothing waits")
	}
	id := list.Approvals[len(list.Approvals)-1].ID
	h.ask(as, status, "POST", fmt.Sprintf("/api/v2/staff/approvals/%d/decision", id), fmt.Sprintf(`{"approve":%v}`, approve), nil)
}

type shownCoupon struct {
	ID       int64
	Waits    bool
	Enabled  bool
	Total    *int64
	Proposed *struct{ Total *int64 }
}

func (h *hangar) coupon(as customer, body string) (made shownCoupon) {
	h.Helper()
	h.ask(as, 200, "POST", "/api/v2/staff/coupons", body, &made)
	return made
}

func TestApprovals_Coupons_CountAsAllTheyCanTakeOff(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		h.limited("100.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		price := h.sells(t, shop.KindPlan, 2000)
		h.give(t, h.users[0].id, 10_000)
		pay := func(as customer, status int, code string) {
			h.Helper()
			h.ask(as, status, "POST", buy(price), `{"coupon":"`+code+`"}`, nil)
		}
		for i, c := range []struct {
			coupon string
			waits  bool
		}{
			{`"percent":100`, true},                             // used without end
			{`"percent":100,"total":6`, true},                   // 120.00
			{`"percent":50,"total":4`, false},                   // 40.00
			{`"percent":50,"total":7`, true},                    // 70.00 beside those
			{`"amount":"10.00","total":6`, false},               // 60.00: the limit is used up
			{`"amount":"0.01","total":1`, true},                 //
			{`"percent":1,"total":1,"minimum":"9999.00"`, true}, // of nothing that has a price
		} {
			code := fmt.Sprint("CODE", i)
			made := h.coupon(ann, `{"code":"`+code+`",`+c.coupon+`}`)
			if made.Waits != c.waits {
				t.Errorf("%s waits: %v", c.coupon, made.Waits)
			}
		}
		pay(h.users[0], 422, "CODE0")
		pay(h.users[0], 200, "CODE2")
		pay(ann, 422, "CODE2") // who made it does not use it
		h.decide(ann, 403, true)
		h.decide(bob, 200, true)
		pay(h.users[0], 200, "CODE0")
		pay(ann, 422, "CODE0")
		pay(bob, 422, "CODE0")
		h.decide(bob, 200, false)
		pay(h.users[0], 422, "CODE1")
		h.sound(t)
	})
}

func TestApprovals_CouponChangedAfterwards_CountsAnew(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		h.limited("100.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		price := h.sells(t, shop.KindPlan, 2000)
		made := h.coupon(ann, `{"code":"SPRING","percent":100,"total":2}`) // 40.00
		change := func(as customer, status int, body string) (changed shownCoupon) {
			h.Helper()
			h.ask(as, status, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", made.ID), body, &changed)
			return changed
		}
		if made.Waits {
			t.Fatal("40.00 wait")
		}
		if c := change(ann, 200, `{"total":0}`); c.Total == nil || *c.Total != 2 || c.Proposed == nil || c.Proposed.Total != nil || h.waits() != 1 {
			t.Fatalf("uses without end: %+v, %d wait", c, h.waits())
		}
		change(bob, 409, `{"enabled":false}`) // while a change waits
		h.decide(ann, 403, true)
		for range 2 {
			h.ask(h.users[0], 200, "POST", buy(price), `{"coupon":"SPRING"}`, nil)
		}
		h.ask(h.users[0], 422, "POST", buy(price), `{"coupon":"SPRING"}`, nil)
		h.decide(bob, 200, true)
		h.ask(h.users[0], 200, "POST", buy(price), `{"coupon":"SPRING"}`, nil)

		if c := change(ann, 200, `{"total":5,"enabled":false}`); c.Enabled || *c.Total != 5 || c.Proposed != nil {
			t.Fatalf("less than before waits: %+v", c)
		}
		if c := change(ann, 200, `{"enabled":true}`); !c.Enabled { // two uses are left: 40.00
			t.Fatalf("%+v", c)
		}
		if c := change(ann, 200, `{"total":6}`); c.Proposed == nil { // three are left, and 20.00 of the day
			t.Fatalf("%+v", c)
		}
		h.decide(bob, 200, false)
		if c := change(ann, 200, `{"total":5}`); c.Proposed != nil || *c.Total != 5 {
			t.Fatalf("a change to what is there waits: %+v", c)
		}
		h.ask(bob, 422, "POST", buy(price), `{"coupon":"SPRING"}`, nil) // who approved a change
		h.sound(t)
	})
}

// Orders, a change and its approval at once: what was not approved is never taken.
func TestApprovals_CouponUsedBesideItsChange_KeepsItsLimit(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		h.limited("40.00")
		price := h.sells(t, shop.KindPlan, 2000)
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		for round := range 5 {
			code := fmt.Sprint("ROUND", round)
			made := h.coupon(ann, `{"code":"`+code+`","percent":100,"total":2}`)
			var wg sync.WaitGroup
			var bought atomic.Int64
			for i := range 6 {
				wg.Go(func() {
					if w := h.call(t.Context(), h.users[i%3], "POST", buy(price), `{"coupon":"`+code+`"}`); w.Code == 200 {
						bought.Add(1)
					}
				})
			}
			wg.Go(func() {
				h.call(t.Context(), ann, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", made.ID), `{"total":5}`)
			})
			wg.Wait()
			want := int64(2)
			if made.Waits {
				want = 0
			}
			if bought.Load() != want {
				t.Fatalf("round %d: %d orders, want %d", round, bought.Load(), want)
			}
			for h.waits() > 0 {
				h.decide(bob, 200, false)
			}
		}
		h.sound(t)
	})
}
