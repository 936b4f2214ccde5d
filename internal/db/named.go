package db

import (
	"strconv"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Named limits q to the row of its model that id names, by its number or its UUID. Any other text names no row.
func Named(q *bun.SelectQuery, id string) *bun.SelectQuery {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		return q.Where("?TableAlias.id = ?", n)
	}
	if u, err := uuid.Parse(id); err == nil {
		return q.Where("?TableAlias.uuid = ?", u)
	}
	return q.Where("1 = 0")
}
