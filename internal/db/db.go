// Package db opens SQLite or PostgreSQL, migrates it and runs transactions on it. The rest of the server writes one SQL
// text for both, through bun.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// DB is an open database. Reads go through the embedded bun.DB, every write through Tx.
type DB struct {
	*bun.DB         // on SQLite a pool of read-only connections
	write   *bun.DB // on SQLite the one connection that writes, since with several even immediate transactions fail
	clock   atomic.Pointer[func() time.Time]
	watch   watchers
	turns   chan struct{} // holds one value for each transaction under way; those that wait get their turn in order
	sqlite  bool
}

// writers is how many transactions run on PostgreSQL at once. More of them wait for each other's rows in its memory
// rather than in ours, and finish no sooner.
const writers = 6

// SQLiteFile is the name of the database in its folder.
const SQLiteFile = "airstrip.db"

// Open connects to the PostgreSQL at databaseURL or, where that is empty, opens (and makes) dir/airstrip.db.
func Open(ctx context.Context, databaseURL, dir string) (*DB, error) {
	d := &DB{}
	d.SetClock(time.Now)
	var err error
	if databaseURL == "" {
		err = d.openSQLite(dir)
	} else {
		err = d.openPostgres(databaseURL)
	}
	if err != nil {
		return nil, err
	}
	if err := d.DB.PingContext(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
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
	pragmas := "_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=trusted_schema(0)&_pragma=cache_size(-32000)&_pragma=temp_store(memory)"
	file := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}).String()
	w, err := sql.Open("sqlite", file+"?_txlock=immediate&"+pragmas)
	if err != nil {
		return err
	}
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
	d.write, d.DB, d.sqlite = bun.NewDB(w, sqlitedialect.New()), bun.NewDB(r, sqlitedialect.New()), true
	d.turns = make(chan struct{}, 1)
	return nil
}

func (d *DB) openPostgres(databaseURL string) error {
	cfg, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("AIRSTRIP_DATABASE_URL: %w", redact(err, databaseURL))
	}
	for name, value := range map[string]string{"timezone": "UTC", "statement_timeout": "30000", "lock_timeout": "10000"} {
		if _, set := cfg.RuntimeParams[name]; !set {
			cfg.RuntimeParams[name] = value
		}
	}
	// bun writes the values into the text, so a prepared statement would never be met again.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	pool := stdlib.OpenDB(*cfg)
	pool.SetMaxOpenConns(24)
	pool.SetMaxIdleConns(24)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	d.DB = bun.NewDB(pool, pgdialect.New())
	d.write = d.DB
	d.turns = make(chan struct{}, writers)
	return nil
}

// redact keeps the password of a connection URL out of an error text.
func redact(err error, databaseURL string) error {
	return errors.New(strings.ReplaceAll(err.Error(), databaseURL, "postgres://…"))
}

// Close closes all connections.
func (d *DB) Close() error {
	if d.write != d.DB {
		return errors.Join(d.write.Close(), d.DB.Close())
	}
	return d.DB.Close()
}

// SQLite tells whether the engine is SQLite, for the few commands that treat the file itself.
func (d *DB) SQLite() bool { return d.sqlite }

// Now is the time that is written into the database: UTC, whole milliseconds.
func (d *DB) Now() time.Time { return (*d.clock.Load())().UTC().Truncate(time.Millisecond) }

// SetClock makes Now answer from clock. Tests travel in time with it.
func (d *DB) SetClock(clock func() time.Time) { d.clock.Store(&clock) }
