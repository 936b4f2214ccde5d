package shop

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
)

// Purchase is what a user wants to buy.
type Purchase struct {
	PriceID         int64
	RenewServiceID  *int64 // the service to renew; nil: something new
	ChangeServiceID *int64 // the service that ends where the new one starts, its unused part being paid back; nil: none
	AutoRenew       bool   // of a new service
	OnlyRenewal     bool   // whether the user's other services stop renewing themselves; known to Confirm alone
	Coupon          string
	MaxAmount       *money.Amount // what the buyer agreed to pay; nil: whatever it costs
	Lang            fault.Lang    // that the buyer reads; empty: that they last used
	PayTime         time.Duration // that a payment needs at its gateway; 0: what the site gives
	ByStaff         *ByStaff      // nil: the user buys
}

// Quote is what a purchase would cost this user now.
type Quote struct {
	Price    *Price
	Renews   *service.Service // the service to renew; nil: something new
	Replaces *service.Service // the service that ends; nil: none
	Discount money.Amount     // of a coupon
	coupon   *Coupon
	at       time.Time // when the quote was made
	// unused of the service that ends: now or, where money is missing, when the order would expire
	Credit      money.Amount
	Amount      money.Amount // what is to be paid: the price less discount and credit, at least 0
	Change      money.Amount // what the credit is more than the price, where the wallet gets it
	Kept        money.Amount // the same where it stays with the new service, as more time than was bought
	EndsAt      *time.Time   // of the service that would begin or be renewed; nil of a package
	extra       *extra
	Available   money.Amount // in the wallet
	BalanceUsed money.Amount // the part of Amount that the wallet pays
	Missing     money.Amount // the rest
	Recharge    money.Amount // what a recharge of the rest comes to; 0 where nothing is missing
}

// PreOrder tells what a purchase would cost, or why it cannot be made. It changes nothing.
func (s *Shop) PreOrder(ctx context.Context, userID int64, p Purchase) (*Quote, error) {
	q, err := s.quote(ctx, s.db, userID, p)
	if err != nil {
		return nil, err
	}
	if q.Renews == nil {
		if q.Price.Plan.Stock != nil && *q.Price.Plan.Stock == 0 {
			return nil, ErrSoldOut
		}
		if err := checkPurchaseLimit(ctx, s.db, userID, q.Price.Plan); err != nil {
			return nil, err
		}
	}
	if q.coupon != nil && q.coupon.Total != nil && q.coupon.Taken >= *q.coupon.Total {
		return nil, errCouponGone
	}
	if err := s.mayUse(ctx, s.db, userID, q.coupon); err != nil {
		return nil, err
	}
	balance, err := s.wallets.Balance(ctx, userID)
	if err != nil {
		return nil, err
	}
	spendable := p.spendable(balance.Available)
	if err := s.creditForWaiting(ctx, s.db, userID, p, q, spendable); err != nil {
		return nil, err
	}
	q.Available, q.BalanceUsed = balance.Available, min(q.Amount, spendable)
	if q.Missing = q.Amount - q.BalanceUsed; q.Missing > 0 {
		q.Recharge = s.wallets.RechargeFor(q.Missing)
	}
	return q, nil
}

// quote finds what p speaks of, whether this user may buy it at all, and what is credited to it.
func (s *Shop) quote(ctx context.Context, idb bun.IDB, userID int64, p Purchase) (*Quote, error) {
	q, err := s.find(ctx, idb, userID, p)
	if err != nil || q.Renews != nil {
		return q, err
	}
	if err := s.creditFor(ctx, idb, userID, p, q, q.at); err != nil {
		return nil, err
	}
	if q.Price.Plan.Kind == KindPlan {
		q.EndsAt = new(s.services.EndOfNew(q.at, q.Price.Months).Add(q.extra.duration()))
	}
	return q, nil
}

