// Package account owns users: how they sign up and sign in, their credentials and sessions, API tokens, bans, and the
// history of what happened to an account. Accounts joins the parts, one type for each concern; a part knows only those
// below it: sessions know no credentials, credentials know no passkeys. Whatever opens an account is changed through
// Credentials, which ends every other session and token in the same transaction, so that nobody who got in before the
// change stays in. Session, role and ban are read from the database at each call, so their changes take effect at once.
// Limits on guesses are counted in the database and hold across replicas. Sign-in and password reset answer alike, and
// in the same time, whether or not an address has an account.
package account

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/captcha"
	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/geo"
	"airstrip/internal/job"
	"airstrip/internal/limit"
	"airstrip/internal/mail"
	"airstrip/internal/notify"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

// Accounts holds all users and the parts that act on them, one for each concern.
type Accounts struct {
	Setup       *Setup
	SignUps     *SignUps
	SignIns     *SignIns
	Sessions    *Sessions
	Visits      *Visits
	Streams     *Streams
	APITokens   *APITokens
	Credentials *Credentials
	EmailCodes  *EmailCodes
	TwoFactor   *TwoFactor
	Passkeys    *Passkeys
	Bans        *Bans
	History     *History

	db       *db.DB
	byID     *db.Prepared
	settings *setting.Settings
	mails    *mail.Mails
	notices  *notify.Notices
	wallets  *wallet.Wallets
	services *service.Services
	hasher   *hasher
	verifier *verifier
	onClose  []func(ctx context.Context, tx bun.Tx, userID int64) error
}

// Config names what accounts are made from.
type Config struct {
	DB       *db.DB
	Key      seal.Key
	Settings *setting.Settings
	Mails    *mail.Mails
	Notices  *notify.Notices // nil: notices by mail only
	Captchas *captcha.Captchas
	Tokens   *token.Tokens
	Wallets  *wallet.Wallets   // a new user gets a wallet in the same transaction
	Services *service.Services // a new user gets a row of access in the same transaction
	Areas    *geo.Areas        // nil: areas of addresses are unknown
	Audit    *audit.Log        // nil: what ends by itself leaves no entry
	Site     string            // the address that users see; passkeys are bound to it
	// PasswordMemory is what the hash of a password takes, in KiB; 0: 19 MiB. Only tests of other things take less.
	PasswordMemory uint32
}

