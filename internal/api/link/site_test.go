package link_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/api"
	apilink "airstrip/internal/api/link"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
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

const user = 7

// site is a server with links only, one user who has a service, and three nodes.
type site struct {
	testing.TB
	db       *db.DB
	settings *setting.Settings
	mails    *mail.Mails
	accounts *account.Accounts
	services *service.Services
	nodes    *node.Nodes
	links    *link.Links
	handler  http.Handler
	token    string
	stop     func()
}

func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(open(t, d)) })
}

func open(t testing.TB, d *db.DB) *site {
	s := serve(t, d)
	s.set("link_per_minute", 10_000)
	s.set("link_per_day", 10_000)
	s.set("link_per_ip_minute", 10_000)
	s.do(func(ctx context.Context, tx bun.Tx) error { return s.services.Open(ctx, tx, user) })
	quota := int64(100 << 30)
	s.do(func(ctx context.Context, tx bun.Tx) error {
		_, err := s.services.Start(ctx, tx, service.Terms{
			UserID: user, PlanID: 1, Name: "Basic", Class: 1,
			Groups: []int{1}, QuotaBytes: &quota, Reset: service.CalendarMonth, Months: 1,
		})
		return err
	})
	s.add(node.Draft("香港, 01", node.VLESS, "hk.example.com", 443), node.Settings{
		Transport: "tcp", Security: "reality", Flow: "xtls-rprx-vision",
		Reality: &node.Reality{Dest: "www.example.org:443", ServerNames: []string{"www.example.org"}},
	})
	s.add(node.Draft("Tokyo", node.Shadowsocks, "jp.example.com", 8388),
		node.Settings{Method: "2022-blake3-aes-128-gcm"})
	s.add(node.Draft("Paris", node.Hysteria2, "fr.example.com", 443),
		node.Settings{TLS: &node.TLS{ServerName: "fr.example.com"}})
	made, err := s.links.Token(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	s.token = made.Token
	return s
}

// serve starts a server on a database.
func serve(t testing.TB, d *db.DB) *site {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{TB: t, db: d, settings: settings, services: service.New(d, seal.Key{1}, settings)}
	key := seal.Key{1}
	tokens, err := token.New(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	secrets := secret.New(d, key)
	s.mails = mail.New(d, key, settings, secrets, "https://site.example.com")
	s.accounts = account.New(account.Config{
		PasswordMemory: 64, DB: d, Key: key, Settings: settings, Mails: s.mails,
		Captchas: captcha.New(d, key, settings, secrets), Tokens: tokens,
		Wallets: wallet.New(d, settings), Services: s.services, Site: "https://site.example.com",
	})
	s.nodes = node.New(d, key, settings, s.services)
	s.links = link.New(d, key, settings, "https://site.example.com", s.accounts, s.services, s.nodes, nil)
	mux := http.NewServeMux()
	apilink.Register(mux, s.links)
	s.handler = api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.links.Run(ctx); close(done) }()
	s.stop = func() { cancel(); <-done }
	t.Cleanup(s.stop)
	return s
}

func (s *site) do(fn func(context.Context, bun.Tx) error) {
	s.Helper()
	if err := s.db.Tx(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

func (s *site) set(name string, value any) {
	s.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = s.settings.Set(s.Context(), map[string]json.RawMessage{name: text})
	}
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) add(n node.Node, settings node.Settings) node.Node {
	s.Helper()
	n.Settings = settings
	n, _, err := s.nodes.Add(s.Context(), n)
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// get fetches the link with a query and with headers as alternating names and values.
func (s *site) get(query string, headers ...string) *httptest.ResponseRecorder {
	return s.fetch(http.MethodGet, "/link2/"+s.token+"?"+query, headers...)
}

func (s *site) fetch(method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}
