package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type adjustmentItem struct {
	ID        int64        `json:"id"`
	UserID    int64        `json:"user_id"`
	Amount    money.Amount `json:"amount" doc:"Negative: taken out of the wallet"`
	Reason    string       `json:"reason" doc:"The user reads it"`
	State     string       `json:"state" enum:"pending,posted,declined" doc:"pending: a second member of staff must confirm it"`
	Waits     bool         `json:"waits" doc:"A second member of staff must confirm it; nothing moves before"`
	MadeBy    *int64       `json:"made_by" nullable:"true" doc:"Id of the member of staff; null: at the command line"`
	CreatedAt time.Time    `json:"created_at"`
	DecidedBy *int64       `json:"decided_by" nullable:"true" doc:"The second member of staff"`
	DecidedAt *time.Time   `json:"decided_at" nullable:"true"`
}

func newAdjustmentItem(a *wallet.Adjustment) adjustmentItem {
	return adjustmentItem{
		a.ID, a.UserID, a.Amount, a.Reason, string(a.State), a.State == wallet.AdjustmentPending, a.MadeBy, a.CreatedAt,
		a.DecidedBy, a.DecidedAt,
	}
}

type adjustmentList struct {
	Adjustments []adjustmentItem `json:"adjustments" doc:"Newest first"`
	TotalCount  int64            `json:"total_count"`
}

type adjustmentBody struct {
	UserID int64          `json:"user_id"`
	Amount v2.AmountInput `json:"amount" doc:"Negative: out of the wallet"`
	Reason string         `json:"reason" minLength:"1" maxLength:"200" doc:"The user reads it"`
}

// Adjustments adds, for staff, putting money into wallets and taking it out.
func Adjustments(w *wallet.Wallets) v2.Resource {
	show := func(a *wallet.Adjustment, err error) (adjustmentItem, error) {
		if err != nil {
			return adjustmentItem{}, err
		}
		return newAdjustmentItem(a), nil
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("POST /staff/wallet-adjustments", permission.AdjustmentMake, approval.Adjustment).
			Named("staff_adjustment_make",
				"Put money into a wallet or take it out; pending where a second member of staff must confirm it").
			WithKey(),
			func(ctx context.Context, who account.Identity, in *v2.Body[adjustmentBody]) (adjustmentItem, error) {
				return show(w.Adjust(ctx, in.Body.UserID, in.Body.Amount.Amount, in.Body.Reason, &who.UserID))
			})

		type part struct {
			State  string `query:"state" enum:"pending,posted,declined"`
			UserID int64  `query:"user_id" minimum:"1"`
			Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/wallet-adjustments", permission.AdjustmentRead).
			Named("staff_adjustments_list", "What staff put into wallets and took out"),
			func(ctx context.Context, _ account.Identity, in *part) (adjustmentList, error) {
				adjustments, total, err := w.Adjustments(ctx, wallet.AdjustmentState(in.State), in.UserID, in.Limit,
					in.Offset)
				out := adjustmentList{[]adjustmentItem{}, total}
				for i := range adjustments {
					out.Adjustments = append(out.Adjustments, newAdjustmentItem(&adjustments[i]))
				}
				return out, err
			})

		type which struct {
			ID int64 `path:"adjustment_id"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/wallet-adjustments/{adjustment_id}/confirm", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_adjustment_confirm", "Post what another member of staff made"),
			func(ctx context.Context, who account.Identity, in *which) (adjustmentItem, error) {
				return show(w.ConfirmAdjustment(ctx, in.ID, &who.UserID))
			})
		v2.Handle(r, v2.StaffOp("POST /staff/wallet-adjustments/{adjustment_id}/decline", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_adjustment_decline", "End a pending adjustment; nothing moves"),
			func(ctx context.Context, who account.Identity, in *which) (adjustmentItem, error) {
				return show(w.DeclineAdjustment(ctx, in.ID, &who.UserID))
			})
	}
}
