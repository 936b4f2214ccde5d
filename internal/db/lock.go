package db

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Locked makes q lock the rows that it finds until its transaction ends. Give it an order, so that no two transactions
// wait for each other. On SQLite a transaction that may write has the database to itself anyway.
func Locked(q *bun.SelectQuery) *bun.SelectQuery {
	if q.Dialect().Name() == dialect.PG {
		q.For("UPDATE")
	}
	return q
}
