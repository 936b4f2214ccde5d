// Package dberr classifies the errors of the two database engines. An error that passes by itself or that an operator
// ends (a lost connection, a failover, a full disk) becomes a fault with status 503 and a time to try again; it is
// never an internal error. It also tells apart what Tx must know before it repeats a transaction: whether the engine
// rolled it back for certain.
package dberr

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"airstrip/internal/fault"
)

// Faults of a database that cannot do its work at the moment.
var (
	// ErrBusy is the fault of a transaction that waited too long for others, or that took too long itself.
	ErrBusy = fault.Unavailable("database_busy", "服务器繁忙，请稍后再试", "The server is busy; please try again in a moment").
		After(2 * time.Second)
	// ErrUnreachable is the fault of a lost or refused connection to the database. Nothing was changed.
	ErrUnreachable = fault.Unavailable("database_unreachable", "网站暂时连不上数据库，本次操作没有保存，请稍后再试",
		"The site cannot reach its database at the moment. Nothing was saved; please try again in a moment").
		After(5 * time.Second)
	// ErrNotWritable is the fault of a full or failing disk and of a database that takes no writes. Nothing was
	// changed.
	ErrNotWritable = fault.Unavailable("database_not_writable", "网站暂时无法保存数据，本次操作没有保存，请稍后再试",
		"The site cannot save anything at the moment. Nothing was saved; please try again later").
		After(30 * time.Second)
	// ErrOutcomeUnknown is the fault of a commit whose answer was lost. The transaction may have been committed.
	ErrOutcomeUnknown = fault.Unavailable("outcome_unknown", "保存时与数据库的连接中断，结果未知；请先查看是否已经生效，再决定是否重试",
		"The connection to the database broke while this was being saved. Look whether it took effect before you "+
			"repeat it").After(5 * time.Second)
)

// LostConnection is an error of the network connection to PostgreSQL. The dialer of package db marks such errors with
// it, since a bare network error may as well come from a mail server or a payment gateway.
type LostConnection struct{ Err error }

func (e *LostConnection) Error() string {
	return "the connection to the database is lost: " + e.Err.Error()
}

func (e *LostConnection) Unwrap() error { return e.Err }

// Fault gives the fault that a caller sees of a passing error of the database, with err as its cause; nil where err is
// something else.
func Fault(err error) *fault.Error {
	switch of(err) {
	case busy:
		return ErrBusy.Because(err)
	case unreachable:
		return ErrUnreachable.Because(err)
	case notWritable:
		return ErrNotWritable.Because(err)
	}
	return nil
}

// RolledBack tells whether err, as the answer to a COMMIT, says for certain that nothing was committed.
func RolledBack(err error) bool {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case errors.Is(err, pgx.ErrTxCommitRollback), errors.Is(err, sql.ErrTxDone), errors.Is(err, driver.ErrBadConn),
		pgconn.SafeToRetry(err):
		return true
	case errors.As(err, &pg):
		// An ended session may have committed before it was ended; one that was ended for its idleness had not.
		return pg.Code == idleInTransaction || (!strings.HasPrefix(pg.Code, "57P") && !strings.HasPrefix(pg.Code, "08"))
	case errors.As(err, &lite):
		// Of other errors of the disk, such as that of a sync, some leave a commit behind that is found after a crash.
		return lite.Code()&primaryCode != sqlite3.SQLITE_IOERR || lite.Code() == sqlite3.SQLITE_IOERR_WRITE
	}
	return false
}

// Repeatable tells whether a transaction that failed with err before its COMMIT may succeed when it is run again: it
// met others, or the connection to PostgreSQL was lost, or the server is about to become the primary.
func Repeatable(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return lost(err)
	}
	switch pg.Code {
	case serializationFailure, deadlockDetected, lockNotAvailable, readOnlyTransaction:
		return true
	}
	return of(err) == unreachable
}

// IsLocked tells whether PostgreSQL did not wait, or not any longer, for what another transaction has locked.
func IsLocked(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == lockNotAvailable
}

// kind is what a passing error means for the caller.
type kind int

const (
	other kind = iota
	busy
	unreachable
	notWritable
)

// The SQLSTATEs of PostgreSQL that are named here.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	readOnlyTransaction  = "25006"
	idleInTransaction    = "25P03"
	queryCanceled        = "57014"
	diskFull             = "53100"
	// insufficientPrivilege is also what PostgreSQL says of files that it may not write, as on a read-only file system.
	insufficientPrivilege = "42501"
)

// primaryCode masks the primary result code of SQLite out of an extended one.
const primaryCode = 0xff

func of(err error) kind {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case errors.As(err, &pg):
		return ofPostgres(pg.Code)
	case errors.As(err, &lite):
		return ofSQLite(lite.Code() & primaryCode)
	case lost(err):
		return unreachable
	}
	return other
}

func ofPostgres(code string) kind {
	switch code {
	case serializationFailure, deadlockDetected, lockNotAvailable, queryCanceled:
		return busy
	case readOnlyTransaction, insufficientPrivilege, diskFull:
		return notWritable
	case idleInTransaction:
		return unreachable
	}
	switch code[:min(2, len(code))] {
	// connection exceptions, ended sessions, refused sign-ins, a database that is not there
	case "08", "57", "28", "3D":
		return unreachable
	case "53": // too many connections, out of memory
		return busy
	case "58": // system errors, such as those of fsync
		return notWritable
	}
	return other
}

func ofSQLite(code int) kind {
	switch code {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_NOMEM:
		return busy
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOLFS:
		return notWritable
	}
	return other
}

// lost tells whether the connection to PostgreSQL could not be made or broke. An end of the caller's own context is
// none.
func lost(err error) bool {
	var connection *LostConnection
	var connect *pgconn.ConnectError
	if errors.Is(err, context.Canceled) {
		return false
	}
	return errors.As(err, &connection) || errors.As(err, &connect) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed)
}
