package app

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
)

// Sets of roles that staff operations admit. Only owners change staff, secrets and gateways; what gives access to a
// user's account or to everybody's links is never for support, finance or viewers.
var (
	ownerOnly  = []account.Role{account.Owner}
	admins     = []account.Role{account.Owner, account.Admin}
	cashiers   = []account.Role{account.Owner, account.Admin, account.Finance}
	supporters = []account.Role{account.Owner, account.Admin, account.Support}
	readers    = []account.Role{account.Owner, account.Admin, account.Support, account.Viewer}
)

// permissions names the roles that each staff operation of v2 admits, by its operationId.
var permissions = map[string][]account.Role{
	"staff_adjustment_make": cashiers, "staff_adjustments_list": cashiers, "staff_adjustment_confirm": cashiers, "staff_adjustment_decline": cashiers,
	"staff_audit_rules": admins, "staff_audit_rule_make": admins, "staff_audit_rule_change": admins, "staff_audit_rule_remove": admins, "staff_audit_records": admins,
	"staff_blocked_ips": admins, "staff_ip_unblock": admins, "staff_ip_bans": admins,
	"staff_cd_keys_make": cashiers, "staff_cd_keys_list": cashiers, "staff_cd_keys_get": cashiers, "staff_cd_keys_confirm": cashiers, "staff_cd_keys_void": cashiers, "staff_cd_key_void": cashiers,
	"staff_clients_list": readers, "staff_client_add": admins, "staff_client_change": admins, "staff_client_remove": admins,
	"staff_coupon_make": cashiers, "staff_coupons_list": cashiers, "staff_coupon_change": cashiers,
	"staff_emby_list": supporters, "staff_emby_set": admins,
	"staff_recharge_refund": cashiers, "staff_recharge_refunds_list": cashiers, "staff_recharge_refund_get": cashiers, "staff_recharge_refund_confirm": cashiers, "staff_recharge_refund_decline": cashiers,
	"staff_gateway_kinds": cashiers, "staff_gateways_list": cashiers, "staff_gateway_add": ownerOnly, "staff_gateway_change": ownerOnly, "staff_gateway_remove": ownerOnly,
	"staff_link_templates_list": readers, "staff_link_template_set": admins, "staff_link_template_remove": admins, "staff_link_template_preview": readers, "staff_link_group_query": supporters,
	"staff_mails": supporters, "staff_mail": supporters, "staff_mail_retry": admins,
	"staff_refund_requests": cashiers, "staff_refund_request_get": cashiers, "staff_refund_decide": cashiers, "staff_order_refund": cashiers,
	"staff_nodes_list": readers, "staff_node_get": readers, "staff_node_add": admins, "staff_node_change": admins, "staff_node_remove": admins, "staff_node_secret": admins, "staff_node_certificate": admins,
	"staff_node_history": readers, "staff_node_online": supporters, "staff_node_users": supporters, "staff_node_speed_tests": admins,
	"staff_kept_batches": readers, "staff_kept_batch_count": admins, "staff_kept_batch_dismiss": admins,
	"staff_shared_key": admins, "staff_shared_key_set": ownerOnly, "old_ss_node_rebuild_vmess": admins,
	"replace_user_email":       admins,
	"staff_payment_cases_list": cashiers, "staff_payment_case_get": cashiers, "staff_payment_case_credit": cashiers, "staff_payment_case_refund": cashiers,
	"staff_payment_case_dismiss": cashiers, "staff_payment_case_confirm": cashiers, "staff_payment_case_decline": cashiers, "staff_approvals_list": cashiers,
	"staff_approval_decide": cashiers,
}

// permissionsV1 names the roles that each staff route of v1 admits.
var permissionsV1 = map[string][]account.Role{
	"POST /v1/admin/user_ban_task_insert": supporters, "POST /v1/admin/user_ban_task_unban": supporters,
	"POST /v1/admin/request_ip_ban_task_insert": admins, "POST /v1/admin/request_ip_ban_task_unban": admins,
	"GET /v1/payment/admin_notify":     cashiers,
	"GET /v1/admin/replace_user_email": admins,
	"GET /v1/admin/gen_user_link_v1":   ownerOnly,
	"POST /v1/total/traffic/node/1":    admins, "POST /v1/total/traffic/user/1": admins,
}

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

func TestEachStaffOperationAdmitsItsRolesAlone(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		var contract struct {
			Paths map[string]map[string]struct {
				OperationID string `json:"operationId"`
				Tags        []string
			}
		}
		if err := json.Unmarshal(h.call(t.Context(), customer{}, "GET", "/api/v2/openapi.json", "").Body.Bytes(), &contract); err != nil {
			t.Fatal(err)
		}
		routes := map[string][]account.Role{}
		for path, operations := range contract.Paths {
			for method, o := range operations {
				if !slices.Contains(o.Tags, "staff") {
					continue
				}
				roles, ok := permissions[o.OperationID]
				if !ok {
					t.Errorf("%s has no entry in permissions", o.OperationID)
				}
				routes[strings.ToUpper(method)+" "+pathParameter.ReplaceAllString(path, "999999")] = roles
			}
		}
		if len(routes) != len(permissions) {
			t.Errorf("permissions names %d operations, the contract has %d", len(permissions), len(routes))
		}
		for route, roles := range permissionsV1 {
			routes[route] = roles
		}
		for route, roles := range routes {
			method, path, _ := strings.Cut(route, " ")
			if w := h.call(t.Context(), customer{}, method, path, ""); w.Code != http.StatusUnauthorized {
				t.Errorf("%s answers %d without a sign-in, want 401", route, w.Code)
			}
			if w := h.call(t.Context(), h.present(h.users[0]), method, path, ""); w.Code != http.StatusForbidden {
				t.Errorf("%s answers %d to a user, want 403", route, w.Code)
			}
			for role, member := range h.staff {
				w := h.call(t.Context(), h.present(member), method, path, "")
				if refused := w.Code == http.StatusForbidden; refused == slices.Contains(roles, role) {
					t.Errorf("%s answers %d to %s", route, w.Code, role)
				}
			}
		}
	})
}