// find is quote without a credit. It locks nothing.
func (s *Shop) find(ctx context.Context, idb bun.IDB, userID int64, p Purchase) (*Quote, error) {
	pr, err := s.price(ctx, idb, p.PriceID)
	if err != nil {
		return nil, err
	}
	if err := p.priceByStaff(pr); err != nil {
		return nil, err
	}
	q := &Quote{Price: pr, Amount: pr.Amount, at: s.db.Now()}
	if err := s.discount(ctx, idb, userID, p, q); err != nil {
		return nil, err
	}
	if p.RenewServiceID == nil {
		if !pr.Plan.Visible && p.ByStaff == nil {
			return nil, ErrNoPlan
		}
		return q, s.findReplaced(ctx, idb, userID, p, q)
	}
	v, err := s.services.GetIn(ctx, idb, userID, *p.RenewServiceID)
	switch {
	case err != nil:
		return nil, err
	case v.PlanID != pr.PlanID || pr.Plan.Kind != KindPlan:
		return nil, ErrOtherPlan
	case !pr.Plan.Renewable:
		return nil, ErrNotRenewable
	}
	q.Renews, q.EndsAt = &v, new(s.services.EndOfRenewal(&v, pr.Months))
	return q, v.Renewable()
}

// findReplaced finds the service that the new one replaces; it must run.
func (s *Shop) findReplaced(ctx context.Context, idb bun.IDB, userID int64, p Purchase, q *Quote) (err error) {
	if p.ChangeServiceID == nil {
		return nil
	}
	if q.Price.Plan.Kind != KindPlan {
		return ErrNoChange
	}
	q.Replaces, err = s.running(ctx, idb, userID, *p.ChangeServiceID)
	if err == nil && q.Replaces.PlanID == q.Price.PlanID {
		err = ErrSamePlan
	}
	return err
}

// creditForWaiting computes the quote again where the order would wait for money. What is used until it is paid must
// not be credited, and the price must not change after the user agreed to it: the credit is that of the moment at which
// the order expires.
func (s *Shop) creditForWaiting(
	ctx context.Context, idb bun.IDB, userID int64, p Purchase, q *Quote, available money.Amount,
) error {
	if q.Amount <= available {
		return nil
	}
	return s.creditFor(ctx, idb, userID, p, q, q.at.Add(s.waits(&p, q)))
}

// waits returns how long an order waits for money: as long as the site gives, or as a member of staff who assigns it
// says, and longer where its gateway needs that. One that holds limited stock or a limited coupon, or whose credit
// shrinks meanwhile, gets nothing more for its gateway.
func (s *Shop) waits(p *Purchase, q *Quote) time.Duration {
	given := time.Duration(s.settings.Get().RechargeMinutes) * time.Minute
	if assigned := p.assignedFor(); assigned > 0 {
		given = assigned
	}
	holdsStock := p.RenewServiceID == nil && q.Price.Plan.Stock != nil
	holdsCoupon := q.coupon != nil && q.coupon.Total != nil
	if holdsStock || holdsCoupon || p.ChangeServiceID != nil {
		return given
	}
	return cmp.Or(p.PayTime, given)
}

// creditFor reckons the service that the new one replaces into the quote, with what will be unused of it at that time.
func (s *Shop) creditFor(ctx context.Context, idb bun.IDB, userID int64, p Purchase, q *Quote, at time.Time) error {
	err := s.findReplaced(ctx, idb, userID, p, q)
	if err != nil || q.Replaces == nil {
		return err
	}
	_, q.Credit, err = s.services.Unused(ctx, idb, service.Item{UserID: userID, ServiceID: &q.Replaces.ID}, at)
	if err != nil {
		return err
	}
	worth := q.Price.Amount - q.Discount
	q.Amount = max(0, worth-q.Credit)
	rest := max(0, q.Credit-worth)
	if rest == 0 {
		q.Change, q.Kept, q.extra = 0, 0, nil
		return nil
	}
	if s.settings.Get().ChangeCredit == setting.ToWallet {
		q.Change = rest
		return nil
	}
	q.Kept = rest
	q.extra, err = s.extraFor(q.Price, rest, q.at)
	return err
}

// checkPurchaseLimit is a fault where the user's orders of the plan, pending ones too, are as many as one may have.
func checkPurchaseLimit(ctx context.Context, idb bun.IDB, userID int64, p *Plan) error {
	if p.PerUser == nil {
		return nil
	}
	n, err := idb.NewSelect().Model((*Order)(nil)).
		Where("plan_id = ? AND user_id = ? AND kind <> ? AND state IN (?, ?)",
			p.ID, userID, KindRenewal, Pending, Paid).Count(ctx)
	if err == nil && n >= int64(*p.PerUser) {
		err = ErrBoughtEnough
	}
	return err
}

