package v2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	"airstrip/internal/api/notify"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/cdkey"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/renewal"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// moneyServer is the money side of the API. A bearer token is the user's number; from firstStaff on they are staff.
type moneyServer struct {
	handler http.Handler
	shop    *shop.Shop
}

const firstStaff = 900

func newMoneyServer(t *testing.T, d *db.DB, users ...int64) *moneyServer {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w, services := wallet.New(d, settings), service.New(d, seal.Key{1}, settings)
	s := shop.New(d, settings, w, services, invite.New(d, settings, w))
	renewals := renewal.New(d, settings, nil, w, s)
	g := sandbox.New(d, seal.Key{1}, "http://shop.example")
	gateways, err := payment.OpenGateways(t.Context(), d, seal.Key{1}, settings, nil, g.Method())
	if err != nil {
		t.Fatal(err)
	}
	p := payment.New(d, settings, w, s, "http://shop.example", gateways)
	accounttest.Add(t, d, "", users...)
	accounttest.Add(t, d, account.Finance, firstStaff, firstStaff+1)
	accounts := account.New(account.Config{
		DB: d, Key: seal.Key{1}, Settings: settings, Wallets: w, Services: services, Site: "http://shop.example",
	})
	mux := http.NewServeMux()
	v2.New(mux, "1", func(_ context.Context, bearer string) (account.Identity, error) {
		id, err := strconv.ParseInt(bearer, 10, 64)
		if err != nil {
			return account.Identity{}, api.ErrSignIn
		}
		who := account.Identity{UserID: id, Proved: true}
		if id >= firstStaff {
			who.Role = account.Finance
		}
		return who, nil
	}, user.Wallet(w, s, renewals, p, settings), user.Recharges(w, s, p, settings), user.Plans(s, settings),
		user.Shop(s, p, settings), user.Bills(s), user.Renewals(renewals, settings), user.Invoices(w, s, p, settings),
		staff.Refunds(s, accounts), user.Refunds(s), staff.RechargeRefunds(w, p),
		user.Services(services), staff.CDKeys(cdkey.New(d, seal.Key{1}, settings, w, services), accounts),
		user.CDKeys(cdkey.New(d, seal.Key{1}, settings, w, services)), staff.Coupons(s, accounts), staff.Adjustments(w),
		staff.Invites(invite.New(d, settings, w), w, accounts), user.Invites(invite.New(d, settings, w), settings,
			"http://shop.example"))
	notify.Payments(mux, p)
	mux.Handle("/sandbox/", g.Pages(mux))
	for _, user := range users {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(w.Open(ctx, tx, user), services.Open(ctx, tx, user))
		}); err != nil {
			t.Fatal(err)
		}
	}
	return &moneyServer{api.NewMiddleware(mux, []netip.Prefix{}, prometheus.NewRegistry()).Handler(), s}
}

type moneyAnswer struct {
	status int
	header http.Header
	raw    string
	Result json.RawMessage `json:"result"`
	List   json.RawMessage `json:"result_list"`
	Code   string          `json:"code"`
	Errors []struct{ Field, Code string }
	Msg    string `json:"message"`
}

// call makes a request as user; 0 is nobody. header holds pairs of names and values.
func (c *moneyServer) call(t *testing.T, user int64, method, path, body string, header ...string) moneyAnswer {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	req.Header.Set("If-Match", "*")
	req.Header.Set("Accept-Language", "en")
	if user != 0 {
		req.Header.Set("Authorization", fmt.Sprintf("Bearer %d", user))
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, req)
	out := moneyAnswer{status: w.Code, header: w.Header(), raw: w.Body.String()}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// ok makes a call that must succeed and reads its result into a map.
func (c *moneyServer) ok(t *testing.T, user int64, method, path, body string, header ...string) map[string]any {
	t.Helper()
	a := c.call(t, user, method, path, body, header...)
	var result map[string]any
	if a.status != http.StatusOK || json.Unmarshal(a.Result, &result) != nil {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.raw)
	}
	return result
}

