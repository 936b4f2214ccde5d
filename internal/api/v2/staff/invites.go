package staff

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/invite"
	"airstrip/internal/permission"
)

type staffCommission struct {
	v2.CommissionItem
	InviterID int64 `json:"inviter_id" doc:"Who earned it, or owes it"`
	BuyerID   int64 `json:"buyer_id"`
	OrderNo   int64 `json:"order_no"`
}

type staffCommissionList struct {
	Commissions []staffCommission `json:"commissions" doc:"Newest first"`
	TotalCount  int64             `json:"total_count"`
}

// Invites adds what users earned by bringing in others.
func Invites(i *invite.Invites) v2.Resource {
	return func(r *v2.Router) {
		addPayouts(r, i)
		type staffPart struct {
			InviterID int64 `query:"inviter_id" minimum:"1" doc:"Only what this user earned"`
			Owed      bool  `query:"owed" doc:"Only what is still owed"`
			Limit     int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset    int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/commissions", permission.RefundRead).
			Named("staff_commissions_list", "What users earned by the orders of others, and what they owe of it"),
			func(ctx context.Context, _ account.Identity, in *staffPart) (staffCommissionList, error) {
				filter := invite.CommissionFilter{InviterID: in.InviterID, Owed: in.Owed}
				earned, total, err := i.Commissions(ctx, filter, in.Limit, in.Offset)
				out := staffCommissionList{[]staffCommission{}, total}
				for _, e := range earned {
					out.Commissions = append(out.Commissions, staffCommission{
						v2.NewCommissionItem(e), e.InviterID,
						e.UserID, e.OrderID,
					})
				}
				return out, err
			})
	}
}
