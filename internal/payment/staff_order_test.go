package payment_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// limited sets what a member of staff may give alone on a day.
func (c *server) limited(t testing.TB, amount money.Amount) {
	t.Helper()
	if err := c.Settings.Set(t.Context(), map[string]json.RawMessage{
		"staff_credit_limit": json.RawMessage(strconv.Quote(amount.String())),
	}); err != nil {
		t.Fatal(err)
	}
}

// reprice gives a plan of one month another price.
func (c *server) reprice(t testing.TB, plan int64, amount money.Amount) {
	t.Helper()
	c.Advance(time.Minute)
	if _, err := c.Shop.ChangePlan(t.Context(), plan, func(p *shop.Plan) {
		p.Prices = []shop.Price{{Months: 1, Amount: amount}}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestStaffOrder_FromTheWallet_IsAnOrderLikeAnyOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		stock := int64(1)
		plan, price := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		user := c.userWithMoney(t, 900)
		staff := c.User(t)
		ctx := idempotency.With(t.Context(), idempotency.Request{UserID: staff, Key: "k", Hash: []byte("x")})
		wish := payment.StaffOrder{UserID: user, PriceID: price, Price: 1000, Reason: "asked by phone", MadeBy: &staff}
		if _, err := c.Payments.OrderFor(ctx, wish); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Fatalf("without money: %v", err)
		}
		wish.Price = 800
		order := func(ctx context.Context) int64 {
			t.Helper()
			no, err := c.Payments.OrderFor(ctx, wish)
			if err != nil {
				t.Fatal(err)
			}
			return no
		}
		no := order(ctx)
		if again := order(ctx); again != no {
			t.Errorf("the same key made order %d after %d", again, no)
		}
		c.MustBeConsistent(t)
		if b := c.Balance(t, user); b.Posted != 100 || c.running(t, user) != 1 || c.state(t, user, no) != shop.Paid {
			t.Errorf("the wallet has %v, %d services run, the order is %s", b.Posted, c.running(t, user),
				c.state(t, user, no))
		}
		if p, err := c.Shop.Plan(t.Context(), plan.ID); err != nil || *p.Stock != 0 {
			t.Errorf("the stock is %d (%v), want 0", *p.Stock, err)
		}
		if _, err := c.Payments.OrderFor(t.Context(), wish); !errors.Is(err, shop.ErrSoldOut) {
			t.Errorf("of what is sold out: %v", err)
		}
		acts, _, err := approval.New(c.DB, c.Settings).Find(t.Context(), approval.Alone, staff, 10, 0)
		if err != nil || len(acts) != 1 || acts[0].Worth != 200 || *acts[0].BeneficiaryID != user {
			t.Errorf("the acts are %+v (%v), want one of 2.00 for user %d", acts, err, user)
		}
	})
}

func TestStaffOrder_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		_, price := c.plan(t, shop.KindPlan, 1000, nil)
		_, other := c.plan(t, shop.KindPlan, 2000, nil)
		user, staff := c.userWithMoney(t, 5000), c.User(t)
		first, err := c.Shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price})
		if err != nil {
			t.Fatal(err)
		}
		o, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(first, 10))
		if err != nil {
			t.Fatal(err)
		}
		for name, wish := range map[string]payment.StaffOrder{
			"an order for oneself":          {UserID: staff, PriceID: price, Price: 1000},
			"more than the listed price":    {UserID: user, PriceID: price, Price: 1001},
			"nothing":                       {UserID: user, PriceID: price, Price: 0},
			"less than nothing":             {UserID: user, PriceID: price, Price: -1},
			"a change below the listed one": {UserID: user, PriceID: other, Price: 1900, ChangeServiceID: o.Service},
			"another plan's renewal":        {UserID: user, PriceID: other, Price: 2000, RenewServiceID: o.Service},
			"a gateway that is not there":   {UserID: user, PriceID: price, Price: 1000, Gateway: "none"},
			"a price that is not there":     {UserID: user, PriceID: 9999, Price: 1000},
		} {
			wish.MadeBy, wish.Reason = &staff, "x"
			no, err := c.Payments.OrderFor(t.Context(), wish)
			if _, refused := fault.As(err); !refused {
				t.Errorf("%s makes order %d, or fails: %v", name, no, err)
			}
		}
		if _, err := c.Payments.OrderFor(t.Context(), payment.StaffOrder{
			UserID: user, PriceID: price, Price: 1000, MadeBy: &staff, Reason: " ",
		}); err == nil {
			t.Error("no reason is enough")
		}
		if _, err := c.Payments.OrderFor(t.Context(), payment.StaffOrder{
			UserID: 9999, PriceID: price, Price: 1000, MadeBy: &staff, Reason: "x",
		}); err == nil {
			t.Error("a user who is not there gets an order")
		}
		c.MustBeConsistent(t)
	})
}

func TestStaffOrder_Assigned_WaitsForItsUser(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		_, price := c.plan(t, shop.KindPlan, 1000, nil)
		user, staff := c.userWithMoney(t, 5000), c.User(t)
		var notified []int64
		c.Payments.OnAssign(func(_ context.Context, _ bun.Tx, userID, orderID int64) error {
			notified = append(notified, userID, orderID)
			return nil
		})
		no, err := c.Payments.OrderFor(t.Context(), payment.StaffOrder{
			UserID: user, PriceID: price, Price: 700, Gateway: sandbox.Name, MadeBy: &staff, Reason: "a call",
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(notified) != 2 || notified[0] != user || notified[1] != no {
			t.Errorf("notified of %v, want user %d of order %d", notified, user, no)
		}
		o, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(no, 10))
		if err != nil {
			t.Fatal(err)
		}
		if b := c.Balance(t, user); o.State != shop.Pending || b.Available != 5000 ||
			o.ExpiresAt.Sub(o.CreatedAt) < 20*time.Hour {
			t.Errorf("the order is %s until %s, the wallet has %v; want it to wait most of a day and take nothing",
				o.State, o.ExpiresAt, b.Available)
		}
		c.MustBeConsistent(t)
		r, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(*o.RechargeID, 10))
		if err != nil || r.Amount != 700 {
			t.Fatalf("the recharge is %+v (%v), want one of 7.00", r, err)
		}
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		if w := c.notify(t.Context(), c.sandbox.Notice(paid(r))); w.Body.String() != "success" {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if b := c.Balance(t, user); c.state(t, user, no) != shop.Paid || b.Posted != 5000 {
			t.Errorf("once paid the order is %s and the wallet has %v", c.state(t, user, no), b.Posted)
		}
		c.MustBeConsistent(t)
	})
}

