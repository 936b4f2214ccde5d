package payment_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/internal/account/accounttest"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// newManualServer has a way to pay that staff confirms, where a member may credit 100.00 a day alone.
func newManualServer(t *testing.T, d *db.DB) (*server, *paymenttest.Platform) {
	t.Helper()
	g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
	c := &server{paymenttest.New(t, d, []payment.Kind{manual.Kind}, g.Method()), g}
	c.Mux.Handle("/sandbox/", g.Pages(c.Mux))
	accounttest.Add(t, d, permission.Finance, cashier, second, 903, 904, 905, 906)
	if err := c.Settings.Set(t.Context(),
		map[string]json.RawMessage{"staff_credit_limit": json.RawMessage(`"100.00"`)}); err != nil {
		t.Fatal(err)
	}
	p := &paymenttest.Platform{
		Kind: manual.Kind, Account: payment.Account{Name: "bank"},
		Credentials: map[string]string{"instructions_zh": "请转账至 6222 0000", "instructions_en": "Transfer to 6222 0000"},
	}
	p.Open(t, c.Server)
	return c, p
}

const cashier, second = 901, 902

func (c *server) byHand(t testing.TB, r *wallet.Recharge, staff int64) error {
	t.Helper()
	_, err := c.Payments.ConfirmByHand(t.Context(), payment.Confirmation{
		TradeNo: r.TradeNo, StaffID: staff,
		Address: "192.0.2.7",
	})
	return err
}

func TestStaffConfirmsWhatHasNoPlatform(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		user := c.User(t)
		r := p.Recharge(t, c.Server, user, 3000)
		if page := r.PayPage; page.Kind != "text" || !strings.Contains(page.Text.EN, "Transfer to 6222 0000") ||
			!strings.Contains(page.Text.ZH, r.TradeNo) || !strings.Contains(page.Text.EN, "30.00 CNY") {
			t.Fatalf("%+v", page)
		}
		if w := c.SendNotify(t.Context(), "bank",
			paymenttest.Notice{Body: "out_trade_no=" + r.TradeNo}); w.Body.String() != "fail" {
			t.Fatalf("somebody else confirmed it: %d %s", w.Code, w.Body)
		}
		if err := c.Payments.Check(t.Context()); err != nil || c.Balance(t, user).Posted != 0 {
			t.Fatalf("%+v, %v", c.Balance(t, user), err)
		}
		for range 2 {
			if err := c.byHand(t, r, cashier); err != nil {
				t.Fatal(err)
			}
		}
		if b := c.Balance(t, user); b.Posted != 3000 || b.Movements != 1 {
			t.Fatalf("%+v", b)
		}
		var kept []payment.StoredNotify
		if err := d.NewSelect().Model(&kept).Where("staff_id = ?", cashier).OrderExpr("id").
			Scan(t.Context()); err != nil || len(kept) != 2 || kept[0].Outcome != payment.Credited ||
			kept[0].Address != "192.0.2.7" {
			t.Fatalf("what staff did is kept as %+v, %v", kept, err)
		}
		if _, err := c.Payments.ConfirmByHand(t.Context(), payment.Confirmation{
			TradeNo: "NOSUCHNUMBER",
			StaffID: cashier,
		}); !errors.Is(err, wallet.ErrNoRecharge) {
			t.Error("an unknown number: ", err)
		}
		c.MustBeConsistent(t)
	})
}

func TestByHand_APayment_HasDays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		_, price := c.plan(t, shop.KindPlan, 1000, nil)
		_, better := c.plan(t, shop.KindPlan, 3000, nil)
		user := c.User(t)
		order := func(what shop.Purchase) *shop.Order {
			t.Helper()
			no, err := c.Payments.Confirm(t.Context(), user, what, p.Account.Name)
			if err != nil {
				t.Fatal(err)
			}
			o, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(no, 10))
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		confirm := func(o *shop.Order) {
			t.Helper()
			r, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(*o.RechargeID, 10))
			if err == nil {
				err = c.byHand(t, r, cashier)
			}
			if err != nil {
				t.Fatal(err)
			}
		}

		for range 20 {
			p.Recharge(t, c.Server, user, 100)
		}
		_, err := c.Payments.Recharge(t.Context(), user, p.Account.Name, 500)
		if !errors.Is(err, wallet.ErrTooManyRecharges) {
			t.Errorf("one more than may wait: %v", err)
		}
		c.Advance(31 * time.Minute)
		topUp, bought := p.Recharge(t, c.Server, user, 500), order(shop.Purchase{PriceID: price})
		c.Advance(71 * time.Hour)
		if err := c.Payments.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := c.Wallets.RechargeByTradeNo(t.Context(), topUp.TradeNo); err != nil ||
			r.State != wallet.RechargePending {
			t.Errorf("the recharge is %+v (%v) before its three days are over", r, err)
		}
		confirm(bought)
		if got := c.state(t, user, bought.ID); got != shop.Paid || c.running(t, user) != 1 {
			t.Fatalf("the order that was paid in time is %s", got)
		}

		paid, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(bought.ID, 10))
		if err != nil {
			t.Fatal(err)
		}
		stock := int64(5)
		_, scarce := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		held := order(shop.Purchase{PriceID: scarce})
		if waits := held.ExpiresAt.Sub(held.CreatedAt); waits != 30*time.Minute {
			t.Errorf("an order that holds stock waits %s", waits)
		}
		change := order(shop.Purchase{PriceID: better, ChangeServiceID: paid.Service})
		if waits := change.ExpiresAt.Sub(change.CreatedAt); waits != 30*time.Minute {
			t.Errorf("a change of plan waits %s, which its credit does not know of", waits)
		}
		c.Advance(31 * time.Minute)
		if err := c.Payments.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		confirm(change)
		if got, b := c.state(t, user, change.ID), c.Balance(t, user); got != shop.Expired || b.Available <= 0 {
			t.Errorf("a change that was paid late is %s and the wallet has %s", got, b.Available)
		}
		c.MustBeConsistent(t)
	})
}

