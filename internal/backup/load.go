package backup

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"

	"airstrip/internal/db"
)

// Restore fills the empty database d with what the file holds, and tests that it then has the same rows and is sound as
// the engine sees it. The schema becomes this program's at the end. Where it fails, d is to be thrown away.
func (b *File) Restore(ctx context.Context, d *db.DB) (Contents, error) {
	if b.Schema > db.ProgramSchema() {
		return nil, fmt.Errorf("%s was made by airstrip %s with schema %d, and this program knows schemas up to %d "+
			"only: restore it with that version or a later one", b.path, b.Program, b.Schema, db.ProgramSchema())
	}
	if err := d.MigrateTo(ctx, b.Schema); err != nil {
		return nil, err
	}
	contents, err := b.load(ctx, d) // as d must have it
	if err != nil {
		return nil, fmt.Errorf("restore %s: %w", b.path, err)
	}
	if err := compare(ctx, d, contents); err != nil {
		return nil, fmt.Errorf("what was restored from %s is not what was backed up: %w", b.path, err)
	}
	return contents, d.Migrate(ctx)
}

// compare tests that d has the rows that contents counts, and no other.
func compare(ctx context.Context, d *db.DB, contents Contents) error {
	if err := d.Sound(ctx); err != nil {
		return err
	}
	found, err := read(ctx, d)
	if err != nil {
		return err
	}
	for name, count := range contents {
		if found[name] != count {
			return fmt.Errorf("the table %s has %d rows and not the same %d", name, found[name].Rows, count.Rows)
		}
		delete(found, name)
	}
	for name, count := range found {
		if count.Rows > 0 {
			return fmt.Errorf("the table %s has %d rows and was not in the backup", name, count.Rows)
		}
	}
	return nil
}

// load puts the file's rows in place of those that migrations made.
func (b *File) load(ctx context.Context, d *db.DB) (Contents, error) {
	loaded, written := Contents{}, Contents{}
	in, err := b.records()
	if err != nil {
		return nil, err
	}
	defer in.close()
	err = d.Bulk(ctx, func(ctx context.Context, conn *sql.Conn) error {
		tables, err := listTables(ctx, conn, d.SQLite())
		if err != nil {
			return err
		}
		for _, t := range tables {
			if _, err := conn.ExecContext(ctx, `DELETE FROM `+quote(t.Name)); err != nil {
				return err
			}
		}
		letter, err := in.ReadByte()
		for err == nil && letter == 'T' {
			var t table
			if err := in.document(&t); err != nil {
				return err
			}
			at := slices.IndexFunc(tables, func(l listed) bool {
				return l.Name == t.Name &&
					slices.Equal(l.Columns, t.Columns)
			})
			if at < 0 {
				return fmt.Errorf("the table %s of the backup is not in schema %d", t.Name, b.Schema)
			}
			rows := &rowsOf{in: in, columns: t.Columns, json: tables[at].json, values: make([]any, len(t.Columns))}
			if err := loadTable(ctx, conn, d.SQLite(), t, rows); err != nil {
				return fmt.Errorf("fill the table %s: %w", t.Name, db.Error(err))
			}
			loaded[t.Name], letter = rows.count, rows.letter
		}
		if err == nil && letter != 'E' {
			err = fmt.Errorf("backup: a record %q", letter)
		}
		if err != nil {
			return err
		}
		return in.document(&written)
	})
	for name, count := range written {
		if err == nil && loaded[name].Rows != count.Rows {
			err = fmt.Errorf("the table %s has %d rows where %d were written", name, loaded[name].Rows, count.Rows)
		}
	}
	return loaded, err
}

