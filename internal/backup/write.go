package backup

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"

	"airstrip/internal/db"
)

// Write writes all rows of d to w, as they are at one moment, while others write. It fills in what the header says of
// d.
func Write(ctx context.Context, d *db.DB, w io.Writer, h Header) (Contents, error) {
	var contents Contents
	err := d.Snapshot(ctx, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT MAX(version_id) FROM goose_db_version WHERE is_applied`).Scan(&h.Schema)
		if err != nil {
			return err
		}
		h.Format, h.CreatedAt, h.Engine = format, d.Now(), "postgres"
		if d.SQLite() {
			h.Engine = "sqlite"
		}
		out, err := newWriter(w, h)
		if err != nil {
			return err
		}
		if contents, err = dump(ctx, tx, d.SQLite(), out); err != nil {
			return err
		}
		if err := out.document('E', contents); err != nil {
			return err
		}
		return out.Close()
	})
	return contents, err
}

// read counts the rows of d as Write would.
func read(ctx context.Context, d *db.DB) (contents Contents, err error) {
	err = d.Snapshot(ctx, func(ctx context.Context, tx *sql.Tx) error {
		contents, err = dump(ctx, tx, d.SQLite(), nil)
		return err
	})
	return contents, err
}

// dump reads all tables and writes them to out, unless that is nil.
func dump(ctx context.Context, tx *sql.Tx, sqlite bool, out *writer) (Contents, error) {
	tables, err := listTables(ctx, tx, sqlite)
	if err != nil {
		return nil, err
	}
	if !sqlite { // a migration that begins meanwhile waits until all is read
		var names []string
		for _, t := range tables {
			names = append(names, quote(t.Name))
		}
		if _, err := tx.ExecContext(ctx, `LOCK TABLE `+strings.Join(names, ", ")+` IN ACCESS SHARE MODE`); err != nil {
			return nil, err
		}
	}
	contents := Contents{}
	for _, t := range tables {
		if out != nil {
			if err := out.document('T', t.table); err != nil {
				return nil, err
			}
		}
		count, err := dumpTable(ctx, tx, t, out)
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", t.Name, err)
		}
		contents[t.Name] = count
	}
	return contents, nil
}

func dumpTable(ctx context.Context, tx *sql.Tx, t listed, out *writer) (count Count, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+strings.Join(t.read, ", ")+` FROM `+quote(t.Name))
	if err != nil {
		return count, err
	}
	defer rows.Close()
	values, pointers := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	var row []byte
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return count, err
		}
		if row, err = appendRow(row[:0], values, t.json); err != nil {
			return count, err
		}
		count.add(row)
		if out == nil {
			continue
		}
		if err := out.WriteByte('R'); err != nil {
			return count, err
		}
		if _, err := out.Write(row); err != nil {
			return count, err
		}
	}
	return count, rows.Err()
}
