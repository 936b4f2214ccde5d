package v1_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v1 "airstrip/internal/api/v1"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/emby"
	"airstrip/internal/invite"
	"airstrip/internal/job"
	"airstrip/internal/link"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

// mediaServer answers as Emby's API documents it.
type mediaServer struct {
	sync.Mutex
	*testing.T
	people map[string]map[string]any // policies by id
	names  map[string]string
	locked bool // passwords can't be set
	fixed  bool // policies can't be set
	added  int
}

func (m *mediaServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.Lock()
	defer m.Unlock()
	if r.Header.Get("X-Emby-Token") != "media-key" {
		http.Error(w, "Access token is invalid or expired.", http.StatusUnauthorized)
		return
	}
	var in map[string]any
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	show := func(id string) map[string]any {
		return map[string]any{"Id": id, "Name": m.names[id], "Policy": m.people[id]}
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/emby/Users"), "/")
	id := parts[len(parts)-1]
	if len(parts) == 3 {
		id = parts[1]
	}
	switch _, known := m.people[id]; {
	case r.Method == http.MethodGet && r.URL.Path == "/emby/Users":
		everybody := []any{}
		for id := range m.people {
			everybody = append(everybody, show(id))
		}
		json.NewEncoder(w).Encode(everybody)
	case r.Method == http.MethodPost && r.URL.Path == "/emby/Users/New":
		m.added++
		id := strings.Repeat("e", 31) + strconv.Itoa(m.added)
		m.names[id], m.people[id] = in["Name"].(string), map[string]any{
			"IsDisabled":          false,
			"EnableMediaPlayback": true,
		}
		json.NewEncoder(w).Encode(show(id))
	case !known:
		http.Error(w, "User not found", http.StatusNotFound)
	case r.Method == http.MethodGet:
		json.NewEncoder(w).Encode(show(id))
	case r.Method == http.MethodDelete:
		delete(m.people, id)
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(r.URL.Path, "/Password") && !m.locked && in["NewPw"] != "":
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(r.URL.Path, "/Policy") && !m.fixed:
		m.people[id] = in
		w.WriteHeader(http.StatusNoContent)
	default:
		http.Error(w, "Error processing request.", http.StatusInternalServerError)
	}
}

// policy returns the only account's policy; nil where there is none.
func (m *mediaServer) policy() map[string]any {
	m.Lock()
	defer m.Unlock()
	for _, p := range m.people {
		return p
	}
	return nil
}

// partners is a site with a media server and one user, 1, and an owner, 2.
type partners struct {
	*site
	db       *db.DB
	settings *setting.Settings
	services *service.Services
	emby     *emby.Emby
	links    *link.Links
	queue    *job.Queue
	server   *mediaServer
	address  string
	now      time.Time
	key      string // of the scope partner
}

func eachPartner(t *testing.T, test func(p *partners)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		key := seal.Key{1}
		p := &partners{site: &site{T: t}, db: d, now: time.Now().UTC().Truncate(time.Millisecond)}
		d.SetClock(func() time.Time { return p.now })
		settings, err := setting.New(t.Context(), d)
		p.must(err)
		tokens, err := token.New(t.Context(), d, key)
		p.must(err)
		secrets := secret.New(d, key)
		p.settings, p.services = settings, service.New(d, seal.Key{1}, settings)
		p.Accounts = account.New(account.Config{
			PasswordMemory: 64,
			DB:             d, Key: key, Settings: settings,
			Mails:    mail.New(d, key, settings, secrets, "http://localhost:8080"),
			Captchas: captcha.New(d, key, settings, secrets), Tokens: tokens, Wallets: wallet.New(d, settings),
			Services: p.services, Site: "http://localhost:8080",
		})
		p.links = link.New(d, key, settings, "http://localhost:8080", p.Accounts, p.services, node.New(d, key, settings,
			p.services), nil)
		p.emby = emby.New(d, key, settings, secrets, p.services, p.links)
		p.queue = job.New(d)
		p.emby.Register(p.queue)
		p.server = &mediaServer{T: t, people: map[string]map[string]any{}, names: map[string]string{}}
		mediaServer := httptest.NewServer(p.server)
		t.Cleanup(mediaServer.Close)
		p.address = mediaServer.URL + "/emby"
		p.must(settings.Set(t.Context(),
			map[string]json.RawMessage{"emby_url": json.RawMessage(`"` + p.address + `"`)}))
		p.must(secrets.Set(t.Context(), secret.EmbyKey, "media-key"))
		mux := http.NewServeMux()
		wallets := wallet.New(d, settings)
		plans := shop.New(d, settings, wallets, p.services, invite.New(d, settings, wallets))
		_, err = plans.AddPlan(t.Context(), shop.Plan{ // what traffic is worth
			Name: "Package", Kind: shop.KindPackage, TrafficBytes: new(int64(1 << 30)), Reset: service.Never,
			Prices: []shop.Price{{Amount: 100}},
		})
		p.must(err)
		v1.New(mux, p.Sessions.Authenticate).Partner(p.Accounts, p.services, plans, p.emby)
		p.handler = api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
		p.person("ming@example.com", "")
		p.person("owner@example.com", account.Owner)
		p.key = p.token(account.ScopePartner)
		test(p)
	})
}

