package trafficlog

import (
	"context"
	"math"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// moveUsers is how many users' rows of earlier versions one transaction moves.
const moveUsers = 16

// moveMargin is how long before its deadline a run of the job stops by itself; the next run goes on.
const moveMargin = 30 * time.Second

// maxPlace is the place of a job that is done.
const maxPlace = math.MaxInt64

// place is how far the rows of earlier versions have been moved.
type place struct{ NextUser, NextDay int64 }

func (l *Log) place(ctx context.Context, idb bun.IDB) (p place, err error) {
	err = idb.NewRaw(`SELECT next_user, next_day FROM traffic_move`).Scan(ctx, &p)
	return p, err
}

// Open looks whether rows of earlier versions are left, and removes those that were moved. It is called before the
// server takes requests, since removing many rows locks a file for seconds.
func (l *Log) Open(ctx context.Context) error {
	p, err := l.place(ctx, l.db)
	if err != nil || p.NextUser < maxPlace || p.NextDay < maxPlace {
		return err
	}
	var left []int64
	if err := l.db.NewRaw(`SELECT 1 WHERE EXISTS (SELECT 1 FROM traffic_hour_row) OR EXISTS (SELECT 1
		FROM traffic_day_row)`).Scan(ctx, &left); err != nil {
		return err
	}
	if len(left) > 0 {
		err = l.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
			for _, table := range []string{"traffic_hour_row", "traffic_day_row"} {
				// SQLite frees the pages of a table without reading its rows where there is no condition.
				text := `TRUNCATE TABLE ?`
				if l.db.SQLite() {
					text = `DELETE FROM ?`
				}
				if _, err := tx.NewRaw(text, bun.Ident(table)).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err == nil {
		l.moved.Store(true)
	}
	return err
}

// Move moves the rows of earlier versions into packs and chunks until none is left or ctx ends. It goes on where an
// earlier run stopped.
func (l *Log) Move(ctx context.Context) error {
	if l.moved.Load() {
		return nil
	}
	for {
		if end, limited := ctx.Deadline(); limited && time.Until(end) < moveMargin {
			return nil
		}
		p, err := l.place(ctx, l.db)
		if err != nil {
			return err
		}
		switch {
		case p.NextUser < maxPlace:
			err = l.moveUsers(ctx, p)
		case p.NextDay < maxPlace:
			err = l.moveDay(ctx, p)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// moveUsers moves the hours of some users. Nobody writes to these rows any more, so they are read before the
// transaction that others wait for.
func (l *Log) moveUsers(ctx context.Context, at place) error {
	var first []int64
	if err := l.db.NewRaw(`SELECT user_id FROM traffic_hour_row WHERE user_id >= ? ORDER BY user_id LIMIT 1`,
		at.NextUser).Scan(ctx, &first); err != nil {
		return err
	}
	next := int64(maxPlace)
	add := map[int64][]slotAmount{}
	if len(first) > 0 {
		next = first[0] + moveUsers
		var rows []oldRow
		if err := l.db.NewRaw(`SELECT user_id, node_id, hour, rate_permille, up, down, billed FROM traffic_hour_row
			WHERE user_id >= ? AND user_id < ?`, first[0], next).Scan(ctx, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			id := packID(dayOfHour(r.Hour), r.UserID)
			add[id] = append(add[id], r.slotAmount())
		}
	}
	return l.moveTo(ctx, at, place{next, at.NextDay}, func(ctx context.Context, tx bun.Tx) error {
		return addToPacks(ctx, tx, add)
	})
}

// moveDay moves a day of the site's calendar.
func (l *Log) moveDay(ctx context.Context, at place) error {
	var first []int64
	if err := l.db.NewRaw(`SELECT day FROM traffic_day_row WHERE day >= ? ORDER BY day LIMIT 1`, at.NextDay).
		Scan(ctx, &first); err != nil {
		return err
	}
	next := int64(maxPlace)
	of := map[int64]Amount{}
	if len(first) > 0 {
		next = first[0] + 1
		var rows []UserDay
		if err := l.db.NewRaw(`SELECT day, user_id, up, down, billed FROM traffic_day_row WHERE day = ?`, first[0]).
			Scan(ctx, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			of[r.UserID] = r.Amount
		}
	}
	return l.moveTo(ctx, at, place{at.NextUser, next}, func(ctx context.Context, tx bun.Tx) error {
		if len(first) == 0 {
			return nil
		}
		return addToPeriod(ctx, tx, "traffic_day_chunk", first[0], of)
	})
}

// moveTo writes what was moved together with the new place, unless another process has done so.
func (l *Log) moveTo(ctx context.Context, from, to place, write func(context.Context, bun.Tx) error) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, Revision); err != nil {
			return err
		}
		n, err := db.Changed(tx.NewRaw(`UPDATE traffic_move SET next_user = ?, next_day = ?
			WHERE next_user = ? AND next_day = ?`, to.NextUser, to.NextDay, from.NextUser, from.NextDay).Exec(ctx))
		if err != nil || n == 0 {
			return err
		}
		return write(ctx, tx)
	})
}
