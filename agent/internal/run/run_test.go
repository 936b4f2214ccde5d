package run_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

// testEnv is a server with one node, its agent, and a destination.
type testEnv struct {
	*fakeServer
	setup     Setup
	data      string
	echo      string
	stop      func() error
	serverURL string // Where the agent finds the server, if not at its own address.
}

func newTestEnv(t *testing.T, users ...api.User) *testEnv {
	var setup Setup
	for _, s := range Setups(t) {
		if s.Name == "vless ws" {
			setup = s
		}
	}
	setup.Node.ReportSeconds = 1
	return newTestEnvWith(t, setup, users...)
}

func newTestEnvWith(t testing.TB, setup Setup, users ...api.User) *testEnv {
	return &testEnv{
		fakeServer: newFakeServer(t, setup.Node, users...), setup: setup, data: t.TempDir(),
		echo: EchoServer(t),
	}
}

func (e *testEnv) config(log io.Writer) run.Config {
	logger := slog.New(slog.NewTextHandler(log, nil))
	return run.Config{
		Server: cmp.Or(e.serverURL, e.http.URL), Secret: secret, Node: e.setup.Node.ID, Data: e.data, Version: "test",
		Log:    logger,
		Engine: func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, logger), nil },
	}
}

// start runs the agent until stop is called or the test ends.
func (e *testEnv) start() {
	e.t.Helper()
	e.startLogging(e.t.Output())
}

func (e *testEnv) startLogging(log io.Writer) {
	e.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx, e.config(log)) }()
	var result error
	stopped := false
	e.stop = func() error {
		if !stopped {
			stopped = true
			cancel()
			result = <-ended
		}
		return result
	}
	e.t.Cleanup(func() { e.stop() })
	e.listening()
}

func (e *testEnv) listening() {
	e.t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", e.setup.Node.Port)
	eventually(e.t, 10*time.Second, "the node listens", func() bool {
		if e.setup.Node.Protocol == "hysteria2" {
			free, err := net.ListenPacket("udp", address)
			if err == nil {
				free.Close()
			}
			return err != nil
		}
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func (e *testEnv) client(u api.User) *Client { return NewClient(e.t, e.setup.Client(u)) }

func (e *testEnv) mustExchange(conn net.Conn, n int) {
	e.t.Helper()
	MustExchange(e.t, conn, n)
}

// mustLetIn waits until the node admits a client.
func (e *testEnv) mustLetIn(c *Client, who string) {
	e.t.Helper()
	if !LetIn(func() net.Conn { return c.Dial(e.echo) }) {
		e.t.Fatalf("%s is not let in", who)
	}
}

// mustRefuse waits until the node refuses a client.
func (e *testEnv) mustRefuse(c *Client, who string) {
	e.t.Helper()
	eventually(e.t, 10*time.Second, who+" is refused", func() bool { return Refused(c.Dial(e.echo)) })
}

// mustBill waits until the user is billed for want bytes, and until a later report shows that it is not more.
func (e *testEnv) mustBill(id, want int64) {
	e.t.Helper()
	eventually(e.t, 15*time.Second, "the traffic is billed", func() bool { return e.billedBytes(id) >= want })
	e.awaitReport()
	if got := e.billedBytes(id); got != want {
		e.t.Fatalf("user %d is billed %d bytes, moved %d", id, got, want)
	}
}

// awaitReport waits until the server has counted a report with everything that was counted so far. Reports are
// delivered in order, so that none before it is still under way.
func (e *testEnv) awaitReport() {
	e.t.Helper()
	marker := User(markers.Add(1))
	e.publish(api.Change{Users: []api.User{marker}})
	e.mustLetIn(e.client(marker), "the marker of a report")
	eventually(e.t, 15*time.Second, "the marker is billed", func() bool { return e.billedBytes(marker.ID) > 0 })
}

// markers numbers the users of awaitReport, beyond those of all tests.
var markers = func() *atomic.Int64 {
	n := new(atomic.Int64)
	n.Store(1_000_000)
	return n
}()

func TestChanges_AreAppliedAtOnce(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	staying := e.client(User(1)).Dial(e.echo)
	e.mustExchange(staying, 1000)

	comer := int64(1)
	come := func() *Client {
		comer++
		e.publish(api.Change{Users: []api.User{User(comer)}})
		client := e.client(User(comer))
		e.mustLetIn(client, "the new user")
		return client
	}
	mustBePrompt(t, "a new user is let in", func() {}, func() { come() })

	var leaving net.Conn
	mustBePrompt(t, "a removed user is cut", func() {
		leaving = come().Dial(e.echo)
		e.mustExchange(leaving, 1000)
	}, func() {
		e.publish(api.Change{Removed: []int64{comer}})
		ended := make(chan struct{})
		go func() { leaving.Read(make([]byte, 1)); close(ended) }()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("the removed user is still connected")
		}
	})
	e.mustExchange(staying, 1000)
	e.mustBill(1, 4000)
	eventually(t, 5*time.Second, "the last bytes of the removed user are billed",
		func() bool { return e.billedBytes(comer) >= 2000 })

	client := e.client(User(1))
	mustBePrompt(t, "a rule applies", func() {
		e.publish(api.Change{Rules: &[]api.Rule{}})
		e.mustLetIn(client, "who may go anywhere")
	}, func() {
		e.publish(api.Change{Rules: &[]api.Rule{{ID: 9, Pattern: "."}}})
		e.mustRefuse(client, "who may go nowhere")
	})
	e.mustExchange(staying, 1000)
	eventually(t, 5*time.Second, "the hit is reported", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, r := range e.reports {
			for _, h := range r.Hits {
				if h.RuleID == 9 && h.UserID == 1 && h.Count > 0 {
					return true
				}
			}
		}
		return false
	})
	eventually(t, 30*time.Second, "a heartbeat tells who is online", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, s := range e.statuses {
			if len(s.Online) > 0 && s.Online[0].UserID == 1 && s.Online[0].IPs[0] == "127.0.0.1" &&
				s.Connections > 0 && s.Memory > 0 {
				return true
			}
		}
		return false
	})
}

