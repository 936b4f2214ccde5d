package v2

import "airstrip/internal/approval"

// staffGives names, by operation, what staff gives that is worth money; the domain proposes an act of that kind. An
// operation that is not here gives nothing: whatever it does, nobody's wallet, service or traffic gains.
var staffGives = map[string][]approval.Kind{
	"staff_adjustment_make":     {approval.Adjustment},
	"staff_cd_keys_make":        {approval.CDKeys},
	"staff_coupon_make":         {approval.Coupon},
	"staff_coupon_change":       {approval.Coupon},
	"staff_payment_case_credit": {approval.PaymentCase},
	"staff_payment_case_refund": {approval.CaseRefund},
	"staff_recharge_refund":     {approval.Refund, approval.RefundByHand},
	"staff_order_refund":        {approval.OrderRefund},
	"staff_refund_decide":       {approval.OrderRefund},

	"staff_approval_decide":         {approval.Decision},
	"staff_adjustment_confirm":      {approval.Decision},
	"staff_adjustment_decline":      {approval.Decision},
	"staff_cd_keys_confirm":         {approval.Decision},
	"staff_recharge_refund_confirm": {approval.Decision},
	"staff_recharge_refund_decline": {approval.Decision},
	"staff_payment_case_confirm":    {approval.Decision},
	"staff_payment_case_decline":    {approval.Decision},
}
