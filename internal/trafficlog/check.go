package trafficlog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
)

// Visitor is called with all that the log holds. A user's day, and a row, may come in several parts.
type Visitor struct {
	Day, Month func(UserDay)
	Row        func(HourTotal)
	Broken     func(what string) // a place whose bytes cannot be read, or whose counts are not those of its rows
}

// Visit reads the whole log in the snapshot of tx.
func (l *Log) Visit(ctx context.Context, tx bun.Tx, v Visitor) error {
	for _, of := range []struct {
		table string
		visit func(UserDay)
	}{{"traffic_day_chunk", v.Day}, {"traffic_month_chunk", v.Month}} {
		if err := eachPeriodChunk(ctx, tx, of.table, 0, NewestDay, func(d UserDay) error {
			of.visit(d)
			return nil
		}); errors.Is(err, errBlob) {
			v.Broken("table " + of.table)
		} else if err != nil {
			return err
		}
	}
	old, err := l.oldDays(ctx, tx, nil, 0, NewestDay)
	if err != nil {
		return err
	}
	for _, d := range old {
		v.Day(d)
	}
	return l.visitRows(ctx, tx, v)
}

func (l *Log) visitRows(ctx context.Context, tx bun.Tx, v Visitor) error {
	var now []nowRow
	for at := (nowRow{Chunk: -1}); ; at = now[len(now)-1] {
		now = nil
		if err := tx.NewRaw(`SELECT chunk, hour, node_id, rate_permille, data FROM traffic_now
			WHERE (chunk, hour, node_id, rate_permille) > (?, ?, ?, ?)
			ORDER BY chunk, hour, node_id, rate_permille LIMIT 1000`, at.Chunk, at.Hour, at.NodeID, at.RatePermille).
			Scan(ctx, &now); err != nil {
			return err
		}
		for _, r := range now {
			if err := eachOfChunk(r.Data, r.Chunk, r.RatePermille, func(user int64, a Amount) {
				v.Row(HourTotal{r.Hour, user, r.NodeID, r.RatePermille, a})
			}); err != nil {
				v.Broken(fmt.Sprintf("the chunk %d of node %d in hour %d", r.Chunk, r.NodeID, r.Hour))
			}
		}
		if len(now) < 1000 {
			break
		}
	}
	var found []packRow
	for next := int64(-1); ; next = found[len(found)-1].ID {
		found = nil
		if err := tx.NewRaw(`SELECT id, n, up, down, billed, sums, data FROM traffic_pack WHERE id > ?
			ORDER BY id LIMIT 1000`, next).Scan(ctx, &found); err != nil {
			return err
		}
		for _, p := range found {
			rows, err := decodePack(p.Data)
			if err != nil || int64(len(rows)) != p.N || sumOf(rows) != p.amount() ||
				string(encodeSums(rows)) != string(p.Sums) {
				v.Broken(fmt.Sprintf("the pack of user %d on day %d since 1970", p.user(), p.day()))
			}
			for _, r := range rows {
				v.Row(HourTotal{p.day()*dayHours + r.hour, p.user(), r.node, r.rate, r.Amount})
			}
		}
		if len(found) < 1000 {
			break
		}
	}
	old, err := l.oldRows(ctx, tx, `TRUE`)
	for _, r := range old {
		v.Row(HourTotal{r.Hour, r.UserID, r.NodeID, r.RatePermille, Amount{r.Up, r.Down, r.Billed}})
	}
	return err
}

// FirstDay returns the first day of the site's calendar that the log has, as 20260131; ok is false where it has none.
func (l *Log) FirstDay(ctx context.Context, tx bun.Tx) (day int64, ok bool, err error) {
	first, last, err := bounds(ctx, tx, "traffic_day_chunk")
	if err != nil {
		return 0, false, err
	}
	var old []int64
	err = tx.NewRaw(`SELECT day FROM traffic_day_row WHERE day >= (SELECT next_day FROM traffic_move)
		ORDER BY day LIMIT 1`).Scan(ctx, &old)
	if len(old) > 0 && (last < 0 || old[0] < first) {
		return old[0], true, err
	}
	return first, last >= 0, err
}

// FirstHour returns the hour from which on all rows are there that were not removed by retention; ok is false where
// the log has no rows.
func (l *Log) FirstHour(ctx context.Context, tx bun.Tx) (hour int64, ok bool, err error) {
	hours, err := openBounds(ctx, tx)
	if err != nil {
		return 0, false, err
	}
	var old []int64
	if err := tx.NewRaw(`SELECT hour FROM (SELECT min(h.hour) AS hour FROM traffic_hour_row AS h
		JOIN traffic_move AS m ON h.user_id >= m.next_user) AS ends WHERE hour IS NOT NULL`).Scan(ctx, &old); err != nil {
		return 0, false, err
	}
	hours = append(hours, old...)
	first, end, err := packDays(ctx, tx)
	if end > 0 {
		hours = append(hours, first*dayHours)
	}
	if len(hours) == 0 {
		return 0, false, err
	}
	return slices.Min(hours), true, err
}
