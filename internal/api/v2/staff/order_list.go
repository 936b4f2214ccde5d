package staff

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// OrderRow is an order in a list; exported because it is embedded.
type OrderRow = orderRow

type orderLine struct {
	Kind   string       `json:"kind" enum:"plan,renewal,package,discount,credit"`
	Name   string       `json:"name" doc:"Of the plan, the coupon, or the service that ends"`
	Months *int         `json:"months" nullable:"true" doc:"Of a plan or a renewal"`
	Amount money.Amount `json:"amount" doc:"Negative: a credit or discount"`
}

type orderDetail struct {
	OrderRow
	Lines      []orderLine   `json:"lines" doc:"Of the invoice, or of the one to come"`
	PeriodFrom *time.Time    `json:"period_from" nullable:"true" doc:"Of a service, the time that this order brought"`
	PeriodTo   *time.Time    `json:"period_to" nullable:"true"`
	AutoRenew  bool          `json:"auto_renew" doc:"Whether the service that it led to renews itself"`
	Refundable money.Amount  `json:"refundable" doc:"What a refund would give back now; 0.00: nothing"`
	Refunded   *money.Amount `json:"refunded" nullable:"true" doc:"What was given back"`
	RefundedAt *time.Time    `json:"refunded_at" nullable:"true"`
	Bookings   []booking     `json:"bookings" doc:"What it moved in the ledger, oldest first"`
}

// newOrderDetail adds to a row of the list what only the order's page shows.
func newOrderDetail(ctx context.Context, s *shop.Shop, w *wallet.Wallets, row *orderRow) (out orderDetail, err error) {
	orders, err := s.OrdersByID(ctx, []int64{row.No})
	if err != nil || len(orders) == 0 {
		return out, err
	}
	o := &orders[0]
	out = orderDetail{
		OrderRow: *row, Lines: []orderLine{}, PeriodFrom: o.PeriodFrom, PeriodTo: o.PeriodTo, AutoRenew: o.Renews,
	}
	for _, l := range o.Lines() {
		out.Lines = append(out.Lines, orderLine{string(l.Kind), l.Name, l.Months, l.Amount})
	}
	given, err := s.Refunded(ctx, o.ID)
	if err != nil {
		return out, err
	}
	if back, ok := given[o.ID]; ok {
		out.Refunded, out.RefundedAt = &back.Amount, &back.CreatedAt
	}
	if out.Refundable, err = s.Refundable(ctx, o.UserID, text(o.ID)); err != nil {
		return out, err
	}
	found, err := w.BookingsFor(ctx, o.Ref())
	out.Bookings = newBookings(found)
	return out, err
}

type orderRow struct {
	No          int64        `json:"no"`
	ID          uuid.UUID    `json:"id"`
	User        personRef    `json:"user"`
	Kind        string       `json:"kind" enum:"plan,renewal,package"`
	Plan        planRef      `json:"plan" doc:"With the name under which it was sold"`
	Months      int          `json:"months" doc:"0: a package"`
	Price       money.Amount `json:"price"`
	Discount    money.Amount `json:"discount" doc:"Of a coupon"`
	Credit      money.Amount `json:"credit" doc:"The unused part of the service that ends"`
	Total       money.Amount `json:"total" doc:"What the wallet pays"`
	Currency    string       `json:"currency"`
	Coupon      string       `json:"coupon" doc:"Its code; empty: none"`
	State       string       `json:"state" enum:"pending,paid,cancelled,expired,refunded"`
	RechargeNo  *int64       `json:"recharge_no" nullable:"true" doc:"That brings what is missing"`
	ServiceID   *int64       `json:"service_id" nullable:"true" doc:"What it led to"`
	PackageID   *int64       `json:"package_id" nullable:"true" doc:"What it led to"`
	InvoiceUUID *uuid.UUID   `json:"invoice_uuid" nullable:"true"`
	EndsAt      *time.Time   `json:"ends_at" nullable:"true" doc:"When what it led to ends, or ended"`
	Labels      []string     `json:"labels"`
	CreatedAt   time.Time    `json:"created_at"`
	ExpiresAt   time.Time    `json:"expires_at" doc:"Until when it waits for money"`
	PaidAt      *time.Time   `json:"paid_at" nullable:"true"`
}

