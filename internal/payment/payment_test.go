package payment_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/api/notify"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

const site = "https://shop.example"

// counter is a shop with its cash desk, as the server builds it, and a clock that tests move.
type counter struct {
	db       *db.DB
	wallets  *wallet.Wallets
	services *service.Services
	shop     *shop.Shop
	payments *payment.Payments
	sandbox  *sandbox.Gateway
	door     http.Handler
	ahead    atomic.Int64 // of the real time, in nanoseconds
	users    int64
}

func open(t testing.TB, d *db.DB) *counter {
	t.Helper()
	c := &counter{db: d}
	d.SetClock(func() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) })
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	c.wallets, c.services = wallet.New(d, settings), service.New(d, settings)
	c.shop = shop.New(d, settings, c.wallets, c.services)
	c.sandbox = sandbox.New(d, seal.Key{1}, site)
	c.payments = payment.New(d, settings, c.wallets, c.shop, site, c.sandbox)
	mux := http.NewServeMux()
	notify.Payments(mux, c.payments)
	mux.Handle("/sandbox/", c.sandbox.Pages(mux))
	c.door = api.NewDoor(mux, []netip.Prefix{}, prometheus.NewRegistry()).Handler()
	return c
}

func (c *counter) user(t testing.TB) int64 {
	t.Helper()
	c.users++
	user := c.users
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return errors.Join(c.wallets.Open(ctx, tx, user), c.services.Open(ctx, tx, user))
	}); err != nil {
		t.Fatal(err)
	}
	return user
}

// plan adds a plan that costs amount a month, and gives it with its price.
func (c *counter) plan(t testing.TB, kind shop.Kind, amount money.Amount, change func(*shop.Plan)) (plan *shop.Plan, priceID int64) {
	t.Helper()
	traffic := int64(100 << 30)
	p := shop.Plan{Name: "Standard", Kind: kind, TrafficBytes: &traffic, Reset: service.CalendarMonth, Class: 1, Groups: []int{1}, Visible: true, Renewable: true}
	p.Prices = []shop.Price{{Months: map[shop.Kind]int{shop.KindPlan: 1}[kind], Amount: amount}}
	if change != nil {
		change(&p)
	}
	added, err := c.shop.AddPlan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return added, added.Prices[0].ID
}

// rich gives a new user with money in the wallet, paid through the sandbox.
func (c *counter) rich(t testing.TB, amount money.Amount) int64 {
	t.Helper()
	user := c.user(t)
	r := c.recharge(t, user, amount)
	c.press(t, r, "pay")
	return user
}

