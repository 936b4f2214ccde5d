package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Faults of held batches.
var (
	ErrNoHeldBatch = fault.NotFound("kept_batch_not_found", "没有找到该暂存的流量报告", "There is no such batch")
	ErrHeldDecided = fault.Conflict("kept_batch_decided", "该流量报告已计入或已忽略", "The batch was counted or dismissed before")
	ErrKeptFull    = fault.TooMany("kept_batches_full", "该节点暂存的报告过多，请管理员先处理；请保留并稍后重发",
		"Too many batches of this node wait for staff; keep this one and send it again later")
	ErrHeldRate = fault.Invalid("rate", "range", "倍率须为 0 到 100", "The rate is between 0 and 100")
)

// Bounds of what one node has waiting for staff, so that a leaked secret cannot fill the database.
const (
	maxHeld     = 500
	maxHeldRows = 400_000
	// decidedRetention is how long decisions are stored.
	decidedRetention = 90 * 24 * time.Hour
)

// HoldReason says why a batch was refused for its time.
type HoldReason string

// The reasons.
const (
	TooOld HoldReason = "too_old" // its window ended more than 7 days ago
	Future HoldReason = "future"  // its window ends in the future
)

// HeldBatch is a report that was refused for its time.
type HeldBatch struct {
	bun.BaseModel `bun:"table:kept_batch" json:"-"`
	ID            int64 `bun:",pk,autoincrement"`
	NodeID        int64
	Report        string // boot and sequence
	Reason        HoldReason
	FromAt        time.Time
	ToAt          time.Time
	RowCount      int64
	Up            int64
	Down          int64
	Rows          []byte `json:"-"`
	ReceivedAt    time.Time
	State         string // waiting, counted or dismissed
	DecidedAt     *time.Time
	DecidedBy     *int64 // nil: the operator at the terminal
	RatePermille  *int64 // at which it was counted
	OwnCycle      *int64 // 1: it was counted in the hour and cycle of its window, 0: in the present ones
	RowsRefused   *int64 // rows of it that were not counted
	Note          string // of whoever decided
}

// Decision is what staff decides about a held batch.
type Decision struct {
	BatchID int64
	NodeID  int64 // whose batch it has to be; 0: any node's
	Note    string
	By      *int64 // member of staff; nil: the operator at the terminal
}

// holdReason returns why a report of our agent is held; empty: it is counted.
func holdReason(to, now time.Time) HoldReason {
	switch {
	case now.Sub(to) > maxLate: // and not more than maxAge, which check refuses
		return TooOld
	case to.Sub(now) > clockSlack:
		return Future
	}
	return ""
}

// hold stores the report's rows for staff, as part of tx. full: too many wait already, and nothing was changed.
func (t *Traffic) hold(ctx context.Context, tx bun.Tx, e *entry, now time.Time) (full bool, err error) {
	if len(e.good) == 0 {
		return false, nil
	}
	var waiting struct{ Batches, Rows int64 }
	if err := tx.NewRaw(`SELECT count(*) AS batches, CAST(coalesce(sum(row_count), 0) AS BIGINT) AS rows FROM kept_batch
		WHERE node_id = ? AND state = 'waiting'`, e.Node.ID).Scan(ctx, &waiting); err != nil {
		return false, err
	}
	if waiting.Batches >= maxHeld || waiting.Rows+int64(len(e.good)) > maxHeldRows {
		return true, nil
	}
	b := HeldBatch{
		NodeID: e.Node.ID, Report: e.key, Reason: e.keep, FromAt: e.From, ToAt: e.To, RowCount: int64(len(e.good)),
		ReceivedAt: now, State: "waiting",
	}
	rows := make([][3]int64, len(e.good))
	for i, c := range e.good {
		rows[i] = [3]int64{c.UserID, c.Up, c.Down}
		b.Up, b.Down = saturate(b.Up, c.Up), saturate(b.Down, c.Down)
	}
	if b.Rows, err = json.Marshal(rows); err != nil {
		return false, err
	}
	_, err = tx.NewInsert().Model(&b).Returning("NULL").Exec(ctx)
	return false, err
}

// saturate adds numbers that are not negative; a sum beyond 63 bits is the largest there is.
func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// HeldQuery selects held batches.
type HeldQuery struct {
	NodeID        int64
	State         string // waiting, counted or dismissed; empty: all
	Limit, Offset int64
}

// HeldBatches returns batches of a node that were refused for their time, the newest first, and how many there are.
func (t *Traffic) HeldBatches(ctx context.Context, k HeldQuery) (batches []HeldBatch, total int64, err error) {
	batches = []HeldBatch{}
	q := t.db.NewSelect().Model(&batches).ExcludeColumn("rows").Where("node_id = ?", k.NodeID)
	if k.State != "" {
		q.Where("state = ?", k.State)
	}
	n, err := q.OrderExpr("id DESC").Limit(k.Limit).Offset(k.Offset).ScanAndCount(ctx)
	return batches, int64(n), err
}

