package payment_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// server is a test server whose only gateway is the sandbox.
type server struct {
	*paymenttest.Server
	sandbox *sandbox.Gateway
}

func newServer(t testing.TB, d *db.DB) *server {
	t.Helper()
	g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
	c := &server{paymenttest.New(t, d, nil, g.Method()), g}
	c.Mux.Handle("/sandbox/", g.Pages(c.Mux))
	return c
}

// plan adds a plan that costs amount a month, and gives it with its price.
func (c *server) plan(t testing.TB, kind shop.Kind, amount money.Amount, change func(*shop.Plan)) (plan *shop.Plan,
	priceID int64,
) {
	t.Helper()
	traffic := int64(100 << 30)
	p := shop.Plan{
		Name: "Standard", Kind: kind, TrafficBytes: &traffic, Reset: service.CalendarMonth, Class: 1,
		Groups: []int{1}, Visible: true, Renewable: true,
	}
	p.Prices = []shop.Price{{Months: map[shop.Kind]int{shop.KindPlan: 1}[kind], Amount: amount}}
	if change != nil {
		change(&p)
	}
	added, err := c.Shop.AddPlan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return added, added.Prices[0].ID
}

// userWithMoney adds a new user with money in the wallet, paid through the sandbox.
func (c *server) userWithMoney(t testing.TB, amount money.Amount) int64 {
	t.Helper()
	user := c.User(t)
	r := c.recharge(t, user, amount)
	c.pressButton(t, r, "pay")
	return user
}

func (c *server) recharge(t testing.TB, user int64, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r, err := c.Payments.Recharge(t.Context(), user, sandbox.Name, amount)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pressButton presses a button of the recharge's pay page.
func (c *server) pressButton(t testing.TB, r *wallet.Recharge, button string) *httptest.ResponseRecorder {
	t.Helper()
	path, ok := strings.CutPrefix(r.PayPage.URL, paymenttest.Site)
	if !ok {
		t.Fatalf("the pay page is at %s", r.PayPage.URL)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path,
		strings.NewReader(url.Values{"action": {button}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	c.Handler.ServeHTTP(w, req)
	return w
}

// paid returns what the sandbox says of a recharge that was paid there.
func paid(r *wallet.Recharge) payment.Payment {
	return payment.Payment{
		TradeNo: r.TradeNo, TransactionID: "SB" + r.TradeNo, Amount: r.Amount, Currency: r.Currency,
		State: payment.Paid,
	}
}

// notify sends a form to the address for notifies of the sandbox.
func (c *server) notify(ctx context.Context, form url.Values) *httptest.ResponseRecorder {
	return c.SendNotify(ctx, sandbox.Name, paymenttest.Notice{Body: form.Encode()})
}

func (c *server) state(t testing.TB, user, order int64) shop.State {
	t.Helper()
	o, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(order, 10))
	if err != nil {
		t.Fatal(err)
	}
	return o.State
}

func (c *server) running(t testing.TB, user int64) int {
	t.Helper()
	services, _, err := c.Services.List(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range services {
		if s.Running(c.DB.Now()) {
			n++
		}
	}
	return n
}