func (c *moneyServer) pay(t *testing.T, record map[string]any) {
	t.Helper()
	page := record["pay_page"].(map[string]any)["url"].(string)
	a := c.call(t, 0, http.MethodPost, strings.TrimPrefix(page, "http://shop.example"), "action=pay", "Content-Type",
		"application/x-www-form-urlencoded")
	if a.status != http.StatusSeeOther {
		t.Fatalf("the pay page: %d %s", a.status, a.raw)
	}
}

func (c *moneyServer) plan(t *testing.T) int64 {
	t.Helper()
	traffic := int64(100 << 30)
	p, err := c.shop.AddPlan(t.Context(), shop.Plan{
		Name: "Standard", Kind: shop.KindPlan, TrafficBytes: &traffic, Reset: service.CalendarMonth, Class: 1,
		Groups: []int{1}, Visible: true, Renewable: true,
		Prices: []shop.Price{{Months: 1, Amount: 1990}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Prices[0].ID
}

func TestFromAnEmptyWalletToAService(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1, 2)
		shopID := c.plan(t)
		path := fmt.Sprintf("/api/v2/user/shop-old/%d", shopID)

		if got := c.ok(t, 1, "GET", "/api/v2/user/wallet/", ""); got["wallet_balance"] != "0.00" ||
			got["invite_balance"] != "0.00" || got["currency"] != "CNY" {
			t.Fatal(got)
		}
		if a := c.call(t, 1, "POST", path+"/confirm-order/", ""); a.status != http.StatusConflict ||
			a.Code != "balance_too_low" || !strings.Contains(a.Msg, "19.90 CNY") {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		if got := c.ok(t, 1, "POST", path+"/pre-order", ""); got["missing"] != "19.90" ||
			got["balance_used"] != "0.00" || got["renews"] != nil {
			t.Fatal(got)
		}
		recharge := c.ok(t, 1, "POST", "/api/v2/user/wallet/recharge", `{"amount": 10, "gateway": "sandbox"}`)
		if recharge["state"] != "pending" || recharge["money_amount"] != "10.00" || recharge["order_no"] != nil {
			t.Fatal(recharge)
		}
		c.pay(t, recharge)
		got := c.ok(t, 1, "POST", fmt.Sprintf("/api/v2/user/wallet/recharge/%v/", recharge["no"]), "")
		if got["state"] != "paid" || got["is_finish"] != true || got["pay_page"] != nil || got["invoice_id"] == nil ||
			got["id"] != recharge["id"] {
			t.Fatal(got)
		}

		// The rest comes with the order.
		first := c.call(t, 1, "POST", path+"/confirm-order", `{"gateway": "sandbox", "auto_renew": true}`,
			"Idempotency-Key", "k1")
		var bought map[string]any
		if err := json.Unmarshal(first.Result, &bought); err != nil || first.header.Get("Idempotent-Replayed") != "" {
			t.Fatal(first.raw, first.header)
		}
		order, rest := bought["order"].(map[string]any), bought["recharge"].(map[string]any)
		if order["state"] != "pending" || order["expires_at"] == nil || rest["money_amount"] != "9.90" ||
			rest["order_no"] != order["no"] {
			t.Fatal(bought)
		}
		again := c.call(t, 1, "POST", path+"/confirm-order", `{"gateway": "sandbox", "auto_renew": true}`,
			"Idempotency-Key", "k1")
		var repeated struct{ Order struct{ No any } }
		if err := json.Unmarshal(again.Result, &repeated); err != nil || repeated.Order.No != order["no"] {
			t.Fatal("the same key made another order: ", again.raw)
		}
		if again.header.Get("Idempotent-Replayed") != "true" {
			t.Error("nothing says that the answer is the first one's")
		}
		if a := c.call(t, 1, "POST", path+"/confirm-order", `{"gateway": "sandbox"}`, "Idempotency-Key",
			"k1"); a.status != 422 || a.Code != "idempotency_key_reused" {
			t.Fatalf("the same key with another body: %d %s", a.status, a.raw)
		}
		if got := c.ok(t, 1, "GET", "/api/v2/user/wallet", ""); got["held"] != "10.00" || got["available"] != "0.00" ||
			got["wallet_balance"] != "10.00" {
			t.Fatal(got)
		}
		c.pay(t, rest)
		done := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/orders/%v", order["id"]), "")["order"].(map[string]any)
		if done["state"] != "paid" || done["service_id"] == nil || done["expires_at"] != nil {
			t.Fatal(done)
		}
		if a := c.call(t, 1, "POST", fmt.Sprintf("/api/v2/user/orders/%v/cancel", order["no"]),
			""); a.status != http.StatusConflict || a.Code != "order_not_pending" {
			t.Fatalf("%d %s", a.status, a.raw)
		}

		renew := fmt.Sprintf(`{"renew_service_id": %v}`, done["service_id"])
		if got := c.ok(t, 1, "POST", path+"/pre-order", renew); got["kind"] != "renewal" ||
			got["renews"].(map[string]any)["ends_at"] == nil {
			t.Fatal(got)
		}
		movements := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements?size=2", "")
		lines := movements["movements"].([]any)
		if movements["total_count"] != 3.0 || len(lines) != 2 {
			t.Fatal(movements)
		}
		newest := lines[0].(map[string]any)
		if newest["amount"] != "-19.90" || newest["balance_after"] != "0.00" ||
			newest["text"] != "Purchase · Standard" || newest["reference"].(map[string]any)["no"] != order["no"] {
			t.Fatal(newest)
		}
		records := c.call(t, 1, "GET", "/api/v2/user/wallet/purchase-records", "")
		var list []map[string]any
		if err := json.Unmarshal(records.Result, &list); err != nil || len(list) != 1 ||
			list[0]["shop_id"] != float64(shopID) || list[0]["renew_at"] == nil || list[0]["money_amount"] != "19.90" {
			t.Fatal(records.raw, err)
		}
		if got := c.ok(t, 1, "GET", "/api/v2/user/wallet/recharge?limit=1", ""); got["total_count"] != 2.0 ||
			len(got["recharge_records"].([]any)) != 1 {
			t.Fatal(got)
		}

		// Nothing of this is another user's business.
		for _, try := range [][2]string{
			{"GET", fmt.Sprintf("/api/v2/user/orders/%v", order["no"])},
			{"GET", fmt.Sprintf("/api/v2/user/orders/%v", order["id"])},
			{"POST", fmt.Sprintf("/api/v2/user/orders/%v/cancel", order["no"])},
			{"POST", fmt.Sprintf("/api/v2/user/wallet/recharge/%v", recharge["no"])},
			{"POST", fmt.Sprintf("/api/v2/user/wallet/recharge/%v", recharge["id"])},
		} {
			if a := c.call(t, 2, try[0], try[1], ""); a.status != http.StatusNotFound {
				t.Errorf("%s %s as another user: %d %s", try[0], try[1], a.status, a.raw)
			}
		}
		if a := c.call(t, 2, "POST", path+"/pre-order", renew); a.status != http.StatusNotFound {
			t.Errorf("renewing another's service: %d %s", a.status, a.raw)
		}
		if got := c.ok(t, 2, "GET", "/api/v2/user/wallet/movements", ""); got["total_count"] != 0.0 {
			t.Error(got)
		}
	})
}

func TestTheShopInBothShapes(t *testing.T) {
	c := newMoneyServer(t, dbtest.SQLite(t), 1)
	shopID := c.plan(t)
	var plans []map[string]any
	a := c.call(t, 1, "GET", "/api/v2/user/shop/plans", "")
	if err := json.Unmarshal(a.List, &plans); err != nil || len(plans) != 1 {
		t.Fatal(a.raw, err)
	}
	price := plans[0]["prices"].([]any)[0].(map[string]any)
	if plans[0]["traffic_bytes"] != float64(100<<30) || plans[0]["devices"] != nil ||
		price["shop_id"] != float64(shopID) || price["amount"] != "19.90" {
		t.Fatal(plans)
	}
	old := c.ok(t, 1, "GET", "/api/v2/user/shop-old", "")["products"].(map[string]any)["plan_1"].(map[string]any)
	if old["price"] != "19.90" || old["currency"] != "¥" ||
		old["plan_shop_id"].(map[string]any)["1month"] != float64(shopID) || len(old["features"].([]any)) == 0 {
		t.Fatal(old)
	}
	info := c.ok(t, 1, "GET", fmt.Sprintf("/api/v2/user/shop-old/%d/info", shopID), "")
	if info["money_amount"] != "19.90" || info["user_level_duration"] != "P1M" || info["shop_type"] != "main_package" ||
		info["node_connector"] != nil || info["is_auto_reset_bandwidth"] != true {
		t.Fatal(info)
	}
	var gateways []map[string]any
	if a := c.call(t, 1, "GET", "/api/v2/user/wallet/gateways", ""); json.Unmarshal(a.List, &gateways) != nil ||
		len(gateways) != 1 || gateways[0]["name"] != "sandbox" {
		t.Fatal(a.raw)
	}
	least, _ := gateways[0]["minimum"].(string)
	for missing, charged := range map[string]string{"0.01": least, "19.90": "19.90"} {
		if g := c.list(t, 1, "/api/v2/user/wallet/gateways?missing="+
			missing)[0]; g["charge"].(map[string]any)["amount"] != charged {
			t.Errorf("%s is missing: %v", missing, g)
		}
	}
	if g := c.list(t, 1, "/api/v2/user/wallet/gateways?missing=99999999.00")[0]; g["charge"] != nil {
		t.Error(g)
	}
}

func TestBadMoneyInputNamesItsField(t *testing.T) {
	c := newMoneyServer(t, dbtest.SQLite(t), 1)
	shopID := c.plan(t)
	for _, try := range []struct{ path, body, field string }{
		{"/api/v2/user/wallet/recharge", `{"amount": "10.001", "gateway": "sandbox"}`, "amount"},
		{"/api/v2/user/wallet/recharge", `{"amount": "-5", "gateway": "sandbox"}`, "amount"},
		{"/api/v2/user/wallet/recharge", `{"amount": 1e9, "gateway": "sandbox"}`, "amount"},
		{"/api/v2/user/wallet/recharge", `{"amount": "0x10", "gateway": "sandbox"}`, "amount"},
		{"/api/v2/user/wallet/recharge", `{"amount": null, "gateway": "sandbox"}`, "amount"},
		{"/api/v2/user/wallet/recharge", `{"gateway": "sandbox"}`, "amount"},
		{"/api/v2/user/wallet/recharge", `{"amount": "10", "gateway": "other"}`, "gateway"},
		{"/api/v2/user/wallet/recharge", `{"amount": "10", "gateway": "sandbox", "user_id": 2}`, "user_id"},
		{fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", shopID), `{"gateway": "other"}`, "gateway"},
		{fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", shopID), `{"coupon": "NONE"}`, "coupon"},
		{fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", shopID), `{"amount": "0.01"}`, "amount"},
		{"/api/v2/user/shop-old/abc/confirm-order", ``, "shop_id"},
	} {
		a := c.call(t, 1, "POST", try.path, try.body)
		if a.status != http.StatusUnprocessableEntity || len(a.Errors) != 1 || a.Errors[0].Field != try.field {
			t.Errorf("%s %s: %d %s", try.path, try.body, a.status, a.raw)
		}
	}
	if a := c.call(t, 1, "POST", "/api/v2/user/shop-old/999/confirm-order", ""); a.status != http.StatusNotFound ||
		a.Code != "plan_not_found" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	for _, path := range []string{
		"/api/v2/user/wallet", "/api/v2/user/wallet/movements",
		"/api/v2/user/wallet/recharge", "/api/v2/user/orders/1", "/api/v2/user/shop/plans",
	} {
		if a := c.call(t, 0, "GET", path, ""); a.status != http.StatusUnauthorized {
			t.Errorf("%s without sign-in: %d", path, a.status)
		}
	}
}
