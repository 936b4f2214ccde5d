package v2_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

// charge fills the user's wallet through the sandbox.
func (c *moneyServer) charge(t *testing.T, user int64, amount string) {
	t.Helper()
	c.pay(t, c.ok(t, user, "POST", "/api/v2/user/wallet/recharge", `{"amount": `+amount+`, "gateway": "sandbox"}`))
}

// list makes a call that must succeed and reads its list.
func (c *moneyServer) list(t *testing.T, user int64, path string) (list []map[string]any) {
	t.Helper()
	if a := c.call(t, user, "GET", path, ""); a.status != http.StatusOK || json.Unmarshal(a.List, &list) != nil {
		t.Fatalf("%s: %d %s", path, a.status, a.raw)
	}
	return list
}

func TestFromAPlanToABetterOneAndBackIntoTheWallet(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		c := newMoneyServer(t, d, 1, 2)
		first := c.plan(t)
		traffic := int64(500 << 30)
		better, err := c.shop.AddPlan(t.Context(), shop.Plan{
			Name: "Better", Kind: shop.KindPlan, TrafficBytes: &traffic, Reset: service.Anniversary, Class: 2,
			Visible: true, Renewable: true, Prices: []shop.Price{{Months: 1, Amount: 5000}},
		})
		if err != nil {
			t.Fatal(err)
		}
		c.charge(t, 1, "100")
		bought := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", first),
			"")["order"].(map[string]any)
		old := bought["service_id"]

		products := c.ok(t, 1, "GET", "/api/v2/user/shop-old/", "")["products"].(map[string]any)
		if got := products["plan_1"].(map[string]any)["billing"]; got != "every month" {
			t.Errorf("billed %v", got)
		}

		path, change := fmt.Sprintf("/api/v2/user/shop-old/%d", better.Prices[0].ID),
			fmt.Sprintf(`{"change_service_id": %v}`, old)
		if got := c.ok(t, 1, "POST", path+"/pre-order", change); got["price"] != "50.00" || got["credit"] != "19.90" ||
			got["amount"] != "30.10" || got["replaces"].(map[string]any)["service_id"] != old {
			t.Fatal(got)
		}
		if a := c.call(t, 2, "POST", path+"/confirm-order", change); a.status != http.StatusNotFound ||
			a.Code != "service_not_found" {
			t.Errorf("somebody else's service: %d %s", a.status, a.raw)
		}
		agreed := func(amount string) string {
			return fmt.Sprintf(`{"change_service_id": %v, "expected_amount": %q}`, old, amount)
		}
		if a := c.call(t, 1, "POST", path+"/confirm-order", agreed("30.09")); a.status != http.StatusConflict ||
			a.Code != "price_changed" || !strings.Contains(a.Msg, "30.10 CNY") {
			t.Errorf("it costs more than was agreed: %d %s", a.status, a.raw)
		}
		order := c.ok(t, 1, "POST", path+"/confirm-order", agreed("30.10"))["order"].(map[string]any)
		if order["credit"] != "19.90" || order["amount"] != "30.10" || order["invoice_id"] == nil {
			t.Fatal(order)
		}
		if a := c.call(t, 1, "POST", path+"/confirm-order", change); a.status != http.StatusConflict ||
			a.Code != "service_ended" {
			t.Errorf("credited twice: %d %s", a.status, a.raw)
		}

		for _, plan := range c.list(t, 1, "/api/v2/user/shop/plans") {
			if plan["bought"] != 1.0 {
				t.Errorf("%v was bought once, not %v times", plan["name"], plan["bought"])
			}
		}

		bills := c.ok(t, 1, "GET", "/api/v2/user/services-old/bill/", "")
		if bills["total_count"] != 2.0 || bills["bills"].([]any)[0].(map[string]any)["shop_name"] != "Better" {
			t.Error(bills)
		}
		if bills := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/services-old/bill/%v/", old),
			""); bills["total_count"] != 1.0 {
			t.Error(bills)
		}
		if a := c.call(t, 2, "GET", fmt.Sprintf("/api/v2/user/services-old/bill/%v/", old),
			""); a.status != http.StatusNotFound {
			t.Errorf("somebody else's bills: %d %s", a.status, a.raw)
		}

		const changed = "2026-04-01T04:00:00Z"
		for path, lists := range map[string][2]string{"services": {"services", "ends_at"}, "services-old": {
			"services",
			"expire_at",
		}, "services-old/bill": {"bills", "ends_at"}} {
			list := c.ok(t, 1, "GET", "/api/v2/user/"+path, "")[lists[0]].([]any)
			if got := list[len(list)-1].(map[string]any)[lists[1]]; got != changed {
				t.Errorf("%s says that what ended by the change at %s ended at %v", path, changed, got)
			}
		}

		renewal := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/services-old/bill/%v/enable-auto-renewal",
			order["service_id"]), "")
		if renewal["auto_renew"] != true || renewal["price"] != "50.00" ||
			renewal["renew_at"] != "2026-04-30T04:00:00Z" {
			t.Error(renewal)
		}
		want := map[string]any{
			"service_id": order["service_id"], "auto_renew": true,
			"renew_at": "2026-04-30T04:00:00Z", "price": "50.00", "months": 1.0, "missing": "0.00", "tries": 0.0,
			"problem": "",
		}
		if got := c.ok(t, 1, "GET", "/api/v2/user/services/renewals", ""); got["available"] != "50.00" ||
			got["currency"] != "CNY" || len(got["renewals"].([]any)) != 1 {
			t.Error(got)
		} else {
			for name, value := range want {
				if have := got["renewals"].([]any)[0].(map[string]any)[name]; have != value {
					t.Errorf("%s of the renewal is %v, want %v", name, have, value)
				}
			}
		}
		recorded := func(newest any) {
			t.Helper()
			var records []map[string]any
			a := c.call(t, 1, "GET", "/api/v2/user/wallet/purchase-records", "")
			if err := json.Unmarshal(a.Result, &records); err != nil || len(records) != 2 ||
				records[0]["renew_at"] != newest || records[1]["renew_at"] != nil {
				t.Errorf("want one renewal, at %v: %s", newest, a.raw)
			}
		}
		recorded("2026-04-30T04:00:00Z")
		if off := c.ok(t, 1, "PUT", fmt.Sprintf("/api/v2/user/services/%v/auto-renew", order["service_id"]),
			`{"auto_renew": false}`); off["auto_renew"] != false || off["renew_at"] != nil {
			t.Error(off)
		}
		recorded(nil)
		if a := c.call(t, 1, "PUT", fmt.Sprintf("/api/v2/user/services/%v/auto-renew", old),
			`{"auto_renew": true}`); a.status != http.StatusConflict || a.Code != "service_ended" {
			t.Errorf("an ended service: %d %s", a.status, a.raw)
		}

		invoice := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/wallet/invoices/%v", order["invoice_id"]), "")
		lines := invoice["lines"].([]any)
		if invoice["total"] != "30.10" || len(lines) != 2 || lines[1].(map[string]any)["amount"] != "-19.90" ||
			lines[0].(map[string]any)["text"] != "Plan · Better (1 month)" {
			t.Error(invoice)
		}
		if a := c.call(t, 2, "GET", fmt.Sprintf("/api/v2/user/wallet/invoices/%v", order["invoice_id"]),
			""); a.status != http.StatusNotFound {
			t.Errorf("somebody else's invoice: %d %s", a.status, a.raw)
		}
		for month, want := range map[string]float64{"": 3, "?month=2026-04": 3, "?month=2026-03": 0} {
			if got := c.ok(t, 1, "GET", "/api/v2/user/wallet/invoices"+month, ""); got["total_count"] != want {
				t.Errorf("%s: %v", month, got)
			}
		}

		refund := fmt.Sprintf("/api/v2/user/orders/%v/refund", order["id"])
		if got := c.ok(t, 1, "GET", refund, ""); got["amount"] != "50.00" {
			t.Error(got)
		}
		asked := c.ok(t, 1, "POST", refund+"-request", `{"reason": "too slow"}`)
		if listed := c.ok(t, 1, "GET", "/api/v2/user/refund-requests",
			"")["requests"].([]any)[0].(map[string]any); asked["service_id"] != order["service_id"] ||
			listed["service_id"] != order["service_id"] || listed["package_id"] != nil {
			t.Errorf("asked %v, listed %v", asked, listed)
		}
		if a := c.call(t, 1, "GET", "/api/v2/staff/refund-requests", ""); a.status != http.StatusForbidden {
			t.Errorf("a user sees what staff sees: %d", a.status)
		}
		row := func() map[string]any {
			got := c.ok(t, firstStaff, "GET", "/api/v2/staff/refund-requests", "")
			if got["total_count"] != 1.0 {
				t.Fatal(got)
			}
			return got["requests"].([]any)[0].(map[string]any)
		}
		if open := row(); open["refundable"] != "50.00" || open["refunded"] != nil ||
			open["user"].(map[string]any)["email"] == "" || open["plan"].(map[string]any)["name"] != "Better" {
			t.Error(open)
		}
		if got := c.ok(t, firstStaff, "POST", fmt.Sprintf("/api/v2/staff/refund-requests/%v/decision", asked["id"]),
			`{"grant": true, "answer": "Sorry for that."}`); got["amount"] != "50.00" {
			t.Error(got)
		}
		if granted := row(); granted["refundable"] != nil || granted["refunded"] != "50.00" {
			t.Error(granted)
		}
		if got := c.ok(t, 1, "GET", "/api/v2/user/wallet", ""); got["wallet_balance"] != "100.00" {
			t.Error(got)
		}
		if got := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/wallet/invoices/%v", order["invoice_id"]),
			""); got["refund"].(map[string]any)["amount"] != "50.00" {
			t.Error(got)
		}
		movements := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements", "")["movements"].([]any)
		if m := movements[0].(map[string]any); m["reason"] != "refund" || m["text"] != "Refund · Better" {
			t.Error(m)
		}
	})
}

