package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/bulk"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

// crowd adds users without passwords, and gives their numbers.
func (h *fixture) crowd(n int) (ids []int64) {
	h.Helper()
	hash, err := h.Accounts.Hash(h.Context(), "a long enough password")
	if err != nil {
		h.Fatal(err)
	}
	if err := h.DB.LongTx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
		ids = nil
		for i := range n {
			u, err := h.Accounts.Import(ctx, tx, fmt.Sprintf("c%d@crowd.example", i), "c", hash)
			if err != nil {
				return err
			}
			ids = append(ids, u.ID)
		}
		return nil
	}); err != nil {
		h.Fatal(err)
	}
	return ids
}

// A bulk grant gives each user once, whatever is killed, run twice at a time, stopped or tried again.
func TestBulk_KilledStoppedAndResumed_GivesEachOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ctx := h.Context()
		ids := h.crowd(400)
		h.sells(h.T, shop.KindPackage, 300)
		h.limited("100000.00")
		admin := h.staff[account.Admin]
		who := account.Identity{UserID: admin.id, Role: account.Admin}
		must := func(err error) {
			h.Helper()
			if err != nil {
				h.Fatal(err)
			}
		}
		filter := url.Values{"domain": {"crowd.example"}}
		j, err := h.Bulks.Freeze(ctx, who, bulk.Job{
			Kind: bulk.Traffic, Reason: "x", Details: bulk.Details{Bytes: gigabyte, Name: "Gift"},
		}, bulk.Selection{Filter: filter})
		must(err)
		if j.Rows != int64(len(ids)) || j.Worth == 0 {
			h.Fatalf("the choice is %d users worth %s", j.Rows, j.Worth)
		}
		h.crowdJoins("late@crowd.example") // after the choice was frozen
		must(h.Bulks.Run(ctx))             // nobody has confirmed it
		_, err = h.Bulks.Start(ctx, who, j.ID)
		must(err)
		progress := func() int64 {
			j, err := h.Bulks.Job(ctx, j.ID)
			must(err)
			return j.Done
		}
		if done := progress(); done != 0 {
			h.Fatalf("%d users got something before the start", done)
		}
		for kill := range 3 { // each dies in the middle of some transaction
			dying, die := context.WithCancel(ctx)
			var runs sync.WaitGroup
			for range 2 {
				runs.Go(func() { _ = h.Bulks.Run(dying) })
			}
			for deadline := time.Now().Add(5 * time.Second); progress() < int64(kill*60+1) &&
				time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			die()
			runs.Wait()
		}
		stopped, err := h.Bulks.Stop(ctx, who, j.ID)
		if errors.Is(err, bulk.ErrState) { // it was done by then
			err = nil
		} else {
			must(err)
			must(h.Bulks.Run(ctx))
			if now := progress(); now != stopped.Done {
				h.Errorf("%d users got something after the stop", now-stopped.Done)
			}
			_, err = h.Bulks.Resume(ctx, who, j.ID)
		}
		must(err)
		must(h.Bulks.Run(ctx))
		ended, err := h.Bulks.Job(ctx, j.ID)
		must(err)
		if ended.State != bulk.Done || ended.Done != 400 || ended.Failed != 0 {
			h.Errorf("it ended as %+v", ended)
		}
		var wrong, all int
		must(h.DB.NewRaw(`SELECT count(*) FROM (SELECT user_id FROM package WHERE name = 'Gift' GROUP BY user_id
			HAVING count(*) <> 1 OR SUM(bytes) <> ?) p`, gigabyte).Scan(ctx, &wrong))
		must(h.DB.NewRaw(`SELECT count(*) FROM package WHERE name = 'Gift'`).Scan(ctx, &all))
		if wrong != 0 || all != 400 {
			h.Errorf("%d users have other than one package; there are %d packages", wrong, all)
		}
		h.sound(h.T)
	})
}

func (h *fixture) crowdJoins(email string) {
	h.Helper()
	hash, err := h.Accounts.Hash(h.Context(), "a long enough password")
	if err != nil {
		h.Fatal(err)
	}
	if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := h.Accounts.Import(ctx, tx, email, "late", hash)
		return err
	}); err != nil {
		h.Fatal(err)
	}
}

