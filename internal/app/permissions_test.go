package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/permission"
)

// Sets of roles that staff operations admit: written down apart from permission.Table, so that a role that is given or
// taken there must be given or taken here too. Only owners change staff, secrets and gateways; what gives access to a
// user's account or to everybody's links is never for support, finance or viewers.
var (
	ownerOnly  = []account.Role{account.Owner}
	admins     = []account.Role{account.Owner, account.Admin}
	cashiers   = []account.Role{account.Owner, account.Admin, account.Finance}
	supporters = []account.Role{account.Owner, account.Admin, account.Support}
	readers    = []account.Role{account.Owner, account.Admin, account.Support, account.Viewer}
	clerks     = []account.Role{account.Owner, account.Admin, account.Finance, account.Support}
)

// permissions names the roles that each staff operation of v2 admits, by its operationId.
var permissions = map[string][]account.Role{
	"staff_adjustment_make": cashiers, "staff_adjustments_list": cashiers, "staff_adjustment_confirm": cashiers,
	"staff_adjustment_decline": cashiers,
	"staff_announcements":      readers, "staff_announcement_get": readers, "staff_announcement_add": admins,
	"staff_announcement_reach":      readers,
	"staff_announcement_broadcasts": readers, "staff_announcement_broadcast": admins,
	"staff_announcement_broadcast_stop": admins,
	"staff_announcement_change":         admins, "staff_announcement_remove": admins,
	"admin_announcement": readers, "admin_announcement_set": admins, "admin_announcement_html": readers,
	"admin_announcement_markdown": readers,
	"staff_guides":                readers, "staff_guide_get": readers, "staff_guide_add": admins,
	"staff_guide_change": admins, "staff_guide_remove": admins,
	"staff_audit_rules": admins, "staff_audit_rule_make": admins, "staff_audit_rule_change": admins,
	"staff_audit_rule_remove": admins, "staff_audit_records": admins,
	"staff_audit_records_count": admins, "staff_audit_records_csv": admins,
	"staff_blocked_ips": admins, "staff_ip_unblock": admins, "staff_ip_bans": admins,
	"staff_cd_keys_make": cashiers, "staff_cd_keys_list": cashiers, "staff_cd_keys_get": cashiers,
	"staff_cd_keys_confirm": cashiers, "staff_cd_keys_void": cashiers, "staff_cd_key_void": cashiers,
	"staff_clients_list": readers, "staff_client_add": admins, "staff_client_change": admins,
	"staff_client_remove": admins,
	"staff_coupon_make":   cashiers, "staff_coupons_list": cashiers, "staff_coupon_change": cashiers,
	"staff_api_keys": ownerOnly, "staff_api_key_make": ownerOnly, "staff_api_key_rotate": ownerOnly,
	"staff_api_key_revoke": ownerOnly,
	"staff_webhook_events": admins, "staff_webhooks": admins, "staff_webhook_add": ownerOnly,
	"staff_webhook_change": ownerOnly, "staff_webhook_rotate": ownerOnly, "staff_webhook_remove": ownerOnly,
	"staff_webhook_test": admins, "staff_webhook_deliveries": admins, "staff_webhook_delivery": admins,
	"staff_webhook_redeliver": admins,
	"staff_settings":          admins, "staff_settings_change": admins, "staff_setting_history": admins,
	"staff_setting_test": admins, "staff_jobs_timetable": admins, "staff_jobs": admins, "staff_job_run": admins,
	"staff_job_retry": admins, "staff_system": admins, "staff_signing_key": admins,
	"staff_signing_key_rotate": ownerOnly,
	"staff_share_accounts":     supporters, "staff_share_account_views": supporters,
	"staff_share_account_viewers": supporters, "staff_share_account_add": admins,
	"staff_share_account_change": admins, "staff_share_account_rotate": admins,
	"staff_share_account_remove": admins,
	"staff_emby_list":            supporters, "staff_emby_set": admins,
	"staff_recharge_refund": cashiers, "staff_recharge_refunds_list": cashiers, "staff_recharge_refund_get": cashiers,
	"staff_recharge_refund_confirm": cashiers, "staff_recharge_refund_decline": cashiers,
	"staff_gateway_get": cashiers, "staff_gateway_test": cashiers, "staff_gateways_order": ownerOnly,
	"staff_coupon_get": cashiers, "staff_cd_key_redemptions": cashiers,
	"staff_gateway_kinds": cashiers, "staff_gateways_list": cashiers, "staff_gateway_add": ownerOnly,
	"staff_gateway_change": ownerOnly, "staff_gateway_remove": ownerOnly,
	"staff_link_templates_list": readers, "staff_link_template_set": admins, "staff_link_template_remove": admins,
	"staff_link_template_preview": readers, "staff_link_template_affected": readers,
	"staff_link_fetches": supporters, "staff_link_fetches_count": supporters, "staff_link_fetches_csv": supporters,
	"staff_anomalies":    supporters,
	"staff_link_spreads": supporters, "staff_clients_order": admins, "staff_audit_rules_try": admins,
	"staff_ip_ban": admins, "staff_ip_unban": admins, "staff_link_group_query": supporters,
	"staff_tickets_list": readers, "staff_ticket_get": readers, "staff_canned_answers_list": readers,
	"staff_canned_answer_fill": readers, "staff_ticket_answer": supporters, "staff_ticket_note": supporters,
	"staff_ticket_change": supporters, "staff_ticket_merge": supporters, "staff_canned_answer_add": supporters,
	"staff_canned_answer_change": supporters, "staff_canned_answer_remove": supporters,
	"staff_ticket_attachment_upload": supporters, "staff_ticket_attachment_get": readers,
	"staff_ticket_attachment_remove": supporters,
	"staff_users":                    permission.Roles, "staff_users_count": permission.Roles, "staff_users_csv": permission.Roles,
	"staff_orders": permission.Roles, "staff_orders_count": permission.Roles, "staff_orders_csv": permission.Roles,
	"staff_recharges": permission.Roles, "staff_recharges_count": permission.Roles, "staff_recharges_csv": permission.Roles,
	"staff_overview": permission.Roles, "staff_user_get": permission.Roles, "staff_order_get": permission.Roles, "staff_recharge_get": permission.Roles,
	"staff_ledger": clerks, "staff_ledger_count": clerks, "staff_ledger_csv": clerks, "staff_ledger_accounts": clerks,
	"staff_reconciliation": clerks, "staff_settlements_list": clerks, "staff_statements_list": clerks,
	"staff_statement": clerks, "staff_statement_lines": clerks,
	"staff_settlement_enter": cashiers, "staff_settlement_reverse": cashiers, "staff_statement_preview": cashiers,
	"staff_statement_import": cashiers, "staff_statement_remove": cashiers,
	"staff_invoices": clerks, "staff_invoices_count": clerks, "staff_invoices_csv": clerks,
	"staff_services": permission.Roles, "staff_services_count": permission.Roles, "staff_services_csv": permission.Roles,
	"staff_user_connection": supporters, "staff_user_traffic": supporters,
	"staff_order_make": admins, "staff_order_quote": admins,
	"staff_order_cancel": clerks, "staff_recharge_cancel": clerks, "staff_recharge_confirm": cashiers,
	"staff_recharge_events": cashiers, "staff_user_ban": supporters, "staff_user_unban": supporters,
	"staff_user_sign_ins": supporters, "staff_user_link_fetches": supporters,
	"staff_user_labels_set": supporters,
	"staff_user_add":        admins, "staff_user_password_mail": supporters, "staff_user_sessions_end": supporters,
	"staff_users_import": admins, "staff_user_sign_in_as": admins,
	"staff_user_link_reset": supporters, "staff_user_two_factor_off": admins, "staff_user_email_replace": admins,
	"staff_user_close": admins, "staff_user_merge": admins, "staff_user_sessions": supporters,
	"staff_service_give": admins, "staff_traffic_give": admins, "staff_service_end": admins,
	"staff_bulk_jobs": admins, "staff_bulk_job": admins, "staff_bulk_job_rows": admins, "staff_bulk_job_make": admins,
	"staff_bulk_job_start": admins, "staff_bulk_job_stop": admins, "staff_bulk_job_resume": admins,
	"staff_bulk_job_retry": admins,
	"staff_user_notes":     supporters, "staff_user_note_add": supporters, "staff_user_note_remove": supporters,
	"staff_site_picture_set": admins, "staff_site_picture_remove": admins,
	"staff_mail_templates": admins, "staff_mail_template": admins, "staff_mail_template_preview": admins,
	"staff_mail_template_set": ownerOnly, "staff_mail_template_reset": ownerOnly, "staff_mail_template_test": ownerOnly,
	"staff_mails": supporters, "staff_mail": supporters, "staff_mail_retry": admins,
	"staff_plans_list": readers, "staff_plan_texts_set": admins,
	"staff_plan_get": readers, "staff_plan_make": ownerOnly, "staff_plan_change": ownerOnly,
	"staff_plan_archive": ownerOnly, "staff_plan_restore": ownerOnly, "staff_plans_order": ownerOnly,
	"staff_payment_case_assignees": cashiers, "staff_payment_case_assign": cashiers,
	"staff_payout_assignees": cashiers, "staff_payout_assign": cashiers,
	"staff_refund_request_assignees": cashiers, "staff_refund_request_assign": cashiers,
	"staff_payouts_list": cashiers, "staff_payout_get": cashiers, "staff_payout_pay": cashiers, "staff_payout_refuse": cashiers,
	"staff_commissions_list": cashiers, "staff_invites": cashiers, "staff_refund_requests": cashiers, "staff_refund_request_get": cashiers,
	"staff_refund_decide": cashiers, "staff_order_refund": cashiers,
	"staff_nodes_list": readers, "staff_node_get": readers, "staff_node_add": admins, "staff_node_change": admins,
	"staff_node_silence": supporters, "staff_nodes_change": admins, "staff_node_agent_config": readers,
	"staff_node_link_entry": readers, "staff_node_groups": readers, "staff_link_groups_deal": admins,
	"staff_node_remove": admins, "staff_node_secret": admins, "staff_node_certificate": admins,
	"staff_node_history": readers, "staff_node_online": supporters, "staff_node_users": supporters,
	"staff_node_speed_tests": admins, "staff_nodes_rebuild_preview": readers, "staff_nodes_rebuild": admins,
	"staff_statistics_traffic": admins, "staff_statistics_users": admins, "staff_statistics_users_csv": admins,
	"staff_statistics_growth": admins, "staff_statistics_users_parquet": admins,
	"staff_held_batches": readers, "staff_held_batch_count": admins, "staff_held_batch_dismiss": admins,
	"staff_shared_key": admins, "staff_shared_key_set": ownerOnly, "old_ss_node_rebuild_vmess": admins,
	"replace_user_email":       admins,
	"staff_payment_cases_list": cashiers, "staff_payment_case_get": cashiers, "staff_payment_case_credit": cashiers,
	"staff_payment_case_refund":  cashiers,
	"staff_payment_case_dismiss": cashiers, "staff_payment_case_confirm": cashiers,
	"staff_payment_case_decline": cashiers, "staff_approvals_list": cashiers,
	"staff_role":  permission.Roles,
	"staff_views": permission.Roles, "staff_view_add": permission.Roles, "staff_view_change": permission.Roles,
	"staff_view_remove": permission.Roles, "staff_views_order": permission.Roles,
	"staff_view_layout_set": permission.Roles,
	"staff_roles":           admins, "staff_role_make": ownerOnly, "staff_role_change": ownerOnly,
	"staff_role_remove": ownerOnly, "staff_members": admins, "staff_member": admins, "staff_member_add": ownerOnly,
	"staff_member_change": ownerOnly, "staff_member_remove": ownerOnly,
	"staff_approval_decide": cashiers, "staff_audit": admins, "staff_audit_csv": admins,
	"staff_audit_count": admins, "staff_audit_get": admins, "staff_audit_chain": admins,
	"staff_audit_actions": admins,
}

