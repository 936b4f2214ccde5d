package payment_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account/accounttest"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

// unreliableGateway is the sandbox, whose refunds may fail before the sandbox has done them, or after.
type unreliableGateway struct {
	*sandbox.Gateway
	before, after atomic.Pointer[error]
	calls         atomic.Int64
}

func (g *unreliableGateway) Refund(ctx context.Context, r payment.Refund) error {
	g.calls.Add(1)
	if err := g.before.Load(); err != nil {
		return *err
	}
	if err := g.Gateway.Refund(ctx, r); err != nil {
		return err
	}
	if err := g.after.Load(); err != nil {
		return *err
	}
	return nil
}

// refundServer is a test server whose gateway is unreliable and takes a fee.
type refundServer struct {
	*server
	line *unreliableGateway
}

func newRefundServer(t testing.TB, d *db.DB, fee payment.Percent) *refundServer {
	t.Helper()
	g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
	line := &unreliableGateway{Gateway: g}
	m := g.Method()
	m.Gateway, m.FeePercent = line, fee
	c := &refundServer{&server{paymenttest.New(t, d, nil, m), g}, line}
	c.Mux.Handle("/sandbox/", g.Pages(c.Mux))
	return c
}

// paid returns a recharge that a new user paid.
func (c *refundServer) paid(t testing.TB, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r := c.recharge(t, c.User(t), amount)
	c.pressButton(t, r, "pay")
	return r
}

func (c *refundServer) giveBack(t testing.TB, r *wallet.Recharge, amount money.Amount) (*wallet.GatewayRefund, error) {
	t.Helper()
	return c.Payments.GiveBack(t.Context(), payment.RefundWish{
		RechargeID: r.ID, Amount: amount, Reason: "unused",
		StaffID: new(int64(cashier)),
	})
}

// want fails the test unless r is in this state, the user owns and has held so much, and so much went back at the
// gateway.
func (c *refundServer) want(
	t testing.TB, r *wallet.Recharge, state wallet.RechargeState, posted, held, back money.Amount,
) {
	t.Helper()
	now, err := c.Wallets.RechargeByNo(t.Context(), c.DB, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := c.sandbox.Returned(t.Context(), r.TradeNo)
	if b := c.Balance(t, r.UserID); err != nil || now.State != state || b.Posted != posted || b.Held != held ||
		gone != back {
		t.Fatalf("%s with %s of which %s held, and %s given back; not %s, %s, %s, %s; %v", now.State, b.Posted, b.Held,
			gone, state, posted, held, back, err)
	}
	c.MustBeConsistent(t)
}

func TestARechargeGoesBackWholeWithItsFee(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		r := c.paid(t, 5000)
		g, err := c.giveBack(t, r, 5000)
		if err != nil || g.State != wallet.GatewayRefundDone || g.Fee != 100 || g.PayAmount != 5100 {
			t.Fatalf("%+v, %v", g, err)
		}
		c.want(t, r, wallet.RechargeRefunded, 0, 0, 5100)
		movements, _, err := c.Wallets.Movements(t.Context(), r.UserID, 1, 1)
		if err != nil || movements[0].Reason != wallet.Refunded || movements[0].Amount != -5000 ||
			movements[0].Reference != g.Ref() {
			t.Fatalf("%+v, %v", movements, err)
		}
		if _, err := c.giveBack(t, r, 1); !errors.Is(err, wallet.ErrNotRefundable) {
			t.Fatal("once more: ", err)
		}
		if w := c.notify(t.Context(), c.sandbox.Notice(payment.Payment{
			TradeNo:       r.TradeNo,
			TransactionID: "SB" + r.TradeNo, Amount: 5100, Currency: r.PayCurrency,
			State: payment.Paid,
		})); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
		c.want(t, r, wallet.RechargeRefunded, 0, 0, 5100) // the notify of long ago credits nothing again
		unpaid := c.recharge(t, r.UserID, 1000)
		if _, err := c.giveBack(t, unpaid, 1000); !errors.Is(err, wallet.ErrNotRefundable) {
			t.Fatal("of an unpaid recharge: ", err)
		}
	})
}

