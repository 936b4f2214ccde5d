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

// world is a server with one node, its agent, and a site to go to.
type world struct {
	*server
	setup Setup
	data  string
	echo  string
	stop  func() error
	front string // where the agent finds the server, if not at its own address
}

func newWorld(t *testing.T, users ...api.User) *world {
	var setup Setup
	for _, s := range Setups(t) {
		if s.Name == "vless ws" {
			setup = s
		}
	}
	setup.Node.ReportSeconds = 1
	return newWorldOf(t, setup, users...)
}

func newWorldOf(t testing.TB, setup Setup, users ...api.User) *world {
	return &world{server: newServer(t, setup.Node, users...), setup: setup, data: t.TempDir(), echo: EchoServer(t)}
}

func (w *world) config(log io.Writer) run.Config {
	logger := slog.New(slog.NewTextHandler(log, nil))
	return run.Config{
		Server: cmp.Or(w.front, w.http.URL), Secret: secret, Node: w.setup.Node.ID, Data: w.data, Version: "test", Log: logger,
		Engine: func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, logger), nil },
	}
}

// start runs the agent until stop or the end of the test.
func (w *world) start() {
	w.t.Helper()
	w.startLogging(w.t.Output())
}

func (w *world) startLogging(log io.Writer) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx, w.config(log)) }()
	var result error
	stopped := false
	w.stop = func() error {
		if !stopped {
			stopped = true
			cancel()
			result = <-ended
		}
		return result
	}
	w.t.Cleanup(func() { w.stop() })
	w.listening()
}

func (w *world) listening() {
	w.t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", w.setup.Node.Port)
	eventually(w.t, 10*time.Second, "the node listens", func() bool {
		if w.setup.Node.Protocol == "hysteria2" {
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

func (w *world) client(u api.User) *Client { return NewClient(w.t, w.setup.Client(u)) }

func (w *world) mustExchange(conn net.Conn, n int) {
	w.t.Helper()
	if got, err := Exchange(conn, n); err != nil {
		w.t.Fatalf("%d bytes of %d came back: %v", got, n, err)
	}
}

// letsIn waits until the node lets a client in.
func (w *world) letsIn(c *Client, who string) {
	w.t.Helper()
	if !LetIn(func() net.Conn { return c.Dial(w.echo) }) {
		w.t.Fatalf("%s is not let in", who)
	}
}

// stops waits until the node refuses a client.
func (w *world) stops(c *Client, who string) {
	w.t.Helper()
	eventually(w.t, 10*time.Second, who+" is refused", func() bool { return Refused(c.Dial(w.echo)) })
}

// billedExactly waits for the bill and then makes sure that it stays.
func (w *world) billedExactly(id, want int64) {
	w.t.Helper()
	eventually(w.t, 15*time.Second, "the traffic is billed", func() bool { return w.bill(id) >= want })
	time.Sleep(500 * time.Millisecond)
	if got := w.bill(id); got != want {
		w.t.Fatalf("user %d is billed %d bytes, moved %d", id, got, want)
	}
}

func TestChangesOfTheListAreAppliedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	staying := w.client(User(1)).Dial(w.echo)
	w.mustExchange(staying, 1000)

	comer := int64(1)
	come := func() *Client {
		comer++
		w.publish(api.Change{Users: []api.User{User(comer)}})
		client := w.client(User(comer))
		w.letsIn(client, "the new user")
		return client
	}
	promptly(t, "a new user is let in", func() {}, func() { come() })

	var leaving net.Conn
	promptly(t, "a removed user is cut", func() {
		leaving = come().Dial(w.echo)
		w.mustExchange(leaving, 1000)
	}, func() {
		w.publish(api.Change{Removed: []int64{comer}})
		ended := make(chan struct{})
		go func() { leaving.Read(make([]byte, 1)); close(ended) }()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("the removed user is still connected")
		}
	})
	w.mustExchange(staying, 1000)
	w.billedExactly(1, 4000)
	eventually(t, 5*time.Second, "the last bytes of the removed user are billed", func() bool { return w.bill(comer) >= 2000 })

	client := w.client(User(1))
	promptly(t, "a rule applies", func() {
		w.publish(api.Change{Rules: &[]api.Rule{}})
		w.letsIn(client, "who may go anywhere")
	}, func() {
		w.publish(api.Change{Rules: &[]api.Rule{{ID: 9, Pattern: "."}}})
		w.stops(client, "who may go nowhere")
	})
	w.mustExchange(staying, 1000)
	eventually(t, 5*time.Second, "the hit is reported", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, r := range w.reports {
			for _, h := range r.Hits {
				if h.RuleID == 9 && h.UserID == 1 && h.Count > 0 {
					return true
				}
			}
		}
		return false
	})
	eventually(t, 30*time.Second, "a heartbeat tells who is online", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, s := range w.statuses {
			if len(s.Online) > 0 && s.Online[0].UserID == 1 && s.Online[0].IPs[0] == "127.0.0.1" && s.Connections > 0 && s.Memory > 0 {
				return true
			}
		}
		return false
	})
}

