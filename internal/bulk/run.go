package bulk

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/service"
)

// Register puts the running of jobs on the timetable of q.
func (b *Bulk) Register(q *job.Queue) {
	q.Every("bulk.run", b.Run)
	q.Every("bulk.forget", b.forget)
}

// together is how many users one transaction does.
const together = 50

// Run does what is left of all running jobs, the oldest first.
func (b *Bulk) Run(ctx context.Context) error {
	for {
		var due []Job
		if err := b.db.NewSelect().Model(&due).Where("state = ?", Running).OrderExpr("id").Limit(1).
			Scan(ctx); err != nil || len(due) == 0 {
			return err
		}
		if err := b.runJob(ctx, &due[0]); err != nil {
			return err
		}
	}
}

// runJob does the rows of a job until none waits or somebody stops it.
func (b *Bulk) runJob(ctx context.Context, j *Job) error {
	for {
		var users []int64
		if err := b.db.NewSelect().Model((*Row)(nil)).Column("user_id").
			Where("job_id = ? AND state = ?", j.ID, RowWaiting).OrderExpr("user_id").Limit(together).
			Scan(ctx, &users); err != nil {
			return err
		}
		if len(users) == 0 {
			return b.finish(ctx, j.ID)
		}
		err := b.do(ctx, j, users)
		if refused(err) { // somebody among them: each one apart
			err = b.doEach(ctx, j, users)
		}
		if errors.Is(err, errStopped) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errStopped ends a transaction of a job that somebody stopped.
var errStopped = errors.New("bulk: the job was stopped")

// refused tells whether an error is a fault, which one of the users causes, and not one of the database or the time.
func refused(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Status < 500
}

// doEach does users one by one, and marks those as failed for whom it is refused.
func (b *Bulk) doEach(ctx context.Context, j *Job, users []int64) error {
	for _, id := range users {
		err := b.do(ctx, j, []int64{id})
		if refused(err) {
			f, _ := fault.As(err)
			err = b.fail(ctx, j.ID, id, f.Code)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// do does users in one transaction with the marks that they are done, so that whoever is marked has got it and nobody
// else has. Users who were done meanwhile are passed over.
func (b *Bulk) do(ctx context.Context, j *Job, users []int64) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := lockRunning(ctx, tx, j.ID); err != nil {
			return err
		}
		var rows []Row
		if err := tx.NewUpdate().Model(&rows).Set("state = ?", RowDone).Set("ended_at = ?", b.db.Now()).
			Where("job_id = ? AND user_id IN (?) AND state = ?", j.ID, bun.List(users), RowWaiting).Returning("*").
			Scan(ctx); err != nil {
			return db.Error(err)
		}
		var givers []int64
		if j.Kind.gives() {
			var err error
			if givers, err = b.approvals.Givers(ctx, tx, approval.BulkJob, j.ID); err != nil {
				return err
			}
		}
		for i := range rows {
			if slices.Contains(givers, rows[i].UserID) {
				return errOwn
			}
			if err := b.give(ctx, tx, j, &rows[i]); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw(`UPDATE bulk_job SET done = done + ? WHERE id = ?`, len(rows), j.ID).Exec(ctx)
		return err
	})
}

// lockRunning locks the row of a job before those of its users, so that a stop either comes before or waits, and of two
// servers one does these users. It fails with errStopped where the job does not run.
func lockRunning(ctx context.Context, tx bun.Tx, id int64) error {
	n, err := db.Changed(tx.NewRaw(`UPDATE bulk_job SET done = done WHERE id = ? AND state = ?`, id, Running).Exec(ctx))
	if err == nil && n == 0 {
		err = errStopped
	}
	return err
}

func (b *Bulk) fail(ctx context.Context, jobID, userID int64, code string) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := lockRunning(ctx, tx, jobID); err != nil {
			return err
		}
		n, err := db.Changed(tx.NewUpdate().Model((*Row)(nil)).Set("state = ?", RowFailed).Set("error = ?", code).
			Set("ended_at = ?", b.db.Now()).
			Where("job_id = ? AND user_id = ? AND state = ?", jobID, userID, RowWaiting).Exec(ctx))
		if err != nil || n == 0 {
			return err
		}
		_, err = tx.NewRaw(`UPDATE bulk_job SET failed = failed + 1 WHERE id = ?`, jobID).Exec(ctx)
		return err
	})
}

// finish ends a running job none of whose rows waits.
func (b *Bulk) finish(ctx context.Context, id int64) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model((*Job)(nil)).Set("state = ?", Done).Set("ended_at = ?", b.db.Now()).
			Where("id = ? AND state = ?", id, Running).
			Where("NOT EXISTS (SELECT 1 FROM bulk_job_row r WHERE r.job_id = ? AND r.state = ?)", id, RowWaiting).
			Exec(ctx)
		return err
	})
}

// give does what the job is for to one user, as part of tx.
func (b *Bulk) give(ctx context.Context, tx bun.Tx, j *Job, r *Row) error {
	d := j.Details
	switch j.Kind {
	case Traffic:
		if _, err := b.wallets.LockOpen(ctx, tx, r.UserID); err != nil {
			return err
		}
		_, err := b.services.AddPackage(ctx, tx, service.PackageTerms{
			UserID: r.UserID, Name: d.Name, Kind: service.Grant, Bytes: d.Bytes,
		})
		return err
	case Balance:
		return b.wallets.Give(ctx, tx, r.UserID, d.Amount, j.Reason, j.MadeBy)
	case Extend, Reset:
		id, planID, err := b.services.Longest(ctx, tx, r.UserID)
		if err != nil {
			return err
		}
		if r.PlanID == nil || planID != *r.PlanID {
			return errPlan
		}
		if j.Kind == Reset {
			return b.services.ResetTraffic(ctx, tx, r.UserID, id)
		}
		return b.services.Extend(ctx, tx, service.Extension{UserID: r.UserID, ServiceID: id, Days: d.Days})
	case Ban:
		t := account.BanTask{AccountID: r.UserID, Reason: j.Reason, Mail: d.Mail}
		if d.Days > 0 {
			t.EndsAt = new(b.db.Now().AddDate(0, 0, d.Days))
		}
		return b.accounts.Bans.BanIn(ctx, tx, t, j.MadeBy)
	default:
		return b.console.AddLabel(ctx, tx, "user", r.UserID, j.MadeBy, d.Label, j.Kind == Label)
	}
}

// forget removes frozen jobs that nobody confirmed.
func (b *Bulk) forget(ctx context.Context) error {
	before := b.db.Now().Add(-confirmWithin - time.Minute)
	return b.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw(`DELETE FROM bulk_job_row WHERE job_id IN (SELECT id FROM bulk_job
			WHERE state = ? AND created_at < ?)`, Frozen, before).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*Job)(nil)).Where("state = ? AND created_at < ?", Frozen, before).Exec(ctx)
		return err
	})
}
