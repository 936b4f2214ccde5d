package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func (s *moneySite) recharge(u *moneyUser, b, c int) {
	amount := []money.Amount{24_000, 1200, 24_000, 5000, 1, 999}[b%6]
	r, err := s.Payments.Recharge(s.ctx, u.id, sandbox.Name, amount)
	s.did(u, effect{err: err})
	if err != nil {
		return
	}
	u.recharges = append(u.recharges, &moneyRecharge{Recharge: r, bill: "open"})
	if c%4 != 0 {
		s.finish(u, u.recharges[len(u.recharges)-1], true, true)
	}
}

// finish pays a recharge at the gateway or lets the payment fail. The notify may get lost.
func (s *moneySite) finish(u *moneyUser, r *moneyRecharge, paid, notified bool) {
	s.must(s.sandbox.Close(s.ctx, r.TradeNo, paid))
	if r.bill == "open" {
		r.bill = map[bool]string{true: "paid", false: "failed"}[paid]
	}
	var waiting *shop.Order
	if notified && r.bill == "paid" && slices.Contains(u.pending, r) {
		if o := s.order(u, r.order); o.State == shop.Pending {
			waiting = o
		}
	}
	if notified {
		state := map[string]payment.PaymentState{"paid": payment.Paid, "failed": payment.Failed}[r.bill]
		s.must(s.say(r.Recharge, "SB"+r.TradeNo, state))
	}
	s.did(u, effect{})
	if waiting != nil {
		s.checkCompleted(u, waiting)
	}
}

// checkCompleted holds what became of an order that waited for money against what may have kept it from completion.
func (s *moneySite) checkCompleted(u *moneyUser, waiting *shop.Order) {
	state := s.order(u, waiting.ID).State
	inTime := s.now.Before(waiting.ExpiresAt)
	if waiting.ReplacesID != nil && inTime { // deliver looks at its credit
		return
	}
	if waiting.ServiceID != nil {
		v := u.service(*waiting.ServiceID).seen
		inTime = inTime && v.Renewable() == nil
	}
	if (state == shop.Paid) != inTime {
		s.fatalf("the order %+v was paid and is %s", waiting, state)
	}
}

// say has the gateway say what became of a payment of the recharge.
func (s *moneySite) say(r *wallet.Recharge, transactionID string, state payment.PaymentState) error {
	said := payment.Payment{
		TradeNo: r.TradeNo, TransactionID: transactionID, Amount: r.PayAmount, Currency: r.PayCurrency, State: state,
	}
	_, err := s.Payments.Notify(s.ctx, sandbox.Name, payment.Notify{
		Method: http.MethodPost, Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		Body: []byte(s.sandbox.Notice(said).Encode()), Address: "192.0.2.7",
	})
	return err
}

// payLate lets time pass, and traffic, while an order waits for money, and pays then.
func (s *moneySite) payLate(u *moneyUser, b, c int) {
	r, ok := pick(u.pending, b)
	if !ok {
		return
	}
	s.now = s.now.Add(time.Duration(c) * 3 * time.Minute)
	switch b / 8 % 4 {
	case 0, 1:
		s.traffic(u, b, c)
	case 2:
		s.jobs(u, b, c)
	}
	s.finish(u, r, true, true)
}

func (s *moneySite) notify(u *moneyUser, b, c int) {
	if r, ok := pick(u.recharges, b); ok {
		s.finish(u, r, c%8 != 0, c%5 != 0)
	}
}

// purchase draws the rest of a purchase: c chooses the coupon, and how it is paid.
func (s *moneySite) purchase(p shop.Purchase, c int) (what shop.Purchase, gateway string) {
	if coupon, ok := pick(s.coupons, c/4); ok && c%4 == 3 {
		p.Coupon = coupon.Code
	}
	if c/4%4 == 0 {
		gateway = sandbox.Name
	}
	p.AutoRenew = c/16%2 == 1
	return p, gateway
}

func (s *moneySite) buy(u *moneyUser, b, c int) {
	price, _ := pick(s.priceIDs, b)
	what, gateway := s.purchase(shop.Purchase{PriceID: price}, c)
	s.confirm(u, what, gateway, true)
}

// priceOf chooses a price of a plan, seldom another one.
func (s *moneySite) priceOf(planID int64, n int) int64 {
	for _, p := range s.plans {
		if p.ID == planID && n%16 != 15 {
			price, _ := pick(p.Prices, n)
			return price.ID
		}
	}
	id, _ := pick(s.priceIDs, n/16)
	return id
}