// The server stores rates in bytes per second, the unit in which third-party agents report them.
func TestHeartbeat_ReportsSpeedInBytes(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	beats := func() int {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.statuses)
	}
	eventually(t, 10*time.Second, "the first heartbeat", func() bool { return beats() > 0 })
	const sent = 100_000
	e.mustExchange(e.client(User(1)).Dial(e.echo), sent)
	eventually(t, 30*time.Second, "the next heartbeat", func() bool { return beats() > 1 })
	e.mu.Lock()
	defer e.mu.Unlock()
	if up, even := e.statuses[1].UpBPS, int64(sent/beatSeconds); up < even/2 || up > even*2 {
		t.Errorf("%d bytes within %d s are said to be %d a second", sent, beatSeconds, up)
	}
}

// beatSeconds is the interval of heartbeats.
const beatSeconds = 20

func TestReports_LostAnswers_BillNothingTwice(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	var n atomic.Int64
	e.set(func() { e.lose = func() bool { return n.Add(1)%2 == 1 } })
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reports") && n.Add(1)%3 == 0 {
			writeError(rw, 500, "internal")
			return true
		}
		return false
	})
	e.start()
	conn := e.client(User(1)).Dial(e.echo)
	batches := func() int { return e.reportCount() + len(spooled(t, e.data)) }
	for range 5 {
		before := batches()
		e.mustExchange(conn, 10_000)
		eventually(t, 15*time.Second, "a batch is sealed", func() bool { return batches() > before })
	}
	e.set(func() { e.lose = nil })
	e.mustBill(1, 100_000)
	eventually(t, 10*time.Second, "billed batches leave the spool", func() bool { return len(spooled(t, e.data)) == 0 })
}

