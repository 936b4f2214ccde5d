package shop

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/listing"
	"airstrip/internal/money"
)

// OrderList declares the list of all orders. Who has users searches it by them.
func OrderList() *listing.Resource {
	return &listing.Resource{
		Name: "orders", Table: "shop_order", ID: "id", Default: "-created",
		Filters: []listing.Filter{
			{
				Key: "state", Kind: listing.Choice, Column: "state", Doc: "State of the order",
				Choices: []string{"pending", "paid", "cancelled", "expired", "refunded"},
			},
			{
				Key: "kind", Kind: listing.Choice, Column: "kind", Doc: "What was ordered",
				Choices: []string{"plan", "renewal", "package"},
			},
			{Key: "plan", Kind: listing.Reference, Of: "plans", Column: "plan_id", Doc: "Plan or package"},
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Who ordered"},
			{
				Key: "coupon", Kind: listing.Reference, Of: "coupons", Column: "coupon_id", None: true,
				Doc: "Coupon of the order",
			},
			{Key: "total", Kind: listing.Range, Unit: "money", Column: "amount", Doc: "What the wallet pays"},
			{Key: "created", Kind: listing.Date, Column: "created_at", Doc: "When it was ordered"},
			{Key: "paid", Kind: listing.Date, Column: "paid_at", None: true, Doc: "When it was paid"},
		},
		Sorts: []listing.Sort{
			{Key: "created", Column: "created_at", Kind: listing.Time},
			{Key: "total", Column: "amount"},
			{Key: "paid", Column: "paid_at", Kind: listing.Time, None: true},
		},
		Indexes: []listing.Index{
			{Name: "shop_order_created", Columns: []string{"created_at", "id", "paid_at", "amount", "kind", "plan_id"}},
			{Name: "shop_order_paid", Columns: []string{"paid_at", "id", "created_at", "amount"}},
			{Name: "shop_order_amount", Columns: []string{"amount", "id", "created_at", "paid_at"}},
			{Name: "shop_order_state", Columns: []string{"state", "amount", "id", "paid_at", "created_at"}},
			{Name: "shop_order_kind", Columns: []string{"kind", "amount", "id", "paid_at", "created_at"}},
			{Name: "shop_order_plan_amount", Columns: []string{"plan_id", "amount", "id", "paid_at", "created_at"}},
		},
	}
}

// OrdersByID returns the orders with these numbers, whosever they are, in any order.
func (s *Shop) OrdersByID(ctx context.Context, ids []int64) (orders []Order, err error) {
	err = selectOrders(s.db, &orders).Where("?TableAlias.id IN (?)", bun.List(ids)).Scan(ctx)
	return orders, err
}

// PaidBetween returns how many orders were paid from from on and before to, and what their wallets paid.
func (s *Shop) PaidBetween(ctx context.Context, from, to time.Time) (n int64, sum money.Amount, err error) {
	err = s.db.NewRaw(`SELECT COUNT(*), CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM shop_order
		WHERE paid_at >= ? AND paid_at < ?`, from, to).Scan(ctx, &n, &sum)
	return n, sum, err
}

// HasSold reports whether anybody has ever paid money for an order.
func (s *Shop) HasSold(ctx context.Context) (bool, error) {
	return s.db.NewSelect().Model((*Order)(nil)).Where("paid_at IS NOT NULL AND amount > 0").Exists(ctx)
}
