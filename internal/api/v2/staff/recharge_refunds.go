package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type gatewayRefundItem struct {
	ID         int64        `json:"id"`
	No         string       `json:"no" doc:"Our number of the refund at the gateway"`
	RechargeNo int64        `json:"recharge_no"`
	UserID     int64        `json:"user_id"`
	Amount     money.Amount `json:"amount" doc:"Out of the wallet"`
	Fee        money.Amount `json:"fee" doc:"Of the gateway, given back beside the amount; only where all of the recharge goes back at once"`
	PayAmount  money.Amount `json:"pay_amount" doc:"Both, in the currency that was paid"`
	ByHand     bool         `json:"by_hand" doc:"Staff paid it, not the gateway"`
	Waits      bool         `json:"waits" doc:"A second member of staff must confirm it; no gateway is asked before"`
	State      string       `json:"state" enum:"pending,done,failed" doc:"pending: it waits, or the gateway has not answered and is asked again"`
	Reason     string       `json:"reason" doc:"The user reads it"`
	Answer     string       `json:"answer" doc:"What the gateway said last, in its own words; empty where it said yes"`
	MadeBy     *int64       `json:"made_by" nullable:"true" doc:"Id of the member of staff; null: at the command line"`
	DecidedBy  *int64       `json:"decided_by" nullable:"true" doc:"The second member of staff"`
	CreatedAt  time.Time    `json:"created_at"`
	EndedAt    *time.Time   `json:"ended_at" nullable:"true"`
}

func newGatewayRefundItem(g *wallet.GatewayRefund) gatewayRefundItem {
	return gatewayRefundItem{
		g.ID, g.No, g.RechargeID, g.UserID, g.Amount, g.Fee, g.PayAmount, g.ByHand, g.Waits, string(g.State), g.Reason,
		g.Answer, g.MadeBy, g.DecidedBy, g.CreatedAt, g.EndedAt,
	}
}

type gatewayRefundList struct {
	Refunds    []gatewayRefundItem `json:"refunds" doc:"Newest first"`
	TotalCount int64               `json:"total_count"`
}

// RechargeRefunds adds, for staff, paying recharges back.
func RechargeRefunds(w *wallet.Wallets, p *payment.Payments) v2.Resource {
	show := func(g *wallet.GatewayRefund, err error) (gatewayRefundItem, error) {
		if err != nil {
			return gatewayRefundItem{}, err
		}
		return newGatewayRefundItem(g), nil
	}
	return func(r *v2.Router) {
		type gatewayRefundWish struct {
			No   int64 `path:"recharge_no" minimum:"1"`
			Body struct {
				Amount v2.AmountInput `json:"amount" doc:"Out of the wallet; at most what the wallet has available and what is left of the recharge"`
				Reason string         `json:"reason" minLength:"1" maxLength:"200" doc:"The user reads it"`
				ByHand bool           `json:"by_hand,omitempty" doc:"Note it as paid by hand: for gateways that cannot give money back"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/recharges/{recharge_no}/refund", permission.Refund, approval.Refund,
			approval.RefundByHand).
			Named("staff_recharge_refund",
				"Pay a recharge, or a part of it, back through its gateway; it waits where a second member of staff "+
					"must confirm it").WithKey(),
			func(ctx context.Context, who account.Identity, in *gatewayRefundWish) (gatewayRefundItem, error) {
				return show(p.GiveBack(ctx, payment.RefundWish{
					RechargeID: in.No, Amount: in.Body.Amount.Amount,
					Reason: in.Body.Reason, ByHand: in.Body.ByHand, StaffID: &who.UserID,
				}))
			})

		type part struct {
			State      string `query:"state" enum:"pending,done,failed"`
			RechargeNo int64  `query:"recharge_no" minimum:"1" doc:"Only those of this recharge"`
			Limit      int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset     int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/recharge-refunds", permission.RefundRead).
			Named("staff_recharge_refunds_list", "The refunds of recharges"),
			func(ctx context.Context, _ account.Identity, in *part) (gatewayRefundList, error) {
				refunds, total, err := w.GatewayRefunds(ctx, wallet.GatewayRefundState(in.State), in.RechargeNo,
					in.Limit, in.Offset)
				out := gatewayRefundList{[]gatewayRefundItem{}, total}
				for i := range refunds {
					out.Refunds = append(out.Refunds, newGatewayRefundItem(&refunds[i]))
				}
				return out, err
			})

		type which struct {
			ID int64 `path:"refund_id" minimum:"1"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/recharge-refunds/{refund_id}", permission.RefundRead).
			Named("staff_recharge_refund_get", "The state of a refund of a recharge"),
			func(ctx context.Context, _ account.Identity, in *which) (gatewayRefundItem, error) {
				return show(w.GatewayRefund(ctx, in.ID))
			})
		v2.Handle(r, v2.StaffOp("POST /staff/recharge-refunds/{refund_id}/confirm", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_recharge_refund_confirm",
				"Let a refund that waits go on, as a second member of staff: one by hand is noted as paid, for any "+
					"other the gateway is asked"),
			func(ctx context.Context, who account.Identity, in *which) (gatewayRefundItem, error) {
				return show(p.DecideRefund(ctx, in.ID, true, &who.UserID))
			})
		v2.Handle(r, v2.StaffOp("POST /staff/recharge-refunds/{refund_id}/decline", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_recharge_refund_decline", "End a refund that waits; the money is the user's again"),
			func(ctx context.Context, who account.Identity, in *which) (gatewayRefundItem, error) {
				return show(p.DecideRefund(ctx, in.ID, false, &who.UserID))
			})
	}
}