func TestARechargeGoesBackInPartsWithoutItsFee(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		r := c.paid(t, 5000)
		for i, part := range []money.Amount{1234, 1, 3765} {
			if g, err := c.giveBack(t, r, part); err != nil || g.State != wallet.GatewayRefundDone || g.Fee != 0 ||
				g.PayAmount != part {
				t.Fatalf("part %d: %+v, %v", i, g, err)
			}
			if i == 0 {
				c.want(t, r, wallet.RechargeDone, 3766, 0, 1234)
			}
		}
		c.want(t, r, wallet.RechargeRefunded, 0, 0, 5000)
	})
}

func TestAPartGoesBackAtTheRateOfTheRechargeRoundedDown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
		abroad := payment.Kind{Name: "abroad", Open: func(payment.Setup) (payment.Gateway, error) { return g, nil }}
		rate, _ := payment.ParseRate("0.1385")
		p := &paymenttest.Platform{
			Kind: abroad, Account: payment.Account{Name: "usd", Currency: "USD", Rate: rate},
			Credentials: map[string]string{},
		}
		c := &refundServer{server: &server{paymenttest.New(t, d, []payment.Kind{abroad}), g}}
		p.Open(t, c.Server)
		r := p.Recharge(t, c.Server, c.User(t), 1000) // 1.385 USD: 1.39
		if err := errors.Join(g.Close(t.Context(), r.TradeNo, true), c.Payments.Check(t.Context())); err != nil {
			t.Fatal(err)
		}
		if _, err := c.giveBack(t, r, 7); !errors.Is(err, fault.ErrInvalid) { // 0.0097 USD
			t.Fatal("less than a cent: ", err)
		}
		for _, part := range []struct{ amount, pays money.Amount }{{333, 46}, {333, 46}, {334, 46}} {
			if g, err := c.giveBack(t, r, part.amount); err != nil || g.State != wallet.GatewayRefundDone ||
				g.PayAmount != part.pays {
				t.Fatalf("%+v, %v", g, err)
			}
		}
		c.want(t, r, wallet.RechargeRefunded, 0, 0, 138)
	})
}

func TestNoMoreGoesBackThanThereIs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		r := c.paid(t, 5000)
		for _, amount := range []money.Amount{0, -1, 5001, 1 << 62} {
			if _, err := c.giveBack(t, r, amount); !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%s of 50.00: %v", amount, err)
			}
		}
		_, price := c.plan(t, shop.KindPlan, 3000, nil)
		if _, err := c.Payments.Confirm(t.Context(), r.UserID, shop.Purchase{PriceID: price},
			sandbox.Name); err != nil {
			t.Fatal(err)
		}
		if _, err := c.giveBack(t, r, 2001); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Fatal("what was spent: ", err)
		}
		c.want(t, r, wallet.RechargeDone, 2000, 0, 0)

		// Eight at once get what is left of the recharge, and no more.
		other := c.paid(t, 3000)
		second := c.recharge(t, other.UserID, 9000)
		c.pressButton(t, second, "pay")
		var done atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				switch g, err := c.giveBack(t, other, 1000); {
				case err == nil && g.State == wallet.GatewayRefundDone:
					done.Add(1)
				case err == nil || !(errors.Is(err, fault.ErrInvalid) || errors.Is(err, wallet.ErrNotRefundable)):
					t.Errorf("%+v, %v", g, err)
				}
			})
		}
		wg.Wait()
		if done.Load() != 3 {
			t.Fatalf("%d were given back", done.Load())
		}
		c.want(t, other, wallet.RechargeRefunded, 9000, 0, 3000)
	})
}

func TestARefusedRefundIsTheUsersAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		r := c.paid(t, 5000)
		c.line.before.Store(new(error(&payment.RefundRefused{Words: "SELLER_BALANCE_NOT_ENOUGH"})))
		if g, err := c.giveBack(t, r, 2000); err != nil || g.State != wallet.GatewayRefundFailed ||
			g.Answer != "SELLER_BALANCE_NOT_ENOUGH" {
			t.Fatalf("%+v, %v", g, err)
		}
		c.want(t, r, wallet.RechargeDone, 5000, 0, 0)
		c.line.before.Store(nil)
		if g, err := c.giveBack(t, r, 5000); err != nil || g.State != wallet.GatewayRefundDone || g.Fee != 100 {
			t.Fatalf("%+v, %v", g, err)
		}
		c.want(t, r, wallet.RechargeRefunded, 0, 0, 5100)
	})
}

