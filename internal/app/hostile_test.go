package app

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/node"
)

var (
	routePattern = regexp.MustCompile(`"(?:(GET|POST|PUT|PATCH|DELETE) )?(/[a-zA-Z0-9_{}./-]+)"`)
	fieldName    = regexp.MustCompile(`"([a-z][a-z_]{1,30})"`)
	pathValue    = regexp.MustCompile(`\{[^}]*\}`)
)

// routesOf returns the routes of all generations of the API, as method and pattern, and the names of their parameters,
// from the source: http.ServeMux lists none.
func routesOf(t *testing.T) (routes [][2]string, fields []string) {
	t.Helper()
	seen := map[[2]string]bool{}
	for _, folder := range []string{"../api", "../payment/sandbox", "."} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || folder == "." &&
				entry.Name() != "health.go" {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range routePattern.FindAllStringSubmatch(string(source), -1) {
				prefix := ""
				if strings.Contains(path, "/v2/") {
					prefix = "/api/v2"
				}
				// the routes of v2 name the method separately
				for _, method := range []string{
					http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch,
					http.MethodDelete,
				} {
					if m[1] != "" {
						method = m[1]
					}
					seen[[2]string{method, prefix + m[2]}] = true
				}
			}
			for _, m := range fieldName.FindAllStringSubmatch(string(source), -1) {
				fields = append(fields, m[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for route := range seen {
		routes = append(routes, route)
	}
	slices.Sort(fields)
	return routes, slices.Compact(fields)
}

// Values that a database cannot store are refused before any query, wherever in a request they are.
func TestRoutes_TextThatCannotBeKeptIsNeverAServerError(t *testing.T) {
	t.Parallel()
	routes, fields := routesOf(t)
	if len(routes) < 250 {
		t.Fatalf("only %d routes were found", len(routes))
	}
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		owner := f.addUser(t, "owner", 0)
		if err := f.Accounts.SetRole(t.Context(), "owner@example.com", account.Owner); err != nil {
			t.Fatal(err)
		}
		n, secret, err := f.Nodes.Add(t.Context(), node.Draft("n", node.Trojan, "n.example", 443))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"a%00b", "%ff"} {
			raw, err := url.PathUnescape(text)
			if err != nil {
				t.Fatal(err)
			}
			values := url.Values{}
			var object strings.Builder
			for _, name := range fields {
				values.Set(name, raw)
				fmt.Fprintf(&object, `%q:"\u0000",`, name)
			}
			query, posted := values.Encode(), "{"+strings.TrimSuffix(object.String(), ",")+"}"
			for i, route := range routes {
				method, pattern := route[0], route[1]
				plain := pathValue.ReplaceAllString(pattern, "1")
				spoilt := pathValue.ReplaceAllString(pattern, text)
				for _, try := range []struct {
					name, path, kind, body string
					header                 bool
					refused                bool
				}{
					{name: "path", path: spoilt, refused: spoilt != plain},
					{name: "query", path: plain + "?" + query, refused: true},
					{name: "form", path: plain, kind: "application/x-www-form-urlencoded", body: query},
					{name: "JSON", path: plain, kind: "application/json", body: posted},
					{name: "headers", path: plain, header: true},
				} {
					req := httptest.NewRequestWithContext(t.Context(), method, try.path, strings.NewReader(try.body))
					req.RemoteAddr = fmt.Sprintf("10.%d.%d.1:1", i>>8, i&255)
					if try.kind != "" {
						req.Header.Set("Content-Type", try.kind)
					}
					req.Header.Set("Authorization", "Bearer "+owner.bearer)
					if try.header {
						for _, name := range []string{
							"User-Agent", "Idempotency-Key", "Cookie", "Accept-Language",
							"If-None-Match", "X-Csrf-Token", "Referer", "Content-Digest", "X-Forwarded-For",
						} {
							req.Header.Set(name, "key=\xff\xfe")
						}
						if !strings.HasPrefix(pattern, "/api/v2/") {
							req.Header.Set("Authorization", "Bearer "+secret)
						}
						req.URL.RawQuery = fmt.Sprintf("key=%s&token=%[1]s&node_id=%d", secret, n.ID)
					}
					w := httptest.NewRecorder()
					f.root.ServeHTTP(w, req)
					if w.Code >= 500 && !strings.Contains(w.Body.String(), "telegram_unavailable") || try.refused &&
						w.Code < 400 {
						t.Errorf("%s %s with %s in its %s: %d %.200s", method, pattern, text, try.name, w.Code, w.Body)
					}
				}
				// signed out by a route
				if owner.bearer == "" || f.call(t.Context(), owner, "GET", "/api/v2/user", "").Code != http.StatusOK {
					owner = f.again(t, "owner")
				}
			}
		}
	})
}

// again signs a user in once more.
func (f *testServer) again(t *testing.T, name string) testUser {
	t.Helper()
	g, err := f.Accounts.SignIns.ByPassword(t.Context(), account.SignIn{
		Email:    name + "@example.com",
		Password: "a long enough password",
	}, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return testUser{id: g.User.ID, bearer: g.Access}
}