// permissionsV1 names the roles that each staff route of v1 admits. Jobs are not here: permission.JobRun is their only
// one.
var permissionsV1 = map[string][]account.Role{
	"POST /v1/admin/user_ban_task_insert": supporters, "POST /v1/admin/user_ban_task_unban": supporters,
	"POST /v1/admin/request_ip_ban_task_insert": admins, "POST /v1/admin/request_ip_ban_task_unban": admins,
	"GET /v1/payment/admin_notify": cashiers, "GET /v1/payment/admin_notify_by_cookies": cashiers,
	"GET /v1/admin/replace_user_email": admins,
	"GET /v1/admin/announcement":       readers, "POST /v1/admin/announcement": admins,
	"GET /v1/admin/announcement_html": readers, "GET /v1/admin/announcement_markdown": readers,
	"GET /v1/admin/gen_user_link_v1":        ownerOnly,
	"POST /v1/total/traffic/node/{node_id}": admins, "POST /v1/total/traffic/user/{user_id}": admins,
}

// permissionsOfTokens names the roles whose API tokens open the routes of partners, while they have the role.
var permissionsOfTokens = map[string][]account.Role{
	"GET /v1/emby_link_list": admins, "GET /v1/emby_function": admins, "GET /v1/casino_function": admins,
}

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

