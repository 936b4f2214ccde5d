package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// browse fetches a page as a browser does.
func (s *testServer) browse(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	s.root.ServeHTTP(w, r)
	return w
}

func TestSetup_EmptySite_LeadsEveryPageThereUntilItHasAnOwner(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		first, last := fronts[0], fronts[len(fronts)-1]
		var codes []string
		for _, front := range fronts {
			code, err := front.Accounts.Setup.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
			go front.DB.Follow(t.Context())
			go front.Accounts.Setup.Run(t.Context(), code)
		}
		for _, path := range []string{"/", "/auth/sign-in", "/user/dashboard", "/admin/", "/no-such-page"} {
			if w := last.browse(t, path); w.Code != http.StatusFound || w.Header().Get("Location") != "/setup" {
				t.Errorf("%s answers %d, leads to %q", path, w.Code, w.Header().Get("Location"))
			}
		}
		if w := last.browse(t, "/setup"); w.Code == http.StatusFound {
			t.Errorf("/setup leads to %s", w.Header().Get("Location"))
		}
		if w := last.call(t.Context(), testUser{}, http.MethodGet, "/api/v2/site", ""); w.Code != http.StatusOK ||
			!strings.Contains(w.Body.String(), `"unowned":true`) {
			t.Errorf("the site says %d %s", w.Code, w.Body)
		}
		body, _ := json.Marshal(map[string]string{
			"code": codes[len(codes)-1], "email": "me@example.com", "password": "correct horse battery",
			"site_name": "Northwind", "language": "en", "time_zone": "Europe/Berlin",
		})
		// The code that one server printed works at another.
		if w := first.call(t.Context(), testUser{}, http.MethodPost, "/api/v2/setup/owner", string(body)); w.Code !=
			http.StatusOK || !strings.Contains(w.Body.String(), "access_token") {
			t.Fatalf("the owner is answered %d %s", w.Code, w.Body)
		}
		if s := first.Settings.Get(); s.SiteName != "Northwind" || s.TimeZone != "Europe/Berlin" {
			t.Errorf("the site is %q in %q", s.SiteName, s.TimeZone)
		}
		for end := time.Now().Add(10 * time.Second); last.browse(t, "/auth/sign-in").Code == http.StatusFound; {
			if time.Now().After(end) {
				t.Fatal("another server still leads to its first steps")
			}
			time.Sleep(20 * time.Millisecond)
		}
		var action, actor string
		if err := first.DB.NewRaw(`SELECT action, actor_name FROM audit_entry WHERE object = 'user'`).
			Scan(t.Context(), &action, &actor); err != nil || action != "user.add" || actor != "setup" {
			t.Errorf("the audit log has %q by %q, %v", action, actor, err)
		}
	})
}

func TestServe_WithoutAnOwner_PrintsTheCodeOnce(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	server := newTestServer(t, config(t))
	code, err := server.Accounts.Setup.Start(t.Context())
	if err != nil || code == "" {
		t.Fatalf("the code is %q, %v", code, err)
	}
	server.printSetup(t.Context(), code)
	server.printSetup(t.Context(), "")
	if n := strings.Count(log.String(), code); n != 1 || !strings.Contains(log.String(), "/setup") {
		t.Errorf("the log is %s", &log)
	}
}
