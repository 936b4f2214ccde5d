package v2_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
)

func TestTheOlderCookiesAreForNoScript(t *testing.T) {
	for site, prefix := range map[string]string{"https://shop.example": "__Host-", "http://localhost:8080": ""} {
		t.Run(site, func(t *testing.T) { testCookies(t, serveAt(t, dbtest.SQLite(t), site), prefix) })
	}
}

func testCookies(t *testing.T, p *people, prefix string) {
	t.Helper()
	access := p.signUp("a@example.com").AccessToken
	const path = "/api/v2/auth/jwt_token/login_old_v1"
	p.want(p.call("POST", path, "", `{}`), 422, "invalid_input")
	p.want(p.call("POST", path, "", `{"access_token":"x"}`), 401, "signed_out")
	got := p.want(p.call("POST", path, "", fmt.Sprintf(`{"access_token":%q,"refresh_token":null}`, access)), 200, "")
	var shown struct {
		Key     string
		IsLogin bool `json:"is_login"`
		IsAdmin bool `json:"is_admin"`
	}
	same(t, "cookies", got.into(t, &shown), "uid", "email", "expire_in", "ip", "key", "is_login", "is_admin")
	if !regexp.MustCompile(`^[0-9a-f]{45}$`).MatchString(shown.Key) || !shown.IsLogin || shown.IsAdmin {
		t.Errorf("%+v", shown)
	}
	set := (&http.Response{Header: got.header}).Cookies()
	for _, c := range set {
		if strings.HasPrefix(c.Name, "__Host-") != (prefix != "") || c.Secure != (prefix != "") || c.Path != "/" ||
			c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Expires.IsZero() {
			t.Errorf("set %s", c)
		}
	}
	if len(set) != 5 {
		t.Fatalf("%d cookies", len(set))
	}
	csrf := func() (token string) {
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v2/csrf", nil)
		for _, c := range set {
			req.AddCookie(c)
		}
		rec := httptest.NewRecorder()
		p.handler.ServeHTTP(rec, req)
		var answer struct {
			IsSuccess bool   `json:"is_success"`
			CSRFToken string `json:"csrf_token"`
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || !answer.IsSuccess {
			t.Fatal(rec.Body)
		}
		return answer.CSRFToken
	}
	if token := csrf(); token != p.Sessions.CSRFToken(shown.Key).String() || token != csrf() {
		t.Errorf("token %s", token)
	}
	set = nil
	if one, other := csrf(), csrf(); one == other {
		t.Error("without cookies all have one token")
	}
}