// staffRoute is one operation of staff with the roles that it must admit.
type staffRoute struct {
	id, method, path string
	permission       permission.Permission
	roles            []account.Role
	job, cookies     bool
	token            bool // for API tokens alone
}

// staffRoutes returns all operations of staff that the server has: of v2 by the contract, of v1 by the router.
func (f *testServer) staffRoutes(t *testing.T) (routes []staffRoute) {
	t.Helper()
	seen := map[string]bool{}
	for path, item := range f.api(http.NewServeMux()).Paths {
		for method, o := range operationsOf(item) {
			if !slices.Contains(o.Tags, "staff") {
				continue
			}
			roles, ok := permissions[o.OperationID]
			if !ok {
				t.Errorf("%s has no entry in permissions", o.OperationID)
			}
			needs, _ := o.Extensions["x-permission"].(permission.Permission)
			seen[o.OperationID] = true
			routes = append(routes, staffRoute{
				id: o.OperationID, method: method, path: path, permission: needs,
				roles: roles,
			})
		}
	}
	for _, r := range f.legacy(http.NewServeMux()).Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		route := staffRoute{id: r.Pattern, method: method, path: path, permission: r.Permission}
		route.cookies = strings.HasSuffix(path, "_by_cookies")
		ok := true
		switch {
		case r.Permission == "":
			if strings.Contains(path, "admin") || strings.Contains(path, "cron") {
				t.Errorf("%s needs no permission", r.Pattern)
			}
			continue
		case r.Permission == permission.JobRun:
			route.job, route.roles = true, admins
		case r.Permission == permission.PartnerRead:
			route.token = true
			route.roles, ok = permissionsOfTokens[r.Pattern]
		default:
			route.roles, ok = permissionsV1[r.Pattern]
		}
		if !ok {
			t.Errorf("%s has no roles in this test", r.Pattern)
		}
		seen[r.Pattern] = true
		routes = append(routes, route)
	}
	for _, named := range []map[string][]account.Role{permissions, permissionsV1, permissionsOfTokens} {
		for id := range named {
			if !seen[id] {
				t.Errorf("there is no staff operation %s", id)
			}
		}
	}
	return routes
}

