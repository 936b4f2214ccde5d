package app

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// The oracle of the money model knows what users paid and what they see, and from that alone what they can own at most.
// It adds up what a user has in the wallet and what is unused of all that runs, each period valued at what was paid for
// it times the smaller of its unused shares of time and of traffic. No step may raise that sum by more than the money
// or gift that came in with it. Where the documentation leaves room the oracle takes the user's side, so that what it
// reports is a loss.

// moneyUser is a user with all that the model knows of them.
type moneyUser struct {
	id       int64
	invited  []*moneyUser
	seen     holdings
	services []*heldService
	packages map[int64]*lot
	bought   map[int64]*shop.Order // paid orders, as last read
	orders   []int64               // all of them
	quotes   []oldQuote

	recharges []*moneyRecharge
	pending   []*moneyRecharge // those that orders wait for
	redeemed  []string
	requests  []int64

	paidIn   money.Amount // recharges
	paidBack money.Amount // the part of them that went back to the payer
	withdrew money.Amount // commission that was moved into the wallet
	paidOut  money.Amount // commission that was paid outside of the site
	regained money.Amount // what refunds of orders and changes of plan put back into the wallet
	closed   bool
}

type moneyRecharge struct {
	*wallet.Recharge
	bill     string // at the gateway: open, paid or failed
	credited bool
	back     money.Amount

	order int64        // that waits for it; 0: none
	held  money.Amount // what the order keeps of the wallet meanwhile
}

func (u *moneyUser) service(id int64) *heldService {
	for _, h := range u.services {
		if h.seen.ID == id {
			return h
		}
	}
	return nil
}

// effect is what a step says that it did to a user.
type effect struct {
	err    error        // then it did nothing
	in     money.Amount // into the wallet, without a purchase, refund or recharge
	out    money.Amount // out of it
	given  *givenTime
	packed int64 // bytes of a package that was given
	moved  int64 // billed bytes
	anew   int64 // the service whose quota staff began anew; 0: none
}

// givenTime is time of a plan that nobody paid for.
type givenTime struct {
	plan         int64
	months, days int
}

func (s *moneySite) look(u *moneyUser) holdings {
	h := holdings{services: map[int64]service.Service{}, packages: map[int64]service.Package{}}
	var err error
	if h.balance, err = s.Wallets.Balance(s.ctx, u.id); err != nil {
		s.fatalf("%v", err)
	}
	services, packages, err := s.Services.List(s.ctx, u.id)
	if err != nil {
		s.fatalf("%v", err)
	}
	for _, v := range services {
		h.services[v.ID] = v
	}
	for _, p := range packages {
		h.packages[p.ID] = p
	}
	return h
}

// settle compares what the user has after a step with what they had before it.
func (s *moneySite) settle(u *moneyUser, e effect) {
	maps.DeleteFunc(u.seen.packages, func(_ int64, p service.Package) bool {
		return p.ExpiresAt != nil && !p.ExpiresAt.After(s.now)
	})
	before, after := u.seen, s.look(u)
	if before.equal(after) {
		if e.in != 0 || e.out != 0 || e.given != nil || e.packed != 0 {
			s.fatalf("%+v changed nothing", e)
		}
		u.seen = after
		return
	}
	if e.err != nil {
		s.fatalf("%v, and yet it changed something:\n%+v\n%+v", e.err, before, after)
	}
	had := u.worth(s.now)
	paid, refunded := s.newPurchases(u)
	in := e.in + s.newCredits(u)

	balance := before.balance.Posted + in - e.out
	for _, o := range paid {
		balance += o.Change() - o.Amount
		u.regained += o.Change()
	}
	for _, amount := range refunded {
		balance += amount
		u.regained += amount
	}
	if after.balance.Posted != balance {
		s.fatalf("the wallet has %s, not %s: %s in, %s out, paid %v, refunded %v",
			after.balance.Posted, balance, in, e.out, paid, refunded)
	}
	s.checkHeld(u, after.balance)
	if b := after.balance; b.Posted < 0 || b.Held < 0 || b.Available != b.Posted-b.Held || b.Available < 0 {
		s.fatalf("balance %+v", b)
	}

	for _, o := range paid {
		s.deliver(u, o, before, after)
	}
	s.give(u, e, after)
	s.follow(u, e, before, after)
	u.seen = after
	if has := u.worth(s.now); has > had+float64(in-e.out)+0.01 {
		s.fatalf("the user owns %.2f after a step that brought %s; before it was %.2f", has/100, in-e.out, had/100)
	}
}