// Confirm buys from the wallet: order, stock, invoice, postings and service, or nothing of it. A wallet that does not
// cover the price is wallet.ErrBalanceTooLow. It gives the order's number.
func (s *Shop) Confirm(ctx context.Context, userID int64, p Purchase) (orderID int64, err error) {
	return idempotency.Tx(ctx, s.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		id, err := s.Place(ctx, tx, userID, p, nil)
		if err == nil && p.OnlyRenewal {
			err = s.services.StopOtherRenewals(ctx, tx, userID, id)
		}
		return id, err
	})
}

// RechargeFunc begins a recharge of what is missing, which waits that long for its payment, and gives its number.
type RechargeFunc func(ctx context.Context, tx bun.Tx, missing money.Amount, waits time.Duration) (id int64, err error)

// Place makes an order and completes it from the wallet. Where the wallet does not cover it, recharge begins a recharge
// of what is missing; the order then waits for it, holding stock and balance. Without recharge that is
// wallet.ErrBalanceTooLow.
func (s *Shop) Place(ctx context.Context, tx bun.Tx, userID int64, p Purchase, recharge RechargeFunc) (orderID int64,
	err error,
) {
	if err := wallet.RefuseBanned(ctx, tx, userID); err != nil {
		return 0, err
	}
	q, err := s.find(ctx, tx, userID, p)
	if err != nil {
		return 0, err
	}
	plan := q.Price.Plan
	takes := Order{PlanID: plan.ID, TookStock: q.Renews == nil && plan.Stock != nil}
	if q.coupon != nil {
		takes.CouponID = &q.coupon.ID
	}
	if q.Replaces != nil { // the orders that wait on it end
		waiting, err := waitingOn(ctx, tx, userID, q.Replaces.ID)
		if err != nil {
			return 0, err
		}
		if err := s.lockOrders(ctx, tx, waiting); err != nil {
			return 0, err
		}
		if err := lockReserved(ctx, tx, append(waiting, takes)); err != nil {
			return 0, err
		}
	}
	if takes.TookStock {
		n, err := db.Changed(tx.NewUpdate().Model((*Plan)(nil)).Set("stock = stock - 1").Where("id = ? AND stock > 0",
			plan.ID).Exec(ctx))
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return 0, ErrSoldOut
		}
	}
	if err := reserveCoupon(ctx, tx, q.coupon); err != nil {
		return 0, err
	}
	available, err := s.wallets.LockOpen(ctx, tx, userID) // from here on one purchase of a user after the other
	if err != nil {
		return 0, err
	}
	available = p.spendable(available)
	if q.Renews == nil {
		if err := checkPurchaseLimit(ctx, tx, userID, plan); err != nil {
			return 0, err
		}
	}
	if err := s.mayUse(ctx, tx, userID, q.coupon); err != nil {
		return 0, err
	}
	// now that no other purchase of the user is under way
	if err := s.creditFor(ctx, tx, userID, p, q, q.at); err != nil {
		return 0, err
	}
	if err := s.creditForWaiting(ctx, tx, userID, p, q, available); err != nil {
		return 0, err
	}
	if p.MaxAmount != nil && q.Amount > *p.MaxAmount {
		return 0, priceChanged(q.Amount, s.settings.Get().Currency)
	}
	now := q.at
	o := &Order{
		UUID: uuid.New(), UserID: userID, PlanID: plan.ID, PriceID: q.Price.ID, Kind: plan.Kind,
		ReplacesID: p.ChangeServiceID,
		Price:      q.Price.Amount, Discount: q.Discount, Credit: q.Credit, Amount: q.Amount,
		Currency:  s.settings.Get().Currency,
		AutoRenew: p.AutoRenew, TookStock: takes.TookStock,
		State: Pending, CreatedAt: now, UpdatedAt: now, ExpiresAt: now,
		Terms: Terms{
			Name: plan.Name, Names: plan.Names, Lang: p.Lang, Months: q.Price.Months, TrafficBytes: plan.TrafficBytes,
			Reset: plan.Reset,
			Class: plan.Class, Groups: plan.Groups, SpeedMbps: plan.SpeedMbps, Devices: plan.Devices,
			ValidDays: plan.ValidDays, Extra: q.extra,
		},
	}
	if p.Lang == "" {
		if err := tx.NewRaw(`SELECT COALESCE((SELECT lang FROM account WHERE id = ?), '')`, userID).
			Scan(ctx, &o.Terms.Lang); err != nil {
			return 0, err
		}
	}
	if q.Replaces != nil {
		o.Terms.Replaces = q.Replaces.NameIn(o.Terms.Lang)
	}
	if q.coupon != nil {
		o.CouponID, o.Terms.Coupon = &q.coupon.ID, q.coupon.Code
	}
	if q.Renews != nil {
		o.Kind, o.ServiceID = KindRenewal, &q.Renews.ID
	}
	missing := o.Amount - available
	if missing > 0 {
		if recharge == nil {
			return 0, tooLow(missing, o.Currency)
		}
		pending, err := tx.NewSelect().Model((*Order)(nil)).Where("user_id = ? AND state = ?", userID, Pending).
			Count(ctx)
		if err != nil {
			return 0, err
		}
		if pending >= maxPendingOrders {
			return 0, ErrTooManyOrders
		}
		waits := s.waits(&p, q)
		id, err := recharge(ctx, tx, missing, waits)
		if err != nil {
			return 0, err
		}
		o.RechargeID, o.ExpiresAt = &id, now.Add(waits)
	}
	if missing <= 0 {
		o.State, o.PaidAt = Paid, &now
	}
	if err := db.InsertPrepared(ctx, tx, o); err != nil {
		return 0, err
	}
	switch {
	case missing <= 0:
		err = s.pay(ctx, tx, o)
	case available > 0:
		err = s.wallets.Hold(ctx, tx, userID, available, o.Ref())
	}
	return o.ID, err
}

