package shop

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
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

// Refundable returns what a refund of the user's order would bring now; 0 where it would be refused.
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
// which something is unused are refunded with it. by is the member of staff who does it, nil the operator. What is more
// than the member may give alone on a day, or goes to the member, is approval.ErrSecondMember until a second one says
// the same; once a refund of the order was declined, until a second one approves the act itself. It gives the sum.
func (s *Shop) Refund(ctx context.Context, orderID int64, reason string, by *int64) (sum money.Amount, err error) {
	done := false
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		sum, done, err = s.refund(ctx, tx, orderRefund{OrderID: orderID, Reason: reason, MadeBy: by})
		return err
	})
	if err == nil && !done {
		err = approval.ErrSecondMember
	}
	return sum, err
}

// orderRefund is an order that staff gives back, or is about to.
type orderRefund struct {
	bun.BaseModel `bun:"table:order_refund"`
	ID            int64 `bun:",pk,autoincrement"`
	OrderID       int64
	RequestID     *int64 // of its user, that this grants
	Reason        string
	Answer        string // to the request
	Worth         money.Amount
	State         string
	MadeBy        *int64
	CreatedAt     time.Time
	DecidedBy     *int64
	EndedAt       *time.Time
}

// staffReason gives why staff gives the order back. Where that grants a request, its reason is the user's own text, and
// the member's is the answer.
func (r *orderRefund) staffReason() string {
	if r.RequestID != nil {
		return r.Answer
	}
	return r.Reason
}

// The states of a refund of an order. Only a waiting one changes.
const (
	refundWaiting  = "waiting"
	refundDone     = "done"
	refundDeclined = "declined"
)

var errRefundGrew = fault.Conflict("order_refund_grew", "该订单可退的金额已增加；请拒绝这笔退款，然后重新发起",
	"More can be given back of this order now than when the refund was made. Decline it and make it anew")

// refund gives an order back as part of tx, or keeps it as waiting for a second member of staff; done is false then.
func (s *Shop) refund(ctx context.Context, tx bun.Tx, r orderRefund) (sum money.Amount, done bool, err error) {
	if err := checkReason("reason", r.Reason); err != nil {
		return 0, false, err
	}
	if err := s.approvals.Lock(ctx, tx, r.MadeBy); err != nil { // before the wallet
		return 0, false, err
	}
	o, sum, err := s.refundable(ctx, tx, r.OrderID)
	if err != nil {
		return 0, false, err
	}
	declined, err := tx.NewSelect().Model((*orderRefund)(nil)).Where("order_id = ? AND state = ?", r.OrderID,
		refundDeclined).Exists(ctx)
	if err != nil {
		return 0, false, err
	}
	waiting, err := waitingRefund(ctx, tx, "order_id = ?", r.OrderID)
	switch {
	case err != nil:
		return 0, false, err
	case waiting != nil && r.MadeBy != nil && (declined || *r.MadeBy == *waiting.MadeBy || *r.MadeBy == o.UserID):
		return 0, false, nil
	case waiting != nil:
		if waiting.RequestID == nil {
			waiting.RequestID, waiting.Answer = r.RequestID, r.Answer
		}
		return sum, true, s.approveRefund(ctx, tx, waiting, o, sum, r.MadeBy)
	}
	r.ID, r.Worth, r.State, r.CreatedAt = 0, sum, refundWaiting, s.db.Now()
	if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
		return 0, false, db.Error(err)
	}
	alone, err := s.approvals.Propose(ctx, tx, approval.Act{
		Kind: approval.OrderRefund, ReferenceID: r.ID, MadeBy: r.MadeBy, Beneficiary: o.UserID, Worth: sum,
		Reason: r.staffReason(), Gives: map[string]any{"order_id": r.OrderID, "request_id": r.RequestID},
	})
	if err != nil || !alone {
		return 0, false, err
	}
	return sum, true, s.giveOrderBack(ctx, tx, &r, o, nil)
}

