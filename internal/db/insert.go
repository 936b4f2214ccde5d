package db

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
)

// InsertPrepared adds a row to the table of its model, as nearly every transaction of its kind does, with a statement
// that is prepared as those of ScanPrepared are. A key that the database chooses is then in the row.
func InsertPrepared[T any](ctx context.Context, tx bun.Tx, row *T) error {
	table, fields := tx.Dialect().Tables().Get(reflect.TypeFor[T]()), reflect.ValueOf(row).Elem()
	var columns []string
	var values []any
	var key reflect.Value
	var returning string
	for _, f := range table.Fields {
		field := f.Value(fields)
		if f.AutoIncrement {
			key, returning = field, " RETURNING "+string(f.SQLName)
			continue
		}
		value := field.Interface()
		if f.UserSQLType == "jsonb" {
			text, err := json.Marshal(value)
			if err != nil {
				return err
			}
			value = string(text)
		}
		columns, values = append(columns, string(f.SQLName)), append(values, value)
	}
	text := "INSERT INTO " + string(table.SQLName) + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ")" + returning
	if returning == "" {
		return ExecPrepared(ctx, tx, text, values...)
	}
	return ScanPrepared(ctx, tx, key.Addr().Interface(), text, values...)
}