func spooled(t *testing.T, data string) []string {
	names, err := filepath.Glob(filepath.Join(data, "spool", "*.batch"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRemaining_UsedUp_StopsUntilRenewal(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1), User(2))
	e.node.ReportSeconds = 3600
	e.quota[1] = 1_000_000
	e.start()
	other := e.client(User(2)).Dial(e.echo)
	e.mustExchange(other, 1000)
	client := e.client(User(1))
	got, err := Exchange(client.Dial(e.echo), 2_000_000)
	if err == nil {
		t.Fatal("the user moved 4,000,000 bytes with 1,000,000 remaining")
	}
	eventually(t, 3*time.Second, "the end is reported at once", func() bool { return e.billedBytes(1) >= 1_000_000 })
	if bill := e.billedBytes(1); bill > 1_300_000 || int64(got) > bill {
		t.Errorf("billed %d, received %d, of 1,000,000 remaining", bill, got)
	}
	if !Refused(client.Dial(e.echo)) {
		t.Error("the user is let in with nothing left")
	}
	e.mustExchange(other, 1000)

	e.set(func() { e.quota[1] = 10_000_000 })
	e.publish(api.Change{Users: []api.User{User(1)}})
	e.mustLetIn(client, "the renewed user")
	e.mustExchange(client.Dial(e.echo), 100_000)
}

func TestRemaining_LargePartUsed_IsReportedAtOnce(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1), User(2))
	e.set(func() { e.node.ReportSeconds = 3600 })
	e.quota[1], e.quota[2] = 1_000_000, 1_000_000
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 100_000) // A fifth of the remaining bytes.
	// Bytes after the first report may wait if they are less than a twentieth of what remains.
	eventually(t, 5*time.Second, "the user's other nodes can hear of it",
		func() bool { return e.billedBytes(1) > 160_000 })
	e.mustExchange(e.client(User(2)).Dial(e.echo), 10_000)
	for range 2 { // The state is saved every 5 s; meanwhile the agent looks several times whether to report.
		e.awaitSave()
	}
	if bill := e.billedBytes(2); bill != 0 {
		t.Errorf("a fiftieth of what remains was reported at once: %d", bill)
	}
}

func TestStop_FromServer_IsObeyedUnlessJustRenewed(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	client := e.client(User(1))
	conn := client.Dial(e.echo)
	e.mustExchange(conn, 1000)
	// Another node has used up the quota: this one learns it from the answer to its report.
	e.set(func() { e.quota[1] = 1 })
	e.mustExchange(conn, 1000)
	e.mustRefuse(client, "the user with nothing left")

	e.set(func() { delete(e.quota, 1) })
	e.publish(api.Change{Users: []api.User{User(1)}})
	e.mustLetIn(client, "the renewed user")

	// The user renews while an answer with a stop is in flight.
	answered := make(chan struct{})
	e.set(func() {
		e.quota[1] = 1
		e.lose = func() bool {
			if e.quota[1] == 1 {
				delete(e.quota, 1)
				renewed := e.revision + 1
				e.mu.Unlock()
				e.publish(api.Change{Users: []api.User{User(1)}})
				for run.Summarize(e.data).Revision < renewed && t.Context().Err() == nil {
					time.Sleep(20 * time.Millisecond)
				}
				e.mu.Lock()
				close(answered)
			}
			return false
		}
	})
	conn = client.Dial(e.echo)
	e.mustExchange(conn, 1000)
	<-answered
	eventually(t, 10*time.Second, "the answer is applied", func() bool { return len(spooled(t, e.data)) == 0 })
	e.mustExchange(conn, 1000)
}

func TestStop_ByOutdatedFigure_IsCorrectedByServer(t *testing.T) {
	t.Parallel()
	// By the agent's figures 50,000 bytes remain. The server bills them and has far more to give, but sends no message:
	// the agent has to ask.
	limited := User(1)
	limited.Remaining = Ptr[int64](50_000)
	e := newTestEnv(t, limited)
	e.start()
	client := e.client(User(1))
	if _, err := Exchange(client.Dial(e.echo), 100_000); err == nil {
		t.Fatal("the figure was not obeyed")
	}
	e.set(func() { e.quota[1] = 1 << 40 })
	e.mustLetIn(client, "whom the agent has asked about")
}

func TestChanges_SilentStream_FallsBackToPolling(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	var streams atomic.Int64
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/changes") || r.URL.Query().Get("poll") == "1" {
			return false
		}
		streams.Add(1)
		rw.WriteHeader(http.StatusOK) // As a proxy does that buffers the whole answer.
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	})
	e.start()
	e.publish(api.Change{Users: []api.User{User(2)}})
	client := e.client(User(2))
	e.mustLetIn(client, "who came by a poll")
	e.publish(api.Change{Removed: []int64{2}})
	e.mustRefuse(client, "who left by a poll")
	if n := streams.Load(); n != 1 {
		t.Errorf("%d streams were tried", n)
	}
}

