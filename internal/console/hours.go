package console

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
	"airstrip/internal/wallet"
)

// adding adds up what happened from from on and before to.
type adding func(ctx context.Context, from, to time.Time) (Total, error)

// hourly are the figures whose past never changes, so that hours that are over are added up once and stored.
func (c *Console) hourly() map[string]adding {
	of := func(s wallet.Sum, err error) (Total, error) { return Total{Rows: s.Found, Amount: s.Amount}, err }
	return map[string]adding{
		"revenue": func(ctx context.Context, from, to time.Time) (Total, error) {
			return of(c.wallets.SiteBetween(ctx, from, to, wallet.Sales, wallet.Refunds))
		},
		"gifts": func(ctx context.Context, from, to time.Time) (Total, error) {
			t, err := of(c.wallets.SiteBetween(ctx, from, to, wallet.Gifts))
			t.Amount = -t.Amount // the account loses what users are given
			return t, err
		},
		"orders": func(ctx context.Context, from, to time.Time) (t Total, err error) {
			t.Rows, t.Amount, err = c.shop.PaidBetween(ctx, from, to)
			return t, err
		},
		"received": func(ctx context.Context, from, to time.Time) (Total, error) {
			return of(c.wallets.ReceivedBetween(ctx, from, to))
		},
		"returned": func(ctx context.Context, from, to time.Time) (Total, error) {
			return of(c.wallets.ReturnedBetween(ctx, from, to))
		},
	}
}

// between adds up a figure from from on and before to: from stored hours as far as there are any, else from the rows.
func (c *Console) between(ctx context.Context, figure string, from, to time.Time) (Total, error) {
	add := c.hourly()[figure]
	var next int64 // the first hour that is not stored
	if err := c.db.NewRaw(`SELECT COALESCE((SELECT hour + 1 FROM overview_hour WHERE figure = ?
		ORDER BY hour DESC LIMIT 1), 0)`, figure).Scan(ctx, &next); err != nil {
		return Total{}, err
	}
	first, end := (from.Unix()+3599)/3600, min(to.Unix()/3600, next)
	if from.Nanosecond() > 0 {
		first = from.Unix()/3600 + 1
	}
	if first >= end {
		return add(ctx, from, to)
	}
	var sum Total
	if err := c.db.NewRaw(`SELECT CAST(COALESCE(SUM(found), 0) AS BIGINT), CAST(COALESCE(SUM(amount), 0) AS BIGINT)
		FROM overview_hour WHERE figure = ? AND hour >= ? AND hour < ?`, figure, first, end).
		Scan(ctx, &sum.Rows, &sum.Amount); err != nil {
		return Total{}, err
	}
	for _, ends := range [][2]time.Time{{from, hourAt(first)}, {hourAt(end), to}} {
		if !ends[0].Before(ends[1]) {
			continue
		}
		t, err := add(ctx, ends[0], ends[1])
		if err != nil {
			return Total{}, err
		}
		sum.Rows, sum.Amount = sum.Rows+t.Rows, sum.Amount+t.Amount
	}
	return sum, nil
}

func hourAt(hour int64) time.Time { return time.Unix(hour*3600, 0).UTC() }

// Register gives the queue what the console does by the clock.
func (c *Console) Register(q *job.Queue) {
	q.Every("console.hours", c.StoreHours)
	q.Every("console.correct", c.CorrectHours)
}

const (
	// lateRows is how long after its time a row may be committed, by a server whose clock is behind.
	lateRows = 10 * time.Minute
	// hoursAgain is how many stored hours each run adds up again.
	hoursAgain = 2
	// hoursAtOnce is how many hours one transaction stores.
	hoursAtOnce = 240
)

// StoreHours adds up the hours that are over and were not stored. The first run begins with the first user. Hours that
// are not over were stored by a server whose clock was ahead, and are removed.
func (c *Console) StoreHours(ctx context.Context) error {
	var first []time.Time
	if err := c.db.NewRaw(`SELECT created_at FROM user_facts ORDER BY created_at LIMIT 1`).Scan(ctx, &first); err != nil ||
		len(first) == 0 {
		return err
	}
	end := c.db.Now().Add(-lateRows).Unix() / 3600
	for figure, add := range c.hourly() {
		if err := c.removeHoursFrom(ctx, figure, end); err != nil {
			return err
		}
		var stored []int64
		if err := c.db.NewRaw(`SELECT hour FROM overview_hour WHERE figure = ? ORDER BY hour DESC LIMIT 1`, figure).
			Scan(ctx, &stored); err != nil {
			return err
		}
		hour := first[0].Unix() / 3600
		if len(stored) > 0 {
			hour = stored[0] + 1 - hoursAgain
		}
		for ; hour < end; hour += hoursAtOnce {
			if err := c.storeHours(ctx, figure, add, hour, min(end, hour+hoursAtOnce)); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeHoursFrom removes the stored hours of a figure from this one on. There are none but after a wrong clock.
func (c *Console) removeHoursFrom(ctx context.Context, figure string, hour int64) error {
	const later = "figure = ? AND hour >= ?"
	stored, err := c.db.NewSelect().Model((*overviewHour)(nil)).Where(later, figure, hour).Exists(ctx)
	if err != nil || !stored {
		return err
	}
	return c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*overviewHour)(nil)).Where(later, figure, hour).Exec(ctx)
		return err
	})
}

// CorrectHours adds up the stored hours again that are not what their rows add up to: a server whose clock was wrong
// wrote rows of hours that were over.
func (c *Console) CorrectHours(ctx context.Context) error {
	var found []string
	if err := c.db.ReadWhole(ctx, hoursRule(c.db).Query, &found); err != nil {
		return err
	}
	for _, what := range found {
		figure, text, _ := strings.Cut(what, ofHour)
		hour, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			err = c.storeHours(ctx, figure, c.hourly()[figure], hour, hour+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// overviewHour is a stored hour of a figure.
type overviewHour struct {
	bun.BaseModel `bun:"table:overview_hour"`
	Figure        string `bun:",pk"`
	Hour          int64  `bun:",pk"`
	Found         int64
	Amount        int64
}

func (c *Console) storeHours(ctx context.Context, figure string, add adding, hour, end int64) error {
	var rows []overviewHour
	for ; hour < end; hour++ {
		t, err := add(ctx, hourAt(hour), hourAt(hour+1))
		if err != nil {
			return err
		}
		rows = append(rows, overviewHour{Figure: figure, Hour: hour, Found: t.Rows, Amount: int64(t.Amount)})
	}
	return c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&rows).On("CONFLICT (figure, hour) DO UPDATE").
			Set("found = EXCLUDED.found, amount = EXCLUDED.amount").Exec(ctx)
		return err
	})
}