func (c *counter) recharge(t testing.TB, user int64, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r, err := c.payments.Recharge(t.Context(), user, sandbox.Name, amount)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// press presses a button of the recharge's pay page.
func (c *counter) press(t testing.TB, r *wallet.Recharge, button string) *httptest.ResponseRecorder {
	t.Helper()
	path, ok := strings.CutPrefix(r.PayPage.URL, site)
	if !ok {
		t.Fatalf("the pay page is at %s", r.PayPage.URL)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(url.Values{"action": {button}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	c.door.ServeHTTP(w, req)
	return w
}

// paid gives what the sandbox says of a recharge that was paid there.
func paid(r *wallet.Recharge) payment.Payment {
	return payment.Payment{TradeNo: r.TradeNo, TransactionID: "SB" + r.TradeNo, Amount: r.Amount, Currency: r.Currency, State: payment.Paid}
}

// tell sends a form to the notify door of the sandbox.
func (c *counter) tell(ctx context.Context, form url.Values) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/payment/notify/sandbox", strings.NewReader(form.Encode()))
	w := httptest.NewRecorder()
	c.door.ServeHTTP(w, req)
	return w
}

func (c *counter) balance(t testing.TB, user int64) wallet.Balance {
	t.Helper()
	b, err := c.wallets.Balance(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (c *counter) state(t testing.TB, user, order int64) shop.State {
	t.Helper()
	o, err := c.shop.Order(t.Context(), user, strconv.FormatInt(order, 10))
	if err != nil {
		t.Fatal(err)
	}
	return o.State
}

func (c *counter) running(t testing.TB, user int64) int {
	t.Helper()
	services, _, err := c.services.List(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range services {
		if s.Running(c.db.Now()) {
			n++
		}
	}
	return n
}

// sound fails the test where any invariant of the money is broken.
func (c *counter) sound(t interface {
	Helper()
	Fatal(...any)
},
) {
	t.Helper()
	money, err := c.wallets.Check(context.Background())
	orders, err2 := c.shop.Check(context.Background())
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if broken := append(money, orders...); len(broken) > 0 {
		t.Fatal("broken: ", broken)
	}
}

func (c *counter) ago(d time.Duration) { c.ahead.Add(int64(d)) }

func TestARechargeIsPaidOnTheSandboxPage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user := c.user(t)
		r := c.recharge(t, user, 3000)

		w := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimPrefix(r.PayPage.URL, site), nil)
		req.Header.Set("Accept-Language", "en")
		c.door.ServeHTTP(w, req)
		for _, part := range []string{"30.00", "CNY", r.TradeNo, `value="pay"`, `lang="en"`} {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("the pay page lacks %s", part)
			}
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src") || strings.Contains(w.Body.String(), "<script") {
			t.Errorf("the pay page allows scripts: %s", csp)
		}

		if w := c.press(t, r, "cancel"); w.Code != http.StatusSeeOther || c.balance(t, user).Posted != 0 {
			t.Fatalf("cancel: %d, balance %v", w.Code, c.balance(t, user).Posted)
		}
		back := fmt.Sprintf("%s/user/wallet/recharge/new?id=%d", site, r.ID)
		for range 2 { // pressing twice pays once
			if w := c.press(t, r, "pay"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != back {
				t.Fatalf("pay: %d %s", w.Code, w.Header().Get("Location"))
			}
		}
		if b := c.balance(t, user); b.Posted != 3000 || b.Movements != 1 {
			t.Fatalf("after paying: %+v", b)
		}
		r, err := c.payments.Show(t.Context(), user, r.UUID.String())
		if err != nil || r.State != wallet.RechargeDone || r.InvoiceUUID == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		if _, err := c.payments.Show(t.Context(), c.user(t), r.UUID.String()); !errors.Is(err, wallet.ErrNoRecharge) {
			t.Fatal("another user sees the recharge: ", err)
		}

		failed := c.recharge(t, user, 500)
		c.press(t, failed, "fail")
		if got, _ := c.wallets.Recharge(t.Context(), user, strconv.FormatInt(failed.ID, 10)); got.State != wallet.RechargeFailed {
			t.Fatal("after a failed payment the recharge is ", got.State)
		}
		c.sound(t)
	})
}

func TestWithoutItsGatewayThereIsNoDoor(t *testing.T) {
	d := dbtest.SQLite(t)
	c := open(t, d)
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	notify.Payments(mux, payment.New(d, settings, c.wallets, c.shop, site))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/payment/notify/sandbox", strings.NewReader("x=y")))
	var body struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusNotFound || body.Code != "gateway_not_found" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

func TestAmountsOutsideTheLimitsAreRefused(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	user := c.user(t)
	for _, amount := range []money.Amount{0, -500, 99, 10000001, 1 << 62} {
		if _, err := c.payments.Recharge(t.Context(), user, sandbox.Name, amount); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", amount, err)
		}
	}
	if _, err := c.payments.Recharge(t.Context(), user, "nowhere", 1000); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("an unknown gateway: %v", err)
	}
	for range 20 {
		c.recharge(t, user, 100)
	}
	if _, err := c.payments.Recharge(t.Context(), user, sandbox.Name, 100); !errors.Is(err, wallet.ErrTooManyRecharges) {
		t.Errorf("one pending recharge too many: %v", err)
	}
}

func TestOneNotifyManyTimesIsOnePosting(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user := c.user(t)
		r := c.recharge(t, user, 1234)
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		form := c.sandbox.Notice(paid(r))
		var left atomic.Int64
		left.Store(500)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for left.Add(-1) >= 0 {
					if w := c.tell(t.Context(), form); w.Code != http.StatusOK || w.Body.String() != "success" {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				}
			})
		}
		wg.Wait()
		if b := c.balance(t, user); b.Posted != 1234 || b.Movements != 1 {
			t.Fatalf("%+v", b)
		}
		c.sound(t)
	})
}

