package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// ErrSignInLink is returned for a link or token that signs nobody in: forged, expired or used.
var ErrSignInLink = fault.Unauthorized("sign_in_link_invalid", "登录链接无效、已使用或已过期，请重新获取",
	"This sign-in link is not valid, was used or is too old; please ask for another")

const (
	signInURLLife   = 5 * time.Minute
	signInTokenLife = 10 * time.Minute
	clockSkew       = time.Minute // tolerated for other programs that sign links
)

// SignedURL holds the query parameters of a signed login link, as they were received.
type SignedURL struct {
	CreatedAt string // created_at_unix
	Input     string // input_data: the user's id
	Version   string // login_web_version: v1 or v2
	Token     string // valid_token
}

// URLKey returns the key, in hex, with which other programs of the operator sign login links.
func (si *SignIns) URLKey() string { return hex.EncodeToString(si.key.For("sign-in url")) }

// URL returns the query of a signed login link, which signs the user in once, within five minutes.
func (si *SignIns) URL(userID int64, version string) url.Values {
	s := SignedURL{
		CreatedAt: strconv.FormatInt(si.db.Now().Unix(), 10), Input: strconv.FormatInt(userID, 10),
		Version: version,
	}
	return url.Values{
		"created_at_unix": {s.CreatedAt}, "input_data": {s.Input}, "login_web_version": {version},
		"valid_token": {si.urlToken(s).String()},
	}
}

// urlToken returns the first half of an HMAC-SHA256 over the other three parameters, joined by line feeds, as a UUID.
func (si *SignIns) urlToken(s SignedURL) uuid.UUID {
	mac := hmac.New(sha256.New, si.key.For("sign-in url"))
	mac.Write([]byte(strings.Join([]string{s.CreatedAt, s.Input, s.Version}, "\n")))
	return uuid.UUID(mac.Sum(nil)[:16])
}

// ByURL begins a session for who opens a login link that URL, or a program with its key, has signed.
func (si *SignIns) ByURL(ctx context.Context, s SignedURL, from Client) (Grant, error) {
	token, err := uuid.Parse(s.Token)
	if right := si.urlToken(s); err != nil || !hmac.Equal(token[:], right[:]) {
		return Grant{}, ErrSignInLink
	}
	unix, err := strconv.ParseInt(s.CreatedAt, 10, 64)
	if err != nil {
		return Grant{}, ErrSignInLink
	}
	userID, err := strconv.ParseInt(s.Input, 10, 64)
	if err != nil {
		return Grant{}, ErrSignInLink
	}
	created := time.Unix(unix, 0)
	if age := si.db.Now().Sub(created); age > signInURLLife || age < -clockSkew {
		return Grant{}, ErrSignInLink
	}
	return si.once(ctx, created, from, func(ctx context.Context, tx bun.Tx) (int64, error) {
		n, err := db.Changed(tx.NewRaw(`INSERT INTO sign_in_url (token, expires_at) VALUES (?, ?)
			ON CONFLICT DO NOTHING`,
			token, created.Add(signInURLLife+clockSkew).UTC()).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrSignInLink
		}
		return userID, err
	})
}

// MakeToken returns a token for staff that signs in as the user with this address, once, until the time returned.
func (si *SignIns) MakeToken(ctx context.Context, email string) (token uuid.UUID, until time.Time, err error) {
	token, until = uuid.New(), si.db.Now().Add(signInTokenLife)
	err = changeByEmail(ctx, si.db, email, func(ctx context.Context, tx bun.Tx, r row) error {
		if _, err := tx.NewRaw(`INSERT INTO sign_in_token (hash, account_id, created_at, expires_at)
			VALUES (?, ?, ?, ?)`,
			tokenHash(token), r.ID, si.db.Now(), until).Exec(ctx); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "user.sign_in_token", audit.ID("user", r.ID), nil,
			map[string]any{"until": until}, ""); err != nil {
			return err
		}
		return si.history.note(ctx, tx, r.ID, SignInTokenMade, Client{})
	})
	return token, until, err
}

// ByToken begins a session for who presents a token of MakeToken.
func (si *SignIns) ByToken(ctx context.Context, token string, from Client) (Grant, error) {
	id, err := uuid.Parse(token)
	if err != nil {
		return Grant{}, ErrSignInLink
	}
	if err := si.existenceChecks.Allow(networkOf(from.IP)); err != nil {
		return Grant{}, err
	}
	return si.once(ctx, si.db.Now(), from, func(ctx context.Context, tx bun.Tx) (userID int64, err error) {
		now := si.db.Now()
		n, err := db.Changed(tx.NewRaw(`UPDATE sign_in_token SET used_at = ?0 WHERE hash = ?1 AND used_at IS NULL
			AND expires_at > ?0`, now, tokenHash(id)).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrSignInLink
		}
		if err != nil {
			return 0, err
		}
		err = tx.NewRaw(`SELECT account_id FROM sign_in_token WHERE hash = ?`, tokenHash(id)).Scan(ctx, &userID)
		return userID, err
	})
}

// once signs in the user whom use returns, in the transaction in which use consumes a link or token that was made at
// made. One that was made before the user's credentials changed, or in the same second, is no longer valid.
func (si *SignIns) once(
	ctx context.Context, made time.Time, from Client, use func(context.Context, bun.Tx) (userID int64, err error),
) (g Grant, err error) {
	err = si.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		userID, err := use(ctx, tx)
		if err != nil {
			return err
		}
		r, err := find(ctx, tx, "id = ? AND closed_at IS NULL", userID)
		if err != nil {
			return ErrSignInLink.Because(err)
		}
		if r.CredentialsChangedAt != nil && !made.After(r.CredentialsChangedAt.Truncate(time.Second)) {
			return ErrSignInLink
		}
		g, err = si.complete(ctx, tx, r, byPost, false, from)
		return err
	})
	return g, err
}

// tokenHash returns the stored form of a random UUID that is a secret.
func tokenHash(token uuid.UUID) []byte {
	sum := sha256.Sum256(token[:])
	return sum[:]
}