// DismissHeld decides that a batch is never counted, and returns it as it then is.
func (t *Traffic) DismissHeld(ctx context.Context, d Decision) (b HeldBatch, err error) {
	err = t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		if _, err = t.decide(ctx, tx, d, "dismissed"); err == nil {
			b, err = heldIn(ctx, tx, d.BatchID)
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "traffic.batch.dismiss", audit.ID("kept_batch", d.BatchID), nil,
			map[string]any{"node_id": b.NodeID}, d.Note)
	})
	return b, err
}

// heldIn returns a batch without its rows.
func heldIn(ctx context.Context, tx bun.Tx, id int64) (b HeldBatch, err error) {
	err = tx.NewSelect().Model(&b).ExcludeColumn("rows").Where("id = ?", id).Scan(ctx)
	return b, err
}

// decide ends the wait of a batch and returns it as it was.
func (t *Traffic) decide(ctx context.Context, tx bun.Tx, d Decision, state string) (b HeldBatch, err error) {
	err = db.Locked(tx.NewSelect().Model(&b).Where("id = ?", d.BatchID)).Scan(ctx)
	switch {
	case errors.Is(err, db.ErrNoRows), err == nil && d.NodeID != 0 && b.NodeID != d.NodeID:
		return b, ErrNoHeldBatch
	case err != nil:
		return b, err
	case b.State != "waiting":
		return b, ErrHeldDecided
	}
	n, err := db.Changed(tx.NewRaw(`UPDATE kept_batch
		SET state = ?, decided_at = ?, decided_by = ?, note = ?, rows = NULL
		WHERE id = ? AND state = 'waiting'`, state, t.db.Now(), d.By, d.Note, d.BatchID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrHeldDecided
	}
	return b, err
}

// CountHeld counts a batch that was refused for its time, once, at a rate in per mille: in the hour and the quota's
// cycle of its window, or where ownCycle is false in the present ones. Rows of users who could not use the node, then
// or now, are left out and returned.
func (t *Traffic) CountHeld(
	ctx context.Context, d Decision, ratePermille int64, ownCycle bool,
) (counted HeldBatch, refused []Refusal, err error) {
	if ratePermille < 0 || ratePermille > 100_000 {
		return counted, nil, ErrHeldRate
	}
	committed := func() {}
	err = t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		refused = []Refusal{}
		changed, err := db.Bump(ctx, tx, revision)
		if err != nil {
			return err
		}
		b, err := t.decide(ctx, tx, d, "counted")
		if err != nil {
			return err
		}
		e := &entry{Report: &Report{ID: b.Report, From: b.FromAt, To: b.ToAt}, rate: ratePermille, at: t.db.Now()}
		if e.Node, err = t.nodes.Get(ctx, b.NodeID); err != nil {
			return err
		}
		if ownCycle && b.ToAt.Before(e.at) {
			e.at = b.ToAt
		}
		var rows [][3]int64
		if err := json.Unmarshal(b.Rows, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			e.Rows = append(e.Rows, Row{r[0], r[1], r[2]})
		}
		admitted, err := t.admitted(ctx, e.Report, min(b.ToAt.UnixMilli(), t.db.Now().UnixMilli()))
		if err != nil {
			return err
		}
		for _, row := range e.Rows {
			c, fits := bill(row, ratePermille)
			switch {
			case !fits:
				refused = append(refused, Refusal{row.UserID, "absurd"})
			case !admitted[row.UserID]:
				refused = append(refused, Refusal{row.UserID, "not_on_list"})
			default:
				e.good = append(e.good, c)
			}
		}
		if err := t.refuseFull(ctx, tx, e); err != nil {
			return err
		}
		refused = append(refused, e.receipt.Refused...)
		if committed, err = t.count(ctx, tx, []*entry{e}, t.db.Now(), changed); err != nil {
			return err
		}
		own := 0
		if ownCycle {
			own = 1
		}
		if _, err := tx.NewRaw(`UPDATE kept_batch SET rate_permille = ?, own_cycle = ?, rows_refused = ? WHERE id = ?`,
			ratePermille, own, len(refused), d.BatchID).Exec(ctx); err != nil {
			return err
		}
		if counted, err = heldIn(ctx, tx, d.BatchID); err != nil {
			return err
		}
		after := map[string]any{
			"node_id": b.NodeID, "rate_permille": ratePermille, "own_cycle": ownCycle,
			"rows_refused": len(refused),
		}
		return audit.Record(ctx, tx, "traffic.batch.count", audit.ID("kept_batch", d.BatchID), nil, after, d.Note)
	})
	if err == nil {
		committed()
	}
	return counted, refused, err
}