// checkHeld holds what is set aside in the wallet against the orders that wait.
func (s *moneySite) checkHeld(u *moneyUser, b wallet.Balance) {
	u.pending = slices.DeleteFunc(u.pending, func(r *moneyRecharge) bool {
		return s.order(u, r.order).State != shop.Pending
	})
	var held money.Amount
	for _, r := range u.pending {
		held += r.held
	}
	if b.Held != held {
		s.fatalf("%s is set aside for %d orders that wait, not %s", b.Held, len(u.pending), held)
	}
}

// newPurchases returns the user's orders that were paid since the last step, and the sums that went back for older
// ones.
func (s *moneySite) newPurchases(u *moneyUser) (paid []*shop.Order, refunded map[int64]money.Amount) {
	orders, _, err := s.Shop.Purchases(s.ctx, u.id, 500, 0)
	if err != nil {
		s.fatalf("%v", err)
	}
	var back []int64
	for i := range slices.Backward(orders) {
		o := &orders[i]
		known := u.bought[o.ID]
		switch {
		case known == nil && o.State == shop.Paid:
			paid = append(paid, o)
			if !slices.Contains(u.orders, o.ID) {
				s.checkAutomatic(u, o)
				u.orders = append(u.orders, o.ID)
			}
		case known != nil && known.State == shop.Paid && o.State == shop.Refunded:
			back = append(back, o.ID)
		case known == nil || known.State != o.State:
			s.fatalf("order %d went from %+v to %s", o.ID, known, o.State)
		}
		u.bought[o.ID] = o
	}
	if len(back) == 0 {
		return paid, nil
	}
	given, err := s.Shop.Refunded(s.ctx, back...)
	if err != nil {
		s.fatalf("%v", err)
	}
	refunded = map[int64]money.Amount{}
	for _, id := range back {
		refunded[id] = given[id].Amount
		if o := u.bought[id]; given[id].Amount > o.Amount+o.Credit {
			s.fatalf("%s was refunded of order %d, paid with %s and a credit of %s", given[id].Amount, id, o.Amount,
				o.Credit)
		}
	}
	return paid, refunded
}

// newCredits returns what recharges brought since the last step.
func (s *moneySite) newCredits(u *moneyUser) (sum money.Amount) {
	for _, r := range u.recharges {
		if r.credited {
			continue
		}
		known, err := s.Wallets.RechargeByNo(s.ctx, s.DB, r.ID)
		if err != nil {
			s.fatalf("%v", err)
		}
		if known.State != wallet.RechargeDone {
			continue
		}
		if r.bill != "paid" {
			s.fatalf("recharge %d is credited; the gateway calls it %s", r.ID, r.bill)
		}
		r.credited = true
		sum += r.Amount
	}
	u.paidIn += sum
	return sum
}

// checkAutomatic holds an order that the user did not make against what they agreed to.
func (s *moneySite) checkAutomatic(u *moneyUser, o *shop.Order) {
	if o.ServiceID == nil {
		s.fatalf("order %d was made by nobody: %+v", o.ID, o)
	}
	h := u.service(*o.ServiceID)
	if h == nil || !h.seen.AutoRenew || o.Price > h.agreed {
		s.fatalf("order %d renews service %+v for %s; its user agreed to %s", o.ID, h.seen, o.Price, h.agreed)
	}
}

// checkRuns reports a service that runs again after it was given back.
func (s *moneySite) checkRuns(h *heldService, v service.Service) {
	if why := h.seen.EndReason; why != nil && *why != service.ByExpiry && v.EndedAt == nil {
		s.fatalf("service %d was %s and runs again: %+v", v.ID, *why, v)
	}
}

