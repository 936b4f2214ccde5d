package clickhouse

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/job"
)

// leaseTime is how long the holder of the lease may be silent before another takes it. It is longer than one insert.
const leaseTime = 2 * time.Minute

// errLost is the error of a holder whose lease another has taken.
var errLost = errors.New("clickhouse: another server has taken the lease")

// A lease is the right to send. Its version grows with each step and with each holder: totals are read after their
// version was given, so of two servers the one with the higher version has read them later.
type lease struct {
	c         *ClickHouse
	version   int64
	site      string
	sentHour  int64          // of today's hours, those before it were sent
	forgotten map[int64]bool // users who closed their accounts
}

// take returns the lease, or job.ErrRunning where another holds it.
func (c *ClickHouse) take(ctx context.Context) (*lease, error) {
	l := &lease{c: c}
	return l, c.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := c.DB.Now()
		if _, err := tx.NewRaw(`INSERT INTO clickhouse_state (one, site, version, lease_until, sent_hour, problem)
			VALUES (1, ?, 0, ?, 0, '') ON CONFLICT (one) DO NOTHING`, uuid.NewString(), now).Exec(ctx); err != nil {
			return err
		}
		var rows []struct {
			Version, SentHour int64
			Site              string
		}
		err := tx.NewRaw(`UPDATE clickhouse_state SET version = version + 1, lease_until = ?
			WHERE lease_until <= ? OR lease_until > ? RETURNING version, sent_hour, site`,
			now.Add(leaseTime), now, now.Add(leaseTime+clock.Tolerance)).Scan(ctx, &rows)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return job.ErrRunning
		}
		l.version, l.sentHour, l.site = rows[0].Version, rows[0].SentHour, rows[0].Site
		return nil
	})
}

// held runs fn as a step of the holder, in a transaction that fails with errLost where the lease is another's by now.
// It makes the lease last from now.
func (l *lease) held(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return l.c.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewRaw(`UPDATE clickhouse_state SET lease_until = ? WHERE version = ?`,
			l.c.DB.Now().Add(leaseTime), l.version).Exec(ctx))
		if err == nil && n == 0 {
			err = errLost
		}
		if err != nil || fn == nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// next gives the lease a new version, for totals that are read after it.
func (l *lease) next(ctx context.Context) error {
	err := l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE clickhouse_state SET version = version + 1 WHERE version = ?`, l.version).Exec(ctx)
		return err
	})
	if err == nil {
		l.version++
	}
	return err
}

// release gives the lease back, with why the run failed.
func (l *lease) release(ctx context.Context, problem string) error {
	ctx, cancel := detached.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err := l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE clickhouse_state SET lease_until = ?, problem = ? WHERE version = ?`,
			l.c.DB.Now(), problem, l.version).Exec(ctx)
		return err
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}