func TestALargeSumNeedsASecondMemberOfStaff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		user := c.User(t)
		large := p.Recharge(t, c.Server, user, 10001)
		for _, staff := range []int64{cashier, cashier} {
			if err := c.byHand(t, large, staff); !errors.Is(err, approval.ErrSecondMember) ||
				c.Balance(t, user).Posted != 0 {
				t.Fatalf("alone: %v, %+v", err, c.Balance(t, user))
			}
		}
		if err := c.byHand(t, large, second); err != nil || c.Balance(t, user).Posted != 10001 {
			t.Fatalf("with a second member: %v, %+v", err, c.Balance(t, user))
		}

		accounttest.Add(t, d, permission.Finance, user)
		own := p.Recharge(t, c.Server, user, 100)
		if err := c.byHand(t, own, user); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal("into one's own wallet: ", err)
		}
		if err := c.byHand(t, own, cashier); err != nil {
			t.Fatal(err)
		}

		// Many small ones at the same time come to no more than the limit either.
		var recharges []*wallet.Recharge
		other := c.User(t)
		for range 8 {
			recharges = append(recharges, p.Recharge(t, c.Server, other, 3000))
		}
		var refused atomic.Int64
		var wg sync.WaitGroup
		for _, r := range recharges {
			wg.Go(func() {
				if err := c.byHand(t, r, 903); errors.Is(err, approval.ErrSecondMember) {
					refused.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := c.Balance(t, other).Posted; refused.Load() != 5 || got != 9000 {
			t.Fatalf("%d refused, %s credited", refused.Load(), got)
		}
		c.MustBeConsistent(t)
	})
}

func TestStaffCannotConfirmAgainstThePlatform(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, money.Amount(50000)) // more than a member may credit; but here the platform says so
		if err := c.byHand(t, r, cashier); !errors.Is(err, payment.ErrNotPaid) || c.Balance(t, user).Posted != 0 {
			t.Fatalf("%v, %+v", err, c.Balance(t, user))
		}
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		if err := c.byHand(t, r, cashier); err != nil || c.Balance(t, user).Posted != 50000 {
			t.Fatalf("%v, %+v", err, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}

func TestByHand_SandboxPageThatWasNeverOpened_IsNotPaid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		c.WantNotPaid(t, sandbox.Name)
		c.MustBeConsistent(t)
	})
}

func TestByHand_OtherGiftsOfTheDay_CountIntoTheSameLimit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		user, staff := c.User(t), int64(cashier)
		if _, err := c.Wallets.Adjust(t.Context(), user, 4000, "an outage", &staff); err != nil {
			t.Fatal(err)
		}
		if err := c.byHand(t, p.Recharge(t, c.Server, user, 3000), staff); err != nil {
			t.Fatal(err)
		}
		paid := p.Recharge(t, c.Server, user, 3001)
		if err := c.byHand(t, paid, staff); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal("more than the limit in all: ", err)
		}
		if a, err := c.Wallets.Adjust(t.Context(), user, 3001, "an outage", &staff); err != nil ||
			a.State != wallet.AdjustmentPending {
			t.Fatalf("%+v, %v", a, err)
		}
		for _, approve := range []bool{false, true} {
			if err := c.Payments.DecideByHand(t.Context(), paid.ID, approve, new(int64(second))); err != nil {
				t.Fatal(err)
			}
			if err := c.Payments.DecideByHand(t.Context(), paid.ID, approve, new(int64(second))); !errors.Is(err,
				approval.ErrNotWaiting) {
				t.Fatal("decided twice: ", err)
			}
			if !approve {
				if err := c.byHand(t, paid, staff); !errors.Is(err, approval.ErrDeclinedBefore) ||
					c.Balance(t, user).Posted != 7000 {
					t.Fatalf("declined: %v, %+v", err, c.Balance(t, user))
				}
				var act int64
				if err := d.NewRaw(`SELECT MAX(id) FROM staff_grant WHERE kind = 'payment_by_hand'`).
					Scan(t.Context(), &act); err != nil {
					t.Fatal(err)
				}
				_, err := c.Payments.ConfirmByHand(t.Context(), payment.Confirmation{
					TradeNo: paid.TradeNo,
					StaffID: staff, Act: act,
				})
				if !errors.Is(err, approval.ErrSecondMember) || c.Balance(t, user).Posted != 7000 {
					t.Fatalf("made again: %v, %+v", err, c.Balance(t, user))
				}
			}
		}
		if b := c.Balance(t, user); b.Posted != 10001 {
			t.Fatalf("%+v", b)
		}
		c.MustBeConsistent(t)
	})
}

// Two members who confirm the same payment at once use up the limit of one of them.
func TestByHand_TwoMembersAtOnce_AreOneAct(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		user := c.User(t)
		for range 5 {
			r := p.Recharge(t, c.Server, user, 1000)
			var wg sync.WaitGroup
			for _, staff := range []int64{cashier, second} {
				wg.Go(func() {
					if err := c.byHand(t, r, staff); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		acts, total, err := approval.New(d, c.Settings).Find(t.Context(), approval.Alone, 0, 100, 0)
		if err != nil || total != 5 || c.Balance(t, user).Posted != 5000 {
			t.Fatalf("%+v, %v, %+v", acts, err, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}
