package staff

import (
	"context"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

type refundRequestRow struct {
	v2.RefundRequestItem
	User       personRef     `json:"user"`
	Plan       planRef       `json:"plan" doc:"With the name under which it was sold"`
	Refundable *money.Amount `json:"refundable" nullable:"true" doc:"What granting it would give back now; null: it is not open"`
	Refunded   *money.Amount `json:"refunded" nullable:"true" doc:"What was given back of the order"`
	Assigned
}

type refundRequestList struct {
	TotalCount int64              `json:"total_count"`
	Requests   []refundRequestRow `json:"requests" doc:"Oldest first"`
}

type staffRefundRequest struct {
	Request    refundRequestRow `json:"request"`
	Refundable money.Amount     `json:"refundable" doc:"What granting it would give back now; 0.00 where nothing is left"`
}

func listRefundRequests(ctx context.Context, s *shop.Shop, d assignable, f shop.RequestFilter,
) (refundRequestList, error) {
	found, total, err := s.RefundRequests(ctx, f)
	if err != nil {
		return refundRequestList{}, err
	}
	rows, err := refundRequestRows(ctx, s, d, found)
	return refundRequestList{total, rows}, err
}

// refundRequestRows adds to requests whose they are, what was bought, and the money that they are about.
func refundRequestRows(ctx context.Context, s *shop.Shop, d assignable, found []shop.RefundRequest,
) ([]refundRequestRow, error) {
	numbers := make([]int64, len(found))
	for i := range found {
		numbers[i] = found[i].OrderID
	}
	known, err := ownersOf(ctx, d.accounts, found, func(q *shop.RefundRequest) int64 { return q.UserID })
	if err != nil {
		return nil, err
	}
	assigned, err := namedIn(ctx, d, found, func(q *shop.RefundRequest) *int64 { return q.AssignedTo })
	if err != nil {
		return nil, err
	}
	orders, err := s.OrdersByID(ctx, numbers)
	if err != nil {
		return nil, err
	}
	plans := map[int64]planRef{}
	for i := range orders {
		plans[orders[i].ID] = planRef{orders[i].PlanID, orders[i].Terms.NameIn(api.CallerOf(ctx).Lang)}
	}
	refunded, err := s.Refunded(ctx, numbers...)
	if err != nil {
		return nil, err
	}
	rows := make([]refundRequestRow, len(found))
	for i := range found {
		q := &found[i]
		rows[i] = refundRequestRow{
			RefundRequestItem: v2.NewRefundRequest(q), User: known.ref(q.UserID), Plan: plans[q.OrderID],
			Assigned: assigned(q.AssignedTo),
		}
		if given, ok := refunded[q.OrderID]; ok {
			rows[i].Refunded = &given.Amount
		}
		if q.State != shop.RequestOpen {
			continue
		}
		sum, err := s.Refundable(ctx, q.UserID, text(q.OrderID))
		if err != nil {
			return nil, err
		}
		rows[i].Refundable = &sum
	}
	return rows, nil
}

func showRefundRequest(ctx context.Context, s *shop.Shop, d assignable, id int64) (staffRefundRequest, error) {
	q, err := s.RefundRequest(ctx, id)
	if err != nil {
		return staffRefundRequest{}, err
	}
	rows, err := refundRequestRows(ctx, s, d, []shop.RefundRequest{*q})
	if err != nil {
		return staffRefundRequest{}, err
	}
	if open := rows[0].Refundable; open != nil {
		return staffRefundRequest{rows[0], *open}, nil
	}
	sum, err := s.Refundable(ctx, q.UserID, text(q.OrderID))
	return staffRefundRequest{rows[0], sum}, err
}

// Refunds adds deciding what users ask to be given back.
func Refunds(s *shop.Shop, a *account.Accounts) v2.Resource {
	d := assignable{a, permission.RefundRead}
	return func(r *v2.Router) {
		type which struct {
			ID int64 `path:"request_id" minimum:"1"`
		}

		type inState struct {
			AssigneeFilter
			State   string `query:"state" enum:"open,granted,declined,withdrawn" doc:"Only those in this state"`
			OrderNo int64  `query:"order_no" minimum:"1" doc:"Only those of this order"`
			UserID  int64  `query:"user_id" minimum:"1" doc:"Only those of this user"`
			Limit   int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset  int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/refund-requests", permission.RefundRead).
			Named("staff_refund_requests", "What users want given back"),
			func(ctx context.Context, who account.Identity, in *inState) (refundRequestList, error) {
				narrowed, err := d.narrowed(ctx, who, in.Assignee)
				if err != nil {
					return refundRequestList{}, err
				}
				return listRefundRequests(ctx, s, d, shop.RequestFilter{
					UserID: in.UserID, OrderID: in.OrderNo, State: shop.RequestState(in.State), Assigned: narrowed,
					Limit: in.Limit, Offset: in.Offset,
				})
			})
		d.choices(r, "/staff/refund-requests/assignees", "staff_refund_request_assignees",
			"Members of staff to whom refund requests can be assigned")
		type assigning struct {
			ID   int64 `path:"request_id" minimum:"1"`
			Body assignTo
		}
		v2.Handle(r, v2.StaffOp("PUT /staff/refund-requests/{request_id}/assignee", permission.Refund).
			WithoutVersion(whyNoVersion).
			Named("staff_refund_request_assign", "Assign a refund request to a member of staff, or to nobody"),
			func(ctx context.Context, _ account.Identity, in *assigning) (nothing, error) {
				return nothing{}, s.AssignRefundRequest(ctx, in.ID, in.Body.wish())
			})

		v2.Handle(r, v2.StaffOp("GET /staff/refund-requests/{request_id}", permission.RefundRead).
			Named("staff_refund_request_get", "A refund request, with what granting it would give back now"),
			func(ctx context.Context, _ account.Identity, in *which) (staffRefundRequest, error) {
				return showRefundRequest(ctx, s, d, in.ID)
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