func TestStaffOrder_AssignedAtAGatewayByHand_HasDays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, p := newManualServer(t, d)
		stock := int64(5)
		_, price := c.plan(t, shop.KindPlan, 1000, nil)
		_, scarce := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		_, better := c.plan(t, shop.KindPlan, 3000, nil)
		user := c.userWithMoney(t, 1000)
		bought, err := c.Shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price})
		if err != nil {
			t.Fatal(err)
		}
		held, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(bought, 10))
		if err != nil {
			t.Fatal(err)
		}
		for name, try := range map[string]struct {
			gateway string
			order   payment.StaffOrder
			want    time.Duration
		}{
			"by hand":                  {p.Account.Name, payment.StaffOrder{PriceID: price, Price: 1000}, 72 * time.Hour},
			"by hand, of scarce stock": {p.Account.Name, payment.StaffOrder{PriceID: scarce, Price: 1000}, 23 * time.Hour},
			"by hand, a change": {
				p.Account.Name,
				payment.StaffOrder{PriceID: better, Price: 3000, ChangeServiceID: held.Service},
				23 * time.Hour,
			},
			"through a platform": {sandbox.Name, payment.StaffOrder{PriceID: price, Price: 1000}, 23 * time.Hour},
		} {
			try.order.UserID, try.order.Gateway, try.order.Reason = user, try.gateway, "a call"
			no, err := c.Payments.OrderFor(t.Context(), try.order)
			if err != nil {
				t.Fatal(name, err)
			}
			o, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(no, 10))
			if err != nil {
				t.Fatal(name, err)
			}
			r, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(*o.RechargeID, 10))
			if err != nil {
				t.Fatal(name, err)
			}
			got := o.ExpiresAt.Sub(o.CreatedAt)
			if got != try.want || r.ExpiresAt.Sub(o.ExpiresAt).Abs() > time.Minute {
				t.Errorf("%s: the order waits %s, its recharge until %s; want %s for both", name, got,
					r.ExpiresAt, try.want)
			}
		}
		c.MustBeConsistent(t)
	})
}

func TestStaffOrder_BeyondTheLimit_WaitsForASecondMember(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		plan, price := c.plan(t, shop.KindPlan, 1000, nil)
		user, staff, second := c.userWithMoney(t, 5000), c.User(t), c.User(t)
		c.limited(t, 500)
		wish := payment.StaffOrder{
			UserID: user, PriceID: price, Price: 400, MadeBy: &staff, Reason: "an outage",
		}
		waits := func() int64 {
			t.Helper()
			acts, _, err := approval.New(c.DB, c.Settings).Find(t.Context(), approval.Waiting, staff, 10, 0)
			if err != nil || len(acts) != 1 || acts[0].Worth != 600 {
				t.Fatalf("what waits is %+v (%v), want an act of 6.00", acts, err)
			}
			return acts[0].ReferenceID
		}
		if _, err := c.Payments.OrderFor(t.Context(), wish); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatalf("beyond the limit: %v", err)
		}
		if _, err := c.Payments.OrderFor(t.Context(), wish); !errors.Is(err, payment.ErrOrderWaits) {
			t.Errorf("while one waits: %v", err)
		}
		err := c.Payments.DecideOrder(t.Context(), waits(), true, &staff)
		if !errors.Is(err, approval.ErrSecondMember) {
			t.Errorf("by who made it: %v", err)
		}
		c.MustBeConsistent(t)
		if err := c.Payments.DecideOrder(t.Context(), waits(), false, &second); err != nil {
			t.Fatal(err)
		}
		if n := c.running(t, user); n != 0 {
			t.Errorf("declined, and %d services run", n)
		}
		c.MustBeConsistent(t)

		// The price rises while the order waits: nobody approved so much.
		if _, err := c.Payments.OrderFor(t.Context(), wish); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal(err)
		}
		id := waits()
		c.reprice(t, plan.ID, 2000)
		if err := c.Payments.DecideOrder(t.Context(), id, true, nil); !errors.Is(err, payment.ErrOrderGrew) {
			t.Errorf("once the price has risen: %v", err)
		}
		c.reprice(t, plan.ID, 500) // what it was counts for a while, so nothing is gained by lowering it
		if err := c.Payments.DecideOrder(t.Context(), id, true, nil); !errors.Is(err, payment.ErrOrderGrew) {
			t.Errorf("once the price has fallen again: %v", err)
		}
		if err := c.Payments.DecideOrder(t.Context(), id, false, nil); err != nil {
			t.Fatal(err)
		}
		c.MustBeConsistent(t)

		// The listed price, which somebody lowered a moment ago, gives what it was before.
		c.reprice(t, plan.ID, 1)
		wish.Price = 1
		if _, err := c.Payments.OrderFor(t.Context(), wish); !errors.Is(err, approval.ErrSecondMember) {
			t.Errorf("at a price that was lowered for it: %v", err)
		}
	})
}
