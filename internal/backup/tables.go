package backup

import (
	"context"
	"database/sql"
	"strings"
)

// listed is a table of an open database.
type listed struct {
	table
	read []string // an expression for each column, which gives what SQLite would keep
	json []bool   // the columns that PostgreSQL keeps as JSON
}

// columns of all tables but those of the migrations: table, column, type, whether the table numbers its rows.
var columnsOf = map[bool]string{
	true: `SELECT t.name, c.name, 'as it is', t.sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema t
		JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name NOT LIKE 'goose\_%' ESCAPE '\'
		ORDER BY t.name, c.cid`,
	false: `SELECT c.table_name, c.column_name, c.data_type, bool_or(c.is_identity = 'YES') OVER (PARTITION BY c.table_name)
		FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
		AND table_name NOT LIKE 'goose\_%'
		ORDER BY c.table_name COLLATE "C", c.ordinal_position`,
}

// lastOf gives the last number that a table gave; none where it gave no number yet.
var lastOf = map[bool]string{
	true:  `SELECT (SELECT seq FROM sqlite_sequence WHERE name = ?)`,
	false: `SELECT pg_sequence_last_value(pg_get_serial_sequence(quote_ident($1::text), 'id')::regclass)`,
}

// queries is a transaction or a connection with one under way.
type queries interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func listTables(ctx context.Context, tx queries, sqlite bool) ([]listed, error) {
	rows, err := tx.QueryContext(ctx, columnsOf[sqlite])
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tables []listed
	var numbered []bool
	for rows.Next() {
		var name, column, kind string
		var numbers bool
		if err := rows.Scan(&name, &column, &kind, &numbers); err != nil {
			return nil, err
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != name {
			tables, numbered = append(tables, listed{table: table{Name: name}}), append(numbered, numbers)
		}
		t := &tables[len(tables)-1]
		t.Columns, t.read, t.json = append(t.Columns, column), append(t.read, expression(column, kind)),
			append(t.json, kind == "jsonb")
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for i := range tables {
		if numbered[i] {
			if err := tx.QueryRowContext(ctx, lastOf[sqlite], tables[i].Name).Scan(&tables[i].Last); err != nil {
				return nil, err
			}
		}
	}
	return tables, nil
}

// expression returns the SQL that reads a column of a type of PostgreSQL's as SQLite would keep it.
func expression(column, kind string) string {
	column = quote(column)
	switch kind {
	case "boolean":
		return column + "::int"
	case "uuid", "jsonb":
		return column + "::text"
	case "timestamp with time zone": // without closing zeros, as bun writes it, so that equal times are equal texts
		return `rtrim(rtrim(to_char(` + column +
			` AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.') || '+00:00'`
	}
	return column
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