func (s *moneySite) renew(u *moneyUser, b, c int) {
	if h, ok := pick(u.services, b); ok {
		what, gateway := s.purchase(shop.Purchase{PriceID: s.priceOf(h.seen.PlanID, c), RenewServiceID: &h.seen.ID},
			c/2)
		s.confirm(u, what, gateway, true)
	}
}

func (s *moneySite) change(u *moneyUser, b, c int) {
	if h, ok := pick(u.services, b); ok {
		price, _ := pick(s.priceIDs, c)
		what, gateway := s.purchase(shop.Purchase{PriceID: price, ChangeServiceID: &h.seen.ID}, c/2+b/2)
		s.confirm(u, what, gateway, true)
	}
}

// changeLate changes the plan. Where money is missing, it is recharged later, and traffic may be used until then.
func (s *moneySite) changeLate(u *moneyUser, b, c int) {
	h, ok := pick(u.services, b)
	if !ok {
		return
	}
	price, _ := pick(s.priceIDs, c)
	before := len(u.pending)
	_, err := s.confirm(u, shop.Purchase{PriceID: price, ChangeServiceID: &h.seen.ID}, sandbox.Name, true)
	if err == nil && len(u.pending) > before {
		s.payLate(u, len(u.pending)-1+b/8*8*len(u.pending), c)
	}
}

// confirm buys, and wants what the quote said.
func (s *moneySite) confirm(u *moneyUser, what shop.Purchase, gateway string, fresh bool) (order int64, err error) {
	quote, refused := s.Shop.PreOrder(s.ctx, u.id, what)
	if fresh && refused == nil {
		u.quotes = append(u.quotes, oldQuote{what, quote.Amount})
	}
	if gateway == "" {
		order, err = s.Shop.Confirm(s.ctx, u.id, what)
	} else {
		order, err = s.Payments.Confirm(s.ctx, u.id, what, gateway)
	}
	switch {
	case refused != nil && err == nil:
		s.fatalf("the quote is refused with %v, the purchase is not", refused)
	case refused != nil && code(refused) != code(err) && !s.bothHold(u, what, refused, err):
		s.fatalf("the quote is refused with %v, the purchase with %v", refused, err)
	case refused == nil && what.MaxAmount != nil && quote.Amount > *what.MaxAmount:
		if !errors.Is(err, shop.ErrPriceChanged) {
			s.fatalf("%s is more than %s: %v", quote.Amount, *what.MaxAmount, err)
		}
	case refused == nil && quote.Missing > 0 && gateway == "":
		if !errors.Is(err, wallet.ErrBalanceTooLow) {
			s.fatalf("%s is missing: %v", quote.Missing, err)
		}
	case refused == nil && quote.Missing == 0 && err != nil:
		s.fatalf("the quote is %+v, the purchase is refused: %v", quote, err)
	}
	before := u.seen.balance.Posted
	if err == nil {
		u.orders = append(u.orders, order)
		o := s.order(u, order)
		if o.State == shop.Pending {
			r, err := s.Payments.Show(s.ctx, u.id, strconv.FormatInt(*o.RechargeID, 10))
			s.must(err)
			waits := &moneyRecharge{Recharge: r, bill: "open", order: order, held: quote.BalanceUsed}
			u.recharges, u.pending = append(u.recharges, waits), append(u.pending, waits)
		}
		ordered := []money.Amount{o.Amount, o.Credit, o.Discount, o.Change()}
		if !slices.Equal(ordered, []money.Amount{quote.Amount, quote.Credit, quote.Discount, quote.Change}) {
			s.fatalf("the quote was %+v, the order is %+v", quote, o)
		}
		if (o.State == shop.Paid) != (quote.Missing == 0) {
			s.fatalf("%s is missing, and the order is %s", quote.Missing, o.State)
		}
	}
	s.did(u, effect{err: err})
	if err == nil && quote.Missing == 0 && u.seen.balance.Posted != before-quote.BalanceUsed+quote.Change {
		s.fatalf("the quote was %+v; the wallet went from %s to %s", quote, before, u.seen.balance.Posted)
	}
	if err == nil && quote.Missing == 0 {
		s.refundable(u, order)
	}
	return order, err
}

func (s *moneySite) order(u *moneyUser, id int64) *shop.Order {
	o, err := s.Shop.Order(s.ctx, u.id, strconv.FormatInt(id, 10))
	s.must(err)
	return o
}

// code names a refusal, of input that is refused with the first field; anything else is a failure.
func code(err error) string {
	f, ok := fault.As(err)
	switch {
	case !ok:
		return fmt.Sprint(err)
	case len(f.Fields) > 0:
		return f.Fields[0].Name + "." + f.Fields[0].Code
	}
	return f.Code
}

