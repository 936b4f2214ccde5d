package v1

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"airstrip/internal/api"
)

// paging is what a list is asked for: format json or csv, page from 1, size 15 by default and at most 100.
type paging struct {
	page, size int64
	csv        bool
}

func (in Input) paging() paging {
	return paging{cmp.Or(in.Int("page"), 1), cmp.Or(in.Int("size"), 15), in.Get("format") == "csv"}
}

func (p paging) offset() int64 { return (p.page - 1) * p.size }

// answer returns rows as data or, as CSV, the columns named.
func (p paging) answer(rows []map[string]any, total int64, columns ...string) Answer {
	if !p.csv {
		return Answer{Data: rows, More: map[string]any{"total": total, "page": p.page, "size": p.size}}
	}
	table := [][]string{columns}
	for _, row := range rows {
		line := make([]string, len(columns))
		for i, column := range columns {
			line[i] = cell(row[column])
		}
		table = append(table, line)
	}
	return Answer{CSV: table}
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case *time.Time:
		if v == nil {
			return ""
		}
		return v.Format(time.RFC3339)
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// writeCSV answers a download. A cell that a spreadsheet would take for a formula gets a quote in front.
func writeCSV(w http.ResponseWriter, table [][]string) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="list.csv"`)
	w.Header().Set("Cache-Control", "no-store")
	_ = api.WriteCSV(w, table) // fails once the reader has gone
}
