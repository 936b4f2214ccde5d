package invite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// circle is a shop whose users invite each other.
type circle struct {
	*invite.Invites
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	shop     *shop.Shop
	now      time.Time
	price    int64 // of 10.00
	users    int64
}

func open(t *testing.T, d *db.DB) *circle {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	c := &circle{db: d, settings: settings, now: time.Now()}
	d.SetClock(func() time.Time { return c.now })
	services := service.New(d, seal.Key{1}, settings)
	c.wallets = wallet.New(d, settings)
	c.Invites = invite.New(d, settings, c.wallets)
	c.shop = shop.New(d, settings, c.wallets, services, c.Invites)
	c.UseKey(seal.Key{1})
	p, err := c.shop.AddPlan(t.Context(), shop.Plan{
		Name: "Standard", Kind: shop.KindPlan, TrafficBytes: new(int64(1 << 30)), Reset: service.Anniversary,
		Visible: true, Renewable: true,
		Prices: []shop.Price{{Months: 1, Amount: 1000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.price = p.Prices[0].ID
	return c
}

// user gives a new user, invited by another one or, with 0, by nobody.
func (c *circle) user(t *testing.T, by int64) int64 {
	t.Helper()
	c.users++
	user := c.users
	c.do(t, func(ctx context.Context, tx bun.Tx) error {
		var inviter *int64
		if by != 0 {
			inviter = &by
		}
		_, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version, password_changed_at, invite_code, invited_by, created_at)
			VALUES (?, ?, ?, ?, '', '', ?, ?, ?, ?, ?)`, user, uuid.New(), fmt.Sprintf("u%d@example.com", user), fmt.Sprintf("User %d", user),
			uuid.New(), c.now, fmt.Sprintf("CODE%d", user), inviter, c.now).Exec(ctx)
		return errors.Join(err, c.wallets.Open(ctx, tx, user), service.New(c.db, seal.Key{1}, c.settings).
			Open(ctx, tx, user))
	})
	return user
}

func (c *circle) do(t *testing.T, fn func(context.Context, bun.Tx) error) {
	t.Helper()
	if err := c.db.Tx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// pays recharges the user's wallet.
func (c *circle) pays(t *testing.T, user int64, amount money.Amount) (r *wallet.Recharge) {
	t.Helper()
	c.do(t, func(ctx context.Context, tx bun.Tx) (err error) {
		r, err = c.wallets.StartRecharge(ctx, tx, user, wallet.Charge{
			Gateway: "test", Amount: amount,
			PayAmount: amount, PayCurrency: "CNY",
		})
		if err != nil {
			return err
		}
		_, err = c.wallets.Credit(ctx, tx, r, "T"+r.TradeNo)
		return err
	})
	return r
}

// gets gives the user money as a gift.
func (c *circle) gets(t *testing.T, user int64, amount money.Amount) {
	t.Helper()
	if _, err := c.wallets.Adjust(t.Context(), user, amount, "a gift", nil); err != nil {
		t.Fatal(err)
	}
}

func (c *circle) buys(t *testing.T, user int64) int64 {
	t.Helper()
	no, err := c.shop.Confirm(t.Context(), user, shop.Purchase{PriceID: c.price})
	if err != nil {
		t.Fatal(err)
	}
	return no
}

func (c *circle) set(t *testing.T, name string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = c.settings.Set(t.Context(), map[string]json.RawMessage{name: text})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// has fails the test unless the user's commission is so much, and so much pending beside it.
func (c *circle) has(t *testing.T, user int64, released, pending money.Amount) {
	t.Helper()
	b, err := c.wallets.Balance(t.Context(), user)
	if err != nil || b.Commission != released || b.Pending != pending {
		t.Fatalf("user %d has commission of %s and %s pending, want %s and %s; %v", user, b.Commission, b.Pending,
			released, pending, err)
	}
	c.sound(t)
}

func (c *circle) sound(t *testing.T) {
	t.Helper()
	for _, part := range []interface {
		Check(context.Context) ([]db.Violation, error)
	}{c.Invites, c.wallets, c.shop} {
		if broken, err := part.Check(t.Context()); err != nil || len(broken) > 0 {
			t.Fatal(broken, err)
		}
	}
}

func TestAnInviterEarnsOfMoneyAndNotOfGifts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer, alone := c.user(t, inviter), c.user(t, 0)

		c.pays(t, alone, 1000)
		c.buys(t, alone)
		c.has(t, inviter, 0, 0)

		c.gets(t, buyer, 1000)
		c.buys(t, buyer)
		c.has(t, inviter, 0, 0)

		c.pays(t, buyer, 1600)
		c.buys(t, buyer)
		c.has(t, inviter, 0, 100) // 10% of what was paid

		c.gets(t, buyer, 1400)
		c.buys(t, buyer)
		c.has(t, inviter, 0, 160) // of 6.00 that are left of the money
		c.buys(t, buyer)
		c.has(t, inviter, 0, 160)

		e, err := c.Earnings(t.Context(), inviter)
		if err != nil || e.Code != "CODE1" || e.Total != 160 || e.Permille != 100 || e.Invited != 1 ||
			e.Remaining != nil {
			t.Fatalf("%+v, %v", e, err)
		}
		people, err := c.People(t.Context(), inviter, 10, 0)
		if err != nil || len(people) != 1 || people[0].UserID != buyer || people[0].Earned != 160 ||
			people[0].Orders != 4 {
			t.Fatalf("%+v, %v", people, err)
		}
		if people, err := c.People(t.Context(), buyer, 10, 0); err != nil || len(people) != 0 {
			t.Fatalf("%+v, %v", people, err)
		}
	})
}

func TestACommissionIsReleasedInTimeAndMovedToTheWalletOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		c.pays(t, buyer, 2000)
		c.buys(t, buyer)
		c.now = c.now.AddDate(0, 0, 10)
		c.buys(t, buyer)
		release := func() {
			t.Helper()
			if err := c.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		release()
		c.has(t, inviter, 0, 200)
		if err := c.Withdraw(t.Context(), inviter, 1); !errors.Is(err, invite.ErrTooLittle) {
			t.Fatal("pending commission moved: ", err)
		}
		c.now = c.now.AddDate(0, 0, 4)
		release()
		release()
		c.has(t, inviter, 100, 100)

		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := c.Withdraw(t.Context(), inviter, 30); err != nil && !errors.Is(err, invite.ErrTooLittle) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c.has(t, inviter, 10, 100)
		if b, err := c.wallets.Balance(t.Context(), inviter); err != nil || b.Posted != 90 || b.Movements != 3 {
			t.Fatalf("%+v, %v", b, err)
		}
		for _, amount := range []money.Amount{0, -1} {
			if err := c.Withdraw(t.Context(), inviter, amount); !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%s: %v", amount, err)
			}
		}
	})
}

func TestARefundTakesTheCommissionBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		c.pays(t, buyer, 1000)
		order := c.buys(t, buyer)
		c.has(t, inviter, 0, 100)
		sum, err := c.shop.Refund(t.Context(), order, "unhappy", nil)
		if err != nil || sum != 1000 {
			t.Fatal(sum, err)
		}
		c.has(t, inviter, 0, 0)
		c.buys(t, buyer) // with the money that came back
		c.has(t, inviter, 0, 100)
		c.now = c.now.AddDate(0, 0, 20)
		if err := c.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		orders, _, err := c.shop.Purchases(t.Context(), buyer, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.shop.Refund(t.Context(), orders[0].ID, "late", nil); err != nil {
			t.Fatal(err)
		}
		c.has(t, inviter, 0, 0) // what was released is reclaimed
	})
}

func TestRatesAndTheFirstOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		first, second := c.user(t, inviter), c.user(t, inviter)
		if err := c.SetRate(t.Context(), inviter, new(int64(255))); err != nil {
			t.Fatal(err)
		}
		c.set(t, "commission_first_only", true)
		for _, buyer := range []int64{first, second} {
			c.pays(t, buyer, 2000)
			c.buys(t, buyer)
			c.buys(t, buyer)
		}
		c.has(t, inviter, 0, 510)
		c.set(t, "commission_first_only", false)
		for _, rate := range []*int64{new(int64(0)), nil} {
			if err := c.SetRate(t.Context(), inviter, rate); err != nil {
				t.Fatal(err)
			}
			c.pays(t, first, 1000)
			c.buys(t, first)
		}
		c.has(t, inviter, 0, 610) // nothing at 0, then by the site's rate
		if err := c.SetRate(t.Context(), inviter, new(int64(1001))); !errors.Is(err, fault.ErrInvalid) {
			t.Error("more than was paid: ", err)
		}
		c.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET banned_at = ? WHERE id = ?`, c.now, inviter).Exec(ctx)
			return err
		})
		c.pays(t, first, 1000)
		c.buys(t, first)
		c.has(t, inviter, 0, 610) // a banned user earns nothing
	})
}

