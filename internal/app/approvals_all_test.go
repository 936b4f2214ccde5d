package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

const nothing = approval.Kind("nothing")

// worth says what each staff operation gives, by its operationId; GETs that are not here give nothing, and `decision`
// carries out or drops what another one gave. The server refuses whatever an operation gives beyond this.
var worth = map[string][]approval.Kind{
	"staff_adjustment_make": {approval.Adjustment}, "staff_cd_keys_make": {approval.CDKeys},
	"staff_coupon_make": {approval.Coupon}, "staff_coupon_change": {approval.Coupon},
	"staff_payment_case_credit": {approval.PaymentCase}, "staff_payment_case_refund": {approval.CaseRefund},
	"staff_recharge_refund":  {approval.Refund, approval.RefundByHand},
	"staff_recharge_confirm": {approval.PaymentByHand}, "staff_order_cancel": {nothing},
	"staff_recharge_cancel": {nothing},
	"staff_order_make":      {approval.OrderByHand},
	"staff_payout_pay":      {approval.CommissionPayout}, "staff_payout_refuse": {nothing},
	"staff_payment_case_assign": {nothing}, "staff_payout_assign": {nothing}, "staff_refund_request_assign": {nothing},
	"staff_settlement_enter": {nothing}, "staff_settlement_reverse": {nothing}, "staff_statement_preview": {nothing},
	"staff_statement_import": {nothing}, "staff_statement_remove": {nothing},
	"staff_service_give": {approval.ServiceGift}, "staff_traffic_give": {approval.Traffic},
	"staff_bulk_job_make": {nothing}, "staff_bulk_job_start": {approval.BulkJob}, "staff_bulk_job_stop": {nothing},
	"staff_bulk_job_resume": {nothing}, "staff_bulk_job_retry": {nothing},
	"staff_service_end": {nothing}, "staff_user_add": {nothing}, "staff_user_password_mail": {nothing},
	"staff_api_key_make": {nothing}, "staff_api_key_rotate": {nothing}, "staff_api_key_revoke": {nothing},
	"staff_user_sign_in_as": {nothing}, "staff_user_sessions_end": {nothing}, "staff_user_link_reset": {nothing}, "staff_user_two_factor_off": {nothing},
	"staff_user_email_replace": {nothing}, "staff_user_close": {nothing}, "staff_user_merge": {approval.AccountMerge}, "staff_user_note_add": {nothing},
	"staff_user_note_remove": {nothing}, "staff_users_import": {nothing},
	"staff_order_refund": {approval.OrderRefund}, "staff_refund_decide": {approval.OrderRefund},

	"staff_approval_decide": {approval.Decision}, "staff_adjustment_confirm": {approval.Decision},
	"staff_adjustment_decline": {approval.Decision},
	"staff_cd_keys_confirm":    {approval.Decision}, "staff_recharge_refund_confirm": {approval.Decision},
	"staff_recharge_refund_decline": {approval.Decision},
	"staff_payment_case_confirm":    {approval.Decision}, "staff_payment_case_decline": {approval.Decision},

	"staff_announcement_add": {nothing}, "staff_announcement_change": {nothing}, "staff_announcement_remove": {nothing},
	"staff_announcement_broadcast": {nothing}, "staff_announcement_broadcast_stop": {nothing},
	"admin_announcement_set": {nothing},
	"staff_guide_add":        {nothing}, "staff_guide_change": {nothing}, "staff_guide_remove": {nothing},
	"staff_audit_rule_make": {nothing}, "staff_audit_rule_change": {nothing}, "staff_audit_rule_remove": {nothing},
	"staff_ip_unblock":   {nothing},
	"staff_cd_keys_void": {nothing}, "staff_cd_key_void": {nothing},
	"staff_ticket_answer": {nothing}, "staff_ticket_note": {nothing}, "staff_ticket_change": {nothing},
	"staff_ticket_attachment_upload": {nothing}, "staff_ticket_attachment_remove": {nothing},
	"staff_ticket_merge": {nothing}, "staff_canned_answer_add": {nothing},
	"staff_canned_answer_change": {nothing}, "staff_canned_answer_remove": {nothing},
	"staff_view_add": {nothing}, "staff_view_change": {nothing}, "staff_view_remove": {nothing},
	"staff_views_order": {nothing}, "staff_view_layout_set": {nothing},
	"staff_client_add": {nothing}, "staff_client_change": {nothing}, "staff_client_remove": {nothing},
	"staff_settings_change": {nothing}, "staff_setting_test": {nothing}, "staff_job_run": {nothing},
	"staff_job_retry": {nothing}, "staff_signing_key_rotate": {nothing},
	"staff_role_make": {nothing}, "staff_role_change": {nothing}, "staff_role_remove": {nothing},
	"staff_member_add": {nothing}, "staff_member_change": {nothing}, "staff_member_remove": {nothing},
	"staff_webhook_add": {nothing}, "staff_webhook_change": {nothing}, "staff_webhook_rotate": {nothing},
	"staff_webhook_remove": {nothing}, "staff_webhook_test": {nothing}, "staff_webhook_redeliver": {nothing},
	"staff_share_account_add": {nothing}, "staff_share_account_change": {nothing},
	"staff_share_account_rotate": {nothing}, "staff_share_account_remove": {nothing},
	"staff_emby_set":     {nothing}, // for whom the plan admits only
	"staff_gateway_test": {nothing}, "staff_gateways_order": {nothing},
	"staff_gateway_add": {nothing}, "staff_gateway_change": {nothing}, "staff_gateway_remove": {nothing},
	"staff_held_batch_count": {nothing}, "staff_held_batch_dismiss": {nothing},
	"staff_link_template_set": {nothing}, "staff_link_template_remove": {nothing},
	"staff_link_template_preview": {nothing},
	"staff_site_picture_set":      {nothing}, "staff_site_picture_remove": {nothing},
	"staff_mail_template_set": {nothing}, "staff_mail_template_reset": {nothing},
	"staff_mail_template_preview": {nothing}, "staff_mail_template_test": {nothing},
	"staff_plan_make": {nothing}, "staff_plan_change": {nothing}, "staff_plan_archive": {nothing},
	"staff_plan_restore": {nothing}, "staff_plans_order": {nothing},
	"staff_plan_texts_set": {nothing}, "staff_mail_retry": {nothing}, "staff_payment_case_dismiss": {nothing},
	"staff_node_add": {nothing}, "staff_node_change": {nothing}, "staff_node_remove": {nothing},
	"staff_node_secret": {nothing}, "staff_node_silence": {nothing}, "staff_nodes_change": {nothing},
	"staff_nodes_rebuild":    {nothing},
	"staff_link_groups_deal": {nothing}, "staff_link_fetches_csv": {nothing}, "staff_audit_records_csv": {nothing}, "staff_clients_order": {nothing},
	"staff_audit_csv":       {nothing},
	"staff_audit_rules_try": {nothing}, "staff_ip_ban": {nothing}, "staff_ip_unban": {nothing},
	"staff_users_csv": {nothing}, "staff_orders_csv": {nothing}, "staff_ledger_csv": {nothing},
	"staff_invoices_csv": {nothing}, "staff_services_csv": {nothing}, "staff_recharges_csv": {nothing},
	"staff_user_ban": {nothing}, "staff_user_unban": {nothing},
	"staff_user_labels_set":  {nothing},
	"staff_node_certificate": {nothing}, "staff_statistics_users_csv": {nothing},
	"staff_statistics_users_parquet": {nothing},
	"staff_shared_key_set":           {nothing}, "old_ss_node_rebuild_vmess": {nothing}, "replace_user_email": {nothing},
}

