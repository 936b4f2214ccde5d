package run_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"airstrip/agent/internal/api"
)

const secret = "the-secret-of-the-node"

// fakeServer is the server's side of the protocol: it has users with revisions and counts each batch once.
type fakeServer struct {
	t    testing.TB
	http *httptest.Server

	mu             sync.Mutex
	revision       int64
	node           api.Node
	users          map[int64]api.User
	rules          []api.Rule
	blocked        []string
	lines          []api.Change
	changed        chan struct{}
	batches        map[string]string
	billed         map[int64]int64
	quota          map[int64]int64
	reports        []api.Report
	statuses       []api.Status
	deviceRequests []api.Device
	duplicate      bool // Another agent uses the same secret.
	// admit answers a request for a device slot. Without it every address is admitted.
	admit func(api.Device) api.Admission
	// fault may answer a request itself; it then returns true.
	fault func(http.ResponseWriter, *http.Request) bool
	// lose makes the server count a report and then lose the answer.
	lose func() bool
}

func newFakeServer(t testing.TB, node api.Node, users ...api.User) *fakeServer {
	s := &fakeServer{
		t: t, revision: 1, node: node, users: map[int64]api.User{}, changed: make(chan struct{}),
		batches: map[string]string{}, billed: map[int64]int64{}, quota: map[int64]int64{},
	}
	for _, u := range users {
		s.users[u.ID] = u
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/agent/v1/snapshot", s.snapshot)
	mux.HandleFunc("GET /api/agent/v1/changes", s.changes)
	mux.HandleFunc("POST /api/agent/v1/reports", s.report)
	mux.HandleFunc("POST /api/agent/v1/status", s.status)
	mux.HandleFunc("POST /api/agent/v1/devices", s.device)
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			writeError(w, 401, "bad_secret")
			return
		}
		s.mu.Lock()
		fault := s.fault
		s.mu.Unlock()
		if fault == nil || !fault(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

func writeError(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code":%q,"message":"as the test wants it"}`, code)
}

func (s *fakeServer) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// setFault makes fault answer requests, as the field describes.
func (s *fakeServer) setFault(fault func(http.ResponseWriter, *http.Request) bool) {
	s.set(func() { s.fault = fault })
}

// publish adds a line to the stream.
func (s *fakeServer) publish(c api.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	c.Revision = s.revision
	for i, u := range c.Users {
		c.Users[i] = s.withRemaining(u)
		s.users[u.ID] = u
	}
	for _, id := range c.Removed {
		delete(s.users, id)
	}
	if c.Node != nil {
		s.node = *c.Node
	}
	s.blocked = slices.DeleteFunc(append(s.blocked, c.Blocked...),
		func(ip string) bool { return slices.Contains(c.Unblocked, ip) })
	s.lines = append(s.lines, c)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *fakeServer) withRemaining(u api.User) api.User {
	if quota, limited := s.quota[u.ID]; limited {
		left := quota - s.billed[u.ID]
		u.Remaining = &left
	}
	return u
}

func (s *fakeServer) snapshot(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot := api.Snapshot{
		Revision: s.revision, Node: s.node, Users: []api.User{}, Rules: s.rules,
		Blocked: s.blocked,
	}
	for _, u := range s.users {
		snapshot.Users = append(snapshot.Users, s.withRemaining(u))
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, s.revision))
	json.NewEncoder(w).Encode(snapshot)
}

func (s *fakeServer) changes(w http.ResponseWriter, r *http.Request) {
	since, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		writeError(w, 422, "bad_revision")
		return
	}
	heartbeat := time.NewTicker(time.Second)
	defer heartbeat.Stop()
	beat := false
	for {
		s.mu.Lock()
		lines, changed, revision := s.lines, s.changed, s.revision
		s.mu.Unlock()
		for _, c := range lines {
			if c.Revision > since {
				json.NewEncoder(w).Encode(c)
				since = c.Revision
			}
		}
		if r.URL.Query().Get("poll") == "1" {
			return
		}
		if beat {
			json.NewEncoder(w).Encode(api.Change{Revision: revision, Heartbeat: true})
		}
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-heartbeat.C:
			beat = true
		}
	}
}

func (s *fakeServer) report(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	sum := sha256.Sum256(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	if r.Header.Get("Content-Digest") != digest {
		s.t.Errorf("Content-Digest is %q, want %q", r.Header.Get("Content-Digest"), digest)
	}
	var report api.Report
	if err := json.Unmarshal(body, &report); err != nil {
		s.t.Errorf("unreadable report: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	receipt := api.Receipt{Result: "counted", Refused: []api.Refusal{}}
	key := fmt.Sprint(report.Boot, " ", report.Sequence)
	if before, seen := s.batches[key]; seen {
		if before != digest {
			s.t.Errorf("batch %s came with another content", key)
			writeError(w, 409, "batch_conflict")
			return
		}
		receipt.Result = "already_counted"
	} else {
		s.batches[key] = digest
		s.reports = append(s.reports, report)
		for _, row := range report.Rows {
			s.billed[row.UserID] += row.Up + row.Down
			if quota, limited := s.quota[row.UserID]; limited && s.billed[row.UserID] >= quota {
				receipt.Stop = append(receipt.Stop, row.UserID)
			}
		}
	}
	if s.lose != nil && s.lose() {
		panic(http.ErrAbortHandler)
	}
	json.NewEncoder(w).Encode(receipt)
}

func (s *fakeServer) status(w http.ResponseWriter, r *http.Request) {
	var status api.Status
	if err := json.NewDecoder(r.Body).Decode(&status); err != nil {
		s.t.Errorf("unreadable status: %v", err)
	}
	double := false
	s.set(func() { s.statuses, double = append(s.statuses, status), s.duplicate })
	fmt.Fprintf(w, `{"double":%t}`, double)
}

func (s *fakeServer) device(w http.ResponseWriter, r *http.Request) {
	var ask api.Device
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		s.t.Errorf("unreadable question for a place: %v", err)
	}
	answer := api.Admission{Admitted: true}
	s.set(func() {
		s.deviceRequests = append(s.deviceRequests, ask)
		if s.admit != nil {
			answer = s.admit(ask)
		}
	})
	json.NewEncoder(w).Encode(answer)
}

// deviceRequestCount returns how often a device slot was requested for an address.
func (s *fakeServer) deviceRequestCount(ip string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deviceRequests {
		if d.IP == ip {
			n++
		}
	}
	return n
}

// billedBytes returns the bytes billed to a user, both directions together.
func (s *fakeServer) billedBytes(id int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.billed[id]
}

// reportCount returns the number of reports counted.
func (s *fakeServer) reportCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reports)
}

// heartbeatCount returns the number of heartbeats received.
func (s *fakeServer) heartbeatCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.statuses)
}

// eventually waits until a condition is true. within applies to an idle machine; a busy one has ten times as long.
func eventually(t testing.TB, within time.Duration, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * within); !true(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s", what, 10*within)
		}
	}
}

// mustBePrompt tests that something takes less than 2 s in at least one of several attempts, because the machine may be
// busy.
func mustBePrompt(t testing.TB, what string, before, something func()) {
	t.Helper()
	var took []time.Duration
	for range 10 {
		before()
		began := time.Now()
		something()
		passed := time.Since(began)
		if took = append(took, passed); passed < 2*time.Second {
			return
		}
	}
	t.Errorf("%s: it took %s", what, took)
}