// Such a proxy forwards nothing before it has received the complete answer.
func TestChanges_BehindBufferingProxy_Arrive(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		out := r.Clone(r.Context())
		out.RequestURI = ""
		out.URL, _ = url.Parse(e.http.URL + r.URL.RequestURI())
		res, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		whole, err := io.ReadAll(res.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(rw.Header(), res.Header)
		rw.WriteHeader(res.StatusCode)
		rw.Write(whole)
	}))
	t.Cleanup(func() { proxy.CloseClientConnections(); proxy.Close() })
	e.serverURL = proxy.URL
	e.start()
	e.publish(api.Change{Users: []api.User{User(2)}})
	client := e.client(User(2))
	come := func() {
		e.publish(api.Change{Users: []api.User{User(2)}})
		e.mustLetIn(client, "a user who has come")
	}
	leave := func() {
		e.publish(api.Change{Removed: []int64{2}})
		e.mustRefuse(client, "a user who has left")
	}
	come() // Afterwards the agent knows that the stream does not work.
	mustBePrompt(t, "a user is out", come, leave)
	mustBePrompt(t, "a user is in", leave, come)
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	e.mustBill(1, 2000)
}

func TestChanges_BrokenOrResetStream_IsResumed(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 100)
	e.http.CloseClientConnections()
	e.publish(api.Change{Users: []api.User{User(2)}})
	e.mustLetIn(e.client(User(2)), "who came after a break")

	e.set(func() { e.users[3] = User(3); delete(e.users, 2) })
	e.publish(api.Change{Reset: true})
	e.mustLetIn(e.client(User(3)), "whom a reset brought")
	if !Refused(e.client(User(2)).Dial(e.echo)) {
		t.Error("a user who is not in the new snapshot is let in")
	}
}

func TestStart_ServerAway_ServesSavedUsers(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1), User(2))
	e.quota[2] = 1_000_000
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	e.mustExchange(e.client(User(2)).Dial(e.echo), 200_000)
	if err := e.stop(); err != nil {
		t.Fatal(err)
	}
	if bill := e.billedBytes(2); bill != 400_000 {
		t.Fatalf("at its end the agent had billed %d, moved 400000", bill)
	}
	if info, err := os.Stat(filepath.Join(e.data, "state.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the saved state, which holds secrets: %v %v", info.Mode(), err)
	}

	e.set(func() {
		e.fault = func(rw http.ResponseWriter, r *http.Request) bool { writeError(rw, 503, "away"); return true }
	})
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	if _, err := Exchange(e.client(User(2)).Dial(e.echo), 500_000); err == nil {
		t.Error("600,000 bytes remained before the restart, 1,000,000 were moved after it")
	}
	e.set(func() { e.fault = nil })
	e.mustBill(1, 4000)
	eventually(t, 10*time.Second, "what was used meanwhile is billed",
		func() bool { return e.billedBytes(2) >= 1_000_000 })
}

// awaitSave waits until the agent has saved a change.
func (e *testEnv) awaitSave() {
	e.t.Helper()
	e.publish(api.Change{Rules: &[]api.Rule{}})
	var saved string
	e.set(func() { saved = fmt.Sprintf(`"revision":%d,`, e.revision) })
	eventually(e.t, 10*time.Second, "the state is saved", func() bool {
		text, err := os.ReadFile(filepath.Join(e.data, "state.json"))
		return err == nil && strings.Contains(string(text), saved)
	})
}

func TestSnapshot_IsSavedAtOnce(t *testing.T) {
	t.Parallel()
	var e *testEnv
	mustBePrompt(t, "an agent that is killed can start without the server", func() { e = newTestEnv(t, User(1)) },
		func() {
			e.start()
			eventually(t, 10*time.Second, "the list is saved", func() bool {
				_, err := os.Stat(filepath.Join(e.data, "state.json"))
				return err == nil
			})
		})
}

func TestReports_RefusedForGood_AreSetAside(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reports") {
			writeError(rw, 410, "batch_too_old")
			return true
		}
		return false
	})
	e.start()
	conn := e.client(User(1)).Dial(e.echo)
	e.mustExchange(conn, 1000)
	eventually(t, 5*time.Second, "the batch is set aside", func() bool {
		names, _ := filepath.Glob(filepath.Join(e.data, "spool", "refused", "*.batch"))
		return len(names) == 1 && len(spooled(t, e.data)) == 0
	})
	e.set(func() { e.fault = nil })
	e.mustExchange(conn, 3000)
	e.mustBill(1, 6000)
}

func TestRun_UnrecoverableErrors(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	wrong := e.config(t.Output())
	wrong.Node = 2
	if err := run.Run(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "another node") {
		t.Errorf("with another node's secret: %v", err)
	}
	e.start()
	if err := run.Run(t.Context(), e.config(t.Output())); err == nil || !strings.Contains(err.Error(), e.data) {
		t.Errorf("a second agent on one folder: %v", err)
	}
	if err := e.stop(); err != nil {
		t.Errorf("the regular stop of an agent: %v", err)
	}
}
