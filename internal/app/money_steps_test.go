package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/cdkey"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
)

// moneyOp is something that may happen. do gets who acts and two numbers from 0 to 255 that choose among what there is,
// so that every sequence of numbers means something.
type moneyOp struct {
	often int // how often it comes, out of the sum of all
	do    func(s *moneySite, u *moneyUser, b, c int)
}

// moneyOps are all operations by the names that sequences are written with.
var moneyOps = map[string]moneyOp{
	"recharge":    {8, (*moneySite).recharge},
	"notify":      {3, (*moneySite).notify},
	"pay late":    {5, (*moneySite).payLate},
	"buy":         {8, (*moneySite).buy},
	"renew":       {14, (*moneySite).renew},
	"change":      {14, (*moneySite).change},
	"change late": {5, (*moneySite).changeLate},
	"stale":       {3, (*moneySite).confirmStale},
	"stale after": {3, (*moneySite).confirmStaleAfter},
	"twice":       {2, (*moneySite).confirmTwice},
	"cancel":      {1, (*moneySite).cancel},
	"refund":      {5, (*moneySite).refund},
	"request":     {2, (*moneySite).requestRefund},
	"decide":      {2, (*moneySite).decideRefund},
	"pay back":    {2, (*moneySite).payBack},
	"traffic":     {8, (*moneySite).traffic},
	"wait":        {12, (*moneySite).wait},
	"jobs":        {1, (*moneySite).jobs},
	"key":         {4, (*moneySite).redeem},
	"key again":   {1, (*moneySite).redeemAgain},
	"key shared":  {2, (*moneySite).redeemShared},
	"give bytes":  {1, (*moneySite).giveBytes},
	"adjust":      {2, (*moneySite).adjust},
	"auto-renew":  {3, (*moneySite).autoRenew},
	"withdraw":    {2, (*moneySite).withdraw},
	"payout":      {4, (*moneySite).payout},
	"buy invites": {1, (*moneySite).buyInvites},
	"set price":   {2, (*moneySite).setPrice},
	"automatic":   {3, (*moneySite).renewAutomatically},
	"set coupon":  {1, (*moneySite).setCoupon},
	"set credit":  {1, (*moneySite).setCredit},
	"quotes":      {3, (*moneySite).quotes},
	"close":       {1, (*moneySite).close},

	"staff adjust":      {4, (*moneySite).staffAdjust},
	"staff decide":      {4, (*moneySite).staffDecide},
	"staff make key":    {3, (*moneySite).staffMakeKey},
	"staff confirm key": {3, (*moneySite).staffConfirmKey},
}

// pick returns the element that n chooses; ok is false where there is none.
func pick[T any](list []T, n int) (chosen T, ok bool) {
	if len(list) == 0 {
		return chosen, false
	}
	return list[n%len(list)], true
}

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
		said := payment.Payment{
			TradeNo: r.TradeNo, TransactionID: "SB" + r.TradeNo, Amount: r.PayAmount, Currency: r.PayCurrency,
			State: state,
		}
		_, err := s.Payments.Notify(s.ctx, sandbox.Name, payment.Notify{
			Method: http.MethodPost, Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			Body: []byte(s.sandbox.Notice(said).Encode()), Address: "192.0.2.7",
		})
		s.must(err)
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

func (s *moneySite) cancel(u *moneyUser, b, _ int) {
	if id, ok := pick(u.orders, b); ok {
		s.did(u, effect{err: s.Shop.Cancel(s.ctx, u.id, strconv.FormatInt(id, 10))})
	}
}

func (s *moneySite) refund(u *moneyUser, b, _ int) {
	id, ok := pick(u.orders, b)
	if !ok {
		return
	}
	quote := s.refundable(u, id)
	sum, err := s.Shop.Refund(s.ctx, id, "wanted", nil)
	if (err == nil) != (quote > 0) || sum != quote {
		s.fatalf("a refund of %s brings %s: %v", quote, sum, err)
	}
	s.did(u, effect{err: err})
}

