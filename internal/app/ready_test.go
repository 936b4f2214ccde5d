package app

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
)

// A load balancer and an operator read the codes that README names, also before the write probe has found the cut.
func TestReady_WhileTheNetworkSwallowsPackets_SaysThatTheDatabaseIsUnreachable(t *testing.T) {
	direct := dbtest.PostgresURL(t)
	address, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newTCPProxy(t, address.Query().Get("host")+"/.s.PGSQL.5432")
	c := config(t)
	c.DatabaseURL = fmt.Sprintf("postgres://postgres@%s%s?sslmode=disable", proxy.address, address.Path)
	c.SecretKey = keyText
	f := newTestServer(t, c)
	if w := f.call(t.Context(), testUser{}, "GET", "/ready", ""); w.Code != http.StatusOK {
		t.Fatalf("before the cut: %d %s", w.Code, w.Body)
	}
	proxy.swallow()
	defer proxy.heal()
	w := f.call(t.Context(), testUser{}, "GET", "/ready", "")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"database_unreachable"`) ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("during the cut: %d %s", w.Code, w.Body)
	}
}