// Orders adds the list of orders, and each of them.
func Orders(c *console.Console, a *account.Accounts, s *shop.Shop, w *wallet.Wallets) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]orderRow, error) {
		orders, err := s.OrdersByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		known, err := ownersOf(ctx, a, orders, func(row *shop.Order) int64 { return row.UserID })
		if err != nil {
			return nil, err
		}
		labels, err := c.Labels(ctx, "order", ids)
		lang := api.CallerOf(ctx).Lang
		rows := make([]orderRow, len(orders))
		for i := range orders {
			o := &orders[i]
			rows[i] = orderRow{
				o.ID, o.UUID, known.ref(o.UserID), string(o.Kind),
				planRef{o.PlanID, o.Terms.NameIn(lang)},
				o.Terms.Months, o.Price, o.Discount, o.Credit, o.Amount, o.Currency, o.Terms.Coupon, string(o.State),
				o.RechargeID, o.Service, o.Package, o.InvoiceUUID, o.EndsAt, append([]string{}, labels[o.ID]...),
				o.CreatedAt, o.ExpiresAt, o.PaidAt,
			}
		}
		return rows, err
	}
	return func(r *v2.Router) {
		type which struct {
			No int64 `path:"order_no" minimum:"1"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/orders/{order_no}", permission.OrderRead).Named("staff_order_get", "An order"),
			func(ctx context.Context, who account.Identity, in *which) (orderDetail, error) {
				rows, err := load(ctx, who, []int64{in.No})
				if err == nil && len(rows) == 0 {
					err = shop.ErrNoOrder
				}
				if err != nil {
					return orderDetail{}, err
				}
				return newOrderDetail(ctx, s, w, &rows[0])
			})
		type cancel struct {
			No   int64 `path:"order_no" minimum:"1"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/orders/{order_no}/cancel", permission.OrderCancel).
			Named("staff_order_cancel", "Cancel an order that is not paid; what it holds is the user's again"),
			func(ctx context.Context, _ account.Identity, in *cancel) (nothing, error) {
				return nothing{}, s.CancelFor(ctx, in.No, in.Body.Reason)
			})
		v2.HandleListing(r, c.Lists, v2.List[orderRow]{
			Path: "/staff/orders", ID: "staff_orders", Summary: "Orders", Needs: permission.OrderRead,
			Resource: c.Orders(), Load: load, Key: func(o *orderRow) int64 { return o.No },
			CSV: []v2.Column[orderRow]{
				{Name: "no", Cell: func(o *orderRow) string { return text(o.No) }},
				{Name: "id", Cell: func(o *orderRow) string { return o.ID.String() }},
				{Name: "user_id", Cell: func(o *orderRow) string { return text(o.User.ID) }},
				{Name: "email", Cell: func(o *orderRow) string { return o.User.Email }},
				{Name: "kind", Cell: func(o *orderRow) string { return o.Kind }},
				{Name: "plan", Cell: func(o *orderRow) string { return o.Plan.Name }},
				{Name: "months", Cell: func(o *orderRow) string { return text(int64(o.Months)) }},
				{Name: "price", Cell: func(o *orderRow) string { return o.Price.String() }},
				{Name: "discount", Cell: func(o *orderRow) string { return o.Discount.String() }},
				{Name: "credit", Cell: func(o *orderRow) string { return o.Credit.String() }},
				{Name: "total", Cell: func(o *orderRow) string { return o.Total.String() }},
				{Name: "currency", Cell: func(o *orderRow) string { return o.Currency }},
				{Name: "coupon", Cell: func(o *orderRow) string { return o.Coupon }},
				{Name: "state", Cell: func(o *orderRow) string { return o.State }},
				{Name: "recharge_no", Cell: func(o *orderRow) string { return number(o.RechargeNo) }},
				{Name: "labels", Cell: func(o *orderRow) string { return strings.Join(o.Labels, ", ") }},
				{Name: "created_at", Cell: func(o *orderRow) string { return moment(&o.CreatedAt) }},
				{Name: "paid_at", Cell: func(o *orderRow) string { return moment(o.PaidAt) }},
			},
		})
	}
}
