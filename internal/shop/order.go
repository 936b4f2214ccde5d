package shop

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
)

// State is the state of an order.
type State string

// The states of an order.
const (
	Pending   State = "pending" // waits for its recharge; holds balance and stock
	Paid      State = "paid"
	Cancelled State = "cancelled"
	Expired   State = "expired"
	Refunded  State = "refunded"
)

// from is the table of transitions: the one state from which each state is reached. Those without a way on are final.
var from = map[State]State{Paid: Pending, Cancelled: Pending, Expired: Pending, Refunded: Paid}

// Terms is what an order promises, whatever becomes of the plan.
type Terms struct {
	Name         string        `json:"name"`
	Names        fault.ByLang  `json:"names,omitempty"` // in languages that had their own
	Lang         fault.Lang    `json:"lang,omitempty"`  // of the buyer; the invoice is in it
	Months       int           `json:"months,omitempty"`
	TrafficBytes *int64        `json:"traffic_bytes"` // null: unlimited
	Reset        service.Reset `json:"reset"`
	Class        int           `json:"class"`
	Groups       []int         `json:"groups"`
	SpeedMbps    *int          `json:"speed_mbps"`
	Devices      *int          `json:"devices"`
	ValidDays    *int          `json:"valid_days"`
	Replaces     string        `json:"replaces,omitempty"` // name of the service that ends
	Coupon       string        `json:"coupon,omitempty"`   // as it is written on the invoice
	// what the rest of a credit brings besides the months; nil: the wallet gets it
	Extra *extra `json:"extra,omitempty"`
}

// NameIn returns the name of what was sold in a reader's language, as it was then.
func (t *Terms) NameIn(lang fault.Lang) string { return t.Names.In(lang, t.Name) }

// sold is the name as the buyer read it.
func (t *Terms) sold() string { return t.NameIn(t.Lang) }