// filled returns the path with a number for each parameter that nothing has.
func (r staffRoute) filled() string { return pathParameter.ReplaceAllString(r.path, "999999") }

func TestPermissions_EachStaffOperation_AdmitsItsRolesAlone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		routes := h.staffRoutes(h.T)
		if len(routes) < 90 {
			h.Fatalf("there are %d staff operations", len(routes))
		}
		for _, r := range routes {
			name := r.method + " " + r.path
			if !r.permission.Known() {
				h.Errorf("%s names the permission %q", name, r.permission)
			}
			if w := h.call(h.Context(), testUser{}, r.method, r.filled(), ""); w.Code != http.StatusUnauthorized {
				h.Errorf("%s answers %d without a sign-in, want 401", name, w.Code)
			}
			if r.token {
				continue
			}
			if w := h.asMember(h.users[0], r); w.Code != http.StatusForbidden {
				h.Errorf("%s answers %d to a user, want 403", name, w.Code)
			}
			for role, member := range h.staff {
				w := h.asMember(member, r)
				if refused := w.Code == http.StatusForbidden; refused == slices.Contains(r.roles, role) ||
					w.Code == http.StatusUnauthorized {
					h.Errorf("%s, which needs %s, answers %d to %s", name, r.permission, w.Code, role)
				}
			}
		}
	})
}

