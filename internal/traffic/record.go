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
	"airstrip/internal/dberr"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/trafficlog"
)

// revision is bumped by each batch. The lock on its row serialises the batches of several processes.
const revision = trafficlog.Revision

// maxBatch limits the rows that are committed together. Reports of one user from many nodes then change one counter;
// with more rows other writers would wait too long for the write lock.
const maxBatch = 5 * MaxRows

// onTime is the maximum age of a report whose bytes count in the present cycles. For older ones the cycle is looked up.
const onTime = 2 * time.Minute

// maxWait limits how long a report waits until it is written, writeWait how long the write may take. Together they are
// less than most agents wait for an answer, since a report that an agent gave up may come again in another shape.
const (
	maxWait   = 15 * time.Second
	writeWait = 15 * time.Second
)

// batch holds reports that are committed together.
type batch struct {
	entries []*entry
	rows    int
	done    chan struct{}
}

// entry is one report until it is answered.
type entry struct {
	*Report
	key     string
	at      time.Time  // when its bytes were moved: they count in the hour, the day and the cycle of it
	rate    int64      // in per mille, at that time
	keep    HoldReason // why it is not counted now; empty where it is
	good    []counted
	all     []counted // the valid ones, including those whose counters are full
	refused []Refusal
	receipt Receipt
	err     error
	missing time.Duration // of its link, where it is beyond it
}

// Record counts a report, all of its valid rows or none, and returns after the commit. A report that comes while
// another is being written joins the waiting ones, so that one transaction serves many nodes; no report is split.
func (t *Traffic) Record(ctx context.Context, r Report) (Receipt, error) {
	e := &entry{Report: &r, key: r.ID, at: t.db.Now()}
	if e.key == "" {
		e.key = hex.EncodeToString(r.Hash[:])
		r.From, r.To = e.at, e.at
	} else {
		e.keep = holdReason(r.To, e.at)
		if r.To.Before(e.at) {
			e.at = r.To
		}
	}
	e.rate = r.Node.Rate(e.at.In(t.settings.Get().Zone()))
	var err error
	if e.good, e.refused, err = t.check(ctx, &r, e.rate, e.keep != ""); err != nil {
		return Receipt{}, err
	}
	b := t.join(ctx, e)
	wait, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	select {
	case <-b.done:
	case <-wait.Done():
		if t.withdraw(b, e) {
			return Receipt{}, dberr.ErrBusy.Because(wait.Err())
		}
		// It is being written, within writeWait. Whoever is answered before that might send it again in another shape.
		select {
		case <-b.done:
		case <-ctx.Done(): // it may be counted all the same; the agent repeats it and then gets that answer
			return Receipt{}, ctx.Err()
		}
	}
	t.alarm(ctx, e)
	if e.ID == "" {
		t.reported(e.Node.ID)
	}
	return e.receipt, e.err
}

// join adds e to the last waiting batch, or to a new one if that is full, and starts the writer if none runs.
func (t *Traffic) join(ctx context.Context, e *entry) *batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.waiting) - 1
	if last < 0 || t.waiting[last].rows+len(e.good) > maxBatch {
		t.waiting = append(t.waiting, &batch{done: make(chan struct{})})
		last++
	}
	b := t.waiting[last]
	b.entries, b.rows = append(b.entries, e), b.rows+len(e.good)
	if !t.writing {
		t.writing = true
		go t.writeAll(ctx)
	}
	return b
}

// withdraw removes e from a batch that is not being written yet; false: it is too late.
func (t *Traffic) withdraw(b *batch, e *entry) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.waiting, b) {
		return false
	}
	b.entries = slices.DeleteFunc(b.entries, func(other *entry) bool { return other == e })
	b.rows -= len(e.good)
	return true
}

// writeAll writes the waiting batches one after the other until none is left. It goes on when ctx, which is of one of
// the reports, ends: each batch has a deadline of its own.
func (t *Traffic) writeAll(ctx context.Context) {
	for {
		t.mu.Lock()
		var b *batch
		if len(t.waiting) > 0 {
			b, t.waiting = t.waiting[0], t.waiting[1:]
		}
		t.writing = b != nil
		t.mu.Unlock()
		if b == nil {
			return
		}
		t.write(ctx, b)
	}
}

