package trafficlog

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// packRow is a row of traffic_pack, in some queries without its blobs.
type packRow struct {
	ID, N, Up, Down, Billed int64
	Sums, Data              []byte
}

func (p *packRow) day() int64     { return p.ID >> 32 }
func (p *packRow) user() int64    { return p.ID & lowHalf }
func (p *packRow) amount() Amount { return Amount{p.Up, p.Down, p.Billed} }

// nowRow is a row of traffic_now.
type nowRow struct {
	Chunk, Hour, NodeID, RatePermille int64
	Data                              []byte
}

// oldRow is a row of traffic_hour_row, which earlier versions wrote.
type oldRow struct{ UserID, NodeID, Hour, RatePermille, Up, Down, Billed int64 }

func (r oldRow) slotAmount() slotAmount {
	return slotAmount{
		slot{hourOfDay(r.Hour), r.NodeID, r.RatePermille},
		Amount{r.Up, r.Down, r.Billed},
	}
}

func dayOfHour(hour int64) int64 { return floorDiv(hour, dayHours) }
func hourOfDay(hour int64) int64 { return hour - dayOfHour(hour)*dayHours }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// outside is what one user has in a range of hours outside of packs, by UTC day.
type outside map[int64][]slotAmount

// outsideOf reads the open chunks and the rows of earlier versions.
func (l *Log) outsideOf(ctx context.Context, tx bun.Tx, user int64, f Filter) (outside, error) {
	out := outside{}
	var now []nowRow
	q := tx.NewSelect().TableExpr("traffic_now").ColumnExpr("chunk, hour, node_id, rate_permille, data").
		Where("chunk = ? AND hour >= ? AND hour < ?", user>>chunkBits, f.From, f.To)
	if f.NodeID != 0 {
		q.Where("node_id = ?", f.NodeID)
	}
	if err := q.Scan(ctx, &now); err != nil {
		return nil, err
	}
	for _, r := range now {
		a, err := ofChunk(r.Data, user, r.RatePermille)
		if err != nil {
			return nil, err
		}
		if a != (Amount{}) {
			day := dayOfHour(r.Hour)
			out[day] = append(out[day], slotAmount{slot{hourOfDay(r.Hour), r.NodeID, r.RatePermille}, a})
		}
	}
	old, err := l.oldRows(ctx, tx, `h.user_id = ? AND h.hour >= ? AND h.hour < ?`, user, f.From, f.To)
	if err != nil {
		return nil, err
	}
	for _, r := range old {
		if f.NodeID == 0 || f.NodeID == r.NodeID {
			day := dayOfHour(r.Hour)
			out[day] = append(out[day], r.slotAmount())
		}
	}
	for day, rows := range out {
		out[day] = sortPack(rows)
	}
	return out, nil
}

// oldRows returns the rows of earlier versions that were not moved yet.
func (l *Log) oldRows(ctx context.Context, tx bun.Tx, where string, values ...any) (rows []oldRow, err error) {
	if l.moved.Load() {
		return nil, nil
	}
	err = tx.NewRaw(`SELECT h.user_id, h.node_id, h.hour, h.rate_permille, h.up, h.down, h.billed
		FROM traffic_hour_row AS h JOIN traffic_move AS m ON h.user_id >= m.next_user WHERE `+where, values...).
		Scan(ctx, &rows)
	return rows, err
}

// packDays returns the first UTC day that has a pack and the day after the last; 0, 0 where there is none.
// The inner parentheses matter: SQLite looks up the ends of a key only where no condition reaches the aggregate.
func packDays(ctx context.Context, idb bun.IDB) (first, end int64, err error) {
	var ids []int64
	err = idb.NewRaw(`SELECT id FROM (SELECT (SELECT min(id) FROM traffic_pack) AS id
		UNION ALL SELECT (SELECT max(id) FROM traffic_pack)) AS ends WHERE id IS NOT NULL`).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, 0, err
	}
	return slices.Min(ids) >> 32, slices.Max(ids)>>32 + 1, nil
}

// packIDs returns the ids that the packs of a user have in a range of hours, the newest first.
func packIDs(ctx context.Context, tx bun.Tx, user int64, f Filter) (ids []int64, err error) {
	first, end, err := packDays(ctx, tx)
	if err != nil {
		return nil, err
	}
	first = max(first, dayOfHour(f.From))
	if f.To < math.MaxInt64-dayHours {
		end = min(end, dayOfHour(f.To+dayHours-1))
	}
	for day := end - 1; day >= first; day-- {
		ids = append(ids, packID(day, user))
	}
	return ids, nil
}