// refundable returns what a refund of the order would bring, and holds that against what is left of what it brought.
func (s *moneySite) refundable(u *moneyUser, order int64) money.Amount {
	quote, err := s.Shop.Refundable(s.ctx, u.id, strconv.FormatInt(order, 10))
	s.must(err)
	most := 0.0
	if o := u.bought[order]; o != nil && o.State == shop.Paid {
		if o.Service != nil {
			most = u.service(*o.Service).worth(s.now)
		} else if l := u.packages[*o.Package]; l != nil {
			most = l.worth(s.now)
		}
	}
	if float64(quote) > most+0.01 {
		s.fatalf("a refund of order %d would bring %s; %.2f is left of what it paid for", order, quote, most/100)
	}
	return quote
}

func (s *moneySite) requestRefund(u *moneyUser, b, c int) {
	id, ok := pick(u.orders, b)
	if !ok {
		return
	}
	if request, ok := pick(u.requests, b); ok && c%4 == 0 {
		s.did(u, effect{err: s.Shop.WithdrawRefundRequest(s.ctx, u.id, request)})
		return
	}
	r, err := s.Shop.RequestRefund(s.ctx, u.id, strconv.FormatInt(id, 10), "wanted")
	s.did(u, effect{err: err})
	if err == nil {
		u.requests = append(u.requests, r.ID)
	}
}

func (s *moneySite) decideRefund(u *moneyUser, b, c int) {
	if id, ok := pick(u.requests, b); ok {
		_, err := s.Shop.DecideRefund(s.ctx, id, c%4 != 0, "decided", nil)
		s.did(u, effect{err: err})
	}
}

// payBack refunds a part of a recharge through its gateway.
func (s *moneySite) payBack(u *moneyUser, b, c int) {
	r, ok := pick(u.recharges, b)
	if !ok {
		return
	}
	amount := r.Amount - r.back
	if c%3 == 0 {
		amount = max(1, r.Amount*money.Amount(c)/256)
	}
	g, err := s.Payments.GiveBack(s.ctx, payment.RefundWish{RechargeID: r.ID, Amount: amount, Reason: "wanted"})
	if err == nil && (g.State != wallet.GatewayRefundDone || !r.credited || amount > r.Amount-r.back) {
		s.fatalf("%s of the recharge %+v went back: %+v", amount, r, g)
	}
	e := effect{err: err}
	if err == nil {
		r.back += amount
		u.paidBack += amount
		e.out = amount
	}
	s.did(u, e)
}

func (s *moneySite) traffic(u *moneyUser, b, c int) {
	n, _ := pick(s.nodes, b)
	bytes := []int64{megabyte / 3, 1, megabyte / 2, megabyte - 1, megabyte, 7 * megabyte, megabyte / 10}[c%7]
	s.reports++
	row := traffic.Row{UserID: u.id, Up: bytes / 3, Down: bytes - bytes/3}
	receipt, err := s.Traffic.Record(s.ctx, traffic.Report{
		Node: n, Hash: sha256.Sum256([]byte(fmt.Sprint(s.reports))), Rows: []traffic.Row{row},
	})
	e := effect{err: err}
	if len(receipt.Refused) > 0 {
		e.err = errors.New(receipt.Refused[0].Code)
	} else {
		e.moved = bytes * n.RatePermille / 1000
	}
	s.did(u, e)
}

