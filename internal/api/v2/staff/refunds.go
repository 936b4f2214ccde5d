package staff

import (
	"context"
	"strconv"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

type staffRefundRequest struct {
	Request    v2.RefundRequestItem `json:"request"`
	Refundable money.Amount         `json:"refundable" doc:"What granting it would give back now; 0.00 where nothing is left"`
}

// Refunds adds deciding what users ask to be given back.
func Refunds(s *shop.Shop) v2.Resource {
	return func(r *v2.Router) {
		type which struct {
			ID int64 `path:"request_id" minimum:"1"`
		}

		type inState struct {
			State   string `query:"state" enum:"open,granted,declined,withdrawn" doc:"Only those in this state"`
			OrderNo int64  `query:"order_no" minimum:"1" doc:"Only those of this order"`
			UserID  int64  `query:"user_id" minimum:"1" doc:"Only those of this user"`
			Limit   int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset  int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/refund-requests", permission.RefundRead).
			Named("staff_refund_requests", "What users want given back"),
			func(ctx context.Context, _ account.Identity, in *inState) (v2.RefundRequests, error) {
				requests, total, err := s.RefundRequests(ctx, in.UserID, in.OrderNo, shop.RequestState(in.State),
					in.Limit, in.Offset)
				return v2.NewRefundRequests(requests, total), err
			})

		v2.Handle(r, v2.StaffOp("GET /staff/refund-requests/{request_id}", permission.RefundRead).
			Named("staff_refund_request_get", "A refund request, with what granting it would give back now"),
			func(ctx context.Context, _ account.Identity, in *which) (staffRefundRequest, error) {
				q, err := s.RefundRequest(ctx, in.ID)
				if err != nil {
					return staffRefundRequest{}, err
				}
				sum, err := s.Refundable(ctx, q.UserID, strconv.FormatInt(q.OrderID, 10))
				return staffRefundRequest{v2.NewRefundRequest(q), sum}, err
			})

		type refundDecision struct {
			ID   int64 `path:"request_id" minimum:"1"`
			Body struct {
				Grant  bool   `json:"grant"`
				Answer string `json:"answer" minLength:"1" maxLength:"500" doc:"Shown to the user"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/refund-requests/{request_id}/decision", permission.Refund,
			approval.OrderRefund).
			Named("staff_refund_decide",
				"Grant a request, which gives the order back, or decline it; 403 second_member_needed where that "+
					"waits now"),
			func(ctx context.Context, who account.Identity, in *refundDecision) (v2.RefundQuote, error) {
				sum, err := s.DecideRefund(ctx, in.ID, in.Body.Grant, in.Body.Answer, &who.UserID)
				return v2.RefundQuote{Amount: sum}, err
			})

		type staffRefund struct {
			No   int64 `path:"order_no" minimum:"1"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/orders/{order_no}/refund", permission.Refund, approval.OrderRefund).
			Named("staff_order_refund",
				"Give the unused part of an order back to its user's wallet; what it led to ends. 403 "+
					"second_member_needed where that waits now"),
			func(ctx context.Context, who account.Identity, in *staffRefund) (v2.RefundQuote, error) {
				sum, err := s.Refund(ctx, in.No, in.Body.Reason, &who.UserID)
				return v2.RefundQuote{Amount: sum}, err
			})
	}
}
