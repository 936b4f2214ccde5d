package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/limit"
	"airstrip/internal/setting"
)

// Guesses at passwords and codes are counted in the database, so that a bound holds for all replicas and for
// simultaneous guesses: a guess is counted before its result is known, which makes others of the same kind wait until
// the transaction ends, and the count is taken back where the guess was right.

// attemptLimits bounds guesses at passwords and codes, and requires captchas where there were many.
type attemptLimits struct {
	db       *db.DB
	settings *setting.Settings
	captchas *captcha.Captchas
	history  *History
}

const (
	guessWindow = 15 * time.Minute
	// for one account from unknown networks without a captcha, and for each network that the account has signed in from
	maxPasswordGuesses  = 10
	maxSolvedGuesses    = 100 // for one account from unknown networks, each with a captcha
	maxSessionGuesses   = 5   // at the password by one session
	maxTwoFactorGuesses = 5   // at the digits of an account at sign-in, and by one session
)

// allowance bounds the wrong guesses of one kind within guessWindow. The zero allowance has no bound.
type allowance struct {
	who string
	max int
}

// passwordAllowance returns the allowance for guesses at a password. A call within a session counts against that
// session, so that neither holds up the other. At sign-in a network from which the account has signed in before has an
// allowance of its own, so that nobody can lock the user out. Clients that solved a captcha have a larger one together:
// a captcha costs a machine a second, which alone bounds no guessing.
func (l *attemptLimits) passwordAllowance(
	ctx context.Context, idb bun.IDB, email string, from Client,
) (allowance, error) {
	if from.session != uuid.Nil {
		return allowance{"password session " + from.session.String(), maxSessionGuesses}, nil
	}
	known, err := l.history.knowsNetwork(ctx, idb, email, from)
	switch {
	case known && from.solved:
		return allowance{}, err
	case known:
		return allowance{"password " + email + " " + networkOf(from.IP), maxPasswordGuesses}, err
	case from.solved:
		return allowance{"password solved " + email, maxSolvedGuesses}, err
	}
	return allowance{"password " + email, maxPasswordGuesses}, err
}

func twoFactorAllowance(userID int64, from Client) allowance {
	if from.session != uuid.Nil {
		return allowance{"two_factor session " + from.session.String(), maxTwoFactorGuesses}
	}
	return allowance{fmt.Sprintf("two_factor account %d", userID), maxTwoFactorGuesses}
}

// remaining tells whether one more guess is allowed, and otherwise how long to wait.
func (l *attemptLimits) remaining(
	ctx context.Context, idb bun.IDB, of allowance,
) (ok bool, wait time.Duration, err error) {
	var taken struct {
		Since   time.Time
		Guesses int
	}
	now := l.db.Now()
	err = idb.NewRaw(`SELECT since, guesses FROM guess_count WHERE who = ? AND since > ?`, of.who,
		now.Add(-guessWindow)).Scan(ctx, &taken)
	if errors.Is(err, db.ErrNoRows) {
		return true, 0, nil
	}
	return of.max == 0 || taken.Guesses < of.max, taken.Since.Add(guessWindow).Sub(now), err
}

// consumeGuess counts a guess as part of tx; ok is false where the allowance is used up. Other guesses of the same kind
// wait until tx ends.
func (l *attemptLimits) consumeGuess(
	ctx context.Context, tx bun.Tx, of allowance,
) (ok bool, wait time.Duration, err error) {
	if of.max == 0 {
		return true, 0, nil
	}
	now := l.db.Now()
	n, err := db.Changed(tx.NewRaw(`INSERT INTO guess_count AS g (who, since, guesses) VALUES (?0, ?1, 1)
		ON CONFLICT (who) DO UPDATE SET guesses = CASE WHEN g.since <= ?2 THEN 1 ELSE g.guesses + 1 END, since = CASE
		WHEN g.since <= ?2 THEN ?1 ELSE g.since END
		WHERE g.since <= ?2 OR g.guesses < ?3`, of.who, now, now.Add(-guessWindow), of.max).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, 0, err
	}
	return l.remaining(ctx, tx, of)
}

