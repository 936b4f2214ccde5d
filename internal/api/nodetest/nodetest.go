// Package nodetest supports tests of the node APIs. It provides a Site with users and nodes on a database, requests to
// its API, and comparison of answers with golden files. Tests that several of the APIs share are methods of Site.
package nodetest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/db"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Site is a server with users 1, 2 and 3, who have no services yet.
type Site struct {
	testing.TB
	DB       *db.DB
	Settings *setting.Settings
	Services *service.Services
	Nodes    *node.Nodes
	Traffic  *traffic.Traffic
	Keys     map[string]string // By name of the node.
	IDs      map[string]int64
	URL      string // Prefix of all requested paths.
}

// Open returns a Site in an empty database.
func Open(t testing.TB, d *db.DB) Site {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	services := service.New(d, seal.Key{}, settings)
	nodes := node.New(d, seal.Key{}, settings, services)
	s := Site{
		TB: t, DB: d, Settings: settings, Services: services, Nodes: nodes,
		Traffic: traffic.New(d, settings, services, nodes), Keys: map[string]string{}, IDs: map[string]int64{},
	}
	for id := int64(1); id <= 3; id++ {
		s.Do(func(ctx context.Context, tx bun.Tx) error { return services.Open(ctx, tx, id) })
	}
	return s
}

// AddNodes adds nodes and gives users 1 and 2 services with fixed credentials. User 1 has 100 Mbit/s, 3 devices and
// 10,000 bytes; user 2 has no limits.
func (s *Site) AddNodes(drafts []node.Node) {
	s.Helper()
	for _, draft := range drafts {
		s.Add(draft)
	}
	for id := int64(1); id <= 2; id++ {
		s.Do(func(ctx context.Context, tx bun.Tx) error {
			return s.Services.SetCredentials(ctx, tx, id, uuid.NewSHA1(uuid.Nil, []byte{byte(id)}),
				fmt.Sprint("password-", id))
		})
	}
	s.Give(service.Terms{UserID: 1, SpeedMbps: new(100), Devices: new(3), QuotaBytes: new(int64(10_000))})
	s.Give(service.Terms{UserID: 2})
}

// Do runs fn in a transaction.
func (s *Site) Do(fn func(context.Context, bun.Tx) error) {
	s.Helper()
	if err := s.DB.Tx(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

// Add adds a node and records its key and ID.
func (s *Site) Add(draft node.Node) node.Node {
	s.Helper()
	n, key, err := s.Nodes.Add(s.Context(), draft)
	if err != nil {
		s.Fatal(draft.Name, err)
	}
	s.Keys[n.Name], s.IDs[n.Name] = key, n.ID
	return n
}

// Give starts a service of class 1 for a month, for the user and with the limits in terms.
func (s *Site) Give(terms service.Terms) {
	s.Helper()
	terms.PlanID, terms.Name, terms.Class, terms.Reset, terms.Months = 1, "P", 1, service.Never, 1
	s.Do(func(ctx context.Context, tx bun.Tx) error {
		_, err := s.Services.Start(ctx, tx, terms)
		return err
	})
}

// Serve serves mux behind the API's middleware until the test ends.
func (s *Site) Serve(mux *http.ServeMux) {
	server := httptest.NewServer(api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler())
	s.Cleanup(server.Close)
	s.URL = server.URL
}

// Send returns the status, header and body of an answer. headers alternates names and values.
func (s *Site) Send(method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Host = req.Header.Get("Host")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, res.Header, got
}

// Used returns the bytes used by a user.
func (s *Site) Used(userID int64) int64 {
	s.Helper()
	a, err := s.Services.Access(s.Context(), userID)
	if err != nil {
		s.Fatal(err)
	}
	return a.UsedBytes
}

// CheckTrojanTransports tests that the node "trojan" is refused over transports that an agent supports for other
// protocols only. The agent itself would report that the network type is invalid, without naming the node. config
// requests its configuration.
func (s *Site) CheckTrojanTransports(config func() (status int, body []byte)) {
	s.Helper()
	for transport, want := range map[string]int{"tcp": 200, "ws": 200, "httpupgrade": 409, "xhttp": 409} {
		if _, err := s.Nodes.Change(s.Context(), s.IDs["trojan"], func(n *node.Node) {
			n.Settings.Transport, n.Settings.Path = transport, "/x"
		}); err != nil {
			s.Fatal(err)
		}
		status, got := config()
		if status != want || (want == http.StatusConflict) != strings.Contains(string(got), "tcp、ws 和 grpc") {
			s.Errorf("%s: %d %s", transport, status, got)
		}
	}
}

// Golden holds JSON against a file of the test's testdata; -update writes the file.
func (s *Site) Golden(file string, got []byte) {
	s.Helper()
	path := filepath.Join("testdata", file)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		s.Fatal(err)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, pretty.Bytes()) {
		s.Errorf("%s changed (%v):\n%s", file, err, pretty.Bytes())
	}
}