func TestAFalseNotifyCreditsNothingAndIsKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user := c.user(t)
		r, other := c.recharge(t, user, 1000), c.recharge(t, user, 2000)
		for _, bill := range []*wallet.Recharge{r, other} {
			if err := c.sandbox.Close(t.Context(), bill.TradeNo, true); err != nil {
				t.Fatal(err)
			}
		}
		with := func(change func(*payment.Payment)) url.Values {
			p := paid(r)
			change(&p)
			return c.sandbox.Notice(p)
		}
		signed := c.sandbox.Notice(paid(r))
		altered := func(name, value string) url.Values { // the signature stays that of the true one
			form := url.Values{}
			for k, v := range signed {
				form[k] = v
			}
			form.Set(name, value)
			return form
		}
		forger := sandbox.New(d, seal.Key{2}, site)
		unsigned := altered("sign", "")
		added := altered("extra", "1")
		twice := altered("x", "")
		twice.Del("x")
		twice.Add("amount", "9999.00")
		var reasons []payment.Reason
		for _, v := range []struct {
			name   string
			form   url.Values
			reason payment.Reason
		}{
			{"another amount", with(func(p *payment.Payment) { p.Amount = 999999 }), payment.WrongAmount},
			{"the amount of another recharge", with(func(p *payment.Payment) { p.Amount = 2000 }), payment.WrongAmount},
			{"a negative amount", with(func(p *payment.Payment) { p.Amount = -1000 }), payment.WrongAmount},
			{"another currency", with(func(p *payment.Payment) { p.Currency = "IDR" }), payment.WrongCurrency},
			{"an unknown number", with(func(p *payment.Payment) { p.TradeNo = "NOSUCHNUMBER" }), payment.UnknownNumber},
			{"no number", with(func(p *payment.Payment) { p.TradeNo = "" }), payment.UnknownNumber},
			{"another recharge's number", with(func(p *payment.Payment) { p.TradeNo = other.TradeNo }), payment.WrongAmount},
			{"a payment that the gateway does not know", with(func(p *payment.Payment) { p.TransactionID = "SBforged" }), payment.NotConfirmed},
			{"no payment", with(func(p *payment.Payment) { p.TransactionID = "" }), payment.Unreadable},
			{"an amount changed after signing", altered("amount", "9999.00"), payment.BadSignature},
			{"a number changed after signing", altered("trade_no", other.TradeNo), payment.BadSignature},
			{"a state changed after signing", altered("state", "failed"), payment.BadSignature},
			{"a field added after signing", added, payment.BadSignature},
			{"a second amount after signing", twice, payment.BadSignature},
			{"no signature", unsigned, payment.BadSignature},
			{"somebody else's signature", forger.Notice(paid(r)), payment.BadSignature},
			{"nothing", url.Values{}, payment.BadSignature},
		} {
			if w := c.tell(t.Context(), v.form); w.Code != http.StatusBadRequest || w.Body.String() != "fail" {
				t.Errorf("%s: %d %s", v.name, w.Code, w.Body)
			}
			if b := c.balance(t, user); b.Posted != 0 || b.Movements != 0 {
				t.Fatalf("%s was credited: %+v", v.name, b)
			}
			reasons = append(reasons, v.reason)
		}
		kept, total, err := c.payments.Refusals(t.Context(), 100, 0)
		if err != nil || total != int64(len(reasons)) {
			t.Fatalf("%d of %d refusals are kept, %v", total, len(reasons), err)
		}
		for i, k := range kept {
			if want := reasons[len(reasons)-1-i]; k.Reason != want {
				t.Errorf("refusal %d is kept as %q, not %q", i, k.Reason, want)
			}
		}
		if !bytes.Contains(kept[len(kept)-1].Body, []byte("9999.99")) {
			t.Errorf("the raw notify is not kept: %s", kept[len(kept)-1].Body)
		}
		if w := c.tell(t.Context(), signed); w.Code != http.StatusOK || c.balance(t, user).Posted != 1000 {
			t.Fatalf("the true notify after all: %d, %+v", w.Code, c.balance(t, user))
		}
		c.sound(t)
	})
}

