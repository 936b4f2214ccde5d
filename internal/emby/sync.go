package emby

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/job"
)

const syncJob = "emby.sync"

// sync asks to bring one user's account to what is wanted.
type sync struct{ UserID int64 }

// Register adds the work of the queue that talks to the media server, which may be slow, and to the timetable what
// follows the users' plans.
func (e *Emby) Register(q *job.Queue) {
	job.Handle(q, syncJob, func(ctx context.Context, s sync) error { return e.sync(ctx, s.UserID) })
	q.Every("emby.follow", e.Follow)
}

// Want says what state the user's account is to have; a job brings the media server to it. Held keeps it so whatever
// the plan.
func (e *Emby) Want(ctx context.Context, userID int64, state State, held bool) error {
	return e.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var was []Account
		if err := tx.NewSelect().Model(&was).Column("wanted", "held").Where("user_id = ?", userID).
			Scan(ctx); err != nil {
			return err
		}
		n, err := e.want(ctx, tx, userID, state, held)
		if err == nil && (n == 0 || len(was) == 0) {
			err = ErrNoAccount
		}
		if err != nil {
			return err
		}
		before, after := map[string]any{"state": was[0].Wanted, "held": was[0].Held}, map[string]any{
			"state": state,
			"held":  held,
		}
		return audit.Record(ctx, tx, "media.set", audit.ID("user", userID), before, after, "")
	})
}

func (e *Emby) want(ctx context.Context, tx bun.Tx, userID int64, state State, held bool) (int64, error) {
	n, err := db.Changed(tx.NewUpdate().Model((*Account)(nil)).Set("wanted = ?", state).Set("held = ?", held).
		Set("last_error = ''").Set("updated_at = ?", e.db.Now()).
		Where("user_id = ?", userID).Exec(ctx))
	if err != nil || n == 0 {
		return n, err
	}
	return n, job.Add(ctx, tx, e.db.Now(), syncJob, sync{userID}, job.Options{})
}

// Close deletes the account of a user who leaves, as part of the closing of theirs here.
func (e *Emby) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := e.want(ctx, tx, userID, None, true)
	return err
}

// Follow turns accounts off whose user has no right any more, and on again those that have it back.
func (e *Emby) Follow(ctx context.Context) error {
	class := e.settings.Get().EmbyClass
	var changed []struct {
		UserID  int64
		Allowed bool
	}
	if err := e.db.NewRaw(`SELECT user_id, allowed FROM (SELECT e.user_id, e.wanted, (a.allowed
		AND a.class >= ?) AS allowed
			FROM emby_account e JOIN access a ON a.user_id = e.user_id WHERE e.wanted <> 'none' AND NOT e.held) rights
		WHERE allowed <> (wanted = 'enabled')`, class).Scan(ctx, &changed); err != nil {
		return err
	}
	for _, c := range changed {
		state := Disabled
		if c.Allowed {
			state = Enabled
		}
		if err := e.Want(ctx, c.UserID, state, false); err != nil {
			return err
		}
	}
	return nil
}

// sync brings the media server to what is wanted of one account. Each step is kept as soon as it is done, and each can
// be done again.
func (e *Emby) sync(ctx context.Context, userID int64) error {
	var rows []Account
	if err := e.db.NewSelect().Model(&rows).Where("user_id = ?", userID).Scan(ctx); err != nil || len(rows) == 0 ||
		rows[0].Wanted == rows[0].State {
		return err
	}
	a := rows[0]
	err := e.bring(ctx, &a)
	a.LastError = ""
	if err != nil {
		a.LastError = err.Error()
	}
	if kept := e.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(&a).Column("emby_id", "state", "last_error").WherePK().Exec(ctx)
		return err
	}); kept != nil {
		return kept
	}
	return err
}

func (e *Emby) bring(ctx context.Context, a *Account) error {
	server, err := e.server(ctx)
	if err != nil {
		return err
	}
	if a.Wanted == None {
		if err := server.remove(ctx, a.EmbyID); err != nil {
			return err
		}
		a.EmbyID, a.State = "", None
		return nil
	}
	if a.EmbyID == "" {
		if a.EmbyID, err = server.add(ctx, a.Name); err != nil {
			return err
		}
		// It is the other one until all of it is done, so that it is brought there again where a step fails: an account
		// without its password is on until the media server took its policy.
		if a.State = Enabled; a.Wanted == Enabled {
			a.State = Disabled
		}
	}
	if a.Wanted == Enabled {
		password, err := e.key.Open(sealedFor, a.Password)
		if err != nil {
			return err
		}
		if err := server.setPassword(ctx, a.EmbyID, string(password)); err != nil {
			return err
		}
	}
	if err := server.setDisabled(ctx, a.EmbyID, a.Wanted == Disabled); err != nil {
		return err
	}
	a.State = a.Wanted
	return nil
}