// refundable returns a paid order with what is unused of it, and keeps its user from buying until tx ends.
func (s *Shop) refundable(ctx context.Context, tx bun.Tx, orderID int64) (*Order, money.Amount, error) {
	var found []Order
	if err := selectOrders(tx, &found).Where("?TableAlias.id = ?", orderID).Scan(ctx); err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		return nil, 0, ErrNoOrder
	}
	if id := found[0].Service; id != nil {
		waiting, err := waitingOn(ctx, tx, found[0].UserID, *id)
		if err != nil {
			return nil, 0, err
		}
		if err := s.lockEnding(ctx, tx, waiting); err != nil {
			return nil, 0, err
		}
	}
	if err := s.lockGivenBack(ctx, tx, &found[0]); err != nil {
		return nil, 0, err
	}
	if _, err := s.wallets.Lock(ctx, tx, found[0].UserID); err != nil { // no purchase of the user runs at the same time
		return nil, 0, err
	}
	o, err := s.OrderIn(ctx, tx, found[0].UserID, strconv.FormatInt(orderID, 10))
	if err != nil {
		return nil, 0, err
	}
	if o.State != Paid {
		return nil, 0, ErrNothingToRefund
	}
	_, sum, err := s.services.Unused(ctx, tx, o.item(), s.db.Now())
	if err == nil && sum == 0 {
		err = ErrNothingToRefund
	}
	return o, sum, err
}

// lockGivenBack locks the orders that a refund of this one gives back: all that paid for its service.
func (s *Shop) lockGivenBack(ctx context.Context, tx bun.Tx, o *Order) (err error) {
	ids := []int64{o.ID}
	if o.Service != nil {
		if ids, err = s.services.PaidBy(ctx, tx, *o.Service); err != nil {
			return err
		}
	}
	return lockByID(ctx, tx, (*Order)(nil), ids)
}

// waitingRefund returns the refund that waits and fits the condition; nil where none does.
func waitingRefund(ctx context.Context, tx bun.Tx, where string, arg any) (*orderRefund, error) {
	var found []orderRefund
	err := tx.NewSelect().Model(&found).Where("state = ?", refundWaiting).Where(where, arg).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// approveRefund carries out a refund that waits, for a second member of staff, and grants the request that it is for.
func (s *Shop) approveRefund(ctx context.Context, tx bun.Tx, r *orderRefund, o *Order, sum money.Amount,
	by *int64,
) error {
	if sum > r.Worth {
		return errRefundGrew
	}
	if err := s.approvals.Decide(ctx, tx, approval.OrderRefund, r.ID, true, by); err != nil {
		return err
	}
	return s.giveOrderBack(ctx, tx, r, o, by)
}

// DecideOrderRefund carries out, as a second member of staff, a refund of an order that waits, or drops it. A request
// of the user that a dropped one was to grant stays open. by is nil for the operator.
func (s *Shop) DecideOrderRefund(ctx context.Context, id int64, approve bool, by *int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := waitingRefund(ctx, tx, "id = ?", id)
		switch {
		case err != nil:
			return err
		case r == nil:
			return approval.ErrNotWaiting
		case !approve:
			if err := s.approvals.Decide(ctx, tx, approval.OrderRefund, id, false, by); err != nil {
				return err
			}
			return s.endRefund(ctx, tx, r, refundDeclined, by)
		}
		if r.RequestID != nil {
			if err := lockRequest(ctx, tx, *r.RequestID); err != nil {
				return err
			}
		}
		o, sum, err := s.refundable(ctx, tx, r.OrderID)
		if err != nil {
			return err
		}
		return s.approveRefund(ctx, tx, r, o, sum, by)
	})
}

