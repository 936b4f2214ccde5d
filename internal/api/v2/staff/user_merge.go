package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/merge"
	"airstrip/internal/permission"
)

// mergedAccount is the account on the other side of a merge.
type mergedAccount struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"`
}

// UserMerge adds the merge of two accounts of one person.
func UserMerge(m *merge.Merges) v2.Resource {
	type wish struct {
		ID   int64 `path:"user_id" minimum:"1" doc:"The account that ends"`
		Body struct {
			IntoID int64  `json:"into_id" minimum:"1" doc:"The account that stays"`
			Email  string `json:"email" maxLength:"254" doc:"The address of the account that ends, typed again"`
			Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
		}
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/merge", permission.UserMerge, approval.AccountMerge).
			WithKey().Named("staff_user_merge",
			"Make an account part of another one of the same person. Balance, released commission, people invited "+
				"after the account that stays was made, tickets, labels and notes move; orders, invoices, recharges, "+
				"invite codes and bought invites stay, and the account is closed. "+
				"409 merge_blocked: the message names all that waits or runs, details says it by user. 403 "+
				"second_member_needed: it waits"),
			func(ctx context.Context, who account.Identity, in *wish) (nothing, error) {
				return nothing{}, m.Merge(ctx, merge.Wish{
					FromID: in.ID, IntoID: in.Body.IntoID, Email: in.Body.Email, Reason: in.Body.Reason,
					MadeBy: &who.UserID,
				})
			})
	}
}
