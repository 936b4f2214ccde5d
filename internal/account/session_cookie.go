package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/token"
)

// CookieSession is a session as the cookies of the older API name it. They authenticate only the routes that accept
// them, and end with the session.
type CookieSession struct {
	User      User
	ExpiresAt time.Time
	IP        string // the only address from which they are accepted
	Key       string // 45 hex digits, the secret one of the cookies
	Prefix    string // of the names of all cookies: __Host- on an https site, else empty
}

// CookieName is the name of the cookie with the key, without the prefix.
const CookieName = "key"

// CookiePrefix returns the prefix of all cookie names. On an https site it keeps other hosts of the domain, and
// responses without TLS, from setting the cookies (RFC 6265bis). Browsers accept such names only over https, so a site
// without it has no prefix.
func (ss *Sessions) CookiePrefix() string { return ss.cookiePrefix }

const (
	cookieLife      = 12 * time.Hour
	cookieKeyLength = 45
)

// Cookies makes the cookies of the session to which an access or a refresh token belongs. The token stays valid.
func (ss *Sessions) Cookies(ctx context.Context, access, refresh string, from Client) (CookieSession, error) {
	sessionID, err := ss.sessionOf(ctx, access, refresh)
	if err != nil {
		return CookieSession{}, err
	}
	raw := make([]byte, (cookieKeyLength+1)/2)
	rand.Read(raw)
	c := CookieSession{Key: hex.EncodeToString(raw)[:cookieKeyLength], IP: from.IP.String(), Prefix: ss.CookiePrefix()}
	err = ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var s session
		if err := tx.NewSelect().Model(&s).Where("id = ? AND ended_at IS NULL", sessionID).Scan(ctx); err != nil {
			return db.OrMissing(err, ErrSignedOut)
		}
		r, err := find(ctx, tx, "id = ?", s.AccountID)
		if err != nil {
			return err
		}
		c.User, c.ExpiresAt = r.User, s.ExpiresAt
		if latest := ss.db.Now().Add(cookieLife); c.ExpiresAt.After(latest) {
			c.ExpiresAt = latest
		}
		_, err = tx.NewRaw(`INSERT INTO session_cookie (hash, session_id, ip, expires_at, name) VALUES (?, ?, ?, ?, ?)`,
			cookieHash(c.Key), s.ID, c.IP, c.ExpiresAt, c.Prefix+CookieName).Exec(ctx)
		return err
	})
	return c, err
}

// sessionOf returns the session to which a valid token belongs.
func (ss *Sessions) sessionOf(ctx context.Context, access, refresh string) (id uuid.UUID, err error) {
	if access != "" {
		who, err := ss.Authenticate(ctx, access)
		return who.SessionID, err
	}
	claims, err := ss.verify(ctx, refresh, token.Refresh)
	if err != nil {
		return id, err
	}
	// A refresh token that was exchanged opens nothing.
	err = ss.db.NewRaw(`SELECT p.session_id FROM token_pair p WHERE p.refresh_id = ?0 AND NOT EXISTS (SELECT 1
		FROM token_pair n WHERE n.replaces = ?0)`, claims.ID).Scan(ctx, &id)
	return id, db.OrMissing(err, ErrSignedOut)
}

// AuthenticateCookie returns the caller who presents the cookies, by the value of the one with the key and by the name
// under which it came, which must be the name under which it was set. csrf is the value required in the header
// X-CSRF-Token.
func (ss *Sessions) AuthenticateCookie(
	ctx context.Context, name, key string, from Client,
) (who Identity, csrf uuid.UUID, err error) {
	var banned bool
	var provedAt, createdAt, seenAt bun.NullTime
	err = ss.db.NewRaw(`SELECT a.id, a.uuid, a.role, s.id, c.expires_at, a.banned_at IS NOT NULL, s.proved_at,
		s.created_at, s.seen_at
		FROM session_cookie c JOIN session s ON s.id = c.session_id JOIN account a ON a.id = s.account_id
		WHERE c.hash = ? AND c.name = ? AND c.ip = ? AND c.expires_at > ?
		AND s.ended_at IS NULL`, cookieHash(key), name, from.IP.String(), ss.db.Now()).
		Scan(ctx, &who.UserID, &who.UUID, &who.Role, &who.SessionID, &who.ExpiresAt, &banned, &provedAt,
			&createdAt, &seenAt)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrSignedOut
	}
	if err == nil {
		who, err = ss.bounded(who, createdAt.Time, seenAt.Time)
	}
	if err == nil {
		who.Proved = ss.stillProved(provedAt)
		who, err = ss.roles.withhold(ctx, who, banned)
	}
	return who, ss.CSRFToken(key), err
}

// CSRFToken returns the value that a page must send in the header X-CSRF-Token together with the cookie whose value is
// key. Without the cookie there is nothing to protect, and the token is random.
func (ss *Sessions) CSRFToken(key string) uuid.UUID {
	if key == "" {
		return uuid.New()
	}
	mac := hmac.New(sha256.New, ss.key.For("csrf"))
	mac.Write([]byte(key))
	return uuid.UUID(mac.Sum(nil)[:16])
}

func cookieHash(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
