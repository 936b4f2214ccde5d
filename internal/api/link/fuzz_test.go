package link_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
)

// hostileValues break headers, numbers, paths, pages and lines elsewhere.
var hostileValues = []string{
	"", "\x00", "\r\nX-Evil: 1", "%0d%0aX-Evil:%201", "../../etc/passwd", strings.Repeat("A",
		5000), strings.Repeat("ü", 100), "💩", "\xff\xfe", "'\"<script>",
	"-1", "99999999999999999999", "x\x85y\u2028", "CON", `"; filename=evil`, "br;q=NaN, gzip;q=", `W/"", "`,
}

var (
	parameters = strings.Fields("client_type is_node_extend is_remark_emoji is_proxy_mode filename suffix_type " +
		"manual_link_group group_sign vpn_type other")
	oldParameters = strings.Fields("list sub mu surge quantumult quantumultx ssd clash extend is_remark_emoji")
)

func TestFetch_AnyRequest_HasValidHeaders(t *testing.T) {
	s := open(t, dbtest.SQLite(t))
	for _, u := range hostileValues {
		for path, names := range map[string][]string{"/link2/": parameters, "/link/": oldParameters} {
			for _, name := range names {
				check(t, s.ask(path, name+"="+url.QueryEscape(u), "mihomo/"+u, u, u, u))
			}
		}
	}
}

// FuzzFetch sends arbitrary queries and headers to both addresses of the link.
func FuzzFetch(f *testing.F) {
	for _, r := range formats {
		f.Add("client_type="+r.clientType+"&is_node_extend=1&filename=%22%0d%0a", r.clientType+"/1.0\r\nX-Evil: 1",
			"text/html", "br, gzip", "*")
	}
	for _, u := range hostileValues {
		f.Add(u, u, u, u, u)
		for _, name := range append(parameters, oldParameters...) {
			f.Add(name+"="+url.QueryEscape(u)+"&"+name+"="+u, "clash-verge/"+u, "*/*", u, u)
		}
	}
	for _, agent := range []string{
		"SFA/1.12.12 (575; sing-box 99999999999999999999.1", "Surge iOS/3000",
		"Quantumult%20X/0", "Shadowrocket/\xff", "Stash/-1 Clash/", "Egern", "Mozilla/5.0", "SSD/1\x00",
	} {
		f.Add("is_proxy_mode=true;&%zz&=&vpn_type=ssr", agent, "", "", "")
	}
	s := open(f, dbtest.SQLite(f))
	f.Fuzz(func(t *testing.T, query, userAgent, accept, encoding, tag string) {
		for _, path := range []string{"/link2/", "/v1/link/"} {
			check(t, s.ask(path, query, userAgent, accept, encoding, tag))
		}
	})
}

// ask fetches the link with an unescaped query and headers, which no HTTP client would send.
func (s *site) ask(path, query, userAgent, accept, encoding, tag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path+s.token, nil)
	r.URL.RawQuery = query
	for name, value := range map[string]string{
		"User-Agent": userAgent, "Accept": accept, "Accept-Encoding": encoding,
		"If-None-Match": tag, "Accept-Language": accept,
	} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

func check(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= 500 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for name, values := range w.Header() {
		for _, v := range values {
			if name == "X-Evil" || strings.ContainsAny(v, "\r\n\x00") {
				t.Errorf("%s: %q", name, v)
			}
		}
	}
}
