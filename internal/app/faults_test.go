package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// TestFaultsAtRandom_TwoServers_CountExactly has customers buy and top up and agents report while one of two servers is
// frozen, killed or cut off, sessions are ended and PostgreSQL is away, at random. What was answered must count once,
// and nothing else may. How soon the other server went on is logged: a busy machine may not fail the test.
func TestFaultsAtRandom_TwoServers_CountExactly(t *testing.T) {
	t.Parallel()
	a := attackTwoServers(t)
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("AIRSTRIP_TEST_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Log("AIRSTRIP_TEST_SEED =", seed)
	end := time.Now().Add(time.Duration(size(10, 300)) * time.Second)
	var work sync.WaitGroup
	for i := range a.customers {
		work.Go(func() { a.trade(t, i, end) })
	}
	for i := range a.agents {
		work.Go(func() { a.report(t, i, end) })
	}
	a.faults(t, rand.New(rand.NewPCG(seed, 0)), end)
	work.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, s := range a.servers {
		s.kill()
		if strings.Contains(s.log.String(), "DATA RACE") || strings.Contains(s.log.String(), "panic") {
			t.Errorf("%s", s.log.String())
		}
	}
	if err := a.site.Payments.Check(t.Context()); err != nil { // as the next start does within half a minute
		t.Fatal(err)
	}
	a.countsExactly(t)
	a.site.sound(t)
	a.logNumbers(t)
}

// attack is two servers of one PostgreSQL, each behind a proxy of its own, and who calls them.
type attack struct {
	site      *testServer // reaches the database without a proxy
	servers   []*process
	proxies   []*tcpProxy
	pack      int64
	customers []testUser
	agents    []string // secrets of nodes
	prober    string   // the same of one that reports once for each fault

	operations atomic.Int64
	reports    atomic.Int64
	mu         sync.Mutex
	done       map[int64][]operation                 // by testUser
	bytes      map[int64]int64                       // by testUser
	resumed    map[string]map[string][]time.Duration // by fault and kind of call: when the other server went on
}

const (
	attackPrice = money.Amount(100)
	attackTop   = money.Amount(700)
)

func attackTwoServers(t *testing.T) *attack {
	t.Helper()
	c := config(t)
	direct := dbtest.PostgresURL(t)
	c.Demo, c.LogLevel, c.DatabaseURL, c.SecretKey = true, "error", direct, keyText
	a := &attack{
		site: newTestServer(t, c), done: map[int64][]operation{}, bytes: map[int64]int64{},
		resumed: map[string]map[string][]time.Duration{},
	}
	plan := a.site.sells(t, shop.KindPlan, attackPrice)
	a.pack = a.site.sells(t, shop.KindPackage, attackPrice)
	for i := range 6 {
		who := a.site.addUser(t, fmt.Sprintf("user%d", i), 1_000_000)
		if w := a.site.call(t.Context(), who, http.MethodPost, buy(plan), "{}"); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
		a.customers = append(a.customers, who)
	}
	for i := range 5 {
		name := fmt.Sprintf("node%d", i)
		_, secret, err := a.site.Nodes.Add(t.Context(), node.Draft(name, node.VMess, name+".example", 443))
		if err != nil {
			t.Fatal(err)
		}
		a.agents = append(a.agents, secret)
	}
	a.agents, a.prober = a.agents[:4], a.agents[4]
	address, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		proxy := newTCPProxy(t, address.Query().Get("host")+"/.s.PGSQL.5432")
		server := &process{config: c}
		server.config.Listen = freeAddress(t)
		server.config.DatabaseURL = fmt.Sprintf("postgres://postgres@%s%s?sslmode=disable", proxy.address, address.Path)
		server.start(t)
		t.Cleanup(server.kill)
		a.proxies, a.servers = append(a.proxies, proxy), append(a.servers, server)
	}
	for _, server := range a.servers {
		server.waitReady(t)
	}
	return a
}

