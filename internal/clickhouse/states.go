package clickhouse

import (
	"context"
	"hash/maphash"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"airstrip/internal/money"
)

// State is what a user had at a time.
type State struct {
	UserID   int64
	At       time.Time // the hour, by when it began
	Up, Down int64     // used of the quota, as billed
	Quota    int64     // 1 PiB where it is unlimited
	Balance  money.Amount
	Expires  time.Time // when the last running service ends; without one the day of the sign-up
}

var seed = maphash.MakeSeed()

// sendStates sends the state of each user whose state is not the one that this process sent last, once in each hour or
// always. After a restart those of all users are sent.
func (l *lease) sendStates(ctx context.Context, always bool) (sent int64, err error) {
	c, at := l.c, l.c.DB.Now().Truncate(time.Hour).UTC()
	if !always && c.statesAt.Equal(at) {
		return 0, nil
	}
	if c.sentStates == nil {
		c.sentStates = map[int64]uint64{}
	}
	var block []State
	flush := func() error {
		if len(block) == 0 {
			return nil
		}
		if err := l.insertStates(ctx, block, at); err != nil {
			return err
		}
		for _, s := range block {
			c.sentStates[s.UserID] = maphash.Comparable(seed, s)
		}
		sent += int64(len(block))
		block = nil
		return nil
	}
	for after := int64(0); ; {
		if !hasTime(ctx) {
			return sent, flush() // the next run goes on
		}
		part, err := c.States(ctx, after)
		if err != nil {
			return sent, err
		}
		if len(part) == 0 {
			break
		}
		after = part[len(part)-1].UserID
		for _, s := range part {
			if !l.forgotten[s.UserID] && c.sentStates[s.UserID] != maphash.Comparable(seed, s) {
				block = append(block, s)
			}
		}
		if len(block) >= eventRows {
			if err := flush(); err != nil {
				return sent, err
			}
		}
	}
	if err := flush(); err != nil {
		return sent, err
	}
	c.statesAt = at
	return sent, nil
}

func (l *lease) insertStates(ctx context.Context, states []State, at time.Time) error {
	if err := l.next(ctx); err != nil {
		return err
	}
	var user, up, down, quota, version []uint64
	var balance []int64
	var when, expires []time.Time
	for _, s := range states {
		user, up, down = append(user, uint64(s.UserID)), append(up, uint64(s.Up)), append(down, uint64(s.Down))
		quota, balance = append(quota, uint64(s.Quota)), append(balance, int64(s.Balance))
		when, expires, version = append(when, at), append(expires, clamp(s.Expires)), append(version, uint64(l.version))
	}
	return l.c.insert(ctx, "user_state (user_id, at, up, down, quota, balance, expires, ver)", user, when, up, down, quota,
		balance, expires, version)
}

// History returns the states of a user, the oldest first: of the newest q.Limit ones, after q.Offset. Where ClickHouse
// does not answer it is the present state alone.
func (c *ClickHouse) History(ctx context.Context, q Query) (states []State, source Source, err error) {
	err = c.ask(ctx, `SELECT at, toInt64(up), toInt64(down), toInt64(quota), balance, expires FROM user_state FINAL
		WHERE user_id = ? AND at >= ? AND at < ? ORDER BY at DESC LIMIT ?, ?`, q, func(rows driver.Rows) error {
		s := State{UserID: q.UserID}
		var balance int64
		err := rows.Scan(&s.At, &s.Up, &s.Down, &s.Quota, &balance, &s.Expires)
		s.At, s.Expires, s.Balance = s.At.UTC(), s.Expires.UTC(), money.Amount(balance)
		states = append(states, s)
		return err
	})
	if !answered(err) {
		now := c.DB.Now().UTC().Truncate(time.Hour)
		if now.Before(q.From) || !now.Before(q.To) || q.Offset > 0 {
			return nil, FromDatabase, nil
		}
		part, err := c.States(ctx, q.UserID-1)
		if err != nil || len(part) == 0 || part[0].UserID != q.UserID {
			return nil, FromDatabase, err
		}
		part[0].At = now
		return part[:1], FromDatabase, nil
	}
	slices.Reverse(states)
	return states, FromClickHouse, err
}