// worthV1 says the same of the routes of v1 for staff and for tokens of staff.
var worthV1 = map[string][]approval.Kind{
	"GET /v1/payment/admin_notify":            {approval.PaymentByHand},
	"GET /v1/payment/admin_notify_by_cookies": {approval.PaymentByHand},
	"GET /v1/casino_function":                 {approval.Traffic},
}

func TestApprovals_EachStaffOperation_SaysWhatItGives(t *testing.T) {
	h := newTestServer(t, config(t))
	var contract struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Tags        []string
			Gives       []approval.Kind `json:"x-staff-gives"`
		}
	}
	if err := json.Unmarshal(h.call(t.Context(), testUser{}, "GET", "/api/v2/openapi.json", "").Body.Bytes(),
		&contract); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, operations := range contract.Paths {
		for method, o := range operations {
			if !slices.Contains(o.Tags, "staff") {
				continue
			}
			seen[o.OperationID] = true
			want, ok := worth[o.OperationID]
			if method == "get" && !ok {
				want, ok = []approval.Kind{nothing}, true
			}
			if !ok {
				t.Errorf("%s has no entry in worth: does it give anything that is worth money?", o.OperationID)
				continue
			}
			if len(o.Gives) == 0 {
				o.Gives = []approval.Kind{nothing}
			}
			if !slices.Equal(o.Gives, want) {
				t.Errorf("%s gives %v, want %v", o.OperationID, o.Gives, want)
			}
		}
	}
	for id := range worth {
		if !seen[id] {
			t.Errorf("there is no operation %s", id)
		}
	}
	gives := map[string][]approval.Kind{}
	for _, route := range h.legacy(http.NewServeMux()).Routes() {
		if len(route.Gives) > 0 {
			gives[route.Pattern] = route.Gives
		}
	}
	if !maps.EqualFunc(gives, worthV1, slices.Equal) {
		t.Errorf("the routes of v1 give %v", gives)
	}
	for route := range permissionsV1 {
		if strings.Contains(route, " /v1/payment/") && worthV1[route] == nil {
			t.Errorf("%s is about payments and gives nothing", route)
		}
	}
}

