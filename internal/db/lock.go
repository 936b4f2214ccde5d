package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Locked makes q lock the rows that it finds until its transaction ends. Give it an order, so that no two transactions
// wait for each other. On SQLite a transaction that may write has the database to itself anyway.
func Locked(q *bun.SelectQuery) *bun.SelectQuery { return LockedFor("UPDATE", q) }

// LockedFor is Locked with a lock of another strength, as PostgreSQL calls it.
func LockedFor(how string, q *bun.SelectQuery) *bun.SelectQuery {
	if q.Dialect().Name() == dialect.PG {
		q.For(how)
	}
	return q
}

// LockRows locks the rows that q finds, in the order of their ids, against changes. What refers to them does not wait.
func LockRows(ctx context.Context, q *bun.SelectQuery) error {
	_, err := LockedFor("NO KEY UPDATE", q.Column("id").OrderExpr("id")).Exec(ctx)
	return err
}

// LockRow returns the row of T with this id, locked until tx ends, or the error missing where there is none.
func LockRow[T any](ctx context.Context, tx bun.Tx, id int64, missing error) (row T, err error) {
	err = Locked(tx.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx)
	return row, OrMissing(err, missing)
}

// OrMissing returns the error missing in place of ErrNoRows, and every other error as it is.
func OrMissing(err, missing error) error {
	if errors.Is(err, ErrNoRows) {
		return missing
	}
	return err
}