// write commits a batch within writeWait. If one of several reports makes that fail, each is tried alone, so that it
// cannot block the others, unless the database is away.
func (t *Traffic) write(ctx context.Context, b *batch) {
	defer close(b.done)
	ctx, cancel := detached.WithTimeout(ctx, writeWait)
	defer cancel()
	err := t.commit(ctx, b.entries, false)
	if errors.Is(err, dberr.ErrOutcomeUnknown) {
		// The keys make a second try harmless: it waits for what became of the first and counts nothing twice.
		err = t.commit(ctx, b.entries, false)
	}
	if err == nil {
		return
	}
	for _, e := range b.entries {
		if e.err = err; len(b.entries) > 1 && !away(err) {
			e.err = t.commit(ctx, []*entry{e}, false)
		}
		if known := e.err; known != nil && !away(known) && !isFault(known) {
			e.err = t.commit(ctx, []*entry{e}, true)
		}
		if away(e.err) {
			err = e.err
		}
	}
}

func isFault(err error) bool {
	_, is := fault.As(err)
	return is
}

// away reports whether err means that nothing can be written now, whatever the report contains.
func away(err error) bool {
	f, ok := fault.As(err)
	return errors.Is(err, context.DeadlineExceeded) || ok && f.Status == dberr.ErrBusy.Status
}

// commit writes reports in one transaction. With careful it leaves out rows that would carry a counter beyond 63 bits,
// which takes longer to find out.
func (t *Traffic) commit(ctx context.Context, entries []*entry, careful bool) error {
	committed := func() {}
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		changed, err := db.Bump(ctx, tx, revision)
		if err != nil {
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
			if !isNew {
				continue
			}
			if err := t.admit(ctx, tx, e, now); err != nil {
				return err
			}
			if e.err == nil && e.keep == "" {
				fresh = append(fresh, e)
			}
			if e.err == nil {
				continue
			}
			if _, err := tx.NewRaw(`DELETE FROM traffic_report WHERE node_id = ? AND id = ?`, e.Node.ID, e.key).
				Exec(ctx); err != nil {
				return err
			}
		}
		if committed = func() {}; len(fresh) == 0 {
			return nil
		}
		for _, e := range fresh {
			if e.all == nil {
				e.all = e.good
			}
			if e.good = e.all; careful {
				if err := t.refuseFull(ctx, tx, e); err != nil {
					return err
				}
			}
		}
		committed, err = t.count(ctx, tx, fresh, now, changed)
		return err
	})
	if err != nil {
		return err
	}
	committed()
	t.applyNodeQuotas(ctx, entries)
	return nil
}

// admit bills the link of the node for a report that was not counted before, or holds the report for staff. A refusal
// is stored as the error of the report.
func (t *Traffic) admit(ctx context.Context, tx bun.Tx, e *entry, now time.Time) error {
	if e.keep != "" {
		full, err := t.hold(ctx, tx, e, now)
		if full {
			e.err = ErrKeptFull.After(time.Hour)
		}
		e.receipt.Kept = e.keep
		return err
	}
	missing, err := t.useLink(ctx, tx, e, now)
	if missing > 0 {
		e.refuseBeyondLink(missing)
	}
	return err
}

