package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/cdkey"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/payment"
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
	"begin anew":  {8, (*moneySite).beginAnew},
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
	e.err = s.Shop.GrantTraffic(s.ctx, u.id, "gift", e.packed, "", nil)
	s.did(u, e)
}

// beginAnew has a node report half a quota, after which staff gives the traffic of a service's cycle once more.
func (s *moneySite) beginAnew(u *moneyUser, b, c int) {
	if c%4 != 0 {
		s.traffic(u, b, 2)
	}
	if h, ok := pick(u.services, b); ok {
		id := h.seen.ID
		err := s.Shop.Give(s.ctx, shop.Gift{UserID: u.id, Kind: shop.GiftReset, ServiceID: &id, Reason: "by staff"})
		s.did(u, effect{err: err, anew: id})
	}
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
	all, _, err := s.Invites.Payouts(s.ctx, invite.PayoutFilter{UserID: u.id, Limit: 1})
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
	email, loses, err := s.losesByClosing(u)
	s.must(err)
	farewell := account.CloseInput{Password: moneyPassword, Email: email, Forfeit: loses}
	if c%2 == 0 {
		farewell.Forfeit++
	}
	err = s.Accounts.Close(s.ctx, account.Identity{UserID: u.id}, farewell, moneyClient)
	u.closed = err == nil
	if err != nil {
		s.same(u)
	}
}

// losesByClosing returns what a user says to close the account: the address, and the money that is lost.
func (s *moneySite) losesByClosing(u *moneyUser) (email string, loses money.Amount, err error) {
	known, err := s.Accounts.User(s.ctx, u.id)
	if err != nil {
		return "", 0, err
	}
	loss, err := s.Accounts.Loss(s.ctx, u.id)
	return known.Email, loss.Money(), err
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
