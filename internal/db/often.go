package db

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// Often is a query for one row that runs so often that reading its text would cost SQLite more than running it. Each
// connection of the pool reads it once. PostgreSQL is sent text as ever: poolers before it lose prepared statements.
type Often struct {
	db   *DB
	text string
	stmt atomic.Pointer[sql.Stmt]
}

// Often gives a query with ? for its values.
func (d *DB) Often(text string) *Often { return &Often{db: d, text: text} }

// Row runs the query. What it scans is ErrNoRows where there is no row. SQLite is done with one row before anybody could
// call it off; to be ready for that would take two goroutines.
func (o *Often) Row(ctx context.Context, values ...any) *sql.Row {
	if !o.db.sqlite {
		return o.db.QueryRowContext(ctx, o.text, values...)
	}
	stmt := o.stmt.Load()
	if stmt == nil {
		made, err := o.db.DB.DB.PrepareContext(ctx, o.text)
		if err != nil { // the same text fails the same way where its error can be told
			return o.db.QueryRowContext(ctx, o.text, values...)
		}
		if !o.stmt.CompareAndSwap(nil, made) {
			made.Close()
		}
		stmt = o.stmt.Load()
	}
	return stmt.QueryRowContext(context.WithoutCancel(ctx), values...)
}
