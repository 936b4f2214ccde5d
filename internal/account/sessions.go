package account

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/limit"
	"airstrip/internal/mail"
	"airstrip/internal/notify"
	"airstrip/internal/seal"
	"airstrip/internal/token"
)

// Sessions begins, refreshes and ends the sessions of users, and authenticates calls that carry a token of one.
type Sessions struct {
	db           *db.DB
	key          seal.Key
	notices      *notify.Notices
	tokens       *token.Tokens
	roles        *staffRoles
	history      *History
	visits       *Visits
	refreshes    *limit.Limiter // by user
	byToken      *db.Prepared   // the session and the user of an access token
	cookiePrefix string         // of the names of cookies
}

func newSessions(c Config, roles *staffRoles, history *History, visits *Visits) *Sessions {
	ss := &Sessions{
		db: c.DB, key: c.Key, notices: c.Notices, tokens: c.Tokens, roles: roles, history: history,
		visits: visits, refreshes: limit.Per(time.Minute, 60),
		byToken: c.DB.Prepared(`SELECT a.uuid, a.role, s.id, a.banned_at IS NOT NULL, s.proved_at, s.created_at,
			s.seen_at FROM token_pair p JOIN session s ON s.id = p.session_id JOIN account a ON a.id = s.account_id
			WHERE p.access_id = ? AND a.id = ? AND s.ended_at IS NULL`),
	}
	if strings.HasPrefix(c.Site, "https:") {
		ss.cookiePrefix = "__Host-"
	}
	return ss
}

// session is one signed-in device. Its refresh tokens, each of which replaced the one before, form a family.
type session struct {
	bun.BaseModel `bun:"table:session"`
	ID            uuid.UUID `bun:",pk"`
	AccountID     int64
	Remember      bool
	IP            string
	UserAgent     string
	CreatedAt     time.Time
	SeenAt        time.Time
	ProvedAt      *time.Time // the newest proof by password or passkey; nil: none
	ExpiresAt     time.Time
	EndedAt       *time.Time
}

// tokenPair is an access token and the refresh token that was issued with it.
type tokenPair struct {
	bun.BaseModel `bun:"table:token_pair"`
	RefreshID     uuid.UUID `bun:",pk"`
	AccessID      uuid.UUID
	SessionID     uuid.UUID
	Replaces      *uuid.UUID
	IssuedAt      time.Time
	ExpiresAt     time.Time
}

// Grant is the result of a sign-in or a refresh: the user and the two tokens.
type Grant struct {
	User    User
	Access  string
	Refresh string
}

// proof is what a person showed to begin a session.
type proof bool

const (
	byKey  proof = true  // the password, or a passkey
	byPost proof = false // something that was sent to them: a link, a code, a confirmation in Telegram
)

// begin starts a session for a user who has proved who they are. It is ErrClosed where the account was closed
// meanwhile.
func (ss *Sessions) begin(
	ctx context.Context, tx bun.Tx, r row, shown proof, remember bool, from Client,
) (Grant, error) {
	if err := keepOpen(ctx, tx, r.ID); err != nil {
		return Grant{}, err
	}
	now := ss.db.Now()
	s := session{
		ID: newID(), AccountID: r.ID, Remember: remember, IP: from.IP.String(), UserAgent: userAgent(from),
		CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(token.RefreshLifeOf(remember)),
	}
	if shown == byKey {
		s.ProvedAt = &now
	}
	if _, err := tx.NewInsert().Model(&s).Exec(ctx); err != nil {
		return Grant{}, err
	}
	p := newTokenPair(s, now)
	if _, err := tx.NewInsert().Model(&p).Exec(ctx); err != nil {
		return Grant{}, err
	}
	return ss.grant(r, s, p)
}

// newID returns a UUID that sorts by time.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func newTokenPair(s session, now time.Time) tokenPair {
	return tokenPair{
		RefreshID: newID(), AccessID: newID(), SessionID: s.ID, IssuedAt: now,
		ExpiresAt: now.Add(token.RefreshLifeOf(s.Remember)),
	}
}