// Order is the intention to buy, and what came of it.
type Order struct {
	bun.BaseModel `bun:"table:shop_order"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	UserID        int64
	PlanID        int64
	PriceID       int64
	Kind          Kind
	ServiceID     *int64 // the service to renew
	ReplacesID    *int64 // the service that ends where this one starts
	Terms         Terms  `bun:"type:jsonb"`
	Price         money.Amount
	CouponID      *int64
	Discount      money.Amount // of the coupon
	Credit        money.Amount // the unused part of what was paid for the service that ends
	Amount        money.Amount // what the wallet pays: Price − Discount − Credit, at least 0
	Currency      string
	AutoRenew     bool
	TookStock     bool // given back where the order ends unpaid
	State         State
	RechargeID    *int64 // brings what was missing
	CreatedAt     time.Time
	UpdatedAt     time.Time
	ExpiresAt     time.Time // of an order that waited for money, else CreatedAt; the credit is that of this moment
	PaidAt        *time.Time

	// What it led to, where it is paid.
	Service      *int64     `bun:",scanonly"`
	Package      *int64     `bun:",scanonly"`
	EndsAt       *time.Time `bun:",scanonly"` // or ended, the service or package; nil: when it is used up
	Renews       bool       `bun:",scanonly"` // whether the service renews itself
	RechargeUUID *uuid.UUID `bun:",scanonly"`
	PeriodFrom   *time.Time `bun:",scanonly"` // of the service, the time that this order brought; nil of a package
	PeriodTo     *time.Time `bun:",scanonly"`
	InvoiceUUID  *uuid.UUID `bun:",scanonly"`
}

// Worth is what the order's delivery counts for, should it be given back one day: the price, or a credit that is more
// than it and stays with the service.
func (o *Order) Worth() money.Amount {
	if o.Terms.Extra != nil {
		return o.Credit
	}
	return o.Price - o.Discount
}

// Change is the part of the credit that is more than the price, where the wallet gets it.
func (o *Order) Change() money.Amount { return max(0, o.Credit-o.Worth()) }

// Ref is what the order's movement, hold and invoice refer to.
func (o *Order) Ref() wallet.Reference { return wallet.Reference{Kind: "order", ID: o.ID} }

// Faults of orders.
var (
	ErrNoOrder    = fault.NotFound("order_not_found", "没有这个订单", "There is no such order")
	ErrNotPending = fault.Conflict("order_not_pending", "订单已不在待支付状态",
		"The order is not waiting for payment any more")
	ErrSoldOut      = fault.Conflict("sold_out", "该商品已售罄", "This is sold out")
	ErrBoughtEnough = fault.Conflict("purchase_limit", "已达到每人限购数量", "You have bought this as often as one may")
	ErrNotRenewable = fault.Conflict("not_renewable", "该服务不支持续费", "This service cannot be renewed")
	ErrNoChange     = fault.Invalid("change_service_id", "package", "流量包不能替换服务", "A package replaces no service")
	ErrSamePlan     = fault.Conflict("same_plan", "这就是当前的套餐，请选择续费",
		"This is the plan that runs already; renew it instead")
	ErrPriceChanged = fault.Conflict("price_changed", "价格已变化，请确认后再购买",
		"The price has changed; please agree to it again")
	ErrOtherPlan     = fault.Invalid("renew_service_id", "other_plan", "该服务不属于这个套餐", "This service is of another plan")
	ErrTooManyOrders = fault.Conflict("too_many_orders", "待支付的订单过多，请先支付或取消",
		"Too many orders are waiting for payment; pay or cancel one first")
)

const maxPendingOrders = 5

// transition moves an order to another state where the table allows it, and reports whether it did.
func (s *Shop) transition(ctx context.Context, tx bun.Tx, id int64, to State) (bool, error) {
	now := s.db.Now()
	q := tx.NewUpdate().Model((*Order)(nil)).Set("state = ?", to).Set("updated_at = ?", now).
		Where("id = ? AND state = ?", id, from[to])
	if to == Paid {
		q.Set("paid_at = ?", now)
	}
	n, err := db.Changed(q.Exec(ctx))
	return n == 1, err
}

// event is what the operator's programs hear of an order.
func (o *Order) event(t webhook.Type, at time.Time, amount money.Amount) webhook.Event {
	return webhook.Event{Type: t, At: at, Data: map[string]any{
		"order_no": o.ID, "order_id": o.UUID, "user_id": o.UserID, "plan_id": o.PlanID, "kind": o.Kind,
		"amount": amount, "currency": o.Currency, "service_id": o.ServiceID,
	}}
}

// Cancel ends the user's pending order and gives back what it holds.
func (s *Shop) Cancel(ctx context.Context, userID int64, id string) error {
	o, err := s.Order(ctx, userID, id)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		ended, err := s.end(ctx, tx, o, Cancelled)
		if err == nil && !ended {
			err = ErrNotPending
		}
		return err
	})
}

// Expire ends the orders whose time is over and gives back what they hold.
func (s *Shop) Expire(ctx context.Context) error {
	var due []Order
	if err := s.db.NewSelect().Model(&due).Where("state = ? AND expires_at <= ?", Pending, s.db.Now()).OrderExpr("id").
		Scan(ctx); err != nil {
		return err
	}
	var failed error
	for i := range due { // one that fails must not keep the others waiting
		failed = errors.Join(failed, s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := s.end(ctx, tx, &due[i], Expired)
			return err
		}))
	}
	return failed
}

// end gives back what a pending order holds. Rows are locked in the order in which a payment takes them: recharge,
// order, plan, coupon, wallet.
func (s *Shop) end(ctx context.Context, tx bun.Tx, o *Order, to State) (bool, error) {
	if o.RechargeID != nil {
		if err := s.wallets.ExpireRecharge(ctx, tx, *o.RechargeID); err != nil {
			return false, err
		}
	}
	ended, err := s.transition(ctx, tx, o.ID, to)
	if err != nil || !ended {
		return false, err
	}
	if o.TookStock {
		if _, err := tx.NewUpdate().Model((*Plan)(nil)).Set("stock = stock + 1").Where("id = ?", o.PlanID).
			Exec(ctx); err != nil {
			return false, err
		}
	}
	if err := releaseCoupon(ctx, tx, o); err != nil {
		return false, err
	}
	return true, s.wallets.EndHold(ctx, tx, o.Ref())
}

func selectOrders(idb bun.IDB, into any) *bun.SelectQuery {
	return idb.NewSelect().Model(into).ColumnExpr("?TableColumns").
		ColumnExpr("f.service_id AS service, f.package_id AS package, coalesce(s.ended_at, p.ended_at, s.ends_at, "+
			"p.expires_at) AS ends_at").
		ColumnExpr("f.starts_at AS period_from, f.ends_at AS period_to").
		ColumnExpr("coalesce(s.auto_renew AND s.ended_at IS NULL, ?) AS renews", false).
		ColumnExpr("(SELECT uuid FROM recharge WHERE id = ?TableAlias.recharge_id) AS recharge_uuid").
		ColumnExpr("(SELECT uuid FROM invoice WHERE reference_kind = 'order' AND reference_id = ?TableAlias.id) AS " +
			"invoice_uuid").
		Join("LEFT JOIN fulfilment AS f ON f.order_id = ?TableAlias.id").
		Join("LEFT JOIN service AS s ON s.id = f.service_id").
		Join("LEFT JOIN package AS p ON p.id = f.package_id")
}

// Order returns a user's order by its number or uuid.
func (s *Shop) Order(ctx context.Context, userID int64, id string) (*Order, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return s.OrderIn(ctx, s.db, userID, id)
	}
	found := new(Order)
	if err := s.byNumber.Model(ctx, []any{number, userID}, found); err != nil {
		return nil, db.OrMissing(err, ErrNoOrder)
	}
	return found, nil
}

// OrderIn returns a user's order as idb, a transaction perhaps, sees it.
func (s *Shop) OrderIn(ctx context.Context, idb bun.IDB, userID int64, id string) (*Order, error) {
	var found []Order
	err := db.Named(selectOrders(idb, &found), id).Where("?TableAlias.user_id = ?", userID).Scan(ctx)
	return only(found, err)
}

func only(found []Order, err error) (*Order, error) {
	if err == nil && len(found) == 0 {
		err = ErrNoOrder
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// OrderOf returns the order that waits for a recharge, or nil.
func (s *Shop) OrderOf(ctx context.Context, rechargeID int64) (*Order, error) {
	var found []Order
	err := selectOrders(s.db, &found).Where("?TableAlias.recharge_id = ?", rechargeID).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// OrdersOf returns the user's orders that wait, or waited, for these recharges, by the recharge.
func (s *Shop) OrdersOf(ctx context.Context, userID int64, rechargeIDs []int64) (map[int64]*Order, error) {
	orders := make(map[int64]*Order, len(rechargeIDs))
	if len(rechargeIDs) == 0 {
		return orders, nil
	}
	var found []Order
	err := selectOrders(s.db, &found).Where("?TableAlias.user_id = ?", userID).
		Where("?TableAlias.recharge_id IN (?)", bun.List(rechargeIDs)).Scan(ctx)
	for i := range found {
		orders[*found[i].RechargeID] = &found[i]
	}
	return orders, err
}

// Purchases returns a part of the user's paid orders, newest first, and how many there are in all.
func (s *Shop) Purchases(ctx context.Context, userID, limit, offset int64) (orders []Order, total int64, err error) {
	total, err = selectOrders(s.db, &orders).Where("?TableAlias.user_id = ?", userID).
		Where("?TableAlias.state IN (?, ?)", Paid, Refunded).
		OrderExpr("?TableAlias.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return orders, total, err
}

// PurchasesOf returns a part of the user's paid orders of one service, newest first, and how many there are in all.
func (s *Shop) PurchasesOf(ctx context.Context, userID, serviceID, limit, offset int64) (orders []Order, total int64,
	err error,
) {
	if _, err := s.services.Get(ctx, userID, serviceID); err != nil {
		return nil, 0, err
	}
	total, err = selectOrders(s.db, &orders).Where("f.service_id = ?", serviceID).
		OrderExpr("?TableAlias.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return orders, total, err
}

// AutoRenewal is the next renewal of a service that renews itself.
type AutoRenewal struct {
	At    *time.Time // of the first try; nil: it does not renew itself
	Price *Price     // at present; nil: not sold any more
}

// RenewsBefore is how long before its end a service is renewed.
const RenewsBefore = 24 * time.Hour

// RenewsAt returns when a service that ends then is first renewed, seen from now.
func RenewsAt(endsAt, now time.Time) time.Time {
	if at := endsAt.Add(-RenewsBefore); at.After(now) {
		return at
	}
	return now
}

// SetAutoRenew says whether the user's service renews itself from the wallet. One that has ended or whose plan is not
// renewed cannot.
//
// To turn it on is to agree to the price; seen is the price that the user saw, where they saw one, and to name it again
// is to agree to one that was raised since. A price above it is ErrPriceChanged.
func (s *Shop) SetAutoRenew(ctx context.Context, userID, serviceID int64, on bool, seen *money.Amount) (AutoRenewal,
	error,
) {
	if !on {
		return AutoRenewal{}, s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			return s.services.SetAutoRenew(ctx, tx, userID, serviceID, false)
		})
	}
	v, err := s.services.Get(ctx, userID, serviceID)
	if err != nil {
		return AutoRenewal{}, err
	}
	// One that expired is still tried for a day, so that its user may still agree to a price.
	if agrees := seen != nil && v.AutoRenew && v.Renewable() == nil; !v.Running(s.db.Now()) && !agrees {
		return AutoRenewal{}, ErrEnded
	}
	price, err := s.RenewalPrice(ctx, userID, serviceID)
	if errors.Is(err, ErrNoPlan) {
		price, err = nil, nil
	}
	if err != nil {
		return AutoRenewal{}, err
	}
	if price != nil && seen != nil && price.Amount > *seen {
		return AutoRenewal{}, priceChanged(price.Amount, s.settings.Get().Currency)
	}
	at := RenewsAt(v.EndsAt, s.db.Now())
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if price != nil && (seen != nil || !v.AutoRenew) {
			if err := s.services.AgreeToPrice(ctx, tx, userID, serviceID, price.Amount); err != nil {
				return err
			}
		}
		return s.services.SetAutoRenew(ctx, tx, userID, serviceID, true)
	})
	if errors.Is(err, service.ErrGivenBack) { // meanwhile
		err = ErrEnded
	}
	return AutoRenewal{&at, price}, err
}

// StopRenewing ends the automatic renewal of what a paid order led to.
func (s *Shop) StopRenewing(ctx context.Context, userID int64, id string) error {
	o, err := s.Order(ctx, userID, id)
	if err != nil {
		return err
	}
	if o.Service == nil {
		return ErrNotRenewable
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return s.services.SetAutoRenew(ctx, tx, userID, *o.Service, false)
	})
}
