package clickhouse_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clickhouse"
	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// key names a row of the log.
type key struct{ hour, user, node, rate int64 }

// memoryLog is a log of traffic that a test writes.
type memoryLog struct {
	mu   sync.Mutex
	rows map[key]traffic.HourTotal
	hook func() // called once, when rows were read and before they are given
}

// afterReading has fn called when totals were read next, before they are given.
func (m *memoryLog) afterReading(fn func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hook = fn
}

func (m *memoryLog) count(k key, up, down int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[k]
	m.rows[k] = traffic.HourTotal{
		Hour: k.hour, UserID: k.user, NodeID: k.node, RatePermille: k.rate, Amount: traffic.Amount{
			Up: r.Up + up, Down: r.Down + down, Billed: r.Billed + (up+down)*k.rate/1000,
		},
	}
}

func (m *memoryLog) sorted() []traffic.HourTotal {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rows []traffic.HourTotal
	for _, r := range m.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b traffic.HourTotal) int {
		return cmp.Or(cmp.Compare(b.Hour, a.Hour), cmp.Compare(b.NodeID, a.NodeID), cmp.Compare(b.UserID, a.UserID))
	})
	return rows
}

func (m *memoryLog) Totals(_ context.Context, from, to int64, fn func(traffic.HourTotal) error) error {
	rows := m.sorted()
	m.mu.Lock()
	hook := m.hook
	m.hook = nil
	m.mu.Unlock()
	if hook != nil {
		hook()
	}
	for _, r := range rows {
		if r.Hour >= from && r.Hour < to {
			if err := fn(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memoryLog) Bounds(context.Context) (first, last int64, ok bool, err error) {
	rows := m.sorted()
	if len(rows) == 0 {
		return 0, 0, false, nil
	}
	return rows[len(rows)-1].Hour, rows[0].Hour, true, nil
}

func (m *memoryLog) Page(_ context.Context, userID int64, q traffic.PageQuery) (page traffic.LogPage, err error) {
	for _, r := range m.sorted() {
		at := time.Unix(r.Hour*3600, 0).UTC()
		if r.UserID == userID && !at.Before(q.From) && at.Before(q.To) {
			page.Records = append(page.Records, traffic.Record{
				NodeID: r.NodeID, At: at, RatePermille: r.RatePermille, Up: r.Up, Down: r.Down,
				Billed: r.Billed,
			})
		}
	}
	n := int64(len(page.Records))
	page.Records = page.Records[min(n, q.Offset):min(n, q.Offset+q.Limit)]
	return page, nil
}

// world is a site with an empty ClickHouse behind a network that a test can cut or stall.
type world struct {
	*testing.T
	db       *db.DB
	settings *setting.Settings
	log      *memoryLog
	nodes    map[int64]string
	users    map[string]int64
	states   []clickhouse.State
	ch       chtest.Database
	net      *network
	now      time.Time
	c        *clickhouse.ClickHouse
}

var noon = time.Date(2026, 3, 10, 12, 30, 0, 0, time.UTC)

func each(t *testing.T, test func(w *world)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(newWorld(t, d)) })
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{
		T: t, db: d, log: &memoryLog{rows: map[key]traffic.HourTotal{}}, nodes: map[int64]string{},
		users: map[string]int64{}, ch: chtest.New(t), now: noon,
	}
	d.SetClock(func() time.Time { return w.now })
	var err error
	if w.settings, err = setting.New(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(w.ch.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.net = newNetwork(t, u.Host)
	w.c = w.server()
	return w
}

// server returns another server of the site.
func (w *world) server() *clickhouse.ClickHouse {
	w.Helper()
	address := w.ch.URL
	if u, err := url.Parse(address); err != nil {
		w.Fatal(err)
	} else {
		u.Host = w.net.address
		address = u.String()
	}
	return w.open(clickhouse.Config{URL: address, Password: chtest.Password})
}

func (w *world) open(config clickhouse.Config) *clickhouse.ClickHouse {
	w.Helper()
	c, err := clickhouse.New(config, clickhouse.Parts{
		DB: w.db, Settings: w.settings, Traffic: w.log,
		UserIDs:   func(context.Context, []string) (map[string]int64, error) { return w.users, nil },
		NodeNames: func(context.Context) (map[int64]string, error) { return w.nodes, nil },
		States:    w.statesAfter,
	})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { c.Close() })
	return c
}

// statesAfter gives two states at a time.
func (w *world) statesAfter(_ context.Context, after int64) (part []clickhouse.State, err error) {
	for _, s := range w.states {
		if s.UserID > after && len(part) < 2 {
			part = append(part, s)
		}
	}
	return part, nil
}

// hour returns the number of the hour so many hours before the present one.
func (w *world) hour(ago int64) int64 { return w.now.Unix()/3600 - ago }

func (w *world) copy() {
	w.Helper()
	if err := w.c.Copy(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// has insists on that ClickHouse has the rows of the log, except for those of some users, and nothing else.
func (w *world) has(without ...int64) {
	w.Helper()
	var want []string
	for _, r := range w.log.sorted() {
		if !slices.Contains(without, r.UserID) {
			want = append(want, fmt.Sprint(r.Hour, r.UserID, r.NodeID, r.RatePermille, r.Up, r.Down, r.Billed))
		}
	}
	got := w.query(`SELECT toString(intDiv(toUInt32(at), 3600)), toString(user_id), toString(node_id),
		toString(rate_permille), toString(up), toString(down), toString(billed) FROM traffic FINAL`)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.Fatalf("ClickHouse has %d rows, want the %d of the log:\n%s\n\nwant:\n%s", len(got), len(want),
			strings.Join(got[:min(20, len(got))], "\n"), strings.Join(want[:min(20, len(want))], "\n"))
	}
}

// query returns the rows of a query whose columns are texts.
func (w *world) query(query string) (lines []string) {
	w.Helper()
	rows, err := w.ch.Conn.Query(w.Context(), query)
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		cells := make([]string, len(rows.Columns()))
		into := make([]any, len(cells))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.Fatal(err)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if err := rows.Err(); err != nil {
		w.Fatal(err)
	}
	return lines
}

func (w *world) run(query string, args ...any) {
	w.Helper()
	err := w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(query, args...).Exec(ctx)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

// network is between servers and ClickHouse.
type network struct {
	address, target string
	mu              sync.Mutex
	cut             bool
	stalled         chan struct{} // closed when bytes pass again; nil: they do
	conns           []net.Conn
}

func newNetwork(t *testing.T, target string) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{address: l.Addr().String(), target: target}
	t.Cleanup(func() {
		l.Close()
		n.setCut(true)
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go n.join(client)
		}
	}()
	return n
}

func (n *network) join(client net.Conn) {
	server, err := net.Dial("tcp", n.target)
	if err != nil {
		client.Close()
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut {
		client.Close()
		server.Close()
		return
	}
	n.conns = append(n.conns, client, server)
	for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
		go func() {
			defer from.Close()
			defer to.Close()
			io.Copy(passing{n, to}, from)
		}()
	}
}

// passing writes when bytes pass.
type passing struct {
	n  *network
	to net.Conn
}

func (p passing) Write(b []byte) (int, error) {
	p.n.mu.Lock()
	wait := p.n.stalled
	p.n.mu.Unlock()
	if wait != nil {
		<-wait
	}
	return p.to.Write(b)
}

// setCut ends all connections and refuses others, or accepts them again.
func (n *network) setCut(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	if cut {
		for _, c := range n.conns {
			c.Close()
		}
		n.conns = nil
	}
}

// stall has no byte pass until the returned function is called.
func (n *network) stall() (resume func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	wait := make(chan struct{})
	n.stalled = wait
	return sync.OnceFunc(func() {
		n.mu.Lock()
		n.stalled = nil
		n.mu.Unlock()
		close(wait)
	})
}
