package paymenttest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// Platform is a stand-in for a payment platform: it signs and verifies as the vendor documents, with keys of its own.
type Platform struct {
	Kind          payment.Kind
	Account       payment.Account   // name, currency, fee
	Credentials   map[string]string // that the platform gave the site
	OtherMerchant map[string]string // credentials of another merchant at the same platform, with other keys
	Pay           func(tradeNo string)
	Notice        func(tradeNo string) Notice // of a bill that was paid
	Accepted      string                      // what the platform wants to hear
	Visit         bool                        // whether the platform learns of a bill only when its pay page is opened
	Refunded      func(refundNo string) money.Amount
	// on r, which is paid; so is other, a recharge of another amount
	Attacks func(t *testing.T, c *Server, r, other *wallet.Recharge) []Attack
}

// Attack is a notice that must not be credited.
type Attack struct {
	Name   string
	Notice Notice
	Reason payment.Reason
}

// Open adds the platform's account to the server.
func (p *Platform) Open(t testing.TB, c *Server) *payment.Account {
	t.Helper()
	a := p.Account
	a.Kind, a.Enabled = p.Kind.Name, true
	made, err := c.Gateways.Add(t.Context(), a, p.Credentials)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Recharge begins a recharge through the platform and wants its pay page.
func (p *Platform) Recharge(t testing.TB, c *Server, user int64, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r, err := c.Payments.Recharge(t.Context(), user, p.Account.Name, amount)
	if err != nil {
		t.Fatal(err)
	}
	if r.PayPage == nil {
		t.Fatal("there is no pay page")
	}
	if p.Visit {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.PayPage.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := payment.Call(req); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestPlatform tests all that must hold between a platform and its gateway, on each database.
func TestPlatform(t *testing.T, fresh func(t *testing.T) *Platform) {
	for name, try := range map[string]func(*testing.T, *Server, *Platform){
		"a paid bill is credited once":      testCreditedOnce,
		"a lost notify is found":            testLostNotify,
		"an unknown bill waits":             testUnknownBill,
		"nothing false is credited":         testAttacks,
		"a payment is given back once":      testRefund,
		"accounts of one kind are separate": testSeparateAccounts,
		"accounts may share a merchant":     testSharedMerchant,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				p := fresh(t)
				c := New(t, d, []payment.Kind{p.Kind})
				p.Open(t, c)
				try(t, c, p)
				c.MustBeConsistent(t)
			})
		})
	}
}

func testCreditedOnce(t *testing.T, c *Server, p *Platform) {
	user := c.User(t)
	r := p.Recharge(t, c, user, 3000)
	if err := c.Payments.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Balance(t, user).Posted != 0 {
		t.Fatal("credited before it was paid")
	}
	p.Pay(r.TradeNo)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if w := c.SendNotify(t.Context(), p.Account.Name, p.Notice(r.TradeNo)); w.Code != 200 ||
					w.Body.String() != p.Accepted {
					t.Errorf("the platform heard %d %q", w.Code, w.Body)
				}
			}
		})
	}
	wg.Wait()
	if b := c.Balance(t, user); b.Posted != 3000 || b.Movements != 1 {
		t.Fatalf("after paying 30.00: %+v", b)
	}
	shown, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(r.ID, 10))
	if err != nil || shown.State != wallet.RechargeDone || shown.TransactionID == nil {
		t.Fatalf("%+v, %v", shown, err)
	}
}

func testLostNotify(t *testing.T, c *Server, p *Platform) {
	user := c.User(t)
	var sum money.Amount
	for _, late := range []time.Duration{0, time.Hour} { // still pending, expired already
		r := p.Recharge(t, c, user, 700)
		p.Pay(r.TradeNo)
		c.Advance(late)
		if err := c.Payments.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Advance(-late) // platforms keep the real time
		sum += 700
		for range 2 {
			if err := c.Payments.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := c.Balance(t, user).Posted; got != sum {
				t.Fatalf("%v late: %s, not %s", late, got, sum)
			}
		}
	}
}

// testUnknownBill asks for bills that the platform never heard of.
func testUnknownBill(t *testing.T, c *Server, p *Platform) {
	accounts, err := c.Gateways.List(t.Context())
	if err != nil || len(accounts) != 1 {
		t.Fatal(accounts, err)
	}
	if problem, err := c.Payments.TestGateway(t.Context(), accounts[0].ID); err != nil || problem != "" {
		t.Errorf("the test of an account that works says %q, %v", problem, err)
	}
	c.WantNotPaid(t, p.Account.Name)
}

// WantNotPaid has staff confirm a recharge whose pay page nobody opened, and wants to hear that it is not paid.
func (c *Server) WantNotPaid(t testing.TB, gateway string) {
	t.Helper()
	charge, err := c.Payments.Charge(gateway, 3000)
	if err != nil {
		t.Fatal(err)
	}
	user := c.User(t)
	var r *wallet.Recharge
	if err := c.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
		r, err = c.Wallets.StartRecharge(ctx, tx, user, charge)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Payments.ConfirmByHand(t.Context(), payment.Confirmation{
		TradeNo: r.TradeNo, StaffID: 901,
	}); !errors.Is(err, payment.ErrNotPaid) || c.Balance(t, user).Posted != 0 {
		t.Errorf("confirmed before its pay page was opened: %v, %+v", err, c.Balance(t, user))
	}
}