// alarm logs why the report was not counted and notifies staff.
func (t *Traffic) alarm(ctx context.Context, e *entry) {
	switch {
	case e.err == nil && e.receipt.Kept != "":
		slog.ErrorContext(ctx, "a report was refused for its time and waits for staff: airstrip node held", "node",
			e.Node.ID, "id", e.ID, "reason", e.keep, "to", e.To, "rows", len(e.good))
	case errors.Is(e.err, ErrConflict):
		slog.ErrorContext(ctx,
			"a report came with the boot and sequence of another: a copy of the agent's data folder may be running",
			"node", e.Node.ID, "id", e.ID)
		t.nodes.Monitor.Alarm(ctx, e.Node, node.InConflict)
	case errors.Is(e.err, ErrBeyondLink):
		slog.ErrorContext(ctx,
			"a node reports more than its link can have carried: link_mbps is too low, or its secret leaked",
			"node", e.Node.ID, "id", e.ID, "rows", len(e.Rows), "link_mbps", e.Node.LinkMbps, "seconds_missing",
			int64(e.missing.Seconds()))
		t.nodes.Monitor.Alarm(ctx, e.Node, node.BeyondLink)
	}
}

// applyNodeQuotas closes nodes whose own quota the reports used up. If it fails, the timetable does it within a minute.
func (t *Traffic) applyNodeQuotas(ctx context.Context, entries []*entry) {
	var ids []int64
	for _, e := range entries {
		if e.Node.QuotaBytes != nil {
			ids = append(ids, e.Node.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if err := t.nodes.ApplyLimits(ctx, ids...); err != nil {
		slog.WarnContext(ctx, "the quotas of nodes could not be looked at", "nodes", ids, "error", err)
	}
}

// insertKey reports whether the report was not counted before, and marks it as counted. A fault of the report is left
// in it.
func (t *Traffic) insertKey(ctx context.Context, tx bun.Tx, e *entry, now time.Time) (bool, error) {
	if e.ID == "" {
		return t.insertThirdParty(ctx, tx, e, now)
	}
	at := now
	if e.To.After(now) {
		// A clock is ahead. The bytes count, and as the report may be repeated for longer its key is kept for longer,
		// but not until any day that a report names.
		at = e.To
		if latest := now.Add(maxAge); at.After(latest) {
			at = latest
		}
	}
	n, err := db.Changed(tx.NewRaw(`INSERT INTO traffic_report (node_id, id, hash, accepted_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (node_id, id) DO NOTHING`, e.Node.ID, e.key, e.Hash[:], at).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, err
	}
	var hashes [][]byte
	if err := tx.NewRaw(`SELECT hash FROM traffic_report WHERE node_id = ? AND id = ?`, e.Node.ID, e.key).
		Scan(ctx, &hashes); err != nil {
		return false, err
	}
	if len(hashes) == 1 && bytes.Equal(hashes[0], e.Hash[:]) {
		e.receipt = Receipt{Repeated: true}
	} else {
		e.err = ErrConflict
	}
	return false, nil
}

// count writes the reports: counters of quotas, the log by hour, the days, the hits of rules. changed is the revision
// of this transaction. After the commit committed is called.
func (t *Traffic) count(ctx context.Context, tx bun.Tx, entries []*entry, now time.Time, changed int64) (
	committed func(), err error,
) {
	var uses []service.Use
	for _, e := range entries {
		var late []service.Use
		to := &uses
		if now.Sub(e.at) > onTime {
			to = &late
		}
		for _, c := range e.good {
			*to = append(*to, service.Use{
				UserID: c.UserID, Class: e.Node.Class, Group: e.Node.GroupID, Up: c.Up,
				Down: c.Down, BilledUp: c.billedUp, BilledDown: c.billedDown,
			})
		}
		if _, err := t.nodes.Rules.AddHits(ctx, tx, e.Node.ID, e.Hits); err != nil {
			return nil, err
		}
		if err := t.services.ConsumeLateTraffic(ctx, tx, e.at, late); err != nil {
			return nil, err
		}
	}
	spent, committed, err := t.services.ConsumeTraffic(ctx, tx, changed, uses)
	if err != nil {
		return nil, err
	}
	if err := t.endLeases(ctx, tx, spent); err != nil {
		return nil, err
	}
	for _, e := range entries {
		if now.Sub(e.at) > onTime {
			continue
		}
		for _, c := range e.good {
			if _, found := slices.BinarySearch(spent, c.UserID); found {
				e.receipt.Stop = append(e.receipt.Stop, c.UserID)
			}
		}
	}
	return committed, t.log(ctx, tx, entries, changed)
}

// log adds to the hours and days in which the bytes were moved.
func (t *Traffic) log(ctx context.Context, tx bun.Tx, entries []*entry, changed int64) error {
	zone := t.settings.Get().Zone()
	hours := map[trafficlog.Slot]map[int64]Amount{}
	users, nodes := map[int64]map[int64]Amount{}, map[int64]map[int64]Amount{}
	for _, e := range entries {
		if len(e.good) == 0 {
			continue
		}
		slot := trafficlog.Slot{Hour: e.at.Unix() / 3600, NodeID: e.Node.ID, RatePermille: e.rate}
		day := dayOf(e.at.In(zone))
		inHour, ofUsers, ofNodes := at(hours, slot), at(users, day), at(nodes, day)
		for _, c := range e.good {
			one := Amount{Up: c.Up, Down: c.Down, Billed: c.billed()}
			if err := errors.Join(addAmount(inHour, c.UserID, one), addAmount(ofUsers, c.UserID, one),
				addAmount(ofNodes, e.Node.ID, one)); err != nil {
				return err
			}
		}
	}
	if err := markChanged(ctx, tx, hours, changed); err != nil {
		return err
	}
	if err := t.history.Add(ctx, tx, trafficlog.Addition{Hours: hours, Days: users}); err != nil {
		return err
	}
	for day, of := range nodes {
		if err := addNodeDay(ctx, tx, day, of); err != nil {
			return err
		}
	}
	return nil
}

// markChanged stores the revision of the last change of each of the hours.
func markChanged(ctx context.Context, tx bun.Tx, slots map[trafficlog.Slot]map[int64]Amount, changed int64) error {
	hours := map[int64]bool{}
	for s := range slots {
		hours[s.Hour] = true
	}
	rows := db.NumbersOf(2, len(hours))
	for _, hour := range slices.Sorted(maps.Keys(hours)) {
		rows.Add(hour, changed)
	}
	for part := range rows.Parts() {
		_, err := tx.NewRaw(`INSERT INTO traffic_hour_change (hour, revision) SELECT v.* FROM ? AS v WHERE TRUE
			ON CONFLICT (hour) DO UPDATE SET revision = EXCLUDED.revision`, part).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// at returns the counters of the key, new ones where there are none yet.
func at[K comparable](m map[K]map[int64]Amount, key K) map[int64]Amount {
	if m[key] == nil {
		m[key] = map[int64]Amount{}
	}
	return m[key]
}

// addAmount adds to the counters of an id.
func addAmount(m map[int64]Amount, id int64, b Amount) error {
	a := m[id]
	a.Up, a.Down, a.Billed = a.Up+b.Up, a.Down+b.Down, a.Billed+b.Billed
	if a.Up < 0 || a.Down < 0 || a.Billed < 0 {
		return service.ErrOverflow
	}
	m[id] = a
	return nil
}

// addNodeDay adds to what nodes moved on a day.
func addNodeDay(ctx context.Context, tx bun.Tx, day int64, by map[int64]Amount) error {
	rows := db.NumbersOf(4, len(by))
	for _, id := range slices.Sorted(maps.Keys(by)) {
		rows.Add(id, by[id].Up, by[id].Down, by[id].Billed)
	}
	for part := range rows.Parts() {
		// The WHERE tells SQLite that ON begins no condition of a join.
		_, err := tx.ExecContext(ctx, `INSERT INTO node_day (day, node_id, up, down, billed)
			SELECT ?, v.* FROM ? AS v WHERE TRUE
			ON CONFLICT (node_id, day) DO UPDATE SET up = node_day.up + EXCLUDED.up,
				down = node_day.down + EXCLUDED.down, billed = node_day.billed + EXCLUDED.billed`, day, part)
		if err != nil {
			return err
		}
	}
	return nil
}

func dayOf(local time.Time) int64 {
	return int64(local.Year()*10_000 + int(local.Month())*100 + local.Day())
}
