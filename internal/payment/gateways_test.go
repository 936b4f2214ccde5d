package payment_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

var instructions = map[string]string{"instructions_zh": "转账", "instructions_en": "Transfer"}

func names(c *server) string {
	var all []string
	for _, m := range c.Payments.Methods() {
		all = append(all, m.Name)
	}
	return strings.Join(all, " ")
}

func TestSeveralAccountsOfOneKindAreKeptSealed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		second, err := c.Gateways.Add(t.Context(), payment.Account{
			Kind: "manual", Name: "cash", Sort: -1,
			Enabled: true,
		}, map[string]string{"instructions_zh": "现金密语", "instructions_en": "Bring cash"})
		if err != nil {
			t.Fatal(err)
		}
		if second.TitleEN != manual.Kind.Title.EN || second.Currency != "CNY" || names(c) != "sandbox cash bank" {
			t.Errorf("%+v; %s", second, names(c))
		}
		var stored []byte
		if err := d.NewRaw(`SELECT sealed FROM payment_gateway WHERE name = 'cash'`).
			Scan(t.Context(), &stored); err != nil || bytes.Contains(stored, []byte("现金密语")) ||
			bytes.Contains(stored, []byte("cash")) {
			t.Errorf("stored as %q, %v", stored, err)
		}
		known, public := c.Gateways.Known(second)
		if strings.Join(known, " ") != "instructions_en instructions_zh" || public["instructions_en"] != "Bring cash" {
			t.Errorf("%v", known)
		}
		text, err := json.Marshal(second)
		if err != nil || bytes.Contains(text, []byte("Bring cash")) || bytes.Contains(text, []byte("ealed")) {
			t.Errorf("as JSON: %s, %v", text, err)
		}

		changed, err := c.Gateways.Change(t.Context(), second.ID, func(a *payment.Account) {
			a.Kind, a.Name,
				a.TitleEN = "x", "renamed", "Cash"
		}, map[string]string{"instructions_en": "To the office"})
		if err != nil || changed.Kind != "manual" || changed.Name != "cash" || changed.TitleEN != "Cash" {
			t.Fatalf("%+v, %v", changed, err)
		}
		r, err := c.Payments.Recharge(t.Context(), c.User(t), "cash", 1000)
		if err != nil || !strings.HasPrefix(r.PayPage.Text.EN, "To the office") || !strings.HasPrefix(r.PayPage.Text.ZH,
			"现金密语") {
			t.Fatalf("%+v, %v", r, err)
		}
		if err := c.Gateways.Remove(t.Context(), second.ID); !errors.Is(err, payment.ErrInUse) {
			t.Error("removed in spite of a recharge: ", err)
		}
		unused, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "manual", Name: "unused", Enabled: true},
			instructions)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Gateways.Remove(t.Context(), unused.ID); err != nil || names(c) != "sandbox cash bank" {
			t.Errorf("%v; %s", err, names(c))
		}
		if err := c.Gateways.Remove(t.Context(), unused.ID); !errors.Is(err, payment.ErrNoAccount) {
			t.Error("removed twice: ", err)
		}
		if _, err := payment.OpenGateways(t.Context(), d, seal.Key{2}, c.Settings,
			[]payment.Kind{manual.Kind}); err != nil {
			t.Error("with another key the others must open all the same: ", err)
		}
	})
}

