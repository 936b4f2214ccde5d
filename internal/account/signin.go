package account

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
)

// Credentials is what a person shows to sign in: a password, or a code that was sent by mail.
type Credentials struct {
	Email     string
	Password  string
	EmailCode string
	TwoFactor string // code of the app, or a recovery code; needed where the user has a second factor
	Remember  bool   // for 30 days after the last refresh instead of an hour
}

// SignIn tests e-mail, password and, where the user has one, the second factor, and begins a session. Wrong credentials
// answer ErrWrongCredentials whatever it is that is wrong; after the right password a missing code answers
// ErrTwoFactorRequired and a wrong one ErrWrongTwoFactor, both at the field two_fa_code. A banned user can sign in.
func (a *Accounts) SignIn(ctx context.Context, c Credentials, from Client) (Grant, error) {
	var g Grant
	c.Email = NormalEmail(c.Email)
	if checkEmail(c.Email, nil) != nil { // nobody's, and nothing to keep in the history
		return g, ErrWrongCredentials
	}
	var err error
	if from.solved, err = a.askAtSignIn(ctx, c.Email, from); err != nil {
		return g, err
	}
	err = a.prove(ctx, c.Email, c.Password, a.second(c.TwoFactor, from), from, func(ctx context.Context, tx bun.Tx, r row) (err error) {
		g, err = a.signedIn(ctx, tx, r, c.Remember, from)
		return err
	})
	return g, atTwoFactor(err)
}

// signedIn records a sign-in of the user r, as read before the proof, and begins the session. Credentials that changed
// meanwhile answer ErrCredentialsChanged.
func (a *Accounts) signedIn(ctx context.Context, tx bun.Tx, r row, remember bool, from Client) (Grant, error) {
	now := a.db.Now()
	r.SignedInAt = &now
	n, err := db.Changed(tx.NewUpdate().Model(&r).Column("signed_in_at").WherePK().Where("credentials_version = ?", r.CredentialsVersion).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrCredentialsChanged
	}
	if err != nil {
		return Grant{}, err
	}
	if err := a.tellNewPlace(ctx, tx, r, from); err != nil {
		return Grant{}, err
	}
	if err := a.speaks(ctx, tx, &r, from); err != nil {
		return Grant{}, err
	}
	if err := a.record(ctx, tx, r.Email, from, nothing); err != nil {
		return Grant{}, err
	}
	if err := a.note(ctx, tx, r.ID, SignedIn, from); err != nil {
		return Grant{}, err
	}
	return a.begin(ctx, tx, r, remember, from)
}

// speaks keeps the language of a user's device for the mails to come.
func (a *Accounts) speaks(ctx context.Context, tx bun.Tx, r *row, from Client) error {
	if from.Lang == "" || from.Lang == r.Lang {
		return nil
	}
	r.Lang = from.Lang
	_, err := tx.NewUpdate().Model(r).Column("lang").WherePK().Exec(ctx)
	return err
}

// atTwoFactor names the field of the sign-in form that the faults of the second factor speak of.
func atTwoFactor(err error) error {
	for _, f := range []*fault.Error{ErrTwoFactorRequired, ErrWrongTwoFactor} {
		if errors.Is(err, f) {
			return f.In(fault.Field{Name: "two_fa_code", Code: f.Code, Text: f.Text})
		}
	}
	return err
}

