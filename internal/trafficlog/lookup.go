package trafficlog

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/uptrace/bun"
)

// Pair is a user on a node since an hour, as a Unix time / 3600.
type Pair struct{ UserID, NodeID, Since int64 }

// openHours is how many hours before the present one stay in chunks. Leases and shares of quotas ask for these most.
const openHours = 1

// Billed returns what was billed to each of the pairs.
func (l *Log) Billed(ctx context.Context, tx bun.Tx, pairs []Pair, now int64) (map[Pair]int64, error) {
	billed := make(map[Pair]int64, len(pairs))
	wanted := make(map[[2]int64][]Pair, len(pairs)) // by user and node
	var chunks, nodes, ids, users []int64
	first := now
	for _, p := range pairs {
		key := [2]int64{p.UserID, p.NodeID}
		wanted[key] = append(wanted[key], p)
		chunks, nodes, users = append(chunks, p.UserID>>chunkBits), append(nodes, p.NodeID), append(users, p.UserID)
		first = min(first, p.Since)
		if p.Since < now-openHours {
			for day := dayOfHour(p.Since); day <= dayOfHour(now); day++ {
				ids = append(ids, packID(day, p.UserID))
			}
		}
	}
	add := func(user, node, hour int64, a Amount) {
		for _, p := range wanted[[2]int64{user, node}] {
			if hour >= p.Since {
				billed[p] = saturate(billed[p], a.Billed)
			}
		}
	}
	// Packs come first: where a seal commits in between, its rows are missing, and a lease seems larger than it is.
	found, err := packs(ctx, tx, "data", unique(ids))
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if err := eachOfPack(p.Data, func(r slotAmount) {
			add(p.user(), r.node, p.day()*dayHours+r.hour, r.Amount)
		}); err != nil {
			return nil, err
		}
	}
	for part := range slices.Chunk(unique(chunks), inList) {
		var rows []nowRow
		if err := tx.NewRaw(`SELECT chunk, hour, node_id, rate_permille, data FROM traffic_now WHERE chunk IN (?)
			AND hour >= ? AND node_id IN (?)`, bun.List(part), first, bun.List(unique(nodes))).
			Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			if err := eachOfChunk(r.Data, r.Chunk, r.RatePermille, func(user int64, a Amount) {
				add(user, r.NodeID, r.Hour, a)
			}); err != nil {
				return nil, err
			}
		}
	}
	for part := range slices.Chunk(unique(users), inList) {
		old, err := l.oldRows(ctx, tx, `h.user_id IN (?) AND h.hour >= ?`, bun.List(part), first)
		if err != nil {
			return nil, err
		}
		for _, r := range old {
			add(r.UserID, r.NodeID, r.Hour, Amount{r.Up, r.Down, r.Billed})
		}
	}
	return billed, nil
}

func unique(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ActiveNodes returns the pairs of users and nodes with traffic in the present hour and the one before, each once.
// users: of these only; nil: of all.
func (l *Log) ActiveNodes(ctx context.Context, users []int64, now int64) (active map[[2]int64]bool, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		active = map[[2]int64]bool{}
		q := tx.NewSelect().TableExpr("traffic_now").ColumnExpr("chunk, hour, node_id, rate_permille, data").
			Where("hour >= ?", now-openHours)
		var of map[int64]bool
		if users != nil {
			of = make(map[int64]bool, len(users))
			chunks := make([]int64, len(users))
			for i, user := range users {
				of[user], chunks[i] = true, user>>chunkBits
			}
			q.Where("chunk IN (?)", bun.List(unique(chunks)))
		}
		var rows []nowRow
		if err := q.Scan(ctx, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			if err := eachOfChunk(r.Data, r.Chunk, r.RatePermille, func(user int64, _ Amount) {
				if of == nil || of[user] {
					active[[2]int64{user, r.NodeID}] = true
				}
			}); err != nil {
				return err
			}
		}
		where, values := `h.hour >= ?`, []any{now - openHours}
		if users != nil {
			where, values = where+` AND h.user_id IN (?)`, append(values, bun.List(users))
		}
		old, err := l.oldRows(ctx, tx, where, values...)
		for _, r := range old {
			active[[2]int64{r.UserID, r.NodeID}] = true
		}
		return err
	})
	return active, err
}