// wait lets time pass: for a while, or until near a moment at which something happens.
func (s *moneySite) wait(u *moneyUser, b, c int) {
	const day = 24 * time.Hour
	at := s.now
	near := time.Duration(c%5-2) * 13 * time.Hour
	switch h, ok := pick(u.services, c); {
	case b%8 == 0 && ok:
		at = h.seen.EndsAt.Add(near)
	case b%8 == 1 && ok && h.seen.NextResetAt != nil:
		at = h.seen.NextResetAt.Add(near)
	case b%8 == 2:
		y, m, _ := at.In(s.zone).Date()
		at = time.Date(y, m+1, 1, 0, 0, 0, 0, s.zone).Add(near)
	case b%8 == 3:
		at = at.Add(time.Duration(c+1) * time.Minute)
	case b%8 == 4:
		at = at.Add(time.Duration(c+1) * day)
	case b%8 == 5:
		at = at.AddDate(0, c%3, 0)
	default:
		at = at.Add(time.Duration(c) * 7 * time.Hour / 3)
	}
	if at.After(s.now) && at.Before(moneyStart.AddDate(30, 0, 0)) {
		s.now = at.Truncate(time.Millisecond).UTC()
	}
	if b/8%4 != 0 { // else the jobs are late
		s.jobs(u, b, c)
	}
}

// jobs runs what the server's timetable has.
func (s *moneySite) jobs(*moneyUser, int, int) {
	for _, name := range eachMinute {
		s.must(s.Queue.Trigger(s.ctx, name))
		if name == "service.expire" || name == "service.reset" || name == "renewal.renew" {
			s.did(nil, effect{})
		}
	}
	s.did(nil, effect{})
}

// redeem makes a cd-key and has the user redeem it.
func (s *moneySite) redeem(u *moneyUser, b, c int) {
	var e effect
	gift := cdkey.Gift{Kind: cdkey.Amount, Amount: money.Amount(c + 1)}
	switch b % 3 {
	case 0:
		e.in = gift.Amount
	case 1:
		p, _ := pick(s.plans[:5], c) // not the packages
		e.given = &givenTime{plan: p.ID}
		gift = cdkey.Gift{Kind: cdkey.Plan, PlanID: &p.ID}
		if c%2 == 0 {
			gift.Months, e.given.months = new(1), 1
		} else {
			gift.Days, e.given.days = new(10), 10
		}
	case 2:
		e.packed = megabyte / 2
		gift = cdkey.Gift{Kind: cdkey.Traffic, Bytes: new(e.packed)}
		if c%2 == 0 {
			gift.Days = new(15)
		}
	}
	_, keys, err := s.CDKeys.Make(s.ctx, cdkey.Batch{Gift: gift, Size: 1, MaxUses: 1 + c%2}, nil)
	s.must(err)
	key := &moneyKey{code: keys[0], gives: e, most: 1 + c%2}
	s.keys = append(s.keys, key)
	s.redeemKey(u, key)
}

// moneyKey is a cd-key with what it gives and who redeemed it.
type moneyKey struct {
	code  string
	gives effect
	most  int // uses
	by    []*moneyUser
}

// redeemKey has a user redeem a key, which must work as often as it may and no more.
func (s *moneySite) redeemKey(u *moneyUser, key *moneyKey) {
	e := key.gives
	if e.given != nil {
		e.given = new(*e.given)
	}
	_, err := s.CDKeys.Redeem(s.ctx, u.id, key.code)
	if may := len(key.by) < key.most && !slices.Contains(key.by, u); err == nil && !may {
		s.fatalf("a cd-key for %d uses is redeemed by one user more", key.most)
	}
	if err != nil {
		e = effect{err: err}
	} else {
		key.by, u.redeemed = append(key.by, u), append(u.redeemed, key.code)
	}
	s.did(u, e)
}

// redeemShared has a user redeem a key that others know too.
func (s *moneySite) redeemShared(u *moneyUser, b, _ int) {
	if key, ok := pick(s.keys, b); ok {
		s.redeemKey(u, key)
	}
}

func (s *moneySite) redeemAgain(u *moneyUser, b, _ int) {
	if key, ok := pick(u.redeemed, b); ok {
		_, err := s.CDKeys.Redeem(s.ctx, u.id, key)
		if err == nil {
			s.fatalf("a cd-key is redeemed twice")
		}
		s.did(u, effect{err: err})
	}
}

func (s *moneySite) giveBytes(u *moneyUser, b, c int) {
	e := effect{packed: int64(b*256+c)*100 + 1}
	e.err = s.Shop.GrantTraffic(s.ctx, u.id, "gift", e.packed, nil)
	s.did(u, e)
}

