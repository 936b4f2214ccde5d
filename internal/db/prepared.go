package db

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/uptrace/bun"
)

// Prepared is a query that the engine parses and plans once for each connection, for what nearly every request asks.
// Others go through bun, which writes the values into the text. Behind a pooler the query is sent as text as well: the
// next transaction may run on another connection of PostgreSQL, which knows nothing of what was prepared.
type Prepared struct {
	db   *DB
	pool *bun.DB // as it was opened
	text string
	stmt atomic.Pointer[sql.Stmt]
}

// Prepared makes a query with a ? for each value, and no other ?. It names its columns one by one, since PostgreSQL
// refuses to run a plan whose * has grown.
func (d *DB) Prepared(text string) *Prepared { return &Prepared{db: d, pool: d.DB, text: text} }

// Row runs the query and reads the columns of its first row into dest; ErrNoRows where there is none.
func (p *Prepared) Row(ctx context.Context, values []any, dest ...any) error {
	if p.db.pooled {
		return p.pool.DB.QueryRowContext(ctx, p.placeholders(), values...).Scan(dest...)
	}
	stmt, err := p.prepared(ctx)
	if err != nil {
		return err
	}
	if p.db.sqlite {
		// SQLite has one row of its file before anybody could call it off; to be ready for that would take two goroutines.
		if err := ctx.Err(); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
	}
	return stmt.QueryRowContext(ctx, values...).Scan(dest...)
}

// Models runs the query and appends what it gives to a slice of models.
func (p *Prepared) Models(ctx context.Context, values []any, into any) error {
	rows, err := p.query(ctx, values)
	if err != nil {
		return err
	}
	return p.pool.ScanRows(ctx, rows, into)
}

func (p *Prepared) query(ctx context.Context, values []any) (*sql.Rows, error) {
	if p.db.pooled {
		return p.pool.DB.QueryContext(ctx, p.placeholders(), values...)
	}
	stmt, err := p.prepared(ctx)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, values...)
}

// prepared gives the statement, which database/sql makes on each connection that runs it. Of several callers that come
// first each makes one, so that none waits for another's connection.
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

// placeholders gives the text with the engine's own marks for values.
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
