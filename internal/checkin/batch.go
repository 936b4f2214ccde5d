package checkin

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/dberr"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

const (
	maxBatch    = 200              // check-ins of one transaction
	giveTimeout = 30 * time.Second // of a transaction for several callers
)

// claim is a call that waits for its check-in.
type claim struct {
	ctx     context.Context // of the call
	userID  int64
	network *string
	answer  chan answer // takes one
}

type answer struct {
	given *CheckIn
	err   error
}

// join gives a user today's traffic together with the others who ask for it at the same time: at midnight they are
// many, and a transaction for each of them would wait for the disk as many times.
func (c *CheckIns) join(ctx context.Context, userID int64, network string) (*CheckIn, error) {
	one := &claim{ctx, userID, &network, make(chan answer, 1)}
	c.mu.Lock()
	c.waiting = append(c.waiting, one)
	begins := !c.giving
	c.giving = true
	c.mu.Unlock()
	if begins {
		go c.giveAll()
	}
	select {
	case a := <-one.answer:
		return a.given, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// giveAll gives to all who wait, until nobody does.
func (c *CheckIns) giveAll() {
	for {
		c.mu.Lock()
		n := min(len(c.waiting), maxBatch)
		claims := slices.Clone(c.waiting[:n])
		c.waiting = slices.Delete(c.waiting, 0, n)
		c.giving = n > 0
		c.mu.Unlock()
		if n == 0 {
			return
		}
		// Who has left asked for nothing any more.
		claims = slices.DeleteFunc(claims, func(one *claim) bool { return one.ctx.Err() != nil })
		c.giveTogether(claims)
	}
}

// giveTogether answers the claims, with one transaction where that succeeds.
func (c *CheckIns) giveTogether(claims []*claim) {
	if len(claims) > 1 {
		ctx, cancel := detached.WithTimeout(db.Unguarded(claims[0].ctx), giveTimeout)
		answers, err := c.giveIn(ctx, claims)
		cancel()
		if errors.Is(err, dberr.ErrOutcomeUnknown) {
			answers = slices.Repeat([]answer{{err: err}}, len(claims))
		}
		if answers != nil {
			for i, one := range claims {
				one.answer <- answers[i]
			}
			return
		}
		slog.WarnContext(ctx, "check-ins go on one by one", "users", len(claims), "error", err)
	}
	for _, one := range claims {
		answers, err := c.giveIn(one.ctx, []*claim{one})
		if err != nil {
			answers = []answer{{err: err}}
		}
		one.answer <- answers[0]
	}
}

// giveIn is give in a transaction of its own.
func (c *CheckIns) giveIn(ctx context.Context, claims []*claim) (answers []answer, err error) {
	err = c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		answers, err = c.give(ctx, tx, claims)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// absence says why a user was not found: the account was closed, or there never was one.
func (c *CheckIns) absence(ctx context.Context, tx bun.Tx, userID int64) error {
	known, err := c.accounts.Users(ctx, tx, []int64{userID})
	switch {
	case err != nil:
		return err
	case len(known) > 0:
		return account.ErrClosed
	}
	return account.ErrNoUser
}

// give answers the claims as part of tx. A user is given once, however often they are among them.
func (c *CheckIns) give(ctx context.Context, tx bun.Tx, claims []*claim) ([]answer, error) {
	ids := make([]int64, len(claims))
	for i, one := range claims {
		ids[i] = one.userID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	users, err := c.accounts.LockAll(ctx, tx, ids) // second calls, bans and the closing of accounts wait here
	if err != nil {
		return nil, err
	}
	last, err := c.lastOf(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	runs, err := c.running(ctx, tx, users)
	if err != nil {
		return nil, err
	}
	answers := make([]answer, len(claims))
	var given []*CheckIn
	for i, one := range claims {
		at, found := slices.BinarySearchFunc(users, one.userID, func(u account.User, id int64) int {
			return cmp.Compare(u.ID, id)
		})
		if !found {
			answers[i].err = c.absence(ctx, tx, one.userID)
			continue
		}
		answers[i].err = c.statusOf(users[at], last[one.userID], runs[one.userID]).fault()
		if answers[i].err == nil {
			made := c.next(one, last[one.userID])
			given = append(given, made)
			last[one.userID], answers[i].given = made, made
		}
	}
	return answers, c.write(ctx, tx, given)
}

// next is what a user is given whose newest check-in is last.
func (c *CheckIns) next(one *claim, last *CheckIn) *CheckIn {
	now := c.now()
	made := &CheckIn{
		UserID: one.userID, Day: DayOf(now), Streak: 1, Network: one.network, CreatedAt: c.db.Now(),
		ExpiresAt: expiry(now),
	}
	if last != nil && last.Day == made.Day-1 {
		made.Streak = last.Streak + 1
	}
	made.Bytes = amount(c.settings.Get(), made.IsBonus())
	return made
}

// write stores check-ins with their packages.
func (c *CheckIns) write(ctx context.Context, tx bun.Tx, given []*CheckIn) error {
	if len(given) == 0 {
		return nil
	}
	terms := make([]service.PackageTerms, len(given))
	for i, one := range given {
		terms[i] = service.PackageTerms{
			UserID: one.UserID, Name: "签到流量", Names: fault.ByLang{fault.EN: "Check-in traffic"}, Kind: service.CheckIn,
			Bytes: one.Bytes, ExpiresAt: &one.ExpiresAt,
		}
	}
	packages, err := c.services.AddPackages(ctx, tx, terms)
	if err != nil {
		return err
	}
	for i, one := range given {
		one.PackageID = packages[i].ID
	}
	_, err = tx.NewInsert().Model(&given).Exec(ctx)
	if err = db.Error(err); errors.Is(err, db.ErrUnique) {
		err = ErrDone.Because(err)
	}
	return err
}