// dropRefund ends the refund that waits for this request, because the request has ended.
func (s *Shop) dropRefund(ctx context.Context, tx bun.Tx, requestID int64, by *int64) error {
	r, err := waitingRefund(ctx, tx, "request_id = ?", requestID)
	if err != nil || r == nil {
		return err
	}
	if err := s.approvals.Drop(ctx, tx, approval.OrderRefund, r.ID, by); err != nil {
		return err
	}
	return s.endRefund(ctx, tx, r, refundDeclined, by)
}

func (s *Shop) endRefund(ctx context.Context, tx bun.Tx, r *orderRefund, to string, by *int64) error {
	n, err := db.Changed(tx.NewUpdate().Model((*orderRefund)(nil)).Set("state = ?", to).Set("decided_by = ?", by).
		Set("ended_at = ?", s.db.Now()).
		Where("id = ? AND state = ?", r.ID, refundWaiting).Exec(ctx))
	if err == nil && n == 0 {
		err = approval.ErrNotWaiting
	}
	return err
}

// giveOrderBack ends a refund that waits by paying it.
func (s *Shop) giveOrderBack(ctx context.Context, tx bun.Tx, r *orderRefund, o *Order, by *int64) error {
	if err := s.endRefund(ctx, tx, r, refundDone, by); err != nil {
		return err
	}
	if r.RequestID != nil {
		who := by
		if who == nil {
			who = r.MadeBy
		}
		if _, err := s.endRequest(ctx, tx, *r.RequestID, RequestGranted, r.Answer, who, "id = ?",
			*r.RequestID); err != nil {
			return err
		}
	}
	if err := s.invites.LockHolders(ctx, tx, o.UserID); err != nil {
		return err
	}
	parts, _, err := s.services.GiveBack(ctx, tx, o.item(), s.db.Now(), service.Return{Reason: service.ByRefund})
	if err != nil {
		return err
	}
	if o.Service != nil {
		if err := s.endWaiting(ctx, tx, o.UserID, *o.Service, 0); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if p.Unused == 0 {
			continue
		}
		if err := s.payBack(ctx, tx, o, p, r.Reason, r.MadeBy); err != nil {
			return err
		}
	}
	return nil
}

// payBack puts a part that was given back into the wallet.
func (s *Shop) payBack(ctx context.Context, tx bun.Tx, o *Order, p service.Part, reason string, by *int64) error {
	changed, err := s.transition(ctx, tx, p.OrderID, Refunded)
	if err != nil || !changed {
		return err
	}
	if _, err := tx.NewInsert().Model(&refund{
		OrderID: p.OrderID, Amount: p.Unused, Reason: reason, MadeBy: by,
		CreatedAt: s.db.Now(),
	}).Exec(ctx); err != nil {
		return db.Error(err)
	}
	if err := s.giveCommissionBack(ctx, tx, o, p.OrderID, p.Unused, 0); err != nil {
		return err
	}
	if err := webhook.Emit(ctx, tx, webhook.Event{Type: webhook.OrderRefunded, At: s.db.Now(), Data: map[string]any{
		"order_no": p.OrderID, "user_id": o.UserID, "amount": p.Unused, "currency": o.Currency,
	}}); err != nil {
		return err
	}
	return s.wallets.Post(ctx, tx, wallet.Refund, wallet.Reference{Kind: "order", ID: p.OrderID}, o.Terms.sold(),
		wallet.Entry{Account: wallet.Account{Kind: wallet.Refunds}, Amount: -p.Unused},
		wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: o.UserID}, Amount: p.Unused})
}

// giveCommissionBack takes back the commissions that counted what comes back of an order into the wallet of o's user.
// Of the credit of a change, stays is what does not come back.
func (s *Shop) giveCommissionBack(ctx context.Context, tx bun.Tx, o *Order, orderID int64, back, stays money.Amount,
) error {
	credits, err := s.services.CreditsTo(ctx, tx, orderID)
	if err != nil {
		return err
	}
	return s.invites.GiveBack(ctx, tx, invite.Return{
		UserID: o.UserID, OrderID: orderID, Amount: back, Stays: stays, Credits: credits,
	})
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
