package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/shop"
)

// A replica holds the rows of both revisions in transactions that are under way when it is lost. The other goes on all
// the same, and what the lost one was asked for counts once.
func TestReplica_LostInsideTransaction_DoesNotStopOthers(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*testing.T, *pair) (back func()){
		"frozen": func(t *testing.T, p *pair) func() {
			p.lost.signal(t, syscall.SIGSTOP)
			return func() { p.lost.signal(t, syscall.SIGCONT) }
		},
		"cut off": func(_ *testing.T, p *pair) func() {
			p.proxy.swallow()
			return p.proxy.heal
		},
		"killed": func(*testing.T, *pair) func() { // the connections of a dead machine stay open
			return func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPair(t)
			unlock := p.lockRevisions(t)
			first := p.begin(p.lost, 0)
			p.waitForLocks(t, 2)
			if name == "killed" {
				p.proxy.swallow()
				p.lost.kill()
			}
			back := lose(t, p)
			unlock()

			begin := time.Now()
			for i, call := range p.begin(p.healthy, 1) {
				if got := <-call; got.status != http.StatusOK {
					t.Errorf("call %d on the healthy replica: %s", i, got)
				}
			}
			took := time.Since(begin)
			t.Log("the healthy replica answered after", took)
			if took > 20*time.Second {
				t.Errorf("the healthy replica answered after %s, want 10 s", took)
			}
			if name == "cut off" {
				p.waitForReady(t, p.lost, http.StatusServiceUnavailable)
			}
			back()
			for i, call := range first {
				got := <-call
				switch {
				case name == "killed" && got.err != nil:
				case got.status == http.StatusOK:
				case got.status == http.StatusServiceUnavailable && got.retryAfter != "":
				default:
					t.Errorf("call %d on the lost replica: %s", i, got)
				}
			}
			if name != "killed" {
				p.waitForReady(t, p.lost, http.StatusOK)
			}
			for i, call := range p.begin(p.healthy, 0) {
				if got := <-call; got.status != http.StatusOK {
					t.Errorf("call %d repeated: %s", i, got)
				}
			}
			p.countsOnce(t, 2)
		})
	}
}

// Neither ended sessions nor a database that is away for some seconds fail a call: what was not committed is done
// again.
func TestCalls_EndedSessionsOrFailover_Succeed(t *testing.T) {
	for name, breakOff := range map[string]func(t *testing.T, p *pair){
		"ended sessions": func(t *testing.T, p *pair) {
			if _, err := p.site.DB.ExecContext(t.Context(),
				`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
					AND wait_event_type = 'Lock'`); err != nil {
				t.Fatal(err)
			}
		},
		"failover": func(_ *testing.T, p *pair) {
			p.proxy.refuse()
			time.Sleep(2 * time.Second)
			p.proxy.listen()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPair(t)
			unlock := p.lockRevisions(t)
			calls := p.begin(p.lost, 0)
			p.waitForLocks(t, 2)
			breakOff(t, p)
			unlock()
			for i, call := range calls {
				if got := <-call; got.status != http.StatusOK {
					t.Errorf("call %d: %s", i, got)
				}
			}
			p.countsOnce(t, 1)
		})
	}
}

// pair is two servers that share a PostgreSQL. One reaches it through a proxy and is to be lost.
type pair struct {
	site          *testServer // reads their database
	lost, healthy *process
	proxy         *tcpProxy
	users         []testUser // two for each round of calls: one whose traffic is reported, one who buys
	pack, plan    int64
	node          string // the secret of a node
}

const reportedBytes = 1 << 20

func openPair(t *testing.T) *pair {
	t.Helper()
	c := config(t)
	c.LogLevel = "error"
	direct := dbtest.PostgresURL(t)
	c.DatabaseURL, c.SecretKey = direct, keyText
	p := &pair{site: newTestServer(t, c)}
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	p.proxy = newTCPProxy(t, u.Query().Get("host")+"/.s.PGSQL.5432")
	p.plan, p.pack = p.site.sells(t, shop.KindPlan, 100), p.site.sells(t, shop.KindPackage, 100)
	for i := range 4 {
		who := p.site.addUser(t, fmt.Sprintf("user%d", i), 1000)
		if w := p.site.call(t.Context(), who, http.MethodPost, buy(p.plan), "{}"); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
		p.users = append(p.users, who)
	}
	draft := node.Draft("hk", node.VMess, "hk.example", 443)
	if _, p.node, err = p.site.Nodes.Add(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	if err := p.site.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`INSERT INTO revision (name, value) VALUES ('traffic', 1) ON CONFLICT DO NOTHING`).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	p.lost, p.healthy = &process{config: c}, &process{config: c}
	p.lost.config.DatabaseURL = fmt.Sprintf("postgres://postgres@%s%s?sslmode=disable", p.proxy.address, u.Path)
	for _, server := range []*process{p.lost, p.healthy} {
		server.config.Listen = freeAddress(t)
		server.start(t)
		t.Cleanup(server.kill)
	}
	p.lost.waitReady(t)
	p.healthy.waitReady(t)
	return p
}

