package shop_test

import (
	"errors"
	"slices"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

func TestPlans_ArchivedAndRestored_AreAsTheyWere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		first, second := c.plan(t, nil), c.plan(t, func(p *shop.Plan) { p.Visible = false })
		if err := c.RemovePlan(t.Context(), second.ID); err != nil {
			t.Fatal(err)
		}
		all, err := c.AllPlans(t.Context())
		if err != nil || len(all) != 2 || all[1].RemovedAt == nil || all[1].ID != second.ID {
			t.Fatalf("got %+v and %v, want both plans, the archived one last", all, err)
		}
		if _, err := c.RestorePlan(t.Context(), first.ID); !errors.Is(err, shop.ErrNoPlan) {
			t.Errorf("a plan that is not archived: got %v, want ErrNoPlan", err)
		}
		restored, err := c.RestorePlan(t.Context(), second.ID)
		if err != nil || restored.Visible || len(restored.Prices) != 2 {
			t.Errorf("got %+v and %v, want the plan hidden as it was, with its prices", restored, err)
		}
	})
}

func TestOrderPlans_NamesEachPlanOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		a, b, gone := c.plan(t, nil).ID, c.plan(t, nil).ID, c.plan(t, nil).ID
		if err := c.RemovePlan(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		for _, ids := range [][]int64{{a}, {a, b, gone}, {a, a}, {a, b, b}} {
			if err := c.OrderPlans(t.Context(), ids); !errors.Is(err, shop.ErrPlanOrder) {
				t.Errorf("%v: got %v, want ErrPlanOrder", ids, err)
			}
		}
		if err := c.OrderPlans(t.Context(), []int64{b, a}); err != nil {
			t.Fatal(err)
		}
		plans, err := c.ListPlans(t.Context())
		if err != nil || len(plans) != 2 || plans[0].ID != b || plans[1].ID != a {
			t.Errorf("got %+v and %v, want the second plan first", plans, err)
		}
	})
}

func TestCountPlan_CountsRenewalsByTheirPeriod(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		p := c.plan(t, nil)
		for _, months := range []int{1, 3, 3} {
			c.buy(t, c.user(t, 5000), shop.Purchase{PriceID: priceOf(p, months), AutoRenew: true})
		}
		c.buy(t, c.user(t, 5000), shop.Purchase{PriceID: priceOf(p, 1)})
		count, err := c.CountPlan(t.Context(), p)
		if err != nil || count.Running != 4 || count.Renewing != 3 || count.ByMonths[1] != 1 || count.ByMonths[3] != 2 {
			t.Errorf("got %+v and %v, want 4 that run, 1 renewing for a month and 2 for three", count, err)
		}
		c.days(200)
		counts, err := c.CountPlans(t.Context())
		if err != nil || counts[p.ID].Running != 0 {
			t.Errorf("after their end: got %+v and %v, want none", counts, err)
		}
	})
}

// A member who lowers a price, makes keys and raises it again gives no more alone than before.
func TestWorth_CountsAPriceThatWasLowered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		p := c.plan(t, nil)
		worth := func() money.Amount {
			w, err := shop.PlanWorth(t.Context(), d, d.Now(), p.ID, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		c.days(1)
		cheaper := func(p *shop.Plan) { p.Prices = []shop.Price{{Months: 1, Amount: 1}, {Months: 3, Amount: 1}} }
		if _, err := c.ChangePlan(t.Context(), p.ID, cheaper); err != nil {
			t.Fatal(err)
		}
		if got := worth(); got != 1000 {
			t.Errorf("just lowered: got %v, want 10.00 still", got)
		}
		c.days(31)
		if got := worth(); got != 1 {
			t.Errorf("lowered 31 days ago: got %v, want 0.01", got)
		}
	})
}

func TestChangePlan_KeepsItsPlace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		ids := []int64{c.plan(t, nil).ID, c.plan(t, nil).ID}
		slices.Reverse(ids)
		if err := c.OrderPlans(t.Context(), ids); err != nil {
			t.Fatal(err)
		}
		changed, err := c.ChangePlan(t.Context(), ids[0], func(p *shop.Plan) { p.Name = "Other" })
		if err != nil || changed.Sort != 1 {
			t.Errorf("got %+v and %v, want the place of the plan kept by a change", changed, err)
		}
	})
}
