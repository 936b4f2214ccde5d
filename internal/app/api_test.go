package app

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

func TestContract_OnDisk_IsTheOneInTheCode(t *testing.T) {
	code, err := Contract()
	if err != nil {
		t.Fatal(err)
	}
	disk, err := os.ReadFile("../../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(code, disk) {
		t.Error("openapi.json is not current; run make gen")
	}
}

// publicOperations are all operations that anybody may call. They are written down here too, so that nobody opens one
// by registering it as public.
var publicOperations = []string{
	"auth_check_invite_code", "auth_login", "auth_login_by_code", "auth_login_old", "auth_login_request_code",
	"auth_passkey_begin", "auth_passkey_finish", "auth_refresh", "auth_register", "auth_register_request_code",
	"auth_reset_password", "auth_reset_request_code", "auth_telegram_begin", "auth_telegram_login",
	"auth_telegram_state", "auth_visit_open", "captcha_challenge", "captcha_consume", "captcha_key", "captcha_verify", "csrf_token",
	"push_renew", "setup_check_code", "setup_owner", "site_get", "site_texts",
	"tools_history", "tools_traffic_hours", "tools_traffic_log", "tools_traffic_log_copy",
}

// What staff's operations need besides a sign-in is tried by TestPermissions_EachStaffOperation_AdmitsItsRolesAlone.
func TestOperations_Each_NeedsASignInUnlessItIsPublic(t *testing.T) {
	server := newTestServer(t, config(t))
	var public []string
	for path, item := range server.api(http.NewServeMux()).Paths {
		for method, o := range operationsOf(item) {
			isPublic := slices.Contains(o.Tags, "public")
			if isPublic {
				public = append(public, o.OperationID)
			}
			if isPublic == (len(o.Security) == 1) {
				t.Errorf("%s %s is tagged %s, but its security is %v", method, path, o.Tags, o.Security)
			}
			w := server.call(t.Context(), testUser{}, method, pathParameter.ReplaceAllString(path, "999999"), "")
			refused := w.Code == http.StatusUnauthorized && strings.Contains(w.Body.String(), `"sign_in_required"`)
			if refused == isPublic {
				t.Errorf("%s %s, tagged %s, answers %d %s without a sign-in", method, path, o.Tags, w.Code, w.Body)
			}
		}
	}
	slices.Sort(public)
	if !slices.Equal(public, publicOperations) {
		t.Errorf("anybody may call %q; this test knows %q", public, publicOperations)
	}
}

// operationsOf returns the operations of a path by method.
func operationsOf(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{
		"GET": item.Get, "POST": item.Post, "PUT": item.Put, "DELETE": item.Delete, "PATCH": item.Patch,
	}
	maps.DeleteFunc(all, func(_ string, o *huma.Operation) bool { return o == nil })
	return all
}