func priceChanged(amount money.Amount, currency string) error {
	f := *ErrPriceChanged
	f.Text = fault.Text{
		ZH: "价格已变为 " + amount.String() + " " + currency + "，请确认后再购买",
		EN: "The price is " + amount.String() + " " + currency + " now; please agree to it again",
	}
	return &f
}

func tooLow(missing money.Amount, currency string) error {
	f := *wallet.ErrBalanceTooLow
	f.Text = fault.Text{ZH: "余额不足，还差 " + missing.String() + " " + currency, EN: "The balance is too low: " +
		missing.String() + " " + currency + " more is needed"}
	return &f
}

// Complete pays a pending order from the wallet and delivers what it promises, as part of tx. An order that ended
// before is left alone. One whose time is over ends, whether or not the timetable has come to it: its money stays in
// the wallet.
func (s *Shop) Complete(ctx context.Context, tx bun.Tx, o *Order) (completed bool, err error) {
	if !s.db.Now().Before(o.ExpiresAt) {
		_, err := s.end(ctx, tx, o, Expired)
		return false, err
	}
	if banned, err := wallet.Banned(ctx, tx, o.UserID); err != nil {
		return false, err
	} else if banned { // has no service while the ban runs; what was paid is in the wallet
		_, err := s.end(ctx, tx, o, Cancelled)
		return false, err
	}
	if stale, err := s.stale(ctx, tx, o); err != nil {
		return false, err
		// an order keeps its price, so this one cannot be kept; what was recharged for it is in the wallet
	} else if stale {
		_, err := s.end(ctx, tx, o, Cancelled)
		return false, err
	}
	changed, err := s.transition(ctx, tx, o.ID, Paid)
	if err != nil || !changed {
		return false, err
	}
	if o.RechargeID != nil { // only an order that waited for money holds some
		if err := s.wallets.EndHold(ctx, tx, o.Ref()); err != nil {
			return false, err
		}
	}
	return true, s.pay(ctx, tx, o)
}

// pay moves the money of an order that has become paid in tx, and delivers what it promises.
func (s *Shop) pay(ctx context.Context, tx bun.Tx, o *Order) error {
	if err := webhook.Emit(ctx, tx, o.event(webhook.OrderPaid, s.db.Now(), o.Amount)); err != nil {
		return err
	}
	if o.Amount > 0 {
		err := s.wallets.Post(ctx, tx, wallet.Purchase, o.Ref(), o.Terms.sold(),
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: o.UserID}, Amount: -o.Amount},
			wallet.Entry{Account: wallet.Account{Kind: wallet.Sales}, Amount: o.Amount})
		if err != nil {
			return err
		}
		if err := s.invites.Earn(ctx, tx, o.UserID, o.ID, o.Terms.sold()); err != nil {
			return err
		}
	}
	if change := o.Change(); change > 0 {
		err := s.wallets.Post(ctx, tx, wallet.PlanChange, o.Ref(), o.Terms.sold(),
			wallet.Entry{Account: wallet.Account{Kind: wallet.Sales}, Amount: -change},
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: o.UserID}, Amount: change})
		if err != nil {
			return err
		}
		if err := s.invites.LockHolders(ctx, tx, o.UserID); err != nil {
			return err
		}
	}
	if err := s.wallets.Invoice(ctx, tx, o.UserID, o.Ref(), o.Lines()...); err != nil {
		return err
	}
	if err := s.deliver(ctx, tx, o); err != nil {
		return err
	}
	if change := o.Change(); change > 0 { // now that the service which is replaced was given back
		return s.giveCommissionBack(ctx, tx, o, o.ID, change, o.Worth())
	}
	return nil
}