// New returns the accounts stored in c.DB. Each part knows only those that are made before it.
func New(c Config) *Accounts {
	if c.Notices == nil {
		c.Notices = notify.New(c.DB, c.Mails)
	}
	cost := presentArgon2
	cost.memory = cmp.Or(c.PasswordMemory, cost.memory)
	hasher := newHasher(cost)
	existenceChecks := limit.Per(time.Hour, 100)
	history := &History{db: c.DB, areas: c.Areas}
	roles := &staffRoles{db: c.DB, settings: c.Settings}
	limits := &attemptLimits{db: c.DB, settings: c.Settings, captchas: c.Captchas, history: history}
	verifier := &verifier{db: c.DB, key: c.Key, hasher: hasher, limits: limits, history: history}
	codes := &EmailCodes{
		db: c.DB, key: c.Key, settings: c.Settings, mails: c.Mails, limits: limits, history: history,
		existenceChecks: existenceChecks,
	}
	visits := newVisits(c, roles, history)
	sessions := newSessions(c, roles, history, visits)
	signIns := &SignIns{
		db: c.DB, key: c.Key, notices: c.Notices, limits: limits, verifier: verifier, codes: codes, sessions: sessions,
		history: history, existenceChecks: existenceChecks,
	}
	credentials := &Credentials{
		db: c.DB, settings: c.Settings, mails: c.Mails, notices: c.Notices, hasher: hasher, verifier: verifier,
		codes: codes, sessions: sessions, history: history, existenceChecks: existenceChecks,
	}
	signUps := &SignUps{
		db: c.DB, settings: c.Settings, hasher: hasher, limits: limits, codes: codes, sessions: sessions,
		history: history, wallets: c.Wallets, services: c.Services, existenceChecks: existenceChecks,
	}
	return &Accounts{
		Setup:   &Setup{db: c.DB, settings: c.Settings, limits: limits, signUps: signUps},
		SignUps: signUps,
		Streams: &Streams{
			db: c.DB, settings: c.Settings, visits: visits, open: map[*openStream]struct{}{},
		},
		SignIns: signIns, Sessions: sessions, Credentials: credentials, EmailCodes: codes, History: history,
		Visits:    visits,
		APITokens: &APITokens{db: c.DB, notices: c.Notices, roles: roles, verifier: verifier, history: history},
		TwoFactor: &TwoFactor{
			db: c.DB, key: c.Key, settings: c.Settings, verifier: verifier, credentials: credentials, history: history,
		},
		Passkeys: &Passkeys{
			db: c.DB, settings: c.Settings, webauthn: relyingParty(c.Site), challenges: limit.Per(time.Minute, 60),
			verifier: verifier, credentials: credentials, signIns: signIns, history: history,
		},
		Bans: &Bans{db: c.DB, notices: c.Notices, services: c.Services, visits: visits},
		db:   c.DB, settings: c.Settings, mails: c.Mails, notices: c.Notices, wallets: c.Wallets, services: c.Services,
		hasher: hasher, verifier: verifier,
		byID: c.DB.Prepared(c.DB.NewSelect().Model((*row)(nil)).Where("id = ?", bun.Safe("?")).String()),
	}
}

// User is a person with an account.
type User struct {
	ID              int64 `bun:",pk,autoincrement"`
	UUID            uuid.UUID
	Email           string // lower case
	Name            string
	Role            Role
	Lang            fault.Lang // last used by the user; mails are written in it
	InviteCode      string     // with which others sign up
	InvitedBy       *int64
	TelegramID      *int64
	BannedAt        *time.Time
	EmailVerifiedAt *time.Time
	SignedInAt      *time.Time
	CreatedAt       time.Time
	ClosedAt        *time.Time // a closed account keeps only its id, to which the ledger refers
}

// Banned tells whether the user is banned. A banned user can sign in and read the reason, and has no service.
func (u User) Banned() bool { return u.BannedAt != nil }

// row is the stored form of a user, with the columns that never leave this package.
type row struct {
	bun.BaseModel `bun:"table:account"`
	User
	Password          string
	PasswordVersion   uuid.UUID
	PasswordChangedAt time.Time

	CredentialsVersion   int64      // grows by one with each change of credentials
	CredentialsChangedAt *time.Time // nil: never
}

// Client describes who makes a call, for the history and the limits.
type Client struct {
	IP        netip.Addr
	UserAgent string
	Lang      fault.Lang // the language of the caller; empty: unknown
	Captcha   string     // answer to a captcha; empty where none was given

	solved  bool      // a captcha was required and its answer is right
	session uuid.UUID // the session that makes the call; the zero UUID: none
}

// Faults of accounts.
var (
	ErrNoUser     = service.ErrNoUser
	ErrEmailTaken = fault.Conflict("email_taken", "该邮箱已被注册", "This e-mail address has an account already").
			In(*field("email", "email_taken", "该邮箱已被注册", "This e-mail address has an account already"))
	ErrSignUpClosed   = fault.Forbidden("sign_up_closed", "本站暂不开放注册", "Sign-up is closed")
	ErrTooManySignUps = fault.TooMany("too_many_sign_ups", "你所在的网络今天注册的账号过多，请明天再试",
		"Too many accounts were made from your network today; please try again tomorrow")
	ErrWrongCredentials = fault.Unauthorized("wrong_credentials", "邮箱或密码不正确",
		"The e-mail address or the password is wrong")
	ErrTooManyFailures = fault.TooMany("too_many_failures", "密码错误次数过多，请稍后再试",
		"Too many wrong passwords; please wait before the next try")
	ErrSignedOut = fault.Unauthorized("signed_out", "登录已失效，请重新登录",
		"Your sign-in has ended; please sign in again")
)