// grant signs the tokens of a pair. The same pair always results in the same tokens.
func (ss *Sessions) grant(r row, s session, p tokenPair) (Grant, error) {
	access, err := ss.tokens.Sign(token.NewAccess(p.AccessID, p.IssuedAt,
		token.SubjectAccess{UserID: r.ID, UserNewID: r.UUID, UserName: r.Name, Email: r.Email}))
	if err != nil {
		return Grant{}, err
	}
	refresh, err := ss.tokens.Sign(token.NewRefresh(p.RefreshID, p.IssuedAt,
		token.SubjectRefresh{UserID: r.ID, PasswordHash: r.PasswordVersion, IsRememberMe: s.Remember}))
	return Grant{r.User, access, refresh}, err
}

// refreshGrace is how long a used refresh token still returns its replacement: twice as long as the web app waits for
// an answer, so that one that was lost signs nobody out.
const refreshGrace = time.Minute

// Refresh exchanges a refresh token for a new pair. Within refreshGrace the old token returns the same pair again, so
// that two tabs or a lost answer sign nobody out. A refresh token that is presented again after that is treated as
// stolen: the whole session family ends, and the user is notified.
func (ss *Sessions) Refresh(ctx context.Context, refresh string, from Client) (Grant, error) {
	claims, err := ss.verify(ctx, refresh, token.Refresh)
	if err != nil {
		return Grant{}, err
	}
	if err := ss.refreshes.Allow(strconv.FormatInt(claims.SubjectRefresh.UserID, 10)); err != nil {
		return Grant{}, err
	}
	var g Grant
	var reused bool
	err = ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := ss.db.Now()
		var s session
		err := tx.NewSelect().Model(&s).Where("id = (SELECT session_id FROM token_pair WHERE refresh_id = ?)",
			claims.ID).Scan(ctx)
		if err != nil {
			return db.OrMissing(err, ErrSignedOut)
		}
		next := newTokenPair(s, now)
		next.Replaces = &claims.ID
		fresh, err := db.Changed(tx.NewInsert().Model(&next).On("CONFLICT (replaces) DO NOTHING").Exec(ctx))
		if err != nil {
			return err
		}
		if fresh == 0 {
			if err := tx.NewSelect().Model(&next).Where("replaces = ?", claims.ID).Scan(ctx); err != nil {
				return err
			}
			if reused = now.Sub(next.IssuedAt) > refreshGrace; reused {
				return ss.endStolen(ctx, tx, s, from)
			}
		}
		alive, err := db.Changed(tx.NewUpdate().Model((*session)(nil)).Set("seen_at = ?", now).
			Set("expires_at = ?", next.ExpiresAt).
			Set("ip = ?", from.IP.String()).Set("user_agent = ?", userAgent(from)).
			Where("id = ? AND ended_at IS NULL", s.ID).Exec(ctx))
		if err != nil {
			return err
		}
		r, err := find(ctx, tx, "id = ?", s.AccountID)
		if err != nil {
			return err
		}
		if alive == 0 || r.PasswordVersion != claims.SubjectRefresh.PasswordHash {
			return ErrSignedOut
		}
		if _, over := ss.roles.sessionEnd(r.Role, s.CreatedAt, s.SeenAt); over {
			return ErrSignedOut
		}
		if err := ss.rememberLanguage(ctx, tx, &r, from); err != nil {
			return err
		}
		g, err = ss.grant(r, s, next)
		return err
	})
	if err == nil && reused {
		return Grant{}, ErrSignedOut
	}
	return g, err
}

// endStolen ends a session one of whose refresh tokens was presented again, since somebody else has a copy. The first
// such call notifies the user.
func (ss *Sessions) endStolen(ctx context.Context, tx bun.Tx, s session, from Client) error {
	n, err := ss.end(ctx, tx, "id = ?", s.ID)
	if err != nil || n == 0 {
		return err
	}
	r, err := find(ctx, tx, "id = ?", s.AccountID)
	if err != nil {
		return err
	}
	if err := ss.history.note(ctx, tx, r.ID, RefreshTokenReused, from); err != nil {
		return err
	}
	return ss.notices.Notify(ctx, tx, r.recipient(),
		mail.SecurityChanged{What: string(RefreshTokenReused), At: ss.db.Now(), IP: addressOf(from)})
}

