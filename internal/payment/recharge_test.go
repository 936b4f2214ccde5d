package payment_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/wallet"
)

func TestARechargeIsPaidOnTheSandboxPage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)

		w := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimPrefix(r.PayPage.URL,
			paymenttest.Site), nil)
		req.Header.Set("Accept-Language", "en")
		c.Handler.ServeHTTP(w, req)
		for _, part := range []string{"30.00", "CNY", r.TradeNo, `value="pay"`, `lang="en"`} {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("the pay page lacks %s", part)
			}
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
			strings.Contains(csp, "script-src") || strings.Contains(w.Body.String(), "<script") {
			t.Errorf("the pay page allows scripts: %s", csp)
		}

		if w := c.pressButton(t, r, "cancel"); w.Code != http.StatusSeeOther || c.Balance(t, user).Posted != 0 {
			t.Fatalf("cancel: %d, balance %v", w.Code, c.Balance(t, user).Posted)
		}
		back := fmt.Sprintf("%s/user/wallet/recharge/new?id=%d", paymenttest.Site, r.ID)
		for range 2 { // pressing twice pays once
			if w := c.pressButton(t, r, "pay"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != back {
				t.Fatalf("pay: %d %s", w.Code, w.Header().Get("Location"))
			}
		}
		if b := c.Balance(t, user); b.Posted != 3000 || b.Movements != 1 {
			t.Fatalf("after paying: %+v", b)
		}
		r, err := c.Payments.Show(t.Context(), user, r.UUID.String())
		if err != nil || r.State != wallet.RechargeDone || r.InvoiceUUID == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		if _, err := c.Payments.Show(t.Context(), c.User(t), r.UUID.String()); !errors.Is(err, wallet.ErrNoRecharge) {
			t.Fatal("another user sees the recharge: ", err)
		}

		failed := c.recharge(t, user, 500)
		c.pressButton(t, failed, "fail")
		if got, _ := c.Wallets.Recharge(t.Context(), user, strconv.FormatInt(failed.ID,
			10)); got.State != wallet.RechargeFailed {
			t.Fatal("after a failed payment the recharge is ", got.State)
		}
		c.MustBeConsistent(t)
	})
}

func TestPages_OfAGatewayThatIsOff_AreNotFound(t *testing.T) {
	c := paymenttest.New(t, dbtest.SQLite(t), nil)
	w := c.SendNotify(t.Context(), sandbox.Name, paymenttest.Notice{Body: "x=y"})
	var body struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusNotFound ||
		body.Code != "gateway_not_found" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

func TestAmountsOutsideTheLimitsAreRefused(t *testing.T) {
	c := newServer(t, dbtest.SQLite(t))
	user := c.User(t)
	for _, amount := range []money.Amount{0, -500, 99, 10000001, 1 << 62} {
		if _, err := c.Payments.Recharge(t.Context(), user, sandbox.Name, amount); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", amount, err)
		}
	}
	if _, err := c.Payments.Recharge(t.Context(), user, "nowhere", 1000); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("an unknown gateway: %v", err)
	}
	for range 20 {
		c.recharge(t, user, 100)
	}
	if _, err := c.Payments.Recharge(t.Context(), user, sandbox.Name, 100); !errors.Is(err,
		wallet.ErrTooManyRecharges) {
		t.Errorf("one pending recharge too many: %v", err)
	}
}

func TestRecharge_AfterManyThatWereBegunAndCancelled_WaitsUntilAnHourAfterThem(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		user, other := c.User(t), c.User(t)
		c.pressButton(t, c.recharge(t, user, 100), "pay") // does not count
		for range 60 {
			r := c.recharge(t, user, 100)
			if _, err := c.Wallets.CancelRecharge(t.Context(), user, strconv.FormatInt(r.ID, 10)); err != nil {
				t.Fatal(err)
			}
			c.Advance(30 * time.Second)
		}
		_, err := c.Payments.Recharge(t.Context(), user, sandbox.Name, 100)
		var refused *fault.Error
		if !errors.Is(err, wallet.ErrTooManyBegun) || !errors.As(err, &refused) {
			t.Fatal("the 61st within an hour: ", err)
		}
		if wait := refused.RetryAfter; wait <= 29*time.Minute || wait > 30*time.Minute {
			t.Error("the 61st may be tried again after ", wait)
		}
		c.recharge(t, other, 100)
		c.Advance(30 * time.Minute)
		c.recharge(t, user, 100)
	})
}