// User returns the user with this id, or ErrNoUser.
func (a *Accounts) User(ctx context.Context, id int64) (User, error) {
	var found row
	err := a.byID.Model(ctx, []any{id}, &found)
	return found.User, db.OrMissing(err, ErrNoUser)
}

func userByID(ctx context.Context, idb bun.IDB, id int64) (User, error) {
	r, err := find(ctx, idb, "id = ?", id)
	return r.User, err
}

// Emails returns the e-mail addresses of the users with these ids. Those whose account was closed have none.
func (a *Accounts) Emails(ctx context.Context, ids []int64) (map[int64]string, error) {
	emails := map[int64]string{}
	if len(ids) == 0 {
		return emails, nil
	}
	var rows []struct {
		ID    int64
		Email string
	}
	if err := a.db.NewSelect().Model((*row)(nil)).Column("id", "email").Where("id IN (?)", bun.List(ids)).
		Where("closed_at IS NULL").Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, r := range rows {
		emails[r.ID] = r.Email
	}
	return emails, nil
}

// IDsByEmail returns the ids of the users with these e-mail addresses; addresses that nobody has are left out.
func (a *Accounts) IDsByEmail(ctx context.Context, emails []string) (map[string]int64, error) {
	ids := map[string]int64{}
	if len(emails) == 0 {
		return ids, nil
	}
	var rows []struct {
		ID    int64
		Email string
	}
	err := a.db.NewSelect().Model((*row)(nil)).Column("id", "email").Where("email IN (?)", bun.List(emails)).
		Scan(ctx, &rows)
	for _, r := range rows {
		ids[r.Email] = r.ID
	}
	return ids, err
}

// People returns the users with these ids.
func (a *Accounts) People(ctx context.Context, ids []int64) (map[int64]User, error) {
	people := map[int64]User{}
	if len(ids) == 0 {
		return people, nil
	}
	var rows []row
	err := a.db.NewSelect().Model(&rows).ExcludeColumn("password").Where("id IN (?)", bun.List(ids)).Scan(ctx)
	for _, r := range rows {
		people[r.ID] = r.User
	}
	return people, err
}

// Lock returns the user, and has others who would change the account wait until tx ends: a ban and the closing of the
// account among them. An account that was closed is ErrNoUser. It comes before wallets and rows of access are locked.
func (a *Accounts) Lock(ctx context.Context, tx bun.Tx, id int64) (User, error) {
	r, err := findLocked(ctx, tx, "id = ? AND closed_at IS NULL", id)
	return r.User, err
}

// LockAll is Lock for several users, in the order of their ids; those that do not exist or are closed are left out.
func (a *Accounts) LockAll(ctx context.Context, tx bun.Tx, ids []int64) ([]User, error) {
	var rows []row
	err := db.LockedFor(rowLock, tx.NewSelect().Model(&rows).Where("id IN (?) AND closed_at IS NULL", bun.List(ids)).
		OrderExpr("id")).Scan(ctx)
	users := make([]User, len(rows))
	for i, r := range rows {
		users[i] = r.User
	}
	return users, err
}

// ByEmail returns the user with this e-mail address, or ErrNoUser.
func (a *Accounts) ByEmail(ctx context.Context, email string) (User, error) {
	r, err := find(ctx, a.db, "email = ?", NormalEmail(email))
	return r.User, err
}

// Users returns the users with these ids, by id; ids that nobody has are left out.
func (a *Accounts) Users(ctx context.Context, idb bun.IDB, ids []int64) (map[int64]User, error) {
	users := map[int64]User{}
	if len(ids) == 0 {
		return users, nil
	}
	var rows []row
	if err := idb.NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		users[r.ID] = r.User
	}
	return users, nil
}

