package link_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// files returns the bytes and ETags of every client's file.
func (s *site) files() map[string][]string {
	out := map[string][]string{}
	for _, f := range formats {
		for _, coding := range []string{"", "gzip", "br"} {
			w := s.get("client_type="+f.clientType, "Accept-Encoding", coding)
			if w.Code != http.StatusOK || w.Body.Len() == 0 {
				s.Errorf("%s: %d", f.clientType, w.Code)
			}
			out[f.clientType+" "+coding] = []string{w.Header().Get("ETag"), w.Body.String()}
		}
	}
	return out
}

// mustEqual compares the files of two servers.
func mustEqual(t *testing.T, want, got map[string][]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFetch_TwoServers_GiveSameBytes(t *testing.T) {
	url := dbtest.PostgresURL(t)
	one := open(t, connect(t, url, ""))
	two := serve(t, connect(t, url, ""))
	two.token = one.token
	mustEqual(t, one.files(), two.files())

	fresh, err := two.links.Reset(t.Context(), user, false)
	if err != nil {
		t.Fatal(err)
	}
	if w := one.get(""); w.Code != http.StatusNotFound {
		t.Errorf("reset on the other server, the old link is still answered: %d", w.Code)
	}
	one.token, two.token = fresh.Token, fresh.Token
	mustEqual(t, one.files(), two.files())
}

func TestFetch_AfterRestart_GivesSameBytes(t *testing.T) {
	dir := t.TempDir()
	d := connect(t, "", dir)
	if err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := open(t, d)
	want := before.files()
	before.stop()
	d.Close()

	after := serve(t, connect(t, "", dir))
	after.token = before.token
	mustEqual(t, want, after.files())
	mustEqual(t, want, after.files()) // From the cache.
}

func connect(t *testing.T, url, dir string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// If one of the site's addresses is blocked, users who fetch by another must not be sent back to it.
func TestLink_StaysOnAddressOfFetch(t *testing.T) {
	each(t, func(s *site) {
		s.set("link_urls", []string{"https://a.example.com", "https://b.example.org:8443/in"})
		for host, want := range map[string]string{
			"a.example.com":      "https://a.example.com/link2/",
			"B.example.org:8443": "https://b.example.org:8443/in/link2/",
			"b.example.org":      "https://a.example.com/link2/",
			"evil.example.net":   "https://a.example.com/link2/",
		} {
			for _, query := range []string{"client_type=Surge5", "client_type=Html"} {
				r := httptest.NewRequest(http.MethodGet, "/link2/"+s.token+"?"+query, nil)
				r.Host = host
				w := httptest.NewRecorder()
				s.handler.ServeHTTP(w, r)
				if body := w.Body.String(); !strings.Contains(body, want+s.token) ||
					strings.Contains(body, host) != strings.Contains(want, host) {
					s.Errorf("%s, fetched from %s, does not stay there:\n%s", query, host, body)
				}
			}
		}
	})
}
