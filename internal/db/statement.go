package db

import (
	"context"
	"database/sql"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
)

// ScanPrepared runs a statement that nearly every transaction of its kind runs, with a ? for each value and no other ?,
// and reads its rows into dest: a slice, or a model or value for one row, of which ErrNoRows says that there is none.
// In a transaction of Tx the engine parses and plans the text once for each connection; anywhere else, and behind a
// pooler, the values are written into the text. The text is a constant, or one of few, and names its columns one by
// one, since PostgreSQL refuses to run a plan whose * has grown.
func ScanPrepared(ctx context.Context, idb bun.IDB, dest any, text string, values ...any) error {
	s, stmt := preparedFor(ctx, idb, text)
	if stmt == nil {
		return idb.NewRaw(text, values...).Scan(ctx, dest)
	}
	ctx, err := uninterrupted(ctx, s.sqlite)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, bound(s.sqlite, values)...)
	if err != nil {
		return err
	}
	if reflect.TypeOf(dest).Elem().Kind() == reflect.Slice {
		return s.pool.ScanRows(ctx, rows, dest)
	}
	return scanFirst(ctx, s.pool, rows, dest)
}

// ExecPrepared is ScanPrepared for a statement without rows.
func ExecPrepared(ctx context.Context, idb bun.IDB, text string, values ...any) error {
	s, stmt := preparedFor(ctx, idb, text)
	if stmt == nil {
		_, err := idb.NewRaw(text, values...).Exec(ctx)
		return err
	}
	ctx, err := uninterrupted(ctx, s.sqlite)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, bound(s.sqlite, values)...)
	return err
}

// statements are those that are prepared on the pool that writes.
type statements struct {
	pool   *bun.DB
	sqlite bool
	byText sync.Map    // text → *sql.Stmt; nil before a transaction that ran the text has ended
	isNew  atomic.Bool // whether byText may hold a text whose statement is nil
}

type statementsKey struct{}

// preparedFor returns the text's statement as it runs in idb, or nil. The first transaction with a text runs it
// without: it may have the only connection on which the text could be prepared.
func preparedFor(ctx context.Context, idb bun.IDB, text string) (*statements, *sql.Stmt) {
	s, _ := ctx.Value(statementsKey{}).(*statements)
	tx, isTx := idb.(bun.Tx)
	if s == nil || !isTx || tx.Dialect() != s.pool.Dialect() { // Each pool has a dialect of its own.
		return nil, nil
	}
	found, ok := s.byText.Load(text)
	if !ok {
		s.byText.LoadOrStore(text, (*sql.Stmt)(nil))
		s.isNew.Store(true)
		return nil, nil
	}
	stmt := found.(*sql.Stmt)
	if stmt == nil {
		return nil, nil
	}
	return s, tx.Tx.StmtContext(ctx, stmt)
}

// prepare prepares the texts that ended transactions ran first. It leaves one that cannot be prepared as it is; what
// ctx has no time for the next transaction prepares.
func (s *statements) prepare(ctx context.Context) {
	if !s.isNew.Swap(false) {
		return
	}
	s.byText.Range(func(text, found any) bool {
		if found.(*sql.Stmt) != nil {
			return true
		}
		stmt, err := s.pool.DB.PrepareContext(ctx, placeholders(s.sqlite, text.(string)))
		if err == nil && !s.byText.CompareAndSwap(text, found, stmt) {
			stmt.Close()
		}
		if ctx.Err() != nil {
			s.isNew.Store(true)
		}
		return ctx.Err() == nil
	})
}
