package trafficlog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// sealAfter is how long after its end, and after the hours that stay open anyway, an hour is sealed. Late bytes of an
// hour that is sealed open a chunk again, which the next run seals.
const sealAfter = 10 * time.Minute

// Seal moves the rows of hours that are over into the packs of their users.
func (l *Log) Seal(ctx context.Context) error {
	before := l.db.Now().Add(-sealAfter).Unix()/3600 - openHours
	sealed := false
	for chunk := int64(-1); ; {
		var next []int64
		if err := l.db.NewRaw(`SELECT chunk FROM traffic_now WHERE chunk > ? ORDER BY chunk LIMIT 1`, chunk).
			Scan(ctx, &next); err != nil {
			return err
		}
		if len(next) == 0 {
			break
		}
		chunk = next[0]
		for {
			more, err := l.sealDay(ctx, chunk, before)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			sealed = true
		}
	}
	if !sealed {
		return nil
	}
	// Each pack was written again, so half of the table is old versions of packs; without this they take four times the
	// space.
	return errors.Join(l.db.Vacuum(ctx, "traffic_pack"), l.db.Vacuum(ctx, "traffic_now"))
}

// sealDay moves the rows of a chunk that are of its oldest UTC day and before an hour. more is false where there were
// none.
func (l *Log) sealDay(ctx context.Context, chunk, before int64) (more bool, err error) {
	var oldest []int64
	if err := l.db.NewRaw(`SELECT hour FROM traffic_now WHERE chunk = ? AND hour < ? ORDER BY hour LIMIT 1`, chunk,
		before).Scan(ctx, &oldest); err != nil || len(oldest) == 0 {
		return false, err
	}
	day := dayOfHour(oldest[0])
	end := min(before, (day+1)*dayHours)
	err = l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, Revision); err != nil {
			return err
		}
		var now []nowRow
		if err := tx.NewRaw(`SELECT chunk, hour, node_id, rate_permille, data FROM traffic_now
			WHERE chunk = ? AND hour >= ? AND hour < ?`, chunk, day*dayHours, end).Scan(ctx, &now); err != nil {
			return err
		}
		add := map[int64][]slotAmount{}
		for _, r := range now {
			if err := eachOfChunk(r.Data, chunk, r.RatePermille, func(user int64, a Amount) {
				id := packID(day, user)
				add[id] = append(add[id], slotAmount{slot{hourOfDay(r.Hour), r.NodeID, r.RatePermille}, a})
			}); err != nil {
				return err
			}
		}
		if err := addToPacks(ctx, tx, add); err != nil {
			return err
		}
		_, err := tx.NewRaw(`DELETE FROM traffic_now WHERE chunk = ? AND hour >= ? AND hour < ?`, chunk, day*dayHours,
			end).Exec(ctx)
		return err
	})
	return true, err
}

// addToPacks adds rows to packs, which are named by their ids.
func addToPacks(ctx context.Context, tx bun.Tx, add map[int64][]slotAmount) error {
	ids := slices.Sorted(maps.Keys(add))
	found, err := packs(ctx, tx, "data", ids)
	if err != nil {
		return err
	}
	before := make(map[int64][]byte, len(found))
	for _, p := range found {
		before[p.ID] = p.Data
	}
	put := make([][]any, 0, len(ids))
	for _, id := range ids {
		rows := sortPack(add[id])
		if data, ok := before[id]; ok {
			old, err := decodePack(data)
			if err != nil {
				return err
			}
			rows = mergePack(old, rows)
		}
		sum := sumOf(rows)
		put = append(put, []any{id, len(rows), sum.Up, sum.Down, sum.Billed, encodeSums(rows), encodePack(rows)})
	}
	return upsert(ctx, tx, upsertPack, put)
}