func TestAPackageNamesItsOrderSoThatItCanBeGivenBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1)
		c.charge(t, 1, "50")
		bytes := int64(10 << 30)
		p, err := c.shop.AddPlan(t.Context(), shop.Plan{
			Name: "More", Kind: shop.KindPackage, TrafficBytes: &bytes,
			Reset: service.Never, Visible: true, Prices: []shop.Price{{Amount: 800}},
		})
		if err != nil {
			t.Fatal(err)
		}
		order := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", p.Prices[0].ID),
			"")["order"].(map[string]any)
		pack := c.ok(t, 1, "GET", "/api/v2/user/services", "")["packages"].([]any)[0].(map[string]any)
		if pack["order_no"] != order["no"] {
			t.Fatalf("the package says %v, its order is %v", pack["order_no"], order["no"])
		}
		asked := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/orders/%v/refund-request", pack["order_no"]),
			`{"reason": "bought twice"}`)
		if asked["package_id"] != pack["id"] {
			t.Errorf("asked %v for %v", asked, pack)
		}
		if got := c.ok(t, firstStaff, "POST", fmt.Sprintf("/api/v2/staff/refund-requests/%v/decision", asked["id"]),
			`{"grant": true, "answer": "Of course."}`); got["amount"] != "8.00" {
			t.Error(got)
		}
		if left := c.ok(t, 1, "GET", "/api/v2/user/services", "")["packages"].([]any); len(left) != 0 {
			t.Error(left)
		}
	})
}
