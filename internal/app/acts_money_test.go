package app

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airstrip/internal/payment/sandbox"
	"airstrip/internal/reconciliation"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// moneyActs are those about what is sold, paid and paid back.
func (h *actSite) moneyActs() map[string]func() act {
	return map[string]func() act{
		"staff_adjustment_make": func() act {
			h.alone()
			return h.staffCall(h.bob, "wallet-adjustments", fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"an outage"}`,
				h.user.id))
		},
		"staff_adjustment_confirm": func() act { return h.staffCall(h.bob, "wallet-adjustments/%d/confirm", "", h.addAdjustment()) },
		"staff_adjustment_decline": func() act { return h.staffCall(h.bob, "wallet-adjustments/%d/decline", "", h.addAdjustment()) },
		"staff_cd_keys_make": func() act {
			h.alone()
			return h.staffCall(h.bob, "cd-keys", `{"kind":"amount","amount":"1.00","size":1}`)
		},
		"staff_cd_keys_confirm": func() act {
			h.waiting()
			return h.staffCall(h.bob, "cd-keys/%d/confirm", "", h.addBatch(&h.admin.id))
		},
		"staff_cd_keys_void": func() act { return h.staffCall(h.bob, "cd-keys/%d/void", "", h.addBatch(nil)) },
		"staff_cd_key_void": func() act {
			id := h.addBatch(nil)
			_, keys, err := h.CDKeys.Batch(h.Context(), id, 1, 0)
			h.must(err)
			return h.staffCall(h.bob, "cd-keys/%d/keys/%d/void", "", id, keys[0].ID)
		},
		"staff_coupon_make": func() act {
			h.alone()
			return h.staffCall(h.bob, "coupons", `{"code":"SPRING","amount":"1.00","total":1}`)
		},
		"staff_coupon_change": func() act {
			made, err := h.Shop.AddCoupon(h.Context(), shop.Coupon{Code: "AUTUMN", Enabled: true, Percent: new(50)}, nil)
			h.must(err)
			return h.staffCall(h.bob, "coupons/%d", `{"enabled":false}`, made.ID)
		},
		"staff_recharge_refund": func() act {
			h.alone()
			return h.staffCall(h.bob, "recharges/%d/refund", `{"amount":"1.00","reason":"an outage"}`, h.paid().ID)
		},
		"staff_recharge_confirm": func() act {
			h.alone()
			return h.staffCall(h.bob, "recharges/%d/confirm", `{"outside":true,"reason":"paid in cash"}`,
				h.recharge(h.T, h.user.id, 500).ID)
		},
		"staff_order_make": func() act {
			h.alone()
			return h.staffCall(h.admin, "users/%d/orders", fmt.Sprintf(
				`{"plan_id":%d,"months":1,"price":"9.00","gateway":"sandbox","reason":"an outage"}`, h.planOf(h.price)), h.user.id)
		},
		"staff_order_cancel": func() act {
			bought := shop.Purchase{PriceID: h.sells(h.T, shop.KindPlan, 900_000)}
			no, err := h.Payments.Confirm(h.Context(), h.user.id, bought, sandbox.Name)
			h.must(err)
			return h.staffCall(h.support, "orders/%d/cancel", `{"reason":"asked"}`, no)
		},
		"staff_recharge_cancel": func() act {
			return h.staffCall(h.support, "recharges/%d/cancel", `{"reason":"asked"}`, h.recharge(h.T, h.user.id, 500).ID)
		},
		"staff_recharge_refund_confirm": func() act { return h.staffCall(h.bob, "recharge-refunds/%d/confirm", "", h.addRefund()) },
		"staff_recharge_refund_decline": func() act { return h.staffCall(h.bob, "recharge-refunds/%d/decline", "", h.addRefund()) },
		"staff_gateway_add": func() act {
			return h.staffCall(h.owner, "gateways",
				`{"kind":"epay","name":"new","credentials":{"api_url":"https://pay.example/","pid":"1","key":"sk_live_of_the_gateway"}}`)
		},
		"staff_gateway_change": func() act {
			return h.staffCall(h.owner, "gateways/%d",
				`{"title_en":"Other","credentials":{"instructions_en":"swordfish-transfer-account"}}`, h.addGateway())
		},
		"staff_gateway_test": func() act {
			a := h.staffCall(h.bob, "gateways/%d/test", "", h.addGateway())
			a.reads = true
			return a
		},
		"staff_gateways_order": func() act {
			h.addGateway()
			accounts, err := h.Gateways.List(h.Context())
			h.must(err)
			ids := []int64{}
			for i := range slices.Backward(accounts) {
				ids = append(ids, accounts[i].ID)
			}
			body, err := json.Marshal(map[string]any{"gateways": ids})
			h.must(err)
			return h.staffCall(h.owner, "gateways/order", string(body))
		},
		"staff_gateway_remove": func() act { return h.staffCall(h.owner, "gateways/%d", "", h.addGateway()) },
		"staff_plan_texts_set": func() act {
			plans, err := h.Shop.ListPlans(h.Context())
			h.must(err)
			return h.staffCall(h.admin, "plans/%d/texts", `{"name_en":"Standard"}`, plans[0].ID)
		},
		"staff_plan_make": func() act {
			return h.staffCall(h.owner, "plans", `{"kind":"plan","name":"Large","prices":[{"months":1,"amount":"30.00"}]}`)
		},
		"staff_plan_change": func() act {
			plans, err := h.Shop.ListPlans(h.Context())
			h.must(err)
			return h.staffCall(h.owner, "plans/%d", `{"devices":9}`, plans[0].ID)
		},
		"staff_plan_archive": func() act {
			plans, err := h.Shop.ListPlans(h.Context())
			h.must(err)
			return h.staffCall(h.owner, "plans/%d/archive", "", plans[len(plans)-1].ID)
		},
		"staff_plan_restore": func() act {
			plans, err := h.Shop.ListPlans(h.Context())
			h.must(err)
			h.must(h.Shop.RemovePlan(h.Context(), plans[len(plans)-1].ID))
			return h.staffCall(h.owner, "plans/%d/restore", "", plans[len(plans)-1].ID)
		},
		"staff_plans_order": func() act {
			plans, err := h.Shop.ListPlans(h.Context())
			h.must(err)
			ids := []int64{}
			for _, p := range slices.Backward(plans) {
				ids = append(ids, p.ID)
			}
			body, err := json.Marshal(map[string]any{"plans": ids})
			h.must(err)
			return h.staffCall(h.owner, "plans/order", string(body))
		},
		"staff_refund_decide": func() act {
			return h.staffCall(h.bob, "refund-requests/%d/decision", `{"grant":false,"answer":"it was used"}`,
				h.refundRequest())
		},
		"staff_refund_request_assign": func() act {
			return h.staffCall(h.bob, "refund-requests/%d/assignee", h.toAdmin(), h.refundRequest())
		},
		"staff_payout_assign": func() act {
			payee := h.addUser(h.T, "payee"+strings.ToLower(rand.Text()), 0)
			return h.staffCall(h.bob, "commission-payouts/%d/assignee", h.toAdmin(), h.payout(payee))
		},
		"staff_payment_case_assign": func() act {
			return h.staffCall(h.bob, "payment-cases/%d/assignee", h.toAdmin(), h.paymentCase())
		},
		"staff_settlement_enter": func() act {
			r := h.paid()
			return h.staffCall(h.bob, "settlements", `{"gateway":"`+r.Gateway+`","gross":"10.00","fee":"0.06",`+
				`"reference":"PO-1","arrived_at":"2026-01-02T00:00:00Z"}`)
		},
		"staff_settlement_reverse": func() act {
			r := h.paid()
			made, err := h.Wallets.Settle(h.Context(), wallet.Settlement{
				Gateway: r.Gateway, Gross: 100, Reference: "PO-reversed", ArrivedAt: r.CreatedAt,
			})
			h.must(err)
			return h.staffCall(h.bob, "settlements/%d/reverse", `{"reason":"typed wrongly"}`, made.ID)
		},
		"staff_statement_import": func() act {
			return h.staffCall(h.bob, "statements", `{"gateway":"sandbox","name":"January","text":"time,id,amount\n2026-01-02,SB1,1.00\n"}`)
		},
		"staff_statement_remove": func() act {
			made, err := h.Reconciliation.Import(h.Context(), reconciliation.Import{
				Gateway: sandbox.Name, Name: "wrong", Text: "time,id,amount\n2026-01-03,SB1,1.00\n",
			})
			h.must(err)
			return h.staffCall(h.bob, "statements/%d?reason=wrong+columns", "", made.ID)
		},
		"staff_payout_pay": func() act {
			id := h.payout(h.user)
			h.alone()
			return h.staffCall(h.bob, "commission-payouts/%d/pay", `{"note":"T1"}`, id)
		},
		"staff_payout_refuse": func() act {
			return h.staffCall(h.bob, "commission-payouts/%d/refuse", `{"answer":"the name is wrong"}`, h.payout(h.user))
		},
		"staff_order_refund": func() act {
			h.alone()
			return h.staffCall(h.bob, "orders/%d/refund", `{"reason":"an outage"}`, h.addOrder())
		},
		"staff_clients_order": func() act { return h.staffCall(h.admin, "clients/order", `{"ids":["v2rayng"]}`) },
		"staff_invoices_csv":  func() act { return h.staffCall(h.admin, "invoices/csv", "") },
		"staff_ledger_csv":    func() act { return h.staffCall(h.admin, "ledger/csv", "") },
		"staff_orders_csv":    func() act { return h.staffCall(h.admin, "orders/csv", "") },
		"staff_recharges_csv": func() act { return h.staffCall(h.admin, "recharges/csv", "") },
		"staff_payment_case_credit": func() act {
			h.alone()
			return h.staffCall(h.bob, "payment-cases/%d/credit", `{"reason":"paid twice"}`, h.paymentCase())
		},
		"staff_payment_case_refund": func() act {
			h.alone()
			return h.staffCall(h.bob, "payment-cases/%d/refund", `{"reason":"paid twice"}`, h.paymentCase())
		},
		"staff_payment_case_dismiss": func() act {
			return h.staffCall(h.bob, "payment-cases/%d/dismiss", `{"reason":"a test"}`,
				h.paymentCase())
		},
		"staff_payment_case_confirm":              func() act { return h.staffCall(h.bob, "payment-cases/%d/confirm", "", h.waitingCase()) },
		"staff_payment_case_decline":              func() act { return h.staffCall(h.bob, "payment-cases/%d/decline", "", h.waitingCase()) },
		"GET /v1/payment/admin_notify":            h.confirm("/v1/payment/admin_notify"),
		"GET /v1/payment/admin_notify_by_cookies": h.confirm("/v1/payment/admin_notify_by_cookies"),
	}
}
