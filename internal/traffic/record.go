package traffic

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/node"
	"airstrip/internal/service"
)

// revision is bumped by each batch: its row's lock makes batches of several processes come one after the other.
const revision = "traffic"

// maxBatch is the most rows that are committed together. Reports of one user from many nodes change one counter then; with
// still more of them others would wait long for their turn to write.
const maxBatch = 5 * MaxRows

// forever is later than any report is accepted.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// batch is reports that are committed together.
type batch struct {
	entries []*entry
	rows    int
	done    chan struct{}
}

// entry is one report on its way.
type entry struct {
	*Report
	key     string
	rate    int64 // in per mille, at the time it came
	good    []counted
	refused []Refusal
	cost    float64 // what it took from the node's allowance
	receipt Receipt
	err     error
}

// Record counts a report, all of its good rows or none, and answers after the commit. A report that comes while another is
// being written joins those that wait, so that one transaction serves many nodes; no report is split.
func (t *Traffic) Record(ctx context.Context, r Report) (Receipt, error) {
	rate := r.Node.Rate(t.Now())
	good, refused, err := t.check(ctx, &r, rate)
	if err != nil {
		return Receipt{}, err
	}
	e := &entry{Report: &r, key: r.ID, rate: rate, good: good, refused: refused}
	if e.key == "" {
		e.key = hex.EncodeToString(r.Hash[:])
	}
	if err := t.spend(ctx, e); err != nil {
		return Receipt{}, err
	}
	b := t.join(ctx, e)
	select {
	case <-b.done:
		return e.receipt, e.err
	case <-ctx.Done(): // it may be counted all the same; the agent repeats it and is told so
		return Receipt{}, ctx.Err()
	}
}

// join puts e into the batch that gathers, and sees to it that someone writes.
func (t *Traffic) join(ctx context.Context, e *entry) *batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil || t.waiting.rows+len(e.good) > maxBatch {
		next := &batch{done: make(chan struct{})}
		if t.waiting != nil {
			// A full batch goes its own way; the database puts the two in order.
			go t.write(context.WithoutCancel(ctx), t.waiting)
		}
		t.waiting = next
	}
	b := t.waiting
	b.entries, b.rows = append(b.entries, e), b.rows+len(e.good)
	if !t.writing {
		t.writing = true
		go t.writeAll(context.WithoutCancel(ctx))
	}
	return b
}

// writeAll writes what waits until nothing does.
func (t *Traffic) writeAll(ctx context.Context) {
	for {
		t.mu.Lock()
		b := t.waiting
		t.waiting = nil
		t.writing = b != nil
		t.mu.Unlock()
		if b == nil {
			return
		}
		t.write(ctx, b)
	}
}

// write commits a batch. Where that fails each report is tried alone, so that one of them cannot keep the others out.
func (t *Traffic) write(ctx context.Context, b *batch) {
	defer close(b.done)
	defer t.giveBack(b.entries)
	if err := t.commit(ctx, b.entries); err == nil {
		return
	} else if len(b.entries) == 1 {
		b.entries[0].err = err
		return
	}
	for _, e := range b.entries {
		if err := t.commit(ctx, []*entry{e}); err != nil {
			e.err = err
		}
	}
}

func (t *Traffic) commit(ctx context.Context, entries []*entry) error {
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		now := t.db.Now()
		var fresh []*entry
		for _, e := range entries {
			e.err, e.receipt = nil, Receipt{Refused: e.refused}
			isNew, err := t.insertKey(ctx, tx, e, now)
			if err != nil {
				return err
			}
			if isNew {
				fresh = append(fresh, e)
			}
		}
		if len(fresh) == 0 {
			return nil
		}
		return t.count(ctx, tx, fresh, now)
	})
	if err != nil {
		return err
	}
	t.tellConflicts(ctx, entries)
	t.followQuotas(ctx, entries)
	return nil
}

// tellConflicts tells of the reports that were in conflict.
func (t *Traffic) tellConflicts(ctx context.Context, entries []*entry) {
	for _, e := range entries {
		if e.err != nil {
			slog.ErrorContext(ctx, "a report came with the boot and sequence of another: a copy of the agent's data folder may be running", "node", e.Node.ID, "id", e.ID)
			t.nodes.Alarm(ctx, e.Node, node.InConflict)
		}
	}
}

