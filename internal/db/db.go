// Package db opens SQLite or PostgreSQL, migrates it and runs transactions on it. The rest of the server writes one SQL
// text for both engines, through bun. Every write is a transaction of Tx, which repeats what the engine asks to have
// repeated and has a deadline, so that nobody waits without end for a frozen process. Nothing relies on a session of
// PostgreSQL, so a connection pooler in transaction mode may stand before it.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"airstrip/internal/clock"
)

func init() {
	// Every model names its table. bun would make the plural of its name all the same, with regular expressions.
	schema.SetTableNameInflector(func(name string) string { return name })
}

// DB is an open database. Reads go through the embedded bun.DB, every write through Tx.
type DB struct {
	*bun.DB            // on SQLite a pool of read-only connections
	write      *bun.DB // on SQLite the one connection that writes, since with several even immediate transactions fail
	long       *bun.DB // for work on whole tables: on PostgreSQL a pool of its own, on SQLite write
	clock      *clock.Clock
	testClock  atomic.Pointer[func() time.Time] // the clock of a test; nil: clock
	runsTwice  atomic.Bool                      // see RunTwice
	watch      watchers
	writable   writability
	frequent   *statements   // of transactions of Tx; nil where a pooler would not know them again
	writeSlots chan struct{} // holds one value for each running transaction; waiting ones are served in order
	sqlite     bool
	dir        string      // of the SQLite file
	scratch    string      // folder that Close removes
	unused     os.FileInfo // of a SQLite file that is read while no process writes to it
	sealing    *sealingKey // nil: Migrate cannot seal what earlier versions stored in clear
	pooled     bool        // a pooler stands before PostgreSQL and refuses to set the limits at the start of a session
}

// writers is the number of transactions that run on PostgreSQL at once. More of them would wait for each other's rows
// in PostgreSQL's memory instead of ours, and finish no sooner.
const writers = 6

// SQLiteFile is the name of the database file in its folder.
const SQLiteFile = "airstrip.db"

// Open connects to the PostgreSQL at databaseURL or, where that is empty, opens dir/airstrip.db, which it creates if
// needed.
func Open(ctx context.Context, databaseURL, dir string) (*DB, error) {
	if databaseURL == "" {
		return opened(ctx, func(d *DB) error { return d.openSQLite(dir) })
	}
	return opened(ctx, func(d *DB) error { return d.openPostgres(ctx, databaseURL, session{}) })
}

// ErrPooler is returned by work that needs a session of PostgreSQL where a connection pooler answers at the address.
var ErrPooler = errors.New("a connection pooler such as PgBouncer answers at this address, and this needs " +
	"PostgreSQL itself: " +
	"set AIRSTRIP_DATABASE_URL to the address of PostgreSQL for this command")

// OpenSchema is Open for the tables of another schema than the first of a PostgreSQL database. It returns ErrPooler
// behind a pooler, which has no such sessions.
func OpenSchema(ctx context.Context, databaseURL, schema string) (*DB, error) {
	return opened(ctx, func(d *DB) error { return d.openPostgres(ctx, databaseURL, session{schema: schema}) })
}

// session holds the settings of a session of PostgreSQL, whatever the address says.
type session struct {
	schema   string // empty: the first of the database
	readOnly bool
}

func opened(ctx context.Context, open func(*DB) error) (*DB, error) {
	d := &DB{}
	d.writable.wake = make(chan struct{}, 1)
	if err := open(d); err != nil {
		return nil, err
	}
	if err := d.DB.PingContext(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	if err := d.startClock(ctx, time.Now); err != nil {
		d.Close()
		return nil, fmt.Errorf("read the database's clock: %w", err)
	}
	return d, nil
}

func (d *DB) openSQLite(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	path := filepath.Join(dir, SQLiteFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database file: %w", err)
	}
	f.Close()
	pragmas := "_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=trusted_schema(0)&_pragma=cache_size(-32000)&_pragma=temp_store(memory)"
	file := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}).String()
	connector, err := newWriteConnector(file + "?_txlock=immediate&" + pragmas)
	if err != nil {
		return err
	}
	w := sql.OpenDB(connector)
	w.SetMaxOpenConns(1)
	if err := w.Ping(); err != nil { // makes the file a database before the readers open it
		w.Close()
		return fmt.Errorf("open %s: %w", path, err)
	}
	r, err := sql.Open("sqlite", file+"?"+pragmas+"&_pragma=query_only(1)")
	if err != nil {
		w.Close()
		return err
	}
	r.SetMaxOpenConns(8)
	r.SetMaxIdleConns(8)
	d.write, d.DB, d.sqlite, d.dir = bun.NewDB(w, sqlitedialect.New()), bun.NewDB(r, sqlitedialect.New()), true, dir
	d.long = d.write
	d.frequent = &statements{pool: d.write, sqlite: true}
	d.writeSlots = make(chan struct{}, 1)
	return nil
}

