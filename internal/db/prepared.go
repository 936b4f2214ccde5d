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
		return p.pool.DB.QueryRowContext(ctx, p.placeholders(), values...).Scan(dest...)
	}
	stmt, err := p.prepared(ctx)
	if err != nil {
		return err
	}
	if p.db.sqlite {
		// SQLite returns one row of its file before a cancellation could take effect; to support that would take two
		// goroutines.
		if err := ctx.Err(); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
	}
	return stmt.QueryRowContext(ctx, p.bound(values)...).Scan(dest...)
}

// Model runs the query and reads its first row into a model. It returns ErrNoRows where there is none.
func (p *Prepared) Model(ctx context.Context, values []any, into any) error {
	rows, err := p.Query(ctx, values)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), ErrNoRows)
	}
	if err := p.pool.ScanRow(ctx, rows, into); err != nil {
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
		return p.pool.DB.QueryContext(ctx, p.placeholders(), values...)
	}
	stmt, err := p.prepared(ctx)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, p.bound(values)...)
}

// sqliteTime is how bun writes times for SQLite, which compares them as text.
const sqliteTime = "2006-01-02 15:04:05.999999-07:00"

// bound returns the values as the engine's driver takes them.
func (p *Prepared) bound(values []any) []any {
	if !p.db.sqlite {
		return values
	}
	bound := slices.Clone(values)
	for i, value := range bound {
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
	made, err := p.pool.DB.PrepareContext(ctx, p.placeholders())
	if err != nil {
		return nil, err
	}
	if !p.stmt.CompareAndSwap(nil, made) {
		made.Close()
	}
	return p.stmt.Load(), nil
}

// placeholders returns the text with the engine's own placeholders.
func (p *Prepared) placeholders() string {
	if p.db.sqlite {
		return p.text
	}
	parts := strings.Split(p.text, "?")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}