// deliver adds what a paid order brought.
func (s *moneySite) deliver(u *moneyUser, o *shop.Order, before, after holdings) {
	s.checkPrice(o)
	if o.RechargeID != nil && !o.PaidAt.Before(o.ExpiresAt) {
		s.fatalf("order %d expired at %s and was completed at %s", o.ID, o.ExpiresAt, o.PaidAt)
	}
	if o.ReplacesID != nil {
		old := u.service(*o.ReplacesID)
		if most := old.worth(s.now); float64(o.Credit) > most+0.01 {
			s.fatalf("order %d credits %s of service %d, of which %.2f is left", o.ID, o.Credit, old.seen.ID, most/100)
		}
		if now := after.services[old.seen.ID]; now.Running(s.now) {
			s.fatalf("service %d was replaced by order %d and runs", old.seen.ID, o.ID)
		}
		old.seen = after.services[old.seen.ID]
	}
	paid := float64(o.Amount + o.Credit - o.Change())
	if o.Kind == shop.KindPackage {
		p, ok := after.packages[*o.Package]
		if _, had := u.packages[*o.Package]; !ok || had {
			s.fatalf("order %d brought the package %+v", o.ID, p)
		}
		u.packages[p.ID] = newPackageLot(p, s.now, paid)
		return
	}
	v, ok := after.services[*o.Service]
	if !ok || !v.Running(s.now) {
		s.fatalf("order %d is paid and service %+v does not run", o.ID, v)
	}
	h := u.service(v.ID)
	if o.Kind == shop.KindPlan {
		if h != nil {
			s.fatalf("order %d brought service %d, which was there", o.ID, v.ID)
		}
		h = &heldService{seen: v}
		u.services = append(u.services, h)
	}
	// What a credit or coupon is more than the price may stay with the service as time, at the price of the period.
	a := addition{paid: paid, months: o.Terms.Months, bytes: float64(megabyte)}
	if rest := paid + float64(o.Discount-o.Price); rest > 0 && o.Price > 0 {
		a.days = int(math.Ceil(rest / float64(o.Price) * 31 * float64(o.Terms.Months)))
		a.bytes += rest / float64(o.Price) * float64(megabyte)
	}
	s.checkRuns(h, v)
	h.add(s.now, s.zone, v, a)
	h.agreed = o.Price
}

// checkLimits holds what was bought against the limits of coupons and plans.
func (s *moneySite) checkLimits() {
	orders := map[int64]int{} // by coupon
	sold := map[int64]int64{} // by plan
	for _, u := range s.users {
		own, plans := map[int64]int{}, map[int64]int{}
		for _, o := range u.bought {
			if o.CouponID != nil {
				own[*o.CouponID]++
				orders[*o.CouponID]++
			}
			if o.Kind != shop.KindRenewal {
				sold[o.PlanID]++
				if o.State != shop.Refunded {
					plans[o.PlanID]++
				}
			}
		}
		for _, c := range s.coupons {
			tooOften := c.PerUser != nil && int64(own[c.ID]) > *c.PerUser || c.FirstOnly && own[c.ID] > 1
			if tooOften || c.Total != nil && int64(orders[c.ID]) > *c.Total {
				s.fatalf("coupon %s was used %d times by user %d, %d times in all", c.Code, own[c.ID], u.id,
					orders[c.ID])
			}
		}
		for _, p := range s.plans {
			if p.PerUser != nil && plans[p.ID] > *p.PerUser {
				s.fatalf("user %d bought %s %d times", u.id, p.Name, plans[p.ID])
			}
		}
	}
	for _, p := range s.plans {
		if p.Stock != nil && sold[p.ID] > *p.Stock {
			s.fatalf("%s was sold %d times; there were %d", p.Name, sold[p.ID], *p.Stock)
		}
	}
}

