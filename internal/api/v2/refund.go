package v2

import (
	"time"

	"airstrip/internal/money"
	"airstrip/internal/shop"
)

// RefundQuote is what a refund brings.
type RefundQuote struct {
	Amount money.Amount `json:"amount" doc:"What a refund would bring now; 0.00 where there would be none"`
}

// RefundRequests is a part of the list of what users ask to be given back.
type RefundRequests struct {
	TotalCount int64               `json:"total_count"`
	Requests   []RefundRequestItem `json:"requests" doc:"Oldest first"`
}

// RefundRequestItem is a request of a user to be given an order back.
type RefundRequestItem struct {
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

// NewRefundRequest returns q as the contract has it.
func NewRefundRequest(q *shop.RefundRequest) RefundRequestItem {
	return RefundRequestItem{
		q.ID, q.OrderID, q.Service, q.Package, q.UserID, q.Reason, string(q.State), q.Answer,
		q.CreatedAt, q.EndedAt,
	}
}

// NewRefundRequests returns the requests as the contract has them.
func NewRefundRequests(requests []shop.RefundRequest, total int64) RefundRequests {
	out := RefundRequests{total, []RefundRequestItem{}}
	for i := range requests {
		out.Requests = append(out.Requests, NewRefundRequest(&requests[i]))
	}
	return out
}
