package trafficlog

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// inList is how many values one statement names.
const inList = 2000

// packID and chunkID build the ids of packs and of chunks of days and months.
func packID(day, user int64) int64      { return day<<32 | user }
func chunkID(period, chunk int64) int64 { return period<<32 | chunk }

const lowHalf = 1<<32 - 1

// Add adds bytes to the log, as part of tx, which has bumped Revision. Where a counter would exceed 63 bits it returns
// ErrOverflow and tx has to be rolled back.
func (l *Log) Add(ctx context.Context, tx bun.Tx, a Addition) error {
	slots := slices.SortedFunc(maps.Keys(a.Hours), Slot.compare)
	for _, s := range slots {
		if err := addToSlot(ctx, tx, s, a.Hours[s]); err != nil {
			return err
		}
	}
	for _, day := range slices.Sorted(maps.Keys(a.Days)) {
		if err := addToPeriod(ctx, tx, "traffic_day_chunk", day, a.Days[day]); err != nil {
			return err
		}
	}
	return nil
}

func (s Slot) compare(o Slot) int {
	return slot{s.Hour, s.NodeID, s.RatePermille}.compare(slot{o.Hour, o.NodeID, o.RatePermille})
}

// byChunk divides users among their chunks, each in the order of the ids.
func byChunk(of map[int64]Amount) (chunks []int64, rows map[int64][]userAmount, err error) {
	rows = map[int64][]userAmount{}
	for _, user := range slices.Sorted(maps.Keys(of)) {
		if user < 0 || user > maxUser {
			return nil, nil, errBlob
		}
		chunk := user >> chunkBits
		if len(rows[chunk]) == 0 {
			chunks = append(chunks, chunk)
		}
		rows[chunk] = append(rows[chunk], userAmount{user, of[user]})
	}
	return chunks, rows, nil
}

func addToSlot(ctx context.Context, tx bun.Tx, s Slot, of map[int64]Amount) error {
	chunks, rows, err := byChunk(of)
	if err != nil || len(chunks) == 0 {
		return err
	}
	var found []struct {
		Chunk int64
		Data  []byte
	}
	for part := range slices.Chunk(chunks, inList) {
		err := tx.NewRaw(`SELECT chunk, data FROM traffic_now WHERE chunk IN (?) AND hour = ? AND node_id = ?
			AND rate_permille = ?`, bun.List(part), s.Hour, s.NodeID, s.RatePermille).Scan(ctx, &found)
		if err != nil {
			return err
		}
		for _, f := range found {
			if rows[f.Chunk], err = addTo(f.Data, f.Chunk, s.RatePermille, rows[f.Chunk]); err != nil {
				return err
			}
		}
	}
	put := make([][]any, len(chunks))
	for i, chunk := range chunks {
		put[i] = []any{chunk, s.Hour, s.NodeID, s.RatePermille, encodeChunk(rows[chunk], s.RatePermille)}
	}
	return upsert(ctx, tx, upsertNow, put)
}

// addTo adds rows to those of a blob, or returns ErrOverflow.
func addTo(data []byte, chunk, rate int64, rows []userAmount) ([]userAmount, error) {
	before, err := decodeChunk(data, chunk, rate)
	if err != nil {
		return nil, err
	}
	at := 0
	for _, r := range rows {
		for at < len(before) && before[at].user < r.user {
			at++
		}
		if at < len(before) && before[at].user == r.user && !before[at].fits(r.Amount) {
			return nil, ErrOverflow
		}
	}
	return mergeChunk(before, rows), nil
}

// addToPeriod adds to the chunks of a day or month.
func addToPeriod(ctx context.Context, tx bun.Tx, table string, period int64, of map[int64]Amount) error {
	chunks, rows, err := byChunk(of)
	if err != nil || len(chunks) == 0 {
		return err
	}
	ids := make([]int64, len(chunks))
	for i, chunk := range chunks {
		ids[i] = chunkID(period, chunk)
	}
	found, err := periodChunks(ctx, tx, table, ids)
	if err != nil {
		return err
	}
	for _, f := range found {
		chunk := f.ID & lowHalf
		if rows[chunk], err = addTo(f.Data, chunk, 1000, rows[chunk]); err != nil {
			return err
		}
	}
	put := make([][]any, len(chunks))
	for i, chunk := range chunks {
		put[i] = []any{ids[i], encodeChunk(rows[chunk], 1000)}
	}
	return upsert(ctx, tx, upsertOf[table], put)
}

// periodChunk is a row of traffic_day_chunk or traffic_month_chunk.
type periodChunk struct {
	ID   int64
	Data []byte
}

func periodChunks(ctx context.Context, idb bun.IDB, table string, ids []int64) (all []periodChunk, err error) {
	for part := range slices.Chunk(ids, inList) {
		var found []periodChunk
		err := idb.NewRaw(`SELECT id, data FROM ? WHERE id IN (?)`, bun.Ident(table), bun.List(part)).Scan(ctx, &found)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// upsertText is a statement that inserts rows or puts them in place of those with the same key.
type upsertText struct {
	before, row, after string
}

var upsertNow = upsertText{
	`INSERT INTO traffic_now (chunk, hour, node_id, rate_permille, data) VALUES `, `(?, ?, ?, ?, ?)`,
	` ON CONFLICT (chunk, hour, node_id, rate_permille) DO UPDATE SET data = EXCLUDED.data`,
}

var upsertPack = upsertText{
	`INSERT INTO traffic_pack (id, n, up, down, billed, sums, data) VALUES `, `(?, ?, ?, ?, ?, ?, ?)`,
	` ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n, up = EXCLUDED.up, down = EXCLUDED.down,
		billed = EXCLUDED.billed, sums = EXCLUDED.sums, data = EXCLUDED.data`,
}

var upsertOf = map[string]upsertText{
	"traffic_day_chunk": {
		`INSERT INTO traffic_day_chunk (id, data) VALUES `, `(?, ?)`,
		` ON CONFLICT (id) DO UPDATE SET data = EXCLUDED.data`,
	},
	"traffic_month_chunk": {
		`INSERT INTO traffic_month_chunk (id, data) VALUES `, `(?, ?)`,
		` ON CONFLICT (id) DO UPDATE SET data = EXCLUDED.data`,
	},
}

// upsert writes rows. SQLite takes the values of a prepared statement as they are; PostgreSQL gets many rows in one
// text, since each statement is a round trip.
func upsert(ctx context.Context, tx bun.Tx, text upsertText, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if tx.Dialect().Name() == dialect.SQLite {
		stmt, err := tx.Tx.PrepareContext(ctx, text.before+text.row+text.after)
		if err != nil {
			return err
		}
		defer stmt.Close()
		for _, row := range rows {
			if _, err := stmt.ExecContext(ctx, row...); err != nil {
				return err
			}
		}
		return nil
	}
	for part := range slices.Chunk(rows, 500) {
		query, values := []byte(text.before), make([]any, 0, len(part)*len(part[0]))
		for i, row := range part {
			if i > 0 {
				query = append(query, ',')
			}
			query, values = append(query, text.row...), append(values, row...)
		}
		if _, err := tx.ExecContext(ctx, string(append(query, text.after...)), values...); err != nil {
			return err
		}
	}
	return nil
}
