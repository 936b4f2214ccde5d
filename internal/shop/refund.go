package shop

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
)

// ErrNothingToRefund is the fault of a refund of an order of which nothing is unused.
var ErrNothingToRefund = fault.Conflict("nothing_to_refund", "该订单没有可退的部分", "Nothing of this order is left to give back")

type refund struct {
	bun.BaseModel `bun:"table:refund"`
	OrderID       int64 `bun:",pk"`
	Amount        money.Amount
	Reason        string
	MadeBy        *int64
	CreatedAt     time.Time
}

// Refundable gives what a refund of the user's order would bring now; 0 where it would be refused.
func (s *Shop) Refundable(ctx context.Context, userID int64, id string) (money.Amount, error) {
	o, err := s.Order(ctx, userID, id)
	if err != nil || o.State != Paid {
		return 0, err
	}
	_, sum, err := s.services.Unused(ctx, s.db, o.item(), s.db.Now())
	return sum, err
}

// item is what the paid order led to. A service is given back with all its periods.
func (o *Order) item() service.Item {
	return service.Item{UserID: o.UserID, ServiceID: o.Service, PackageID: o.Package}
}

// Refund ends what the order led to and puts its unused part into the wallet of its user. Of a service all orders of
// which something is unused are refunded with it. by is the member of staff who does it, nil the operator. It gives
// the sum.
func (s *Shop) Refund(ctx context.Context, orderID int64, reason string, by *int64) (sum money.Amount, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		sum, err = s.refund(ctx, tx, orderID, reason, by)
		return err
	})
	return sum, err
}

func (s *Shop) refund(ctx context.Context, tx bun.Tx, orderID int64, reason string, by *int64) (money.Amount, error) {
	if err := checkReason("reason", reason); err != nil {
		return 0, err
	}
	var found []Order
	if err := tx.NewSelect().Model(&found).Column("user_id").Where("id = ?", orderID).Scan(ctx); err != nil {
		return 0, err
	}
	if len(found) == 0 {
		return 0, ErrNoOrder
	}
	if _, err := s.wallets.Lock(ctx, tx, found[0].UserID); err != nil { // no purchase of the user runs beside this
		return 0, err
	}
	o, err := s.OrderIn(ctx, tx, found[0].UserID, strconv.FormatInt(orderID, 10))
	if err != nil {
		return 0, err
	}
	if o.State != Paid {
		return 0, ErrNothingToRefund
	}
	now := s.db.Now()
	_, sum, err := s.services.Unused(ctx, tx, o.item(), now)
	if err != nil {
		return 0, err
	}
	if sum == 0 {
		return 0, ErrNothingToRefund
	}
	parts, sum, err := s.services.GiveBack(ctx, tx, o.item(), now, service.Return{Reason: service.ByRefund})
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		if p.Unused == 0 {
			continue
		}
		if err := s.payBack(ctx, tx, o, p, reason, by); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// payBack puts a part that was given back into the wallet.
func (s *Shop) payBack(ctx context.Context, tx bun.Tx, o *Order, p service.Part, reason string, by *int64) error {
	turned, err := s.turn(ctx, tx, p.OrderID, Refunded)
	if err != nil || !turned {
		return err
	}
	if _, err := tx.NewInsert().Model(&refund{OrderID: p.OrderID, Amount: p.Unused, Reason: reason, MadeBy: by, CreatedAt: s.db.Now()}).Exec(ctx); err != nil {
		return db.Error(err)
	}
	if err := s.invites.Reverse(ctx, tx, p.OrderID); err != nil {
		return err
	}
	return s.wallets.Post(ctx, tx, wallet.Refund, wallet.Reference{Kind: "order", ID: p.OrderID}, o.Terms.Name,
		wallet.Entry{Account: wallet.Account{Kind: wallet.Refunds}, Amount: -p.Unused},
		wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: o.UserID}, Amount: p.Unused})
}

const maxReason = 500 // characters

func checkReason(name, text string) error {
	if n := len([]rune(text)); n == 0 || n > maxReason {
		return fault.Invalid(name, "length", "须为 1 到 500 个字符", "This must have 1 to 500 characters")
	}
	return nil
}

// Refunded gives what was given back of these orders, and when, by their numbers; nothing where nothing was.
func (s *Shop) Refunded(ctx context.Context, orderIDs ...int64) (map[int64]Given, error) {
	out := map[int64]Given{}
	if len(orderIDs) == 0 {
		return out, nil
	}
	var found []refund
	err := s.db.NewSelect().Model(&found).Where("order_id IN (?)", bun.List(orderIDs)).Scan(ctx)
	for _, r := range found {
		out[r.OrderID] = Given{r.Amount, r.CreatedAt}
	}
	return out, err
}

// Given is money that went back to a user.
type Given struct {
	Amount    money.Amount
	CreatedAt time.Time
}
