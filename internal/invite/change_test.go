package invite_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// plan adds a plan of so much a month, and returns its price.
func (c *circle) plan(t *testing.T, amount money.Amount) (price int64) {
	t.Helper()
	p, err := c.shop.AddPlan(t.Context(), shop.Plan{
		Name: "Plan of " + amount.String(), Kind: shop.KindPlan, Reset: service.Anniversary, Visible: true,
		Renewable: true, Prices: []shop.Price{{Months: 1, Amount: amount}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Prices[0].ID
}

// order buys and returns the paid order.
func (c *circle) order(t *testing.T, user int64, p shop.Purchase) *shop.Order {
	t.Helper()
	no, err := c.shop.Confirm(t.Context(), user, p)
	if err != nil {
		t.Fatal(err)
	}
	return c.ordered(t, user, no)
}

func (c *circle) ordered(t *testing.T, user, no int64) *shop.Order {
	t.Helper()
	o, err := c.shop.Order(t.Context(), user, strconv.FormatInt(no, 10))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// later lets time pass, so that not all of a service is unused.
func (c *circle) later(d time.Duration) { c.now = c.now.Add(d) }

// earned fails the test unless the user earned so much that was not taken back.
func (c *circle) earned(t *testing.T, after string, user int64, want money.Amount) {
	t.Helper()
	e, err := c.Earnings(t.Context(), user)
	if err != nil || e.Total != want {
		t.Fatalf("%s: the inviter earned %s, want %s; %v", after, e.Total, want, err)
	}
	c.sound(t)
}

// holds fails the test unless the user's wallet has so much.
func (c *circle) holds(t *testing.T, user int64, want money.Amount) {
	t.Helper()
	b, err := c.wallets.Balance(t.Context(), user)
	if err != nil || b.Posted != want {
		t.Fatalf("the wallet has %s, want %s; %v", b.Posted, want, err)
	}
}

func (c *circle) givesBack(t *testing.T, order int64, want money.Amount) {
	t.Helper()
	if sum, err := c.shop.Refund(t.Context(), order, "not wanted", nil); err != nil || sum != want {
		t.Fatalf("the refund brought %s, want %s; %v", sum, want, err)
	}
}

// couple is somebody who invited somebody.
type couple struct{ inviter, buyer int64 }

// couple returns two new users of whom the first one invited the second one.
func (c *circle) couple(t *testing.T) couple {
	t.Helper()
	inviter := c.user(t, 0)
	return couple{inviter, c.user(t, inviter)}
}

func (p couple) ids() (inviter, buyer int64) { return p.inviter, p.buyer }

// changed has somebody who was invited pay 58.00, buy a plan of that price and change it to another one.
func (c *circle) changed(t *testing.T, price, to int64) (couple, *wallet.Recharge, *shop.Order) {
	t.Helper()
	p := c.couple(t)
	r := c.pays(t, p.buyer, 5800)
	first := c.order(t, p.buyer, shop.Purchase{PriceID: price})
	c.earned(t, "the purchase", p.inviter, 580)
	c.later(time.Minute)
	second := c.order(t, p.buyer, shop.Purchase{PriceID: to, ChangeServiceID: first.Service})
	if second.Credit != 5799 || second.Amount != 0 {
		t.Fatalf("the change credits %s and costs %s", second.Credit, second.Amount)
	}
	return p, r, second
}

func TestCommission_ChangedServiceIsRefunded_IsTakenBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "commission_days", 0)
		dear, cheap := c.plan(t, 5800), c.plan(t, 2500)
		for _, credit := range []string{"time", "wallet"} {
			c.set(t, "change_credit", credit)
			for _, released := range []bool{false, true} {
				t.Run(credit+", released "+strconv.FormatBool(released), func(t *testing.T) {
					p, r, second := c.changed(t, dear, cheap)
					if credit == "time" {
						c.earned(t, "the change", p.inviter, 580)
						c.later(time.Minute)
						if released {
							c.release(t, 0)
						}
						c.givesBack(t, second.ID, 5798)
					} else {
						c.holds(t, p.buyer, 3299)
						c.earned(t, "the change", p.inviter, 250) // of what stays spent
						c.later(time.Minute)
						if released {
							c.release(t, 0)
						}
						c.givesBack(t, second.ID, 2499)
					}
					c.holds(t, p.buyer, 5798)
					c.earned(t, "the refund", p.inviter, 0)
					c.owes(t, p.inviter, 0)

					c.order(t, p.buyer, shop.Purchase{PriceID: cheap})
					c.earned(t, "another purchase", p.inviter, 250)
					c.back(t, r, 3298)
					c.holds(t, p.buyer, 0)
					c.earned(t, "the refund of what was not spent", p.inviter, 250)
				})
			}
		}
	})
}