func TestASilentPlatformIsAskedUntilItAnswers(t *testing.T) {
	silence := errors.New("no answer")
	for name, fall := range map[string]func(*unreliableGateway, *error){
		"the call was lost":   func(g *unreliableGateway, err *error) { g.before.Store(err) },
		"the answer was lost": func(g *unreliableGateway, err *error) { g.after.Store(err) },
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				c := newRefundServer(t, d, 2_00)
				r := c.paid(t, 5000)
				fall(c.line, &silence)
				g, err := c.giveBack(t, r, 2000)
				if err != nil || g.State != wallet.GatewayRefundPending || g.Answer != "no answer" {
					t.Fatalf("%+v, %v", g, err)
				}
				back := money.Amount(0)
				if name == "the answer was lost" {
					back = 2000
				}
				c.want(t, r, wallet.RechargeDone, 5000, 2000, back)

				// What is held can neither be spent nor given back a second time.
				_, price := c.plan(t, shop.KindPlan, 3001, nil)
				if _, err := c.Shop.Confirm(t.Context(), r.UserID, shop.Purchase{PriceID: price}); !errors.Is(err,
					wallet.ErrBalanceTooLow) {
					t.Fatal("spent what is held: ", err)
				}
				if _, err := c.giveBack(t, r, 3001); !errors.Is(err, fault.ErrInvalid) {
					t.Fatal("given back twice: ", err)
				}

				retry := func() {
					if err := c.Payments.RetryRefunds(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if retry(); c.line.calls.Load() != 1 {
					t.Fatal("asked again at once")
				}
				c.Advance(time.Minute)
				if retry(); c.line.calls.Load() != 2 {
					t.Fatal("not asked again")
				}
				c.want(t, r, wallet.RechargeDone, 5000, 2000, back)

				// Another process, after a restart, has nothing but the database.
				fall(c.line, nil)
				again := payment.New(d, c.Settings, c.Wallets, c.Shop, paymenttest.Site, c.Gateways)
				c.Advance(time.Hour)
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						if err := again.RetryRefunds(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if c.line.calls.Load() != 3 {
					t.Fatalf("asked %d times", c.line.calls.Load())
				}
				c.want(t, r, wallet.RechargeDone, 3000, 0, 2000)
				if g, err := c.Wallets.GatewayRefund(t.Context(), g.ID); err != nil ||
					g.State != wallet.GatewayRefundDone {
					t.Fatalf("%+v, %v", g, err)
				}
			})
		})
	}
}

func TestARefundIsAskedForAfterACrashBeforeTheCall(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		r := c.paid(t, 5000)
		g := &wallet.GatewayRefund{Amount: 5000, Reason: "unused", MadeBy: new(int64(cashier))}
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			if err := c.Wallets.StartGatewayRefund(ctx, tx, r, g); err != nil {
				return err
			}
			return c.Wallets.ReleaseGatewayRefund(ctx, tx, g, nil)
		}); err != nil {
			t.Fatal(err)
		}
		c.want(t, r, wallet.RechargeDone, 5000, 5000, 0)
		if err := c.Payments.RetryRefunds(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.want(t, r, wallet.RechargeRefunded, 0, 0, 5100)
	})
}