func TestManyBuyersAtOnceEarnTheirInviterEachTheirPart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		var buyers []int64
		for range 20 {
			buyer := c.user(t, inviter)
			c.pays(t, buyer, 1500)
			c.gets(t, buyer, 500)
			buyers = append(buyers, buyer)
		}
		c.pays(t, inviter, 10000)
		var wg sync.WaitGroup
		for _, buyer := range append(buyers, buyers...) {
			wg.Go(func() {
				if _, err := c.shop.Confirm(t.Context(), buyer, shop.Purchase{PriceID: c.price}); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := c.shop.Confirm(t.Context(), inviter, shop.Purchase{PriceID: c.price}); err != nil &&
					!errors.Is(err, wallet.ErrBalanceTooLow) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c.has(t, inviter, 0, 20*150)
	})
}

func TestInvitesAreBoughtForTheSitesPrice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user := c.user(t, 0)
		c.user(t, user)
		c.pays(t, user, 500)
		if _, err := c.Buy(t.Context(), user, 1); !errors.Is(err, invite.ErrNotForSale) {
			t.Fatal(err)
		}
		c.set(t, "invite_quota", 1)
		c.set(t, "invite_price", "2.00")
		if left, err := c.Buy(t.Context(), user, 2); err != nil || left != 2 {
			t.Fatal(left, err)
		}
		if _, err := c.Buy(t.Context(), user, 1); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Fatal(err)
		}
		for _, n := range []int64{0, -1, 101} {
			if _, err := c.Buy(t.Context(), user, n); !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%d: %v", n, err)
			}
		}
		if e, err := c.Earnings(t.Context(), user); err != nil || *e.Remaining != 2 {
			t.Fatalf("%+v, %v", e, err)
		}
		if b, err := c.wallets.Balance(t.Context(), user); err != nil || b.Posted != 100 {
			t.Fatalf("%+v, %v", b, err)
		}
		c.sound(t)
	})
}

