package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/payment"
	"airstrip/internal/secret"
)

const proxyPassword = "correct horse battery"

// proxied is a server behind the reverse proxies that docs/deploy.md describes, which keep their connections to it.
type proxied struct {
	*App
	t      *testing.T
	sites  map[string]string // of each proxy
	bearer string            // of a user who only reads
}

func newProxied(t *testing.T, c Config) *proxied {
	t.Helper()
	c.TrustedProxies = []string{"127.0.0.1"}
	a, err := Open(t.Context(), c, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	p := &proxied{App: a, t: t, sites: map[string]string{}}
	p.bearer = p.signUp("looks@example.com")
	a.serving(t)
	nginx, caddy := freeAddress(t), freeAddress(t)
	base, err := os.ReadFile("testdata/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	site := p.file("site.conf", fmt.Sprintf(`
	upstream airstrip { server %s; keepalive 128; }
	server {
		listen %s;
		location / {
			proxy_pass http://airstrip;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_set_header Host $host;
			proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
		}
	}`, c.Listen, nginx))
	config := strings.NewReplacer("FOLDER", t.TempDir(), "SITE", site).Replace(string(base))
	p.start(nginx, "nginx", "-c", p.file("nginx.conf", config), "-e", "stderr")
	p.start(caddy, "caddy", "run", "--adapter", "caddyfile", "--config", p.file("Caddyfile", fmt.Sprintf(`
{
	admin off
	auto_https off
}
http://%s {
	bind 127.0.0.1
	reverse_proxy %s
}`, caddy, c.Listen)))
	return p
}

func (p *proxied) file(name, text string) string {
	path := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// start runs a proxy until the test ends.
func (p *proxied) start(address, name string, args ...string) {
	p.t.Helper()
	var log bytes.Buffer
	program, err := exec.LookPath(name)
	if err != nil {
		program = "/usr/sbin/" + name // where Debian has nginx, and not everybody's PATH leads
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+p.t.TempDir(), "XDG_CONFIG_HOME="+p.t.TempDir())
	cmd.Stderr, cmd.SysProcAttr = &log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err, "; scripts/setup.sh installs it")
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	p.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if p.t.Failed() {
			p.t.Logf("%s: %s", name, log.Bytes())
		}
	})
	p.sites[name] = "http://" + address
	for {
		if status, _ := p.call(http.DefaultClient, name, "GET", "/ready", "", ""); status == http.StatusOK {
			return
		}
		select {
		case err := <-ended:
			ended <- err
			p.t.Fatalf("%s ended: %v", name, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *proxied) signUp(email string) (bearer string) {
	p.t.Helper()
	if _, err := p.Accounts.Create(p.t.Context(), email, "name", proxyPassword, ""); err != nil {
		p.t.Fatal(err)
	}
	g, err := p.Accounts.SignIns.ByPassword(p.t.Context(), account.SignIn{Email: email, Password: proxyPassword},
		account.Client{IP: netip.MustParseAddr("192.0.2.1")})
	if err != nil {
		p.t.Fatal(err)
	}
	return g.Access
}

// call returns the status of a call through a proxy and the code of its fault; 0 where it was not answered.
func (p *proxied) call(client *http.Client, proxy, method, path, bearer, body string) (status int, code string) {
	req, err := http.NewRequest(method, p.sites[proxy]+path, strings.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return 0, ""
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	var fault struct{ Code string }
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	_ = json.Unmarshal(text, &fault) // a proxy's own page has no code
	return res.StatusCode, fault.Code
}

func (p *proxied) signIn(client *http.Client, proxy, email string) (status int, code string) {
	return p.call(client, proxy, "POST", "/api/v2/auth/account_login/login", "",
		fmt.Sprintf(`{"email":%q,"password":%q}`, email, proxyPassword))
}

// served fails the test if a user who reads the site is not answered, on as many connections at once as were
// used.
func (p *proxied) served(proxy string, connections int) {
	var calls sync.WaitGroup
	for range connections {
		calls.Go(func() {
			for _, body := range []string{"", "{}"} {
				method, path := "GET", "/api/v2/user/get_me"
				if body != "" {
					method, path, body = "POST", "/api/v2/auth/account_register/check-invite-code",
						`{"invite_code":"none"}`
				}
				if status, code := p.call(http.DefaultClient, proxy, method, path, p.bearer, body); status == 0 ||
					status >= 500 {
					p.t.Errorf("%s %s through %s afterwards: %d %s", method, path, proxy, status, code)
				}
			}
		})
	}
	calls.Wait()
}

// eachProxy runs test through each proxy at the same time.
func (p *proxied) eachProxy(test func(proxy string)) {
	var proxies sync.WaitGroup
	for proxy := range p.sites {
		proxies.Go(func() { test(proxy) })
	}
	proxies.Wait()
}

// lockDatabase has another connection hold what every sign-in writes.
func lockDatabase(t *testing.T, c Config) (unlock func()) {
	t.Helper()
	engine, source, lock := "sqlite", filepath.Join(c.Data, db.SQLiteFile)+"?_pragma=busy_timeout(10000)",
		"BEGIN IMMEDIATE"
	if c.DatabaseURL != "" {
		engine, source, lock = "pgx", c.DatabaseURL, "BEGIN; LOCK TABLE session IN ACCESS EXCLUSIVE MODE"
	}
	pool, err := sql.Open(engine, source)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		conn.Close()
		pool.Close()
	}
}

func TestProxy_CallsThatWaitForTheDatabaseFailAlone(t *testing.T) {
	t.Parallel()
	const lockedFor, waiting = 7 * time.Second, 5
	eachEngine(t, func(t *testing.T, c Config) {
		p := newProxied(t, c)
		unlock := lockDatabase(t, c)
		time.AfterFunc(lockedFor, unlock)
		p.eachProxy(func(proxy string) {
			var calls sync.WaitGroup
			for range waiting {
				calls.Go(func() {
					status, code := p.signIn(http.DefaultClient, proxy, "looks@example.com")
					if status != http.StatusOK && code != "database_busy" && code != "sign_in_busy" {
						t.Errorf("a sign-in through %s while the database is locked: %d %s", proxy, status, code)
					}
				})
			}
			calls.Wait()
			p.served(proxy, 2*waiting)
		})
	})
}

func TestProxy_CallsThatWaitForAnotherServiceFailAlone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	stalled := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-gone }))
	t.Cleanup(stalled.Close)
	t.Cleanup(func() { close(gone) })
	p := newProxied(t, config(t))
	if err := p.Settings.Set(t.Context(), map[string]json.RawMessage{
		"captcha_provider": []byte(`"turnstile"`), "captcha_site_key": []byte(`"site"`),
		"captcha_login": []byte(`"always"`), "captcha_verify_url": []byte(`"` + stalled.URL + `"`),
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Secrets.Set(t.Context(), secret.CaptchaKey, "secret"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Gateways.Add(t.Context(), payment.Account{Kind: "crypto", Name: "stalled", Enabled: true},
		map[string]string{"api_url": stalled.URL, "token": "token"}); err != nil {
		t.Fatal(err)
	}
	p.eachProxy(func(proxy string) {
		var calls sync.WaitGroup
		calls.Go(func() {
			status, code := p.call(http.DefaultClient, proxy, "POST", "/api/v2/auth/account_login/login", "",
				fmt.Sprintf(`{"email":"looks@example.com","password":%q,"verify_token":"x"}`, proxyPassword))
			if status != http.StatusServiceUnavailable || code != "captcha_unavailable" {
				t.Errorf("a sign-in through %s whose captcha nobody checks: %d %s", proxy, status, code)
			}
		})
		calls.Go(func() {
			status, code := p.call(http.DefaultClient, proxy, "POST", "/api/v2/user/wallet/recharge", p.bearer,
				`{"amount":"10","gateway":"stalled"}`)
			if status != http.StatusOK {
				t.Errorf("a recharge through %s whose gateway does not answer: %d %s", proxy, status, code)
			}
		})
		calls.Wait()
		p.served(proxy, 4)
	})
}

func TestProxy_AFloodOfSignInsLeavesOthersServed(t *testing.T) {
	t.Parallel()
	const connections, lasts = 90, 7 * time.Second
	p := newProxied(t, config(t))
	p.signUp("flood@example.com")
	p.eachProxy(func(proxy string) {
		flooding := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
		var over atomic.Bool
		var flood sync.WaitGroup
		for range connections {
			flood.Go(func() {
				for !over.Load() {
					if status, code := p.signIn(flooding, proxy, "flood@example.com"); status == 0 || status >= 500 &&
						code != "database_busy" {
						t.Errorf("a sign-in of the flood through %s: %d %s", proxy, status, code)
						return
					}
				}
			})
		}
		for end := time.Now().Add(lasts); time.Now().Before(end); {
			p.served(proxy, 1)
		}
		over.Store(true)
		flood.Wait()
		p.served(proxy, connections)
	})
}
