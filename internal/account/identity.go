package account

import (
	"time"

	"github.com/google/uuid"
)

// Role is what a member of staff may do; empty for everybody else.
type Role string

// The roles of staff, from all rights to none but reading.
const (
	Owner   Role = "owner"
	Admin   Role = "admin"
	Finance Role = "finance"
	Support Role = "support"
	Viewer  Role = "viewer"
)

// Identity is who makes a call: named by an access token, confirmed by the database at this very call.
type Identity struct {
	UserID    int64
	UUID      uuid.UUID
	SessionID uuid.UUID
	Role      Role
	Withheld  Role      // what Role will be once a member of staff has the second factor that the site wants; else empty
	IssuedAt  time.Time // of the access token
	ExpiresAt time.Time
}

// Staff tells whether the caller has any staff role.
func (i Identity) Staff() bool { return i.Role != "" }
