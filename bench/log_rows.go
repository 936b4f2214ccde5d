package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/trafficlog"
)

const (
	logDays  = 90
	logHours = logDays * 24
	// rowsPerUser is how many rows a user has in all: 22 a day, as in the logs that were measured for the design.
	rowsPerUser = 2000
	// nodesPerHour is how many nodes a user who is active in an hour uses on average.
	nodesPerHour = 2.2
	favourites   = 6 // nodes among which a user chooses
)

// heavyRates are the rates at which the heaviest user has a row on each node in each hour: over a million in all.
var heavyRates = []int64{500, 1000, 1500}

// generator fills the traffic log hour by hour, as reports and the sealing job do.
type generator struct {
	db       *db.DB
	log      *trafficlog.Log
	random   *rand.Rand
	users    []int64 // the heaviest is not among them
	nodes    []int64
	heaviest int64
	rows     int64
	days     map[int64]map[int64]trafficlog.Amount // by day and node
}

func newGenerator(ctx context.Context, d *db.DB, heaviest int64) (*generator, error) {
	g := &generator{
		db: d, log: trafficlog.New(d), random: rand.New(rand.NewPCG(1, 1)), heaviest: heaviest,
		days: map[int64]map[int64]trafficlog.Amount{},
	}
	if err := d.NewRaw(`SELECT id FROM account WHERE id <> ? ORDER BY id`, heaviest).Scan(ctx, &g.users); err != nil {
		return nil, err
	}
	return g, d.NewRaw(`SELECT id FROM node ORDER BY id`).Scan(ctx, &g.nodes)
}

// fill writes the 90 days before now.
func (g *generator) fill(ctx context.Context, now time.Time) error {
	began := time.Now()
	last := now.Unix() / 3600
	for hour := last - logHours; hour < last; hour++ {
		at := time.Unix(hour*3600, 0)
		g.db.SetClock(func() time.Time { return at.Add(3 * time.Hour) })
		if err := g.hour(ctx, hour); err != nil {
			return err
		}
		if err := g.log.Seal(ctx); err != nil {
			return err
		}
		if done := hour - last + logHours; done%24 == 23 {
			fmt.Fprintf(os.Stderr, "\r%d of %d days, %d rows, %s ", done/24+1, logDays, g.rows,
				time.Since(began).Round(time.Second))
		}
	}
	fmt.Fprintln(os.Stderr)
	return g.writeNodeDays(ctx)
}

// hour writes what all users moved in an hour.
func (g *generator) hour(ctx context.Context, hour int64) error {
	day := calendarDay(hour)
	a := trafficlog.Addition{
		Hours: map[trafficlog.Slot]map[int64]trafficlog.Amount{},
		Days:  map[int64]map[int64]trafficlog.Amount{day: {}},
	}
	add := func(user, node, rate int64) {
		up, down := int64(g.random.ExpFloat64()*2e6)+1, int64(g.random.ExpFloat64()*4e7)
		one := trafficlog.Amount{Up: up, Down: down, Billed: (up + down) * rate / 1000}
		slot := trafficlog.Slot{Hour: hour, NodeID: node, RatePermille: rate}
		if a.Hours[slot] == nil {
			a.Hours[slot] = map[int64]trafficlog.Amount{}
		}
		a.Hours[slot][user] = one
		a.Days[day][user] = plus(a.Days[day][user], one)
		if g.days[day] == nil {
			g.days[day] = map[int64]trafficlog.Amount{}
		}
		g.days[day][node] = plus(g.days[day][node], one)
		g.rows++
	}
	for _, node := range g.nodes {
		for _, rate := range heavyRates {
			add(g.heaviest, node, rate)
		}
	}
	active := float64(rowsPerUser) / logHours / nodesPerHour
	if at := hour % 24; at >= 18 {
		active *= 1.6
	} else {
		active *= 0.8
	}
	for i, user := range g.users {
		if g.random.Float64() >= active {
			continue
		}
		// One to four nodes, 2.2 on average.
		count := 1 + max(0, g.random.IntN(10)-2)/2
		first := g.random.IntN(favourites)
		for j := range count {
			add(user, g.nodes[(i*7+(first+j)%favourites)%len(g.nodes)], 1000)
		}
	}
	return g.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, trafficlog.Revision); err != nil {
			return err
		}
		return g.log.Add(ctx, tx, a)
	})
}

// writeNodeDays stores what nodes moved on each day.
func (g *generator) writeNodeDays(ctx context.Context) error {
	rows := db.NumbersOf(5, len(g.days)*len(g.nodes))
	for day, of := range g.days {
		for node, a := range of {
			rows.Add(node, day, a.Up, a.Down, a.Billed)
		}
	}
	return g.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for part := range rows.Parts() {
			if _, err := tx.ExecContext(ctx, `INSERT INTO node_day (node_id, day, up, down, billed)
				SELECT v.* FROM ? AS v WHERE TRUE ON CONFLICT (node_id, day) DO UPDATE SET up = EXCLUDED.up,
				down = EXCLUDED.down, billed = EXCLUDED.billed`, part); err != nil {
				return err
			}
		}
		return nil
	})
}

func plus(a, b trafficlog.Amount) trafficlog.Amount {
	return trafficlog.Amount{Up: a.Up + b.Up, Down: a.Down + b.Down, Billed: a.Billed + b.Billed}
}

func calendarDay(hour int64) int64 {
	at := time.Unix(hour*3600, 0).UTC()
	return int64(at.Year()*10_000 + int(at.Month())*100 + at.Day())
}

// bytesOf returns what the log takes on the disk, indexes and free pages included. On SQLite it is the whole file.
func bytesOf(ctx context.Context, d *db.DB) (n int64, err error) {
	text := `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	if !d.SQLite() {
		text = `SELECT CAST(sum(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class WHERE relname IN ('traffic_now',
			'traffic_pack', 'traffic_day_chunk', 'traffic_month_chunk')`
	}
	return n, d.NewRaw(text).Scan(ctx, &n)
}

// dropMonth removes the oldest 30 days and returns how long that took and how long other writers waited meanwhile.
func dropMonth(ctx context.Context, d *db.DB, now time.Time) (took time.Duration, waits []time.Duration, err error) {
	done := make(chan error, 1)
	began := time.Now()
	go func() {
		done <- trafficlog.New(d).DropHours(ctx, now.AddDate(0, 0, -(logDays-30)).Unix()/3600)
	}()
	for {
		select {
		case err := <-done:
			took = time.Since(began)
			slices.Sort(waits)
			return took, waits, err
		case <-time.After(5 * time.Millisecond):
		}
		one := time.Now()
		if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := db.Bump(ctx, tx, "bench")
			return err
		}); err != nil {
			return 0, nil, err
		}
		waits = append(waits, time.Since(one))
	}
}
