package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/shop"
)

// Refunds adds asking for the unused part of an order back.
func Refunds(s *shop.Shop) v2.Resource {
	return func(r *v2.Router) {
		type ofOrder struct {
			ID string `path:"order_id" maxLength:"36" doc:"Number or id of the order"`
		}
		v2.Handle(r, v2.UserOp("GET /user/orders/{order_id}/refund").OpenToVisits().
			Named("order_refund_quote", "What a refund of the order would bring now"),
			func(ctx context.Context, who account.Identity, in *ofOrder) (v2.RefundQuote, error) {
				sum, err := s.Refundable(ctx, who.UserID, in.ID)
				return v2.RefundQuote{Amount: sum}, err
			})

		type refundWish struct {
			ID   string `path:"order_id" maxLength:"36" doc:"Number or id of the order"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500"`
			}
		}
		v2.Handle(r, v2.UserOp("POST /user/orders/{order_id}/refund-request").
			Named("order_refund_request", "Ask for the unused part of an order back; staff decides"),
			func(ctx context.Context, who account.Identity, in *refundWish) (v2.RefundRequestItem, error) {
				q, err := s.RequestRefund(ctx, who.UserID, in.ID, in.Body.Reason)
				if err != nil {
					return v2.RefundRequestItem{}, err
				}
				return v2.NewRefundRequest(q), nil
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/refund-requests").OpenToVisits().
			Named("refund_requests", "The refunds that the user asked for"),
			func(ctx context.Context, who account.Identity, in *part) (v2.RefundRequests, error) {
				requests, total, err := s.RefundRequests(ctx, shop.RequestFilter{
					UserID: who.UserID, Limit: in.Limit, Offset: in.Offset,
				})
				return v2.NewRefundRequests(requests, total), err
			})

		type which struct {
			ID int64 `path:"request_id" minimum:"1"`
		}
		v2.Handle(r, v2.UserOp("POST /user/refund-requests/{request_id}/withdraw").
			Named("refund_request_withdraw", "Take a refund request back"),
			func(ctx context.Context, who account.Identity, in *which) (v2.Empty, error) {
				return v2.Empty{}, s.WithdrawRefundRequest(ctx, who.UserID, in.ID)
			})
	}
}
