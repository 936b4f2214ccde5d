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
	price    int64 // of a package of 10.00, which comes back whole until it is used
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
		Name: "More traffic", Kind: shop.KindPackage, TrafficBytes: new(int64(1 << 30)), Visible: true,
		Reset:  service.Never,
		Prices: []shop.Price{{Amount: 1000}},
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
	for _, check := range []func(context.Context) ([]db.Violation, error){
		c.Invites.Check, c.wallets.Check, c.wallets.CheckPayments, c.shop.Check,
	} {
		if broken, err := check(t.Context()); err != nil || len(broken) > 0 {
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
		`UPDATE commission SET amount = amount - 1 WHERE state <> 'reversed'`,
		`UPDATE commission SET base = base + 10`,
		`UPDATE commission SET user_id = 3`,
		`UPDATE commission SET state = 'reversed', reversed = amount, ended_at = created_at WHERE state <> 'reversed'`,
		`UPDATE commission SET state = 'released', ended_at = created_at WHERE state = 'pending'`,
		`UPDATE account SET invited_by = 2 WHERE id = 1`,
		`UPDATE recharge SET state = 'expired', paid_at = NULL, transaction_id = NULL`,
		`DELETE FROM commission_withdrawal`,
		`UPDATE commission SET withdrawn = 0, owed = 0 WHERE owed > 0`,
		`UPDATE commission SET owed = owed - 1 WHERE owed > 0`,
		`UPDATE refund SET order_id = (SELECT MAX(order_id) FROM commission WHERE state <> 'reversed')`,
		`UPDATE commission SET settled = 1 WHERE state = 'released'`,
		`UPDATE shop_order SET state = 'refunded' WHERE id IN (SELECT order_id FROM commission
			WHERE state = 'released')`,
		`UPDATE commission SET reversed = 1, given_back = 10 WHERE state = 'released'`,
		`UPDATE commission SET reversed = 1 WHERE state = 'pending'`,
		`DELETE FROM commission_reversal`,
		`UPDATE commission_reversal SET amount = amount + 1`,
		`UPDATE commission_reversal SET holder_id = 3`,
		`UPDATE commission_reversal SET commission_id = (SELECT MAX(id) FROM commission)`,
		`INSERT INTO commission_reversal (commission_id, holder_id, amount, withdrawn, created_at)
			SELECT id, inviter_id, 1, 0, created_at FROM commission WHERE state = 'released'`,
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
