package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
)

type payoutBody struct {
	Amount  v2.AmountInput `json:"amount"`
	Method  string         `json:"method" enum:"alipay,wechat,bank,usdt,other"`
	Account string         `json:"account" minLength:"1" maxLength:"300" doc:"Where it is paid to; kept sealed"`
}

type payoutList struct {
	Payouts    []v2.PayoutItem `json:"payouts" doc:"Newest first"`
	TotalCount int64           `json:"total_count"`
}

// addPayouts adds asking for commission to be paid outside of the site.
func addPayouts(r *v2.Router, i *invite.Invites) {
	v2.Handle(r, v2.UserOp("POST /user/invite/payouts").StepUp().
		Named("invite_payout_ask", "Ask for released commission to be paid to an account outside of the site").
		WithKey().Answering(fault.Text{ZH: "已提交提现申请", EN: "The request was sent"}),
		func(ctx context.Context, who account.Identity, in *v2.Body[payoutBody]) (v2.PayoutItem, error) {
			p, err := i.AskPayout(ctx, who.UserID, in.Body.Amount.Amount, in.Body.Method, in.Body.Account)
			if err != nil {
				return v2.PayoutItem{}, err
			}
			return v2.NewPayoutItem(p), nil
		})
	type part struct {
		Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64 `query:"offset" minimum:"0" default:"0"`
	}
	v2.Handle(r, v2.UserOp("GET /user/invite/payouts").OpenToVisits().
		Named("invite_payouts", "What the user wants paid outside of the site"),
		func(ctx context.Context, who account.Identity, in *part) (payoutList, error) {
			found, total, err := i.Payouts(ctx, invite.PayoutFilter{
				UserID: who.UserID, Limit: in.Limit, Offset: in.Offset,
			})
			out := payoutList{[]v2.PayoutItem{}, total}
			for n := range found {
				item := v2.NewPayoutItem(&found[n])
				if who.Visiting() {
					item.Account = "••••"
				}
				out.Payouts = append(out.Payouts, item)
			}
			return out, err
		})
	type which struct {
		ID int64 `path:"payout_id" minimum:"1"`
	}
	v2.Handle(r, v2.UserOp("POST /user/invite/payouts/{payout_id}/withdraw").
		Named("invite_payout_withdraw", "Take a payout request back; the commission is free again"),
		func(ctx context.Context, who account.Identity, in *which) (v2.Empty, error) {
			return v2.Empty{}, i.WithdrawPayout(ctx, who.UserID, in.ID)
		})
}
