package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/captcha"
	"airstrip/internal/db"
)

// Guesses at passwords and codes are counted in the database, so that a bound holds for all processes and for guesses at
// the same moment: a guess is counted before its result is known, which makes others of the same kind wait until the
// transaction ends, and is given back where it was right.

const (
	guessWindow      = 15 * time.Minute
	passwordGuesses  = 10 // for one account by strangers without a captcha, and for one network that the account knows
	sessionGuesses   = 5  // at the password by one session
	twoFactorGuesses = 5  // at the digits of an account at sign-in, and by one session
)

// allowance is how many wrong guesses of one kind are answered within guessWindow. The zero allowance has no bound.
type allowance struct {
	who  string
	most int
}

// passwordAllowance gives what bounds guesses at the password. Within a session it is the session's own, so that neither
// holds up the other. At sign-in a network that the account has signed in from has its own, so that nobody locks the owner
// out, and who solved a captcha passes.
func (a *Accounts) passwordAllowance(ctx context.Context, idb bun.IDB, email string, from Client) (allowance, error) {
	switch {
	case from.session != uuid.Nil:
		return allowance{"password session " + from.session.String(), sessionGuesses}, nil
	case from.solved:
		return allowance{}, nil
	}
	known, err := a.knows(ctx, idb, email, from)
	if known {
		return allowance{"password " + email + " " + network(from.IP), passwordGuesses}, err
	}
	return allowance{"password " + email, passwordGuesses}, err
}

func twoFactorAllowance(userID int64, from Client) allowance {
	if from.session != uuid.Nil {
		return allowance{"two_factor session " + from.session.String(), twoFactorGuesses}
	}
	return allowance{fmt.Sprintf("two_factor account %d", userID), twoFactorGuesses}
}

// knows tells whether the account has signed in from the client's network in the last 90 days.
func (a *Accounts) knows(ctx context.Context, idb bun.IDB, email string, from Client) (known bool, err error) {
	err = idb.NewRaw(`SELECT EXISTS (SELECT 1 FROM sign_in s JOIN account a ON a.email = s.email
		WHERE s.email = ? AND s.network = ? AND s.wrong = '' AND s.at > ? AND s.at >= a.created_at)`,
		email, network(from.IP), a.db.Now().Add(-signInsKept)).Scan(ctx, &known)
	return known, err
}

// left tells whether one more guess is answered, and else how long to wait.
func (a *Accounts) left(ctx context.Context, idb bun.IDB, of allowance) (ok bool, wait time.Duration, err error) {
	var taken struct {
		Since   time.Time
		Guesses int
	}
	now := a.db.Now()
	err = idb.NewRaw(`SELECT since, guesses FROM guess_count WHERE who = ? AND since > ?`, of.who, now.Add(-guessWindow)).Scan(ctx, &taken)
	if errors.Is(err, db.ErrNoRows) {
		return true, 0, nil
	}
	return of.most == 0 || taken.Guesses < of.most, taken.Since.Add(guessWindow).Sub(now), err
}

// takeGuess counts a guess as part of tx, false where the allowance is used up. Others wait until tx ends.
func (a *Accounts) takeGuess(ctx context.Context, tx bun.Tx, of allowance) (ok bool, wait time.Duration, err error) {
	if of.most == 0 {
		return true, 0, nil
	}
	now := a.db.Now()
	n, err := db.Changed(tx.NewRaw(`INSERT INTO guess_count AS g (who, since, guesses) VALUES (?0, ?1, 1)
		ON CONFLICT (who) DO UPDATE SET guesses = CASE WHEN g.since <= ?2 THEN 1 ELSE g.guesses + 1 END, since = CASE WHEN g.since <= ?2 THEN ?1 ELSE g.since END
		WHERE g.since <= ?2 OR g.guesses < ?3`, of.who, now, now.Add(-guessWindow), of.most).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, 0, err
	}
	return a.left(ctx, tx, of)
}

// returnGuess gives a right guess back.
func (a *Accounts) returnGuess(ctx context.Context, tx bun.Tx, of allowance) error {
	if of.most == 0 {
		return nil
	}
	_, err := tx.NewRaw(`UPDATE guess_count SET guesses = guesses - 1 WHERE who = ? AND guesses > 0`, of.who).Exec(ctx)
	return err
}

// usedUp is the fault of a password that is not tested: strangers are asked for a captcha, which lets them go on.
func (a *Accounts) usedUp(ctx context.Context, wait time.Duration, from Client) error {
	if from.session != uuid.Nil {
		return ErrTooManyFailures.After(wait)
	}
	return a.captchas.Demand(ctx, captcha.Login, "", from.IP)
}

// within gives the client as one of a session.
func (c Client) within(who Identity) Client {
	c.session = who.SessionID
	return c
}