func TestPermissions_EachRole_ReadsWhatItMayDo(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		inContract := map[permission.Permission]bool{}
		for _, r := range h.staffRoutes(h.T) {
			if permissions[r.id] != nil {
				inContract[r.permission] = true
			}
		}
		for role, member := range h.staff {
			var got struct {
				Result struct {
					Role  account.Role
					Areas []struct {
						Permissions []struct {
							Permission permission.Permission
							InContract bool `json:"in_contract"`
						}
					}
				}
			}
			w := h.call(h.Context(), h.present(member), "GET", "/api/v2/staff/role", "")
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Result.Role != role {
				h.Fatalf("%s reads the role %q: %v, %s", role, got.Result.Role, err, w.Body)
			}
			read := map[permission.Permission]bool{}
			for _, area := range got.Result.Areas {
				for _, p := range area.Permissions {
					read[p.Permission] = true
					if p.InContract != inContract[p.Permission] {
						h.Errorf("%s is in the contract: %t, said: %t", p.Permission, !p.InContract, p.InContract)
					}
				}
			}
			for _, g := range permission.Table {
				if read[g.Permission] != role.Set().Has(g.Permission) {
					h.Errorf("%s reads that it has %s: %t", role, g.Permission, read[g.Permission])
				}
			}
		}
	})
}

// An API token opens nothing of staff but jobs and the routes of partners, and those only with the scope and while its
// user has the permission: not after the role was taken.
func TestPermissions_APITokens_OpenOnlyWhatTheirScopeAndRoleDo(t *testing.T) {
	sqliteFixture(t, func(h *fixture) {
		scopes := []account.Scope{
			account.ScopeRead, account.ScopeWrite, account.ScopeJobs, account.ScopePartner,
			account.ScopeGrant, account.ScopeGrafana,
		}
		tokens := map[account.Role]map[account.Scope]string{}
		for role, member := range h.staff {
			email := string(role) + "@example.com"
			if err := h.Accounts.SetRole(h.Context(), email, account.Owner); err != nil {
				h.Fatal(err)
			}
			tokens[role] = map[account.Scope]string{}
			for _, scope := range scopes {
				tokens[role][scope] = h.token(member.id, scope)
			}
			if err := h.Accounts.SetRole(h.Context(), email, role); err != nil {
				h.Fatal(err)
			}
		}
		opens := map[account.Scope]permission.Permission{
			account.ScopeJobs:    permission.JobRun,
			account.ScopePartner: permission.PartnerRead,
		}
		for _, r := range h.staffRoutes(h.T) {
			for role := range h.staff {
				for _, scope := range scopes {
					w := h.call(h.Context(), testUser{bearer: tokens[role][scope]}, r.method, r.filled(), "")
					refused := w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized
					if may := opens[scope] == r.permission && slices.Contains(r.roles, role); refused == may {
						h.Errorf("%s %s answers %d to a token of the scope %s of %s", r.method, r.path, w.Code, scope,
							role)
					}
				}
			}
		}
	})
}

