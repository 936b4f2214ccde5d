package web_test

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"airstrip/internal/api/web"
)

var build = fstest.MapFS{
	"index.html":         {Data: []byte(`<meta name="csp-nonce" content="__CSP_NONCE__"><script nonce="__CSP_NONCE__"></script>`)},
	"assets/a-123.js":    {Data: []byte("plain")},
	"assets/a-123.js.br": {Data: []byte("small")},
	"builds/latest.json": {Data: []byte(`{"build":"1"}`)},
	"favicon.svg":        {Data: []byte("<svg/>")},
	"service-worker.js":  {Data: []byte("self")},
	".vite/pages.json":   pageList,
}

var pageList = &fstest.MapFile{Data: []byte(`["/", "/about", "/auth/sign-in", "/user/dashboard", "/user/invoice/$id"]`)}

// asBrowser is the Accept header of a browser that opens an address.
const asBrowser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

func ownCaptcha() []string { return []string{"pow"} }

func noSite() ([]byte, error) { return nil, errors.New("the settings are away") }

func get(t *testing.T, app http.Handler, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b := new(strings.Builder)
	if err := r.Write(b); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(b.String(), "\r\n\r\n")
	return after
}

func TestPages_HaveNonceOfPolicy(t *testing.T) {
	app, err := web.New(build, t.TempDir(), ownCaptcha, noSite)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for path, status := range map[string]int{
		"/": 200, "/user/dashboard": 200, "/no/such/page": 404,
		"/index.html": 404,
	} {
		r := get(t, app, path, "Accept", asBrowser)
		page := body(t, r)
		m := regexp.MustCompile(`content="([^"]+)"><script nonce="([^"]+)"`).FindStringSubmatch(page)
		if r.StatusCode != status || m == nil || m[1] != m[2] ||
			!strings.Contains(r.Header.Get("Content-Security-Policy"), "'nonce-"+m[1]+"'") {
			t.Fatalf("%s: %d %v %s", path, r.StatusCode, r.Header, page)
		}
		if seen[m[1]] {
			t.Error("a nonce came twice")
		}
		seen[m[1]] = true
	}
}

func TestPages_LinkPreloads(t *testing.T) {
	app, err := web.New(fstest.MapFS{
		"index.html":       {Data: []byte(`<head><!-- preloads --></head>`)},
		".vite/pages.json": pageList,
		".vite/preloads.json": {Data: []byte(`[
			{"path": "^(/|$)", "files": [], "texts": {"zh-CN": ["assets/common-1.js"], "en": ["assets/common-2.js"]}},
			{"path": "^/auth(/|$)", "files": ["assets/card-1.js", "assets/card-2.css"], "texts": {"zh-CN": ["assets/account-1.js"], "en": ["assets/account-2.js"]}},
			{"path": "^/auth/sign-in/?$", "files": ["assets/card-1.js", "assets/sign-in-1.js"], "texts": {"zh-CN": [], "en": []}}
		]`)},
	}, t.TempDir(), ownCaptcha, noSite)
	if err != nil {
		t.Fatal(err)
	}
	const site = `<head>`
	for path, want := range map[string]string{
		"/auth/sign-in": site + `<link rel="modulepreload" crossorigin href="/assets/card-1.js">` +
			`<link rel="preload" as="style" crossorigin href="/assets/card-2.css">` +
			`<link rel="modulepreload" crossorigin href="/assets/sign-in-1.js">` +
			`<meta name="texts" lang="zh-CN" content="/assets/common-1.js /assets/account-1.js">` +
			`<meta name="texts" lang="en" content="/assets/common-2.js /assets/account-2.js"></head>`,
		"/no/such/page": site + `<meta name="texts" lang="zh-CN" content="/assets/common-1.js">` +
			`<meta name="texts" lang="en" content="/assets/common-2.js"></head>`,
	} {
		if got := body(t, get(t, app, path, "Accept", asBrowser)); got != want {
			t.Errorf("%s has\n%s\nnot\n%s", path, got, want)
		}
	}
}

func TestPages_ContainSiteSettings(t *testing.T) {
	site := []byte(`{"site_name":"<b>\"Tom's\"</b> __CSP_NONCE__ <!-- preloads -->"}`)
	app, err := web.New(fstest.MapFS{
		"index.html":       {Data: []byte(`<head><!-- preloads --></head>`)},
		".vite/pages.json": pageList,
	}, t.TempDir(), ownCaptcha, func() ([]byte, error) { return site, nil })
	if err != nil {
		t.Fatal(err)
	}
	want := `<head><meta name="site" content="` + html.EscapeString(string(site)) + `"></head>`
	if got := body(t, get(t, app, "/auth/sign-in")); got != want {
		t.Errorf("the page has\n%s\nnot\n%s", got, want)
	}
}

