package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/detached"
)

// Snapshot runs fn in a transaction that sees the database as it is at one moment, however long it takes and whatever
// others write meanwhile. It cannot write.
func (d *DB) Snapshot(ctx context.Context, fn func(ctx context.Context, tx *sql.Tx) error) error {
	var options *sql.TxOptions
	if !d.sqlite { // a transaction of SQLite always is one
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := d.unlimited().DB.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if !d.sqlite {
		if _, err := tx.ExecContext(ctx,
			`SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return err
		}
	}
	return fn(ctx, tx)
}

// ReadTx runs fn in a transaction that sees the database as it is at one moment and cannot write, for several queries
// whose answers belong together. Each statement has the usual limits.
func (d *DB) ReadTx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return d.readTx(ctx, d.DB, setLocal(statement), fn)
}

// LongReadTx is ReadTx for reading whole tables, without limits of time.
func (d *DB) LongReadTx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return d.readTx(ctx, d.unlimited(),
		`SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`, fn)
}

func (d *DB) readTx(
	ctx context.Context, pool *bun.DB, limits string, fn func(ctx context.Context, tx bun.Tx) error,
) error {
	var options *sql.TxOptions
	if !d.sqlite { // a transaction of SQLite always is one
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if !d.sqlite && (d.pooled || pool != d.DB) {
		if _, err := tx.ExecContext(ctx, limits); err != nil {
			return err
		}
	}
	return fn(ctx, tx)
}

// Vacuum makes PostgreSQL use the space of removed rows of a table again at once. SQLite does so by itself.
func (d *DB) Vacuum(ctx context.Context, table string) error {
	if d.sqlite {
		return nil
	}
	_, err := d.long.NewRaw(`VACUUM ?`, bun.Ident(table)).Exec(ctx)
	return err
}

// Bulk runs fn in one transaction without deadlines that writes many rows into a database that nobody else uses.
// Foreign keys, and on SQLite indexes too, are removed before fn, and created again and checked after it, so the order
// of the rows does not matter.
func (d *DB) Bulk(ctx context.Context, fn func(ctx context.Context, conn *sql.Conn) error) error {
	conn, err := d.long.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Triggers that wait for the commit would run after the tables that they write were filled.
	begin, end := `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
		SET CONSTRAINTS ALL IMMEDIATE`, `COMMIT; ANALYZE`
	if d.sqlite {
		begin, end = `PRAGMA foreign_keys = 0; PRAGMA synchronous = OFF; BEGIN IMMEDIATE`,
			`COMMIT; PRAGMA foreign_keys = 1; PRAGMA synchronous = FULL; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)`
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return err
	}
	err = d.withoutIndexes(ctx, conn, fn)
	if err == nil {
		_, err = conn.ExecContext(ctx, end)
	}
	if err != nil {
		undo, cancel := detached.WithTimeout(ctx, time.Minute)
		defer cancel()
		_, _ = conn.ExecContext(undo, `ROLLBACK`) // the first error names the cause
	}
	return err
}

// removedForBulk selects what Bulk removes before rows are written, and how to create it again.
var removedForBulk = map[bool]string{
	true: `SELECT 'DROP ' || type || ' "' || name || '"', sql FROM sqlite_schema WHERE type IN ('index', 'trigger')
		AND sql IS NOT NULL ORDER BY type = 'trigger'`,
	false: `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname), format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
		FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY conname`,
}

func (d *DB) withoutIndexes(
	ctx context.Context, conn *sql.Conn, fn func(ctx context.Context, conn *sql.Conn) error,
) error {
	rows, err := conn.QueryContext(ctx, removedForBulk[d.sqlite])
	if err != nil {
		return err
	}
	var away, back []string
	for rows.Next() {
		var drop, add string
		if err := rows.Scan(&drop, &add); err != nil {
			rows.Close()
			return err
		}
		away, back = append(away, drop), append(back, add)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, statement := range away {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := fn(ctx, conn); err != nil {
		return err
	}
	for _, statement := range back {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return Error(err)
		}
	}
	return nil
}

// Sound asks SQLite whether its file and its foreign keys are intact. PostgreSQL has checked the keys when they were
// added.
func (d *DB) Sound(ctx context.Context) error {
	if !d.sqlite {
		return nil
	}
	var found []string
	if err := d.NewRaw(`PRAGMA quick_check(5)`).Scan(ctx, &found); err != nil {
		return err
	}
	if len(found) != 1 || found[0] != "ok" {
		return fmt.Errorf("quick_check: %s", strings.Join(found, "; "))
	}
	if err := d.NewRaw(`SELECT DISTINCT "table" || ' to ' || parent FROM pragma_foreign_key_check`).
		Scan(ctx, &found); err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("rows point to others that are not there: %s", strings.Join(found, "; "))
	}
	return nil
}
