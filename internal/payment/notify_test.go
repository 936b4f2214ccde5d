package payment_test

import (
	"bytes"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/wallet"
)

func TestOneNotifyManyTimesIsOnePosting(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		user := c.User(t)
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
					if w := c.notify(t.Context(), form); w.Code != http.StatusOK || w.Body.String() != "success" {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				}
			})
		}
		wg.Wait()
		if b := c.Balance(t, user); b.Posted != 1234 || b.Movements != 1 {
			t.Fatalf("%+v", b)
		}
		c.MustBeConsistent(t)
	})
}

func TestAFalseNotifyCreditsNothingAndIsKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		user := c.User(t)
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
		forger := sandbox.New(d, seal.Key{2}, paymenttest.Site)
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
			{
				"another recharge's number", with(func(p *payment.Payment) { p.TradeNo = other.TradeNo }),
				payment.WrongAmount,
			},
			{
				"a payment that the gateway does not know",
				with(func(p *payment.Payment) { p.TransactionID = "SBforged" }), payment.NotConfirmed,
			},
			{"no payment", with(func(p *payment.Payment) { p.TransactionID = "" }), payment.Unreadable},
			{"an amount changed after signing", altered("amount", "9999.00"), payment.BadSignature},
			{"a number changed after signing", altered("trade_no", other.TradeNo), payment.BadSignature},
			{"a state changed after signing", altered("state", "failed"), payment.BadSignature},
			{"a field added after signing", added, payment.BadSignature},
			{"a second amount after signing", twice, payment.Unreadable},
			{"no signature", unsigned, payment.BadSignature},
			{"somebody else's signature", forger.Notice(paid(r)), payment.BadSignature},
			{"nothing", url.Values{}, payment.BadSignature},
		} {
			if w := c.notify(t.Context(), v.form); w.Code != http.StatusBadRequest || w.Body.String() != "fail" {
				t.Errorf("%s: %d %s", v.name, w.Code, w.Body)
			}
			if b := c.Balance(t, user); b.Posted != 0 || b.Movements != 0 {
				t.Fatalf("%s was credited: %+v", v.name, b)
			}
			reasons = append(reasons, v.reason)
		}
		kept, total, err := c.Payments.Refusals(t.Context(), 100, 0)
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
		if w := c.notify(t.Context(), signed); w.Code != http.StatusOK || c.Balance(t, user).Posted != 1000 {
			t.Fatalf("the true notify after all: %d, %+v", w.Code, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}

func TestANotifyThatIsNoTextIsRefusedAndKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		n := payment.Notify{Method: http.MethodGet, Query: "trade_no=\xff\xfe&sign=\xc3", Address: "192.0.2.1"}
		if a, err := c.Payments.Notify(t.Context(), "sandbox", n); err != nil || a.Status != http.StatusBadRequest {
			t.Fatal(a, err)
		}
		if kept, _, err := c.Payments.Refusals(t.Context(), 1, 0); err != nil || len(kept) != 1 ||
			kept[0].Query != "trade_no=\uFFFD&sign=\uFFFD" {
			t.Error(kept, err)
		}
	})
}

func TestALostNotifyIsFoundByAsking(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		user := c.User(t)
		for _, late := range []time.Duration{0, time.Hour} { // still pending, expired already
			r := c.recharge(t, user, 700)
			if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
				t.Fatal(err)
			}
			c.Advance(late)
			if err := c.Payments.Expire(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := c.Balance(t, user).Posted
			for range 2 {
				if err := c.Payments.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := c.Balance(t, user).Posted - before; got != 700 {
				t.Fatalf("%v late: %v", late, got)
			}
		}
		c.MustBeConsistent(t)
	})
}