func TestNew_InvalidPreloads_IsRefused(t *testing.T) {
	for _, list := range []string{`{`, `[{"path": "("}]`} {
		_, err := web.New(fstest.MapFS{".vite/preloads.json": {Data: []byte(list)}}, t.TempDir(), ownCaptcha, noSite)
		if err == nil || !strings.Contains(err.Error(), "preloads.json") {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestPages_OnlyKnownRoutes_Answer200(t *testing.T) {
	app, err := web.New(build, t.TempDir(), ownCaptcha, noSite)
	if err != nil {
		t.Fatal(err)
	}
	for path, status := range map[string]int{
		"/": 200, "/about": 200, "/about/": 200, "/User/Dashboard": 200, "/user/invoice/7": 200,
		"/user/invoice/7/": 200,
		"/user":            404, "/user/invoice": 404, "/user/invoice/": 404, "/user/invoice/7/x": 404,
		"/about/more":   404,
		"/aboutx":       404,
		"/wp-login.php": 404, "/.env": 404, "/index.html": 404, "/.vite/pages.json": 404, "/favicon.ico": 404,
	} {
		for _, accept := range []string{asBrowser, "text/html", "application/xhtml+xml"} {
			r := get(t, app, path, "Accept", accept)
			if page := strings.Contains(body(t, r), "<script nonce"); r.StatusCode != status || !page {
				t.Errorf("%s accepting %s: %d, the page: %t", path, accept, r.StatusCode, page)
			}
		}
		for _, accept := range []string{
			"", "*/*", "application/json", "image/avif,image/*;q=0.8",
			"text/html;q=0, */*", "text/html;q=x",
		} {
			r := get(t, app, path, "Accept", accept)
			if page := strings.Contains(body(t, r), "<script nonce"); r.StatusCode != status ||
				page != (status == 200) {
				t.Errorf("%s accepting %q: %d, the page: %t", path, accept, r.StatusCode, page)
			}
			if kind := r.Header.Get("Content-Type"); status == 404 &&
				(!strings.HasPrefix(kind, "application/json") || r.Header.Get("Vary") != "Accept") {
				t.Errorf("%s accepting %q: %v", path, accept, r.Header)
			}
		}
	}
}

func TestNew_BuildWithoutListOfPages_IsRefused(t *testing.T) {
	for _, list := range []*fstest.MapFile{nil, {Data: []byte("{")}} {
		dist := fstest.MapFS{"index.html": build["index.html"]}
		if list != nil {
			dist[".vite/pages.json"] = list
		}
		if _, err := web.New(dist, t.TempDir(), ownCaptcha, noSite); err == nil ||
			!strings.Contains(err.Error(), "pages.json") {
			t.Errorf("%v: %v", list, err)
		}
	}
}

func TestUnknownPath_Program_GetsJSON(t *testing.T) {
	app, err := web.New(build, t.TempDir(), ownCaptcha, noSite)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/none", "/v1/none", "/v2", "/link/x/y", "/link2", "/mod_mu/none"} {
		r := get(t, app, path)
		if r.StatusCode != 404 || !strings.Contains(body(t, r), `"route_not_found"`) {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}

func TestAssets_AreCompressedAndImmutable(t *testing.T) {
	dir := t.TempDir()
	earlier, err := web.New(build, dir, ownCaptcha, noSite)
	if err == nil {
		err = earlier.StoreAssets()
	}
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "assets", "ancient.js")
	if err := os.WriteFile(old, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-web.AssetRetention - time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	app, err := web.New(fstest.MapFS{
		"index.html": build["index.html"], ".vite/pages.json": pageList,
		"assets/b-456.js": {Data: []byte("new")},
	}, dir, ownCaptcha, noSite)
	if err == nil {
		err = app.StoreAssets()
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/assets/b-456.js": "new", "/assets/a-123.js": "plain"} {
		r := get(t, app, path)
		if got := body(t, r); got != want || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %q, %v", path, got, r.Header)
		}
	}
	r := get(t, app, "/assets/a-123.js", "Accept-Encoding", "gzip, br")
	if got := body(t, r); got != "small" || r.Header.Get("Content-Encoding") != "br" {
		t.Errorf("compressed: %q, %v", got, r.Header)
	}
	for _, path := range []string{
		"/assets/gone.js", "/assets/ancient.js", "/assets/../secret.key",
		"/builds/latest.json",
	} {
		if r := get(t, app, path); r.StatusCode == 200 && strings.HasPrefix(path, "/assets/") &&
			!strings.Contains(path, "..") || path == "/builds/latest.json" && r.StatusCode != 404 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("an asset past its time is still there: %v", err)
	}
}

func TestPolicy_AllowsOnlyCaptchaOfSite(t *testing.T) {
	provider := "pow"
	app, err := web.New(build, t.TempDir(), func() []string { return []string{provider} }, noSite)
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]string{
		"turnstile": "https://challenges.cloudflare.com", "hcaptcha": "https://*.hcaptcha.com",
		"recaptcha": "https://www.recaptcha.net/recaptcha/",
	}
	for _, provider = range []string{"pow", "turnstile", "hcaptcha", "recaptcha"} {
		policy := get(t, app, "/auth/sign-in").Header.Get("Content-Security-Policy")
		for of, host := range hosts {
			for _, directive := range []string{"script-src", "frame-src"} {
				if strings.Contains(sources(policy, directive), host) != (of == provider) {
					t.Errorf("with %s, %s of %s: %s", provider, directive, of, policy)
				}
			}
		}
		if provider == "pow" && strings.Contains(policy, "http") {
			t.Errorf("somebody else's addresses without need: %s", policy)
		}
		if strings.Contains(policy, "unsafe") || !strings.Contains(sources(policy, "frame-ancestors"), "'none'") {
			t.Errorf("with %s: %s", provider, policy)
		}
	}
}

func TestPolicy_AllowsChatOnlyIfConfigured(t *testing.T) {
	vendors := ownCaptcha()
	app, err := web.New(build, t.TempDir(), func() []string { return vendors }, noSite)
	if err != nil {
		t.Fatal(err)
	}
	policy := func() string { return get(t, app, "/user/dashboard").Header.Get("Content-Security-Policy") }
	if p := policy(); strings.Contains(p, "crisp") || strings.Contains(p, "unsafe") {
		t.Errorf("without chat: %s", p)
	}
	vendors = append(vendors, "crisp")
	p := policy()
	for directive, want := range map[string]string{
		"script-src": "https://client.crisp.chat", "style-src": "'unsafe-inline' https://client.crisp.chat",
		"connect-src": "wss://client.relay.crisp.chat",
		"img-src":     "https://image.crisp.chat", "worker-src": "blob:",
	} {
		if !strings.Contains(sources(p, directive), want) {
			t.Errorf("%s: %s", directive, p)
		}
	}
	if scripts := sources(p, "script-src"); strings.Contains(scripts, "unsafe") ||
		!strings.Contains(scripts, "'nonce-") {
		t.Errorf("scripts: %s", scripts)
	}
}

func TestPolicy_RequiresTrustedTypesWithoutVendorScripts(t *testing.T) {
	var vendors []string
	app, err := web.New(build, t.TempDir(), func() []string { return vendors }, noSite)
	if err != nil {
		t.Fatal(err)
	}
	for _, vendors = range [][]string{{"pow"}, {"none"}, {"turnstile"}, {"hcaptcha"}, {"recaptcha"}, {"pow", "crisp"}} {
		policy := get(t, app, "/user/dashboard").Header.Get("Content-Security-Policy")
		own := len(vendors) == 1 && (vendors[0] == "pow" || vendors[0] == "none")
		required := sources(policy, "require-trusted-types-for") == "'script'" &&
			sources(policy, "trusted-types") == "default"
		if required != own {
			t.Errorf("with %q: %s", vendors, policy)
		}
	}
}

// sources returns the sources of one directive of a policy.
func sources(policy, directive string) string {
	for part := range strings.SplitSeq(policy, "; ") {
		if rest, ok := strings.CutPrefix(part, directive+" "); ok {
			return rest
		}
	}
	return ""
}

// A browser asks for a newer worker on each visit, and what the worker loads comes from the site alone.
func TestServiceWorker_IsAskedForAnew_AndLoadsFromTheSite(t *testing.T) {
	app, err := web.New(build, t.TempDir(), ownCaptcha, noSite)
	if err != nil {
		t.Fatal(err)
	}
	r := get(t, app, "/service-worker.js")
	if r.StatusCode != 200 || r.Header.Get("Cache-Control") != "no-cache" || body(t, r) != "self" ||
		r.Header.Get("Content-Security-Policy") != "default-src 'self'" ||
		!strings.HasPrefix(r.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if again := get(t, app, "/service-worker.js", "If-None-Match", r.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("the same worker is sent again: %d", again.StatusCode)
	}
	without, err := web.New(fstest.MapFS{"index.html": build["index.html"], ".vite/pages.json": pageList}, t.TempDir(),
		ownCaptcha, noSite)
	if err != nil {
		t.Fatal(err)
	}
	if r := get(t, without, "/service-worker.js", "Accept", asBrowser); r.StatusCode != 404 ||
		strings.Contains(body(t, r), "csp-nonce") {
		t.Errorf("a build without a worker answers %d, in place of it a page", r.StatusCode)
	}
}

func TestManifest_NamesTheSiteInItsLanguage(t *testing.T) {
	w := httptest.NewRecorder()
	web.Manifest(w, `Air "Strip" <b>`, "zh-CN", nil)
	var m struct {
		Name, Lang, Display string
		StartURL            string `json:"start_url"`
		Icons               []struct{ Src, Sizes, Purpose string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	if w.Header().Get("Content-Type") != "application/manifest+json" || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("%v", w.Header())
	}
	if m.Name != `Air "Strip" <b>` || m.Lang != "zh-CN" || m.Display != "standalone" || m.StartURL != "/user/dashboard" ||
		len(m.Icons) != 3 {
		t.Errorf("%+v", m)
	}
}
