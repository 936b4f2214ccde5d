package db

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"airstrip/internal/fault"
)

// What the engines say of a broken rule, as one set of errors. Test with errors.Is.
var (
	ErrUnique     = errors.New("db: such a row exists already")
	ErrCheck      = errors.New("db: a check forbids this value")
	ErrForeignKey = errors.New("db: the row that this one points to does not exist")
	ErrNoRows     = sql.ErrNoRows
)

var errBusy = fault.Unavailable("database_busy", "服务器繁忙，请稍后再试", "The server is busy; please try again in a moment").After(2 * time.Second)

const tries = 8

// Tx runs fn in one transaction that may write, commits it, and runs it again from the start where the engine says that
// a repeat may succeed. fn must therefore do nothing outside the transaction that cannot be done twice. An error of fn
// rolls back and is returned with the engine's errors turned into this package's.
func (d *DB) Tx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	// The pool of database/sql hands a free connection to any of those that wait; a queue keeps the slowest near the mean.
	wait, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-wait.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errBusy.Because(wait.Err())
	}
	for try := 1; ; try++ {
		err := d.nudge(ctx, func(ctx context.Context) error { return d.write.RunInTx(ctx, nil, fn) })
		if err == nil || !repeatable(err) {
			return Error(err)
		}
		if try == tries {
			return errBusy.Because(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(rand.Int64N(int64(10*time.Millisecond) << try))):
		}
	}
}

// repeatable tells whether PostgreSQL gave up on a transaction only because of others that ran beside it.
func repeatable(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "40001", "40P01", "55P03":
		return true
	}
	return false
}

// Error turns the engines' errors into ErrUnique, ErrCheck and ErrForeignKey, keeping the original text behind them.
func Error(err error) error {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case errors.As(err, &pg):
		switch pg.Code {
		case "23505":
			return errors.Join(ErrUnique, err)
		case "23514", "23502":
			return errors.Join(ErrCheck, err)
		case "23503":
			return errors.Join(ErrForeignKey, err)
		}
	case errors.As(err, &lite):
		switch lite.Code() {
		case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
			return errors.Join(ErrUnique, err)
		case sqlite3.SQLITE_CONSTRAINT_CHECK, sqlite3.SQLITE_CONSTRAINT_NOTNULL:
			return errors.Join(ErrCheck, err)
		case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
			return errors.Join(ErrForeignKey, err)
		}
	}
	return err
}

// Changed gives how many rows a statement changed, as one value for conditional updates: changed, err := db.Changed(q.Exec(ctx)).
func Changed(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, Error(err)
	}
	return res.RowsAffected()
}