// lockRevisions keeps all writers of reports and purchases waiting until unlock.
func (p *pair) lockRevisions(t *testing.T) (unlock func()) {
	t.Helper()
	tx, err := p.site.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(),
		`SELECT 1 FROM revision WHERE name IN ('access', 'traffic') FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// waitForLocks waits until so many sessions wait for a lock. Whoever waits has its answer once the lock is free.
func (p *pair) waitForLocks(t *testing.T, sessions int) {
	t.Helper()
	for deadline := time.Now().Add(4 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var n int
		err := p.site.DB.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock'`).Scan(t.Context(), &n)
		if err != nil {
			t.Fatal(err)
		}
		if n == sessions {
			return
		}
	}
	var seen []string
	_ = p.site.DB.NewRaw(`SELECT concat_ws(' | ', wait_event_type, wait_event, state, left(query, 90))
		FROM pg_stat_activity WHERE datname = current_database()`).Scan(t.Context(), &seen)
	t.Fatalf("no %d sessions wait for a lock, but:\n%s", sessions, strings.Join(seen, "\n"))
}

func (p *pair) waitForReady(t *testing.T, server *process, status int) {
	t.Helper()
	got := called{}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if got = send(server, http.MethodGet, "/ready", "", "", ""); got.status == status {
			return
		}
	}
	t.Errorf("/ready of the lost replica: %s, want %d", got, status)
}

// called is what came of a call.
type called struct {
	status     int
	retryAfter string
	body       string
	err        error
}

func (c called) String() string { return fmt.Sprintf("%d %s %v", c.status, c.body, c.err) }

// begin has a report and a purchase made on server. A round has its users and its keys, so that the second time it
// repeats.
func (p *pair) begin(server *process, round int) []chan called {
	at := time.Now().UTC().Truncate(time.Hour)
	report, _ := json.Marshal(map[string]any{
		"boot": uuid.NewSHA1(uuid.Nil, []byte{byte(round)}), "sequence": 1, "from": at.Add(-time.Minute), "to": at,
		"rows": []any{map[string]any{"user_id": p.users[2*round].id, "up": 0, "down": reportedBytes}},
	})
	calls := []chan called{make(chan called, 1), make(chan called, 1)}
	go func() {
		calls[0] <- send(server, http.MethodPost, "/api/agent/v1/reports", p.node, "", string(report))
	}()
	go func() {
		calls[1] <- send(server, http.MethodPost, buy(p.pack), p.users[2*round+1].bearer, fmt.Sprint("round-", round),
			"{}")
	}()
	return calls
}

func send(server *process, method, path, bearer, key, body string) called {
	req, err := http.NewRequest(method, "http://"+server.config.Listen+path, strings.NewReader(body))
	if err != nil {
		return called{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+bearer)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	hash := sha256.Sum256([]byte(body))
	req.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(hash[:])+":") // reports need it
	res, err := browser.Do(req)
	if err != nil {
		return called{err: err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return called{res.StatusCode, res.Header.Get("Retry-After"), string(text), err}
}

// countsOnce holds what the database has against so many rounds.
func (p *pair) countsOnce(t *testing.T, rounds int) {
	t.Helper()
	for round := range rounds {
		reported, buyer := p.users[2*round], p.users[2*round+1]
		if n, err := p.site.Traffic.Today(t.Context(), reported.id); err != nil || n != reportedBytes {
			t.Errorf("round %d: %d bytes are counted, want %d; %v", round, n, reportedBytes, err)
		}
		_, packages, err := p.site.Services.List(t.Context(), buyer.id)
		b := p.site.balance(t, buyer.id)
		if err != nil || len(packages) != 1 || b.Posted != 800 || b.Held != 0 {
			t.Errorf("round %d: %d packages and %+v, want 1 and 800; %v", round, len(packages), b, err)
		}
	}
	p.site.sound(t)
}
