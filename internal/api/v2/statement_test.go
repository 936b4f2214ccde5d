package v2_test

import (
	"fmt"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestAStatementAndInvoicesSayWhatTheMoneyWasFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1, 2)
		for _, amount := range []string{"30", "5"} {
			c.pay(t, c.ok(t, 1, "POST", "/api/v2/user/wallet/recharge", `{"amount": `+amount+`, "gateway": "sandbox"}`))
		}
		order := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", c.plan(t)),
			"")["order"].(map[string]any)
		asked := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/orders/%v/refund-request", order["id"]),
			`{"reason": "too slow"}`)
		given := c.ok(t, firstStaff, "POST", fmt.Sprintf("/api/v2/staff/refund-requests/%v/decision", asked["id"]),
			`{"grant": true, "answer": "Sorry."}`)["amount"].(string)

		for query, want := range map[string][]string{
			"?reason=recharge":               {"5.00", "30.00"},
			"?reason=recharge&size=1":        {"5.00"},
			"?reason=recharge&size=1&page=2": {"30.00"},
			"?reason=recharge&page=2":        {},
			"?reason=purchase":               {"-19.90"},
			"?reason=cd_key":                 {},
		} {
			got := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements"+query, "")["movements"].([]any)
			amounts := []string{}
			for _, m := range got {
				amounts = append(amounts, m.(map[string]any)["amount"].(string))
			}
			if fmt.Sprint(amounts) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", query, amounts, want)
			}
		}
		if got := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements?reason=recharge&size=1",
			""); got["total_count"] != 2.0 {
			t.Errorf("a page of two counts %v", got["total_count"])
		}
		for lang, want := range map[string]string{"en": "Recharge · Sandbox (demo)", "zh-CN": "充值 · 沙盒支付（演示）"} {
			got := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements?reason=recharge&size=1", "", "Accept-Language",
				lang)["movements"].([]any)[0].(map[string]any)["text"]
			if got != want {
				t.Errorf("a recharge in the statement is %q, want %q", got, want)
			}
		}
		bought := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements?reason=purchase", "")["movements"].([]any)
		if got := bought[0].(map[string]any)["note"]; got != "Standard" {
			t.Errorf("a purchase in the statement has the note %q, want the plan's name", got)
		}
		if got := c.ok(t, 2, "GET", "/api/v2/user/wallet/movements?reason=recharge", ""); got["total_count"] != 0.0 {
			t.Errorf("another user sees %v", got)
		}
		if a := c.call(t, 1, "GET", "/api/v2/user/wallet/movements?reason=luck", ""); a.status != 422 ||
			len(a.Errors) != 1 || a.Errors[0].Field != "reason" {
			t.Errorf("an unknown reason: %d %s", a.status, a.raw)
		}

		invoices := c.ok(t, 1, "GET", "/api/v2/user/wallet/invoices", "")["invoices"].([]any)
		if len(invoices) != 3 {
			t.Fatal(invoices)
		}
		for i, want := range []struct{ kind, line, refund string }{
			{"order", "Standard", given},
			{"recharge", "Sandbox (demo)", ""},
			{"recharge", "Sandbox (demo)", ""},
		} {
			in := invoices[i].(map[string]any)
			refund := ""
			if r, ok := in["refund"].(map[string]any); ok {
				refund = r["amount"].(string)
			}
			if line := in["lines"].([]any)[0].(map[string]any); in["kind"] != want.kind || line["name"] != want.line ||
				refund != want.refund {
				t.Errorf("invoice %d: %v, want %v", i, in, want)
			}
		}
	})
}
