package api_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// siteLanguage is that of callers who ask for none.
var siteLanguage = fault.ZH

func newHandler(t *testing.T, reg *prometheus.Registry) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /who", func(w http.ResponseWriter, r *http.Request) {
		c := api.CallerOf(r.Context())
		io.WriteString(w, c.IP.String()+" "+string(c.Lang)+" "+string(c.AskedLang))
	})
	mux.HandleFunc("POST /v1/read", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			api.NewFailure(r.Context(), err).Write(w)
		}
	})
	for _, path := range []string{"/mod_mu/read", "/api/v1/server/UniProxy/read", "/api/v2/server/read"} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				api.NewFailure(r.Context(), err).Write(w)
			}
		})
	}
	mux.HandleFunc("GET /panic/{token}", func(http.ResponseWriter, *http.Request) { panic("the password is hunter2") })
	mux.HandleFunc("GET /fail", func(w http.ResponseWriter, r *http.Request) {
		api.NewFailure(r.Context(), errors.New("SELECT secret FROM x")).Write(w)
	})
	mux.HandleFunc("GET /wait", func(w http.ResponseWriter, r *http.Request) {
		api.NewFailure(r.Context(), fault.TooMany("slow", "慢", "slow").After(1500*time.Millisecond)).Write(w)
	})
	m := api.NewMiddleware(mux, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, reg)
	m.SetLanguage(func() fault.Lang { return siteLanguage })
	return m.Handler()
}