func TestWhatIsWrongWithAnAccountIsNamed(t *testing.T) {
	c, _ := newManualServer(t, dbtest.SQLite(t))
	rate := payment.Rate(1)
	for field, change := range map[string]func(*payment.Account, map[string]string){
		"kind":        func(a *payment.Account, _ map[string]string) { a.Kind = "paypal" },
		"name":        func(a *payment.Account, _ map[string]string) { a.Name = "Bank/../x" },
		"icon":        func(a *payment.Account, _ map[string]string) { a.Icon = "javascript:alert(1)" },
		"fee_percent": func(a *payment.Account, _ map[string]string) { a.FeePercent = 10001 },
		"fee_fixed":   func(a *payment.Account, _ map[string]string) { a.FeeFixed = -1 },
		"minimum":     func(a *payment.Account, _ map[string]string) { a.Minimum = -1 },
		"maximum": func(a *payment.Account, _ map[string]string) {
			a.Minimum, a.Maximum = 500,
				400
		},
		"currency": func(a *payment.Account, _ map[string]string) {
			a.Currency, a.Rate = "XXX",
				rate
		},
		"rate": func(a *payment.Account, _ map[string]string) { a.Currency = "USD" },
		"credentials.instructions_en": func(_ *payment.Account, credentials map[string]string) {
			delete(credentials,
				"instructions_en")
		},
		"credentials.password": func(_ *payment.Account,
			credentials map[string]string,
		) {
			credentials["password"] = "x"
		},
	} {
		a := payment.Account{Kind: "manual", Name: "other"}
		credentials := map[string]string{"instructions_zh": "转账", "instructions_en": "Transfer"}
		change(&a, credentials)
		_, err := c.Gateways.Add(t.Context(), a, credentials)
		paymenttest.WantField(t, field, err)
	}
	for _, taken := range []string{"bank", "sandbox"} {
		_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "manual", Name: taken}, instructions)
		paymenttest.WantField(t, "name", err)
	}
}

func TestAdd_WithoutCredentials_NamesThoseThatAreMissing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "manual", Name: "other", Enabled: true}, nil)
		f, ok := fault.As(err)
		if !ok || len(f.Fields) != 2 || f.Fields[0].Name != "credentials.instructions_en" ||
			f.Fields[1].Name != "credentials.instructions_zh" {
			t.Errorf("an account without credentials: %v, want both instructions named", err)
		}
	})
}

func TestOtherProcessesFollowAChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		replica, err := payment.OpenGateways(t.Context(), d, seal.Key{1}, settings, []payment.Kind{manual.Kind})
		if err != nil {
			t.Fatal(err)
		}
		far := payment.New(d, settings, c.Wallets, c.Shop, paymenttest.Site, replica)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go d.Follow(ctx)
		go replica.Follow(ctx)
		added, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "manual", Name: "cash", Enabled: true},
			p.Credentials)
		if err != nil {
			t.Fatal(err)
		}
		until := func(what string, holds func() bool) {
			t.Helper()
			for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the other process does not see ", what)
				}
			}
		}
		until("the new account", func() bool { _, err := far.Method("cash"); return err == nil })
		if _, err := c.Gateways.Change(t.Context(), added.ID, func(a *payment.Account) { a.Enabled = false },
			nil); err != nil {
			t.Fatal(err)
		}
		until("that it is off", func() bool { m, err := far.Method("cash"); return err == nil && !m.Enabled })
	})
}

func TestAnAccountThatIsOffTakesNoRechargesButTheirPayments(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		user := c.User(t)
		r := p.Recharge(t, c.Server, user, 1000)
		m, err := c.Payments.Method("bank")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Gateways.Change(t.Context(), m.ID, func(a *payment.Account) { a.Enabled = false },
			nil); err != nil {
			t.Fatal(err)
		}
		_, err = c.Payments.Recharge(t.Context(), user, "bank", 1000)
		paymenttest.WantField(t, "gateway", err)
		if names(c) != "sandbox" {
			t.Error("shown: ", names(c))
		}
		if err := c.byHand(t, r, cashier); err != nil || c.Balance(t, user).Posted != 1000 {
			t.Errorf("%v, %+v", err, c.Balance(t, user))
		}
	})
}