// followQuotas closes nodes whose own quota the reports used up. What fails here the timetable does within a minute.
func (t *Traffic) followQuotas(ctx context.Context, entries []*entry) {
	var ids []int64
	for _, e := range entries {
		if e.Node.QuotaBytes != nil {
			ids = append(ids, e.Node.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if err := t.nodes.Follow(ctx, ids...); err != nil {
		slog.WarnContext(ctx, "the quotas of nodes could not be looked at", "nodes", ids, "error", err)
	}
}

// insertKey tells whether the report was not counted before, and marks it as counted. A fault of the report is left in it.
func (t *Traffic) insertKey(ctx context.Context, tx bun.Tx, e *entry, now time.Time) (bool, error) {
	oldest, newest, at := time.Unix(0, 0).UTC(), forever, now
	if e.ID == "" {
		oldest, newest = now.Add(-again), now.Add(again) // later only if the clock was set back since
	} else if e.To.After(now) {
		// A clock is ahead. The bytes count, and as the report may be repeated for longer its key is kept for longer, but not
		// until any day that a report names.
		at = e.To
		if latest := now.Add(maxAge); at.After(latest) {
			at = latest
		}
	}
	n, err := db.Changed(tx.NewRaw(`INSERT INTO traffic_report (node_id, id, hash, accepted_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (node_id, id) DO UPDATE SET accepted_at = EXCLUDED.accepted_at WHERE traffic_report.accepted_at NOT BETWEEN ? AND ?`,
		e.Node.ID, e.key, e.Hash[:], at, oldest, newest).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, err
	}
	var hashes [][]byte
	if err := tx.NewRaw(`SELECT hash FROM traffic_report WHERE node_id = ? AND id = ?`, e.Node.ID, e.key).Scan(ctx, &hashes); err != nil {
		return false, err
	}
	if len(hashes) == 1 && bytes.Equal(hashes[0], e.Hash[:]) {
		e.receipt = Receipt{Repeated: true}
	} else {
		e.err = ErrConflict
	}
	return false, nil
}

// count writes the reports: counters of quotas, the log by hour, the days, the hits of rules.
func (t *Traffic) count(ctx context.Context, tx bun.Tx, entries []*entry, now time.Time) error {
	var uses []service.Use
	for _, e := range entries {
		for _, c := range e.good {
			uses = append(uses, service.Use{UserID: c.UserID, Class: e.Node.Class, Group: e.Node.GroupID, Up: c.Up, Down: c.Down, Billed: c.billed})
		}
		if _, err := t.nodes.AddHits(ctx, tx, e.Node.ID, e.Hits); err != nil {
			return err
		}
	}
	spent, err := t.services.Take(ctx, tx, uses)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, c := range e.good {
			if _, found := slices.BinarySearch(spent, c.UserID); found {
				e.receipt.Stop = append(e.receipt.Stop, c.UserID)
			}
		}
	}
	return t.log(ctx, tx, entries, now)
}

// amounts is what rows of the log grow by.
type amounts struct{ up, down, billed int64 }

func (a *amounts) add(b amounts) error {
	a.up, a.down, a.billed = a.up+b.up, a.down+b.down, a.billed+b.billed
	if a.up < 0 || a.down < 0 || a.billed < 0 {
		return service.ErrOverflow
	}
	return nil
}

// hourOf names the rows of an hour that lie together.
type hourOf struct{ node, rate int64 }

// log adds to the hours and days. Bytes count in the hour in which they are accepted.
func (t *Traffic) log(ctx context.Context, tx bun.Tx, entries []*entry, now time.Time) error {
	hour, day := now.Unix()/3600, dayOf(now.In(t.settings.Get().Zone()))
	hours, users, nodes := map[hourOf]map[int64]*amounts{}, map[int64]*amounts{}, map[int64]*amounts{}
	for _, e := range entries {
		key := hourOf{e.Node.ID, e.rate}
		if hours[key] == nil {
			hours[key] = make(map[int64]*amounts, len(e.good))
		}
		for _, c := range e.good {
			one := amounts{c.Up, c.Down, c.billed}
			if err := errors.Join(at(hours[key], c.UserID).add(one), at(users, c.UserID).add(one), at(nodes, e.Node.ID).add(one)); err != nil {
				return err
			}
		}
	}
	for key, of := range hours {
		if err := upsert(ctx, tx, "traffic_hour", "node_id, hour, rate_permille, user_id", []int64{key.node, hour, key.rate}, of); err != nil {
			return err
		}
	}
	if err := upsert(ctx, tx, "traffic_day", "day, user_id", []int64{day}, users); err != nil {
		return err
	}
	return upsert(ctx, tx, "node_day", "day, node_id", []int64{day}, nodes)
}

func at(m map[int64]*amounts, id int64) *amounts {
	a := m[id]
	if a == nil {
		a = new(amounts)
		m[id] = a
	}
	return a
}

// upsert adds to the counters of table, whose key is the same for all rows but for the id that is its last part.
func upsert(ctx context.Context, tx bun.Tx, table, key string, same []int64, by map[int64]*amounts) error {
	rows := db.NumbersOf(4, len(by))
	for _, id := range slices.Sorted(maps.Keys(by)) { // in the order of the key the tree is walked once
		rows.Add(id, by[id].up, by[id].down, by[id].billed)
	}
	for part := range rows.Parts() {
		// The WHERE tells SQLite that ON begins no condition of a join.
		_, err := tx.ExecContext(ctx, `INSERT INTO ?0 (?1, up, down, billed) SELECT ?2, v.* FROM ?3 AS v WHERE TRUE
			ON CONFLICT (?1) DO UPDATE SET up = ?0.up + EXCLUDED.up, down = ?0.down + EXCLUDED.down, billed = ?0.billed + EXCLUDED.billed`,
			bun.Safe(table), bun.Safe(key), bun.List(same), part)
		if err != nil {
			return err
		}
	}
	return nil
}

func dayOf(local time.Time) int64 {
	return int64(local.Year()*10_000 + int(local.Month())*100 + local.Day())
}
