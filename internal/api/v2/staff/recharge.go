package staff

import (
	"context"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

// RechargeRow is a recharge in a list; exported because it is embedded.
type RechargeRow = rechargeRow

type rechargeDetail struct {
	RechargeRow
	ByHand    bool      `json:"by_hand" doc:"No platform can be asked about it; staff says whether it was paid"`
	CanRefund bool      `json:"can_refund" doc:"Whether its gateway can pay it back"`
	Waits     bool      `json:"waits" doc:"A member said that it was paid; a second one must confirm it"`
	Bookings  []booking `json:"bookings" doc:"What it and its refunds moved in the ledger, oldest first"`
	CaseIDs   []int64   `json:"case_ids" doc:"Payment cases about it"`
}

// rechargeConfirmation is what a member of staff says of a recharge.
type rechargeConfirmation struct {
	No   int64 `path:"recharge_no" minimum:"1"`
	Body struct {
		Outside bool   `json:"outside,omitempty" doc:"It was paid past the platform of its gateway, which is not asked"`
		Reason  string `json:"reason,omitempty" maxLength:"200" doc:"For the audit log; needed where no platform is asked"`
		ActID   int64  `json:"act_id,omitempty" minimum:"1" doc:"Of the approvals; needed where one on this payment was declined"`
	}
}

type rechargeCancel struct {
	No   int64 `path:"recharge_no" minimum:"1"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
	}
}

type rechargePath struct {
	No int64 `path:"recharge_no" minimum:"1"`
}

var errNoReason = fault.Invalid("reason", "required", "请填写原因", "Please give a reason")

// rechargeDetails reads recharges for their pages.
type rechargeDetails struct {
	rows     func(ctx context.Context, who account.Identity, ids []int64) ([]rechargeRow, error)
	wallets  *wallet.Wallets
	payments *payment.Payments
}

func (d rechargeDetails) add(r *v2.Router) {
	v2.Handle(r, v2.StaffOp("GET /staff/recharges/{recharge_no}", permission.RechargeRead).
		Named("staff_recharge_get", "A recharge"),
		func(ctx context.Context, who account.Identity, in *rechargePath) (rechargeDetail, error) {
			return d.of(ctx, who, in.No)
		})
	v2.Handle(r, v2.StaffOp("POST /staff/recharges/{recharge_no}/cancel", permission.OrderCancel).
		Named("staff_recharge_cancel",
			"End a recharge that waits for payment and pays for no order; a payment that arrives all the same is credited"),
		func(ctx context.Context, _ account.Identity, in *rechargeCancel) (nothing, error) {
			return nothing{}, d.wallets.CancelRechargeFor(ctx, in.No, in.Body.Reason)
		})
	v2.Handle(r, v2.StaffOp("POST /staff/recharges/{recharge_no}/confirm", permission.PaymentConfirm,
		approval.PaymentByHand).
		Named("staff_recharge_confirm",
			"Have the gateway of a recharge asked whether it was paid; where it has no platform, or it was paid "+
				"past that, credit it by hand. 403 second_member_needed where that waits now"),
		func(ctx context.Context, who account.Identity, in *rechargeConfirmation) (rechargeDetail, error) {
			recharge, err := d.one(ctx, in.No)
			if err != nil {
				return rechargeDetail{}, err
			}
			asks, _ := d.payments.AsksPlatform(recharge.Gateway)
			if reason := strings.TrimSpace(in.Body.Reason); reason == "" && (in.Body.Outside || !asks) {
				return rechargeDetail{}, errNoReason
			}
			_, err = d.payments.ConfirmByHand(ctx, payment.Confirmation{
				TradeNo: recharge.TradeNo, StaffID: who.UserID, Address: api.CallerOf(ctx).IP.String(),
				Act: in.Body.ActID, Outside: in.Body.Outside, Reason: in.Body.Reason,
			})
			if err != nil {
				return rechargeDetail{}, err
			}
			return d.of(ctx, who, in.No)
		})
}

func (d rechargeDetails) one(ctx context.Context, no int64) (*wallet.Recharge, error) {
	found, err := d.wallets.RechargesByID(ctx, []int64{no})
	if err == nil && len(found) == 0 {
		err = wallet.ErrNoRecharge
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

func (d rechargeDetails) of(ctx context.Context, who account.Identity, no int64) (out rechargeDetail, err error) {
	recharge, err := d.one(ctx, no)
	if err != nil {
		return out, err
	}
	rows, err := d.rows(ctx, who, []int64{no})
	if err != nil || len(rows) == 0 {
		return out, err
	}
	asks, _ := d.payments.AsksPlatform(recharge.Gateway)
	out = rechargeDetail{
		RechargeRow: rows[0], ByHand: !asks, CanRefund: d.payments.CanRefund(recharge), CaseIDs: []int64{},
	}
	if out.Waits, err = d.payments.IsBeingConfirmed(ctx, no); err != nil {
		return out, err
	}
	if out.CaseIDs, err = d.payments.CasesOf(ctx, no); err != nil {
		return out, err
	}
	refs := []wallet.Reference{recharge.Ref()}
	refunds, _, err := d.wallets.GatewayRefunds(ctx, wallet.GatewayRefundDone, no, 100, 0)
	if err != nil {
		return out, err
	}
	for i := range refunds {
		refs = append(refs, refunds[i].Ref())
	}
	found, err := d.wallets.BookingsFor(ctx, refs...)
	out.Bookings = newBookings(found)
	return out, err
}