// SignInByCode begins a session for who shows a code that was sent for ForLogin. Wrong input is named email, email_code;
// without an account the code is wrong, as any other would be. Wrong passwords do not stand in the way: a code has its
// own few tries. The second factor is asked for as by SignIn, and until it is right the code is not used up.
func (a *Accounts) SignInByCode(ctx context.Context, c Credentials, from Client) (Grant, error) {
	if err := a.strangers.Allow(network(from.IP)); err != nil {
		return Grant{}, err
	}
	s := shown{purpose: ForLogin, email: NormalEmail(c.Email), code: normalCode(c.EmailCode), field: "email_code"}
	if err := invalid(checkEmail(s.email, nil), checkCode(s.field, s.code)); err != nil {
		return Grant{}, err
	}
	var g Grant
	var wrong error
	guesser := func(ctx context.Context, tx bun.Tx) (row, error) { return find(ctx, tx, "email = ?", s.email) }
	err := a.holdingAccount(ctx, c.TwoFactor, from, guesser, func(ctx context.Context, tx bun.Tx) (err error) {
		if wrong, err = a.redeem(ctx, tx, from, s); err != nil {
			return err
		}
		if wrong != nil {
			return a.record(ctx, tx, s.email, from, WrongEmailCode)
		}
		r, err := find(ctx, tx, "email = ?", s.email)
		if err != nil {
			return err
		}
		if err := a.second(c.TwoFactor, from)(ctx, tx, r); err != nil {
			return err
		}
		now := a.db.Now()
		r.EmailVerifiedAt = &now
		if _, err := tx.NewUpdate().Model(&r).Column("email_verified_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		g, err = a.signedIn(ctx, tx, r, c.Remember, from)
		return err
	})
	return g, cmp.Or(atTwoFactor(err), wrong)
}

// holdingAccount runs fn in a transaction in which the account that whose gives is locked, so that fn's tests of a second
// factor come one after another. Where fn answers ErrWrongTwoFactor, all that it did is undone, and the guess counts.
func (a *Accounts) holdingAccount(ctx context.Context, code string, from Client, whose func(context.Context, bun.Tx) (row, error), fn func(context.Context, bun.Tx) error) error {
	var refused error
	err := a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		refused = nil
		r, err := whose(ctx, tx)
		if err != nil && !errors.Is(err, ErrNoUser) {
			return err
		}
		known := err == nil
		if _, err := tx.NewRaw(`UPDATE account SET lang = lang WHERE id = ?`, r.ID).Exec(ctx); err != nil {
			return err
		}
		err = tx.RunInTx(ctx, nil, fn) // a savepoint
		if !known || !errors.Is(err, ErrWrongTwoFactor) {
			return err
		}
		refused = err
		if sixDigits.MatchString(normalTwoFactor(code)) {
			if _, _, err := a.takeGuess(ctx, tx, twoFactorAllowance(r.ID, from)); err != nil {
				return err
			}
		}
		return a.record(ctx, tx, r.Email, from, WrongTwoFactor)
	})
	return cmp.Or(err, refused)
}

// prove tests a password and then, with second, what else is asked for; where both are right, then runs in the same
// transaction, otherwise it records the failure. The limits are looked at twice: before the password is hashed, to spare
// the work, and when the result is known, since tries that ran beside this one may have used them up.
func (a *Accounts) prove(ctx context.Context, email, password string, second func(context.Context, bun.Tx, row) error, from Client, then func(context.Context, bun.Tx, row) error) error {
	if len(password) > maxTyped {
		return fault.Invalid("password", "too_long", "密码过长", "The password is too long")
	}
	if err := a.admit(ctx, a.db, email, from); err != nil {
		return err
	}
	guesses, err := a.passwordAllowance(ctx, a.db, email, from)
	if err != nil {
		return err
	}
	if ok, wait, err := a.left(ctx, a.db, guesses); err != nil || !ok {
		return cmp.Or(err, a.usedUp(ctx, wait, from))
	}
	r, err := find(ctx, a.db, "email = ?", email)
	if err != nil && !errors.Is(err, ErrNoUser) {
		return err
	}
	costs, err := a.costs(ctx)
	if err != nil {
		return err
	}
	ok, err := a.hash.matches(ctx, shareOf(email, from), password, r.Password, costs)
	if err != nil {
		return err
	}
	stored := r.Password
	if ok && outdated(stored) {
		if stored, err = a.hash.hash(ctx, share{}, normalPassword(password)); err != nil {
			return err
		}
	}
	var refused error
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := a.admit(ctx, tx, email, from); err != nil {
			return err
		}
		left, wait, err := a.takeGuess(ctx, tx, guesses)
		if err != nil || !left { // right or wrong, nobody learns it
			return cmp.Or(err, a.usedUp(ctx, wait, from))
		}
		refused = ErrWrongCredentials
		if ok {
			if err := a.returnGuess(ctx, tx, guesses); err != nil {
				return err
			}
			// The password may have been changed, or a second factor turned on, while this one was hashed.
			n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("password = ?", stored).
				Where("id = ? AND credentials_version = ?", r.ID, r.CredentialsVersion).Exec(ctx))
			if err != nil {
				return err
			}
			if n == 0 {
				return ErrCredentialsChanged
			}
			refused = second(ctx, tx, r)
		}
		switch {
		case refused == nil:
			return then(ctx, tx, r)
		case errors.Is(refused, ErrWrongCredentials):
			return a.record(ctx, tx, email, from, WrongPassword)
		case errors.Is(refused, ErrWrongTwoFactor):
			return a.record(ctx, tx, email, from, WrongTwoFactor)
		}
		return refused
	})
	return cmp.Or(err, refused)
}

