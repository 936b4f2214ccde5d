package trafficlog

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// dropPacks is how many packs one transaction removes, so that other writers do not wait long.
const dropPacks = 2000

// DropHours removes hours before one. Hours of the UTC day in which that one lies stay until the day is over.
func (l *Log) DropHours(ctx context.Context, before int64) error {
	dropped := false
	for {
		var n int64
		err := l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
			n, err = db.Changed(tx.NewRaw(`DELETE FROM traffic_pack WHERE id IN (SELECT id FROM traffic_pack WHERE id < ?
				ORDER BY id LIMIT ?)`, packID(dayOfHour(before), 0), dropPacks).Exec(ctx))
			return err
		})
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		dropped = true
	}
	if !dropped {
		return nil
	}
	return l.db.Vacuum(ctx, "traffic_pack")
}

// FoldDays adds the days before a month to their months and removes them. The month is written as 202601.
func (l *Log) FoldDays(ctx context.Context, before int64) error {
	for {
		folded := false
		err := l.locked(ctx, func(ctx context.Context, tx bun.Tx) error {
			folded = false
			var found []periodChunk
			if err := tx.NewRaw(`SELECT id, data FROM traffic_day_chunk WHERE id < ? ORDER BY id LIMIT ?`,
				chunkID(before*100, 0), forgetParts).Scan(ctx, &found); err != nil {
				return err
			}
			ids := make([]int64, len(found))
			for i, f := range found {
				chunk := f.ID & lowHalf
				of := map[int64]Amount{}
				if err := eachOfChunk(f.Data, chunk, 1000, func(user int64, a Amount) { of[user] = a }); err != nil {
					return err
				}
				if err := addToPeriod(ctx, tx, "traffic_month_chunk", f.ID>>32/100, of); err != nil {
					return err
				}
				ids[i], folded = f.ID, true
			}
			if !folded {
				return nil
			}
			_, err := tx.NewRaw(`DELETE FROM traffic_day_chunk WHERE id IN (?)`, bun.List(ids)).Exec(ctx)
			return err
		})
		if err != nil || !folded {
			return err
		}
	}
}
