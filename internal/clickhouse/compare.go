package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/traffic"
)

const (
	hoursOfDay = 24
	// recentDays is for how many days late reports are counted; these are compared every hour, older ones every day.
	recentDays    = 8
	compareRecent = time.Hour
	compareOld    = 24 * time.Hour
	// settledAfter is how long after its end a day is first sent whole: the agents' last reports of it have come.
	settledAfter = 15 * time.Minute
)

// dayOf returns the day of UTC of a time, as Unix time / 86400.
func dayOf(t time.Time) int64 { return t.Unix() / 86_400 }

func startOf(day int64) time.Time { return time.Unix(day*86_400, 0).UTC() }

// comparableFrom returns the first day of which the retention removes nothing before tomorrow.
func (c *ClickHouse) comparableFrom() int64 {
	return dayOf(c.DB.Now().AddDate(0, 0, -c.Settings.Get().TrafficLogDays)) + 2
}

// sumsOfDays returns what ClickHouse has of each day from from on and before to.
func (c *ClickHouse) sumsOfDays(ctx context.Context, from, to int64) (map[int64]sums, error) {
	ctx, cancel := bounded(ctx, sumTimeout, sumMemory)
	defer cancel()
	rows, err := c.conn.Query(ctx, `SELECT toInt64(intDiv(toUInt32(at), 86400)) AS day, count(), sum(up), sum(down),
		sum(billed) FROM traffic FINAL WHERE at >= ? AND at < ? GROUP BY day`, startOf(from), startOf(to))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[int64]sums{}
	for rows.Next() {
		var day int64
		var s sums
		if err := rows.Scan(&day, &s.rows, &s.up, &s.down, &s.billed); err != nil {
			return nil, err
		}
		found[day] = s
	}
	return found, rows.Err()
}

// sumsInDatabase returns what the database has of a day.
func (l *lease) sumsInDatabase(ctx context.Context, day int64) (s sums, err error) {
	return s, l.totals(ctx, day*hoursOfDay, (day+1)*hoursOfDay, func(r traffic.HourTotal) error {
		s.add(r)
		return nil
	})
}

// sendDay sends a day whole and notes what differs although it was sent. What ClickHouse has of it beside what was sent
// is deleted, unless the retention may remove hours of the day.
func (l *lease) sendDay(ctx context.Context, day int64, healing bool) (rows uint64, err error) {
	want, err := l.send(ctx, day*hoursOfDay, (day+1)*hoursOfDay)
	if err != nil {
		return 0, err
	}
	difference := ""
	if day >= l.c.comparableFrom() {
		if difference, err = l.settle(ctx, day, want); err != nil {
			return 0, err
		}
	}
	return want.rows, l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		healed := 0
		if healing {
			healed = 1
		}
		_, err := tx.NewRaw(`INSERT INTO clickhouse_day (day, compared_at, healed, difference) VALUES (?, ?, ?, ?)
			ON CONFLICT (day) DO UPDATE SET compared_at = EXCLUDED.compared_at, difference = EXCLUDED.difference,
			healed = clickhouse_day.healed + EXCLUDED.healed`, day, l.c.DB.Now(), healed, difference).Exec(ctx)
		return err
	})
}

// settle returns what differs between ClickHouse and what was just sent of a day, after the rows of earlier versions
// were deleted where there is anything else.
func (l *lease) settle(ctx context.Context, day int64, want sums) (difference string, err error) {
	for try := range 2 {
		found, err := l.c.sumsOfDays(ctx, day, day+1)
		if err != nil {
			return "", err
		}
		if found[day] == want {
			return "", nil
		}
		difference = fmt.Sprintf("ClickHouse has %s; the database has %s", found[day], want)
		if try > 0 || day < l.c.comparableFrom() {
			break
		}
		if err := l.mutate(ctx, "traffic", "at >= ? AND at < ? AND ver < ?", startOf(day), startOf(day+1),
			uint64(l.version)); err != nil {
			return "", err
		}
	}
	slog.ErrorContext(ctx, "a day differs in ClickHouse although it was sent again", "day",
		startOf(day).Format(time.DateOnly), "difference", difference)
	return difference, nil
}

// compare compares the days that are due, those first that were compared longest ago, and sends again those that
// differ.
func (l *lease) compare(ctx context.Context, all bool) (done Progress, err error) {
	now := l.c.DB.Now()
	first := l.c.comparableFrom()
	var due []int64
	err = l.c.DB.NewRaw(`SELECT day FROM clickhouse_day WHERE day >= ? AND (? OR compared_at < ?
			OR (day > ? AND compared_at < ?)) ORDER BY compared_at, day`,
		first, all, now.Add(-compareOld), dayOf(now)-recentDays, now.Add(-compareRecent)).Scan(ctx, &due)
	if err != nil || len(due) == 0 {
		return done, err
	}
	months := map[string]map[int64]sums{}
	for i, day := range due {
		if !hasTime(ctx) {
			done.Remaining = int64(len(due) - i)
			return done, nil
		}
		if err := l.held(ctx, nil); err != nil {
			return done, err
		}
		month := startOf(day).Format("200601")
		if months[month] == nil { // one query for all days of a partition
			if months[month], err = l.c.sumsOfDays(ctx, dayOf(firstOfMonth(day, 0)),
				dayOf(firstOfMonth(day, 1))); err != nil {
				return done, err
			}
		}
		if err := l.compareDay(ctx, day, months[month][day], &done); err != nil {
			return done, err
		}
	}
	return done, nil
}

func firstOfMonth(day int64, later int) time.Time {
	t := startOf(day)
	return time.Date(t.Year(), t.Month()+time.Month(later), 1, 0, 0, 0, 0, time.UTC)
}

// compareDay compares a day with what ClickHouse was found to have of it.
func (l *lease) compareDay(ctx context.Context, day int64, found sums, done *Progress) error {
	want, err := l.sumsInDatabase(ctx, day)
	if err != nil {
		return err
	}
	done.Days++
	if found == want {
		return l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE clickhouse_day SET compared_at = ?, difference = '' WHERE day = ?`, l.c.DB.Now(),
				day).Exec(ctx)
			return err
		})
	}
	// Late reports are the usual cause where ClickHouse has less.
	slog.WarnContext(ctx, "a day in ClickHouse differs from the database and is sent again", "day",
		startOf(day).Format(time.DateOnly), "clickhouse", found.String(), "database", want.String())
	rows, err := l.sendDay(ctx, day, true)
	done.Healed++
	done.Rows += int64(rows)
	return err
}

// mutate deletes rows, and waits until ClickHouse has done so.
func (l *lease) mutate(ctx context.Context, table, where string, args ...any) error {
	if err := l.c.exec(ctx, "ALTER TABLE "+table+" DELETE WHERE "+where, args...); err != nil {
		return err
	}
	for {
		var open uint64
		if err := l.c.row(ctx, `SELECT toUInt64(count()) FROM system.mutations
			WHERE database = currentDatabase() AND table = ? AND NOT is_done`, []any{table}, &open); err != nil {
			return err
		}
		if open == 0 {
			return nil
		}
		if err := l.held(ctx, nil); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