// rowFunc is called with a row in an hour.
type rowFunc func(hour, user int64, r slotAmount) error

// eachRow calls fn for each row of the hours from from on and before to, and done after the rows of each UTC day of
// each chunk, which come from one snapshot. Between two calls of done a key may come more than once, with parts of its
// bytes; after that it does not come again.
func (l *Log) eachRow(ctx context.Context, from, to int64, fn rowFunc, done func() error) error {
	first, last, ok, err := l.Bounds(ctx)
	if err != nil || !ok {
		return err
	}
	from, to = max(from, first), min(to, last+1)
	for from < to {
		end := min(to, (dayOfHour(from)+1)*dayHours)
		chunks, err := l.chunksOf(ctx, dayOfHour(from))
		if err != nil {
			return err
		}
		for chunk := range chunks {
			if err := l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
				return l.readChunk(ctx, tx, chunk, from, end, fn)
			}); err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
		}
		from = end
	}
	return nil
}

// chunksOf returns the number of chunks that may have rows of a UTC day.
func (l *Log) chunksOf(ctx context.Context, day int64) (n int64, err error) {
	var chunks []int64
	tables := `SELECT (SELECT max(id) FROM traffic_pack WHERE id >= ?0 AND id < ?1) - ?0 AS last
		UNION ALL SELECT (SELECT max(chunk) FROM traffic_now) * ?2`
	if !l.moved.Load() {
		tables += ` UNION ALL SELECT (SELECT max(user_id) FROM traffic_hour_row)`
	}
	err = l.db.NewRaw(`SELECT last FROM (`+tables+`) AS ends WHERE last IS NOT NULL`, packID(day, 0), packID(day+1, 0), chunkUsers).Scan(ctx, &chunks)
	if err != nil || len(chunks) == 0 {
		return 0, err
	}
	return slices.Max(chunks)>>chunkBits + 1, nil
}

// readChunk calls fn for the rows of a chunk in hours of one UTC day.
func (l *Log) readChunk(ctx context.Context, tx bun.Tx, chunk, from, to int64, fn rowFunc) error {
	var failed error
	call := func(hour, user int64, r slotAmount) {
		if failed == nil && hour >= from && hour < to {
			failed = fn(hour, user, r)
		}
	}
	var now []nowRow
	if err := tx.NewRaw(`SELECT chunk, hour, node_id, rate_permille, data FROM traffic_now WHERE chunk = ?
		AND hour >= ? AND hour < ?`, chunk, from, to).Scan(ctx, &now); err != nil {
		return err
	}
	for _, r := range now {
		if err := eachOfChunk(r.Data, chunk, r.RatePermille, func(user int64, a Amount) {
			call(r.Hour, user, slotAmount{slot{hourOfDay(r.Hour), r.NodeID, r.RatePermille}, a})
		}); err != nil {
			return err
		}
	}
	day := dayOfHour(from)
	var found []packRow
	if err := tx.NewRaw(`SELECT id, data FROM traffic_pack WHERE id >= ? AND id < ?`,
		packID(day, chunk<<chunkBits), packID(day, (chunk+1)<<chunkBits)).Scan(ctx, &found); err != nil {
		return err
	}
	for _, p := range found {
		if err := eachOfPack(p.Data, func(r slotAmount) { call(day*dayHours+r.hour, p.user(), r) }); err != nil {
			return err
		}
	}
	if failed != nil || l.moved.Load() {
		return failed
	}
	users := make([]int64, chunkUsers)
	for i := range users {
		users[i] = chunk<<chunkBits + int64(i)
	}
	old, err := l.oldRows(ctx, tx, `h.user_id IN (?) AND h.hour >= ? AND h.hour < ?`, bun.List(users), from, to)
	for _, r := range old {
		call(r.Hour, r.UserID, r.slotAmount())
	}
	return errors.Join(err, failed)
}