// checkPrice holds an order against the prices and coupons of the shop.
func (s *moneySite) checkPrice(o *shop.Order) {
	if !slices.Contains(s.prices[o.PriceID], o.Price) {
		s.fatalf("order %d is of %s; the price was never more than one of %v", o.ID, o.Price, s.prices[o.PriceID])
	}
	discount := money.Amount(0)
	if o.CouponID != nil {
		c := s.coupons[slices.IndexFunc(s.coupons, func(c shop.Coupon) bool { return c.ID == *o.CouponID })]
		if discount = c.Amount; c.Percent != nil {
			discount = o.Price * money.Amount(*c.Percent) / 100
		}
	}
	if o.Discount < 0 || o.Discount > min(discount, o.Price) {
		s.fatalf("order %d of %s has a discount of %s, not %s", o.ID, o.Price, o.Discount, discount)
	}
	if o.Amount != max(0, o.Price-o.Discount-o.Credit) {
		s.fatalf("order %d of %s less %s and %s costs %s", o.ID, o.Price, o.Discount, o.Credit, o.Amount)
	}
}

// newPackageLot returns the lot of a package. The bytes of one that never expires are worth the same for good.
func newPackageLot(p service.Package, now time.Time, paid float64) *lot {
	if p.ExpiresAt == nil {
		end := now.AddDate(100, 0, 0)
		return &lot{paid: paid, start: end, end: end, quota: float64(p.Bytes)}
	}
	return &lot{paid: paid, start: now, end: *p.ExpiresAt, quota: float64(p.Bytes)}
}

// give adds what a step gave.
func (s *moneySite) give(u *moneyUser, e effect, after holdings) {
	if e.given != nil {
		var h *heldService
		for _, v := range after.services {
			known := u.service(v.ID)
			if known == nil {
				known = &heldService{seen: v}
				u.services = append(u.services, known)
			} else if known.seen.EndsAt.Equal(v.EndsAt) {
				continue
			}
			if h != nil || v.PlanID != e.given.plan {
				s.fatalf("%+v brought %+v", e.given, v)
			}
			h = known
			s.checkRuns(h, v)
			h.add(s.now, s.zone, v, addition{months: e.given.months, days: e.given.days, bytes: float64(megabyte)})
		}
		if h == nil {
			s.fatalf("%+v brought nothing", e.given)
		}
	}
	if e.packed > 0 {
		for id, p := range after.packages {
			if u.packages[id] == nil {
				if p.Bytes != e.packed {
					s.fatalf("a gift of %d bytes brought %+v", e.packed, p)
				}
				u.packages[id] = newPackageLot(p, s.now, 0)
			}
		}
	}
}

// follow reads the changes of services and packages, and reports those without a reason.
func (s *moneySite) follow(u *moneyUser, e effect, before, after holdings) {
	var counted int64
	for id, v := range after.services {
		h := u.service(id)
		if h == nil {
			s.fatalf("service %+v came from nowhere", v)
		}
		if v.EndsAt.After(h.seen.EndsAt) || h.seen.EndedAt != nil && v.EndedAt == nil {
			s.fatalf("service %d runs until %s without a reason; before it was %+v", id, v.EndsAt, h.seen)
		}
		if last := h.latestEnd(); v.Running(s.now) && v.EndsAt.After(last) {
			s.fatalf("service %d has %d months and %d days from %s and runs until %s", id, h.months, h.days, h.began,
				v.EndsAt)
		}
		old, had := before.services[id]
		if e.err == nil && e.anew == id {
			h.beginAnew(&old)
		} else if old.Cycle != v.Cycle {
			h.mostUsed = 0
		}
		s.checkRuns(h, v)
		s.checkQuota(h, v)
		if !had || old.Cycle != v.Cycle {
			old.Billed = 0
		}
		counted += v.Billed - old.Billed
		if v.QuotaBytes != nil {
			h.move(float64(min(v.Billed, *v.QuotaBytes) - min(old.Billed, *v.QuotaBytes)))
		}
		h.seen = v
		if v.EndedAt != nil {
			h.lots = nil
		}
	}
	gone := false
	for id, l := range u.packages {
		p, ok := after.packages[id]
		if !ok {
			gone = true
			if l.end.After(s.now) { // it was used up
				counted += max(0, int64(l.quota-l.used))
			}
			delete(u.packages, id)
			continue
		}
		counted += p.Used - before.packages[id].Used
		l.used = float64(p.Used)
	}
	for id, p := range after.packages {
		if u.packages[id] == nil {
			s.fatalf("package %+v came from nowhere", p)
		}
	}
	// Upload and download are rounded down apart. Of a package that is used up the last bytes are not seen.
	if e.moved > 0 && (counted > e.moved || counted < e.moved-1 && !gone) {
		s.fatalf("%d bytes were moved, %d are counted", e.moved, counted)
	}
}

