package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHeaders_OfASiteWithHTTPS_KeepBrowsersThere(t *testing.T) {
	for _, c := range []struct {
		site, host string
		strict     bool
	}{
		{"https://shop.example", "shop.example", true},
		{"https://shop.example", "link.example", false}, // an address of links, which may have no https
		{"https://shop.example:8443", "shop.example:8443", true},
		{"http://localhost:8080", "localhost:8080", false},
	} {
		conf := config(t)
		conf.SiteURL = c.site
		f := newTestServer(t, conf)
		for _, path := range []string{"/", "/api/v2/site", "/v1/version", "/nothing.txt", "/api/nothing"} {
			req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
			req.Host = c.host
			w := httptest.NewRecorder()
			f.root.ServeHTTP(w, req)
			if got := w.Header().Get("Strict-Transport-Security"); (got == "max-age=31536000") != c.strict ||
				got != "" && !c.strict {
				t.Errorf("%s asked for %s%s says %q", c.site, c.host, path, got)
			}
		}
	}
}

func TestSecurityTxt_NamesTheContactOfTheSettings(t *testing.T) {
	conf := config(t)
	conf.SiteURL = "https://shop.example"
	f := newTestServer(t, conf)
	get := func() *httptest.ResponseRecorder {
		return f.call(t.Context(), testUser{}, "GET", "/.well-known/security.txt", "")
	}
	if w := get(); w.Code != http.StatusNotFound {
		t.Errorf("without a contact: %d %s", w.Code, w.Body)
	}
	for _, step := range []struct{ name, value, contact string }{
		{"contact_email", `"help@shop.example"`, "mailto:help@shop.example"},
		{"contact_url", `"https://t.me/shop"`, "https://t.me/shop"}, // rather than an address for programs to collect
		{"security_contact", `"https://shop.example/security"`, "https://shop.example/security"},
	} {
		if err := f.Settings.Set(t.Context(),
			map[string]json.RawMessage{step.name: json.RawMessage(step.value)}); err != nil {
			t.Fatal(err)
		}
		w := get()
		fields := map[string]string{}
		for _, line := range strings.Split(strings.TrimSpace(w.Body.String()), "\n") {
			name, value, _ := strings.Cut(line, ": ")
			fields[name] = value
		}
		expires, err := time.Parse(time.RFC3339, fields["Expires"])
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
			fields["Contact"] != step.contact ||
			fields["Canonical"] != "https://shop.example/.well-known/security.txt" || err != nil ||
			time.Until(expires) < 30*24*time.Hour || time.Until(expires) > 365*24*time.Hour {
			t.Errorf("with %s: %d %q", step.name, w.Code, w.Body)
		}
	}
	for _, bad := range []string{
		`"help@shop.example"`, `"mailto:x"`, `"http://shop.example/x"`,
		`"https://a\nContact: https://b"`,
	} {
		if f.Settings.Set(t.Context(), map[string]json.RawMessage{"security_contact": json.RawMessage(bad)}) == nil {
			t.Errorf("the contact %s was taken", bad)
		}
	}
}
