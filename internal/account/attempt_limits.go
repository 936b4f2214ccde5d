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

// Guesses at passwords and codes are counted in the database, so that a bound holds for all processes and for guesses at
// the same moment: a guess is counted before its result is known, which makes others of the same kind wait until the
// transaction ends, and is given back where it was right.

// attemptLimits bounds guesses at passwords and codes, and demands captchas where there were many.
type attemptLimits struct {
	db       *db.DB
	settings *setting.Settings
	captchas *captcha.Captchas
	history  *History
}

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
func (l *attemptLimits) passwordAllowance(ctx context.Context, idb bun.IDB, email string, from Client) (allowance, error) {
	switch {
	case from.session != uuid.Nil:
		return allowance{"password session " + from.session.String(), sessionGuesses}, nil
	case from.solved:
		return allowance{}, nil
	}
	known, err := l.history.knowsNetwork(ctx, idb, email, from)
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

// left tells whether one more guess is answered, and else how long to wait.
func (l *attemptLimits) remaining(ctx context.Context, idb bun.IDB, of allowance) (ok bool, wait time.Duration, err error) {
	var taken struct {
		Since   time.Time
		Guesses int
	}
	now := l.db.Now()
	err = idb.NewRaw(`SELECT since, guesses FROM guess_count WHERE who = ? AND since > ?`, of.who, now.Add(-guessWindow)).Scan(ctx, &taken)
	if errors.Is(err, db.ErrNoRows) {
		return true, 0, nil
	}
	return of.most == 0 || taken.Guesses < of.most, taken.Since.Add(guessWindow).Sub(now), err
}

// takeGuess counts a guess as part of tx, false where the allowance is used up. Others wait until tx ends.
func (l *attemptLimits) consumeGuess(ctx context.Context, tx bun.Tx, of allowance) (ok bool, wait time.Duration, err error) {
	if of.most == 0 {
		return true, 0, nil
	}
	now := l.db.Now()
	n, err := db.Changed(tx.NewRaw(`INSERT INTO guess_count AS g (who, since, guesses) VALUES (?0, ?1, 1)
		ON CONFLICT (who) DO UPDATE SET guesses = CASE WHEN g.since <= ?2 THEN 1 ELSE g.guesses + 1 END, since = CASE WHEN g.since <= ?2 THEN ?1 ELSE g.since END
		WHERE g.since <= ?2 OR g.guesses < ?3`, of.who, now, now.Add(-guessWindow), of.most).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, 0, err
	}
	return l.remaining(ctx, tx, of)
}

// returnGuess gives a right guess back.
func (l *attemptLimits) returnGuess(ctx context.Context, tx bun.Tx, of allowance) error {
	if of.most == 0 {
		return nil
	}
	_, err := tx.NewRaw(`UPDATE guess_count SET guesses = guesses - 1 WHERE who = ? AND guesses > 0`, of.who).Exec(ctx)
	return err
}

// usedUp is the fault of a password that is not tested: strangers are asked for a captcha, which lets them go on.
func (l *attemptLimits) demandCaptcha(ctx context.Context, wait time.Duration, from Client) error {
	if from.session != uuid.Nil {
		return ErrTooManyFailures.After(wait)
	}
	return l.captchas.Demand(ctx, captcha.Login, "", from.IP)
}

// within gives the client as one of a session.
func (c Client) within(who Identity) Client {
	c.session = who.SessionID
	return c
}

// The limits on wrong passwords. Nobody can lock somebody else's account: failures elsewhere only make one network wait
// between its own. Where the site asks for captchas they come at these numbers, and the waiting at twice of them.
const (
	window             = 15 * time.Minute
	failuresHere       = 5  // for one e-mail from one network
	failuresEverywhere = 5  // for one e-mail; from then on each network waits pause after its own failure
	failuresOfNetwork  = 20 // from one network for all e-mails
	pause              = time.Minute
)

// admit answers ErrTooManyFailures where this client must wait before it may try a password for email.
func (l *attemptLimits) admit(ctx context.Context, idb bun.IDB, email string, from Client) error {
	if from.session != uuid.Nil { // bounded by passwordAllowance
		return nil
	}
	now, times := l.db.Now(), 1
	if from.solved {
		times = 2
	}
	f, err := l.failures(ctx, idb, email, network(from.IP))
	switch {
	case err != nil:
		return err
	case f.Here >= times*failuresHere:
		return ErrTooManyFailures.After(f.FirstHere.Add(window).Sub(now))
	case f.OfNetwork >= times*failuresOfNetwork:
		return ErrTooManyFailures.After(f.FirstOfNetwork.Add(window).Sub(now))
	case f.Everywhere >= times*failuresEverywhere && f.LastHere != nil && f.LastHere.Add(pause).After(now):
		return ErrTooManyFailures.After(f.LastHere.Add(pause).Sub(now))
	}
	return nil
}

// network is what an address is counted as.
func network(ip netip.Addr) string { return limit.Network(ip) }

// failures are the wrong passwords within the window.
type failures struct {
	Everywhere, Here int // for one e-mail
	FirstHere        *time.Time
	LastHere         *time.Time
	OfNetwork        int // for all e-mails
	FirstOfNetwork   *time.Time
}

func (l *attemptLimits) failures(ctx context.Context, idb bun.IDB, email, here string) (f failures, err error) {
	since := l.db.Now().Add(-window)
	if err := idb.NewRaw(`SELECT count(*) AS everywhere, count(CASE WHEN network = ?0 THEN 1 END) AS here,
			min(CASE WHEN network = ?0 THEN at END) AS first_here, max(CASE WHEN network = ?0 THEN at END) AS last_here
		FROM sign_in WHERE email = ?1 AND at > ?2 AND wrong <> ''`, here, email, since).Scan(ctx, &f); err != nil {
		return f, err
	}
	err = idb.NewRaw(`SELECT count(*) AS of_network, min(at) AS first_of_network FROM sign_in WHERE network = ? AND at > ? AND wrong <> ''`, here, since).Scan(ctx, &f)
	return f, err
}