// loadTable puts the rows that follow into a table.
func loadTable(ctx context.Context, conn *sql.Conn, sqlite bool, t table, rows *rowsOf) error {
	fill, setLast := copyRows,
		`SELECT setval(pg_get_serial_sequence(quote_ident($1::text), 'id'), greatest($2::bigint, 1), $2::bigint > 0)`
	if sqlite {
		fill, setLast = insertRows, `INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)`
		if _, err := conn.ExecContext(ctx, `DELETE FROM sqlite_sequence WHERE name = ?`, t.Name); err != nil {
			return err
		}
	}
	// Triggers have written rows of tables that follow from those that were filled before.
	if _, err := conn.ExecContext(ctx, `DELETE FROM `+quote(t.Name)); err != nil {
		return err
	}
	if err := fill(ctx, conn, t, rows); err != nil || t.Last == nil {
		return err
	}
	if sqlite { // inserting has made it
		if _, err := conn.ExecContext(ctx, `DELETE FROM sqlite_sequence WHERE name = ?`, t.Name); err != nil {
			return err
		}
	}
	_, err := conn.ExecContext(ctx, setLast, t.Name, *t.Last)
	return err
}

// rowsOf reads the rows of one table.
type rowsOf struct {
	in      *reader
	columns []string
	json    []bool // the columns that PostgreSQL keeps as JSON, and not letter by letter
	values  []any
	cells   []byte
	count   Count // of the rows read
	letter  byte  // of the record after the last row
}

// next reads a row into values; io.EOF after the last.
func (r *rowsOf) next() (err error) {
	if r.letter, err = r.in.ReadByte(); err != nil {
		return errors.Join(errEnd, err)
	}
	if r.letter != 'R' {
		return io.EOF
	}
	if err := r.in.row(r.values); err != nil {
		return err
	}
	if r.cells, err = appendRow(r.cells[:0], r.values, r.json); err != nil {
		return err
	}
	r.count.add(r.cells)
	return nil
}

var errEnd = errors.New("backup: the records end early")

func insertRows(ctx context.Context, conn *sql.Conn, t table, rows *rowsOf) error {
	var names []string
	for _, c := range t.Columns {
		names = append(names, quote(c))
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	insert, err := conn.PrepareContext(ctx, `INSERT INTO `+quote(t.Name)+` (`+strings.Join(names, ", ")+`) VALUES (`+
		marks+`)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for {
		if err := rows.next(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if _, err := insert.ExecContext(ctx, rows.values...); err != nil {
			return err
		}
	}
}

// copyRows fills a table of PostgreSQL.
func copyRows(ctx context.Context, conn *sql.Conn, t table, rows *rowsOf) error {
	var names []string
	for _, c := range t.Columns {
		names = append(names, quote(c))
	}
	return conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().PgConn().CopyFrom(ctx, &copyText{rows: rows},
			`COPY `+quote(t.Name)+` (`+strings.Join(names, ", ")+`) FROM STDIN`)
		return err
	})
}

// copyText gives rows in the text format of COPY.
type copyText struct {
	rows *rowsOf
	text bytes.Buffer
	end  error
}

var escapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func (c *copyText) Read(p []byte) (int, error) {
	for c.end == nil && c.text.Len() < len(p) {
		if c.end = c.rows.next(); c.end != nil {
			break
		}
		for i, value := range c.rows.values {
			if i > 0 {
				c.text.WriteByte('\t')
			}
			switch v := value.(type) {
			case nil:
				c.text.WriteString(`\N`)
			case int64:
				c.text.WriteString(strconv.FormatInt(v, 10))
			case string:
				if strings.ContainsRune(v, 0) {
					c.end = fmt.Errorf("column %s: PostgreSQL keeps no text with the character NUL; change it in "+
						"the old database and back up again", c.rows.columns[i])
				}
				escapes.WriteString(&c.text, v)
			case []byte:
				c.text.WriteString(`\\x` + hex.EncodeToString(v))
			}
		}
		c.text.WriteByte('\n')
	}
	if c.text.Len() == 0 {
		return 0, c.end
	}
	if c.end != nil && c.end != io.EOF {
		return 0, c.end
	}
	return c.text.Read(p)
}
