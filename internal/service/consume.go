package service

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Use is traffic of one user on nodes of one class and group. BilledUp and BilledDown together count against the quota,
// Up and Down are what was moved; none is negative.
type Use struct {
	UserID               int64
	Class, Group         int
	Up, Down             int64
	BilledUp, BilledDown int64
}

func (u Use) billed() int64 { return u.BilledUp + u.BilledDown }

// ErrOverflow is the error of a counter that would pass 63 bits.
var ErrOverflow = errors.New("service: a traffic counter would overflow")

// source is a service's cycle or a package, and what is consumed of it now.
type source struct {
	packaged         bool
	id, cycle        int64
	class            int
	groups           []int
	open             bool
	ends             *int64 // by its time, as a Unix time rounded down; nil: never
	unlimited        bool
	remaining        int64 // not above 0 where nothing is
	up, down         int64
	billed, billedUp int64 // in all, and what of it went up
}

// HighestCounters returns the highest counter of any cycle or package of each user that bytes may still be counted in.
func (s *Services) HighestCounters(ctx context.Context, tx bun.Tx, userIDs []int64) (map[int64]int64, error) {
	highest := make(map[int64]int64, len(userIDs))
	users := db.NumbersOf(1, len(userIDs))
	users.Add(userIDs...)
	for part := range users.Parts() {
		rows, err := tx.QueryContext(ctx, `SELECT s.user_id, c.up, c.down, c.billed FROM ?0 AS v
			JOIN service AS s ON s.user_id = v.column1 JOIN service_cycle AS c ON c.service_id = s.id
			UNION ALL SELECT p.user_id, p.up, p.down, p.used FROM ?0 AS v JOIN package AS p
			ON p.user_id = v.column1`, part)
		if err != nil {
			return nil, err
		}
		err = eachRow(rows, func() error {
			var user, up, down, billed int64
			err := rows.Scan(&user, &up, &down, &billed)
			highest[user] = max(highest[user], up, down, billed)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return highest, nil
}

// ConsumeTraffic counts uses against what the users hold, as part of tx: first against services that open such nodes,
// in the order of their ends, then against packages, and against other services only where the user has neither.
// Overuse is counted on the last one. Transactions that consume must run one after the other: each begins with bumping
// one revision, to the value given. It returns the ids of the users with nothing remaining, and refreshes their Access
// and that of users with a source that is now used up. After the commit committed is called.
func (s *Services) ConsumeTraffic(ctx context.Context, tx bun.Tx, revision int64, uses []Use) (
	spent []int64, committed func(), err error,
) {
	ids := make([]int64, 0, len(uses))
	for _, u := range uses {
		ids = append(ids, u.UserID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	m, err := s.take(ctx, tx, revision)
	if err != nil {
		return nil, nil, err
	}
	held, err := m.of(ctx, tx, s, ids, s.db.Now())
	if err != nil {
		return nil, nil, err
	}
	before, open := make([]int, len(ids)), make([]int, len(ids))
	for i, id := range ids {
		before[i], open[i] = level(held[id]), withTraffic(held[id])
	}
	for _, u := range uses {
		if err := u.consume(held[u.UserID]); err != nil {
			return nil, nil, err
		}
	}
	if err := s.writeConsumed(ctx, tx, ids, held); err != nil {
		return nil, nil, err
	}
	written(ids, held)
	var halved, dry []int64
	for i, id := range ids {
		if withTraffic(held[id]) < open[i] {
			dry = append(dry, id)
		}
		switch after := level(held[id]); {
		case after == nothing:
			spent = append(spent, id)
		case after != before[i]:
			halved = append(halved, id)
		}
	}
	if err := s.NotifyNodes(ctx, tx, halved); err != nil {
		return nil, nil, err
	}
	return spent, s.keep(m), s.refreshSpent(ctx, tx, slices.Concat(spent, dry))
}

// withTraffic returns the number of sources of which something remains.
func withTraffic(held []*source) (n int) {
	for _, v := range held {
		if v.open && (v.unlimited || v.remaining > 0) {
			n++
		}
	}
	return n
}

// ConsumeLateTraffic counts uses of bytes that were moved at an earlier time against what the users held then, in the
// cycles of that time, including what has ended since. It refreshes the users' Access.
func (s *Services) ConsumeLateTraffic(ctx context.Context, tx bun.Tx, at time.Time, uses []Use) error {
	if len(uses) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(uses))
	for _, u := range uses {
		ids = append(ids, u.UserID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	held, err := s.sources(ctx, tx, ids, at,
		`(SELECT max(x.cycle) FROM service_cycle AS x WHERE x.service_id = s.id AND x.started_at <= ?0)`)
	if err != nil {
		return err
	}
	for _, u := range uses {
		if err := u.consume(held[u.UserID]); err != nil {
			return err
		}
	}
	if err := s.writeConsumed(ctx, tx, ids, held); err != nil {
		return err
	}
	if err := s.note(ctx, tx, ids); err != nil {
		return err
	}
	return s.refreshSpent(ctx, tx, ids)
}

// What level returns where nothing remains.
const nothing = -1

// level expresses how much remains in total in steps of halves, down to a MiB. Nodes are notified each time it has
// halved: each node then knows it within a factor of two and reports in time, and no quota costs more than some tens of
// messages.
func level(held []*source) int {
	left := int64(0)
	for _, v := range held {
		switch {
		case v.open && v.unlimited:
			return 64
		case v.open && v.remaining > 0:
			left = max(left, left+v.remaining) // a sum beyond 63 bits is as good as the last one before
		}
	}
	if left == 0 {
		return nothing
	}
	return bits.Len64(uint64(left) >> 20)
}

// NotifyNodes stamps the rows of the users with a new revision, so that nodes read them again.
func (s *Services) NotifyNodes(ctx context.Context, tx bun.Tx, userIDs []int64) error {
	if len(userIDs) == 0 {
		return nil
	}
	for part := range slices.Chunk(userIDs, 2000) {
		if _, err := s.Lock(ctx, tx, part); err != nil { // the rows before the revision, as Refresh does it
			return err
		}
	}
	revision, err := db.Bump(ctx, tx, Revision)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(userIDs, 2000) {
		if _, err := tx.NewUpdate().Model((*Access)(nil)).Set("revision = ?", revision).
			Where("allowed AND user_id IN (?)", bun.List(part)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refreshSpent removes the rights that came from used-up sources from those of spent who may still use something.
func (s *Services) refreshSpent(ctx context.Context, tx bun.Tx, spent []int64) error {
	var still []int64
	for part := range slices.Chunk(spent, 2000) {
		var ids []int64
		if err := tx.NewSelect().Model((*Access)(nil)).Column("user_id").Where("allowed AND user_id IN (?)",
			bun.List(part)).Scan(ctx, &ids); err != nil {
			return err
		}
		still = append(still, ids...)
	}
	if len(still) == 0 {
		return nil
	}
	return s.Refresh(ctx, tx, still...)
}

// sources reads what the users hold at that time, services before packages, those that end first before others. cycle
// is an expression of the services' cycles. What ended within the days before is among it, not open: the place for late
// bytes of users who hold nothing else. Rows are read by hand, since a report names thousands of users.
func (s *Services) sources(ctx context.Context, tx bun.Tx, ids []int64, at time.Time,
	cycle string,
) (map[int64][]*source, error) {
	lately := at.Add(-2 * lateFor)
	held := make(map[int64][]*source, len(ids))
	users := db.NumbersOf(1, len(ids))
	users.Add(ids...)
	var last []byte // most users have the same groups as the one before
	var lastGroups []int
	err := users.Each(tx, func(part any) error {
		rows, err := tx.QueryContext(ctx, `SELECT s.user_id, s.id, c.cycle, s.class, s.groups, s.quota_bytes - c.billed,
				CASE WHEN (s.ended_at IS NULL OR s.ended_at > ?0) AND s.ends_at > ?0 THEN 1 ELSE 0 END,
				`+s.unixTime(`CASE WHEN s.ended_at < s.ends_at THEN s.ended_at ELSE s.ends_at END`)+`
			FROM ?1 AS v JOIN service AS s ON s.user_id = v.column1 JOIN service_cycle AS c ON c.service_id = s.id
			AND c.cycle = `+cycle+`
			WHERE s.ended_at IS NULL OR s.ended_at > ?2 ORDER BY s.ends_at, s.id`, at, part, lately)
		if err != nil {
			return err
		}
		err = eachRow(rows, func() error {
			v := new(source)
			var user int64
			var left *int64
			var groups sql.RawBytes
			if err := rows.Scan(&user, &v.id, &v.cycle, &v.class, &groups, &left, &v.open, &v.ends); err != nil {
				return err
			}
			if v.unlimited = left == nil; !v.unlimited {
				v.remaining = *left
			}
			held[user] = append(held[user], v)
			if !bytes.Equal(groups, last) {
				last, lastGroups = bytes.Clone(groups), nil
				if err := json.Unmarshal(groups, &lastGroups); err != nil {
					return err
				}
			}
			v.groups = lastGroups
			return nil
		})
		if err != nil {
			return err
		}
		rows, err = tx.QueryContext(ctx, `SELECT p.user_id, p.id, p.bytes - p.used, CASE WHEN (p.ended_at IS NULL
			OR p.ended_at > ?0) AND (p.expires_at IS NULL OR p.expires_at > ?0) THEN 1 ELSE 0 END,
			`+s.unixTime(`CASE WHEN p.ended_at < p.expires_at OR p.expires_at IS NULL THEN p.ended_at
				ELSE p.expires_at END`)+`
			FROM ?1 AS v JOIN package AS p ON p.user_id = v.column1 WHERE p.created_at <= ?0 AND (p.ended_at IS NULL
			OR p.ended_at > ?2)
			ORDER BY CASE WHEN p.expires_at IS NULL THEN 1 ELSE 0 END, p.expires_at, p.id`, at, part, lately)
		if err != nil {
			return err
		}
		err = eachRow(rows, func() error {
			v := &source{packaged: true}
			var user int64
			if err := rows.Scan(&user, &v.id, &v.remaining, &v.open, &v.ends); err != nil {
				return err
			}
			held[user] = append(held[user], v)
			return nil
		})
		if err != nil {
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return held, s.addLast(ctx, tx, ids, at, held)
}

// addLast adds, for users who held nothing at that time nor shortly before, the last source that they had by then, or
// else the first one after it: bytes that count always count against some source.
func (s *Services) addLast(ctx context.Context, tx bun.Tx, ids []int64, at time.Time, held map[int64][]*source) error {
	without := db.NumbersOf(1, 0)
	for _, id := range ids {
		if len(held[id]) == 0 {
			without.Add(id)
		}
	}
	for part := range without.Parts() {
		rows, err := tx.QueryContext(ctx, `SELECT user_id, packaged, id, cycle FROM (
			SELECT had.*, row_number() OVER (PARTITION BY user_id ORDER BY later, until DESC, id DESC) AS place FROM (
				SELECT s.user_id, 0 AS packaged, s.id, s.ends_at AS until, CASE WHEN s.started_at > ?0 THEN 1
				ELSE 0 END AS later,
					coalesce((SELECT max(x.cycle) FROM service_cycle AS x WHERE x.service_id = s.id
					AND x.started_at <= ?0), 1) AS cycle
				FROM ?1 AS v JOIN service AS s ON s.user_id = v.column1
				UNION ALL SELECT p.user_id, 1, p.id, coalesce(p.ended_at, p.created_at), CASE WHEN p.created_at > ?0
				THEN 1 ELSE 0 END, 0
				FROM ?1 AS v JOIN package AS p ON p.user_id = v.column1) AS had) AS placed WHERE place = 1`, at, part)
		if err != nil {
			return err
		}
		err = eachRow(rows, func() error {
			v := new(source)
			var user int64
			err := rows.Scan(&user, &v.packaged, &v.id, &v.cycle)
			held[user] = append(held[user], v)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unixTime is an SQL expression for a time as a Unix time, rounded down.
func (s *Services) unixTime(expression string) string {
	if s.db.SQLite() {
		return `unixepoch(` + expression + `)`
	}
	return `CAST(floor(extract(epoch FROM ` + expression + `)) AS BIGINT)`
}

func eachRow(rows *sql.Rows, read func() error) error {
	defer rows.Close()
	for rows.Next() {
		if err := read(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// consume spreads the use over what its user holds.
func (u Use) consume(held []*source) error {
	var order []*source
	for _, wanted := range []func(*source) bool{
		func(v *source) bool { return !v.packaged && fits(v.class, v.groups, u.Class, u.Group) },
		func(v *source) bool { return v.packaged },
		// What no source is for: the node's class or group changed, or the service has ended since.
		func(v *source) bool { return len(order) == 0 },
	} {
		var found []*source
		for _, v := range held {
			if v.open && wanted(v) {
				found = append(found, v)
			}
		}
		order = append(order, found...)
	}
	if len(order) == 0 && len(held) > 0 {
		order = held[len(held)-1:]
	}
	rest := u
	for i, v := range order {
		part := rest
		if last := i == len(order)-1; !last && !v.unlimited && max(0, v.remaining) < rest.billed() {
			part = rest.part(max(0, v.remaining))
		}
		if err := v.add(part); err != nil {
			return err
		}
		if rest = rest.without(part); rest.billed() == 0 {
			break
		}
	}
	return nil
}

// part returns the share of the use for which so many bytes are billed, fewer than for the total.
func (u Use) part(billed int64) Use {
	p, total := u, u.billed()
	p.Up, p.Down = share(u.Up, billed, total), share(u.Down, billed, total)
	p.BilledUp = share(u.BilledUp, billed, total)
	p.BilledDown = billed - p.BilledUp
	return p
}

func (u Use) without(p Use) Use {
	u.Up, u.Down, u.BilledUp, u.BilledDown = u.Up-p.Up, u.Down-p.Down, u.BilledUp-p.BilledUp, u.BilledDown-p.BilledDown
	return u
}

// share returns n × part / total, rounded down, for 0 ≤ part < total.
func share(n, part, total int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(total))
	return int64(q)
}

func (v *source) add(u Use) error {
	for _, c := range []struct {
		counter *int64
		n       int64
	}{{&v.up, u.Up}, {&v.down, u.Down}, {&v.billed, u.billed()}, {&v.billedUp, u.BilledUp}} {
		if *c.counter += c.n; *c.counter < 0 {
			return ErrOverflow
		}
	}
	if !v.unlimited {
		v.remaining -= u.billed()
	}
	return nil
}

// writeConsumed adds what was consumed to the counters. A package that it uses up ends.
func (s *Services) writeConsumed(ctx context.Context, tx bun.Tx, ids []int64, held map[int64][]*source) error {
	cycles, packages := db.NumbersOf(6, len(ids)), db.NumbersOf(5, 0)
	for _, id := range ids {
		for _, v := range held[id] {
			switch {
			case v.up == 0 && v.down == 0 && v.billed == 0:
			case v.packaged:
				packages.Add(v.id, v.up, v.down, v.billed, v.billedUp)
			default:
				cycles.Add(v.id, v.cycle, v.up, v.down, v.billed, v.billedUp)
			}
		}
	}
	if err := cycles.Each(tx, func(rows any) error {
		_, err := tx.ExecContext(ctx, `UPDATE service_cycle
			SET up = up + v.column3, down = down + v.column4, billed = billed + v.column5, billed_up = billed_up + v.column6
			FROM ? AS v WHERE service_id = v.column1 AND cycle = v.column2`, rows)
		return err
	}); err != nil {
		return err
	}
	return packages.Each(tx, func(rows any) error {
		_, err := tx.ExecContext(ctx, `UPDATE package
			SET up = up + v.column2, down = down + v.column3, used = used + v.column4, used_up = used_up + v.column5,
				ended_at = CASE WHEN ended_at IS NULL AND used + v.column4 >= bytes THEN ? ELSE ended_at END
			FROM ? AS v WHERE id = v.column1`, s.db.Now(), rows)
		return err
	})
}