// While a ban runs, a member of staff may do nothing of staff's, by whatever way they call; after it they may again.
func TestPermissions_EachStaffOperation_RefusesBannedStaff(t *testing.T) {
	sqliteFixture(t, func(h *fixture) {
		scopes := map[permission.Permission]account.Scope{
			permission.JobRun: account.ScopeJobs, permission.PartnerRead: account.ScopePartner,
		}
		tokens := map[account.Role]map[permission.Permission]string{}
		for _, role := range admins {
			tokens[role] = map[permission.Permission]string{}
			for needs, scope := range scopes {
				tokens[role][needs] = h.token(h.staff[role].id, scope)
			}
		}
		for role, member := range h.staff {
			if _, err := h.Accounts.Bans.Ban(h.Context(), account.BanTask{AccountID: member.id},
				account.Identity{}); err != nil {
				h.Fatalf("%s: %v", role, err)
			}
		}
		routes := h.staffRoutes(h.T)
		banned := func(name string, w *httptest.ResponseRecorder) {
			if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `"staff_banned"`) {
				h.Errorf("%s answers %d %s", name, w.Code, w.Body)
			}
		}
		for _, r := range routes {
			for role, member := range h.staff {
				name := fmt.Sprintf("%s %s to a banned %s", r.method, r.path, role)
				if secret := tokens[role][r.permission]; secret != "" {
					banned(name+" by token", h.call(h.Context(), testUser{bearer: secret}, r.method, r.filled(), ""))
				}
				if !r.token {
					banned(name, h.asMember(member, r))
				}
			}
		}
		for role, member := range h.staff {
			if _, err := h.Accounts.Bans.Unban(h.Context(), member.id, account.Identity{}); err != nil {
				h.Fatalf("%s: %v", role, err)
			}
		}
		for _, r := range routes {
			for _, role := range r.roles {
				w := h.asMember(h.staff[role], r)
				if secret := tokens[role][r.permission]; secret != "" {
					w = h.call(h.Context(), testUser{bearer: secret}, r.method, r.filled(), "")
				}
				if (w.Code == http.StatusForbidden && !r.token) || strings.Contains(w.Body.String(), "staff_banned") {
					h.Errorf("%s %s answers %d to %s after the ban: %s", r.method, r.path, w.Code, role, w.Body)
				}
			}
		}
	})
}

// asMember calls the operation as somebody who is signed in, on what nothing has.
func (h *fixture) asMember(who testUser, r staffRoute) *httptest.ResponseRecorder {
	h.Helper()
	r.path = r.filled()
	return h.callWithBody(who, r, "")
}

// callWithBody calls the operation as somebody who is signed in, by the older cookies where those are what it takes.
func (h *fixture) callWithBody(who testUser, r staffRoute, content string) *httptest.ResponseRecorder {
	h.Helper()
	if r.token {
		return h.call(h.Context(), who, r.method, r.path, content)
	}
	if !r.cookies {
		return h.call(h.Context(), h.present(who), r.method, r.path, content)
	}
	body := fmt.Sprintf(`{"access_token":%q}`, h.present(who).bearer)
	in := h.call(h.Context(), testUser{}, "POST", "/api/v2/auth/jwt_token/login_old_v1", body)
	if in.Code != http.StatusOK {
		h.Fatal(in.Body)
	}
	send := func(method, path, csrf string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(h.Context(), method, path, nil)
		for _, c := range in.Result().Cookies() {
			req.AddCookie(c)
		}
		req.Header.Set("X-CSRF-Token", csrf)
		w := httptest.NewRecorder()
		h.root.ServeHTTP(w, req)
		return w
	}
	var csrf struct {
		Token string `json:"csrf_token"`
	}
	if err := json.Unmarshal(send("GET", "/api/v2/csrf", "").Body.Bytes(), &csrf); err != nil {
		h.Fatal(err)
	}
	return send(r.method, r.path, csrf.Token)
}
