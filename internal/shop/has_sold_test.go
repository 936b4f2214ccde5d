package shop_test

import (
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/shop"
)

// A plan that is free shows nothing of payments, so that it is no test purchase.
func TestHasSold_CountsOrdersThatWerePaidWithMoney(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		free := c.plan(t, func(p *shop.Plan) {
			for i := range p.Prices {
				p.Prices[i].Amount = 0
			}
		})
		priced := c.plan(t, func(*shop.Plan) {})
		user := c.user(t, 20000)
		for _, sale := range []struct {
			plan *shop.Plan
			want bool
		}{{free, false}, {priced, true}} {
			c.buy(t, user, shop.Purchase{PriceID: priceOf(sale.plan, 1)})
			if sold, err := c.HasSold(t.Context()); err != nil || sold != sale.want {
				t.Errorf("after a purchase of %s it is %v (%v), want %v", sale.plan.Prices[0].Amount, sold, err, sale.want)
			}
		}
	})
}