// The server keeps rates in bytes a second, as agents of others tell them.
func TestAHeartbeatTellsTheSpeedInBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	beats := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.statuses)
	}
	eventually(t, 10*time.Second, "the first heartbeat", func() bool { return beats() > 0 })
	const sent = 100_000
	w.mustExchange(w.client(User(1)).Dial(w.echo), sent)
	eventually(t, 30*time.Second, "the next heartbeat", func() bool { return beats() > 1 })
	w.mu.Lock()
	defer w.mu.Unlock()
	if up, even := w.statuses[1].UpBPS, int64(sent/beatSeconds); up < even/2 || up > even*2 {
		t.Errorf("%d bytes within %d s are said to be %d a second", sent, beatSeconds, up)
	}
}

// beatSeconds is how often an agent sends its heartbeat.
const beatSeconds = 20

func TestLostAnswersAndFailuresOfTheServerBillNothingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	var n atomic.Int64
	w.lose = func() bool { return n.Add(1)%2 == 1 }
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reports") && n.Add(1)%3 == 0 {
			failure(rw, 500, "internal")
			return true
		}
		return false
	}
	w.start()
	conn := w.client(User(1)).Dial(w.echo)
	for range 5 {
		w.mustExchange(conn, 10_000)
		time.Sleep(700 * time.Millisecond)
	}
	w.set(func() { w.lose = nil })
	w.billedExactly(1, 100_000)
	if left := spooled(t, w.data); len(left) > 0 {
		t.Errorf("billed batches are still in the spool: %v", left)
	}
}

func spooled(t *testing.T, data string) []string {
	names, err := filepath.Glob(filepath.Join(data, "spool", "*.batch"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRemainingStopsAndARenewalStartsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1), User(2))
	w.node.ReportSeconds = 3600
	w.quota[1] = 1_000_000
	w.start()
	other := w.client(User(2)).Dial(w.echo)
	w.mustExchange(other, 1000)
	client := w.client(User(1))
	got, err := Exchange(client.Dial(w.echo), 2_000_000)
	if err == nil {
		t.Fatal("the user moved 4,000,000 bytes with 1,000,000 remaining")
	}
	eventually(t, 3*time.Second, "the end is reported at once", func() bool { return w.bill(1) >= 1_000_000 })
	if bill := w.bill(1); bill > 1_300_000 || int64(got) > bill {
		t.Errorf("billed %d, received %d, of 1,000,000 remaining", bill, got)
	}
	if !Refused(client.Dial(w.echo)) {
		t.Error("the user is let in with nothing left")
	}
	w.mustExchange(other, 1000)

	w.set(func() { w.quota[1] = 10_000_000 })
	w.publish(api.Change{Users: []api.User{User(1)}})
	w.letsIn(client, "the renewed user")
	w.mustExchange(client.Dial(w.echo), 100_000)
}

func TestLargePartsOfWhatRemainsAreReportedWithoutWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1), User(2))
	w.set(func() { w.node.ReportSeconds = 3600 })
	w.quota[1], w.quota[2] = 1_000_000, 1_000_000
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 100_000) // a fifth of what remains
	// What came after a report may still wait, if it is less than a twentieth of what remains.
	eventually(t, 5*time.Second, "the user's other nodes can hear of it", func() bool { return w.bill(1) > 160_000 })
	w.mustExchange(w.client(User(2)).Dial(w.echo), 10_000)
	time.Sleep(3 * time.Second)
	if bill := w.bill(2); bill != 0 {
		t.Errorf("a fiftieth of what remains was reported at once: %d", bill)
	}
}

func TestStopOfTheServerIsObeyedUnlessTheUserJustRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	client := w.client(User(1))
	conn := client.Dial(w.echo)
	w.mustExchange(conn, 1000)
	// Another node has used up the quota: this one learns it from the answer to its report.
	w.set(func() { w.quota[1] = 1 })
	w.mustExchange(conn, 1000)
	w.stops(client, "the user with nothing left")

	w.set(func() { delete(w.quota, 1) })
	w.publish(api.Change{Users: []api.User{User(1)}})
	w.letsIn(client, "the renewed user")

	// The user renews while an answer that says stop is on its way.
	answered := make(chan struct{})
	w.set(func() {
		w.quota[1] = 1
		w.lose = func() bool {
			if w.quota[1] == 1 {
				delete(w.quota, 1)
				renewed := w.revision + 1
				w.mu.Unlock()
				w.publish(api.Change{Users: []api.User{User(1)}})
				for run.Summarize(w.data).Revision < renewed && t.Context().Err() == nil {
					time.Sleep(20 * time.Millisecond)
				}
				w.mu.Lock()
				close(answered)
			}
			return false
		}
	})
	conn = client.Dial(w.echo)
	w.mustExchange(conn, 1000)
	<-answered
	time.Sleep(time.Second) // the answer arrives
	w.mustExchange(conn, 1000)
}

