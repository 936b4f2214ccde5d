package db

import "context"

// Size returns how many bytes the database takes.
func (d *DB) Size(ctx context.Context) (bytes int64, err error) {
	query := `SELECT pg_database_size(current_database())`
	if d.sqlite {
		query = `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	}
	err = d.NewRaw(query).Scan(ctx, &bytes)
	return bytes, err
}
