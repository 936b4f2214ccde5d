package shop_test

import (
	"errors"
	"sync"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestWaitingOrders_ServiceGivenBack_AreCancelled(t *testing.T) {
	for name, giveBack := range map[string]func(*testing.T, *counter, *shop.Order, *shop.Plan){
		"by a refund": func(t *testing.T, c *counter, first *shop.Order, _ *shop.Plan) {
			must(c.Refund(t.Context(), first.ID, "test", nil))
		},
		"by a change": func(t *testing.T, c *counter, first *shop.Order, other *shop.Plan) {
			c.buy(t, first.UserID, shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: first.Service})
		},
		"by a change that waited too": func(t *testing.T, c *counter, first *shop.Order, other *shop.Plan) {
			waits := c.placeWithRecharge(t, first.UserID,
				shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: first.Service}, 100000)
			if state := c.payRecharge(t, waits, "change"); state != shop.Paid {
				t.Fatal("the change is ", state)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				c := open(t, d)
				c.days(0)
				plan := c.plan(t, nil)
				other := c.plan(t, func(p *shop.Plan) {
					p.Name, p.Prices = "Other",
						[]shop.Price{{Months: 12, Amount: 24000}}
				})
				user := c.user(t, 100000)
				first := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 3)})
				second := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 3)})
				renewal := c.placeWithRecharge(t, user, shop.Purchase{
					PriceID:        priceOf(plan, 1),
					RenewServiceID: first.Service,
				}, 100000)
				change := c.placeWithRecharge(t, user,
					shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: first.Service}, 100000)
				stays := c.placeWithRecharge(t, user, shop.Purchase{
					PriceID:        priceOf(plan, 1),
					RenewServiceID: second.Service,
				}, 100000)

				giveBack(t, c, first, other)

				for _, o := range []*shop.Order{renewal, change} {
					after := must(c.Order(t.Context(), user, o.UUID.String()))
					r := must(c.wallets.Recharge(t.Context(), user, o.RechargeUUID.String()))
					if after.State != shop.Cancelled || r.State != wallet.RechargeExpired {
						t.Errorf("order %d is %s, its recharge %s; want it cancelled and its recharge expired", o.ID,
							after.State, r.State)
					}
				}
				if after := must(c.Order(t.Context(), user, stays.UUID.String())); after.State != shop.Pending {
					t.Errorf("the renewal of another service is %s, not pending", after.State)
				}
				before := must(c.wallets.Balance(t.Context(), user))
				if state := c.payRecharge(t, renewal, "late"); state != shop.Cancelled {
					t.Errorf("a late payment makes the renewal %s", state)
				}
				if b := must(c.wallets.Balance(t.Context(), user)); b.Posted <= before.Posted {
					t.Errorf("the wallet has %s after a late payment, and had %s", b.Posted, before.Posted)
				}
				c.sound(t)
			})
		})
	}
}

// Payments of the renewals, the change and the refund meet. Whoever comes first, all end and the books are right.
func TestWaitingOrders_PaidWhileTheServiceIsGivenBack_StaySound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 12, Amount: 24000}} })
		for range 8 {
			user := c.user(t, 100000)
			first := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 3)})
			renew := shop.Purchase{PriceID: priceOf(plan, 1), RenewServiceID: first.Service}
			change := shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: first.Service}
			waiting := []*shop.Order{
				c.placeWithRecharge(t, user, renew, 100000), c.placeWithRecharge(t, user, change, 99000),
				c.placeWithRecharge(t, user, renew, 100000),
			}
			var wg sync.WaitGroup
			for _, o := range waiting {
				wg.Go(func() { c.payRecharge(t, o, o.UUID.String()) })
			}
			wg.Go(func() {
				_, err := c.Refund(t.Context(), first.ID, "test", nil)
				if err != nil && !errors.Is(err, shop.ErrNothingToRefund) {
					t.Error(err)
				}
			})
			wg.Go(func() {
				_, err := c.Confirm(t.Context(), user, change)
				if err != nil && !errors.Is(err, shop.ErrEnded) && !errors.Is(err, wallet.ErrBalanceTooLow) {
					t.Error(err)
				}
			})
			wg.Wait()
			for _, o := range waiting {
				if after := must(c.Order(t.Context(), user, o.UUID.String())); after.State == shop.Pending {
					t.Errorf("order %d, %s, still waits", o.ID, o.Kind)
				}
			}
		}
		c.sound(t)
	})
}
