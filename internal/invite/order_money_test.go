package invite_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/shop"
)

// uncommissioned are the ways in which an order earns no commission though money paid for it; each returns what ends
// that.
var uncommissioned = map[string]func(t *testing.T, c *circle, inviter int64) (end func()){
	"only the first order earns": func(t *testing.T, c *circle, _ int64) func() {
		c.set(t, "commission_first_only", true)
		return func() { c.set(t, "commission_first_only", false) }
	},
	"the rate is nothing": func(t *testing.T, c *circle, _ int64) func() {
		c.set(t, "commission_permille", 0)
		return func() { c.set(t, "commission_permille", 100) }
	},
	"the inviter is banned": func(t *testing.T, c *circle, inviter int64) func() {
		ban := func(at any) {
			c.do(t, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewUpdate().Table("account").Set("banned_at = ?", at).Where("id = ?", inviter).Exec(ctx)
				return err
			})
		}
		ban(c.now)
		return func() { ban(nil) }
	},
}

// pair has a buyer pay for two orders with 10.00 each, of which the second one earns no commission.
func (c *circle) pair(t *testing.T, way func(*testing.T, *circle, int64) func()) (couple, [2]int64, func()) {
	t.Helper()
	p := c.couple(t)
	c.pays(t, p.buyer, 2000)
	first := c.buys(t, p.buyer)
	end := way(t, c, p.inviter)
	second := c.buys(t, p.buyer)
	c.has(t, p.inviter, 0, 100)
	return p, [2]int64{first, second}, end
}

func TestOrderWithoutCommission_ItsRefundComesBackAsMoney(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		for name, way := range uncommissioned {
			t.Run(name, func(t *testing.T) {
				p, orders, end := c.pair(t, way)
				c.refunds(t, orders[1])
				c.has(t, p.inviter, 0, 100)
				end()
				c.buys(t, p.buyer)
				c.has(t, p.inviter, 0, 200)
			})
		}
	})
}

func TestOrderWithoutCommission_RechargeGoesBackAfterItsRefund_OtherCommissionStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		for name, way := range uncommissioned {
			t.Run(name, func(t *testing.T) {
				p := c.couple(t)
				c.pays(t, p.buyer, 1000)
				c.buys(t, p.buyer)
				end := way(t, c, p.inviter)
				r := c.pays(t, p.buyer, 1000)
				c.refunds(t, c.buys(t, p.buyer))
				c.back(t, r, 1000)
				c.has(t, p.inviter, 0, 100)
				end()

				// Nothing is owed, so that later money counts whole.
				c.pays(t, p.buyer, 1000)
				c.buys(t, p.buyer)
				c.has(t, p.inviter, 0, 200)
			})
		}
	})
}

func TestOrderWithoutCommission_ItsMoneyGoesBackFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "commission_days", 0)
		for name, way := range uncommissioned {
			t.Run(name, func(t *testing.T) {
				p := c.couple(t)
				r := c.pays(t, p.buyer, 2000)
				c.buys(t, p.buyer)
				defer way(t, c, p.inviter)()
				c.buys(t, p.buyer)
				c.gets(t, p.buyer, 1500)
				c.back(t, r, 1000)
				c.has(t, p.inviter, 0, 100)
				c.back(t, r, 500)
				c.has(t, p.inviter, 0, 50)
			})
		}
	})
}

func TestCommission_TakenBackForAPart_RestOfItsMoneyGoesBackBeforeOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		r := c.pays(t, buyer, 2000)
		c.buys(t, buyer)
		c.buys(t, buyer)
		c.gets(t, buyer, 1500)
		c.back(t, r, 300)
		c.has(t, inviter, 0, 170)
		c.back(t, r, 700)
		c.has(t, inviter, 0, 100)
		c.back(t, r, 1)
		c.has(t, inviter, 0, 99)
	})
}

func TestOrderWithoutCommission_IsChanged_RestComesBackAsMoney(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "change_credit", "wallet")
		dear, cheap := c.plan(t, 5800), c.plan(t, 2500)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		c.pays(t, buyer, 5800)
		c.set(t, "commission_permille", 0)
		first := c.order(t, buyer, shop.Purchase{PriceID: dear})
		c.later(time.Minute)
		c.order(t, buyer, shop.Purchase{PriceID: cheap, ChangeServiceID: first.Service})
		c.holds(t, buyer, 3299)
		c.set(t, "commission_permille", 100)
		c.buys(t, buyer)
		c.has(t, inviter, 0, 100)
	})
}