// stale reports whether an order that waited for money can no longer be kept: the service that it renews was given
// back, or the one that it ends has ended or is no longer worth the credit that was agreed, by use or by another order.
func (s *Shop) stale(ctx context.Context, tx bun.Tx, o *Order) (bool, error) {
	switch {
	case o.ServiceID != nil:
		v, err := s.services.GetIn(ctx, tx, o.UserID, *o.ServiceID)
		return v.Renewable() != nil, err
	case o.ReplacesID != nil:
		_, err := s.running(ctx, tx, o.UserID, *o.ReplacesID)
		if errors.Is(err, ErrEnded) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		_, credit, err := s.services.Unused(ctx, tx, service.Item{UserID: o.UserID, ServiceID: o.ReplacesID},
			o.ExpiresAt)
		return credit != o.Credit, err
	}
	return false, nil
}

// Lines are those of the order's invoice. Of a credit only what paid for something is shown; the rest is a movement.
func (o *Order) Lines() []wallet.Line {
	first := wallet.Line{Kind: map[Kind]wallet.LineKind{
		KindPlan: wallet.PlanLine, KindRenewal: wallet.RenewalLine,
		KindPackage: wallet.PackageLine,
	}[o.Kind], Name: o.Terms.sold(), Amount: o.Price}
	if o.Kind != KindPackage {
		first.Months = &o.Terms.Months
	}
	lines := []wallet.Line{first}
	if o.Discount > 0 {
		lines = append(lines, wallet.Line{Kind: wallet.DiscountLine, Name: o.Terms.Coupon, Amount: -o.Discount})
	}
	if used := min(o.Credit, o.Price-o.Discount); used > 0 {
		lines = append(lines, wallet.Line{Kind: wallet.CreditLine, Name: o.Terms.Replaces, Amount: -used})
	}
	return lines
}

func (s *Shop) deliver(ctx context.Context, tx bun.Tx, o *Order) (err error) {
	t := o.Terms
	switch o.Kind {
	case KindPlan:
		if o.ReplacesID != nil {
			_, credit, err := s.services.GiveBack(ctx, tx, service.Item{UserID: o.UserID, ServiceID: o.ReplacesID},
				o.ExpiresAt,
				service.Return{Reason: service.ByChange, OrderID: &o.ID})
			if err == nil && credit != o.Credit {
				err = errors.New("shop: the credit of a change is not what is unused of the service")
			}
			if err == nil {
				err = s.endWaiting(ctx, tx, o.UserID, *o.ReplacesID, o.ID)
			}
			if err != nil {
				return err
			}
		}
		terms := service.Terms{
			UserID: o.UserID, OrderID: &o.ID, Paid: o.Worth(), PlanID: o.PlanID, Name: t.Name, Names: t.Names,
			Class: t.Class, Groups: t.Groups, SpeedMbps: t.SpeedMbps, Devices: t.Devices,
			QuotaBytes: t.TrafficBytes, Reset: t.Reset, Months: t.Months, AutoRenew: o.AutoRenew, Price: o.Price,
		}
		if t.Extra != nil {
			terms.Extra, terms.ExtraBytes = time.Duration(t.Extra.Seconds)*time.Second, t.Extra.Bytes
		}
		_, err = s.services.Start(ctx, tx, terms)
	case KindRenewal:
		err = s.services.Extend(ctx, tx, service.Extension{
			UserID: o.UserID, ServiceID: *o.ServiceID, OrderID: &o.ID,
			Paid: o.Worth(), Price: &o.Price, Months: t.Months,
		})
	case KindPackage:
		p := service.PackageTerms{
			UserID: o.UserID, OrderID: &o.ID, Paid: o.Worth(), Name: t.Name, Names: t.Names,
			Kind: service.Bought, Bytes: *t.TrafficBytes,
		}
		if t.ValidDays != nil {
			until := s.db.Now().AddDate(0, 0, *t.ValidDays)
			p.ExpiresAt = &until
		}
		_, err = s.services.AddPackage(ctx, tx, p)
	}
	return err
}
