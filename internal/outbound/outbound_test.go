package outbound_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/outbound"
)

func TestClient_OfPublicAddresses_ReachesNoOthers(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	allowed := false
	client := outbound.Client(10*time.Second, func() bool { return allowed })
	for _, url := range []string{server.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port} {
		if _, err := client.Get(url); !errors.Is(err, outbound.ErrPrivate) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if requests != 0 {
		t.Errorf("%d requests came through", requests)
	}
	allowed = true
	res, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusFound || requests != 1 {
		t.Errorf("%d after %d requests, want the redirect itself", res.StatusCode, requests)
	}
}

// The list is that of the node agent, which cannot be imported.
func TestRefusedAddresses_AreThoseOfTheAgent(t *testing.T) {
	prefixes := func(path string) []string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`MustParsePrefix\("[^"]+"\)`).FindAllString(string(text), -1)
	}
	own, agents := prefixes("outbound.go"), prefixes("../../agent/internal/egress/egress.go")
	if len(own) < 20 || !slices.Equal(own, agents) {
		t.Errorf("%q, want those of the agent: %q", own, agents)
	}
}
