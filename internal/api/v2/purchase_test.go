package v2_test

import (
	"fmt"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

func TestRecharge_ForAnOrder_SaysWhatItIsFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1)
		percent := 50
		if _, err := c.shop.AddCoupon(t.Context(), shop.Coupon{Code: "HALF", Percent: &percent, Enabled: true},
			nil); err != nil {
			t.Fatal(err)
		}
		standard := c.plan(t)
		path := fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", standard)
		bought := c.ok(t, 1, "POST", path, `{"gateway": "sandbox", "coupon": "half", "auto_renew": true}`)
		begun := bought["recharge"].(map[string]any)
		get := func() map[string]any {
			return c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/wallet/recharge/%v", begun["no"]), "")
		}
		listed := c.ok(t, 1, "GET", "/api/v2/user/wallet/recharge", "")["recharge_records"].([]any)[0].(map[string]any)
		for name, record := range map[string]map[string]any{"confirmed": begun, "asked for": get(), "listed": listed} {
			order, ok := record["order"].(map[string]any)
			if !ok {
				t.Fatalf("the recharge that was %s has no order: %v", name, record)
			}
			want(t, order, map[string]any{
				"kind": "plan", "state": "pending", "name": "Standard", "months": 1, "coupon": "HALF",
				"auto_renew":       true,
				"renew_service_id": nil, "change_service_id": nil, "replaces": "", "traffic_bytes": 100 << 30,
				"reset": "calendar_month", "ends_at": nil, "shop_id": int(standard), "amount": "9.95",
			})
		}
		c.pay(t, begun)
		paid := get()["order"].(map[string]any)
		if paid["state"] != "paid" || paid["ends_at"] == nil {
			t.Errorf("after the payment: %v", paid)
		}

		// A renewal names the service that it renews, a change the one that it ends, also after that has ended.
		renewed := c.ok(t, 1, "POST", path, fmt.Sprintf(`{"gateway": "sandbox", "renew_service_id": %v}`,
			paid["service_id"]))
		want(t, renewed["order"].(map[string]any), map[string]any{
			"kind":             "renewal",
			"renew_service_id": paid["service_id"],
		})
		c.pay(t, renewed["recharge"].(map[string]any))
		traffic := int64(200 << 30)
		better, err := c.shop.AddPlan(t.Context(), shop.Plan{
			Name: "Pro", Kind: shop.KindPlan, TrafficBytes: &traffic, Reset: service.CalendarMonth, Class: 2,
			Groups:  []int{1},
			Visible: true, Renewable: true, Prices: []shop.Price{{Months: 1, Amount: 9900}},
		})
		if err != nil {
			t.Fatal(err)
		}
		changed := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", better.Prices[0].ID),
			fmt.Sprintf(`{"gateway": "sandbox", "change_service_id": %v}`, paid["service_id"]))
		c.pay(t, changed["recharge"].(map[string]any))
		order := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/orders/%v", changed["order"].(map[string]any)["no"]), "")
		want(t, order["order"].(map[string]any), map[string]any{
			"state": "paid", "name": "Pro", "replaces": "Standard", "change_service_id": paid["service_id"],
		})
		want(t, order["recharge"].(map[string]any)["order"].(map[string]any), map[string]any{
			"state":    "paid",
			"replaces": "Standard",
		})

		alone := c.ok(t, 1, "POST", "/api/v2/user/wallet/recharge", `{"amount": 10, "gateway": "sandbox"}`)
		if order, ok := alone["order"]; ok {
			t.Errorf("a recharge for the balance alone is for the order %v", order)
		}
	})
}