func TestWhatNoPlatformGivesBackIsNotedByHand(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		manual, p := newManualServer(t, d)
		c := &refundServer{server: manual}
		user := c.User(t)
		paid := func(amount money.Amount) *wallet.Recharge {
			r := p.Recharge(t, c.Server, user, amount)
			if err := c.byHand(t, r, 904); errors.Is(err, approval.ErrSecondMember) {
				err = c.byHand(t, r, 905)
				if err != nil {
					t.Fatal(err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			return r
		}
		note := func(r *wallet.Recharge, amount money.Amount, staff int64) *wallet.GatewayRefund {
			t.Helper()
			g, err := c.Payments.GiveBack(t.Context(), payment.RefundWish{
				RechargeID: r.ID, Amount: amount,
				Reason: "unused", ByHand: true, StaffID: &staff,
			})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		r := paid(30000)
		if _, err := c.giveBack(t, r, 1000); !errors.Is(err, payment.ErrNoRefund) {
			t.Fatal("through a gateway that cannot: ", err)
		}
		if g := note(r, 6000, cashier); g.State != wallet.GatewayRefundDone {
			t.Fatalf("%+v", g)
		}
		c.want(t, r, wallet.RechargeDone, 24000, 0, 0)

		g := note(r, 6000, cashier) // both together are more than a member may move alone
		if g.State != wallet.GatewayRefundPending {
			t.Fatalf("%+v", g)
		}
		c.want(t, r, wallet.RechargeDone, 24000, 6000, 0)
		if err := c.Payments.RetryRefunds(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, staff := range []int64{cashier, user} {
			if _, err := c.Payments.DecideRefund(t.Context(), g.ID, true, &staff); !errors.Is(err,
				approval.ErrSecondMember) {
				t.Fatal(staff, err)
			}
		}
		if g, err := c.Payments.DecideRefund(t.Context(), g.ID, true, new(int64(second))); err != nil ||
			g.State != wallet.GatewayRefundDone {
			t.Fatalf("%+v, %v", g, err)
		}
		if _, err := c.Payments.DecideRefund(t.Context(), g.ID, false, new(int64(second))); !errors.Is(err,
			wallet.ErrRefundEnded) {
			t.Fatal("decided twice: ", err)
		}
		c.want(t, r, wallet.RechargeDone, 18000, 0, 0)

		own := note(r, 100, user)
		if own.State != wallet.GatewayRefundPending {
			t.Fatal("of one's own recharge: ", own.State)
		}
		if g, err := c.Payments.DecideRefund(t.Context(), own.ID, false, &user); err != nil ||
			g.State != wallet.GatewayRefundFailed {
			t.Fatalf("%+v, %v", g, err)
		}
		c.want(t, r, wallet.RechargeDone, 18000, 0, 0)

		// Many small ones at once come to no more than the limit either.
		var done atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				g, err := c.Payments.GiveBack(t.Context(), payment.RefundWish{
					RechargeID: r.ID, Amount: 2000,
					Reason: "unused", ByHand: true, StaffID: new(int64(906)),
				})
				if err != nil {
					t.Error(err)
				} else if g.State == wallet.GatewayRefundDone {
					done.Add(1)
				}
			})
		}
		wg.Wait()
		if done.Load() != 5 {
			t.Fatalf("%d went alone", done.Load())
		}
		c.want(t, r, wallet.RechargeDone, 8000, 6000, 0)
	})
}

func TestAPlatformsRefundIsNotDecidedByStaff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		r := c.paid(t, 5000)
		c.line.after.Store(new(errors.New("no answer")))
		g, err := c.giveBack(t, r, 5000)
		if err != nil {
			t.Fatal(err)
		}
		for _, paid := range []bool{true, false} {
			var f *fault.Error
			if _, err := c.Payments.DecideRefund(t.Context(), g.ID, paid, new(int64(second))); !errors.As(err, &f) ||
				f.Code != "gateway_decides" {
				t.Fatal(err)
			}
		}
		c.want(t, r, wallet.RechargeDone, 5000, 5000, 5100)
	})
}