// Neither users nor a filter is nobody; what fails fails alone and can be tried again; nobody gives to themselves.
func TestBulk_Rows_FailAloneAndAreTriedAgain(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, support, user := h.staff[account.Admin], h.staff[account.Support], h.users[0]
		const to = "/api/v2/staff/bulk-jobs"
		h.limited("100000.00")
		h.ask(admin, 422, "POST", to, `{"kind":"balance","details":{"amount":"1.00"},"reason":"x"}`, nil)
		h.ask(admin, 422, "POST", to, `{"kind":"balance","details":{"amount":"1.00"},"reason":"x","filter":"nope=1"}`, nil)
		h.ask(support, 403, "POST", to, fmt.Sprintf(`{"kind":"label","details":{"label":"a"},"reason":"x","ids":[%d]}`,
			user.id), nil)
		before := h.balance(h.T, user.id).Posted
		var made struct {
			Job      struct{ ID, Rows int64 }
			Examples []struct{ Email string }
		}
		h.ask(admin, 200, "POST", to, fmt.Sprintf(
			`{"kind":"balance","details":{"amount":"1.00"},"reason":"x","ids":[%d,%d,%[1]d]}`, user.id, admin.id), &made)
		if made.Job.Rows != 2 || len(made.Examples) != 2 {
			h.Errorf("the choice is %+v", made)
		}
		h.ask(admin, 200, "POST", fmt.Sprintf("%s/%d/start", to, made.Job.ID), "", nil)
		h.ask(admin, 409, "POST", fmt.Sprintf("%s/%d/start", to, made.Job.ID), "", nil)
		for range 2 {
			if err := h.Bulks.Run(h.Context()); err != nil {
				h.Fatal(err)
			}
			var job struct {
				State        string
				Done, Failed int64
			}
			h.ask(admin, 200, "GET", fmt.Sprintf("%s/%d", to, made.Job.ID), "", &job)
			if job.State != "done" || job.Done != 1 || job.Failed != 1 {
				h.Errorf("it ended as %+v", job)
			}
			h.ask(admin, 200, "POST", fmt.Sprintf("%s/%d/retry", to, made.Job.ID), "", nil)
		}
		if has := h.balance(h.T, user.id).Posted; has != before+100 {
			h.Errorf("the wallet has %s, want 1.00 more than %s", has, before)
		}
		if err := h.Bulks.Run(h.Context()); err != nil {
			h.Fatal(err)
		}
		h.sound(h.T)
	})
}

// A job is stopped while it runs and resumed once stopped; a stopped one gives nothing, whoever runs it.
func TestBulk_StopAndResume_FollowTheState(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, support, user := h.staff[account.Admin], h.staff[account.Support], h.users[0]
		h.limited("100000.00")
		before := h.balance(h.T, user.id).Posted
		var made struct{ Job struct{ ID int64 } }
		h.ask(admin, 200, "POST", "/api/v2/staff/bulk-jobs",
			fmt.Sprintf(`{"kind":"balance","details":{"amount":"1.00"},"reason":"x","ids":[%d]}`, user.id), &made)
		act := func(as testUser, want int, name string) {
			h.Helper()
			h.ask(as, want, "POST", fmt.Sprintf("/api/v2/staff/bulk-jobs/%d/%s", made.Job.ID, name), "", nil)
		}
		run := func(want string, gain money.Amount) {
			h.Helper()
			if err := h.Bulks.Run(h.Context()); err != nil {
				h.Fatal(err)
			}
			var job struct{ State string }
			h.ask(admin, 200, "GET", fmt.Sprintf("/api/v2/staff/bulk-jobs/%d", made.Job.ID), "", &job)
			if has := h.balance(h.T, user.id).Posted; job.State != want || has != before+gain {
				h.Errorf("the job is %s and the wallet has %s more, want %s and %s", job.State, has-before, want, gain)
			}
		}
		act(admin, 409, "stop")
		act(admin, 409, "resume")
		act(admin, 200, "start")
		act(support, 403, "stop")
		act(admin, 200, "stop")
		act(admin, 409, "stop")
		act(admin, 409, "start")
		run("stopped", 0)
		act(support, 403, "resume")
		act(admin, 200, "resume")
		act(admin, 409, "resume")
		run("done", 100)
		act(admin, 409, "stop")
		act(admin, 409, "resume")
		run("done", 100)
		h.sound(h.T)
	})
}

// Who makes or approves a job gets nothing by it, however they came to be among its users and whoever tries it again.
func TestBulk_MakerAndApprover_GetNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, bob, user := h.staff[account.Admin], h.staff[account.Owner], h.users[0]
		h.sells(h.T, shop.KindPackage, 300)
		h.limited("0.00")
		for _, details := range []string{
			`"kind":"balance","details":{"amount":"1.00"}`, `"kind":"traffic","details":{"bytes":1073741824,"name":"Gift"}`,
		} {
			var made struct{ Job struct{ ID int64 } }
			h.ask(ann, 200, "POST", "/api/v2/staff/bulk-jobs", fmt.Sprintf(`{%s,"reason":"x","ids":[%d,%d,%d]}`, details,
				ann.id, bob.id, user.id), &made)
			to := fmt.Sprintf("/api/v2/staff/bulk-jobs/%d", made.Job.ID)
			h.ask(ann, 200, "POST", to+"/start", "", nil)
			h.decide(ann, 403, true)
			h.decide(bob, 200, true)
			for range 2 {
				if err := h.Bulks.Run(h.Context()); err != nil {
					h.Fatal(err)
				}
				var job struct{ Done, Failed int64 }
				h.ask(ann, 200, "GET", to, "", &job)
				if job.Done != 1 || job.Failed != 2 {
					h.Errorf("%s: it gave to %d and refused %d, want 1 and 2", details, job.Done, job.Failed)
					break
				}
				h.ask(bob, 200, "POST", to+"/retry", "", nil)
			}
		}
		for _, member := range []testUser{ann, bob} {
			_, has, err := h.Services.List(h.Context(), member.id)
			if err != nil || len(has) != 0 || h.balance(h.T, member.id).Posted != 0 {
				h.Errorf("member %d has %v and %s", member.id, has, h.balance(h.T, member.id).Posted)
			}
		}
		h.sound(h.T)
	})
}