// toSeveral are the kinds that are nobody's in particular. Who made or approved one is refused where it is used:
// TestApprovals_WhoMadeOrApprovedKeys_CannotRedeemThem, TestApprovals_Coupons_CountAsAllTheyCanTakeOff and
// TestBulk_MakerAndApprover_GetNothing.
var toSeveral = map[approval.Kind]bool{approval.CDKeys: true, approval.Coupon: true, approval.BulkJob: true}

// saysItWaits is how an answer says that what it made waits for a second member, beside 403 second_member_needed.
var saysItWaits = regexp.MustCompile(`"waits": ?true|"confirmed_at": ?null|"state": ?"waiting"`)

// With a limit of zero each way of giving waits, and each is carried out by a second member who gains nothing by it.
func TestApprovals_EachWayOfGiving_WaitsAndIsApproved(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, bob, user := h.staff[account.Admin], h.staff[account.Finance], h.users[0]
		bank := h.gateway("bank")
		price := h.sells(h.T, shop.KindPlan, 2000)
		h.sells(h.T, shop.KindPackage, 300)
		paid := func() *wallet.Recharge { return h.pays(user, 3000) }
		order := func() (no int64) {
			h.Helper()
			h.give(h.T, user.id, 2000)
			var made struct{ Order struct{ No int64 } }
			h.ask(user, 200, "POST", buy(price), "{}", &made)
			return made.Order.No
		}
		paymentCase := func() (id int64) {
			h.Helper()
			r := paid()
			again := notice(r)
			again.Set("transaction_id", "SB-again-"+r.TradeNo)
			h.notify(h.Context(), sandbox.Name, h.signed(again))
			cases, _, err := h.Payments.Cases(h.Context(), payment.CaseFilter{State: payment.CaseOpen, Limit: 1})
			if err != nil || len(cases) == 0 {
				h.Fatal(cases, err)
			}
			return cases[0].ID
		}
		h.limited("0.00")
		post := func(status int, path, body string) {
			h.Helper()
			if status != http.StatusOK {
				h.ask(ann, status, "POST", "/api/v2/staff/"+path, body, nil)
				return
			}
			var made json.RawMessage
			h.ask(ann, status, "POST", "/api/v2/staff/"+path, body, &made)
			if !saysItWaits.MatchString(string(made)) {
				h.Errorf("the answer of %s does not say that it waits: %s", path, made)
			}
		}
		examples := map[approval.Kind]func(){
			approval.Adjustment: func() {
				post(200, "wallet-adjustments", fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"x"}`, user.id))
			},
			approval.AccountMerge: func() {
				gone := h.addUser(h.T, "gone", 100)
				post(403, fmt.Sprintf("users/%d/merge", gone.id),
					fmt.Sprintf(`{"into_id":%d,"email":"gone@example.com","reason":"x"}`, user.id))
			},
			approval.CDKeys: func() { post(200, "cd-keys", `{"kind":"amount","amount":"1.00","size":1}`) },
			approval.Coupon: func() { post(200, "coupons", `{"code":"SPRING","amount":"1.00","total":1}`) },
			approval.PaymentCase: func() {
				post(200, fmt.Sprintf("payment-cases/%d/credit", paymentCase()), `{"reason":"x"}`)
			},
			approval.CaseRefund: func() {
				post(200, fmt.Sprintf("payment-cases/%d/refund", paymentCase()),
					`{"reason":"x"}`)
			},
			approval.Refund: func() {
				post(200, fmt.Sprintf("recharges/%d/refund", paid().ID),
					`{"amount":"1.00","reason":"x"}`)
			},
			approval.RefundByHand: func() {
				post(200, fmt.Sprintf("recharges/%d/refund", paid().ID),
					`{"amount":"1.00","reason":"x","by_hand":true}`)
			},
			approval.CommissionPayout: func() {
				post(403, fmt.Sprintf("commission-payouts/%d/pay", h.payout(user)), `{"note":"T1"}`)
			},
			approval.OrderRefund: func() { post(403, fmt.Sprintf("orders/%d/refund", order()), `{"reason":"x"}`) },
			approval.PaymentByHand: func() {
				r, err := h.Payments.Recharge(h.Context(), user.id, bank, 1000)
				if err != nil {
					h.Fatal(err)
				}
				h.ask(ann, 403, "GET", "/v1/payment/admin_notify?out_trade_no="+r.TradeNo, "", nil)
			},
			approval.BulkJob: func() {
				var made struct{ Job struct{ ID int64 } }
				h.ask(ann, 200, "POST", "/api/v2/staff/bulk-jobs", fmt.Sprintf(
					`{"kind":"balance","details":{"amount":"1.00"},"reason":"x","ids":[%d]}`, user.id), &made)
				post(200, fmt.Sprintf("bulk-jobs/%d/start", made.Job.ID), "")
			},
			approval.OrderByHand: func() {
				h.give(h.T, user.id, 2000)
				post(403, fmt.Sprintf("users/%d/orders", user.id),
					fmt.Sprintf(`{"plan_id":%d,"months":1,"price":"15.00","reason":"x"}`, h.planOf(price)))
			},
			approval.ServiceGift: func() {
				post(403, fmt.Sprintf("users/%d/service-gifts", user.id),
					fmt.Sprintf(`{"kind":"start","plan_id":%d,"days":3,"reason":"x"}`, h.planOf(price)))
			},
			approval.Traffic: func() {
				if err := h.Shop.GrantTraffic(h.Context(), user.id, "gift", gigabyte, "", &ann.id); !errors.Is(err,
					approval.ErrSecondMember) {
					h.Fatal(err)
				}
			},
		}
		for _, kind := range approval.Kinds {
			example, ok := examples[kind]
			if !ok {
				h.Errorf("no example gives %s", kind)
				continue
			}
			example()
			acts, total, err := h.Approvals.Find(h.Context(), approval.Waiting, ann.id, 10, 0)
			if err != nil || total != 1 || acts[0].Kind != kind {
				h.Fatalf("%s: %+v, %v", kind, acts, err)
			}
			h.sound(h.T)
			h.decide(ann, 403, true)
			if by := acts[0].BeneficiaryID; by == nil && !toSeveral[kind] {
				h.Errorf("%s does not say whose account gains", kind)
			} else if by != nil {
				err := h.Approvals.DecideAct(h.Context(), acts[0].ID, true, by)
				if *by != user.id || !errors.Is(err, approval.ErrSecondMember) {
					h.Errorf("%s is for user %d, whose own approval gives %v", kind, *by, err)
				}
			}
			h.decide(bob, 200, true)
			h.sound(h.T)
		}
	})
}

// payoutAccount is where the payouts of tests go.
const payoutAccount = "6222 0000 1111"

// earnsCommission has somebody whom the user invited pay and buy, and releases what that earned.
func (h *fixture) earnsCommission(user testUser) {
	h.Helper()
	if err := h.Settings.Set(h.Context(), map[string]json.RawMessage{
		"payout_min": []byte(`"0.10"`), "commission_days": []byte(`0`),
	}); err != nil {
		h.Fatal(err)
	}
	buyer := h.addUser(h.T, fmt.Sprint("buyer", time.Now().UnixNano()), 0)
	if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE account SET invited_by = ? WHERE id = ?`, user.id, buyer.id).Exec(ctx)
		return err
	}); err != nil {
		h.Fatal(err)
	}
	h.pays(buyer, 3000)
	h.ask(buyer, 200, "POST", buy(h.sells(h.T, shop.KindPlan, 2000)), "{}", nil)
	if err := h.Invites.Release(h.Context()); err != nil {
		h.Fatal(err)
	}
}

