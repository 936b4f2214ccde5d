package app

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
)

// forReaders are the operations of v2 that an API token of the scope read may call: those that change nothing. They are
// named here so that a new one is looked at, and does not become one of them by its method alone.
var forReaders = []string{
	"announcements_list", "announcements_unread", "audit_records", "audit_rules", "cd_key_history", "cd_key_list",
	"checkin_get", "clients_list", "crisp_data", "dashboard_get", "emby_get", "gateways_list", "get_old_service",
	"guide_get", "guides_list", "invite_codes",
	"invite_commissions", "invite_get", "invite_payouts", "invite_records", "invoice_get", "invoices_list",
	"link_log", "link_token_get", "node_get", "node_get_old", "node_links", "nodes_list", "notices_get", "order_get",
	"order_refund_quote", "recharge_list", "refund_requests", "service_renewals", "services_list", "services_old",
	"services_old_bills", "services_old_bills_of", "share_accounts", "shop_info", "shop_old", "shop_plans",
	"ss_password_get", "system_announcements", "ticket_attachment_get", "ticket_messages", "tickets_changes",
	"tickets_list", "tickets_unread", "traffic_calendar", "traffic_calendar_csv", "traffic_detail", "traffic_detail_csv",
	"traffic_nodes", "traffic_pages", "traffic_time_axis", "traffic_time_axis_csv", "user_get_me", "user_index",
	"wallet_get", "wallet_movements", "wallet_purchase_records",
}

func TestReadOnlyToken_MayCallNamedOperationsOnly(t *testing.T) {
	found := []string{}
	for _, item := range typesOnly().api(http.NewServeMux()).Paths {
		for _, o := range operationsOf(item) {
			if o.Extensions["x-api-token-scope"] == account.ScopeRead {
				found = append(found, o.OperationID)
			}
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, forReaders) {
		t.Errorf("tokens of the scope read may call\n%q\nand forReaders names\n%q", found, forReaders)
	}
}

// An API token that may only read changes nothing, whichever operation it is shown to and whatever its method.
func TestReadOnlyToken_ChangesNothing(t *testing.T) {
	sqliteFixture(t, func(h *fixture) {
		user := h.users[0]
		secret := h.token(user.id, account.ScopeRead)
		h.callWith(h.T, "GET", "/api/v2/user", secret)                 // notes when the token was used, to the minute
		if _, err := h.Links.Token(h.Context(), user.id); err != nil { // made when it is first asked for, by whomever
			h.Fatal(err)
		}
		index := h.call(h.Context(), testUser{bearer: secret}, "GET", "/api/v2/user", "").Body.String()
		if want := `"expires_at":4102358400`; !strings.Contains(index, want) { // the end of 2099
			h.Errorf("a token without an end says %s, want %s", index, want)
		}
		answered, before := 0, h.rows(h.T)
		for _, route := range h.tokenRoutes() {
			for _, path := range h.pathsOf(route.path, user.id, secret) {
				w := h.callWith(h.T, route.method, path, secret)
				if w.Code == http.StatusUnauthorized || w.Code == http.StatusForbidden {
					continue
				}
				after := h.rows(h.T)
				if !maps.Equal(before, after) {
					h.Errorf("%s %s answers %d, and changes %s", route.method, path, w.Code, changed(before, after))
				}
				before = after
				if w.Code == http.StatusOK {
					answered++
				}
				if w.Code >= 500 {
					h.Errorf("%s %s answers %d %s", route.method, path, w.Code, w.Body)
				}
			}
		}
		if answered < 40 {
			h.Errorf("a token of the scope read is answered %d times; its calls do not come far enough to mean "+
				"anything", answered)
		}
	})
}

func TestReadOnlyToken_GETThatChanges_IsRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		path := fmt.Sprintf("/api/v2/user/services-old/bill/%d/enable-auto-renewal", h.serviceOf(user.id))
		if w := h.callWith(h.T, "GET", path, h.token(user.id, account.ScopeRead)); w.Code != 403 ||
			!strings.Contains(w.Body.String(), "api_token_scope") {
			h.Errorf("a token that may only read: %d %s", w.Code, w.Body)
		}
		if w := h.callWith(h.T, "GET", path, h.token(user.id, account.ScopeWrite)); w.Code != 200 {
			h.Errorf("a token that may write: %d %s", w.Code, w.Body)
		}
	})
}