func (p *partners) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *partners) token(scopes ...account.Scope) string {
	p.Helper()
	secret, _, err := p.APITokens.Create(p.Context(), 2, account.APITokenDraft{Name: "bot", Scopes: scopes})
	p.must(err)
	return secret.String()
}

// buy starts a service of a month with 10 GiB for the user.
func (p *partners) buy() {
	p.Helper()
	quota := int64(10 << 30)
	p.must(p.db.Tx(p.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := p.services.Start(ctx, tx, service.Terms{
			UserID: 1, PlanID: 1, Name: "Film", Class: 1,
			QuotaBytes: &quota, Reset: service.Never, Months: 1,
		})
		return err
	}))
}

// later lets the queue work after d.
func (p *partners) later(d time.Duration) {
	p.Helper()
	p.now = p.now.Add(d)
	p.must(p.queue.Work(p.Context()))
}

func (p *partners) ask(path string) *httptest.ResponseRecorder {
	return p.call("GET", path, "", "", nil)
}

func TestALinkLeadsToTheMediaServerForWhomThePlanHasIt(t *testing.T) {
	eachPartner(t, func(p *partners) {
		own, password, err := p.emby.Own(t.Context(), 1)
		p.must(err)
		path := "/v1/emby_link/" + own.Token.String()
		p.want(p.ask(path), 403, "emby_not_allowed")
		p.want(p.ask("/v1/emby_link/"+uuid.NewString()), 404, "emby_link_not_found")
		p.want(p.ask("/v1/emby_link/no-such-token"), 404, "emby_link_not_found")
		p.buy()
		rec := p.ask(path)
		to, err := url.Parse(rec.Header().Get("Location"))
		if err != nil || rec.Code != http.StatusFound || !strings.HasPrefix(to.String(), p.address+"?") || rec.Header().
			Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v", rec.Code, rec.Header())
		}
		q := to.Query()
		mac := hmac.New(sha256.New, []byte("media-key"))
		mac.Write([]byte(q.Get("user") + "\n" + q.Get("expires")))
		if end, _ := strconv.ParseInt(q.Get("expires"), 10, 64); q.Get("user") != own.Name ||
			end != p.now.Add(10*time.Minute).Unix() || q.Get("signature") != hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("%v", q)
		}
		p.later(time.Second)
		if policy := p.server.policy(); policy["IsDisabled"] != false || policy["IsAdministrator"] != false ||
			policy["EnableMediaPlayback"] != true {
			t.Errorf("the account's policy: %v", policy)
		}
		if again, same, err := p.emby.Own(t.Context(), 1); err != nil || again.State != emby.Enabled ||
			same != password || password == "" {
			t.Errorf("%+v %q %v", again, same, err)
		}
		p.must(p.settings.Set(t.Context(), map[string]json.RawMessage{"emby_url": json.RawMessage(`""`)}))
		p.want(p.ask(path), 404, "emby_not_configured")
	})
}