func TestALostNotifyIsFoundByAsking(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user := c.user(t)
		for _, late := range []time.Duration{0, time.Hour} { // still pending, expired already
			r := c.recharge(t, user, 700)
			if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
				t.Fatal(err)
			}
			c.ago(late)
			if err := c.payments.Expire(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := c.balance(t, user).Posted
			for range 2 {
				if err := c.payments.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := c.balance(t, user).Posted - before; got != 700 {
				t.Fatalf("%v late: %v", late, got)
			}
		}
		c.sound(t)
	})
}

func TestAnOrderCompletesWithItsRecharge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		stock := int64(1)
		plan, price := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		user := c.rich(t, 400)
		if _, err := c.shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price}); !errors.Is(err, wallet.ErrBalanceTooLow) || !strings.Contains(err.Error(), "6.00") {
			t.Fatal("without a gateway: ", err)
		}
		begin := func() (int64, *wallet.Recharge) {
			t.Helper()
			no, err := c.payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
			if err != nil {
				t.Fatal(err)
			}
			o, err := c.shop.Order(t.Context(), user, strconv.FormatInt(no, 10))
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.payments.Show(t.Context(), user, strconv.FormatInt(*o.RechargeID, 10))
			if err != nil {
				t.Fatal(err)
			}
			c.sound(t)
			return no, r
		}
		holds := func(held money.Amount, stock int64) {
			t.Helper()
			p, err := c.shop.Plan(t.Context(), plan.ID)
			if b := c.balance(t, user); err != nil || b.Held != held || *p.Stock != stock {
				t.Fatalf("held %v, stock %d, %v; want %v and %d", b.Held, *p.Stock, err, held, stock)
			}
			c.sound(t)
		}

		no, r := begin()
		holds(400, 0)
		if r.Amount != 600 {
			t.Fatal("the recharge is of ", r.Amount)
		}
		if _, err := c.shop.Confirm(t.Context(), c.rich(t, 5000), shop.Purchase{PriceID: price}); !errors.Is(err, shop.ErrSoldOut) {
			t.Fatal("what a pending order holds was sold: ", err)
		}
		if err := c.shop.Cancel(t.Context(), user, strconv.FormatInt(no, 10)); err != nil {
			t.Fatal(err)
		}
		holds(0, 1)
		if err := c.shop.Cancel(t.Context(), user, strconv.FormatInt(no, 10)); !errors.Is(err, shop.ErrNotPending) {
			t.Fatal("cancelled twice: ", err)
		}
		c.press(t, r, "pay") // the money arrives late: it stays in the wallet
		if got := c.state(t, user, no); got != shop.Cancelled || c.balance(t, user).Available != 1000 || c.running(t, user) != 0 {
			t.Fatalf("a late payment: order %s, %+v", got, c.balance(t, user))
		}
		if _, err := c.shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price}); err != nil {
			t.Fatal(err)
		}
		stock = 2
		if _, err := c.shop.ChangePlan(t.Context(), plan.ID, func(p *shop.Plan) { p.Stock = &stock }); err != nil {
			t.Fatal(err)
		}

		no, r = begin()
		holds(0, 1)
		c.ago(31 * time.Minute)
		if err := c.payments.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		holds(0, 2)
		if got := c.state(t, user, no); got != shop.Expired {
			t.Fatal("after its time the order is ", got)
		}
		c.press(t, r, "pay")
		if b := c.balance(t, user); b.Available != 1000 || c.running(t, user) != 1 {
			t.Fatalf("paid after expiry: %+v", b)
		}

		_, dear := c.plan(t, shop.KindPlan, 1500, nil)
		price = dear
		no, r = begin()
		c.press(t, r, "pay")
		if got := c.state(t, user, no); got != shop.Paid || c.running(t, user) != 2 || c.balance(t, user).Posted != 0 {
			t.Fatalf("order %s, %+v", got, c.balance(t, user))
		}
		c.sound(t)
	})
}

