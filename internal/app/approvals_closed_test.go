package app

import (
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
)

// The wallet of an account that was closed gains nothing, whoever wants to put something into it.
func TestApprovals_ClosedAccount_GainsNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, bob, user := h.staff[account.Finance], h.staff[account.Admin], h.addUser(h.T, "leaves", 0)
		bank := h.gateway("bank")
		h.limited("10.00")
		byHand, err := h.Payments.Recharge(h.Context(), user.id, bank, 2000)
		if err != nil {
			h.Fatal(err)
		}
		late := h.recharge(h.T, user.id, 3000)
		adjust := func(status int, amount string) {
			h.Helper()
			h.ask(ann, status, "POST", "/api/v2/staff/wallet-adjustments",
				fmt.Sprintf(`{"user_id":%d,"amount":"%s","reason":"an outage"}`, user.id, amount), nil)
		}
		say := func(as testUser, status int) {
			h.Helper()
			h.ask(as, status, "GET", "/v1/payment/admin_notify?out_trade_no="+byHand.TradeNo, "", nil)
		}
		adjust(200, "50.00")
		say(ann, 403)
		h.ask(user, 200, "POST", "/api/v2/user/account/close",
			`{"password":"a long enough password","email":"leaves@example.com","forfeit":"0.00"}`, nil)

		var list struct {
			Approvals []struct {
				ID    int64  `json:"beneficiary_id"`
				Email string `json:"beneficiary_email"`
			}
		}
		h.ask(ann, 200, "GET", "/api/v2/staff/approvals", "", &list)
		closed := 0
		for _, a := range list.Approvals {
			if a.ID != user.id {
				continue
			}
			if closed++; a.Email != "" {
				h.Errorf("an act for a closed account names %q", a.Email)
			}
		}
		if closed == 0 {
			h.Error("no act is listed for the closed account")
		}

		adjust(409, "1.00")
		adjust(409, "60.00")
		say(bob, 409)
		for h.waits() > 0 { // what waited before
			h.decide(bob, 409, true)
			h.decide(bob, 200, false)
		}

		if err := h.sandbox.Close(h.Context(), late.TradeNo, true); err != nil {
			h.Fatal(err)
		}
		for range 2 {
			h.notify(h.Context(), sandbox.Name, h.signed(notice(late)))
		}
		h.ask(ann, 409, "GET", "/v1/payment/admin_notify?out_trade_no="+late.TradeNo, "", nil)
		cases, total, err := h.Payments.Cases(h.Context(), payment.CaseFilter{State: payment.CaseOpen, Limit: 10})
		if err != nil || total != 1 || cases[0].Kind != payment.AccountClosed || cases[0].Amount != 3000 {
			h.Fatalf("a payment that came after all: %+v, %v", cases, err)
		}
		credit := fmt.Sprintf("/api/v2/staff/payment-cases/%d/credit", cases[0].ID)
		h.ask(ann, 409, "POST", credit, `{"reason":"x"}`, nil)
		if b := h.balance(h.T, user.id); b.Posted != 0 {
			h.Fatalf("%+v", b)
		}

		anew := h.addUser(h.T, "came-back", 0)
		h.ask(ann, 200, "POST", credit, fmt.Sprintf(`{"reason":"has another account","user_id":%d}`, anew.id), nil)
		h.decide(bob, 200, true)
		if b := h.balance(h.T, anew.id); b.Posted != 3000 {
			h.Fatalf("the payment of a closed account, for the other one: %+v", b)
		}
		h.sound(h.T)
	})
}