// The account is on, and without a password, from when it is made until the server took its policy.
func TestMediaAccount_MadeToBeOff_IsOffAfterTheServerFailed(t *testing.T) {
	eachPartner(t, func(p *partners) {
		_, _, err := p.emby.Own(t.Context(), 1)
		p.must(err)
		p.must(p.emby.Want(t.Context(), 1, emby.Disabled, true))
		p.server.fixed = true
		p.later(time.Second)
		if list, err := p.emby.All(t.Context()); err != nil || list[0].Standing() != emby.StandingFailed {
			t.Errorf("while the server fails: %+v %v", list, err)
		}
		p.server.fixed = false
		p.later(time.Minute)
		if p.server.policy()["IsDisabled"] != true || p.server.added != 1 {
			t.Errorf("after the second try: %v, %d accounts were made", p.server.policy(), p.server.added)
		}
		if list, err := p.emby.All(t.Context()); err != nil || list[0].Standing() != emby.StandingDisabled {
			t.Errorf("then: %+v %v", list, err)
		}
	})
}

func TestMediaAccountsFollowThePlanAndStaff(t *testing.T) {
	eachPartner(t, func(p *partners) {
		_, _, err := p.emby.Own(t.Context(), 1)
		p.must(err)
		p.buy()
		p.must(p.emby.Want(t.Context(), 1, emby.Enabled, false))
		p.server.locked = true
		p.later(time.Second)
		if list, err := p.emby.All(t.Context()); err != nil || list[0].LastError == "" ||
			list[0].State == emby.Enabled {
			t.Errorf("while the server fails: %+v %v", list, err)
		}
		p.server.locked = false
		p.later(time.Minute)
		if p.server.policy()["IsDisabled"] != false || p.server.added != 1 {
			t.Errorf("after the second try: %v, %d accounts were made", p.server.policy(), p.server.added)
		}
		p.must(p.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return p.services.SetBanned(ctx, tx, 1,
				true)
		}))
		p.later(time.Minute)
		p.later(time.Second)
		if p.server.policy()["IsDisabled"] != true {
			t.Error("a banned user's account is on")
		}
		p.must(p.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return p.services.SetBanned(ctx, tx, 1,
				false)
		}))
		p.later(time.Minute)
		p.later(time.Second)
		if p.server.policy()["IsDisabled"] != false {
			t.Error("the account stays off")
		}
		p.must(p.emby.Want(t.Context(), 1, emby.Disabled, true)) // by staff
		p.later(time.Minute)
		p.later(time.Minute)
		if p.server.policy()["IsDisabled"] != true {
			t.Error("what staff turned off is on")
		}
		p.must(p.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error { return p.emby.Close(ctx, tx, 1) }))
		p.later(time.Second)
		if p.server.policy() != nil {
			t.Error("the account is still there")
		}
	})
}

