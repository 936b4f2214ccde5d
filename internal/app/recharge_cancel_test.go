package app

import (
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestRecharge_GivenUp_EndsAndCreditsALatePaymentAllTheSame(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, user, other := h.staff[account.Support], h.addUser(h.T, "payer", 0), h.addUser(h.T, "other", 0)
		state := func(no int64) wallet.RechargeState {
			h.Helper()
			r, err := h.Wallets.RechargeByNo(h.Context(), h.DB, no)
			if err != nil {
				h.Fatal(err)
			}
			return r.State
		}
		bank := h.gateway("bank")
		own, err := h.Payments.Recharge(h.Context(), user.id, bank, 2000)
		if err != nil {
			h.Fatal(err)
		}
		late := h.recharge(h.T, user.id, 3000)

		mine := func(r *wallet.Recharge) string { return fmt.Sprintf("/api/v2/user/wallet/recharge/%d/cancel", r.ID) }
		staffs := func(no int64) string { return fmt.Sprintf("/api/v2/staff/recharges/%d/cancel", no) }
		h.ask(other, 404, "POST", mine(own), "", nil)
		h.ask(user, 200, "POST", mine(own), "", nil)
		h.ask(user, 409, "POST", mine(own), "", nil)
		h.ask(ann, 422, "POST", staffs(late.ID), `{"reason":" "}`, nil)
		h.ask(ann, 404, "POST", staffs(late.ID+1_000), `{"reason":"x"}`, nil)
		h.ask(ann, 200, "POST", staffs(late.ID), `{"reason":"forgotten"}`, nil)
		h.ask(ann, 409, "POST", staffs(late.ID), `{"reason":"forgotten"}`, nil)
		for _, r := range []*wallet.Recharge{own, late} {
			if is := state(r.ID); is != wallet.RechargeExpired {
				h.Errorf("recharge %d is %s", r.ID, is)
			}
		}

		if err := h.sandbox.Close(h.Context(), late.TradeNo, true); err != nil {
			h.Fatal(err)
		}
		for range 2 {
			h.notify(h.Context(), sandbox.Name, h.signed(notice(late)))
		}
		if b := h.balance(h.T, user.id); b.Posted != 3000 || state(late.ID) != wallet.RechargeDone {
			h.Errorf("a payment that came after all: %+v", b)
		}
		if cases, _, err := h.Payments.Cases(h.Context(), payment.CaseFilter{Limit: 10}); err != nil || len(cases) > 0 {
			h.Errorf("cases: %+v, %v", cases, err)
		}
		h.sound(h.T)
	})
}

func TestRecharge_ThatPaysForAnOrder_EndsWithTheOrderOnly(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, user := h.staff[account.Support], h.addUser(h.T, "buyer", 0)
		purchase := shop.Purchase{PriceID: h.sells(h.T, shop.KindPlan, 2000)}
		no, err := h.Payments.Confirm(h.Context(), user.id, purchase, sandbox.Name)
		if err != nil {
			h.Fatal(err)
		}
		recharges, _, err := h.Wallets.Recharges(h.Context(), user.id, 10, 0)
		if err != nil || len(recharges) != 1 || recharges[0].OrderID == nil || *recharges[0].OrderID != no {
			h.Fatalf("recharges of order %d: %+v, %v", no, recharges, err)
		}
		mine := fmt.Sprintf("/api/v2/user/wallet/recharge/%d", recharges[0].ID)
		h.ask(user, 409, "POST", mine+"/cancel", "", nil)
		h.refused(ann, 409, "recharge_pays_order", "POST", fmt.Sprintf("recharges/%d/cancel", recharges[0].ID),
			`{"reason":"x"}`)
		var shown struct{ State string }
		h.ask(user, 200, "POST", mine, "", &shown)
		if shown.State != "pending" {
			h.Errorf("the recharge is %s", shown.State)
		}
	})
}
