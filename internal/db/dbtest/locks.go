package dbtest

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Locks stands before a PostgreSQL database and records which rows each transaction locks, in which order. From what
// ran one after the other it tells what could wait for each other if it ran at the same time. It knows rows only: two
// transactions that insert the same key wait for each other, too.
type Locks struct {
	socket string // of PostgreSQL
	name   string // of what runs now

	mu           sync.Mutex
	admin        *pgx.Conn
	query        string // what a session has locked
	err          error
	transactions []transaction
	known        map[string]bool
}

// transaction is the locks of a transaction in the order in which it took them.
type transaction struct {
	name  string
	locks []rowLock
}

type rowLock struct {
	row       string // its table and primary key
	strength  int    // from keyShare to forUpdate
	statement string // that locked it
	waits     bool   // whether it waits for others; else it fails where they have the row
}

// Row locks of PostgreSQL, weakest first. Two of them conflict where their sum is at least forUpdate.
// https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS
const (
	keyShare = iota
	share
	noKeyUpdate
	forUpdate
)

// TraceLocks gives the address of the database of databaseURL through Locks. It ends with the test.
func TraceLocks(t testing.TB, databaseURL string) (traced string, l *Locks) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal("trace locks: ", err)
		}
	}
	address, err := url.Parse(databaseURL)
	must(err)
	ctx := context.Background()
	l = &Locks{socket: filepath.Join(address.Query().Get("host"), socketName), known: map[string]bool{}}
	l.admin, err = pgx.Connect(ctx, databaseURL)
	must(err)
	t.Cleanup(func() { l.admin.Close(ctx) })
	_, err = l.admin.Exec(ctx, `CREATE EXTENSION pgrowlocks`)
	must(err)
	must(l.admin.QueryRow(ctx, `SELECT string_agg(format(
			'SELECT %1$L, concat_ws('','', %2$s), x.mode FROM pgrowlocks(%1$L) l JOIN %1$I t ON t.ctid = l.locked_row,
			unnest(l.modes, l.pids) AS x(mode, pid) WHERE x.pid = $1', c.relname, k.columns), ' UNION ALL ')
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace,
		LATERAL (SELECT string_agg('t.' || quote_ident(attname), ', ') AS columns FROM pg_attribute a
			WHERE a.attrelid = c.oid AND a.attnum = ANY(i.indkey)) k
		WHERE i.indisprimary AND n.nspname = 'public'`).Scan(&l.query))
	dir, err := os.MkdirTemp("", "airstrip-locks-") // a socket's path is short
	must(err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	must(err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(client)
		}
	}()
	query := address.Query()
	query.Set("host", dir)
	address.RawQuery = query.Encode()
	return address.String(), l
}

const socketName = ".s.PGSQL.5432"

// Name names the transactions that follow; with an empty name they are not recorded.
func (l *Locks) Name(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = name
}

// look appends what the session has locked since it looked last.
func (l *Locks) look(pid uint32, statement string, before []rowLock) []rowLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, _ := l.admin.Query(context.Background(), l.query, pid)
	found, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (lock rowLock, err error) {
		var table, key, mode string
		if err = r.Scan(&table, &key, &mode); err != nil {
			return lock, err
		}
		switch strings.TrimPrefix(mode, "For ") {
		case "Key Share":
			lock.strength = keyShare
		case "Share":
			lock.strength = share
		case "No Key Update":
			lock.strength = noKeyUpdate
		case "Update":
			lock.strength = forUpdate
		default:
			return lock, fmt.Errorf("unknown lock %q", mode)
		}
		lock.row, lock.statement = table+" "+key, statement
		lock.waits = !strings.HasSuffix(statement, " NOWAIT")
		return lock, nil
	})
	if err != nil && l.err == nil {
		l.err = err
	}
	found = slices.DeleteFunc(found, func(f rowLock) bool {
		return slices.ContainsFunc(before, func(b rowLock) bool { return b.row == f.row && b.strength >= f.strength })
	})
	// One message may hold several statements, which run in their order. What it does not name its triggers lock. Rows
	// of one statement without an order are taken in the opposite one: nothing says that they are not.
	position := func(f rowLock) uint {
		table, _, _ := strings.Cut(f.row, " ")
		return uint(strings.Index(statement, table))
	}
	byKey := func(a, b rowLock) int { return cmp.Or(cmp.Compare(len(a.row), len(b.row)), cmp.Compare(a.row, b.row)) }
	ordered := strings.Contains(statement, "ORDER BY")
	slices.SortFunc(found, func(a, b rowLock) int {
		if c := cmp.Compare(position(a), position(b)); c != 0 {
			return c
		}
		if ordered {
			return byKey(a, b)
		}
		return byKey(b, a)
	})
	return append(before, found...)
}

// ended keeps the locks of a transaction that has ended.
func (l *Locks) ended(locks []rowLock) {
	var key strings.Builder
	for _, lock := range locks {
		fmt.Fprint(&key, lock.row, lock.strength, ";")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(locks) > 1 && l.name != "" && !l.known[key.String()] {
		l.known[key.String()] = true
		l.transactions = append(l.transactions, transaction{l.name, locks})
	}
}

// Deadlocks returns each ring of two or three transactions so far that could wait for each other, and forgets the
// transactions. Of rings with the same names and the same statements that wait it returns one.
func (l *Locks) Deadlocks(t testing.TB) (found []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		t.Fatal("trace locks: ", l.err)
	}
	known := map[string]bool{}
	all := rings{map[string][]transaction{}, func(ring []waiter) {
		var names, text strings.Builder
		for i, w := range ring {
			fmt.Fprintln(&names, w.name, w.wanted().statement)
			holds := w.conflict(ring[(i+len(ring)-1)%len(ring)].wanted())
			fmt.Fprintf(&text, "%q locks %s and then %s\n\t%s\n\t%s\n", w.name, w.locks[holds].row, w.wanted().row,
				w.locks[holds].statement, w.wanted().statement)
		}
		if !known[names.String()] {
			known[names.String()] = true
			found = append(found, text.String())
		}
	}}
	for _, t := range l.transactions {
		all.add(t)
	}
	l.transactions, l.known = nil, map[string]bool{}
	return found
}