func TestStoppedByAFigureThatTheServerDoesNotShare(t *testing.T) {
	t.Parallel()
	// The agent believes that 50,000 bytes remain; the server bills them and has far more to give. Nobody tells the
	// agent: it has to ask.
	limited := User(1)
	limited.Remaining = Ptr[int64](50_000)
	w := newWorld(t, limited)
	w.start()
	client := w.client(User(1))
	if _, err := Exchange(client.Dial(w.echo), 100_000); err == nil {
		t.Fatal("the figure was not obeyed")
	}
	w.set(func() { w.quota[1] = 1 << 40 })
	w.letsIn(client, "whom the agent has asked about")
}

func TestStreamsThatStaySilentAreReplacedByPolling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	var streams atomic.Int64
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/changes") || r.URL.Query().Get("poll") == "1" {
			return false
		}
		streams.Add(1)
		rw.WriteHeader(http.StatusOK) // what a proxy does that buffers the whole answer
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	w.start()
	w.publish(api.Change{Users: []api.User{User(2)}})
	client := w.client(User(2))
	w.letsIn(client, "who came by a poll")
	w.publish(api.Change{Removed: []int64{2}})
	w.stops(client, "who left by a poll")
	if n := streams.Load(); n != 1 {
		t.Errorf("%d streams were tried", n)
	}
}

// A reverse proxy of this kind gives nothing on before it has all of an answer.
func TestBehindAProxyThatBuffersChangesArriveAllTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		out := r.Clone(r.Context())
		out.RequestURI = ""
		out.URL, _ = url.Parse(w.http.URL + r.URL.RequestURI())
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
	w.front = proxy.URL
	w.start()
	w.publish(api.Change{Users: []api.User{User(2)}})
	client := w.client(User(2))
	come := func() {
		w.publish(api.Change{Users: []api.User{User(2)}})
		w.letsIn(client, "a user who has come")
	}
	leave := func() {
		w.publish(api.Change{Removed: []int64{2}})
		w.stops(client, "a user who has left")
	}
	come() // once the agent has found that the stream is of no use
	promptly(t, "a user is out", come, leave)
	promptly(t, "a user is in", leave, come)
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	w.billedExactly(1, 2000)
}

func TestABrokenOrResetStreamIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 100)
	w.http.CloseClientConnections()
	w.publish(api.Change{Users: []api.User{User(2)}})
	w.letsIn(w.client(User(2)), "who came after a break")

	w.set(func() { w.users[3] = User(3); delete(w.users, 2) })
	w.publish(api.Change{Reset: true})
	w.letsIn(w.client(User(3)), "whom a reset brought")
	if !Refused(w.client(User(2)).Dial(w.echo)) {
		t.Error("a user who is not in the new snapshot is let in")
	}
}

func TestStartWithoutTheServerServesTheLastList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1), User(2))
	w.quota[2] = 1_000_000
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	w.mustExchange(w.client(User(2)).Dial(w.echo), 200_000)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if bill := w.bill(2); bill != 400_000 {
		t.Fatalf("at its end the agent had billed %d, moved 400000", bill)
	}
	if info, err := os.Stat(filepath.Join(w.data, "state.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the saved state, which holds secrets: %v %v", info.Mode(), err)
	}

	w.set(func() {
		w.fault = func(rw http.ResponseWriter, r *http.Request) bool { failure(rw, 503, "away"); return true }
	})
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	if _, err := Exchange(w.client(User(2)).Dial(w.echo), 500_000); err == nil {
		t.Error("600,000 bytes remained before the restart, 1,000,000 were moved after it")
	}
	w.set(func() { w.fault = nil })
	w.billedExactly(1, 4000)
	eventually(t, 10*time.Second, "what was used meanwhile is billed", func() bool { return w.bill(2) >= 1_000_000 })
}

func TestTheListIsSavedAsSoonAsItComes(t *testing.T) {
	t.Parallel()
	var w *world
	promptly(t, "an agent that is killed can start without the server", func() { w = newWorld(t, User(1)) }, func() {
		w.start()
		eventually(t, 10*time.Second, "the list is saved", func() bool {
			_, err := os.Stat(filepath.Join(w.data, "state.json"))
			return err == nil
		})
	})
}

func TestRefusedBatchesAreKeptAside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reports") {
			failure(rw, 410, "batch_too_old")
			return true
		}
		return false
	}
	w.start()
	conn := w.client(User(1)).Dial(w.echo)
	w.mustExchange(conn, 1000)
	eventually(t, 5*time.Second, "the batch is set aside", func() bool {
		names, _ := filepath.Glob(filepath.Join(w.data, "spool", "refused", "*.batch"))
		return len(names) == 1 && len(spooled(t, w.data)) == 0
	})
	w.set(func() { w.fault = nil })
	w.mustExchange(conn, 3000)
	w.billedExactly(1, 6000)
}

func TestWhatMakesTheAgentGiveUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	wrong := w.config(t.Output())
	wrong.Node = 2
	if err := run.Run(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "another node") {
		t.Errorf("with another node's secret: %v", err)
	}
	w.start()
	if err := run.Run(t.Context(), w.config(t.Output())); err == nil || !strings.Contains(err.Error(), w.data) {
		t.Errorf("a second agent on one folder: %v", err)
	}
	if err := w.stop(); err != nil {
		t.Errorf("the end of an agent that was told to stop: %v", err)
	}
}