// packs reads packs by their ids. columns names those wanted beside the id.
func packs(ctx context.Context, idb bun.IDB, columns string, ids []int64) (all []packRow, err error) {
	for part := range slices.Chunk(ids, inList) {
		var found []packRow
		if err := idb.NewRaw(`SELECT id, ? FROM traffic_pack WHERE id IN (?)`, bun.Safe(columns), bun.List(part)).
			Scan(ctx, &found); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// days returns a user's rows by UTC day, the rows of each in their order.
func (l *Log) days(ctx context.Context, tx bun.Tx, user int64, f Filter) (map[int64][]slotAmount, error) {
	all, err := l.outsideOf(ctx, tx, user, f)
	if err != nil {
		return nil, err
	}
	ids, err := packIDs(ctx, tx, user, f)
	if err != nil {
		return nil, err
	}
	found, err := packs(ctx, tx, "data", ids)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		rows, err := p.selected(f)
		if err != nil {
			return nil, err
		}
		all[p.day()] = mergePack(rows, all[p.day()])
	}
	return all, nil
}

// selected decodes the rows of a pack that the filter selects.
func (p *packRow) selected(f Filter) (rows []slotAmount, err error) {
	begins := p.day() * dayHours
	err = eachOfPack(p.Data, func(r slotAmount) {
		if hour := begins + r.hour; hour >= f.From && hour < f.To && (f.NodeID == 0 || r.node == f.NodeID) {
			rows = append(rows, r)
		}
	})
	return rows, err
}

// Point is what was moved in an hour, as a Unix time / 3600.
type Point struct {
	Hour int64
	Amount
}

// Hours returns what a user moved in each hour with traffic, the oldest first.
func (l *Log) Hours(ctx context.Context, user int64, f Filter) (points []Point, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		points = nil
		all, err := l.outsideOf(ctx, tx, user, f)
		if err != nil {
			return err
		}
		hours := map[int64][]slotAmount{}
		for day, rows := range all {
			hours[day] = hourSums(rows)
		}
		ids, err := packIDs(ctx, tx, user, f)
		if err != nil {
			return err
		}
		columns := "CASE WHEN sums IS NULL THEN data END AS data, sums"
		if f.NodeID != 0 {
			columns = "data"
		}
		found, err := packs(ctx, tx, columns, ids)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.Sums != nil {
				p.Data = p.Sums
			}
			rows, err := p.selected(f)
			if err != nil {
				return err
			}
			hours[p.day()] = mergePack(hourSums(rows), hours[p.day()])
		}
		for day, rows := range hours {
			for _, r := range rows {
				points = append(points, Point{day*dayHours + r.hour, r.Amount})
			}
		}
		slices.SortFunc(points, func(a, b Point) int { return int(a.Hour - b.Hour) })
		return nil
	})
	return points, err
}

func recordOf(day int64, r slotAmount) Record {
	return Record{
		r.node, time.Unix((day*dayHours+r.hour)*3600, 0).UTC(), r.rate, r.Up, r.Down, r.Billed,
	}
}

// eachDays is how many days Each reads at a time.
const eachDays = 5

// Each calls fn for each row of a user, the newest first. It reads some days at a time, so that memory is constant.
func (l *Log) Each(ctx context.Context, user int64, f Filter, fn func(Record) error) error {
	first, end, err := l.daysOf(ctx, user, f)
	if err != nil {
		return err
	}
	for end > first {
		part := f
		part.From = max(f.From, (end-eachDays)*dayHours)
		part.To = min(f.To, end*dayHours)
		var days map[int64][]slotAmount
		if err := l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
			days, err = l.days(ctx, tx, user, part)
			return err
		}); err != nil {
			return err
		}
		for day := end - 1; day >= end-eachDays; day-- {
			for _, r := range slices.Backward(days[day]) {
				if err := fn(recordOf(day, r)); err != nil {
					return err
				}
			}
		}
		end -= eachDays
	}
	return nil
}

// daysOf returns the first UTC day with rows of a user that the filter may select, and the day after the last one.
func (l *Log) daysOf(ctx context.Context, user int64, f Filter) (first, end int64, err error) {
	first, end = math.MaxInt64, math.MinInt64
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var hours []int64
		if err := tx.NewRaw(`SELECT hour FROM (SELECT (SELECT min(hour) FROM traffic_now WHERE chunk = ?0) AS hour
			UNION ALL SELECT (SELECT max(hour) FROM traffic_now WHERE chunk = ?0)
			UNION ALL SELECT (SELECT min(hour) FROM traffic_hour_row WHERE user_id = ?1)
			UNION ALL SELECT (SELECT max(hour) FROM traffic_hour_row WHERE user_id = ?1)) AS ends WHERE hour IS NOT NULL`,
			user>>chunkBits, user).Scan(ctx, &hours); err != nil {
			return err
		}
		for _, hour := range hours {
			first, end = min(first, dayOfHour(hour)), max(end, dayOfHour(hour)+1)
		}
		from, to, err := packDays(ctx, tx)
		if to > 0 {
			first, end = min(first, from), max(end, to)
		}
		return err
	})
	first = max(first, dayOfHour(f.From))
	if f.To < math.MaxInt64-dayHours {
		end = min(end, dayOfHour(f.To+dayHours-1))
	}
	return first, end, err
}
