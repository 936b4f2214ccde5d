package v1_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v1 "airstrip/internal/api/v1"
	"airstrip/internal/captcha"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/ipban"
	"airstrip/internal/link"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

// site is a site with its people behind the older API.
type site struct {
	*testing.T
	*account.Accounts
	handler    http.Handler
	nodes      *node.Nodes
	hit        func(node.Node, ...node.Hit)
	nodeSecret string
	ran        int // jobs
}

const sitePassword = "correct horse 电池"

func newSite(t *testing.T) *site {
	t.Helper()
	d, key := dbtest.SQLite(t), seal.Key{1}
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	secrets := secret.New(d, key)
	captchas := captcha.New(d, key, settings, secrets)
	services := service.New(d, seal.Key{1}, settings)
	a := account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: key, Settings: settings, Mails: mail.New(d, key, settings, secrets, "http://localhost:8080"),
		Captchas: captchas, Tokens: tokens, Wallets: wallet.New(d, settings), Services: services,
		Site: "http://localhost:8080",
	})
	nodes := node.New(d, key, settings, services)
	s := &site{T: t, Accounts: a, nodes: nodes}
	n := node.Draft("n", node.VMess, "192.0.2.1", 8388)
	n.Settings = node.Settings{Transport: "tcp", Security: "none"}
	if _, s.nodeSecret, err = nodes.Add(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	s.hit = func(n node.Node, hits ...node.Hit) {
		t.Helper()
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := nodes.Rules.AddHits(ctx, tx, n.ID, hits)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	mux := http.NewServeMux()
	r := v1.New(mux, a.Sessions.Authenticate)
	r.Ban(a)
	bans, err := ipban.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r.IPBan(bans)
	r.Auth(a)
	r.Security(a)
	r.SignInLinks(a, captchas, settings, "http://localhost:8080")
	r.Credentials(link.New(d, key, settings, "http://localhost:8080", nil, services, nodes, nil), services)
	r.Detect(nodes)
	r.Jobs(a, nodes, v1.Job{Pattern: "POST /v1/mod_mu/check_job", Run: func(context.Context) (any,
		error,
	) {
		s.ran++
		return nil, nil
	}})
	middleware := api.NewMiddleware(mux, nil, prometheus.NewRegistry())
	middleware.FilterAddresses(bans.Refuse)
	s.handler = middleware.Handler()
	return s
}

// person makes a user, or with a role a member of staff, who is signed in.
func (s *site) person(email string, role account.Role) account.Grant {
	s.Helper()
	if _, err := s.Create(s.Context(), email, "x", sitePassword, role); err != nil {
		s.Fatal(err)
	}
	g, err := s.SignIns.ByPassword(s.Context(), account.SignIn{Email: email, Password: sitePassword}, account.Client{})
	if err != nil {
		s.Fatal(err)
	}
	return g
}

func (s *site) call(method, path, bearer, accept string, form url.Values) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(s.Context(), method, path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", accept)
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	rec := httptest.NewRecorder()
	s.handler.ServeHTTP(rec, req)
	return rec
}

// want tests the status and gives the answer's data.
func (s *site) want(rec *httptest.ResponseRecorder, status int, code string) map[string]any {
	s.Helper()
	var answer struct {
		Code string
		Data map[string]any
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != status || answer.Code != code {
		s.Fatalf("%d %s, want %d %s", rec.Code, rec.Body, status, code)
	}
	return answer.Data
}

func TestStaffBansForATimeAndFrees(t *testing.T) {
	s := newSite(t)
	ming, helper, viewer := s.person("ming@example.com", ""), s.person("help@example.com", account.Support),
		s.person("view@example.com", account.Viewer)
	const insert, unban = "/v1/admin/user_ban_task_insert", "/v1/admin/user_ban_task_unban"
	form := url.Values{
		"user_id": {"1"}, "task_end_at": {time.Now().Add(time.Hour).Format(time.RFC3339)},
		"ban_context": {"太多连接"}, "is_need_send_email": {"false"},
	}
	s.want(s.call("POST", insert, "", "", form), 401, "sign_in_required")
	s.want(s.call("POST", insert, ming.Access, "", form), 403, "not_allowed")
	s.want(s.call("POST", insert, viewer.Access, "", form), 403, "not_allowed")
	s.want(s.call("POST", insert, helper.Access, "", nil), 422, "invalid_input")
	s.want(s.call("POST", insert, helper.Access, "", url.Values{"user_id": {"1"}}), 422, "invalid_input")
	s.want(s.call("POST", insert, helper.Access, "", url.Values{"user_id": {"1"}, "task_end_at": {"tomorrow"}}), 422,
		"invalid_input")
	s.want(s.call("POST", insert, helper.Access, "", url.Values{
		"user_id":     {"1"},
		"task_end_at": {"2020-01-01T00:00:00Z"},
	}), 422, "invalid_input")
	s.want(s.call("POST", insert+"?user_id=999&task_end_at=2099-01-01T00:00:00", helper.Access, "", nil), 404,
		"user_not_found")
	if task := s.want(s.call("POST", insert, helper.Access, "", form), 200, ""); task["ban_context"] != "太多连接" ||
		task["is_need_send_email"] != false {
		t.Errorf("%v", task)
	}
	form.Set("ban_context", " ")
	if task := s.want(s.call("POST", insert, helper.Access, "", form), 200, ""); task["ban_context"] != "管理员禁封用户" {
		t.Errorf("with a blank reason: %v", task)
	}
	if ban, err := s.Bans.Running(t.Context(), ming.User.ID); err != nil || ban == nil ||
		*ban.MadeBy != helper.User.ID {
		t.Fatalf("%+v, %v", ban, err)
	}
	s.want(s.call("POST", unban, helper.Access, "", nil), 422, "invalid_input")
	if freed := s.want(s.call("POST", unban+"?user_id=1", helper.Access, "", nil), 200, ""); freed["ended"] != 2.0 {
		t.Errorf("%v", freed)
	}
	if u, err := s.User(t.Context(), ming.User.ID); err != nil || u.Banned() {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestAddressesThatSignInGiveProgramsTokensAndSendBrowsersToThePage(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "").User
	const path = "/v1/auth/by_url?"
	s.want(s.call("GET", path, "", "", nil), 422, "invalid_input")
	s.want(s.call("GET", path+"created_at_unix=1&input_data=1&valid_token=x", "", "", nil), 401, "sign_in_link_invalid")
	s.want(s.call("GET", path+"created_at_unix=1&input_data=1&valid_token=x&login_web_version=v9", "", "", nil), 422,
		"invalid_input")
	q := s.SignIns.URL(ming.ID, "v1")
	q.Del("login_web_version") // v1 where it is absent
	if data := s.want(s.call("GET", path+q.Encode(), "", "", nil), 200, ""); data["email"] != "ming@example.com" ||
		data["access_token"] == "" {
		t.Errorf("%v", data)
	}
	s.want(s.call("GET", path+q.Encode(), "", "", nil), 401, "sign_in_link_invalid")

	tokenID, _, err := s.SignIns.MakeToken(t.Context(), ming.Email)
	if err != nil {
		t.Fatal(err)
	}
	const byToken = "/v1/auth/by_token_uuid/"
	rec := s.call("GET", byToken+tokenID.String(), "", "text/html,*/*", nil)
	page, fragment, _ := strings.Cut(rec.Header().Get("Location"), "#")
	given, err := url.ParseQuery(fragment)
	if err != nil || rec.Code != http.StatusSeeOther || page != "http://localhost:8080/auth/sign-in-by-access-jwt" ||
		rec.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d to %s, %v", rec.Code, page, err)
	}
	if who, err := s.Sessions.Authenticate(t.Context(), given.Get("access_token")); err != nil ||
		who.UserID != ming.ID {
		t.Errorf("%+v, %v", who, err)
	}
	if rec := s.call("GET", byToken+tokenID.String(), "", "text/html,*/*", nil); rec.Header().
		Get("Location") != "http://localhost:8080/auth/sign-in?reason=sign_in_link_invalid" {
		t.Errorf("sent to %s", rec.Header().Get("Location"))
	}
	s.want(s.call("GET", byToken+"x", "", "", nil), 401, "sign_in_link_invalid")
}

func TestTheFormsAreDescribed(t *testing.T) {
	s := newSite(t)
	for path, field := range map[string]string{
		"/v1/auth/login":    `{"name":"passwd","type":"password","required":true}`,
		"/v1/auth/register": `{"name":"emailcode","type":"text","required":false}`,
	} {
		rec := s.call("GET", path, "", "", nil)
		s.want(rec, 200, "")
		if !strings.Contains(rec.Body.String(), field) || !strings.Contains(rec.Body.String(), `"provider":"pow"`) {
			t.Errorf("%s: %s", path, rec.Body)
		}
	}
}