// checkQuota holds the traffic of a service against what was bought and given.
func (s *moneySite) checkQuota(h *heldService, v service.Service) {
	if !v.Running(s.now) {
		return
	}
	plan := s.plans[slices.IndexFunc(s.plans, func(p shop.Plan) bool { return p.ID == v.PlanID })]
	most := float64(megabyte)
	if v.Reset == service.Never {
		most = h.bytes
	}
	if (v.QuotaBytes == nil) != (plan.TrafficBytes == nil) || v.QuotaBytes != nil && float64(*v.QuotaBytes) > most {
		s.fatalf("service %+v has more traffic than the %.0f bytes of its purchases", v, most)
	}
	if most := h.mostCyclesUntil(s.now); h.cyclesOf(&v) > most {
		s.fatalf("service %d is in cycle %d; it began to run with cycle %d at %s", v.ID, v.Cycle, h.firstCycle, h.began)
	}
}

// checkCommissions holds what users earned by others against what these paid.
func (s *moneySite) checkCommissions() {
	for _, u := range s.users {
		var paid, stayed money.Amount
		for _, i := range u.invited {
			paid += i.paidIn - i.paidBack
			stayed -= i.regained
			for _, o := range i.bought {
				stayed += o.Amount
			}
		}
		e, err := s.Invites.Earnings(s.ctx, u.id)
		s.must(err)
		b, err := s.Wallets.Balance(s.ctx, u.id) // of one who left too
		s.must(err)
		gone := u.withdrew + u.paidOut
		earned := b.Commission + b.Pending + b.PayingOut + gone - e.Owed
		if earned > min(paid, stayed)/10 {
			s.fatalf("user %d earned %s by users who paid %s, and spent %s that did not come back", u.id, earned, paid,
				stayed)
		}
		if e.Owed > gone || e.Owed > 0 && b.Commission+b.PayingOut > 0 {
			s.fatalf("user %d withdrew %s, has %s and owes %s", u.id, gone, b.Commission+b.PayingOut, e.Owed)
		}
		s.checkPayouts(u, b)
	}
}

// checkPayouts holds what is set aside for payouts, and what left the site by them, against the user's requests.
func (s *moneySite) checkPayouts(u *moneyUser, b wallet.Balance) {
	payouts, _, err := s.Invites.Payouts(s.ctx, invite.PayoutFilter{UserID: u.id, Limit: 10_000})
	s.must(err)
	var held, paid money.Amount
	for _, p := range payouts {
		switch p.State {
		case invite.PayoutOpen, invite.PayoutWaiting:
			held += p.Amount
		case invite.PayoutPaid:
			paid += p.Amount
		}
	}
	if held != b.PayingOut || paid != u.paidOut {
		s.fatalf("user %d has payouts of %s pending and %s paid; %s is held, %s was paid out", u.id, held, paid,
			b.PayingOut, u.paidOut)
	}
	if u.closed && held > 0 {
		s.fatalf("user %d left and has a payout of %s pending", u.id, held)
	}
}

// checkMovements holds the wallet against the list of its movements.
func (s *moneySite) checkMovements(u *moneyUser) {
	var sum money.Amount
	for page := int64(1); ; page++ {
		movements, total, err := s.Wallets.Movements(s.ctx, u.id, page, 100)
		if err != nil {
			s.fatalf("%v", err)
		}
		for _, m := range movements {
			sum += m.Amount
		}
		if page*100 >= total {
			break
		}
	}
	if sum != u.seen.balance.Posted {
		s.fatalf("the wallet of user %d has %s; its movements come to %s", u.id, u.seen.balance.Posted, sum)
	}
}

// checkSite asks the doctor, and all of the ledger.
func (s *moneySite) checkSite() {
	broken, err := s.Check(context.WithoutCancel(s.ctx))
	if err != nil || len(broken) > 0 {
		s.fatalf("the doctor finds %v %v", broken, err)
	}
}
