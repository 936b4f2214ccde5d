package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airstrip/internal/traffic"
)

// blockRows is how many rows one insert has: few large parts, and a bounded memory on both sides.
const blockRows = 100_000

// sums are what the rows of some hours add up to. They wrap around as those of ClickHouse do.
type sums struct{ rows, up, down, billed uint64 }

func (s *sums) add(r traffic.HourTotal) {
	s.rows++
	s.up += uint64(r.Up)
	s.down += uint64(r.Down)
	s.billed += uint64(r.Billed)
}

func (s sums) String() string {
	return fmt.Sprintf("%d rows, %d bytes up, %d down, %d billed", s.rows, s.up, s.down, s.billed)
}

// A block is the rows of one insert into traffic, by column.
type block struct {
	user, node, up, down, billed, version []uint64
	at                                    []time.Time
	rate                                  []uint32
}

func (b *block) add(r traffic.HourTotal, version int64) {
	b.user = append(b.user, uint64(r.UserID))
	b.at = append(b.at, time.Unix(r.Hour*3600, 0))
	b.node = append(b.node, uint64(r.NodeID))
	b.rate = append(b.rate, uint32(r.RatePermille))
	b.up = append(b.up, uint64(r.Up))
	b.down = append(b.down, uint64(r.Down))
	b.billed = append(b.billed, uint64(r.Billed))
	b.version = append(b.version, uint64(version))
}

// insert sends columns of equal length as one block.
func (c *ClickHouse) insert(ctx context.Context, into string, columns ...any) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	batch, err := c.conn.PrepareBatch(ctx, "INSERT INTO "+into)
	if err != nil {
		return err
	}
	defer batch.Close()
	for i, column := range columns {
		if err := batch.Column(i).Append(column); err != nil {
			return err
		}
	}
	return batch.Send()
}

// send sends the totals of the hours from from on and before to, which are Unix times / 3600, under a new version, and
// returns what they add up to. It reads on while a block is on its way.
func (l *lease) send(ctx context.Context, from, to int64) (sent sums, err error) {
	if err := l.next(ctx); err != nil {
		return sent, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	blocks, done := make(chan *block, 1), make(chan struct{})
	go func() {
		defer close(done)
		for b := range blocks {
			if ctx.Err() != nil {
				continue
			}
			err := l.held(ctx, nil)
			if err == nil {
				err = l.c.insert(ctx, "traffic (user_id, at, node_id, rate_permille, up, down, billed, ver)",
					b.user, b.at, b.node, b.rate, b.up, b.down, b.billed, b.version)
			}
			if err != nil {
				cancel(err)
			}
		}
	}()
	full := new(block)
	hand := func() error {
		select {
		case blocks <- full:
			full = new(block)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err = l.totals(ctx, from, to, func(r traffic.HourTotal) error {
		sent.add(r)
		full.add(r, l.version)
		if len(full.user) < l.c.blockRows {
			return nil
		}
		return hand()
	})
	if err == nil && len(full.user) > 0 {
		err = hand()
	}
	close(blocks)
	<-done
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = cause
	}
	return sent, err
}

// totals calls fn with the totals of all users who are not forgotten.
func (l *lease) totals(ctx context.Context, from, to int64, fn func(traffic.HourTotal) error) error {
	return l.c.Traffic.Totals(ctx, from, to, func(r traffic.HourTotal) error {
		if l.forgotten[r.UserID] {
			return nil
		}
		return fn(r)
	})
}