// trade has a user buy and top up by turns. What was not answered is repeated, at either server, as a browser does.
func (a *attack) trade(t *testing.T, i int, end time.Time) {
	for time.Now().Before(end) {
		d, err := do(int(a.operations.Add(1)), a.customers[i], a.servers, a.pack, attackTop)
		if err != nil {
			t.Errorf("customer %d: %v", i, err)
			return
		}
		a.mu.Lock()
		a.done[a.customers[i].id] = append(a.done[a.customers[i].id], d)
		a.mu.Unlock()
	}
}

// report has an agent report what its users moved since the last report. It repeats one until it is answered.
func (a *attack) report(t *testing.T, i int, end time.Time) {
	boot, from := uuid.New(), time.Now().UTC().Truncate(time.Millisecond)
	for sequence := 1; time.Now().Before(end); sequence++ {
		time.Sleep(200 * time.Millisecond)
		to := time.Now().UTC().Truncate(time.Millisecond)
		if a.reportOnce(t, a.agents[i], boot, sequence, from, to, a.servers) {
			from = to
		}
	}
}

// reportOnce reports some bytes of each user and repeats that until a server counted them.
func (a *attack) reportOnce(
	t *testing.T, secret string, boot uuid.UUID, sequence int, from, to time.Time, servers []*process,
) bool {
	var rows []any
	for n, who := range a.customers {
		rows = append(rows, map[string]any{"user_id": who.id, "up": 10 + n, "down": 1000 + sequence%7})
	}
	body, _ := json.Marshal(map[string]any{"boot": boot, "sequence": sequence, "from": from, "to": to, "rows": rows})
	var got called
	for try := 0; try < 2000; try++ {
		got = send(servers[try%len(servers)], http.MethodPost, "/api/agent/v1/reports", secret, "", string(body))
		if got.status == http.StatusOK {
			a.reports.Add(1)
			a.mu.Lock()
			defer a.mu.Unlock()
			for n, who := range a.customers {
				a.bytes[who.id] += int64(10 + n + 1000 + sequence%7)
			}
			return true
		}
		if got.err == nil && got.status != http.StatusServiceUnavailable {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("a report: %s", got)
	return false
}

// faults breaks something, lets it be so for a while, mends it and lets all rest for a moment, until the end.
func (a *attack) faults(t *testing.T, random *rand.Rand, end time.Time) {
	lasting := func() time.Duration { return time.Second + time.Duration(random.IntN(14_000))*time.Millisecond }
	short := func() time.Duration { return time.Duration(500+random.IntN(4500)) * time.Millisecond }
	kinds := []struct {
		name string
		run  func(victim int) (wait time.Duration, mend func())
	}{
		{"frozen", func(v int) (time.Duration, func()) {
			a.servers[v].signal(t, syscall.SIGSTOP)
			return lasting(), func() { a.servers[v].signal(t, syscall.SIGCONT) }
		}},
		{"killed", func(v int) (time.Duration, func()) {
			a.servers[v].kill()
			return short(), func() { a.servers[v].start(t) }
		}},
		{"cut off", func(v int) (time.Duration, func()) {
			a.proxies[v].swallow()
			return lasting(), a.proxies[v].heal
		}},
		{"killed while cut off", func(v int) (time.Duration, func()) {
			a.proxies[v].swallow() // the connections of a dead machine stay open
			a.servers[v].kill()
			return lasting(), func() { a.proxies[v].heal(); a.servers[v].start(t) }
		}},
		{"connections reset", func(v int) (time.Duration, func()) {
			a.proxies[v].refuse()
			return short(), a.proxies[v].listen
		}},
		{"sessions ended", func(int) (time.Duration, func()) {
			a.endSessions(t)
			return short(), func() {}
		}},
		{"failover", func(int) (time.Duration, func()) {
			for _, p := range a.proxies {
				p.refuse()
			}
			a.endSessions(t)
			time.Sleep(short())
			for _, p := range a.proxies {
				p.listen()
			}
			return 0, func() {}
		}},
	}
	order := random.Perm(len(kinds))
	for i := 0; time.Now().Before(end) || i == 0; i++ {
		kind, victim := kinds[order[i%len(order)]], random.IntN(len(a.servers))
		begin := time.Now()
		wait, mend := kind.run(victim)
		a.probe(t, kind.name, a.servers[1-victim], begin)
		time.Sleep(max(0, wait-time.Since(begin)))
		mend()
		for _, s := range a.servers {
			s.waitReady(t)
		}
		time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
	}
}

func (a *attack) endSessions(t *testing.T) {
	if _, err := a.site.DB.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Error(err)
	}
}

// probe notes when after the begin of the fault the other server answers a purchase and a report that come then.
func (a *attack) probe(t *testing.T, fault string, other *process, begin time.Time) {
	var both sync.WaitGroup
	note := func(call string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.resumed[fault] == nil {
			a.resumed[fault] = map[string][]time.Duration{}
		}
		a.resumed[fault][call] = append(a.resumed[fault][call], time.Since(begin))
	}
	both.Go(func() {
		i := 2 * int(a.operations.Add(1)) // an even one is a purchase
		who := a.customers[i%len(a.customers)]
		d, err := do(1_000_000+i, who, []*process{other}, a.pack, attackTop)
		if err != nil {
			t.Errorf("the other server, %s: %v", fault, err)
			return
		}
		note("purchase")
		a.mu.Lock()
		defer a.mu.Unlock()
		a.done[who.id] = append(a.done[who.id], d)
	})
	both.Go(func() {
		to := time.Now().UTC().Truncate(time.Millisecond)
		if a.reportOnce(t, a.prober, uuid.New(), 1, to.Add(-200*time.Millisecond), to, []*process{other}) {
			note("report")
		}
	})
	both.Wait()
}

// countsExactly holds what was answered against what is in the database.
func (a *attack) countsExactly(t *testing.T) {
	t.Helper()
	orders := map[int64]bool{}
	for _, who := range a.customers {
		want, packages := money.Amount(1_000_000)-attackPrice, 0
		for _, d := range a.done[who.id] {
			if d.recharge != "" {
				r, err := a.site.Wallets.Recharge(t.Context(), who.id, d.recharge)
				if err != nil || r.State != wallet.RechargeDone {
					t.Fatalf("the paid recharge %s: %+v, %v", d.recharge, r, err)
				}
				want += attackTop
				continue
			}
			o, err := a.site.Shop.Order(t.Context(), who.id, fmt.Sprint(d.order))
			if err != nil || o.State != shop.Paid || orders[o.ID] {
				t.Fatalf("the answered order %d: %+v, %v", d.order, o, err)
			}
			orders[o.ID] = true
			want -= attackPrice
			packages++
		}
		_, has, err := a.site.Services.List(t.Context(), who.id)
		b := a.site.balance(t, who.id)
		if err != nil || len(has) != packages || b.Posted != want || b.Held != 0 {
			t.Errorf("user %d: %d packages, want %d; %+v, want %s; %v", who.id, len(has), packages, b, want, err)
		}
		now := a.site.DB.Now()
		days, err := a.site.Traffic.Days(t.Context(), who.id, now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), 1000)
		if err != nil {
			t.Fatal(err)
		}
		var counted int64
		for _, d := range days {
			counted += d.Up + d.Down
		}
		if counted != a.bytes[who.id] {
			t.Errorf("user %d: %d bytes are counted, want %d", who.id, counted, a.bytes[who.id])
		}
	}
}

func (a *attack) logNumbers(t *testing.T) {
	t.Helper()
	t.Logf("%d purchases and recharges, %d reports", a.operations.Load(), a.reports.Load())
	for _, fault := range slices.Sorted(maps.Keys(a.resumed)) {
		for _, call := range slices.Sorted(maps.Keys(a.resumed[fault])) {
			all := a.resumed[fault][call]
			slices.Sort(all)
			within := 0
			for _, took := range all {
				if took <= 10*time.Second {
					within++
				}
			}
			t.Logf("%-20s %2d times: a %-8s at the other server after %5.2f s in the middle, %5.2f s at most; %d "+
				"within 10 s",
				fault, len(all), call, all[len(all)/2].Seconds(), all[len(all)-1].Seconds(), within)
		}
	}
}
