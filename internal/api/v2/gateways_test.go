package v2_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/stripe"
	"airstrip/internal/wallet"
)

func TestOwnersSetGatewaysUpAndUsersSeeWhatTheyCost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := paymenttest.New(t, d, []payment.Kind{manual.Kind, stripe.Kind})
		buyer := c.User(t)
		accounttest.Add(t, d, "", buyer)
		mux := http.NewServeMux()
		v2.New(mux, "1", func(_ context.Context, bearer string) (account.Identity, error) {
			return account.Identity{UserID: buyer, Proved: true, Role: account.Role(strings.TrimPrefix(bearer, "user"))}, nil
		}, staff.Gateways(c.Gateways, c.Payments), user.Recharges(c.Wallets, c.Shop, c.Payments, c.Settings))
		handler := api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()

		type gateway struct {
			ID                          json.RawMessage
			Name, Title, Icon, Currency string
			NotifyPath                  string `json:"notify_path"`
			FeePercent                  string `json:"fee_percent"`
			Minimum, Maximum, Rate      *string
			Enabled                     bool
			Credentials                 []string
			Public                      map[string]string
			Fields                      []struct{ Name string }
			Charge                      *struct{ Amount, Fee string }
			Fee, State                  string
			MoneyAmount                 string                            `json:"money_amount"`
			PayAmount                   string                            `json:"pay_amount"`
			PayPage                     *struct{ Kind, URL, Text string } `json:"pay_page"`
		}
		type answer struct {
			status     int
			text       string
			Code       string
			Errors     []struct{ Field string }
			Result     gateway
			ResultList []gateway `json:"result_list"`
		}
		call := func(bearer, method, path, body string) (got answer) {
			t.Helper()
			req := httptest.NewRequestWithContext(t.Context(), method, "/api/v2"+path, strings.NewReader(body))
			req.Header.Set("If-Match", "*")
			req.Header.Set("Authorization", "Bearer "+bearer)
			req.Header.Set("Accept-Language", "en")
			req.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			got.text = rec.Body.String()
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
				t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
			}
			got.status = rec.Code
			return got
		}
		want := func(got answer, status int, field string) answer {
			t.Helper()
			if got.status != status || (field != "") != (len(got.Errors) == 1) ||
				(field != "" && got.Errors[0].Field != field) {
				t.Fatalf("%d %s, want %d %s", got.status, got.text, status, field)
			}
			return got
		}

		const create = `{"kind":"manual","name":"bank","title_en":"Bank","fee_percent":"2.5","minimum":"5","icon":"bank","credentials":{"instructions_zh":"转账至某处","instructions_en":"Transfer somewhere"}}`
		for _, role := range []string{"user", "viewer", "support", "finance", "admin"} {
			want(call(role, "POST", "/staff/gateways", create), 403, "")
		}
		want(call("user", "GET", "/staff/gateways", ""), 403, "")
		want(call("owner", "POST", "/staff/gateways", strings.Replace(create, "2.5", "2.555", 1)), 422, "fee_percent")
		want(call("owner", "POST", "/staff/gateways", strings.Replace(create, "instructions_zh", "x", 1)), 422, "")
		want(call("owner", "POST", "/staff/gateways", strings.Replace(create, `"bank","title`, `"Bank!","title`, 1)),
			422, "name")
		made := want(call("owner", "POST", "/staff/gateways", create), 200, "")
		if g := made.Result; string(g.ID) != "1" || g.NotifyPath != "/v1/payment/notify/bank" ||
			g.FeePercent != "2.50" || *g.Minimum != "5.00" || g.Maximum != nil || !g.Enabled || g.Currency != "CNY" {
			t.Errorf("%s", made.text)
		}
		want(call("owner", "POST", "/staff/gateways", create), 422, "name")
		list := want(call("finance", "GET", "/staff/gateways", ""), 200, "")
		if len(list.ResultList) != 1 || strings.Join(list.ResultList[0].Credentials,
			" ") != "instructions_en instructions_zh" || list.ResultList[0].Public["instructions_en"] != "Transfer somewhere" {
			t.Errorf("%s", list.text)
		}
		card := want(call("owner", "POST", "/staff/gateways", `{"kind":"stripe","name":"card","enabled":false,
			"credentials":{"secret_key":"sk_swordfish","webhook_secret":"whsec_swordfish"}}`), 200, "")
		list = want(call("finance", "GET", "/staff/gateways", ""), 200, "")
		if strings.Contains(card.text+list.text, "swordfish") || len(card.Result.Public) != 0 {
			t.Errorf("a credential is shown: %s %s", card.text, list.text)
		}
		if kinds := want(call("admin", "GET", "/staff/gateways/kinds", ""), 200,
			""); kinds.ResultList[0].Name != "manual" || kinds.ResultList[0].Fields[0].Name != "instructions_zh" {
			t.Errorf("%s", kinds.text)
		}

		shown := want(call("user", "GET", "/user/wallet/gateways?amount=10.01", ""), 200, "").ResultList
		if len(shown) != 1 || shown[0].Title != "Bank" || shown[0].Icon != "bank" || shown[0].Charge == nil ||
			shown[0].Charge.Fee != "0.26" || *shown[0].Minimum != "5.00" || *shown[0].Maximum != "100000.00" {
			t.Errorf("%+v", shown)
		}
		if shown := want(call("user", "GET", "/user/wallet/gateways?amount=4.99", ""), 200,
			"").ResultList; shown[0].Charge != nil {
			t.Errorf("below the minimum: %+v", shown)
		}
		want(call("user", "GET", "/user/wallet/gateways?amount=x", ""), 422, "amount")
		want(call("user", "POST", "/user/wallet/recharge", `{"amount":"4.99","gateway":"bank"}`), 422, "amount")
		r := want(call("user", "POST", "/user/wallet/recharge", `{"amount":"10.01","gateway":"bank"}`), 200, "").Result
		if r.MoneyAmount != "10.01" || r.Fee != "0.26" || r.PayAmount != "10.27" || r.PayPage == nil ||
			r.PayPage.Kind != "text" || !strings.Contains(r.PayPage.Text, "Transfer somewhere") ||
			r.State != string(wallet.RechargePending) {
			t.Errorf("%+v", r)
		}

		one := "/staff/gateways/1"
		want(call("admin", "PATCH", one, `{"enabled":false}`), 403, "")
		want(call("owner", "PATCH", one, `{"currency":"USD"}`), 422, "rate")
		want(call("owner", "PATCH", one, `{"credentials":{"instructions_en":""}}`), 422, "credentials.instructions_en")
		if got := want(call("owner", "PATCH", one, `{"currency":"USD","rate":"0.1385"}`), 200,
			""); *got.Result.Rate != "0.13850000" {
			t.Errorf("%s", got.text)
		}
		if got := want(call("owner", "PATCH", one, `{"enabled":false,"currency":"CNY","rate":"","minimum":"0"}`), 200,
			""); got.Result.Enabled || got.Result.Rate != nil || got.Result.Minimum != nil {
			t.Errorf("%s", got.text)
		}
		if shown := want(call("user", "GET", "/user/wallet/gateways", ""), 200, "").ResultList; len(shown) != 0 {
			t.Errorf("%+v", shown)
		}
		if got := want(call("owner", "DELETE", one, ""), 409, ""); got.Code != "gateway_in_use" {
			t.Errorf("%s", got.text)
		}
		want(call("owner", "DELETE", "/staff/gateways/9", ""), 404, "")
		want(call("owner", "PATCH", "/staff/gateways/9", `{}`), 404, "")
	})
}