func testAttacks(t *testing.T, c *Server, p *Platform) {
	user := c.User(t)
	r, other := p.Recharge(t, c, user, 3000), p.Recharge(t, c, user, 5000)
	p.Pay(r.TradeNo)
	p.Pay(other.TradeNo)
	attacks := p.Attacks(t, c, r, other)
	if len(attacks) < 5 {
		t.Fatalf("only %d attacks", len(attacks))
	}
	for _, a := range attacks {
		before := caseCount(t, c)
		w := c.SendNotify(t.Context(), p.Account.Name, a.Notice)
		if b := c.Balance(t, user); b.Posted != 0 || b.Movements != 0 {
			t.Fatalf("%s was credited: %+v", a.Name, b)
		}
		stored, _, err := c.Payments.Refusals(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		var reason payment.Reason
		if len(stored) == 1 {
			reason = stored[0].Reason
		}
		if reason != a.Reason || w.Body.String() == p.Accepted {
			t.Errorf("%s: refused for %q, not %q; answered %d %q", a.Name, reason, a.Reason, w.Code, w.Body)
		}
		unproven := slices.Contains([]payment.Reason{payment.BadSignature, payment.WrongMerchant, payment.Unreadable},
			a.Reason)
		if n := caseCount(t, c) - before; n > 1 || (unproven && n != 0) {
			t.Errorf("%s, refused for %q, opens %d cases", a.Name, a.Reason, n)
		}
	}
	opened := caseCount(t, c)
	for _, a := range attacks {
		c.SendNotify(t.Context(), p.Account.Name, a.Notice)
	}
	if again := caseCount(t, c); again != opened {
		t.Errorf("repeated attacks open %d more cases", again-opened)
	}
	if _, total, err := c.Payments.Refusals(t.Context(), 1, 0); err != nil || total != 2*int64(len(attacks)) {
		t.Errorf("%d of %d attacks are stored, %v", total, len(attacks), err)
	}
	if w := c.SendNotify(t.Context(), p.Account.Name, p.Notice(r.TradeNo)); w.Body.String() != p.Accepted ||
		c.Balance(t, user).Posted != 3000 {
		t.Fatalf("the true notify after all: %d %s, %+v", w.Code, w.Body, c.Balance(t, user))
	}
}

func caseCount(t *testing.T, c *Server) int64 {
	t.Helper()
	_, total, err := c.Payments.Cases(t.Context(), payment.CaseFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

func testRefund(t *testing.T, c *Server, p *Platform) {
	m, err := c.Payments.Method(p.Account.Name)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := m.Gateway.(payment.Refunder)
	if !ok {
		if p.Refunded != nil {
			t.Fatal("the gateway gives nothing back")
		}
		return
	}
	user := c.User(t)
	r := p.Recharge(t, c, user, 3000)
	p.Pay(r.TradeNo)
	if err := c.Payments.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err = c.Wallets.RechargeByTradeNo(t.Context(), r.TradeNo)
	if err != nil || r.TransactionID == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	back := payment.Refund{
		No: "R" + r.TradeNo, TransactionID: *r.TransactionID, Amount: 1000, Reason: "unused",
		Bill: payment.Bill{TradeNo: r.TradeNo, Amount: r.PayAmount, Currency: r.PayCurrency, Ref: r.PayPage.Ref},
	}
	for i := range 3 {
		if err := g.Refund(t.Context(), back); err != nil && (i > 0 || !errors.Is(err, payment.ErrRefundUnderway)) {
			t.Fatal(err)
		}
	}
	if got := p.Refunded(back.No); got != 1000 {
		t.Fatalf("the platform gave back %s", got)
	}
	back.No, back.Amount = back.No+"2", r.PayAmount
	if err := g.Refund(t.Context(), back); !errors.As(err, new(*payment.RefundRefused)) {
		t.Fatal("more was to be given back than was paid: ", err)
	}
}

// testSeparateAccounts has an account of another merchant at the same platform.
func testSeparateAccounts(t *testing.T, c *Server, p *Platform) {
	other := *p
	other.Account.Name, other.Credentials = "other", p.OtherMerchant
	other.Open(t, c)
	user := c.User(t)
	r := p.Recharge(t, c, user, 3000)
	p.Pay(r.TradeNo)
	if w := c.SendNotify(t.Context(), "other", p.Notice(r.TradeNo)); w.Body.String() == p.Accepted ||
		c.Balance(t, user).Posted != 0 {
		t.Fatalf("the notify was accepted for another merchant: %d %s", w.Code, w.Body)
	}
	if w := c.SendNotify(t.Context(), p.Account.Name, p.Notice(r.TradeNo)); w.Body.String() != p.Accepted ||
		c.Balance(t, user).Posted != 3000 {
		t.Fatalf("for its own account: %d %s", w.Code, w.Body)
	}
}

// testSharedMerchant has a second account with the same merchant. Whichever of them a payment is reported to, it is
// credited once, and nothing is left that staff could credit.
func testSharedMerchant(t *testing.T, c *Server, p *Platform) {
	duplicate := *p
	duplicate.Account.Name = "duplicate"
	duplicate.Open(t, c)
	user := c.User(t)
	var sum money.Amount
	for _, order := range [][]string{
		{"duplicate", p.Account.Name}, {p.Account.Name, "duplicate"}, {"duplicate", "duplicate"},
	} {
		r := p.Recharge(t, c, user, 3000)
		p.Pay(r.TradeNo)
		sum += 3000
		for _, name := range order {
			if w := c.SendNotify(t.Context(), name, p.Notice(r.TradeNo)); w.Body.String() != p.Accepted ||
				c.Balance(t, user).Posted != sum {
				t.Fatalf("%v: for %s: %d %s, %s, not %s", order, name, w.Code, w.Body, c.Balance(t, user).Posted, sum)
			}
		}
		if err := c.Payments.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if b := c.Balance(t, user); b.Posted != sum || caseCount(t, c) != 0 {
		t.Fatalf("%+v and %d cases after payments of %s", b, caseCount(t, c), sum)
	}
}
