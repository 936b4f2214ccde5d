package v1_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v1 "airstrip/internal/api/v1"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/mail"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

func TestTheOlderFormsRechargeAndStaffConfirms(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const site = "http://shop.example"
		key := seal.Key{1}
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := token.New(t.Context(), d, key)
		if err != nil {
			t.Fatal(err)
		}
		secrets := secret.New(d, key)
		w, services := wallet.New(d, settings), service.New(d, seal.Key{1}, settings)
		a := account.New(account.Config{
			PasswordMemory: 64,
			DB:             d, Key: key, Settings: settings, Mails: mail.New(d, key, settings, secrets, site),
			Captchas: captcha.New(d, key, settings, secrets), Tokens: tokens, Wallets: w, Services: services,
			Site: site,
		})
		g := sandbox.New(d, key, site)
		gateways, err := payment.OpenGateways(t.Context(), d, key, settings, nil, g.Method())
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		router := v1.New(mux, a.Sessions.Authenticate)
		s := shop.New(d, settings, w, services, invite.New(d, settings, w))
		router.Payment(w, payment.New(d, settings, w, s, site, gateways), a)
		handler := api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()

		from := account.Client{IP: netip.MustParseAddr("192.0.2.1")}
		enter := func(email string, role account.Role) account.Grant {
			t.Helper()
			if _, err := a.Create(t.Context(), email, "Name", "correct horse battery", role); err != nil {
				t.Fatal(err)
			}
			grant, err := a.SignIns.ByPassword(t.Context(), account.SignIn{
				Email:    email,
				Password: "correct horse battery",
			}, from)
			if err != nil {
				t.Fatal(err)
			}
			return grant
		}
		buyer, staff, support := enter("buyer@example.com", ""), enter("money@example.com", account.Finance),
			enter("help@example.com", account.Support)

		type answer struct {
			status         int
			Ret            int
			Code           string
			Type           string
			TradeNo        string
			URL            string
			Result         any
			MoneyAmount    string `json:"money_amount"`
			OutTradeNumber string `json:"out_trade_no"`
		}
		send := func(method, path string, form url.Values, header http.Header) (got answer) {
			t.Helper()
			req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
			req.RemoteAddr = "192.0.2.1:40000"
			req.Header = header
			if req.Header == nil {
				req.Header = http.Header{}
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
				t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
			}
			got.status = rec.Code
			return got
		}
		bearer := func(g account.Grant) http.Header { return http.Header{"Authorization": {"Bearer " + g.Access}} }
		begin := func() string {
			t.Helper()
			got := send("POST", "/v1/user/payment/purchase", url.Values{"price": {"30"}, "type": {"sandbox"}},
				bearer(buyer))
			if got.Ret != 1 || got.Type != "url" || got.TradeNo == "" || got.URL != site+"/sandbox/pay/"+got.TradeNo {
				t.Fatalf("purchase: %+v", got)
			}
			return got.TradeNo
		}
		paid := func(no string) string {
			t.Helper()
			got := send("POST", "/v1/payment/status?tradeno="+no, nil, nil)
			if got.Ret != 1 {
				t.Fatalf("status: %+v", got)
			}
			return strconv.FormatFloat(got.Result.(float64), 'f', -1, 64)
		}
		want := func(got answer, status int, code string) {
			t.Helper()
			if got.status != status || got.Code != code {
				t.Errorf("%+v, want %d %s", got, status, code)
			}
		}

		no := begin()
		path := "/v1/payment/admin_notify?out_trade_no=" + no
		want(send("GET", path, nil, nil), 401, "sign_in_required")
		want(send("GET", path, nil, bearer(buyer)), 403, "not_allowed")
		want(send("GET", path, nil, bearer(support)), 403, "not_allowed")
		want(send("GET", "/v1/payment/admin_notify", nil, bearer(staff)), 422, "invalid_input")
		want(send("GET", path, nil, bearer(staff)), 409, "not_paid_at_gateway")
		if err := g.Close(t.Context(), no, true); err != nil {
			t.Fatal(err)
		}
		if paid(no) != "0" {
			t.Error("paid before anybody said so")
		}
		got := send("GET", path, nil, bearer(staff))
		if want(got, 200, ""); got.MoneyAmount != "30.00" || got.OutTradeNumber != no || paid(no) != "1" {
			t.Errorf("%+v", got)
		}
		want(send("GET", "/v1/payment/admin_notify?out_trade_no=NONE", nil, bearer(staff)), 404, "recharge_not_found")
		want(send("POST", "/v1/payment/status?tradeno=NONE", nil, nil), 404, "recharge_not_found")

		no = begin()
		if err := g.Close(t.Context(), no, true); err != nil {
			t.Fatal(err)
		}
		path = "/v1/payment/admin_notify_by_cookies?out_trade_no=" + no
		cookies := func(g account.Grant, csrf string) http.Header {
			t.Helper()
			c, err := a.Sessions.Cookies(t.Context(), g.Access, "", from)
			if err != nil {
				t.Fatal(err)
			}
			if csrf == "right" {
				csrf = a.Sessions.CSRFToken(c.Key).String()
			}
			return http.Header{"Cookie": {c.Prefix + "key=" + c.Key}, "X-Csrf-Token": {csrf}}
		}
		want(send("GET", path, nil, nil), 401, "sign_in_required")
		want(send("GET", path, nil, bearer(staff)), 401, "sign_in_required")
		want(send("GET", path, nil, cookies(staff, "")), 403, "csrf_token")
		want(send("GET", path, nil, cookies(staff, a.Sessions.CSRFToken("").String())), 403, "csrf_token")
		want(send("GET", path, nil, cookies(support, "right")), 403, "not_allowed")
		if paid(no) != "0" {
			t.Error("confirmed without right")
		}
		want(send("GET", path, nil, cookies(staff, "right")), 200, "")
		if paid(no) != "1" {
			t.Error("not confirmed")
		}
		if b, err := w.Balance(t.Context(), buyer.User.ID); err != nil || b.Posted != 6000 {
			t.Errorf("%+v, %v", b, err)
		}
	})
}
