package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
)

// decide has a member decide the act that has waited longest; the answer must have the status.
func (h *fixture) decide(as testUser, status int, approve bool) {
	h.Helper()
	var list struct {
		Approvals []struct{ ID int64 }
	}
	h.ask(h.staff[account.Owner], 200, "GET", "/api/v2/staff/approvals?state=waiting", "", &list)
	if len(list.Approvals) == 0 {
		h.Fatal("nothing waits")
	}
	id := list.Approvals[len(list.Approvals)-1].ID
	h.ask(as, status, "POST", fmt.Sprintf("/api/v2/staff/approvals/%d/decision", id), fmt.Sprintf(`{"approve":%v}`,
		approve), nil)
}

type shownCoupon struct {
	ID       int64
	Waits    bool
	Enabled  bool
	Total    *int64
	Proposed *struct{ Total *int64 }
}

func (h *fixture) coupon(as testUser, body string) (made shownCoupon) {
	h.Helper()
	h.ask(as, 200, "POST", "/api/v2/staff/coupons", body, &made)
	return made
}

func TestApprovals_Coupons_CountAsAllTheyCanTakeOff(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("100.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		price := h.sells(h.T, shop.KindPlan, 2000)
		h.give(h.T, h.users[0].id, 10_000)
		pay := func(as testUser, status int, code string) {
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
			{`"percent":50,"total":7`, true},                    // 70.00 in addition
			{`"amount":"10.00","total":6`, false},               // 60.00: the limit is used up
			{`"amount":"0.01","total":1`, true},                 //
			{`"percent":1,"total":1,"minimum":"9999.00"`, true}, // of nothing that has a price
		} {
			code := fmt.Sprint("CODE", i)
			made := h.coupon(ann, `{"code":"`+code+`",`+c.coupon+`}`)
			if made.Waits != c.waits {
				h.Errorf("%s waits: %v", c.coupon, made.Waits)
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
		h.sound(h.T)
	})
}

func TestApprovals_CouponChangedAfterwards_CountsAnew(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("100.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		price := h.sells(h.T, shop.KindPlan, 2000)
		made := h.coupon(ann, `{"code":"SPRING","percent":100,"total":2}`) // 40.00
		change := func(as testUser, status int, body string) (changed shownCoupon) {
			h.Helper()
			h.ask(as, status, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", made.ID), body, &changed)
			return changed
		}
		if made.Waits {
			h.Fatal("40.00 wait")
		}
		if c := change(ann, 200, `{"total":0}`); c.Total == nil || *c.Total != 2 || c.Proposed == nil ||
			c.Proposed.Total != nil || h.waits() != 1 {
			h.Fatalf("uses without end: %+v, %d wait", c, h.waits())
		}
		change(bob, 409, `{"total":5}`) // more than now, while a change waits
		h.decide(ann, 403, true)
		for range 2 {
			h.ask(h.users[0], 200, "POST", buy(price), `{"coupon":"SPRING"}`, nil)
		}
		h.ask(h.users[0], 422, "POST", buy(price), `{"coupon":"SPRING"}`, nil)
		h.decide(bob, 200, true)
		h.ask(h.users[0], 200, "POST", buy(price), `{"coupon":"SPRING"}`, nil)

		if c := change(ann, 200, `{"total":5,"enabled":false}`); c.Enabled || *c.Total != 5 || c.Proposed != nil {
			h.Fatalf("less than before waits: %+v", c)
		}
		if c := change(ann, 200, `{"enabled":true}`); !c.Enabled { // two uses are left: 40.00
			h.Fatalf("%+v", c)
		}
		if c := change(ann, 200, `{"total":6}`); c.Proposed == nil { // three are left, and 20.00 of the day
			h.Fatalf("%+v", c)
		}
		h.decide(bob, 200, false)
		if c := change(ann, 200, `{"total":5}`); c.Proposed != nil || *c.Total != 5 {
			h.Fatalf("a change to what is there waits: %+v", c)
		}
		h.ask(bob, 422, "POST", buy(price), `{"coupon":"SPRING"}`, nil) // who approved a change
		h.sound(h.T)
	})
}

// What only takes away needs nobody's approval, and the approval of what waited does not bring it back.
func TestApprovals_CouponWithAWaitingChange_IsSwitchedOffAtOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("100.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		price := h.sells(h.T, shop.KindPlan, 2000)
		made := h.coupon(ann, `{"code":"SPRING","percent":100,"total":2}`)
		change := func(body string) (changed shownCoupon) {
			h.Helper()
			h.ask(bob, 200, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", made.ID), body, &changed)
			return changed
		}
		change(`{"total":100000}`)
		if c := change(`{"enabled":false}`); c.Enabled || c.Proposed == nil || h.waits() != 1 {
			h.Fatalf("switched off while a change waits: %+v, %d wait", c, h.waits())
		}
		h.ask(h.users[0], 422, "POST", buy(price), `{"coupon":"SPRING"}`, nil)
		h.decide(ann, 200, true)
		h.ask(h.users[0], 422, "POST", buy(price), `{"coupon":"SPRING"}`, nil)
		h.sound(h.T)
	})
}

