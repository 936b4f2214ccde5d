package db

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
)

// Prepared is a query that the engine parses and plans once for each connection, for what nearly every request needs.
// Other queries go through bun, which writes the values into the text. Behind a pooler a prepared query is sent as text
// too: the next transaction may run on another connection of PostgreSQL, which has not prepared it.
type Prepared struct {
	db   *DB
	pool *bun.DB // as it was opened
	text string
	stmt atomic.Pointer[sql.Stmt]
}

// Prepared returns a query with a ? for each value, and no other ?. The query names its columns one by one, since
// PostgreSQL refuses to run a plan whose * has grown.
func (d *DB) Prepared(text string) *Prepared { return &Prepared{db: d, pool: d.DB, text: text} }

// Row runs the query and reads the columns of its first row into dest. It returns ErrNoRows where there is none.
func (p *Prepared) Row(ctx context.Context, values []any, dest ...any) error {
	if p.db.pooled {
		return p.pool.DB.QueryRowContext(ctx, placeholders(p.db.sqlite, p.text), values...).Scan(dest...)
	}
	stmt, err := p.prepared(ctx)
	if err != nil {
		return err
	}
	if ctx, err = uninterrupted(ctx, p.db.sqlite); err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, bound(p.db.sqlite, values)...).Scan(dest...)
}

// uninterrupted returns the context in which a statement of ctx runs that ends at once. SQLite has done it before a
// cancellation could take effect; to support that would take two goroutines.
func uninterrupted(ctx context.Context, sqlite bool) (context.Context, error) {
	if !sqlite {
		return ctx, nil
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

// Model runs the query and reads its first row into a model. It returns ErrNoRows where there is none.
func (p *Prepared) Model(ctx context.Context, values []any, into any) error {
	rows, err := p.Query(ctx, values)
	if err != nil {
		return err
	}
	return scanFirst(ctx, p.pool, rows, into)
}

// scanFirst reads the first row into a model and closes the rows. It returns ErrNoRows where there is none.
func scanFirst(ctx context.Context, pool *bun.DB, rows *sql.Rows, into any) error {
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), ErrNoRows)
	}
	if err := pool.ScanRow(ctx, rows, into); err != nil {
		return err
	}
	return rows.Close()
}

// Models runs the query and appends its rows to a slice of models.
func (p *Prepared) Models(ctx context.Context, values []any, into any) error {
	rows, err := p.Query(ctx, values)
	if err != nil {
		return err
	}
	return p.pool.ScanRows(ctx, rows, into)
}

// Query runs the query and returns its rows, which the caller closes.
func (p *Prepared) Query(ctx context.Context, values []any) (*sql.Rows, error) {
	if p.db.pooled {
		return p.pool.DB.QueryContext(ctx, placeholders(p.db.sqlite, p.text), values...)
	}
	stmt, err := p.prepared(ctx)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, bound(p.db.sqlite, values)...)
}

// sqliteTime is how bun writes times for SQLite, which compares them as text.
const sqliteTime = "2006-01-02 15:04:05.999999-07:00"

// bound returns the values as the engine's driver takes them.
func bound(sqlite bool, values []any) []any {
	if !sqlite {
		return values
	}
	bound := slices.Clone(values)
	for i, value := range bound {
		if t, ok := value.(*time.Time); ok && t != nil {
			value = *t
		}
		if t, ok := value.(time.Time); ok {
			bound[i] = t.UTC().Format(sqliteTime)
		}
	}
	return bound
}

// prepared returns the statement, which database/sql prepares on each connection that runs it. Of several first callers
// each prepares one, so that none waits for another's connection.
func (p *Prepared) prepared(ctx context.Context) (*sql.Stmt, error) {
	if stmt := p.stmt.Load(); stmt != nil {
		return stmt, nil
	}
	made, err := p.pool.DB.PrepareContext(ctx, placeholders(p.db.sqlite, p.text))
	if err != nil {
		return nil, err
	}
	if !p.stmt.CompareAndSwap(nil, made) {
		made.Close()
	}
	return p.stmt.Load(), nil
}

// placeholders returns the text with the engine's own placeholders.
func placeholders(sqlite bool, text string) string {
	if sqlite {
		return text
	}
	parts := strings.Split(text, "?")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}