// bothHold reports whether each of two refusals of one purchase has its reason. A quote and a purchase look at limits
// in another order, so that either may be answered where several are reached.
func (s *moneySite) bothHold(u *moneyUser, what shop.Purchase, refusals ...error) bool {
	reasons := s.limitsReached(u, what)
	for _, err := range refusals {
		if !slices.Contains(reasons, code(err)) {
			return false
		}
	}
	return true
}

// limitsReached returns the codes of all limits of plans, stock and coupons that the purchase would exceed.
func (s *moneySite) limitsReached(u *moneyUser, what shop.Purchase) (codes []string) {
	var plan shop.Plan
	for _, p := range s.plans {
		if slices.ContainsFunc(p.Prices, func(pr shop.Price) bool { return pr.ID == what.PriceID }) {
			plan = p
		}
	}
	coupon := slices.IndexFunc(s.coupons, func(c shop.Coupon) bool { return c.Code == what.Coupon })
	var ofPlan, sold, own, ofCoupon, ownCoupon int64
	for _, other := range s.users {
		for _, id := range other.orders {
			o := s.order(other, id)
			if o.State == shop.Cancelled || o.State == shop.Expired {
				continue
			}
			mine := other == u
			if mine {
				own++
			}
			if o.PlanID == plan.ID && o.Kind != shop.KindRenewal {
				sold++
				if mine && o.State != shop.Refunded {
					ofPlan++
				}
			}
			if coupon >= 0 && o.CouponID != nil && *o.CouponID == s.coupons[coupon].ID {
				ofCoupon++
				if mine {
					ownCoupon++
				}
			}
		}
	}
	if what.RenewServiceID == nil {
		if plan.PerUser != nil && ofPlan >= int64(*plan.PerUser) {
			codes = append(codes, "purchase_limit")
		}
		if plan.Stock != nil && sold >= int64(*plan.Stock) {
			codes = append(codes, "sold_out")
		}
	}
	if coupon >= 0 {
		c := s.coupons[coupon]
		if c.Total != nil && ofCoupon >= *c.Total {
			codes = append(codes, "coupon.used_up")
		}
		if c.PerUser != nil && ownCoupon >= *c.PerUser {
			codes = append(codes, "coupon.per_user")
		}
		if c.FirstOnly && own > 0 {
			codes = append(codes, "coupon.first_only")
		}
	}
	return codes
}

// oldQuote is what a user agreed to some time ago.
type oldQuote struct {
	what   shop.Purchase
	amount money.Amount
}

// confirmStale buys what the user saw a price of before, for at most that.
func (s *moneySite) confirmStale(u *moneyUser, b, c int) {
	if q, ok := pick(u.quotes, b); ok {
		q.what.MaxAmount = &q.amount
		gateway := ""
		if c%2 == 1 {
			gateway = sandbox.Name
		}
		s.confirm(u, q.what, gateway, false)
	}
}

// confirmStaleAfter has something happen that may raise the price before the user buys for what they saw.
func (s *moneySite) confirmStaleAfter(u *moneyUser, b, c int) {
	q, ok := pick(u.quotes, b)
	if !ok {
		return
	}
	for _, p := range s.plans {
		if c%2 == 0 && slices.ContainsFunc(p.Prices, func(pr shop.Price) bool { return pr.ID == q.what.PriceID }) {
			s.changePrices(p.ID, func(amount money.Amount) money.Amount { return amount + money.Amount(c) })
		}
	}
	if c%2 == 1 {
		s.traffic(u, b, c)
	}
	s.confirmStale(u, b, c/2*2)
}

// confirmTwice repeats a purchase under its Idempotency-Key.
func (s *moneySite) confirmTwice(u *moneyUser, b, c int) {
	ctx := s.ctx
	defer func() { s.ctx = ctx }()
	hash := sha256.Sum256([]byte{byte(b), byte(c)})
	s.ctx = idempotency.With(ctx, idempotency.Request{UserID: u.id, Key: fmt.Sprint("step ", s.steps), Hash: hash[:]})
	price, _ := pick(s.priceIDs, b)
	what, gateway := s.purchase(shop.Purchase{PriceID: price}, c)
	order, err := s.confirm(u, what, gateway, true)
	if err != nil {
		return
	}
	var again int64
	if gateway == "" {
		again, err = s.Shop.Confirm(s.ctx, u.id, what)
	} else {
		again, err = s.Payments.Confirm(s.ctx, u.id, what, gateway)
	}
	if err != nil || again != order {
		s.fatalf("order %d, then %d, %v", order, again, err)
	}
	s.same(u)
}
