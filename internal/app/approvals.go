package app

import (
	"context"

	"airstrip/internal/approval"
)

// decideApprovals registers the part that carries out, or drops, each kind of act after the decision of a second member
// of staff.
func (a *App) decideApprovals() {
	a.Approvals.DecidedBy(approval.Adjustment, func(ctx context.Context, id int64, approve bool, by *int64) error {
		_, err := a.Wallets.DecideAdjustment(ctx, id, approve, by)
		return err
	})
	a.Approvals.DecidedBy(approval.CDKeys, a.CDKeys.Decide)
	a.Approvals.DecidedBy(approval.Coupon, a.Shop.DecideCoupon)
	a.Approvals.DecidedBy(approval.OrderRefund, a.Shop.DecideOrderRefund)
	a.Approvals.DecidedBy(approval.Traffic, a.Shop.DecideGrant)
	a.Approvals.DecidedBy(approval.BulkJob, a.Bulks.Decide)
	a.Approvals.DecidedBy(approval.ServiceGift, a.Shop.DecideGift)
	a.Approvals.DecidedBy(approval.CommissionPayout, a.Invites.DecidePayout)
	a.Approvals.DecidedBy(approval.AccountMerge, a.Merges.Decide)
	a.Approvals.DecidedBy(approval.OrderByHand, a.Payments.DecideOrder)
	a.Approvals.DecidedBy(approval.PaymentByHand, a.Payments.DecideByHand)
	for _, kind := range []approval.Kind{approval.RefundByHand, approval.Refund} {
		a.Approvals.DecidedBy(kind, func(ctx context.Context, id int64, approve bool, by *int64) error {
			_, err := a.Payments.DecideRefund(ctx, id, approve, by)
			return err
		})
	}
	for _, kind := range []approval.Kind{approval.PaymentCase, approval.CaseRefund} {
		a.Approvals.DecidedBy(kind, func(ctx context.Context, id int64, approve bool, by *int64) error {
			_, err := a.Payments.DecideCase(ctx, id, approve, by)
			return err
		})
	}
}
