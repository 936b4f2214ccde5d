package link_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/link"
)

const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"

func TestPage_Browser_ShowsStateAndClients(t *testing.T) {
	each(t, func(s *site) {
		for _, query := range []string{"", "client_type=AUTO", "client_type=html"} {
			w := s.get(query, "Accept", "text/html,*/*;q=0.8", "User-Agent", iPhone, "Accept-Language", "en")
			body := w.Body.String()
			if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
				w.Header().Get("Cache-Control") != "private, no-store" {
				s.Fatalf("%q: %d %v", query, w.Code, w.Header())
			}
			for _, part := range []string{
				"Ready to use", "100.00 GB", "https://site.example.com/link2/" + s.token,
				`href="shadowrocket://add/sub://`, "<svg", "<path d=\"M4 4h1v1h-1z",
			} {
				if !strings.Contains(body, part) {
					s.Errorf("%q: no %s in\n%.2500s", query, part, body)
				}
			}
			if strings.Index(body, ">Shadowrocket<") > strings.Index(body, ">v2rayN<") {
				s.Errorf("%q: a client of another system comes first", query)
			}
		}
		if w := s.get("client_type=Mixed", "Accept", "text/html"); strings.Contains(w.Body.String(), "<html") {
			s.Errorf("a browser that asks for a file: %s", w.Body)
		}
		if w := s.get("", "Accept", "text/html", "Accept-Language", "zh-CN"); !strings.Contains(w.Body.String(),
			"可以使用") || !strings.Contains(w.Body.String(), `lang="zh-CN"`) {
			s.Errorf("%s", w.Body)
		}
		s.do(func(ctx context.Context, tx bun.Tx) error { return s.services.SetBanned(ctx, tx, user, true) })
		if w := s.get("", "Accept", "text/html", "Accept-Language", "en"); w.Code != 200 ||
			!strings.Contains(w.Body.String(), "Account disabled") {
			s.Errorf("%s", w.Body)
		}
		if w := s.fetch(http.MethodGet, "/link2/unknown", "Accept", "text/html"); w.Code != 404 ||
			strings.Contains(w.Body.String(), "<html") {
			s.Errorf("an unknown link: %d %s", w.Code, w.Body)
		}
	})
}

func TestPage_Policy_AllowsOnlyOwnScripts(t *testing.T) {
	s := open(t, dbtest.SQLite(t))
	s.set("site_name", `"><script>alert(1)</script>`)
	apps, err := s.links.Apps(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	ugly := apps[0]
	ugly.Name, ugly.ImportURL = `"><img src=x>`, `ugly://"><script>alert(1)</script>{url}`
	if err := s.links.ChangeApp(t.Context(), ugly); err != nil {
		t.Fatal(err)
	}
	w := s.get("", "Accept", "text/html")
	body, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	nonce := regexp.MustCompile(`script-src 'nonce-(\w+)'`).FindStringSubmatch(policy)
	if nonce == nil || !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
		!strings.HasSuffix(policy, "; require-trusted-types-for 'script'; trusted-types 'none'") {
		t.Fatalf("%s", policy)
	}
	if strings.Count(body, "<script") != 1 || !strings.Contains(body, `<script nonce="`+nonce[1]+`">`) ||
		strings.Contains(body, "<img src=x") || regexp.MustCompile(`\sstyle=|\son\w+=`).MatchString(body) {
		t.Errorf("%.3000s", body)
	}
	if again := s.get("", "Accept", "text/html").Header().Get("Content-Security-Policy"); again == policy {
		t.Error("two pages have one nonce")
	}
}

func TestApps_UnsafeAddress_IsRefused(t *testing.T) {
	s := open(t, dbtest.SQLite(t))
	good := link.App{
		ID: "own-app", Name: "Own App", Icon: "🛫", Platforms: []string{"ios"},
		ImportURL: "own://import?url={url}", DownloadURL: "https://own.example", Formats: []string{"Mixed"},
		Enabled: true,
	}
	for field, spoil := range map[string]func(*link.App){
		"id":           func(a *link.App) { a.ID = "Own App" },
		"name":         func(a *link.App) { a.Name = "" },
		"icon":         func(a *link.App) { a.Icon = "data:text/html;base64,AAAA" },
		"platforms":    func(a *link.App) { a.Platforms = []string{"amiga"} },
		"import_url":   func(a *link.App) { a.ImportURL = "javascript:alert({url})" },
		"download_url": func(a *link.App) { a.DownloadURL = "http://own.example" },
		"formats":      func(a *link.App) { a.Formats = []string{"Telepathy"} },
	} {
		bad := good
		spoil(&bad)
		if err := s.links.AddApp(t.Context(), bad); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := s.links.AddApp(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	if err := s.links.AddApp(t.Context(), good); err == nil {
		t.Error("two clients have one id")
	}
}

// The addresses follow the documentation of the apps.
func TestPage_ImportAddresses(t *testing.T) {
	s := open(t, dbtest.SQLite(t))
	const url, encoded = "https://a.example/link2/x", "https%3A%2F%2Fa.example%2Flink2%2Fx"
	for id, want := range map[string]string{
		"surge":     "surge:///install-config?url=" + encoded,
		"surfboard": "surfboard:///install-config?url=" + encoded,
		"egern":     "egern:/profiles/new?name=%E7%BD%91%20A&url=" + encoded,
		"quantumult-x": "quantumult-x:///add-resource?remote-resource=%7B%22server_remote%22%3A%5B%22" + encoded +
			"%2C%20tag%3D%E7%BD%91%20A%22%5D%7D",
		"shadowrocket": "shadowrocket://add/sub://aHR0cHM6Ly9hLmV4YW1wbGUvbGluazIveA==?remark=%E7%BD%91%20A",
		"v2rayn":       "",
	} {
		apps, err := s.links.Apps(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(apps, func(a link.App) bool { return a.ID == id })
		if i < 0 || apps[i].Import(url, "网 A") != want {
			t.Errorf("%s: %+v", id, apps)
		}
	}
}
