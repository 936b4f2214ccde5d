package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

// The engines' errors about a broken constraint. Test with errors.Is.
var (
	ErrUnique     = errors.New("db: such a row exists already")
	ErrCheck      = errors.New("db: a check forbids this value")
	ErrForeignKey = errors.New("db: the row that this one points to does not exist")
	ErrNoRows     = sql.ErrNoRows
)

// Tx runs fn in one transaction that may write, commits it, and runs it again from the start where the engine says that
// a repeat may succeed. fn must therefore do nothing outside the transaction that cannot be done twice. An error of fn
// rolls back and is returned, with the engine's errors turned into this package's. A key that another transaction wrote
// meanwhile is such a case, too: fn may look for a row and insert it where there is none.
//
// Tx takes at most txWait, whatever ctx says. A transaction is not repeated after its COMMIT was sent, unless the
// engine says that it was rolled back: where the answer was lost the error is dberr.ErrOutcomeUnknown. A caller with a
// key that makes a repeat harmless, as idempotency.Tx and reports have, may call Tx once more; it then waits for the
// lost transaction and sees its result.
func (d *DB) Tx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return d.runQueued(ctx, d.usual(), fn)
}

// LongTx is Tx for work on whole tables, whose statements may take minutes: it deletes old rows and fills tables.
func (d *DB) LongTx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return d.runQueued(ctx, limits{pool: d.long, statement: longStatement, attempt: longAttempt, all: longAttempt}, fn)
}

// limits say where a transaction runs and how long it may take.
type limits struct {
	pool      *bun.DB
	statement time.Duration
	attempt   time.Duration
	all       time.Duration // from the call on, with all attempts
}

func (d *DB) usual() limits {
	return limits{pool: d.write, statement: statement, attempt: attempt, all: txWait}
}

// runQueued waits for a write slot and runs the transaction. The pool of database/sql gives a free connection to any of
// the waiting callers; a queue keeps the longest wait near the mean.
func (d *DB) runQueued(caller context.Context, l limits, fn func(context.Context, bun.Tx) error) (err error) {
	if b, _ := caller.Value(beginningKey{}).(*Beginning); b != nil && !b.Committed() {
		rest := fn
		fn = func(ctx context.Context, tx bun.Tx) error {
			if err := b.fn(ctx, tx); err != nil {
				return err
			}
			return rest(ctx, tx)
		}
		defer func() { b.committed.Store(err == nil) }()
	}
	ctx, cancel := context.WithTimeout(caller, l.all)
	defer cancel()
	wait, stop := context.WithTimeout(ctx, txWait)
	defer stop()
	select {
	case d.writeSlots <- struct{}{}:
		defer func() { <-d.writeSlots }()
	case <-wait.Done():
		return d.failed(caller, wait.Err())
	}
	if d.runsTwice.Load() {
		d.runAndRollBack(ctx, l, fn)
	}
	var before error // of the try before this one
	for try := 1; ; try++ {
		err := d.notifyWatchers(ctx, func(ctx context.Context) error { return d.once(ctx, l, fn) })
		if err == nil {
			if d.frequent != nil {
				d.frequent.prepare(ctx)
			}
			return nil
		}
		// A try that the end of the time cuts short says nothing; what kept the ones before from success does.
		if before != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.Is(err, dberr.ErrOutcomeUnknown) {
			err = before
		}
		before = err
		// Another transaction may have written the same key after fn had looked for it. Once more fn sees that row, and
		// answers what it answers where the row was there before.
		met := try <= uniqueRepeats && isUnique(err)
		if errors.Is(err, dberr.ErrOutcomeUnknown) || !(met || dberr.Repeatable(err)) || d.gaveUp() {
			return d.failed(caller, err)
		}
		tries := try
		if dberr.IsLocked(err) { // somebody has a row for the time of a few statements
			tries = min(try, 2)
		}
		select {
		case <-ctx.Done():
			return d.failed(caller, err)
		case <-time.After(repeatPause(tries)):
		}
	}
}

// Beginning is what the first transaction of a context that commits begins with.
type Beginning struct {
	fn        func(ctx context.Context, tx bun.Tx) error
	committed atomic.Bool
}

type beginningKey struct{}

// WithBeginning returns a context whose transactions begin with fn until one of them has committed.
func WithBeginning(
	ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error,
) (context.Context, *Beginning) {
	b := &Beginning{fn: fn}
	return context.WithValue(ctx, beginningKey{}, b), b
}

// Committed tells whether a transaction that began so has committed.
func (b *Beginning) Committed() bool { return b.committed.Load() }

// RunTwice makes Tx and LongTx run each transaction twice and roll the first run back, as where the engine ends it at
// its commit. It is for tests, of what a transaction leaves behind outside of the database.
func (d *DB) RunTwice() { d.runsTwice.Store(true) }

func (d *DB) runAndRollBack(ctx context.Context, l limits, fn func(context.Context, bun.Tx) error) {
	_ = d.notifyWatchers(ctx, func(ctx context.Context) error {
		return d.once(ctx, l, func(ctx context.Context, tx bun.Tx) error { return cmp.Or(fn(ctx, tx), errFirstRun) })
	})
}

var errFirstRun = errors.New("the first of two runs is rolled back")

// repeatPause returns a random pause after so many tries, which grows to a second.
func repeatPause(tries int) time.Duration {
	const doublings = 7 // past a second; many more would overflow
	return rand.N(min(10*time.Millisecond<<min(tries, doublings), time.Second))
}

// failed returns the error of a transaction as its caller sees it.
func (d *DB) failed(caller context.Context, err error) error {
	if caller.Err() != nil && !errors.Is(err, dberr.ErrOutcomeUnknown) {
		return caller.Err()
	}
	if _, known := fault.As(err); known {
		return err
	}
	// A connection that timed out is a context.DeadlineExceeded, too.
	if f := dberr.Fault(err); f != nil {
		d.probeSoon(f)
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) { // one of our own limits
		return dberr.ErrBusy.Because(err)
	}
	return Error(err)
}

// once runs the transaction once.
func (d *DB) once(ctx context.Context, l limits, fn func(context.Context, bun.Tx) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, l.attempt)
	defer cancel()
	defer func() {
		// database/sql rolls back when ctx ends; a statement or the commit may come between the two and find no
		// transaction.
		if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	tx, err := l.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	if d.pooled {
		if _, err := tx.ExecContext(ctx, setLocal(l.statement)); err != nil {
			return err
		}
	}
	ctx = context.WithValue(ctx, statementsKey{}, d.frequent)
	if err := guard(ctx, tx); err != nil {
		return err
	}
	if err := fn(ctx, tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		if !dberr.RolledBack(err) {
			return dberr.ErrOutcomeUnknown.Because(err)
		}
		return err
	}
	dberr.NoteCommit(ctx)
	return nil
}

// isUnique tells whether err is PostgreSQL's about a key that another row has. SQLite has one writer, so what fn has
// seen is so until its end.
func isUnique(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == uniqueViolation
}

const (
	uniqueViolation = "23505"
	// uniqueRepeats is how often a transaction is repeated that met another's key. A key that stays is an answer.
	uniqueRepeats = 3
)

// Error turns the engines' errors into ErrUnique, ErrCheck and ErrForeignKey, and keeps the original text behind them.
func Error(err error) error {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case errors.As(err, &pg):
		switch pg.Code {
		case uniqueViolation:
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

// Changed gives how many rows a statement changed, as one value for conditional updates: changed, err :=
// db.Changed(q.Exec(ctx)).
func Changed(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, Error(err)
	}
	return res.RowsAffected()
}