type tokenRoute struct{ method, path string }

// tokenRoutes returns all routes of v1 and v2 but those that take no token and change something for everybody who
// calls.
func (h *fixture) tokenRoutes() (routes []tokenRoute) {
	for pattern, item := range h.api(http.NewServeMux()).Paths {
		for method, o := range operationsOf(item) {
			if len(o.Security) > 0 {
				routes = append(routes, tokenRoute{method, pattern})
			}
		}
	}
	for _, r := range h.legacy(http.NewServeMux()).Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		if method != http.MethodPost || !strings.HasPrefix(path, "/v1/auth/") {
			routes = append(routes, tokenRoute{method, path})
		}
	}
	slices.SortFunc(routes, func(a, b tokenRoute) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return routes
}

// pathsOf fills in the parameters of a path: with what is the user's, and with what the site has first.
func (h *fixture) pathsOf(path string, user int64, secret string) []string {
	const sentAsWords = "?api_key=%[1]s&api_token_uuid=%[1]s&key=%[1]s"
	service := fmt.Sprint(h.serviceOf(user))
	paths := []string{}
	for _, id := range []string{service, "1"} {
		filled := strings.NewReplacer("{token_uuid}", secret, "{token}", secret, "{user_id}", fmt.Sprint(user)).
			Replace(path)
		filled = pathParameter.ReplaceAllString(filled, id)
		if strings.HasPrefix(path, "/v1/") || strings.Contains(path, "/cron_task/") {
			filled += fmt.Sprintf(sentAsWords, secret)
		}
		if !slices.Contains(paths, filled) {
			paths = append(paths, filled)
		}
	}
	return paths
}

func (h *fixture) callWith(t *testing.T, method, path, secret string) *httptest.ResponseRecorder {
	t.Helper()
	body := "{}"
	if method == http.MethodGet {
		body = ""
	}
	return h.call(t.Context(), testUser{bearer: secret}, method, path, body)
}

func (h *fixture) token(user int64, scopes ...account.Scope) string {
	h.Helper()
	secret, _, err := h.Accounts.APITokens.Create(h.Context(), user, account.APITokenDraft{
		Name:   "test",
		Scopes: scopes,
	})
	if err != nil {
		h.Fatal(err)
	}
	return secret.String()
}

func (h *fixture) serviceOf(user int64) (id int64) {
	h.Helper()
	if err := h.DB.NewSelect().Table("service").Column("id").Where("user_id = ?", user).OrderExpr("id").Limit(1).
		Scan(h.Context(), &id); err != nil {
		h.Fatal(err)
	}
	return id
}

// rows returns all rows of the database, as text, by their table.
func (h *fixture) rows(t *testing.T) map[string]string {
	t.Helper()
	list := "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	if h.DB.SQLite() {
		list = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	}
	var tables []string
	if err := h.DB.NewRaw(list).Scan(t.Context(), &tables); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, table := range tables {
		all[table] = h.rowsOf(t.Context(), table)
	}
	return all
}

func (h *fixture) rowsOf(ctx context.Context, table string) string {
	h.Helper()
	rows, err := h.DB.QueryContext(ctx, "SELECT * FROM ?", bun.Ident(table))
	if err != nil {
		h.Fatalf("%s: %v", table, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		h.Fatalf("%s: %v", table, err)
	}
	texts := []string{}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			h.Fatalf("%s: %v", table, err)
		}
		for i, value := range values {
			bytes, ok := value.([]byte)
			switch {
			case ok && utf8.Valid(bytes): // PostgreSQL's JSON
				values[i] = string(bytes)
			case ok:
				values[i] = hex.EncodeToString(bytes)
			}
		}
		texts = append(texts, fmt.Sprintln(values...))
	}
	if err := rows.Err(); err != nil {
		h.Fatalf("%s: %v", table, err)
	}
	slices.Sort(texts)
	return strings.Join(texts, "")
}

// changed names the tables that are not as they were.
func changed(before, after map[string]string) (tables []string) {
	for table, rows := range after {
		if before[table] != rows {
			tables = append(tables, table)
		}
	}
	slices.Sort(tables)
	return tables
}