func TestADamagedCommissionShows(t *testing.T) {
	for i, damage := range []string{
		`UPDATE commission SET amount = amount - 1`,
		`UPDATE commission SET base = base + 10`,
		`UPDATE commission SET user_id = 3`,
		`UPDATE commission SET state = 'reversed', ended_at = created_at`,
		`UPDATE commission SET state = 'released', ended_at = created_at WHERE state = 'pending'`,
		`UPDATE account SET invited_by = 2 WHERE id = 1`,
		`UPDATE recharge SET state = 'expired', paid_at = NULL, transaction_id = NULL`,
		`DELETE FROM commission_withdrawal`,
		`UPDATE commission SET withdrawn = 0, owed = 0 WHERE owed > 0`,
		`UPDATE commission SET owed = owed - 1 WHERE owed > 0`,
		`UPDATE commission SET settled = 1 WHERE state = 'released'`,
		`UPDATE shop_order SET state = 'refunded' WHERE id IN (SELECT order_id FROM commission
			WHERE state = 'released')`,
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				c := open(t, d)
				inviter := c.user(t, 0)
				buyer := c.user(t, inviter)
				c.user(t, 0)
				debtor := c.user(t, 0)
				refunded := c.user(t, debtor)
				c.pays(t, refunded, 1000)
				order := c.buys(t, refunded)
				c.pays(t, buyer, 2000)
				c.buys(t, buyer)
				c.release(t, 20)
				c.withdraws(t, inviter, 50)
				c.withdraws(t, debtor, 50)
				c.refunds(t, order)
				c.owes(t, debtor, 50)
				c.buys(t, buyer)
				c.has(t, inviter, 50, 100)
				c.do(t, func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(damage).Exec(ctx)
					return err
				})
				if broken, err := c.Check(t.Context()); err != nil || len(broken) == 0 {
					t.Fatal("nobody noticed: ", err)
				}
			})
		})
	}
}

// back has the user's recharge go back to who paid it, as far as the ledger sees.
func (c *circle) back(t *testing.T, recharge *wallet.Recharge, amount money.Amount) {
	t.Helper()
	c.do(t, func(ctx context.Context, tx bun.Tx) error {
		g := &wallet.GatewayRefund{Amount: amount, Reason: "unused"}
		if err := c.wallets.StartGatewayRefund(ctx, tx, recharge, g); err != nil {
			return err
		}
		_, err := c.wallets.EndGatewayRefund(ctx, tx, g, wallet.GatewayRefundDone, "", nil)
		return errors.Join(err, c.Follow(ctx, tx, g.UserID))
	})
}