func (s *moneySite) adjust(u *moneyUser, b, c int) {
	amount := money.Amount(b*40 + c + 1)
	e := effect{in: amount}
	if c%2 == 0 {
		amount, e = -amount, effect{out: amount}
	}
	if _, err := s.Wallets.Adjust(s.ctx, u.id, amount, "by staff", nil); err != nil {
		e = effect{err: err}
	}
	s.did(u, e)
}

func (s *moneySite) autoRenew(u *moneyUser, b, c int) {
	if h, ok := pick(u.services, b); ok {
		on := c%4 != 0
		next, err := s.Shop.SetAutoRenew(s.ctx, u.id, h.seen.ID, on, nil)
		if err == nil && on && !h.seen.AutoRenew && next.Price != nil {
			h.agreed = next.Price.Amount
		}
		s.did(u, effect{err: err})
	}
}

func (s *moneySite) withdraw(u *moneyUser, b, _ int) {
	amount := u.seen.balance.Commission
	if b%4 == 0 {
		amount += money.Amount(b)
	}
	e := effect{in: amount}
	if err := s.Invites.Withdraw(s.ctx, u.id, amount); err != nil {
		e = effect{err: err}
	}
	u.withdrew += e.in
	s.did(u, e)
}

// payout asks for commission to be paid outside of the site, or ends what was asked for in one of the ways there are.
func (s *moneySite) payout(u *moneyUser, b, c int) {
	known, err := s.Wallets.Balance(s.ctx, u.id)
	s.must(err)
	all, _, err := s.Invites.Payouts(s.ctx, u.id, "", 1, 0)
	s.must(err)
	if len(all) == 0 || all[0].EndedAt != nil {
		amount := known.Commission + money.Amount(c%4) - 2
		if _, err := s.Invites.AskPayout(s.ctx, u.id, amount, "bank", "1"); err == nil && amount > known.Commission {
			s.fatalf("a payout of %s was asked for; there was %s", amount, known.Commission)
		}
		s.same(u)
		return
	}
	p, member := all[0], s.users[c%len(s.users)].id
	switch { // what may not be withdrawn or refused any more changes nothing, which same checks
	case b%8 == 0:
		_ = s.Invites.WithdrawPayout(s.ctx, u.id, p.ID)
	case b%8 == 1:
		_ = s.Invites.RefusePayout(s.ctx, p.ID, "no", nil)
	case p.State == invite.PayoutWaiting:
		err = s.Invites.DecidePayout(s.ctx, p.ID, b%8 != 2, &member)
		if err == nil && b%8 != 2 {
			if member == *p.MadeBy || member == u.id {
				s.fatalf("member %d approved the payout %+v", member, p)
			}
			u.paidOut += p.Amount
		}
	default:
		if err = s.Invites.PayPayout(s.ctx, p.ID, "", &member); err == nil {
			if member == u.id {
				s.fatalf("member %d paid their own payout alone", member)
			}
			s.staff.did(s, member, p.Amount)
			u.paidOut += p.Amount
		}
	}
	s.same(u)
}

func (s *moneySite) buyInvites(u *moneyUser, b, _ int) {
	n := int64(b%3 + 1)
	e := effect{out: money.Amount(n) * 150}
	if _, err := s.Invites.Buy(s.ctx, u.id, n); err != nil {
		e = effect{err: err}
	}
	s.did(u, e)
}

// setPrice has staff change the price of a plan, or whether it is sold.
func (s *moneySite) setPrice(_ *moneyUser, b, c int) {
	plan, _ := pick(s.plans, b)
	changed, err := s.Shop.ChangePlan(s.ctx, plan.ID, func(p *shop.Plan) {
		if c%4 == 0 {
			p.Visible = !p.Visible
			return
		}
		p.Prices[c%len(p.Prices)].Amount = money.Amount(c) * money.Amount(c)
	})
	s.must(err)
	for _, p := range changed.Prices {
		s.prices[p.ID] = append(s.prices[p.ID], p.Amount)
	}
}