// payout has the user earn commission and ask for a part of it.
func (h *fixture) payout(user testUser) (id int64) {
	h.Helper()
	h.earnsCommission(user)
	var made struct{ ID int64 }
	h.ask(user, 200, "POST", "/api/v2/user/invite/payouts",
		`{"amount":"1.00","method":"bank","account":"`+payoutAccount+`"}`, &made)
	return made.ID
}

// gateway opens a way to pay that staff confirms, and gives its name.
func (h *fixture) gateway(name string) string {
	h.Helper()
	_, err := h.Gateways.Add(h.Context(), payment.Account{Kind: manual.Kind.Name, Name: name, Enabled: true},
		map[string]string{"instructions_zh": "转账", "instructions_en": "transfer"})
	if err != nil {
		h.Fatal(err)
	}
	return name
}

// A call of staff that is not declared to give anything gives nothing, whatever it does.
func TestApprovals_CallThatGivesWithoutAnAct_IsRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, ann := h.users[0].id, h.staff[account.Admin].id
		gains := map[string]func(ctx context.Context, tx bun.Tx) error{
			"money": func(ctx context.Context, tx bun.Tx) error {
				return h.Wallets.Post(ctx, tx, wallet.Adjusted, wallet.Reference{Kind: "adjustment", ID: 999}, "",
					wallet.Entry{Account: wallet.Account{Kind: wallet.Gifts}, Amount: -1},
					wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: user}, Amount: 1})
			},
			"time": func(ctx context.Context, tx bun.Tx) error {
				_, err := h.Services.Grant(ctx, tx, service.Terms{
					UserID: user, PlanID: 1, Months: 1,
					Reset: service.Anniversary,
				})
				return err
			},
			"traffic": func(ctx context.Context, tx bun.Tx) error {
				_, err := h.Services.AddPackage(ctx, tx, service.PackageTerms{
					UserID: user, Kind: service.Grant,
					Bytes: 1,
				})
				return err
			},
		}
		errEnd := errors.New("undone")
		try := func(ctx context.Context, first, gain func(ctx context.Context, tx bun.Tx) error) error {
			return h.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				if err := errors.Join(first(ctx, tx), gain(ctx, tx)); err != nil {
					return err
				}
				return errEnd
			})
		}
		none := func(context.Context, bun.Tx) error { return nil }
		act := func(ctx context.Context, tx bun.Tx) error {
			_, err := h.Approvals.Propose(ctx, tx, approval.Act{
				Kind: approval.Adjustment, ReferenceID: 1, MadeBy: &ann,
				Worth: 1,
			})
			return err
		}
		for name, gain := range gains {
			if err := try(approval.Watch(h.Context()), none, gain); err == nil || errors.Is(err, errEnd) {
				h.Errorf("%s is given without an act: %v", name, err)
			}
			if err := try(approval.Watch(h.Context(), approval.Coupon), act, gain); err == nil ||
				errors.Is(err, errEnd) {
				h.Errorf("%s is given by an act of another kind: %v", name, err)
			}
			if err := try(approval.Watch(h.Context(), approval.Adjustment), act, gain); !errors.Is(err, errEnd) {
				h.Errorf("%s is refused with its act: %v", name, err)
			}
			if err := try(h.Context(), none, gain); !errors.Is(err, errEnd) {
				h.Errorf("%s is refused to users: %v", name, err)
			}
		}
	})
}

func TestApprovals_WhatWaits_IsRefusedByTheSchema(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		ann, user := h.staff[account.Finance], h.users[0]
		h.keys(ann, `{"kind":"amount","amount":"1.00","size":1}`)
		h.coupon(ann, `{"code":"SPRING","percent":100}`)
		for _, statement := range []string{
			`UPDATE cd_key SET used = used + 1`,
			`UPDATE coupon SET taken = taken + 1`,
			fmt.Sprintf(`INSERT INTO cd_key_redemption (key_id, batch_id, user_id, created_at, made_by)
				VALUES (1, 1, %d, '2026-01-31 04:00:00+00:00', %d)`, ann.id, ann.id),
			fmt.Sprintf(`INSERT INTO cd_key_redemption (key_id, batch_id, user_id, created_at, approved_by)
				VALUES (1, 1, %d, '2026-01-31 04:00:00+00:00', %d)`, user.id, user.id),
			fmt.Sprintf(`UPDATE staff_grant SET state = 'approved', decided_at = created_at, decided_by = %d`, ann.id),
		} {
			err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			})
			if !errors.Is(err, db.ErrCheck) {
				h.Errorf("%s: %v", statement, err)
			}
		}
		h.sound(h.T)
	})
}
