package bulk

import (
	"context"
	"net/url"
	"slices"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/console"
	"airstrip/internal/db"
)

// Selection says which users a job is for: those with the numbers, else all that the filter of the list of users finds.
type Selection struct {
	IDs    []int64
	Filter url.Values
}

const insertedAtOnce = 500

// Freeze makes a job for the users that the selection finds now. It does nothing to them until Start confirms it within
// 15 minutes. A selection without numbers and filter is ErrNobody, never everybody.
func (b *Bulk) Freeze(ctx context.Context, who account.Identity, j Job, of Selection) (*Job, error) {
	if err := mayDo(who, j.Kind); err != nil {
		return nil, err
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	of.Filter.Del("sort")
	ids := of.IDs
	if len(ids) == 0 {
		if len(of.Filter) == 0 {
			return nil, ErrNobody
		}
		q, err := b.console.Lists.Parse(ctx, b.console.Users(), of.Filter)
		if err != nil {
			return nil, err
		}
		for found, err := range b.console.Lists.All(ctx, q) {
			if err != nil {
				return nil, err
			}
			if ids = append(ids, found...); len(ids) > MaxRows {
				return nil, errTooMany
			}
		}
		j.Filter = q.Logged()
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	err := b.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return b.freeze(ctx, tx, who, &j, ids)
	})
	return &j, err
}

func (b *Bulk) freeze(ctx context.Context, tx bun.Tx, who account.Identity, j *Job, ids []int64) error {
	j.ID, j.State, j.CreatedAt, j.Rows, j.MadeBy = 0, Frozen, b.db.Now(), 0, nil
	if who.UserID != 0 {
		j.MadeBy = &who.UserID
	}
	if _, err := tx.NewInsert().Model(j).Exec(ctx); err != nil {
		return db.Error(err)
	}
	for part := range slices.Chunk(ids, insertedAtOnce) {
		users, err := b.console.FactsIn(ctx, tx, part)
		if err != nil {
			return err
		}
		rows := make([]Row, 0, len(users))
		for i := range users {
			if users[i].State != console.Closed {
				rows = append(rows, Row{
					JobID: j.ID, UserID: users[i].ID, PlanID: users[i].PlanID, State: RowWaiting,
				})
			}
		}
		if len(rows) == 0 {
			continue
		}
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return db.Error(err)
		}
		j.Rows += int64(len(rows))
	}
	if j.Rows == 0 {
		return ErrNobody
	}
	var err error
	if j.Worth, err = worthOf(ctx, tx, b.db.Now(), j); err != nil {
		return err
	}
	_, err = tx.NewUpdate().Model(j).Column("rows", "worth").WherePK().Exec(ctx)
	if err != nil {
		return err
	}
	return record(ctx, tx, "choose", nil, j)
}

// Start confirms a frozen job of the member. One that gives more than the member may give alone waits for a second
// member: its state says so.
func (b *Bulk) Start(ctx context.Context, who account.Identity, id int64) (j *Job, err error) {
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var by *int64
		if who.UserID != 0 {
			by = &who.UserID
		}
		if err := b.approvals.Lock(ctx, tx, by); err != nil {
			return err
		}
		if j, err = locked(ctx, tx, id); err != nil {
			return err
		}
		if err := mayDo(who, j.Kind); err != nil {
			return err
		}
		if j.State != Frozen || (j.MadeBy != nil && (by == nil || *by != *j.MadeBy)) {
			return ErrState
		}
		if b.db.Now().Sub(j.CreatedAt) > confirmWithin {
			return ErrNoJob
		}
		was, now := *j, b.db.Now()
		j.State, j.StartedAt = Running, &now
		if j.Kind.gives() {
			alone, err := b.approvals.Propose(ctx, tx, approval.Act{
				Kind: approval.BulkJob, ReferenceID: j.ID, MadeBy: by, Worth: j.Worth, Reason: j.Reason,
				Gives: j.entry(),
			})
			if err != nil {
				return err
			}
			if !alone {
				j.State, j.StartedAt = Waiting, nil
			}
		}
		return b.move(ctx, tx, "start", &was, j)
	})
	return j, err
}

func (b *Bulk) move(ctx context.Context, tx bun.Tx, action string, was, is *Job) error {
	if _, err := tx.NewUpdate().Model(is).Column("state", "started_at", "ended_at", "failed").WherePK().
		Exec(ctx); err != nil {
		return db.Error(err)
	}
	return record(ctx, tx, action, was, is)
}

// change lets a member of staff move a job from one of these states.
func (b *Bulk) change(ctx context.Context, who account.Identity, id int64, action string, from []State,
	fn func(ctx context.Context, tx bun.Tx, j *Job) error,
) (j *Job, err error) {
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if j, err = locked(ctx, tx, id); err != nil {
			return err
		}
		if err := mayDo(who, j.Kind); err != nil {
			return err
		}
		if !slices.Contains(from, j.State) {
			return ErrState
		}
		was := *j
		if err := fn(ctx, tx, j); err != nil {
			return err
		}
		return b.move(ctx, tx, action, &was, j)
	})
	return j, err
}

// Stop stops a job after the users that are being done.
func (b *Bulk) Stop(ctx context.Context, who account.Identity, id int64) (*Job, error) {
	return b.change(ctx, who, id, "stop", []State{Running}, func(_ context.Context, _ bun.Tx, j *Job) error {
		j.State = Stopped
		return nil
	})
}

// Resume goes on with a job that was stopped.
func (b *Bulk) Resume(ctx context.Context, who account.Identity, id int64) (*Job, error) {
	return b.change(ctx, who, id, "resume", []State{Stopped}, func(_ context.Context, _ bun.Tx, j *Job) error {
		j.State = Running
		return nil
	})
}

// Retry tries the rows of a job again that failed. Nobody who has got something gets it again.
func (b *Bulk) Retry(ctx context.Context, who account.Identity, id int64) (*Job, error) {
	return b.change(ctx, who, id, "retry", []State{Done, Stopped}, func(ctx context.Context, tx bun.Tx, j *Job) error {
		if j.Failed == 0 {
			return ErrState
		}
		if _, err := tx.NewUpdate().Model((*Row)(nil)).Set("state = ?", RowWaiting).Set("error = ''").
			Set("ended_at = NULL").Where("job_id = ? AND state = ?", id, RowFailed).Exec(ctx); err != nil {
			return err
		}
		j.State, j.Failed, j.EndedAt = Running, 0, nil
		return nil
	})
}

// Decide starts, as a second member of staff, a job that waits, or ends it. by is nil for the operator.
func (b *Bulk) Decide(ctx context.Context, id int64, approve bool, by *int64) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		j, err := locked(ctx, tx, id)
		if err != nil {
			return err
		}
		if j.State != Waiting {
			return ErrState
		}
		if err := b.approvals.Decide(ctx, tx, approval.BulkJob, id, approve, by); err != nil {
			return err
		}
		now := b.db.Now()
		j.State, j.StartedAt = Running, &now
		if !approve {
			j.State, j.StartedAt, j.EndedAt = Declined, nil, &now
		}
		_, err = tx.NewUpdate().Model(j).Column("state", "started_at", "ended_at").WherePK().Exec(ctx)
		return err
	})
}