// renewAutomatically lets a service come to its end while it renews itself, sometimes for another price than before.
func (s *moneySite) renewAutomatically(u *moneyUser, b, c int) {
	h, ok := pick(u.services, b)
	if !ok || !h.seen.Running(s.now) {
		return
	}
	if !h.seen.AutoRenew {
		s.autoRenew(u, b, 1)
	}
	if c%4 != 0 {
		s.changePrices(h.seen.PlanID, func(amount money.Amount) money.Amount { return amount * money.Amount(c%4) / 2 })
	}
	at := h.seen.EndsAt.Add(time.Duration(c/4%48-36) * time.Hour)
	if at.After(s.now) && at.Before(moneyStart.AddDate(30, 0, 0)) {
		s.now = at
	}
	s.jobs(u, b, c)
}

// changePrices has staff change all prices of a plan.
func (s *moneySite) changePrices(planID int64, to func(money.Amount) money.Amount) {
	changed, err := s.Shop.ChangePlan(s.ctx, planID, func(p *shop.Plan) {
		for i := range p.Prices {
			p.Prices[i].Amount = to(p.Prices[i].Amount)
		}
	})
	s.must(err)
	for _, p := range changed.Prices {
		s.prices[p.ID] = append(s.prices[p.ID], p.Amount)
	}
}

// setCoupon has staff switch a coupon on or off.
func (s *moneySite) setCoupon(_ *moneyUser, b, c int) {
	coupon, _ := pick(s.coupons, b)
	_, err := s.Shop.ChangeCoupon(s.ctx, coupon.ID, func(k *shop.Coupon) { k.Enabled = c%2 == 0 }, nil)
	s.must(err)
}

// setCredit has staff choose where a credit goes that is more than the new plan.
func (s *moneySite) setCredit(_ *moneyUser, b, _ int) {
	to := []string{setting.AsTime, setting.ToWallet}[b%2]
	s.must(s.Settings.Set(s.ctx, settings(fmt.Sprintf(`{"change_credit": %q}`, to))))
}

// quotes asks what each refund and each change would bring.
func (s *moneySite) quotes(u *moneyUser, b, _ int) {
	for id := range u.bought {
		s.refundable(u, id)
	}
	price, _ := pick(s.priceIDs, b)
	for _, h := range u.services {
		q, err := s.Shop.PreOrder(s.ctx, u.id, shop.Purchase{PriceID: price, ChangeServiceID: &h.seen.ID})
		if most := h.worth(s.now); err == nil && float64(q.Credit) > most+0.01 {
			s.fatalf("a change of service %d would credit %s; %.2f is left", h.seen.ID, q.Credit, most/100)
		}
	}
	s.same(u)
}

// close ends the account, seldom.
func (s *moneySite) close(u *moneyUser, b, c int) {
	if b%8 != 7 || s.closed() == len(s.users)-1 {
		return
	}
	known, err := s.Accounts.User(s.ctx, u.id)
	s.must(err)
	loss, err := s.Accounts.Loss(s.ctx, u.id)
	s.must(err)
	farewell := account.CloseInput{Password: moneyPassword, Email: known.Email, Forfeit: loss.Money()}
	if c%2 == 0 {
		farewell.Forfeit++
	}
	err = s.Accounts.Close(s.ctx, account.Identity{UserID: u.id}, farewell, moneyClient)
	u.closed = err == nil
	if err != nil {
		s.same(u)
	}
}

func (s *moneySite) closed() (n int) {
	for _, u := range s.users {
		if u.closed {
			n++
		}
	}
	return n
}

var errSame = errors.New("nothing was done")

// same fails where anything of the user's changed.
func (s *moneySite) same(u *moneyUser) {
	s.settle(u, effect{err: errSame})
}

func (s *moneySite) must(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.fatalf("%v", err)
	}
}

func settings(text string) (values map[string]json.RawMessage) {
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		panic(err)
	}
	return values
}