// Authenticate returns the user of an access token. User, session, role and ban are read from the database at each
// call, so that a sign-out, a new password, a ban or another role takes effect at once. The token of a visit is refused
// with ErrVisit.
func (ss *Sessions) Authenticate(ctx context.Context, access string) (Identity, error) {
	who, err := ss.AuthenticateVisitor(ctx, access)
	if err == nil && who.visiting {
		err = ErrVisit
	}
	return who, err
}

// AuthenticateVisitor is Authenticate that takes the token of a visit too.
func (ss *Sessions) AuthenticateVisitor(ctx context.Context, access string) (Identity, error) {
	claims, err := ss.verify(ctx, access, token.Access)
	if err != nil {
		return Identity{}, err
	}
	if claims.SubjectAccess.ByStaff {
		return ss.visits.identify(ctx, claims)
	}
	who := Identity{
		UserID: claims.SubjectAccess.UserID, IssuedAt: claims.IssuedAt.UTC(),
		ExpiresAt: claims.ExpiresAt.UTC(),
	}
	var banned bool
	var provedAt, createdAt, seenAt bun.NullTime
	err = ss.byToken.Row(ctx, []any{claims.ID, who.UserID}, &who.UUID, &who.Role, &who.SessionID, &banned,
		&provedAt, &createdAt, &seenAt)
	if err != nil {
		return Identity{}, db.OrMissing(err, ErrSignedOut)
	}
	if who, err = ss.bounded(who, createdAt.Time, seenAt.Time); err != nil {
		return Identity{}, err
	}
	who.Proved = ss.stillProved(provedAt)
	return ss.roles.withhold(ctx, who, banned)
}

func (ss *Sessions) verify(ctx context.Context, raw string, want token.Type) (token.Claims, error) {
	claims, err := ss.tokens.Verify(ctx, raw, want)
	if errors.Is(err, token.ErrInvalid) {
		err = ErrSignedOut.Because(err)
	}
	return claims, err
}

// SignOut ends the session or the visit of the call.
func (ss *Sessions) SignOut(ctx context.Context, who Identity, from Client) error {
	return ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if who.visiting {
			_, err := ss.visits.end(ctx, tx, endedByMember, "id = ?", who.SessionID)
			return err
		}
		if _, err := ss.end(ctx, tx, "id = ? AND account_id = ?", who.SessionID, who.UserID); err != nil {
			return err
		}
		return ss.history.note(ctx, tx, who.UserID, SignedOut, from)
	})
}

// end ends those of the named sessions that are running, with what belongs to them, and returns their number. No other
// function ends a session.
func (ss *Sessions) end(ctx context.Context, tx bun.Tx, where string, args ...any) (ended int, err error) {
	var ids []uuid.UUID
	if _, err := tx.NewUpdate().Model((*session)(nil)).Set("ended_at = ?", ss.db.Now()).Where(where, args...).
		Where("ended_at IS NULL").Returning("id").Exec(ctx, &ids); err != nil {
		return 0, err
	}
	return len(ids), ss.notices.EndSessions(ctx, tx, ids)
}

// Running tells whether a session runs, of a user who is not banned.
func (ss *Sessions) Running(ctx context.Context, id uuid.UUID) (bool, error) {
	return ss.db.NewSelect().Model((*session)(nil)).Where("id = ? AND ended_at IS NULL AND expires_at > ?", id, ss.db.Now()).
		Where("NOT EXISTS (SELECT 1 FROM account a WHERE a.id = account_id AND a.banned_at IS NOT NULL)").Exists(ctx)
}

// rememberLanguage stores the language of the user's device, in which later mails are written.
func (ss *Sessions) rememberLanguage(ctx context.Context, tx bun.Tx, r *row, from Client) error {
	if from.Lang == "" || from.Lang == r.Lang {
		return nil
	}
	r.Lang = from.Lang
	_, err := tx.NewUpdate().Model(r).Column("lang").WherePK().Exec(ctx)
	return err
}
