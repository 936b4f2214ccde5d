package loki_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"airstrip/internal/loki"
)

// installed is where make loki puts the server.
const installed = "../../.tools/loki/loki"

const configuration = `
auth_enabled: true
server: {http_listen_address: 127.0.0.1, http_listen_port: %d, grpc_listen_address: 127.0.0.1, grpc_listen_port: %d}
common:
  instance_addr: 127.0.0.1
  path_prefix: %q
  storage: {filesystem: {chunks_directory: %[3]q, rules_directory: %[3]q}}
  replication_factor: 1
  ring: {kvstore: {store: inmemory}}
ingester: {lifecycler: {min_ready_duration: 0s}}
memberlist: {bind_addr: [127.0.0.1], bind_port: %[4]d}
schema_config:
  configs: [{from: 2024-01-01, store: tsdb, object_store: filesystem, schema: v13, index: {prefix: i_, period: 24h}}]
analytics: {reporting_enabled: false}
`

// startReal starts Grafana Loki and returns its address. Where it is not installed the test is skipped, since to build
// it takes minutes: make loki does that.
func startReal(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(installed)
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		t.Skip("not tested on Grafana Loki: ", err)
	}
	dir := t.TempDir()
	port, grpc, gossip := freePort(t), freePort(t), freePort(t)
	file := filepath.Join(dir, "loki.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, port, grpc, dir, gossip), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-config.file="+file, "-log.level=error")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of the test's context has ended it
	address := fmt.Sprint("http://127.0.0.1:", port)
	for range 600 {
		if res, err := http.Get(address + "/ready"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return address
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("Loki did not start")
	return ""
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestGrafanaLoki_HasEveryLineOnceAndInOrder sends lines to Loki itself, which takes each second push while its answer
// is lost.
func TestGrafanaLoki_HasEveryLineOnceAndInOrder(t *testing.T) {
	real := startReal(t)
	target, err := url.Parse(real)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(w *world) {
		w.now = time.Now().UTC() // Loki refuses what is old by its own clock
		tenant := strconv.FormatInt(w.now.UnixNano(), 10)
		forward, pushes := httputil.NewSingleHostReverseProxy(target), 0
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if pushes++; pushes%2 == 1 {
				forward.ServeHTTP(rw, r)
				return
			}
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}))
		w.Cleanup(server.Close)
		w.set("loki_push_url", server.URL+"/loki/api/v1/push")
		w.set("loki_tenant", tenant)
		const lines = 3500 // pushes have at most 1000
		for i := range lines {
			// Of lines with one time Loki does not say which came first.
			w.signIns(1, w.now.Add(-time.Hour).Add(time.Duration(i)*time.Millisecond))
		}
		for range 10 {
			w.now = w.now.Add(time.Hour) // past any pause
			w.loki = loki.New(w.db, w.settings, w.secrets, "https://panel.example")
			if n, err := w.loki.Export(w.Context()); err == nil && n == 0 {
				break
			}
		}
		at := 0
		for _, l := range stored(w.T, real, tenant) {
			var row struct{ ID int }
			if err := json.Unmarshal([]byte(l), &row); err != nil {
				w.Fatal(err)
			}
			if at++; row.ID != at {
				w.Fatalf("line %d is of row %d", at, row.ID)
			}
		}
		if at != lines || pushes < 5 {
			w.Errorf("Loki has %d lines of %d after %d pushes", at, lines, pushes)
		}
	})
}

// stored returns the lines of the sign-ins, the oldest first.
func stored(t *testing.T, address, tenant string) (lines []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/loki/api/v1/query_range?"+url.Values{
		"query": {`{job="airstrip", log="sign_in"}`}, "limit": {"5000"}, "direction": {"forward"}, "since": {"24h"},
	}.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Scope-OrgID", tenant)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", res.StatusCode, body, err)
	}
	var answer struct {
		Data struct {
			Result []struct{ Values [][2]string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Data.Result) != 1 {
		t.Fatalf("%v: %.300s", err, body)
	}
	for _, v := range answer.Data.Result[0].Values {
		lines = append(lines, v[1])
	}
	return lines
}