// List returns all users in the order of their ids.
func (a *Accounts) List(ctx context.Context) ([]User, error) {
	var rows []row
	if err := a.db.NewSelect().Model(&rows).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	users := make([]User, len(rows))
	for i, r := range rows {
		users[i] = r.User
	}
	return users, nil
}

func find(ctx context.Context, idb bun.IDB, where string, args ...any) (row, error) {
	return scan(ctx, idb.NewSelect().Where(where, args...))
}

// rowLock keeps others from changing an account. It does not wait for calls that act as the account (see Acting), since
// two calls of one user would then wait for each other.
const rowLock = "NO KEY UPDATE"

// findLocked is find with a lock on the row: nobody else changes it until tx ends.
func findLocked(ctx context.Context, tx bun.Tx, where string, args ...any) (row, error) {
	return scan(ctx, db.LockedFor(rowLock, tx.NewSelect().Where(where, args...)))
}

func scan(ctx context.Context, q *bun.SelectQuery) (r row, err error) {
	err = q.Model(&r).Scan(ctx)
	return r, db.OrMissing(err, ErrNoUser)
}

// Register adds the jobs of this package to the timetable: due bans, visits that are over, the deletion of old rows.
func (a *Accounts) Register(q *job.Queue) {
	q.Every("account.bans", func(ctx context.Context) error {
		return errors.Join(a.Bans.ApplyDue(ctx), a.Visits.EndDue(ctx))
	})
	q.Every("account.challenges", a.Passkeys.ForgetChallenges)
	q.Every("account.forget", a.Forget)
}

// How long old rows are kept.
const (
	signInRetention   = 90 * 24 * time.Hour
	sessionRetention  = 30 * 24 * time.Hour // after the end of the session
	activityRetention = 365 * 24 * time.Hour
	codeRetention     = 2 * 24 * time.Hour // longer than the day over which requests for codes are counted
)

// Forget deletes expired tokens and codes, and sessions and history beyond their retention. What a clock that was ahead
// counted against users is deleted, too: it would hold them up until that time.
func (a *Accounts) Forget(ctx context.Context) error {
	now := a.db.Now()
	ahead := now.Add(clock.Tolerance)
	return a.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, old := range []*bun.DeleteQuery{
			tx.NewDelete().Model((*tokenPair)(nil)).Where("expires_at < ? OR issued_at > ?", now, ahead),
			tx.NewDelete().Model((*session)(nil)).Where("expires_at < ?", now.Add(-sessionRetention)),
			tx.NewDelete().Model((*visit)(nil)).Where("created_at < ?", now.Add(-sessionRetention)),
			tx.NewDelete().Model((*signInAttempt)(nil)).
				Where("at < ? OR at > ? AND wrong <> ''", now.Add(-signInRetention), ahead),
			tx.NewDelete().Model((*activity)(nil)).Where("at < ?", now.Add(-activityRetention)),
			tx.NewDelete().Model((*code)(nil)).Where("created_at < ?", now.Add(-codeRetention)),
			tx.NewDelete().Table("email_code_count").Where("last_at < ? OR last_at > ?", now.Add(-codeRetention), ahead),
			tx.NewDelete().Table("sign_in_token").Where("expires_at < ?", now),
			tx.NewDelete().Table("sign_in_url").Where("expires_at < ?", now),
			tx.NewDelete().Table("session_cookie").Where("expires_at < ?", now),
			tx.NewDelete().Table("guess_count").Where("since < ? OR since > ?", now.Add(-guessWindow), ahead),
			tx.NewDelete().Table("totp_enrolment").Where("expires_at < ?", now),
			forgetCosts(tx),
			tx.NewDelete().Table("sign_up_count").Where("day < ?", day(now.AddDate(0, 0, -2))),
		} {
			if _, err := old.Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
