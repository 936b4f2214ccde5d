package v2

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

type refundQuote struct {
	Amount money.Amount `json:"amount" doc:"What a refund would bring now; 0.00 where there would be none"`
}

type refundRequests struct {
	TotalCount int64               `json:"total_count"`
	Requests   []refundRequestItem `json:"requests" doc:"Oldest first"`
}

type refundRequestItem struct {
	ID        int64      `json:"id"`
	OrderNo   int64      `json:"order_no"`
	ServiceID *int64     `json:"service_id" nullable:"true" doc:"That the order began or renewed"`
	PackageID *int64     `json:"package_id" nullable:"true" doc:"That the order brought"`
	UserID    int64      `json:"user_id"`
	Reason    string     `json:"reason"`
	State     string     `json:"state" enum:"open,granted,declined,withdrawn"`
	Answer    string     `json:"answer" doc:"Of staff; empty while it is open"`
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at" nullable:"true"`
}

type staffRefundRequest struct {
	Request    refundRequestItem `json:"request"`
	Refundable money.Amount      `json:"refundable" doc:"What granting it would give back now; 0.00 where nothing is left"`
}

func newRefundRequest(q *shop.RefundRequest) refundRequestItem {
	return refundRequestItem{q.ID, q.OrderID, q.Service, q.Package, q.UserID, q.Reason, string(q.State), q.Answer, q.CreatedAt, q.EndedAt}
}

func newRefundRequests(requests []shop.RefundRequest, total int64) refundRequests {
	out := refundRequests{total, []refundRequestItem{}}
	for i := range requests {
		out.Requests = append(out.Requests, newRefundRequest(&requests[i]))
	}
	return out
}

// Refunds adds giving orders back: users ask, staff of the money decides.
func Refunds(s *shop.Shop) Resource {
	return func(r *Router) {
		type ofOrder struct {
			ID string `path:"order_id" maxLength:"36" doc:"Number or id of the order"`
		}
		handle(r, op{method: http.MethodGet, path: "/user/orders/{order_id}/refund", id: "order_refund_quote", tag: "user", access: user, summary: "What a refund of the order would bring now"},
			func(ctx context.Context, who account.Identity, in *ofOrder) (refundQuote, error) {
				sum, err := s.Refundable(ctx, who.UserID, in.ID)
				return refundQuote{sum}, err
			})

		type refundWish struct {
			ID   string `path:"order_id" maxLength:"36" doc:"Number or id of the order"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500"`
			}
		}
		handle(r, op{method: http.MethodPost, path: "/user/orders/{order_id}/refund-request", id: "order_refund_request", tag: "user", access: user, summary: "Ask for the unused part of an order back; staff decides"},
			func(ctx context.Context, who account.Identity, in *refundWish) (refundRequestItem, error) {
				q, err := s.RequestRefund(ctx, who.UserID, in.ID, in.Body.Reason)
				if err != nil {
					return refundRequestItem{}, err
				}
				return newRefundRequest(q), nil
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		handle(r, op{method: http.MethodGet, path: "/user/refund-requests", id: "refund_requests", tag: "user", access: user, summary: "The refunds that the user asked for"},
			func(ctx context.Context, who account.Identity, in *part) (refundRequests, error) {
				requests, total, err := s.RefundRequests(ctx, who.UserID, "", in.Limit, in.Offset)
				return newRefundRequests(requests, total), err
			})

		type which struct {
			ID int64 `path:"request_id" minimum:"1"`
		}
		handle(r, op{method: http.MethodPost, path: "/user/refund-requests/{request_id}/withdraw", id: "refund_request_withdraw", tag: "user", access: user, summary: "Take a refund request back"},
			func(ctx context.Context, who account.Identity, in *which) (Empty, error) {
				return Empty{}, s.WithdrawRefundRequest(ctx, who.UserID, in.ID)
			})

		type inState struct {
			State  string `query:"state" enum:"open,granted,declined,withdrawn" doc:"Only those in this state"`
			Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64  `query:"offset" minimum:"0" default:"0"`
		}
		handle(r, staffOp("GET /staff/refund-requests", permission.RefundRead).
			named("staff_refund_requests", "What users want given back"),
			func(ctx context.Context, _ account.Identity, in *inState) (refundRequests, error) {
				requests, total, err := s.RefundRequests(ctx, 0, shop.RequestState(in.State), in.Limit, in.Offset)
				return newRefundRequests(requests, total), err
			})

		handle(r, staffOp("GET /staff/refund-requests/{request_id}", permission.RefundRead).
			named("staff_refund_request_get", "A refund request, with what granting it would give back now"),
			func(ctx context.Context, _ account.Identity, in *which) (staffRefundRequest, error) {
				q, err := s.RefundRequest(ctx, in.ID)
				if err != nil {
					return staffRefundRequest{}, err
				}
				sum, err := s.Refundable(ctx, q.UserID, strconv.FormatInt(q.OrderID, 10))
				return staffRefundRequest{newRefundRequest(q), sum}, err
			})

		type refundDecision struct {
			ID   int64 `path:"request_id" minimum:"1"`
			Body struct {
				Grant  bool   `json:"grant"`
				Answer string `json:"answer" minLength:"1" maxLength:"500" doc:"Shown to the user"`
			}
		}
		handle(r, staffOp("POST /staff/refund-requests/{request_id}/decision", permission.Refund, approval.OrderRefund).
			named("staff_refund_decide",
				"Grant a request, which gives the order back, or decline it; 403 second_member_needed where that "+
					"waits now"),
			func(ctx context.Context, who account.Identity, in *refundDecision) (refundQuote, error) {
				sum, err := s.DecideRefund(ctx, in.ID, in.Body.Grant, in.Body.Answer, &who.UserID)
				return refundQuote{sum}, err
			})

		type staffRefund struct {
			No   int64 `path:"order_no" minimum:"1"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500"`
			}
		}
		handle(r, staffOp("POST /staff/orders/{order_no}/refund", permission.Refund, approval.OrderRefund).
			named("staff_order_refund",
				"Give the unused part of an order back to its user's wallet; what it led to ends. 403 "+
					"second_member_needed where that waits now"),
			func(ctx context.Context, who account.Identity, in *staffRefund) (refundQuote, error) {
				sum, err := s.Refund(ctx, in.No, in.Body.Reason, &who.UserID)
				return refundQuote{sum}, err
			})
	}
}