func ask(h http.Handler, method, path, from string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, body)
	r.RemoteAddr = from
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestForwardedAddressesCountOnlyFromTrustedProxies(t *testing.T) {
	h := newHandler(t, prometheus.NewRegistry())
	for _, c := range []struct{ peer, forwarded, want string }{
		{"203.0.113.9:1", "198.51.100.1", "203.0.113.9"},                 // some client claims
		{"10.0.0.1:1", "198.51.100.1", "198.51.100.1"},                   // our proxy says
		{"10.0.0.1:1", "1.1.1.1, 198.51.100.1", "198.51.100.1"},          // the client claims, our proxy says
		{"10.0.0.1:1", "198.51.100.1, 10.0.0.2", "198.51.100.1"},         // two of ours
		{"10.0.0.1:1", "nonsense", "10.0.0.1"},                           // nothing usable
		{"10.0.0.1:1", "", "10.0.0.1"},                                   // nothing at all
		{"[::ffff:203.0.113.9]:1", "", "203.0.113.9"},                    // IPv4 in IPv6
		{"[2001:db8::1]:1", "198.51.100.1", "2001:db8::1"},               // IPv6
		{"10.0.0.1:1", "2001:db8::7", "2001:db8::7"},                     // IPv6 behind us
		{"10.0.0.1:1", "::ffff:198.51.100.1", "198.51.100.1"},            // both
		{"10.0.0.1:1", "198.51.100.1,10.9.9.9,10.8.8.8", "198.51.100.1"}, // a chain of ours
		{"10.0.0.1:1", "198.51.100.1:61000", "198.51.100.1"},             // some proxies name the port
		{"10.0.0.1:1", "[2001:db8::7]:61000", "2001:db8::7"},
		{"10.0.0.1:1", "[2001:db8::7]", "2001:db8::7"},
		{"10.0.0.1:1", "fe80::1%<script>", "fe80::1"},        // a zone may be any text
		{"[fe80::1%eth0]:1", "198.51.100.1", "fe80::1"},      // and on the peer it is ours
		{"10.0.0.1:1", "198.51.100.1, nonsense", "10.0.0.1"}, // what precedes nonsense may be the client's
		{"10.0.0.1:1", "198.51.100.1,", "10.0.0.1"},          //
		{"10.0.0.1:1", "198.51.100.1 10.0.0.2", "10.0.0.1"},  //
		{"10.0.0.1:1", "0x7f.1, 127.1", "10.0.0.1"},          // no short forms
		{"10.0.0.1:1", strings.Repeat("1.1.1.1,", 9) + "198.51.100.1", "198.51.100.1"},
	} {
		w := ask(h, http.MethodGet, "/who", c.peer, nil, "X-Forwarded-For", c.forwarded)
		if got, _, _ := strings.Cut(w.Body.String(), " "); got != c.want {
			t.Errorf("%s saying %q is %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func TestTheLanguageIsTheFirstOfOursInTheHeader(t *testing.T) {
	h := newHandler(t, prometheus.NewRegistry())
	defer func() { siteLanguage = fault.ZH }()
	for header, want := range map[string]string{
		"": "zh-CN ", "en-US,zh;q=0.5": "en en", "fr, zh-TW": "zh-CN zh-CN", "de": "zh-CN ", "fr,EN": "en en",
		"fr": "en ", // after the site's language is English
	} {
		siteLanguage = fault.ZH
		if header == "fr" {
			siteLanguage = fault.EN
		}
		w := ask(h, http.MethodGet, "/who", "1.2.3.4:1", nil, "Accept-Language", header)
		if _, got, _ := strings.Cut(w.Body.String(), " "); got != want {
			t.Errorf("%q is %s, want %s", header, got, want)
		}
	}
}

func TestAPathMayEndWithASlash(t *testing.T) {
	h := newHandler(t, prometheus.NewRegistry())
	for _, path := range []string{"/who", "/who/", "/who//"} {
		if w := ask(h, http.MethodGet, path, "1.2.3.4:1", nil); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestBodiesAreBoundedAndThoseOfNodesMayBeLarger(t *testing.T) {
	h := newHandler(t, prometheus.NewRegistry())
	for _, c := range []struct {
		path string
		size int
		want int
	}{
		{"/v1/read", 1 << 20, 200},
		{"/v1/read", 1<<20 + 1, 413},
		{"/mod_mu/read", 8 << 20, 200},
		{"/mod_mu/read", 10 << 20, 413},
		{"/api/v1/server/UniProxy/read", 8 << 20, 200},
		{"/api/v2/server/read", 8 << 20, 200},
	} {
		if w := ask(h, http.MethodPost, c.path, "1.2.3.4:1",
			strings.NewReader(strings.Repeat("x", c.size))); w.Code != c.want {
			t.Errorf("%d bytes to %s: %d, want %d", c.size, c.path, w.Code, c.want)
		}
	}
}

func TestWhatGoesWrongInsideStaysInside(t *testing.T) {
	h := newHandler(t, prometheus.NewRegistry())
	for _, path := range []string{"/panic/sesame", "/fail"} {
		w := ask(h, http.MethodGet, path, "1.2.3.4:1", nil, "Accept-Language", "en")
		var f struct {
			IsSuccess bool   `json:"is_success"`
			Code      string `json:"code"`
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != 500 || f.Code != "internal_error" ||
			f.IsSuccess {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		if f.RequestID == "" || f.RequestID != w.Header().Get("X-Request-Id") {
			t.Errorf("%s: request id %q, header %q", path, f.RequestID, w.Header().Get("X-Request-Id"))
		}
		if body := w.Body.String(); strings.Contains(body, "hunter2") || strings.Contains(body, "SELECT") {
			t.Errorf("%s tells too much: %s", path, body)
		}
	}
	if w := ask(h, http.MethodGet, "/who", "1.2.3.4:1", nil); w.Code != 200 {
		t.Error("the server did not survive a panic")
	}
}

func TestALimitSaysWhenToComeBack(t *testing.T) {
	w := ask(newHandler(t, prometheus.NewRegistry()), http.MethodGet, "/wait", "1.2.3.4:1", nil)
	if w.Code != 429 || w.Header().Get("Retry-After") != "2" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}

func TestMetricsNameRoutesAndNeverPaths(t *testing.T) {
	reg := prometheus.NewRegistry()
	ask(newHandler(t, reg), http.MethodGet, "/panic/sesame", "1.2.3.4:1", nil)
	if n, err := testutil.GatherAndCount(reg, "airstrip_http_seconds"); n != 1 || err != nil {
		t.Fatalf("%d series, %v", n, err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if text := families[0].String(); strings.Contains(text, "sesame") || !strings.Contains(text, "/panic/{token}") {
		t.Errorf("the series is %s", text)
	}
}

func TestFilterAddresses_ABannedAddress_IsRefusedButForNodes(t *testing.T) {
	mux := http.NewServeMux()
	for _, path := range []string{
		"/page", "/v1/mod_mu/users", "/mod_mu/users", "/api/agent/v1/snapshot",
		"/api/v1/server/UniProxy/config", "/v1/server/user", "/v2/server/7", "/node/install.sh",
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "in") })
	}
	m := api.NewMiddleware(mux, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, prometheus.NewRegistry())
	m.FilterAddresses(func(ip netip.Addr) error {
		if ip == netip.MustParseAddr("203.0.113.1") {
			return fault.Forbidden("ip_banned", "禁", "banned").With(map[string]string{"ban_context": "rude"})
		}
		return nil
	})
	for _, banned := range []*httptest.ResponseRecorder{
		ask(m.Handler(), "GET", "/page", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/page", "[::ffff:203.0.113.1]:9", nil),
		ask(m.Handler(), "GET", "/page", "10.0.0.1:9", nil, "X-Forwarded-For", "203.0.113.1"),
		ask(m.Handler(), "GET", "/no/such/path", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/v1/mod_mux", "203.0.113.1:9", nil),
	} {
		if banned.Code != 403 || !strings.Contains(banned.Body.String(), `"ip_banned"`) ||
			!strings.Contains(banned.Body.String(), "rude") {
			t.Errorf("%d %s", banned.Code, banned.Body)
		}
	}
	for _, free := range []*httptest.ResponseRecorder{
		ask(m.Handler(), "GET", "/page", "203.0.113.2:9", nil),
		ask(m.Handler(), "GET", "/page", "203.0.113.2:9", nil, "X-Forwarded-For", "203.0.113.1"), // nobody's word
		ask(m.Handler(), "GET", "/v1/mod_mu/users", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/mod_mu/users", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/api/agent/v1/snapshot", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/api/v1/server/UniProxy/config", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/v1/server/user", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/node/install.sh", "203.0.113.1:9", nil),
		ask(m.Handler(), "GET", "/v2/server/7", "203.0.113.1:9", nil),
	} {
		if free.Code != 200 || free.Body.String() != "in" {
			t.Errorf("%d %s", free.Code, free.Body)
		}
	}
}
