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
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestTheOlderFormsTakeCouponsAndSellInvites(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		w, services := wallet.New(d, settings), service.New(d, seal.Key{1}, settings)
		s := shop.New(d, settings, w, services, invite.New(d, settings, w))
		mux := http.NewServeMux()
		accounttest.Add(t, d, "", 1)
		r := v1.New(mux, func(context.Context, string) (account.Identity, error) {
			return account.Identity{UserID: 1},
				nil
		})
		r.Shop(s)
		r.Invite(invite.New(d, settings, w))
		handler := api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(w.Open(ctx, tx, 1), services.Open(ctx, tx, 1))
		}); err != nil {
			t.Fatal(err)
		}
		plan, err := s.AddPlan(t.Context(), shop.Plan{
			Name: "Standard", Kind: shop.KindPlan, Reset: service.Never, Visible: true,
			Prices: []shop.Price{{Months: 1, Amount: 1000}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddCoupon(t.Context(), shop.Coupon{
			Code: "SPRING", Enabled: true, Amount: 400,
			PerUser: new(int64(1)),
		}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Adjust(t.Context(), 1, 1000, "a gift", nil); err != nil {
			t.Fatal(err)
		}
		send := func(path string, form url.Values) (int, map[string]any) {
			t.Helper()
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Authorization", "Bearer x")
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			got := map[string]any{}
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			return rec.Code, got
		}
		what := url.Values{"shop": {fmt.Sprint(plan.Prices[0].ID)}, "coupon": {"spring"}}
		if status, got := send("/v1/user/buy_pre", what); status != 200 || got["credit"] != "4.00" ||
			got["total"] != "6.00" {
			t.Errorf("%d %v", status, got)
		}
		if status, got := send("/v1/user/buy", what); status != 200 || got["ret"] != 1.0 {
			t.Errorf("%d %v", status, got)
		}
		if status, got := send("/v1/user/buy", what); status != 422 || got["ret"] != 0.0 ||
			got["msg"] != "你使用该优惠码的次数已达上限" {
			t.Errorf("%d %v", status, got)
		}

		if status, got := send("/v1/user/buy_invite", url.Values{"num": {"2"}}); status != 409 ||
			got["code"] != "invites_not_for_sale" {
			t.Errorf("%d %v", status, got)
		}
		if err := settings.Set(t.Context(), map[string]json.RawMessage{
			"invite_quota": json.RawMessage("5"),
			"invite_price": json.RawMessage(`"1.50"`),
		}); err != nil {
			t.Fatal(err)
		}
		if status, got := send("/v1/user/buy_invite", url.Values{"num": {"2"}}); status != 200 ||
			got["invite_num"] != 7.0 {
			t.Errorf("%d %v", status, got)
		}
		if status, got := send("/v1/user/buy_invite", url.Values{}); status != 422 ||
			!strings.Contains(fmt.Sprint(got["msg"]), "num") {
			t.Errorf("%d %v", status, got)
		}
		if b, err := w.Balance(t.Context(), 1); err != nil || b.Posted != 100 {
			t.Errorf("%+v, %v", b, err)
		}
	})
}