func TestCommission_PartOfARechargeGoesBackAfterAChange_CountsTheRest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		dear, cheap := c.plan(t, 5800), c.plan(t, 2500)
		p, r, second := c.changed(t, dear, cheap)
		c.givesBack(t, second.ID, 5799)
		c.back(t, r, 1000)
		c.earned(t, "the refund of a part", p.inviter, 0)
		c.order(t, p.buyer, shop.Purchase{PriceID: cheap})
		c.earned(t, "another purchase", p.inviter, 250)
		c.back(t, r, 2299)
		c.holds(t, p.buyer, 0)
		c.earned(t, "the refund of the rest", p.inviter, 250)
	})
}

// What was withdrawn of a commission is owed where the money that it counted is given back after a change.
func TestCommission_WithdrawnBeforeAChangedServiceIsRefunded_IsOwed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		dear, cheap := c.plan(t, 5800), c.plan(t, 2500)
		p, _, second := c.changed(t, dear, cheap)
		c.release(t, 15)
		c.withdraws(t, p.inviter, 580)
		sum, err := c.shop.Refund(t.Context(), second.ID, "not wanted", nil)
		if err != nil || sum == 0 {
			t.Fatal(sum, err)
		}
		stays := (5800 - sum) / 10
		c.earned(t, "the refund", p.inviter, stays)
		c.owes(t, p.inviter, 580-stays)
		c.order(t, p.buyer, shop.Purchase{PriceID: cheap})
		c.release(t, 15)
		c.owes(t, p.inviter, 330-stays)
	})
}

// A part of the money goes to the wallet by a change. What stays spent keeps its share of the commission, with the rate
// and the time of release.
func TestCommission_RestOfACreditGoesToTheWallet_StaysForWhatIsSpent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "change_credit", "wallet")
		dear, cheap := c.plan(t, 5800), c.plan(t, 2500)
		p := c.couple(t)
		c.pays(t, p.buyer, 5800)
		first := c.order(t, p.buyer, shop.Purchase{PriceID: dear})
		c.set(t, "commission_permille", 500)
		c.set(t, "commission_first_only", true)
		c.later(time.Minute)
		c.order(t, p.buyer, shop.Purchase{PriceID: cheap, ChangeServiceID: first.Service})
		c.earned(t, "the change", p.inviter, 250)
		earned, total, err := c.Commissions(t.Context(), invite.CommissionFilter{InviterID: p.inviter}, 10, 0)
		if err != nil || total != 1 || earned[0].OrderID != first.ID || earned[0].GivenBack != 3299 ||
			earned[0].State != invite.Pending {
			t.Fatalf("%+v, %d, %v", earned, total, err)
		}
		c.set(t, "commission_first_only", false)
		c.order(t, p.buyer, shop.Purchase{PriceID: cheap})
		c.earned(t, "a purchase with what came back", p.inviter, 250+1250)
		c.release(t, 15)
		c.has(t, p.inviter, 250+1250, 0)
	})
}

func TestCommission_ServiceChangedSeveralTimes_IsTakenBackOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		dear, cheap, other := c.plan(t, 5800), c.plan(t, 2500), c.plan(t, 1000)
		p, r, o := c.changed(t, dear, cheap)
		for _, price := range []int64{other, cheap, other} {
			o = c.order(t, p.buyer, shop.Purchase{PriceID: price, ChangeServiceID: o.Service})
			c.earned(t, "another change", p.inviter, 580)
		}
		sum, err := c.shop.Refund(t.Context(), o.ID, "not wanted", nil)
		if err != nil || sum < 5790 || sum > 5799 {
			t.Fatalf("the refund brought %s, %v", sum, err)
		}
		c.earned(t, "the refund", p.inviter, 0)
		c.order(t, p.buyer, shop.Purchase{PriceID: cheap})
		c.earned(t, "another purchase", p.inviter, 250)
		c.back(t, r, sum-2500)
		c.earned(t, "the refund of what was not spent", p.inviter, 250)
	})
}

func TestCommission_ChangeToADearerPlan_IsTakenBackWithThatOfBothOrders(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plain, dear := c.plan(t, 5800), c.plan(t, 10000)
		p := c.couple(t)
		c.pays(t, p.buyer, 10000)
		change := func() *shop.Order {
			first := c.order(t, p.buyer, shop.Purchase{PriceID: plain})
			second := c.order(t, p.buyer, shop.Purchase{PriceID: dear, ChangeServiceID: first.Service})
			if second.Amount != 4200 {
				t.Fatalf("the change costs %s", second.Amount)
			}
			c.earned(t, "the change", p.inviter, 580+420)
			return second
		}
		c.givesBack(t, change().ID, 10000)
		c.earned(t, "the refund", p.inviter, 0)

		// Of a part the money that the change itself took comes back first, as of recharges the newest order's.
		second := change()
		c.now = second.EndsAt.Add(-10 * 24 * time.Hour)
		sum, err := c.shop.Refund(t.Context(), second.ID, "not wanted", nil)
		if err != nil || sum > 4200 {
			t.Fatal(sum, err)
		}
		stays := 580 + (4200-sum)/10
		c.earned(t, "the refund of a third", p.inviter, stays)
		last := c.order(t, p.buyer, shop.Purchase{PriceID: c.plan(t, sum)})
		c.earned(t, "another purchase", p.inviter, stays+sum/10)
		c.refunds(t, last.ID)
		c.earned(t, "its refund", p.inviter, stays)
	})
}

