// Package token signs and verifies the four kinds of JWT with Ed25519 keys that live sealed in the database.
package token

import (
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// Type is what a token is good for. A token of one type is never accepted as another.
type Type string

// The types of tokens.
const (
	LoginCode  Type = "login_code"   // a sign-in that waits to be confirmed in Telegram
	UserLinkTg Type = "user_link_tg" // links a Telegram account to the user
	Access     Type = "access"       // who makes a call
	Refresh    Type = "refresh"      // is exchanged for a new pair
)

// How long access and refresh tokens live.
const (
	AccessLife          = 20 * time.Minute
	RefreshLife         = time.Hour
	RememberRefreshLife = 30 * 24 * time.Hour
)

const maxLife = RememberRefreshLife

// Role is all that a token says of its holder's rights; those of staff are read from the database.
type Role string

// The roles in tokens. A login_code token is a guest's, every other one a user's.
const (
	Guest Role = "guest"
	User  Role = "user"
)

// Claims is the payload. Exactly the subject of the token's type is set.
type Claims struct {
	ID                uuid.UUID          `json:"jti"`
	ExpiresAt         *jwt.NumericDate   `json:"exp"`
	IssuedAt          *jwt.NumericDate   `json:"iat"`
	Role              Role               `json:"role"`
	Type              Type               `json:"token_type"`
	SubjectLoginCode  *SubjectLoginCode  `json:"subject_login_code,omitempty"`
	SubjectUserLinkTg *SubjectUserLinkTg `json:"subject_user_link_tg,omitempty"`
	SubjectAccess     *SubjectAccess     `json:"subject_access,omitempty"`
	SubjectRefresh    *SubjectRefresh    `json:"subject_refresh,omitempty"`
}

// SubjectLoginCode names the sign-in that waits.
type SubjectLoginCode struct {
	TgLoginToken string `json:"tg_login_token"`
}

// SubjectUserLinkTg names the user who wants to link.
type SubjectUserLinkTg struct {
	UserID int64 `json:"user_id"`
}

// SubjectAccess names the user who calls.
type SubjectAccess struct {
	UserID    int64     `json:"user_id"`
	UserNewID uuid.UUID `json:"user_new_id"`
	UserName  string    `json:"user_name"`
	Email     string    `json:"email"`
	ByStaff   bool      `json:"by_staff,omitempty"` // a member of staff calls, who sees the site as the user does
}

// SubjectRefresh names the user whose session goes on. PasswordHash is no hash but a random UUID of the user that
// changes with the password.
type SubjectRefresh struct {
	UserID       int64     `json:"user_id"`
	PasswordHash uuid.UUID `json:"password_hash"`
	IsRememberMe bool      `json:"is_remember_me"`
}

// NewLoginCode gives the claims of a login_code token.
func NewLoginCode(id uuid.UUID, issuedAt time.Time, life time.Duration, s SubjectLoginCode) Claims {
	c := claims(id, issuedAt, life, Guest, LoginCode)
	c.SubjectLoginCode = &s
	return c
}

// NewUserLinkTg gives the claims of a user_link_tg token.
func NewUserLinkTg(id uuid.UUID, issuedAt time.Time, life time.Duration, s SubjectUserLinkTg) Claims {
	c := claims(id, issuedAt, life, User, UserLinkTg)
	c.SubjectUserLinkTg = &s
	return c
}

// NewAccess gives the claims of an access token.
func NewAccess(id uuid.UUID, issuedAt time.Time, s SubjectAccess) Claims {
	c := claims(id, issuedAt, AccessLife, User, Access)
	c.SubjectAccess = &s
	return c
}

// NewVisit gives the claims of an access token with which a member of staff visits a user until a time. It comes
// without a refresh token.
func NewVisit(id uuid.UUID, issuedAt, until time.Time, s SubjectAccess) Claims {
	s.ByStaff = true
	c := claims(id, issuedAt, until.Sub(issuedAt), User, Access)
	c.SubjectAccess = &s
	return c
}

// NewRefresh gives the claims of a refresh token.
func NewRefresh(id uuid.UUID, issuedAt time.Time, s SubjectRefresh) Claims {
	c := claims(id, issuedAt, RefreshLifeOf(s.IsRememberMe), User, Refresh)
	c.SubjectRefresh = &s
	return c
}

// RefreshLifeOf is how long a refresh token lives.
func RefreshLifeOf(remember bool) time.Duration {
	if remember {
		return RememberRefreshLife
	}
	return RefreshLife
}

func claims(id uuid.UUID, issuedAt time.Time, life time.Duration, role Role, t Type) Claims {
	return Claims{
		ID: id, IssuedAt: jwt.NewNumericDate(issuedAt), ExpiresAt: jwt.NewNumericDate(issuedAt.Add(life)),
		Role: role, Type: t,
	}
}

// sound tells whether the claims are those of a token of type t and of no other.
func (c *Claims) sound(t Type) bool {
	subjects := map[Type]bool{
		LoginCode: c.SubjectLoginCode != nil, UserLinkTg: c.SubjectUserLinkTg != nil,
		Access: c.SubjectAccess != nil, Refresh: c.SubjectRefresh != nil,
	}
	for of, set := range subjects {
		if set != (of == t) {
			return false
		}
	}
	role := User
	if t == LoginCode {
		role = Guest
	}
	return c.Type == t && c.Role == role && c.ID != uuid.Nil && c.IssuedAt != nil
}

// ErrInvalid is the error of Verify for anything but a living token of ours of the wanted type. Its text is for the
// log.
var ErrInvalid = errors.New("token: invalid")

// What the jwt package asks of claims.

// GetExpirationTime implements jwt.Claims.
func (c *Claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.ExpiresAt, nil }

// GetIssuedAt implements jwt.Claims.
func (c *Claims) GetIssuedAt() (*jwt.NumericDate, error) { return c.IssuedAt, nil }

// GetNotBefore implements jwt.Claims.
func (c *Claims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil }

// GetIssuer implements jwt.Claims.
func (c *Claims) GetIssuer() (string, error) { return "", nil }

// GetSubject implements jwt.Claims.
func (c *Claims) GetSubject() (string, error) { return "", nil }

// GetAudience implements jwt.Claims.
func (c *Claims) GetAudience() (jwt.ClaimStrings, error) { return nil, nil }
