package account

import (
	"time"

	"github.com/google/uuid"

	"airstrip/internal/audit"
	"airstrip/internal/permission"
)

// Role is the role of a member of staff; empty for everybody else.
type Role = permission.Role

// The roles of staff; package permission says what each one may do.
const (
	Owner   = permission.Owner
	Admin   = permission.Admin
	Finance = permission.Finance
	Support = permission.Support
	Viewer  = permission.Viewer
)

// Actor returns the caller as the audit log names them.
func (i Identity) Actor(from Client, requestID string) audit.Actor {
	return audit.Actor{
		Kind: audit.Member, UserID: i.UserID, Role: i.Role, Address: addressOf(from),
		RequestID: requestID,
	}
}

// Identity is the authenticated caller: named by a token and confirmed by the database at this call.
type Identity struct {
	UserID    int64
	UUID      uuid.UUID
	SessionID uuid.UUID
	Role      Role
	Withheld  Role // the role that takes effect once the cause of Refusal is gone; else empty
	refusal   error
	IssuedAt  time.Time // of the access token
	ExpiresAt time.Time
	Proved    bool // whether the session showed a password or a passkey within stepUpLife

	apiTokenID int64 // 0: a session
	banned     bool
	visiting   bool
}

// Visiting tells whether the caller is no user but a member of staff who sees the site as the user does; see Visits.
func (i Identity) Visiting() bool { return i.visiting }

// Staff tells whether the caller has any staff role.
func (i Identity) Staff() bool { return i.Role != "" }
