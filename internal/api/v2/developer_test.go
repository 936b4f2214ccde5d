package v2_test

import (
	"fmt"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
)

func TestAProgramCallsWithATokenButNeverTouchesTheAccount(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	access := p.signUp("a@example.com").AccessToken
	const path = "/api/v2/user/developer/tokens"
	with := func(more string) string { return fmt.Sprintf(`{"name":"x","password":%q,%s}`, password, more) }
	if got := p.want(p.call("POST", path, access, `{"name":"x","scopes":["read"],"password":"not this one"}`), 422,
		"invalid_input").fields(); got != "password:wrong_credentials" {
		t.Error(got)
	}
	p.want(p.call("POST", path, access, with(`"scopes":["jobs"]`)), 422, "invalid_input")
	p.want(p.call("POST", path, access, with(`"scopes":[]`)), 422, "invalid_input")
	var made struct {
		ID    int64
		Token string
	}
	same(t, "token", p.want(p.call("POST", path, access, with(`"scopes":["read"],"expires_at":null`)), 200, "").
		into(t, &made),
		"id", "name", "hint", "scopes", "created_at", "expires_at", "last_used_at", "token")
	p.want(p.call("GET", "/api/v2/user/get_me", made.Token, ""), 200, "")
	p.want(p.call("GET", path, made.Token, ""), 403, "api_token_scope")
	p.want(p.call("POST", path, made.Token, `{"name":"y","scopes":["read"]}`), 403, "api_token_scope")
	p.want(p.call("GET", "/api/v2/user/account/me", made.Token, ""), 403, "api_token_scope")
	p.want(p.call("POST", "/api/v2/user/account/change-password", made.Token, `{}`), 403, "api_token_scope")
	p.want(p.call("POST", "/api/v2/auth/sign-out", made.Token, ""), 403, "api_token_scope")
	listed := p.want(p.call("GET", path, access, ""), 200, "")
	if strings.Contains(listed.raw, made.Token) || !strings.Contains(listed.raw, made.Token[:8]) ||
		strings.Contains(listed.raw, `"last_used_at":null`) {
		t.Error(listed.raw)
	}
	p.want(p.call("DELETE", fmt.Sprintf("%s/%d", path, made.ID), access, ""), 200, "")
	p.want(p.call("DELETE", fmt.Sprintf("%s/%d", path, made.ID), access, ""), 404, "api_token_not_found")
	p.want(p.call("GET", "/api/v2/user/get_me", made.Token, ""), 401, "signed_out")
}