func TestMoneyThatWentBackCountsForNoCommission(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)

		// What was not spent goes first: the commission stays.
		frugal := c.user(t, inviter)
		r := c.pays(t, frugal, 2000)
		c.buys(t, frugal)
		c.has(t, inviter, 0, 100)
		c.back(t, r, 1000)
		c.has(t, inviter, 0, 100)
		c.gets(t, frugal, 1000)
		c.buys(t, frugal)
		c.has(t, inviter, 0, 100)

		// What was spent goes back in the place of a gift: so the gift paid for the order.
		swapper := c.user(t, inviter)
		r = c.pays(t, swapper, 1000)
		c.buys(t, swapper)
		c.gets(t, swapper, 1000)
		c.has(t, inviter, 0, 200)
		c.back(t, r, 1000)
		c.has(t, inviter, 0, 100)
		c.pays(t, swapper, 1000)
		c.buys(t, swapper)
		c.has(t, inviter, 0, 200)

		// Of an order that is refunded later only what did not go back counts again.
		partly := c.user(t, inviter)
		r = c.pays(t, partly, 1000)
		order := c.buys(t, partly)
		c.gets(t, partly, 400)
		c.back(t, r, 400)
		c.has(t, inviter, 0, 200)
		if _, err := c.shop.Refund(t.Context(), order, "not wanted", nil); err != nil {
			t.Fatal(err)
		}
		c.buys(t, partly)
		c.has(t, inviter, 0, 260)
	})
}

// release lets so many days pass and releases what is due.
func (c *circle) release(t *testing.T, days int) {
	t.Helper()
	c.now = c.now.AddDate(0, 0, days)
	if err := c.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// owes fails the test unless the user owes so much commission.
func (c *circle) owes(t *testing.T, user int64, amount money.Amount) {
	t.Helper()
	e, err := c.Earnings(t.Context(), user)
	if err != nil || e.Owed != amount {
		t.Fatalf("user %d owes commission of %s, want %s; %v", user, e.Owed, amount, err)
	}
}

func (c *circle) withdraws(t *testing.T, user int64, amount money.Amount) {
	t.Helper()
	if err := c.Withdraw(t.Context(), user, amount); err != nil {
		t.Fatal(err)
	}
}

func (c *circle) refunds(t *testing.T, order int64) {
	t.Helper()
	if _, err := c.shop.Refund(t.Context(), order, "not wanted", nil); err != nil {
		t.Fatal(err)
	}
}

func TestCommission_RechargeGoesBackAfterRelease_IsReclaimed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 15)
		c.has(t, inviter, 100, 0)
		c.gets(t, buyer, 1000)
		c.back(t, r, 1000)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 0)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.has(t, inviter, 0, 100)
	})
}

func TestCommission_ReclaimedAfterWithdrawal_IsPaidByLaterCommission(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer, other := c.user(t, inviter), c.user(t, inviter)
		c.pays(t, buyer, 2000)
		first, second := c.buys(t, buyer), c.buys(t, buyer)
		c.release(t, 15)
		c.has(t, inviter, 200, 0)
		c.withdraws(t, inviter, 130)
		c.refunds(t, first)
		c.has(t, inviter, 0, 0) // 70 were available
		c.owes(t, inviter, 30)
		c.refunds(t, second)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 130)

		c.pays(t, other, 2000)
		c.buys(t, other)
		c.has(t, inviter, 0, 100)
		c.release(t, 15)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 30)
		last := c.buys(t, other)
		c.release(t, 15)
		c.has(t, inviter, 70, 0)
		c.owes(t, inviter, 0)

		// What paid for another is reclaimed too.
		c.refunds(t, last)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 30)

		earned, total, err := c.Commissions(t.Context(), invite.CommissionFilter{InviterID: inviter}, 10, 0)
		if err != nil || total != 4 {
			t.Fatal(total, err)
		}
		owing, total, err := c.Commissions(t.Context(), invite.CommissionFilter{Owed: true}, 10, 0)
		if err != nil || total != 1 || owing[0].ID != earned[0].ID {
			t.Fatalf("owed of %+v, %d in all, %v", owing, total, err)
		}
		var owed, settled []money.Amount
		for _, e := range earned {
			owed, settled = append(owed, e.Owed), append(settled, e.Settled)
		}
		if fmt.Sprint(owed, settled) != "[0.30 0.00 0.00 0.00] [0.30 1.00 0.00 0.00]" {
			t.Fatal("newest first, owed and settled: ", owed, settled)
		}
	})
}

