package db

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"
)

// Statement is a query that the engine parses and plans once for each connection, for what nearly every request asks.
// Others go through bun, which writes the values into the text. Behind a pooler the statement is sent as text as well: the
// next transaction may run on another connection.
type Statement struct {
	db   *DB
	text string
	mu   sync.Mutex
	made *sql.Stmt
}

// Statement makes a statement of a query with a ? for each value, and no other ?. It names its columns one by one, since
// PostgreSQL refuses to run a plan whose * has grown.
func (d *DB) Statement(text string) *Statement { return &Statement{db: d, text: text} }

// Row runs the statement and reads the columns of its first row into dest; ErrNoRows where there is none.
func (s *Statement) Row(ctx context.Context, values []any, dest ...any) error {
	if s.db.pooled {
		return s.db.DB.DB.QueryRowContext(ctx, s.placeholders(), values...).Scan(dest...)
	}
	made, err := s.prepared(ctx)
	if err != nil {
		return err
	}
	return made.QueryRowContext(ctx, values...).Scan(dest...)
}

// Models runs the statement and appends what it gives to a slice of models.
func (s *Statement) Models(ctx context.Context, values []any, into any) error {
	rows, err := s.query(ctx, values)
	if err != nil {
		return err
	}
	return s.db.ScanRows(ctx, rows, into)
}

func (s *Statement) query(ctx context.Context, values []any) (*sql.Rows, error) {
	if s.db.pooled {
		return s.db.DB.DB.QueryContext(ctx, s.placeholders(), values...)
	}
	made, err := s.prepared(ctx)
	if err != nil {
		return nil, err
	}
	return made.QueryContext(ctx, values...)
}

// prepared gives the statement, which database/sql makes on each connection that runs it.
func (s *Statement) prepared(ctx context.Context) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made != nil {
		return s.made, nil
	}
	made, err := s.db.DB.DB.PrepareContext(ctx, s.placeholders())
	if err == nil {
		s.made = made
	}
	return made, err
}

// placeholders gives the text with the engine's own marks for values.
func (s *Statement) placeholders() string {
	if s.db.sqlite {
		return s.text
	}
	parts := strings.Split(s.text, "?")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}
