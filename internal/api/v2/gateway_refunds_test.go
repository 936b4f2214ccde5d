package v2_test

import (
	"fmt"
	"net/http"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestStaffPaysARechargeBackAndTheUserSeesIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1, 2)
		recharge := c.ok(t, 1, "POST", "/api/v2/user/wallet/recharge", `{"amount": "3000.00", "gateway": "sandbox"}`)
		path := fmt.Sprintf("/api/v2/staff/recharges/%v/refund", recharge["no"])
		const part = `{"amount": "10.00", "reason": "double payment"}`
		c.refused(t, ann, "POST", path, part, http.StatusConflict, "recharge_not_refundable")
		c.pay(t, recharge)

		c.refused(t, 1, "POST", path, part, http.StatusForbidden, "not_allowed")
		c.refused(t, ann, "POST", "/api/v2/staff/recharges/999999/refund", part, http.StatusNotFound,
			"recharge_not_found")
		c.refused(t, ann, "POST", path, `{"amount": "3000.01", "reason": "x"}`, http.StatusUnprocessableEntity,
			"invalid_input")
		var made map[string]any
		for range 2 { // the second one is the same
			made = c.ok(t, ann, "POST", path, part, "Idempotency-Key", "back")
		}
		if made["state"] != "done" || made["amount"] != "10.00" || made["pay_amount"] != "10.00" ||
			made["made_by"] != float64(ann) || made["recharge_no"] != recharge["no"] {
			t.Fatal(made)
		}
		if list := c.ok(t, ann, "GET", fmt.Sprintf("/api/v2/staff/recharge-refunds?recharge_no=%v&state=done",
			recharge["no"]), ""); list["total_count"] != 1.0 {
			t.Fatal(list)
		}
		one := fmt.Sprintf("/api/v2/staff/recharge-refunds/%v", made["id"])
		if got := c.ok(t, ann, "GET", one, ""); got["no"] != made["no"] {
			t.Fatal(got)
		}
		c.refused(t, bob, "POST", one+"/confirm", "", http.StatusConflict, "gateway_decides")

		got := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/wallet/recharge/%v", recharge["no"]), "")
		if got["refunded"] != "10.00" || got["state"] != "paid" {
			t.Fatal(got)
		}
		newest := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements?reason=gateway_refund",
			"")["movements"].([]any)[0].(map[string]any)
		if newest["amount"] != "-10.00" || newest["balance_after"] != "2990.00" ||
			newest["text"] != "Recharge paid back · Sandbox (demo)" ||
			newest["reference"].(map[string]any)["kind"] != "gateway_refund" ||
			newest["reference"].(map[string]any)["no"] != made["id"] {
			t.Fatal(newest)
		}
		invoice := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/wallet/invoices/%v", got["invoice_id"]), "")
		if invoice["refund"].(map[string]any)["amount"] != "10.00" || invoice["total"] != "3000.00" {
			t.Fatal(invoice)
		}

		// By hand, what is more than a member may move alone waits for a second one.
		byHand := c.ok(t, ann, "POST", path, `{"amount": "2990.00", "reason": "paid in cash", "by_hand": true}`)
		one = fmt.Sprintf("/api/v2/staff/recharge-refunds/%v", byHand["id"])
		c.refused(t, ann, "POST", one+"/confirm", "", http.StatusForbidden, "second_member_needed")
		if got := c.ok(t, 1, "GET", "/api/v2/user/wallet", ""); byHand["state"] != "pending" ||
			got["held"] != "2990.00" {
			t.Fatal(byHand, got)
		}
		if done := c.ok(t, bob, "POST", one+"/confirm", ""); done["state"] != "done" ||
			done["decided_by"] != float64(bob) {
			t.Fatal(done)
		}
		c.refused(t, bob, "POST", one+"/decline", "", http.StatusConflict, "gateway_refund_ended")
		if got := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/wallet/recharge/%v", recharge["no"]),
			""); got["refunded"] != "3000.00" || got["state"] != "refunded" {
			t.Fatal(got)
		}
	})
}
