package db

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Locked makes q keep other transactions from changing the rows that it finds until its own ends; give it an order, so that
// no two wait for each other. On SQLite a transaction that may write has the database for itself anyway.
func Locked(q *bun.SelectQuery) *bun.SelectQuery {
	if q.Dialect().Name() == dialect.PG {
		q.For("UPDATE")
	}
	return q
}
