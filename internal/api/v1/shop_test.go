package v1_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	v1 "airstrip/internal/api/v1"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestTheOlderFormsRechargeAndBuy(t *testing.T) {
	d := dbtest.SQLite(t)
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w, services := wallet.New(d, settings), service.New(d, seal.Key{1}, settings)
	s := shop.New(d, settings, w, services, invite.New(d, settings, w))
	g := sandbox.New(d, seal.Key{1}, "http://shop.example")
	gateways, err := payment.OpenGateways(t.Context(), d, seal.Key{1}, settings, nil, g.Method())
	if err != nil {
		t.Fatal(err)
	}
	p := payment.New(d, settings, w, s, "http://shop.example", gateways)
	mux := http.NewServeMux()
	accounttest.Add(t, d, "", 1)
	r := v1.New(mux, func(context.Context, string) (account.Identity, error) {
		return account.Identity{UserID: 1},
			nil
	})
	r.Shop(s)
	r.Payment(w, p, nil)
	handler := api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return errors.Join(w.Open(ctx, tx, 1), services.Open(ctx, tx, 1))
	}); err != nil {
		t.Fatal(err)
	}
	traffic := int64(10 << 30)
	plan, err := s.AddPlan(t.Context(), shop.Plan{
		Name: "=Standard", Kind: shop.KindPlan, Reset: service.Never, Class: 1, Groups: []int{1}, Visible: true,
		Prices: []shop.Price{{Months: 1, Amount: 1000}, {Months: 12, Amount: 9900}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bag, err := s.AddPlan(t.Context(), shop.Plan{
		Name: "Bag", Kind: shop.KindPackage, TrafficBytes: &traffic, Reset: service.Never, Visible: true,
		Prices: []shop.Price{{Amount: 500}},
	})
	if err != nil {
		t.Fatal(err)
	}
	key := "" // of the calls that follow
	send := func(method, path string, form url.Values) (int, string, map[string]any) {
		t.Helper()
		req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept-Language", "en")
		req.Header.Set("Authorization", "Bearer x")
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		got := map[string]any{}
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") {
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
		}
		return rec.Code, rec.Body.String(), got
	}
	ok := func(method, path string, form url.Values) map[string]any {
		t.Helper()
		status, raw, got := send(method, path, form)
		if status != http.StatusOK || got["ret"] != 1.0 {
			t.Fatalf("%s %s: %d %s", method, path, status, raw)
		}
		return got
	}
	month := fmt.Sprint(plan.Prices[0].ID)

	if status, raw, got := send("POST", "/v1/user/buy", url.Values{"shop": {month}}); status != http.StatusConflict ||
		got["ret"] != 0.0 || got["code"] != "balance_too_low" {
		t.Fatal(status, raw)
	}
	bill := ok("POST", "/v1/user/payment/purchase", url.Values{"price": {"25.00"}, "type": {"sandbox"}})
	if bill["type"] != "url" || !strings.HasPrefix(bill["url"].(string), "http://shop.example/sandbox/pay/") {
		t.Fatal(bill)
	}
	number := bill["tradeno"].(string)
	if got := ok("POST", "/v1/payment/status?tradeno="+number, nil); got["result"] != 0.0 {
		t.Fatal(got)
	}
	if err := g.Close(t.Context(), number, true); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ok("POST", "/v1/payment/status", url.Values{"tradeno": {number}}); got["result"] != 1.0 {
		t.Fatal(got)
	}

	if got := ok("GET", "/v1/user/shop/getplantime?num=plan_1",
		nil); fmt.Sprint(got["plan_time"]) != "[1month 12month]" {
		t.Fatal(got)
	}
	if got := ok("GET", "/v1/user/shop/getplaninfo?num=1&time=12month", nil); got["price"] != "99.00" ||
		got["id"] != float64(plan.Prices[1].ID) {
		t.Fatal(got)
	}
	if got := ok("POST", "/v1/user/buy_pre", url.Values{"shop": {month}}); got["total"] != "10.00" ||
		got["name"] != "=Standard" {
		t.Fatal(got)
	}
	if got := ok("GET", "/v1/user/shop?page=2&size=2", nil); got["total"] != 3.0 || len(got["data"].([]any)) != 1 {
		t.Fatal(got)
	}
	if status, raw, _ := send("GET", "/v1/user/shop?format=csv", nil); status != http.StatusOK ||
		!strings.Contains(raw, "'=Standard,") {
		t.Fatal(status, raw)
	}
	key = "first"
	first := ok("POST", "/v1/user/buy", url.Values{"shop": {month}, "autorenew": {"1"}})
	if again := ok("POST", "/v1/user/buy?shop="+month,
		url.Values{"autorenew": {"1"}}); fmt.Sprint(again["data"]) != fmt.Sprint(first["data"]) {
		t.Fatalf("the same Idempotency-Key answers %v, want %v", again["data"], first["data"])
	}
	if status, raw, got := send("POST", "/v1/user/buy", url.Values{"shop": {month}}); status != 422 ||
		got["code"] != "idempotency_key_reused" {
		t.Fatal(status, raw)
	}
	key = strings.Repeat("k", 129)
	if status, raw, _ := send("POST", "/v1/user/buy", url.Values{"shop": {month}}); status != 422 {
		t.Fatal(status, raw)
	}
	key = "recharge"
	recharge := ok("POST", "/v1/user/payment/purchase", url.Values{"price": {"9.00"}, "type": {"sandbox"}})
	if again := ok("POST", "/v1/user/payment/purchase", url.Values{
		"price": {"9.00"},
		"type":  {"sandbox"},
	}); again["tradeno"] != recharge["tradeno"] {
		t.Fatal(again, recharge)
	}
	key = ""
	ok("POST", "/v1/user/shop/buytrafficpackage", url.Values{"shopid": {fmt.Sprint(bag.Prices[0].ID)}})
	bought := ok("GET", "/v1/user/bought", nil)
	rows := bought["data"].([]any)
	if bought["total"] != 2.0 || len(rows) != 2 {
		t.Fatal(bought)
	}
	service := rows[1].(map[string]any)
	if service["auto_renew"] != true || service["shop_name"] != "=Standard" || service["expires_at"] == nil {
		t.Fatal(service)
	}
	ok("DELETE", "/v1/user/bought", url.Values{"id": {service["id"].(string)}})
	if row := ok("GET", "/v1/user/bought", nil)["data"].([]any)[1].(map[string]any); row["auto_renew"] != false {
		t.Fatal(row)
	}
	if b, err := w.Balance(t.Context(), 1); err != nil || b.Posted != 1000 {
		t.Fatalf("%+v, %v", b, err)
	}

	for _, try := range []struct {
		method, path string
		form         url.Values
		status       int
	}{
		{"POST", "/v1/user/buy", nil, 422},
		{"POST", "/v1/user/buy", url.Values{"shop": {"x"}}, 422},
		{"POST", "/v1/user/buy", url.Values{"shop": {"+" + month}}, 422},
		{"POST", "/v1/user/buy", url.Values{"shop": {month}, "autorenew": {"x"}}, 422},
		{"POST", "/v1/user/buy", url.Values{"shop": {month}, "disableothers": {"x"}}, 422},
		{"POST", "/v1/user/buy", url.Values{"shop": {"999"}}, 404},
		{"POST", "/v1/user/buy", url.Values{"shop": {month}, "coupon": {"NONE"}}, 422},
		{"POST", "/v1/user/shop/buytrafficpackage", url.Values{"shop": {month}}, 404},
		{"POST", "/v1/user/payment/purchase", url.Values{"price": {"1e3"}, "type": {"sandbox"}}, 422},
		{"POST", "/v1/user/payment/purchase", url.Values{"price": {"10"}}, 422},
		{"POST", "/v1/payment/status", nil, 422},
		{"POST", "/v1/payment/status", url.Values{"tradeno": {"NONE"}}, 404},
		{"GET", "/v1/user/shop/getplaninfo?num=1&time=2", nil, 404},
		{"GET", "/v1/user/shop/getplantime", nil, 422},
		{"GET", "/v1/user/shop?size=1000", nil, 422},
		{"GET", "/v1/user/bought?page=0", nil, 422},
		{"DELETE", "/v1/user/bought", url.Values{"id": {"999"}}, 404},
	} {
		if status, raw, got := send(try.method, try.path, try.form); status != try.status || got["ret"] != 0.0 ||
			got["msg"] == "" {
			t.Errorf("%s %s %v: %d %s", try.method, try.path, try.form, status, raw)
		}
	}
}