// Totals calls fn with what each user moved on each node in each hour from from on and before to, at each rate, each
// once.
func (l *Log) Totals(ctx context.Context, from, to int64, fn func(HourTotal) error) error {
	type key struct{ hour, user, node, rate int64 }
	sums := map[key]Amount{}
	return l.eachRow(ctx, from, to, func(hour, user int64, r slotAmount) error {
		k := key{hour, user, r.node, r.rate}
		sums[k] = sums[k].plus(r.Amount)
		return nil
	}, func() error {
		defer clear(sums)
		for k, a := range sums {
			if err := fn(HourTotal{k.hour, k.user, k.node, k.rate, a}); err != nil {
				return err
			}
		}
		return nil
	})
}

// SumByUserOn adds what each user moved on a node from an hour on.
func (l *Log) SumByUserOn(ctx context.Context, nodeID, from int64) (map[int64]Amount, error) {
	sums := map[int64]Amount{}
	err := l.eachRow(ctx, from, math.MaxInt64, func(_, user int64, r slotAmount) error {
		if r.node == nodeID {
			sums[user] = sums[user].plus(r.Amount)
		}
		return nil
	}, func() error { return nil })
	return sums, err
}

// Bounds returns the first and the last hour that the log may have, as Unix times / 3600; of packed days all hours
// count. ok is false where the log is empty.
func (l *Log) Bounds(ctx context.Context) (first, last int64, ok bool, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		hours, err := openBounds(ctx, tx)
		if err != nil {
			return err
		}
		if !l.moved.Load() {
			var old []int64
			if err := tx.NewRaw(`SELECT hour FROM (SELECT min(hour) AS hour FROM traffic_hour_row UNION ALL
				SELECT max(hour) FROM traffic_hour_row) AS ends WHERE hour IS NOT NULL`).Scan(ctx, &old); err != nil {
				return err
			}
			hours = append(hours, old...)
		}
		from, to, err := packDays(ctx, tx)
		if to > 0 {
			hours = append(hours, from*dayHours, to*dayHours-1)
		}
		if ok = len(hours) > 0; ok {
			first, last = slices.Min(hours), slices.Max(hours)
		}
		return err
	})
	return first, last, ok, err
}

// openBounds returns the first and the last hour that the open chunks have; nothing where there are none. The key
// begins with the chunk, so that it is asked chunk by chunk: to look for the first hour of all would read every blob.
func openBounds(ctx context.Context, tx bun.Tx) ([]int64, error) {
	var ends struct{ First, Last *int64 }
	err := tx.NewRaw(`WITH RECURSIVE chunks (chunk) AS (SELECT (SELECT chunk FROM traffic_now ORDER BY chunk LIMIT 1)
		UNION ALL SELECT (SELECT n.chunk FROM traffic_now AS n WHERE n.chunk > c.chunk ORDER BY n.chunk LIMIT 1)
			FROM chunks AS c WHERE c.chunk IS NOT NULL),
		ends (first, last) AS (SELECT
			(SELECT n.hour FROM traffic_now AS n WHERE n.chunk = c.chunk ORDER BY n.hour LIMIT 1),
			(SELECT n.hour FROM traffic_now AS n WHERE n.chunk = c.chunk ORDER BY n.hour DESC LIMIT 1)
			FROM chunks AS c WHERE c.chunk IS NOT NULL)
		SELECT min(first) AS first, max(last) AS last FROM ends`).Scan(ctx, &ends)
	if err != nil || ends.First == nil {
		return nil, err
	}
	return []int64{*ends.First, *ends.Last}, nil
}
