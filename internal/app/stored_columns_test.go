package app

import (
	"context"

	"airstrip/internal/db"
)

// storedColumns returns the columns of a table that can be written, as SQL lists them: generated ones follow from them.
func storedColumns(ctx context.Context, d *db.DB, table string) (columns string, err error) {
	query := `SELECT group_concat('"' || name || '"', ', ') FROM pragma_table_info(?)`
	if !d.SQLite() {
		query = `SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
			FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ? AND is_generated = 'NEVER'`
	}
	err = d.NewRaw(query, table).Scan(ctx, &columns)
	return columns, err
}
