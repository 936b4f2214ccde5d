package app

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db/dbtest"
)

func config(t *testing.T) Config {
	t.Helper()
	return Config{
		Data: t.TempDir(), Listen: freeAddress(t), SiteURL: "http://localhost:8080",
		TelegramAPI: "http://127.0.0.1:1", PasswordMemory: 64,
	}
}

// freeAddress has a port that nobody listens at, from below the range that the system takes ports for outgoing
// connections from. Until the test ends no other test takes it, not even while a server that was killed is away.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(10_000)
		claim, err := net.Listen("unix", fmt.Sprintf("@airstrip-test-port-%d", port)) // the kernel's, no file
		if err != nil {
			continue
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		l, err := net.Listen("tcp", address)
		if err != nil {
			claim.Close()
			continue
		}
		l.Close()
		t.Cleanup(func() { claim.Close() })
		return address
	}
	t.Fatal("no port is free")
	return ""
}

func TestStart_InvalidSetting_FailsWithItsName(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"AIRSTRIP_LISTEN":          func(c *Config) { c.Listen = "8080" },
		"AIRSTRIP_SITE_URL":        func(c *Config) { c.SiteURL = "example.com" },
		"AIRSTRIP_TELEGRAM_API":    func(c *Config) { c.TelegramAPI = "api.telegram.org" },
		"AIRSTRIP_TRUSTED_PROXIES": func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8", "proxy"} },
		"AIRSTRIP_SECRET_KEY":      func(c *Config) { c.SecretKey = "short" },
		"AIRSTRIP_DATABASE_URL": func(c *Config) {
			c.DatabaseURL, c.SecretKey = "mysql://x",
				strings.Repeat("abcd", 16)
		},
	} {
		c := config(t)
		spoil(&c)
		if _, err := Open(t.Context(), c, "test"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := config(t)
	c.DatabaseURL = "postgres://localhost/x"
	if _, err := Open(t.Context(), c, "test"); err == nil || !strings.Contains(err.Error(), "AIRSTRIP_SECRET_KEY") {
		t.Errorf("PostgreSQL without a key: %v", err)
	}
}

func TestConfig_SecretFromFile(t *testing.T) {
	c := config(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(strings.Repeat("abcd", 16)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AIRSTRIP_SECRET_KEY_FILE", file)
	checked, err := c.check()
	if err != nil || hex.EncodeToString(checked.key[:]) != strings.Repeat("abcd", 16) {
		t.Fatalf("%x, %v", checked.key, err)
	}
	t.Setenv("AIRSTRIP_SECRET_KEY_FILE", file+".missing")
	if _, err := c.check(); err == nil || !strings.Contains(err.Error(), "AIRSTRIP_SECRET_KEY_FILE") {
		t.Errorf("a missing file: %v", err)
	}
}

// serving opens an app and runs it.
func serving(t *testing.T, c Config) (stop func() error) {
	t.Helper()
	a, err := Open(t.Context(), c, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a.serving(t)
}

// serving runs a until the test ends or stop is called, which gives what Serve answered.
func (a *App) serving(t *testing.T) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Serve(ctx) }()
	t.Cleanup(cancel)
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		if res, err := http.Get("http://" + a.cfg.Listen + "/ready"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return func() error { cancel(); return <-done }
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("the server did not get ready")
	return nil
}

func TestShutdown_CallStillRuns_SaysThatItIsCutOff(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(began)
		<-end
	}))
	defer server.Close()
	defer close(end)
	go server.Client().Get(server.URL)
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := shutdown(ctx, server.Config); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("the stop says %v", err)
	}
}

func TestServe_StopsCleanly(t *testing.T) {
	postgres := config(t)
	postgres.DatabaseURL, postgres.SecretKey = dbtest.PostgresURL(t), strings.Repeat("abcd", 16)
	for name, c := range map[string]Config{"sqlite": config(t), "postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			c.MetricsToken = "let-me-in"
			stop := serving(t, c)
			for path, want := range map[string]int{
				"/health": 200, "/ip": 200, "/api/version": 200, "/v1/version": 200, "/v1/version_db": 200,
				"/v1/app/config": 200, "/api/v2/site": 200, "/api/v2/user/get_me": 401, "/api/v2/nothing": 404,
				"/metrics": 401, "/mod_mu/users": 401, "/api/v1/server/UniProxy/user": 401,
			} {
				res, err := http.Get("http://" + c.Listen + path)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				if res.StatusCode != want {
					t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
				}
			}
			req, _ := http.NewRequest(http.MethodGet, "http://"+c.Listen+"/metrics", nil)
			req.Header.Set("Authorization", "Bearer let-me-in")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if !strings.Contains(string(body), "airstrip_http_seconds") {
				t.Errorf("metrics: %d, %.200s", res.StatusCode, body)
			}
			if err := stop(); err != nil {
				t.Errorf("stopping: %v", err)
			}
		})
	}
}

func TestOpen_FileInUse_IsRefused(t *testing.T) {
	c := config(t)
	serving(t, c)
	second := config(t)
	second.Data = c.Data
	a, err := Open(t.Context(), second, "test") // commands may work while a server runs
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Serve(t.Context()); err == nil || !strings.Contains(err.Error(), c.Data) {
		t.Errorf("a second server: %v", err)
	}
}

func TestSeed_IsCompleteAndAddsUp(t *testing.T) {
	c := config(t)
	c.Demo = true
	a, err := Open(t.Context(), c, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	seeded, err := a.Seed(t.Context(), Seed{Users: 3, Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(seeded.Nodes) != 5 || seeded.User.LinkToken == "" || seeded.Admin.Password == seeded.User.Password {
		t.Errorf("seeded %+v", seeded)
	}
	if broken, err := a.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("%v, %v", broken, err)
	}
	access, err := a.Services.Access(t.Context(), seeded.User.ID)
	if err != nil || !access.Allowed || access.UsedBytes == 0 {
		t.Errorf("the demo's user: %s, %d bytes used, %v", access.State, access.UsedBytes, err)
	}
	if _, err := a.Seed(t.Context(), Seed{}); err == nil {
		t.Error("a demo was put over a demo")
	}
	if off := time.Since(a.DB.Now()).Abs(); off > time.Hour {
		t.Errorf("the clock is off by %s", off)
	}
}
