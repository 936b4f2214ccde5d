package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"airstrip/internal/account"
)

func TestStatistics_Parquet_HoldsWhatTheCSVHolds(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		made := h.add("hk", "")
		h.moves(made.Secret, 3, 4)
		admin := h.present(h.staff[account.Admin])
		w := h.call(h.Context(), admin, "GET", "/api/v2/staff/statistics/users/parquet", "")
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "application/vnd.apache.parquet" {
			h.Fatalf("it answers %d, %s", w.Code, got)
		}
		type user struct {
			UserID int64  `parquet:"user_id"`
			Email  string `parquet:"email"`
			Up     int64  `parquet:"up_bytes"`
			Down   int64  `parquet:"down_bytes"`
			Billed int64  `parquet:"billed_bytes"`
		}
		file := w.Body.Bytes()
		rows, err := parquet.Read[user](bytes.NewReader(file), int64(len(file)))
		if err != nil {
			h.Fatal(err)
		}
		if len(rows) != 1 || rows[0].UserID != h.users[0].id || rows[0].Email == "" || rows[0].Up != 3 ||
			rows[0].Down != 4 {
			h.Errorf("the file has %+v", rows)
		}
		text := h.ask(h.staff[account.Admin], 200, "GET", "/api/v2/staff/statistics/users/csv", "", nil)
		if !strings.Contains(text, ",up_bytes,down_bytes,") || !strings.Contains(text, "@example.com,3,4,7") {
			h.Errorf("the CSV has %s", text)
		}
		h.ask(h.staff[account.Admin], 422, "GET",
			"/api/v2/staff/statistics/users/parquet?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "", nil)
	})
}