// try is one time that somebody showed a password or a code, or signed up.
type try struct {
	bun.BaseModel `bun:"table:sign_in"`
	ID            int64 `bun:",pk,autoincrement"`
	Email         string
	Network       string
	IP            string
	UserAgent     string
	Wrong         Wrong
	At            time.Time
}

// Wrong is what was wrong with a try; empty where nothing was and it became a sign-in.
type Wrong string

// What may be wrong with a try.
const (
	nothing        Wrong = ""
	WrongPassword  Wrong = "password"
	WrongEmailCode Wrong = "email_code"
	WrongTwoFactor Wrong = "two_factor"
)

func (a *Accounts) record(ctx context.Context, tx bun.Tx, email string, from Client, wrong Wrong) error {
	t := try{Email: email, Network: network(from.IP), IP: from.IP.String(), UserAgent: userAgent(from), Wrong: wrong, At: a.db.Now()}
	_, err := tx.NewInsert().Model(&t).Exec(ctx)
	return err
}

// SignInRecord is one entry of a user's history of sign-ins.
type SignInRecord struct {
	At        time.Time
	UserAgent string
	Wrong     Wrong
	Place
}

const historyLength = 100

// SignIns gives the newest sign-ins of a user, the failed ones too, newest first.
func (a *Accounts) SignIns(ctx context.Context, userID int64) ([]SignInRecord, error) {
	u, err := a.User(ctx, userID)
	if err != nil {
		return nil, err
	}
	var tries []try
	if err := a.db.NewSelect().Model(&tries).Where("email = ? AND at >= ?", u.Email, u.CreatedAt).
		OrderExpr("at DESC, id DESC").Limit(historyLength).Scan(ctx); err != nil {
		return nil, err
	}
	records := make([]SignInRecord, len(tries))
	for i, t := range tries {
		records[i] = SignInRecord{t.At, t.UserAgent, t.Wrong, a.place(t.IP, t.UserAgent)}
	}
	return records, nil
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

// failures are the wrong passwords within the window.
type failures struct {
	Everywhere, Here int // for one e-mail
	FirstHere        *time.Time
	LastHere         *time.Time
	OfNetwork        int // for all e-mails
	FirstOfNetwork   *time.Time
}

func (a *Accounts) failures(ctx context.Context, idb bun.IDB, email, here string) (f failures, err error) {
	since := a.db.Now().Add(-window)
	if err := idb.NewRaw(`SELECT count(*) AS everywhere, count(CASE WHEN network = ?0 THEN 1 END) AS here,
			min(CASE WHEN network = ?0 THEN at END) AS first_here, max(CASE WHEN network = ?0 THEN at END) AS last_here
		FROM sign_in WHERE email = ?1 AND at > ?2 AND wrong <> ''`, here, email, since).Scan(ctx, &f); err != nil {
		return f, err
	}
	err = idb.NewRaw(`SELECT count(*) AS of_network, min(at) AS first_of_network FROM sign_in WHERE network = ? AND at > ? AND wrong <> ''`, here, since).Scan(ctx, &f)
	return f, err
}

// admit answers ErrTooManyFailures where this client must wait before it may try a password for email.
func (a *Accounts) admit(ctx context.Context, idb bun.IDB, email string, from Client) error {
	if from.session != uuid.Nil { // bounded by passwordAllowance
		return nil
	}
	now, times := a.db.Now(), 1
	if from.solved {
		times = 2
	}
	f, err := a.failures(ctx, idb, email, network(from.IP))
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

const maxUserAgent = 512 // bytes

func userAgent(from Client) string {
	return strings.ToValidUTF8(from.UserAgent[:min(len(from.UserAgent), maxUserAgent)], "")
}
