package cli

import (
	"context"
	"strconv"

	"airstrip/internal/app"
	"airstrip/internal/shop"
)

type refundCommand struct {
	List    refundList    `cmd:"" help:"List the refunds that users ask for as JSON, the oldest first."`
	Show    refundShow    `cmd:"" help:"Show a request with what granting it would give back now, as JSON."`
	Approve refundApprove `cmd:"" help:"Grant a request: the unused part goes to the user's wallet and what was bought ends. Prints the sum as JSON."`
	Decline refundDecline `cmd:"" help:"Decline a request."`
	Order   refundOrder   `cmd:"" help:"Give the unused part of an order back without a request, and print the sum as JSON."`
}

type refundList struct {
	State string `enum:",open,granted,declined,withdrawn" default:"" help:"open, granted, declined or withdrawn; all by default."`
	part
}

func (c refundList) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		found, err := all(a.Shop.RefundRequests(ctx, shop.RequestFilter{
			State: shop.RequestState(c.State), Limit: int64(c.Limit), Offset: int64(c.Offset),
		}))
		out := make([]map[string]any, len(found))
		for i := range found {
			out[i] = refundRequest(&found[i])
		}
		return out, err
	})
}

// refundRequest names the parts of a request as the staff API does.
func refundRequest(q *shop.RefundRequest) map[string]any {
	return map[string]any{
		"id": q.ID, "order_no": q.OrderID, "service_id": q.Service, "package_id": q.Package, "user_id": q.UserID,
		"reason": q.Reason,
		"state":  q.State, "answer": q.Answer, "decided_by": q.DecidedBy, "created_at": q.CreatedAt,
		"ended_at": q.EndedAt, "assigned_to": q.AssignedTo,
	}
}

type refundShow struct {
	Request int64 `arg:"" help:"Number of the request, as the list has it."`
}

func (c refundShow) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		q, err := a.Shop.RefundRequest(ctx, c.Request)
		if err != nil {
			return nil, err
		}
		out := refundRequest(q)
		out["refundable"], err = a.Shop.Refundable(ctx, q.UserID, strconv.FormatInt(q.OrderID, 10))
		return out, err
	})
}

type refundApprove struct {
	Request int64  `arg:"" help:"Number of the request, as the list has it."`
	Answer  reason `arg:"" help:"The user reads it."`
}

func (c refundApprove) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		sum, err := a.Shop.DecideRefund(ctx, c.Request, true, string(c.Answer), nil)
		return map[string]any{"amount": sum}, err
	})
}

type refundDecline struct {
	Request int64  `arg:"" help:"Number of the request, as the list has it."`
	Answer  reason `arg:"" help:"The user reads it."`
}

func (c refundDecline) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Shop.DecideRefund(ctx, c.Request, false, string(c.Answer), nil)
		return err
	})
}

type refundOrder struct {
	Order  int64  `arg:"" help:"Number of the order."`
	Reason reason `arg:"" help:"The user reads it."`
}

func (c refundOrder) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		sum, err := a.Shop.Refund(ctx, c.Order, string(c.Reason), nil)
		return map[string]any{"amount": sum}, err
	})
}