// What a gift paid for comes back after what money paid for, and counts for nothing.
func TestCommission_ChangedServiceWasPaidWithGiftsToo_CountsMoneyAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		dear, cheap := c.plan(t, 5800), c.plan(t, 2500)
		for _, credit := range []string{"time", "wallet"} {
			t.Run(credit, func(t *testing.T) {
				c.set(t, "change_credit", credit)
				p := c.couple(t)
				c.pays(t, p.buyer, 3000)
				c.gets(t, p.buyer, 2800)
				first := c.order(t, p.buyer, shop.Purchase{PriceID: dear})
				c.earned(t, "the purchase", p.inviter, 300)
				second := c.order(t, p.buyer, shop.Purchase{PriceID: cheap, ChangeServiceID: first.Service})
				c.earned(t, "the change", p.inviter, map[string]money.Amount{"time": 300, "wallet": 250}[credit])
				c.refunds(t, second.ID)
				c.holds(t, p.buyer, 5800)
				c.earned(t, "the refund", p.inviter, 0)
				c.order(t, p.buyer, shop.Purchase{PriceID: dear})
				c.earned(t, "another purchase", p.inviter, 300)
			})
		}
	})
}

// A change takes from all periods of a service. Of those that are over nothing comes back.
func TestCommission_RenewedServiceIsChanged_FollowsItsUnusedPeriods(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "change_credit", "wallet")
		plain, cheap := c.plan(t, 1000), c.plan(t, 500)
		p := c.couple(t)
		c.pays(t, p.buyer, 3000)
		first := c.order(t, p.buyer, shop.Purchase{PriceID: plain})
		renewal := shop.Purchase{PriceID: plain, RenewServiceID: first.Service}
		c.order(t, p.buyer, renewal)
		c.order(t, p.buyer, renewal)
		c.earned(t, "three periods", p.inviter, 300)
		c.now = first.EndsAt.Add(-time.Minute)
		c.now = *c.ordered(t, p.buyer, first.ID).PeriodTo
		second := c.order(t, p.buyer, shop.Purchase{PriceID: cheap, ChangeServiceID: first.Service})
		if second.Credit != 2000 {
			t.Fatalf("the change credits %s", second.Credit)
		}
		c.holds(t, p.buyer, 1500)
		c.earned(t, "the change", p.inviter, 100+50) // the period that is over, and what stays spent
		c.givesBack(t, second.ID, 500)
		c.earned(t, "the refund", p.inviter, 100)
	})
}

// The change waits for its recharge while the service is given back in another way, or is carried out by it.
func TestCommission_ChangeWaitsForMoney_FollowsWhatBecomesOfIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plain, dear := c.plan(t, 5800), c.plan(t, 10000)
		for _, refunded := range []bool{false, true} {
			t.Run("refunded "+strconv.FormatBool(refunded), func(t *testing.T) {
				p := c.couple(t)
				c.pays(t, p.buyer, 5800)
				first := c.order(t, p.buyer, shop.Purchase{PriceID: plain})
				var r *wallet.Recharge
				var no int64
				c.do(t, func(ctx context.Context, tx bun.Tx) (err error) {
					change := shop.Purchase{PriceID: dear, ChangeServiceID: first.Service}
					no, err = c.shop.Place(ctx, tx, p.buyer, change,
						func(ctx context.Context, tx bun.Tx, missing money.Amount, waits time.Duration) (int64, error) {
							r, err = c.wallets.StartRecharge(ctx, tx, p.buyer, wallet.Charge{
								Gateway: "test", Amount: missing, PayAmount: missing, PayCurrency: "CNY",
							})
							if err != nil {
								return 0, err
							}
							return r.ID, nil
						})
					return err
				})
				if refunded {
					c.refunds(t, first.ID)
					c.earned(t, "the refund of the first order", p.inviter, 0)
					return
				}
				o := c.ordered(t, p.buyer, no)
				c.do(t, func(ctx context.Context, tx bun.Tx) error {
					if err := c.shop.LockCompletion(ctx, tx, o); err != nil {
						return err
					}
					if _, err := c.wallets.Credit(ctx, tx, r, "W"+r.TradeNo); err != nil {
						return err
					}
					_, err := c.shop.Complete(ctx, tx, o)
					return err
				})
				c.earned(t, "the change", p.inviter, 580+o.Amount/10)
				c.refunds(t, no)
				c.earned(t, "the refund", p.inviter, 0)
			})
		}
	})
}