// Money goes back through a gateway only after a second member's word where it is more than one may give on a day.
func TestRefund_BeyondTheLimit_AsksThePlatformAfterASecondMember(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		if err := c.Settings.Set(t.Context(),
			map[string]json.RawMessage{"staff_credit_limit": json.RawMessage(`"60.00"`)}); err != nil {
			t.Fatal(err)
		}
		first, other := int64(cashier), int64(second)
		accounttest.Add(t, d, permission.Finance, first, other)
		r := c.paid(t, 9000)
		back := func(amount money.Amount) *wallet.GatewayRefund {
			t.Helper()
			g, err := c.giveBack(t, r, amount)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Payments.RetryRefunds(t.Context()); err != nil {
				t.Fatal(err)
			}
			if g, err = c.Wallets.GatewayRefund(t.Context(), g.ID); err != nil {
				t.Fatal(err)
			}
			return g
		}
		if g := back(4000); g.State != wallet.GatewayRefundDone || g.Waits {
			t.Fatalf("%+v", g)
		}
		g := back(3000)
		if g.State != wallet.GatewayRefundPending || !g.Waits || g.Attempts != 0 {
			t.Fatalf("more than the limit in all: %+v", g)
		}
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE gateway_refund SET attempts = attempts + 1 WHERE id = ?`, g.ID).Exec(ctx)
			return db.Error(err)
		}); !errors.Is(err, db.ErrCheck) {
			t.Fatal("the schema lets a platform be asked for what waits: ", err)
		}
		if _, err := c.Payments.DecideRefund(t.Context(), g.ID, true, &first); !errors.Is(err,
			approval.ErrSecondMember) {
			t.Fatal(err)
		}
		if g, err := c.Payments.DecideRefund(t.Context(), g.ID, false, &other); err != nil ||
			g.State != wallet.GatewayRefundFailed {
			t.Fatalf("%+v, %v", g, err)
		}
		g = back(5000)
		if g, err := c.Payments.DecideRefund(t.Context(), g.ID, true, &other); err != nil ||
			g.State != wallet.GatewayRefundDone || *g.DecidedBy != other {
			t.Fatalf("%+v, %v", g, err)
		}
		if b := c.Balance(t, r.UserID); b.Posted != 0 || b.Held != 0 {
			t.Fatalf("%+v", b)
		}
		c.MustBeConsistent(t)
	})
}

func TestADamagedRefundShows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newRefundServer(t, d, 2_00)
		whole := c.paid(t, 5000)
		if _, err := c.giveBack(t, whole, 5000); err != nil {
			t.Fatal(err)
		}
		waiting := c.paid(t, 5000)
		c.line.before.Store(new(errors.New("no answer")))
		if _, err := c.giveBack(t, waiting, 1000); err != nil {
			t.Fatal(err)
		}
		c.MustBeConsistent(t)
		run := func(statement string) {
			t.Helper()
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			}); err != nil {
				t.Fatal(statement, err)
			}
		}
		for _, v := range []struct{ rule, damage, repair string }{
			{
				"I5", `UPDATE gateway_refund SET amount = amount + 1 WHERE id = 1`,
				`UPDATE gateway_refund SET amount = amount - 1 WHERE id = 1`,
			},
			{
				"I5", `UPDATE gateway_refund SET pay_amount = pay_amount + 1 WHERE id = 1`,
				`UPDATE gateway_refund SET pay_amount = pay_amount - 1 WHERE id = 1`,
			},
			{
				"I5", `UPDATE gateway_refund SET user_id = user_id + 1 WHERE id = 1`,
				`UPDATE gateway_refund SET user_id = user_id - 1 WHERE id = 1`,
			},
			{
				"I5", `UPDATE gateway_refund SET state = 'failed' WHERE id = 1`,
				`UPDATE gateway_refund SET state = 'done' WHERE id = 1`,
			},
			{
				"I5", `UPDATE recharge SET state = 'paid' WHERE id = 1`,
				`UPDATE recharge SET state = 'refunded' WHERE id = 1`,
			},
			{
				"I5", `UPDATE recharge SET state = 'refunded' WHERE id = 2`,
				`UPDATE recharge SET state = 'paid' WHERE id = 2`,
			},
			{
				"I5", `UPDATE gateway_refund SET state = 'done', ended_at = created_at WHERE id = 2`,
				`UPDATE gateway_refund SET state = 'pending', ended_at = NULL WHERE id = 2`,
			},
			{
				"I4", `UPDATE gateway_refund SET state = 'failed', ended_at = created_at WHERE id = 2`,
				`UPDATE gateway_refund SET state = 'pending', ended_at = NULL WHERE id = 2`,
			},
			{
				"I4", `UPDATE gateway_refund SET amount = amount + 1 WHERE id = 2`,
				`UPDATE gateway_refund SET amount = amount - 1 WHERE id = 2`,
			},
		} {
			run(v.damage)
			broken := wallettest.Check(t, c.Wallets)
			if !slices.ContainsFunc(broken, func(b db.Violation) bool { return strings.HasPrefix(b.Rule, v.rule+":") }) {
				t.Errorf("%s: %v", v.damage, broken)
			}
			run(v.repair)
			c.MustBeConsistent(t)
		}
	})
}