func TestAFeeIsPaidBesideTheAmountAndHasItsOwnLine(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		m, err := c.Payments.Method("bank")
		if err != nil {
			t.Fatal(err)
		}
		set := func(change func(*payment.Account)) {
			t.Helper()
			if _, err := c.Gateways.Change(t.Context(), m.ID, change, nil); err != nil {
				t.Fatal(err)
			}
		}
		set(func(a *payment.Account) { a.FeePercent, a.FeeFixed, a.Minimum, a.Maximum = 250, 30, 500, 2000 })
		user := c.User(t)
		for _, amount := range []money.Amount{499, 2001} {
			if _, err := c.Payments.Recharge(t.Context(), user, "bank", amount); !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%s: %v", amount, err)
			}
		}
		r := p.Recharge(t, c.Server, user, 1001)
		// 2.5 % of 10.01 rounded up, and 0.30
		if r.Amount != 1001 || r.Fee != 56 || r.PayAmount != 1057 || r.PayCurrency != "CNY" {
			t.Fatalf("%+v", r)
		}
		if !strings.Contains(r.PayPage.Text.EN, "10.57 CNY") {
			t.Errorf("%s", r.PayPage.Text.EN)
		}
		// of others than this one
		set(func(a *payment.Account) { a.FeePercent, a.FeeFixed, a.Currency, a.Rate = 0, 0, "USD", 13850000 })
		if err := c.byHand(t, r, cashier); err != nil {
			t.Fatal(err)
		}
		if b := c.Balance(t, user); b.Posted != 1001 {
			t.Fatalf("%+v", b)
		}
		var fees, clearing int64
		if err := d.NewRaw(`SELECT SUM(CASE WHEN a.kind = 'fees' THEN p.amount ELSE 0 END), SUM(CASE
			WHEN a.kind = 'clearing' THEN p.amount ELSE 0 END)
			FROM posting p JOIN ledger_account a
			ON a.id = p.account_id`).Scan(t.Context(), &fees, &clearing); err != nil || fees != 56 || clearing != -1057 {
			t.Errorf("fees %d, clearing %d, %v", fees, clearing, err)
		}
		var lines []wallet.Line
		if err := d.NewSelect().Model(&lines).OrderExpr("position").Scan(t.Context()); err != nil || len(lines) != 2 ||
			lines[0].Amount != 1001 || lines[1].Kind != wallet.FeeLine || lines[1].Amount != 56 {
			t.Errorf("the invoice has %+v, %v", lines, err)
		}
		in := p.Recharge(t, c.Server, user, 1000)
		// 1.385 rounded up
		if in.PayAmount != 139 || in.PayCurrency != "USD" || in.Amount != 1000 || in.Currency != "CNY" {
			t.Errorf("in dollars: %+v", in)
		}
		c.MustBeConsistent(t)
	})
}

func TestRatesAndSharesNeverLoseAFraction(t *testing.T) {
	a := payment.Account{Name: "x", Currency: "USD", FeePercent: 1, Rate: 1}
	site := setting.Defaults()
	site.RechargeMin, site.RechargeMax = 1, 1<<62
	c, err := a.Charge(site, 1)
	if err != nil || c.Fee != 1 || c.PayAmount != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	a.FeePercent, a.Rate = 10000, 1<<62
	if _, err := a.Charge(site, 1<<62); !errors.Is(err, money.ErrOverflow) {
		t.Error("too large a sum: ", err)
	}
	for text, want := range map[string]payment.Rate{
		"0.1385": 13850000, "7.2": 720000000, "1": 100000000,
		"0.00000001": 1,
	} {
		if got, err := payment.ParseRate(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ".5", "1.", "1.123456789", "1e3", "-1", "１", "12345678", "1.2.3"} {
		if got, err := payment.ParseRate(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestAPurchaseRechargesNoLessThanItsGatewayTakes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		m, err := c.Payments.Method("bank")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Gateways.Change(t.Context(), m.ID, func(a *payment.Account) {
			a.Minimum, a.FeeFixed = 2000,
				100
		}, nil); err != nil {
			t.Fatal(err)
		}
		_, price := c.plan(t, shop.KindPlan, 1500, nil)
		user := c.User(t)
		no, err := c.Payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, "bank")
		if err != nil {
			t.Fatal(err)
		}
		recharges, _, err := c.Wallets.Recharges(t.Context(), user, 1, 0)
		if err != nil || recharges[0].Amount != 2000 || recharges[0].PayAmount != 2100 {
			t.Fatalf("%+v, %v", recharges, err)
		}
		if err := c.byHand(t, &recharges[0], cashier); err != nil {
			t.Fatal(err)
		}
		if got := c.state(t, user, no); got != shop.Paid || c.Balance(t, user).Posted != 500 {
			t.Errorf("order %s, %+v", got, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}
