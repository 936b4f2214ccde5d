package shop

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/assignment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// RequestState is the state of a refund request.
type RequestState string

// The states of a refund request. All but Open are final.
const (
	RequestOpen      RequestState = "open"
	RequestGranted   RequestState = "granted"
	RequestDeclined  RequestState = "declined"
	RequestWithdrawn RequestState = "withdrawn"
)

// RefundRequest is a user's wish to have an order given back.
type RefundRequest struct {
	bun.BaseModel `bun:"table:refund_request"`
	ID            int64 `bun:",pk,autoincrement"`
	OrderID       int64
	UserID        int64
	Reason        string
	State         RequestState
	Answer        string // of staff, for the user
	DecidedBy     *int64
	CreatedAt     time.Time
	EndedAt       *time.Time
	AssignedTo    *int64 // member of staff who deals with it; nil: nobody

	// What the order led to.
	Service *int64 `bun:",scanonly"`
	Package *int64 `bun:",scanonly"`
}

// Faults of refund requests.
var (
	ErrNoRequest     = fault.NotFound("refund_request_not_found", "没有这个退款申请", "There is no such refund request")
	ErrRequestExists = fault.Conflict("refund_request_exists", "该订单已有退款申请正在处理",
		"A refund of this order has been asked for already")
	ErrRequestEnded = fault.Conflict("refund_request_ended", "该退款申请已处理", "This refund request was decided already")
)

// RequestRefund asks staff to give the user's order back.
func (s *Shop) RequestRefund(ctx context.Context, userID int64, id, reason string) (*RefundRequest, error) {
	reason = strings.TrimSpace(reason)
	if err := checkReason("reason", reason); err != nil {
		return nil, err
	}
	o, err := s.Order(ctx, userID, id)
	if err != nil {
		return nil, err
	}
	sum, err := s.Refundable(ctx, userID, id)
	if err != nil {
		return nil, err
	}
	if sum == 0 {
		return nil, ErrNothingToRefund
	}
	q := &RefundRequest{
		OrderID: o.ID, UserID: userID, Reason: reason, State: RequestOpen, CreatedAt: s.db.Now(),
		Service: o.Service, Package: o.Package,
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		q.ID = 0
		_, err := tx.NewInsert().Model(q).Exec(ctx)
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			err = ErrRequestExists
		}
		return err
	})
	return q, err
}

// RequestFilter says which refund requests are wanted. Zero values want all.
type RequestFilter struct {
	UserID, OrderID int64
	State           RequestState
	Assigned        assignment.Filter
	Limit, Offset   int64
}

// RefundRequests returns a part of the requests that fit, oldest first, and how many there are.
func (s *Shop) RefundRequests(ctx context.Context, f RequestFilter) (requests []RefundRequest, total int64, err error) {
	q := s.refundRequests(&requests).OrderExpr("?TableAlias.id").Limit(f.Limit).Offset(f.Offset)
	if f.UserID != 0 {
		q.Where("?TableAlias.user_id = ?", f.UserID)
	}
	if f.OrderID != 0 {
		q.Where("?TableAlias.order_id = ?", f.OrderID)
	}
	if f.State != "" {
		q.Where("state = ?", f.State)
	}
	f.Assigned.Narrow(q)
	total, err = q.ScanAndCount(ctx)
	return requests, total, err
}

// RefundRequest returns one request, whoever made it.
func (s *Shop) RefundRequest(ctx context.Context, id int64) (*RefundRequest, error) {
	var found []RefundRequest
	if err := s.refundRequests(&found).Where("?TableAlias.id = ?", id).Scan(ctx); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNoRequest
	}
	return &found[0], nil
}

// refundRequests selects requests with what their orders led to.
func (s *Shop) refundRequests(into *[]RefundRequest) *bun.SelectQuery {
	return s.db.NewSelect().Model(into).ColumnExpr("?TableAlias.*").
		ColumnExpr("f.service_id AS service, f.package_id AS package").
		Join("LEFT JOIN fulfilment AS f ON f.order_id = ?TableAlias.order_id")
}

// WithdrawRefundRequest ends the user's own open request.
func (s *Shop) WithdrawRefundRequest(ctx context.Context, userID, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := s.endRequest(ctx, tx, id, RequestWithdrawn, "", nil, "user_id = ?", userID)
		return err
	})
}

// DecideRefund grants a request, which refunds the order, or declines it. The answer is shown to the user. A refund
// that a second member of staff must approve is approval.ErrSecondMember; the request is open until then. It gives the
// sum of a refund.
func (s *Shop) DecideRefund(ctx context.Context, id int64, grant bool, answer string, by *int64) (sum money.Amount,
	err error,
) {
	answer = strings.TrimSpace(answer)
	if err := checkReason("answer", answer); err != nil {
		return 0, err
	}
	done := true
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if !grant {
			if _, err := s.endRequest(ctx, tx, id, RequestDeclined, answer, by, "id = ?", id); err != nil {
				return err
			}
			was, is := map[string]any{"state": RequestOpen}, map[string]any{"state": RequestDeclined}
			return audit.Record(ctx, tx, "money.refund", audit.ID("refund_request", id), was, is, answer)
		}
		if err := lockRequest(ctx, tx, id); err != nil {
			return err
		}
		q, err := openRequest(ctx, tx, id, "id = ?", id)
		if err != nil {
			return err
		}
		sum, done, err = s.refund(ctx, tx, orderRefund{
			OrderID: q.OrderID, RequestID: &id, Reason: q.Reason,
			Answer: answer, MadeBy: by,
		})
		return err
	})
	if err == nil && !done {
		err = approval.ErrSecondMember
	}
	return sum, err
}

// lockRequest makes other decisions on the request wait until tx ends. A transaction that also locks a wallet calls it
// first.
func lockRequest(ctx context.Context, tx bun.Tx, id int64) error {
	_, err := tx.NewUpdate().Model((*RefundRequest)(nil)).Set("state = state").Where("id = ?", id).Exec(ctx)
	return err
}

// openRequest returns an open request that also fits the condition.
func openRequest(ctx context.Context, tx bun.Tx, id int64, also string, arg any) (RefundRequest, error) {
	var found []RefundRequest
	if err := tx.NewSelect().Model(&found).Where("id = ?", id).Where(also, arg).Scan(ctx); err != nil {
		return RefundRequest{}, err
	}
	if len(found) == 0 {
		return RefundRequest{}, ErrNoRequest
	}
	if found[0].State != RequestOpen {
		return RefundRequest{}, ErrRequestEnded
	}
	return found[0], nil
}

// endRequest ends an open request that also fits the condition, and with it a refund that waits for it.
func (s *Shop) endRequest(ctx context.Context, tx bun.Tx, id int64, to RequestState, answer string, by *int64,
	also string, arg any,
) (RefundRequest, error) {
	q, err := openRequest(ctx, tx, id, also, arg)
	if err != nil {
		return q, err
	}
	n, err := db.Changed(tx.NewUpdate().Model((*RefundRequest)(nil)).Set("state = ?", to).Set("answer = ?", answer).
		Set("decided_by = ?", by).
		Set("ended_at = ?", s.db.Now()).Where("id = ? AND state = ?", id, RequestOpen).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrRequestEnded
	}
	if err != nil {
		return q, err
	}
	return q, s.dropRefund(ctx, tx, id, by)
}
