package db

import "context"

// Size is what a database takes on the disk.
type Size struct {
	Bytes int64
	Free  int64 // of these, those that hold nothing and are used again first; known of SQLite alone
}

// Size returns how large the database is.
func (d *DB) Size(ctx context.Context) (s Size, err error) {
	query := `SELECT pg_database_size(current_database()) AS bytes, 0 AS free`
	if d.sqlite {
		query = `SELECT page_count * page_size AS bytes, freelist_count * page_size AS free
			FROM pragma_page_count(), pragma_page_size(), pragma_freelist_count()`
	}
	err = d.NewRaw(query).Scan(ctx, &s)
	return s, err
}
