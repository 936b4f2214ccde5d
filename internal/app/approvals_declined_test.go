package app

import (
	"context"
	"fmt"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/shop"
)

// newestAct returns the newest act of all.
func (h *fixture) newestAct() approval.Grant {
	h.Helper()
	acts, _, err := h.Approvals.Find(h.Context(), "", 0, 1, 0)
	if err != nil || len(acts) == 0 {
		h.Fatal(acts, err)
	}
	return acts[0]
}

// Who declined a payment by hand does not approve it by saying what the first member said.
func TestApprovals_PaymentByHandDeclined_CountsOnlyByItsAct(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, bob, user := h.staff[account.Finance], h.staff[account.Admin], h.users[0]
		bank, had := h.gateway("bank"), h.balance(h.T, user.id).Posted
		h.limited("0.00")
		r, err := h.Payments.Recharge(h.Context(), user.id, bank, 1000)
		if err != nil {
			h.Fatal(err)
		}
		say := func(as testUser, status int, act int64) {
			h.Helper()
			path := "/v1/payment/admin_notify?out_trade_no=" + r.TradeNo
			if act != 0 {
				path += fmt.Sprint("&act=", act)
			}
			h.ask(as, status, "GET", path, "", nil)
		}
		is := func(want int64, credited bool) {
			h.Helper()
			if got := h.balance(h.T, user.id).Posted != had; h.waits() != want || got != credited {
				h.Fatalf("%d wait, credited %v", h.waits(), got)
			}
		}
		say(ann, 403, 0)
		h.decide(bob, 200, false)
		declined := h.newestAct().ID
		h.limited("100.00") // declined, it is not the member's alone either
		for _, as := range []testUser{ann, bob} {
			say(as, 409, 0)
			say(as, 409, declined+1)
		}
		is(0, false)
		say(ann, 403, declined)
		is(1, false)
		repeated := h.newestAct().ID
		for _, act := range []int64{0, declined} {
			say(bob, 409, act)
		}
		say(ann, 403, repeated)
		is(1, false)
		say(bob, 200, repeated)
		is(0, true)
		h.sound(h.T)
	})
}

func TestApprovals_OrderRefundDeclined_IsApprovedByItsDecisionAlone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		ann, bob, user := h.staff[account.Finance], h.staff[account.Admin], h.users[0]
		price := h.sells(h.T, shop.KindPlan, 2000)
		h.give(h.T, user.id, 2000)
		var made struct{ Order struct{ No int64 } }
		h.ask(user, 200, "POST", buy(price), "{}", &made)
		refund := func(as testUser, status int) {
			h.Helper()
			h.ask(as, status, "POST", fmt.Sprintf("/api/v2/staff/orders/%d/refund", made.Order.No),
				`{"reason":"an outage"}`, nil)
		}
		refund(ann, 403)
		h.decide(bob, 200, false)
		refund(ann, 403)
		refund(bob, 403)
		if h.waits() != 1 {
			h.Fatalf("%d wait", h.waits())
		}
		h.decide(bob, 200, true)
		refund(bob, 409)
		h.sound(h.T)
	})
}

func TestApprovals_MakerWhoLeftTheStaff_CanOnlyBeDeclined(t *testing.T) {
	for _, left := range []string{"role = ''", "role = 'support'", "role = 'viewer'", "banned_at = created_at"} {
		eachFixture(t, func(h *fixture) {
			h.limited("0.00")
			ann, bob := h.staff[account.Finance], h.staff[account.Admin]
			for range 2 {
				h.ask(ann, 200, "POST", "/api/v2/staff/wallet-adjustments",
					fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"an outage"}`, h.users[0].id), nil)
			}
			h.decide(bob, 200, true)
			set := func(what string) {
				h.Helper()
				if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(`UPDATE account SET `+what+` WHERE id = ?`, ann.id).Exec(ctx)
					return err
				}); err != nil {
					h.Fatal(err)
				}
			}
			set(left)
			h.decide(bob, 409, true)
			h.decide(bob, 200, false)
			set("banned_at = NULL")
			h.sound(h.T)
		})
	}
}