func TestMoneyIsCreditedEvenWhereItsOrderCannotBeCompleted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		_, price := c.plan(t, shop.KindPlan, 1000, nil)
		user := c.user(t)
		no, err := c.payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
		if err != nil {
			t.Fatal(err)
		}
		recharges, _, err := c.wallets.Recharges(t.Context(), user, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.payments.Show(t.Context(), user, strconv.FormatInt(recharges[0].ID, 10))
		if err != nil {
			t.Fatal(err)
		}
		// A fulfilment that should not be there makes the completion fail.
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := c.services.AddPackage(ctx, tx, service.PackageTerms{UserID: user, OrderID: &no, Name: "x", Kind: service.Grant, Bytes: 1})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		c.press(t, r, "pay")
		if b := c.balance(t, user); b.Posted != 1000 || c.state(t, user, no) != shop.Pending {
			t.Fatalf("%+v, order %s", b, c.state(t, user, no))
		}
	})
}

func TestCancelAndNotifyAtTheSameTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		stock := int64(1000)
		plan, price := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		completed := 0
		for range 20 {
			user := c.rich(t, 400)
			no, err := c.payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
			if err != nil {
				t.Fatal(err)
			}
			recharges, _, err := c.wallets.Recharges(t.Context(), user, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.payments.Show(t.Context(), user, strconv.FormatInt(recharges[0].ID, 10))
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			wg.Go(func() { c.press(t, r, "pay") })
			wg.Go(func() {
				if err := c.shop.Cancel(t.Context(), user, strconv.FormatInt(no, 10)); err != nil && !errors.Is(err, shop.ErrNotPending) {
					t.Error(err)
				}
			})
			wg.Wait()
			b := c.balance(t, user)
			switch c.state(t, user, no) {
			case shop.Paid:
				completed++
				if b.Posted != 0 || c.running(t, user) != 1 {
					t.Fatalf("completed: %+v", b)
				}
			case shop.Cancelled:
				if b.Available != 1000 || c.running(t, user) != 0 {
					t.Fatalf("cancelled: %+v", b)
				}
			default:
				t.Fatal("neither completed nor cancelled")
			}
		}
		if p, err := c.shop.Plan(t.Context(), plan.ID); err != nil || *p.Stock != int64(1000-completed) {
			t.Fatalf("stock %d after %d sales, %v", *p.Stock, completed, err)
		}
		c.sound(t)
	})
}

func TestFiveHundredPurchasesWithMoneyForFifty(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		_, price := c.plan(t, shop.KindPackage, 100, nil)
		user := c.rich(t, 5000)
		var bought, refused atomic.Int64
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				switch _, err := c.shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price}); {
				case err == nil:
					bought.Add(1)
				case errors.Is(err, wallet.ErrBalanceTooLow):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if b := c.balance(t, user); bought.Load() != 50 || refused.Load() != 450 || b.Posted != 0 || b.Movements != 51 {
			t.Fatalf("%d bought, %d refused, %+v", bought.Load(), refused.Load(), b)
		}
		_, packages, err := c.services.List(t.Context(), user)
		if err != nil || len(packages) != 50 {
			t.Fatalf("%d packages, %v", len(packages), err)
		}
		c.sound(t)
	})
}