func TestPartnersAskWhoMayUseTheMediaServer(t *testing.T) {
	eachPartner(t, func(p *partners) {
		const path = "/v1/emby_function?"
		own, _, err := p.emby.Own(t.Context(), 1)
		p.must(err)
		subscription, err := p.links.Token(t.Context(), 1)
		p.must(err)
		p.want(p.ask(path+"sql_table=version"), 401, "sign_in_required")
		p.want(p.ask(path+"sql_table=version&api_key="+uuid.NewString()), 401, "signed_out")
		p.want(p.ask(path+"sql_table=version&api_key="+p.token(account.ScopeRead, account.ScopeWrite,
			account.ScopeJobs)), 403, "api_token_scope")
		ask := func(query string) *httptest.ResponseRecorder { return p.ask(path + query + "&api_key=" + p.key) }
		for _, query := range []string{
			"", "sql_table=account", "sql_table=user", "sql_table=link",
			"sql_table=user&sql_table_user_id=one",
		} {
			p.want(ask(query), 422, "invalid_input")
		}
		p.want(ask("sql_table=user&sql_table_user_id=99"), 404, "user_not_found")
		p.want(ask("sql_table=link&sql_table_link_token=nobody"), 404, "link_not_found")
		before := p.want(ask("sql_table=version"), 200, "")["version"].(float64)
		if data := p.want(ask("sql_table=user&sql_table_user_id=1"), 200, ""); data["is_allowed"] != false {
			t.Errorf("%v", data)
		}
		p.buy()
		if after := p.want(ask("sql_table=version"), 200, "")["version"].(float64); after <= before {
			t.Errorf("version %v, then %v", before, after)
		}
		for _, query := range []string{"sql_table=user&sql_table_user_id=1", "sql_table=link&sql_table_link_token=" +
			own.Token.String(), "sql_table=link&sql_table_link_token=" + subscription.Token} {
			if data := p.want(ask(query), 200, ""); data["is_allowed"] != true || data["user_id"] != 1.0 ||
				data["account"].(map[string]any)["token"] != own.Token.String() {
				t.Errorf("%s: %v", query, data)
			}
		}
		p.want(p.ask("/v1/emby_link_list"), 401, "sign_in_required")
		rec := p.ask("/v1/emby_link_list?api_key=" + p.key)
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), own.Token.String()) ||
			strings.Contains(rec.Body.String(), "password") {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	})
}

func TestAPartnersBotReadsAndGrantsTraffic(t *testing.T) {
	eachPartner(t, func(p *partners) {
		const path = "/v1/casino_function?"
		p.want(p.ask(path+"sql_table=version"), 401, "sign_in_required")
		ask := func(query string) *httptest.ResponseRecorder { return p.ask(path + query + "&api_key=" + p.key) }
		for _, query := range []string{
			"", "sql_table=account", "sql_table=user",
			"sql_table=user&sql_table_telegram_id=me",
		} {
			p.want(ask(query), 422, "invalid_input")
		}
		p.want(ask("sql_table=user&sql_table_telegram_id=4242"), 404, "user_not_found")
		p.must(p.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return p.Credentials.LinkTelegram(ctx, tx, 1, 4242, uuid.Nil, account.Client{})
		}))
		if data := p.want(ask("sql_table=user&sql_table_telegram_id=4242&type_mode=get"), 200, ""); data["id"] != 1.0 ||
			data["state"] != "none" || data["is_enabled"] != false {
			t.Errorf("%v", data)
		}
		const add = "sql_table=user&sql_table_telegram_id=4242&type_mode=add&sql_table_add_transfer_enable="
		p.want(ask(add+"1000"), 422, "invalid_input")
		p.key = p.token(account.ScopePartner, account.ScopeGrant)
		for _, wrong := range []string{"", "x", "0", "-5", "1125899906842625", "99999999999999999999"} {
			p.want(ask(add+wrong), 422, "invalid_input")
		}
		p.want(ask("sql_table=user&sql_table_telegram_id=4242&type_mode=take"), 422, "invalid_input")
		if data := p.want(ask(add+"1000"), 200, ""); data["ss_bandwidth_total_size"] != 1000.0 ||
			data["ss_bandwidth_remaining_size"] != 1000.0 || data["is_enabled"] != true {
			t.Errorf("%v", data)
		}
		p.must(p.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return p.services.ConsumeLateTraffic(ctx, tx, p.now, []service.Use{
				{UserID: 1, Up: 20, Down: 60, BilledUp: 30, BilledDown: 90},
			})
		}))
		data := p.want(ask("sql_table=user&sql_table_telegram_id=4242&type_mode=get"), 200, "")
		if data["ss_upload_size"] != 30.0 || data["ss_download_size"] != 90.0 ||
			data["ss_bandwidth_remaining_size"] != 880.0 {
			t.Errorf("after traffic: %v", data)
		}
	})
}
