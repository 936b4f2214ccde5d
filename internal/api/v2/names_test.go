package v2_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/shop"
)

func TestPlans_AreShownAndSoldInTheReadersLanguage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1)
		id := c.plan(t)
		plans, err := c.shop.ListPlans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.shop.ChangePlan(t.Context(), plans[0].ID, func(p *shop.Plan) {
			p.Info, p.Names, p.Infos = "HD video", fault.ByLang{fault.ZH: "标准"}, fault.ByLang{fault.ZH: "高清视频"}
		}); err != nil {
			t.Fatal(err)
		}
		type named struct{ Name, Info string }
		for lang, want := range map[string]named{"zh-CN": {"标准", "高清视频"}, "en": {"Standard", "HD video"}} {
			var shown []named
			a := c.call(t, 1, "GET", "/api/v2/user/shop/plans", "", "Accept-Language", lang)
			if err := json.Unmarshal(a.List, &shown); err != nil || len(shown) != 1 || shown[0] != want {
				t.Errorf("%s: the shop shows %+v, wanted %+v: %v", lang, shown, want, err)
			}
			quote := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/shop-old/%d/pre-order", id), "", "Accept-Language",
				lang)
			if quote["name"] != want.Name {
				t.Errorf("%s: the quote is for %v", lang, quote["name"])
			}
			info := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/shop-old/%d/info", id), "", "Accept-Language", lang)
			if info["shop_name"] != want.Name || info["content_extra"] != want.Info {
				t.Errorf("%s: the older shop shows %v, %v", lang, info["shop_name"], info["content_extra"])
			}
		}

		// The buyer reads Chinese; whoever reads later sees the order in their language, and the invoice as it was
		// sold.
		path := fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", id)
		bought := c.ok(t, 1, "POST", path, `{"gateway": "sandbox"}`, "Accept-Language", "zh-CN")
		c.pay(t, bought["recharge"].(map[string]any))
		for lang, want := range map[string]string{"zh-CN": "标准", "en": "Standard"} {
			services := c.ok(t, 1, "GET", "/api/v2/user/services", "", "Accept-Language", lang)["services"].([]any)
			if got := services[0].(map[string]any)["name"]; got != want {
				t.Errorf("%s: the service is called %v, wanted %s", lang, got, want)
			}
			order := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/orders/%v", bought["order"].(map[string]any)["id"]),
				"", "Accept-Language", lang)
			if got := order["order"].(map[string]any)["name"]; got != want {
				t.Errorf("%s: the order is for %v, wanted %s", lang, got, want)
			}
			invoices := c.ok(t, 1, "GET", "/api/v2/user/wallet/invoices", "", "Accept-Language",
				lang)["invoices"].([]any)
			sold := ""
			for _, each := range invoices {
				for _, line := range each.(map[string]any)["lines"].([]any) {
					if l := line.(map[string]any); l["kind"] == "plan" {
						sold = l["name"].(string)
					}
				}
			}
			if sold != "标准" {
				t.Errorf("%s: the invoice of a Chinese reader says %q", lang, sold)
			}
		}
	})
}