// Orders, a change and its approval at once: what was not approved is never taken.
func TestApprovals_CouponUsedDuringItsChange_KeepsItsLimit(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("40.00")
		price := h.sells(h.T, shop.KindPlan, 2000)
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		for round := range 5 {
			code := fmt.Sprint("ROUND", round)
			made := h.coupon(ann, `{"code":"`+code+`","percent":100,"total":2}`)
			var wg sync.WaitGroup
			var bought atomic.Int64
			for i := range 6 {
				wg.Go(func() {
					if w := h.call(h.Context(), h.users[i%3], "POST", buy(price),
						`{"coupon":"`+code+`"}`); w.Code == 200 {
						bought.Add(1)
					}
				})
			}
			wg.Go(func() {
				h.call(h.Context(), ann, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", made.ID), `{"total":5}`)
			})
			wg.Wait()
			want := int64(2)
			if made.Waits {
				want = 0
			}
			if bought.Load() != want {
				h.Fatalf("round %d: %d orders, want %d", round, bought.Load(), want)
			}
			for h.waits() > 0 {
				h.decide(bob, 200, false)
			}
		}
		h.sound(h.T)
	})
}

func (h *fixture) planOf(price int64) (id int64) {
	h.Helper()
	if err := h.DB.NewRaw(`SELECT plan_id FROM price WHERE id = ?`, price).Scan(h.Context(), &id); err != nil {
		h.Fatal(err)
	}
	return id
}

// orders empties the user's wallet, makes orders that wait for money, and gives their numbers.
func (h *fixture) orders(t *testing.T, user testUser, price int64, coupon string, n int) (nos []string) {
	h.Helper()
	if has := h.balance(t, user.id).Available; has > 0 {
		h.give(t, user.id, -has)
	}
	for range n {
		no, err := h.Payments.Confirm(h.Context(), user.id, shop.Purchase{PriceID: price, Coupon: coupon}, sandbox.Name)
		if err != nil {
			h.Fatal(err)
		}
		nos = append(nos, strconv.FormatInt(no, 10))
	}
	return nos
}

// Uses that pending orders hold come back when those end: a change counts them as uses that are left.
func TestApprovals_CouponChangedWhileOrdersHoldIt_CountsTheirUses(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("20.00")
		ann, bob, user := h.staff[account.Finance], h.staff[account.Admin], h.users[0]
		cheap, dear := h.sells(h.T, shop.KindPlan, 400), h.sells(h.T, shop.KindPlan, 30_000)
		change := func(id, plan int64) (c shownCoupon) {
			h.Helper()
			h.ask(ann, 200, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", id), fmt.Sprintf(`{"plans":[%d]}`, plan),
				&c)
			return c
		}
		made := h.coupon(ann, fmt.Sprintf(`{"code":"HELD","percent":90,"total":5,"plans":[%d]}`, h.planOf(cheap)))
		if made.Waits {
			h.Fatal("18.00 wait")
		}
		held := h.orders(h.T, user, cheap, "HELD", 5)
		if c := change(made.ID, h.planOf(dear)); c.Proposed == nil {
			h.Fatalf("a change for orders of 1350.00 counts alone: %+v", c)
		}
		for _, no := range held {
			if err := h.Shop.Cancel(h.Context(), user.id, no); err != nil {
				h.Fatal(err)
			}
		}
		h.give(h.T, user.id, 100_000)
		h.ask(user, 422, "POST", buy(dear), `{"coupon":"HELD"}`, nil)
		h.decide(bob, 200, false)

		// What a paid order used, refunded or not, is used for good.
		h.ask(user, 200, "POST", buy(cheap), `{"coupon":"HELD"}`, nil)
		var no int64
		if err := h.DB.NewRaw(`SELECT MAX(id) FROM shop_order`).Scan(h.Context(), &no); err != nil {
			h.Fatal(err)
		}
		if _, err := h.Shop.Refund(h.Context(), no, "an outage", nil); err != nil {
			h.Fatal(err)
		}
		change(made.ID, h.planOf(dear))
		acts, _, err := h.Approvals.Find(h.Context(), approval.Waiting, 0, 1, 0)
		if err != nil || len(acts) != 1 || acts[0].Worth != 4*27_000 {
			h.Fatalf("%+v, %v", acts, err)
		}
		h.sound(h.T)
	})
}

// What a second member approves is what was proposed: a change that came to be worth more is proposed again.
func TestApprovals_CouponChangeThatGrewWhileItWaited_IsNotApproved(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		h.sells(h.T, shop.KindPlan, 400)
		h.coupon(ann, `{"code":"GREW","percent":90,"total":5}`)
		h.sells(h.T, shop.KindPlan, 30_000)
		h.decide(bob, 409, true)
		h.decide(bob, 200, false)
		h.coupon(ann, `{"code":"SAME","percent":90,"total":5}`)
		h.decide(bob, 200, true)
		h.sound(h.T)
	})
}

func TestApprovals_DeclinedCoupon_StaysDead(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("20.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		h.sells(h.T, shop.KindPlan, 1000)
		made := h.coupon(ann, `{"code":"DEAD","percent":90}`)
		h.decide(bob, 200, false)
		for _, as := range []testUser{ann, bob, h.staff[account.Owner]} {
			for _, body := range []string{`{"total":1}`, `{"enabled":true}`, `{"total":1,"enabled":true}`} {
				h.ask(as, 409, "PATCH", fmt.Sprintf("/api/v2/staff/coupons/%d", made.ID), body, nil)
			}
		}
		err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE coupon SET enabled = true WHERE id = ?`, made.ID).Exec(ctx)
			return err
		})
		if !errors.Is(err, db.ErrCheck) {
			h.Error("the schema lets a declined coupon be switched on: ", err)
		}
		h.sound(h.T)
	})
}