// returnGuess takes back the count of a guess that was right.
func (l *attemptLimits) returnGuess(ctx context.Context, tx bun.Tx, of allowance) error {
	if of.max == 0 {
		return nil
	}
	_, err := tx.NewRaw(`UPDATE guess_count SET guesses = guesses - 1 WHERE who = ? AND guesses > 0`, of.who).Exec(ctx)
	return err
}

// demandCaptcha returns the fault of a password that is not tested because the allowance is used up: outside a session
// a captcha is required, which lets the client go on once.
func (l *attemptLimits) demandCaptcha(ctx context.Context, wait time.Duration, from Client) error {
	if from.session != uuid.Nil || from.solved {
		return ErrTooManyFailures.After(wait)
	}
	return l.captchas.Demand(ctx, captcha.Login, "", from.IP)
}

// within returns the client as one that calls within the session of who.
func (c Client) within(who Identity) Client {
	c.session = who.SessionID
	return c
}

// Limits on wrong passwords. Nobody can lock another user's account: failures from elsewhere only make a network wait
// between its own tries. A captcha is required from these numbers on, the wait begins at twice as many.
const (
	failureWindow         = 15 * time.Minute
	maxFailuresHere       = 5  // for one e-mail address from one network
	maxFailuresEverywhere = 5  // for one e-mail address; then each network waits failurePause after its own failure
	maxFailuresOfNetwork  = 20 // from one network for all e-mail addresses
	failurePause          = time.Minute
)

// admit returns ErrTooManyFailures where this client must wait before it may try a password for the address.
func (l *attemptLimits) admit(ctx context.Context, idb bun.IDB, email string, from Client) error {
	if from.session != uuid.Nil { // a session is bounded by passwordAllowance
		return nil
	}
	now, times := l.db.Now(), 1
	if from.solved {
		times = 2
	}
	f, err := l.failures(ctx, idb, email, networkOf(from.IP))
	switch {
	case err != nil:
		return err
	case f.Here >= times*maxFailuresHere:
		return ErrTooManyFailures.After(f.FirstHere.Add(failureWindow).Sub(now))
	case f.OfNetwork >= times*maxFailuresOfNetwork:
		return ErrTooManyFailures.After(f.FirstOfNetwork.Add(failureWindow).Sub(now))
	case f.Everywhere >= times*maxFailuresEverywhere && f.LastHere != nil && f.LastHere.Add(failurePause).After(now):
		return ErrTooManyFailures.After(f.LastHere.Add(failurePause).Sub(now))
	}
	return nil
}

// networkOf returns the network by which an address is counted.
func networkOf(ip netip.Addr) string { return limit.Network(ip) }

// failures counts the wrong passwords within failureWindow.
type failures struct {
	Everywhere, Here int // for one e-mail
	FirstHere        *time.Time
	LastHere         *time.Time
	OfNetwork        int // for all e-mails
	FirstOfNetwork   *time.Time
}

func (l *attemptLimits) failures(ctx context.Context, idb bun.IDB, email, here string) (f failures, err error) {
	since := l.db.Now().Add(-failureWindow)
	if err := idb.NewRaw(`SELECT count(*) AS everywhere, count(CASE WHEN network = ?0 THEN 1 END) AS here,
			min(CASE WHEN network = ?0 THEN at END) AS first_here, max(CASE WHEN network = ?0 THEN at END) AS last_here
		FROM sign_in WHERE email = ?1 AND at > ?2 AND wrong <> ''`, here, email, since).Scan(ctx, &f); err != nil {
		return f, err
	}
	err = idb.NewRaw(`SELECT count(*) AS of_network, min(at) AS first_of_network FROM sign_in WHERE network = ?
		AND at > ? AND wrong <> ''`, here, since).Scan(ctx, &f)
	return f, err
}