func (d *DB) openPostgres(ctx context.Context, databaseURL string, s session) error {
	cfg, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("AIRSTRIP_DATABASE_URL: %w", redact(err, databaseURL))
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectWait
	}
	// bun writes the values into the text, so a prepared statement would never be met again.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	if d.pooled, err = behindPooler(ctx, cfg); err != nil {
		return err
	}
	var begin string
	switch {
	case s.schema != "" && d.pooled:
		return ErrPooler
	case s.schema != "":
		cfg.RuntimeParams["search_path"] = s.schema
	case s.readOnly && d.pooled:
		begin = "BEGIN READ ONLY" // which ends with the connection
	case s.readOnly:
		cfg.RuntimeParams["default_transaction_read_only"] = "on"
	}
	pool, long := d.postgres(cfg, statement, silence, begin), d.postgres(cfg, longStatement, 0, begin)
	pool.SetMaxOpenConns(24)
	pool.SetMaxIdleConns(24)
	long.SetMaxOpenConns(4)
	d.DB, d.long = bun.NewDB(pool, pgdialect.New()), bun.NewDB(long, pgdialect.New())
	d.write = d.DB
	if !d.pooled {
		d.frequent = &statements{pool: d.write}
	}
	d.writeSlots = make(chan struct{}, writers)
	return nil
}

// postgres makes a pool of connections whose statements end after statement and whose waits end after silence, and on
// which begin runs first.
func (d *DB) postgres(cfg *pgx.ConnConfig, statement, silence time.Duration, begin string) *sql.DB {
	n := &network{silence: silence}
	own := withLimits(cfg, statement, d.pooled)
	own.DialFunc = n.dial
	options := []stdlib.OptionOpenDB{stdlib.OptionShouldPing(n.shouldPing)}
	if begin != "" {
		options = append(options, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, begin)
			return err
		}))
	}
	pool := stdlib.OpenDB(*own, options...)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool
}

// withLimits returns cfg with the parameters of a session that the address does not name itself. The time zone is one
// that poolers know.
func withLimits(cfg *pgx.ConnConfig, statement time.Duration, pooled bool) *pgx.ConnConfig {
	own := cfg.Copy()
	set := map[string]string{"timezone": "UTC"}
	if !pooled {
		maps.Copy(set, parameters(statement))
	}
	for name, value := range set {
		if _, named := own.RuntimeParams[name]; !named {
			own.RuntimeParams[name] = value
		}
	}
	return own
}

// behindPooler tells whether a pooler answers at the address. Some refuse the parameters of sessions, as PgBouncer does
// by default; others accept and ignore them, as PgBouncer does when configured so: then the process that answers is not
// the one to which the connection was made. Behind a pooler each transaction sets the limits for itself, and nothing is
// prepared.
func behindPooler(ctx context.Context, cfg *pgx.ConnConfig) (bool, error) {
	own := withLimits(cfg, statement, false)
	own.DialFunc = new(network{silence: silence}).dial
	c, err := pgx.ConnectConfig(ctx, own)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "08P01" { // protocol_violation
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reach the database: %w", err)
	}
	defer c.Close(ctx)
	var process uint32
	if err := c.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&process); err != nil {
		return false, fmt.Errorf("reach the database: %w", err)
	}
	return process != c.PgConn().PID(), nil
}

// redact removes the password of a connection URL from an error text.
func redact(err error, databaseURL string) error {
	return errors.New(strings.ReplaceAll(err.Error(), databaseURL, "postgres://…"))
}

// Close closes all connections.
func (d *DB) Close() error {
	if d.scratch != "" {
		defer os.RemoveAll(d.scratch)
	}
	var others error
	if d.write != d.DB {
		others = d.write.Close()
	}
	if d.long != d.write {
		others = errors.Join(others, d.long.Close())
	}
	return errors.Join(others, d.DB.Close())
}

// Pooled tells whether a connection pooler stands before PostgreSQL, so that nothing of a session lasts.
func (d *DB) Pooled() bool { return d.pooled }

// SQLite tells whether the engine is SQLite, for the few commands that use the file itself.
func (d *DB) SQLite() bool { return d.sqlite }
