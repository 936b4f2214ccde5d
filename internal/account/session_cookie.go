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

// CookieSession is a session as the older cookies name it. They open only what is said to take them, and end with the
// session.
type CookieSession struct {
	User      User
	ExpiresAt time.Time
	IP        string // the only address that may show them
	Key       string // 45 hex digits, the secret among the cookies
	Prefix    string // of the names of all cookies: __Host- on an https site, else empty
}

// CookieName is the name of the cookie with the key where it has no prefix.
const CookieName = "key"

// CookiePrefix keeps cookies of an https site from being set by other hosts of its domain or without TLS (RFC 6265bis).
// Browsers take such names only over https, so that a site without it, such as one on loopback, has none.
func (ss *Sessions) CookiePrefix() string { return ss.cookiePrefix }

const (
	cookieLife      = 12 * time.Hour
	cookieKeyLength = 45
)

// Cookies gives the older cookies of the session that an access or a refresh token belongs to; the token stays good.
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
			if errors.Is(err, db.ErrNoRows) {
				err = ErrSignedOut
			}
			return err
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

// sessionOf tells which session a living token belongs to.
func (ss *Sessions) sessionOf(ctx context.Context, access, refresh string) (id uuid.UUID, err error) {
	if access != "" {
		who, err := ss.Authenticate(ctx, access)
		return who.SessionID, err
	}
	claims, err := ss.verify(ctx, refresh, token.Refresh)
	if err != nil {
		return id, err
	}
	// A refresh token that was exchanged already opens nothing.
	err = ss.db.NewRaw(`SELECT p.session_id FROM token_pair p WHERE p.refresh_id = ?0 AND NOT EXISTS (SELECT 1 FROM token_pair n WHERE n.replaces = ?0)`, claims.ID).Scan(ctx, &id)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrSignedOut
	}
	return id, err
}

// AuthenticateCookie tells who shows the older cookies, by the value of the one that has the key and the name under which
// it came, which must be that under which it was given. With it comes what must stand in the
// header X-CSRF-Token.
func (ss *Sessions) AuthenticateCookie(ctx context.Context, name, key string, from Client) (who Identity, csrf uuid.UUID, err error) {
	var banned bool
	err = ss.db.NewRaw(`SELECT a.id, a.uuid, a.role, s.id, c.expires_at, a.banned_at IS NOT NULL
		FROM session_cookie c JOIN session s ON s.id = c.session_id JOIN account a ON a.id = s.account_id
		WHERE c.hash = ? AND c.name = ? AND c.ip = ? AND c.expires_at > ? AND s.ended_at IS NULL`, cookieHash(key), name, from.IP.String(), ss.db.Now()).
		Scan(ctx, &who.UserID, &who.UUID, &who.Role, &who.SessionID, &who.ExpiresAt, &banned)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrSignedOut
	}
	if err == nil {
		who, err = ss.roles.withhold(ctx, who, banned)
	}
	return who, ss.CSRFToken(key), err
}

// CSRFToken gives what a page must show in the header X-CSRF-Token beside the cookie called key; without the cookie
// there is nothing to protect, and the token is of no use.
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