func TestCommission_BuyersMoneyIsOnItsWayBack_IsNotReleased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		begin := func(buyer int64, r *wallet.Recharge, amount money.Amount) *wallet.GatewayRefund {
			g := &wallet.GatewayRefund{Amount: amount, Reason: "unused"}
			c.do(t, func(ctx context.Context, tx bun.Tx) error { return c.wallets.StartGatewayRefund(ctx, tx, r, g) })
			return g
		}
		end := func(g *wallet.GatewayRefund, to wallet.GatewayRefundState) {
			c.do(t, func(ctx context.Context, tx bun.Tx) error {
				_, err := c.wallets.EndGatewayRefund(ctx, tx, g, to, "", nil)
				return errors.Join(err, c.Follow(ctx, tx, g.UserID))
			})
		}

		// The gateway takes its time: the order counted what is on its way back.
		buyer := c.user(t, inviter)
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.gets(t, buyer, 1000)
		g := begin(buyer, r, 1000)
		c.release(t, 15)
		c.has(t, inviter, 0, 100)
		end(g, wallet.GatewayRefundFailed)
		c.release(t, 0)
		c.has(t, inviter, 100, 0)

		// Money that was never spent may go back: no order counted it.
		frugal := c.user(t, inviter)
		r = c.pays(t, frugal, 2000)
		c.buys(t, frugal)
		begin(frugal, r, 1000)
		c.release(t, 15)
		c.has(t, inviter, 200, 0)

		// Of two orders the newer one counted it.
		both := c.user(t, inviter)
		r = c.pays(t, both, 1000)
		c.buys(t, both)
		c.pays(t, both, 1000)
		c.buys(t, both)
		c.gets(t, both, 500)
		g = begin(both, r, 500)
		c.release(t, 15)
		c.has(t, inviter, 300, 100)
		end(g, wallet.GatewayRefundDone)
		c.has(t, inviter, 300, 0)
		c.release(t, 0)
		c.has(t, inviter, 300, 0)
	})
}

func TestCommission_ReclaimedAndReleasedAtOnce_StaysSound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		var orders []int64
		for range 10 {
			buyer := c.user(t, inviter)
			c.pays(t, buyer, 2000)
			orders = append(orders, c.buys(t, buyer))
			c.now = c.now.AddDate(0, 0, 1)
			orders = append(orders, c.buys(t, buyer))
		}
		c.release(t, 10)
		b, err := c.wallets.Balance(t.Context(), inviter)
		if err != nil || b.Commission == 0 || b.Pending == 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		c.withdraws(t, inviter, b.Commission)
		c.now = c.now.AddDate(0, 0, 5)
		var wg sync.WaitGroup
		for _, order := range orders {
			wg.Go(func() {
				_, err := c.shop.Refund(t.Context(), order, "not wanted", nil)
				if err != nil && !errors.Is(err, shop.ErrNothingToRefund) {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if err := c.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, b.Commission)
	})
}

func TestAClosedAccountEarnsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		leaves, stays := c.user(t, 0), c.user(t, 0)
		buyer, other := c.user(t, leaves), c.user(t, stays)
		for _, user := range []int64{buyer, other} {
			c.pays(t, user, 2000)
			c.buys(t, user)
		}
		c.has(t, leaves, 0, 100)
		c.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET closed_at = ? WHERE id = ?`, c.now, leaves).Exec(ctx)
			return errors.Join(err, c.Close(ctx, tx, leaves), c.wallets.Close(ctx, tx, leaves))
		})
		c.has(t, leaves, 0, 0)
		c.buys(t, buyer)
		c.has(t, leaves, 0, 0)
		c.has(t, stays, 0, 100)
	})
}

// What an order earned beside the closing, or before closings took it back, is never released.
func TestWhatAClosedAccountStillWaitsFor_IsTakenBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		leaves := c.user(t, 0)
		buyer := c.user(t, leaves)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET closed_at = ? WHERE id = ?`, c.now, leaves).Exec(ctx)
			return errors.Join(err, c.wallets.Close(ctx, tx, leaves))
		})
		c.has(t, leaves, 0, 100)
		c.now = c.now.AddDate(0, 0, 15)
		if err := c.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.has(t, leaves, 0, 0)
	})
}
