package trafficlog

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// NewestDay is after every day of the site's calendar.
const NewestDay = 99_991_232

// oldDays returns the days of earlier versions that were not moved yet, from first on and before end; user: of this
// user; nil: of all.
func (l *Log) oldDays(ctx context.Context, tx bun.Tx, user *int64, first, end int64) (days []UserDay, err error) {
	if l.moved.Load() {
		return nil, nil
	}
	q := tx.NewSelect().TableExpr("traffic_day_row AS d").
		Join("JOIN traffic_move AS m ON d.day >= m.next_day").ColumnExpr("d.day, d.user_id, d.up, d.down, d.billed").
		Where("d.day >= ? AND d.day < ?", first, end)
	if user != nil {
		q.Where("d.user_id = ?", *user)
	}
	err = q.Scan(ctx, &days)
	return days, err
}

// dayIDs returns the ids that the chunks of days may have: those of a range for all chunks, of a few days for one.
func dayIDs(chunk, first, end int64) (ids []int64) {
	for day := first; day < end; {
		ids = append(ids, chunkID(day, chunk))
		switch {
		case day%100 < 31:
			day++
		case day/100%100 < 12:
			day = (day/100+1)*100 + 1
		default:
			day = (day/10_000+1)*10_000 + 101
		}
	}
	return ids
}

// Days returns what a user moved on days from first on and before end, which are written as 20260131, the oldest first.
func (l *Log) Days(ctx context.Context, user, first, end int64) (days []UserDay, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		days, err = l.userDays(ctx, tx, user, first, end)
		return err
	})
	return days, err
}

// shortPeriod is the difference of two days, as they are written, between which there are at most some 60: they are
// asked for without the first and the last day of the log.
const shortPeriod = 200

func (l *Log) userDays(ctx context.Context, tx bun.Tx, user, first, end int64) ([]UserDay, error) {
	from, before := first, end
	if end-first > shortPeriod {
		oldest, newest, err := bounds(ctx, tx, "traffic_day_chunk")
		if err != nil {
			return nil, err
		}
		from, before = max(first, oldest), min(end, newest+1)
	}
	found, err := periodChunks(ctx, tx, "traffic_day_chunk", dayIDs(user>>chunkBits, from, before))
	if err != nil {
		return nil, err
	}
	days, err := l.oldDays(ctx, tx, &user, first, end)
	if err != nil {
		return nil, err
	}
	return ofUser(days, found, user)
}

// ofUser adds what a user has in chunks to days, and puts them in order.
func ofUser(days []UserDay, found []periodChunk, user int64) ([]UserDay, error) {
	for _, f := range found {
		a, err := ofChunk(f.Data, user, 1000)
		if err != nil {
			return nil, err
		}
		if a != (Amount{}) {
			days = append(days, UserDay{f.ID >> 32, user, a})
		}
	}
	slices.SortFunc(days, func(a, b UserDay) int { return int(a.Day - b.Day) })
	out := days[:0]
	for _, d := range days {
		if n := len(out); n > 0 && out[n-1].Day == d.Day {
			out[n-1].Amount = out[n-1].plus(d.Amount)
			continue
		}
		out = append(out, d)
	}
	return out, nil
}

// bounds returns the first and the last day or month of a table; 0, -1 where it is empty.
func bounds(ctx context.Context, idb bun.IDB, table string) (first, last int64, err error) {
	var ids []int64
	err = idb.NewRaw(`SELECT id FROM (SELECT (SELECT min(id) FROM ?0) AS id
		UNION ALL SELECT (SELECT max(id) FROM ?0)) AS ends WHERE id IS NOT NULL`, bun.Ident(table)).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, -1, err
	}
	return slices.Min(ids) >> 32, slices.Max(ids) >> 32, nil
}

// Months returns what a user moved in months from first on and before end, which are written as 202601, the oldest
// first.
func (l *Log) Months(ctx context.Context, user, first, end int64) (months []UserDay, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		days, err := l.userDays(ctx, tx, user, first*100, end*100)
		if err != nil {
			return err
		}
		for i := range days {
			days[i].Day /= 100
		}
		from, to, err := bounds(ctx, tx, "traffic_month_chunk")
		if err != nil {
			return err
		}
		var ids []int64
		for month := max(first, from); month <= to && month < end; month++ {
			if m := month % 100; m >= 1 && m <= 12 {
				ids = append(ids, chunkID(month, user>>chunkBits))
			}
		}
		found, err := periodChunks(ctx, tx, "traffic_month_chunk", ids)
		if err != nil {
			return err
		}
		months, err = ofUser(days, found, user)
		return err
	})
	return months, err
}

// SumByUser adds what each user moved on days from first on and before end. Bytes of closed accounts are those of
// user 0.
func (l *Log) SumByUser(ctx context.Context, first, end int64) (sums map[int64]Amount, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		sums = map[int64]Amount{}
		old, err := l.oldDays(ctx, tx, nil, first, end)
		if err != nil {
			return err
		}
		for _, d := range old {
			sums[d.UserID] = sums[d.UserID].plus(d.Amount)
		}
		return eachPeriodChunk(ctx, tx, "traffic_day_chunk", first, end, func(d UserDay) error {
			sums[d.UserID] = sums[d.UserID].plus(d.Amount)
			return nil
		})
	})
	return sums, err
}

// eachPeriodChunk calls fn for each user of each day or month from first on and before end.
func eachPeriodChunk(
	ctx context.Context, tx bun.Tx, table string, first, end int64, fn func(UserDay) error,
) error {
	const part = 256
	next := chunkID(max(0, first), 0)
	for {
		var found []periodChunk
		if err := tx.NewRaw(`SELECT id, data FROM ? WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`, bun.Ident(table),
			next, chunkID(min(end, NewestDay), 0), part).Scan(ctx, &found); err != nil {
			return err
		}
		for _, f := range found {
			var failed error
			if err := eachOfChunk(f.Data, f.ID&lowHalf, 1000, func(user int64, a Amount) {
				if failed == nil {
					failed = fn(UserDay{f.ID >> 32, user, a})
				}
			}); err != nil {
				return err
			}
			if failed != nil {
				return failed
			}
		}
		if len(found) < part {
			return nil
		}
		next = found[part-1].ID + 1
	}
}

// Highest returns for each of the users the highest counter that bytes at a slot and on a day are added to.
func (l *Log) Highest(ctx context.Context, tx bun.Tx, s Slot, day int64, users []int64) (map[int64]int64, error) {
	highest := make(map[int64]int64, len(users))
	for _, user := range users {
		days, err := l.userDays(ctx, tx, user, day, day+1)
		if err != nil {
			return nil, err
		}
		rows, err := l.days(ctx, tx, user, Filter{s.Hour, s.Hour + 1, s.NodeID})
		if err != nil {
			return nil, err
		}
		for _, d := range days {
			highest[user] = max(highest[user], d.Up, d.Down, d.Billed)
		}
		for _, r := range rows[dayOfHour(s.Hour)] {
			if r.rate == s.RatePermille {
				highest[user] = max(highest[user], r.Up, r.Down, r.Billed)
			}
		}
	}
	return highest, nil
}
