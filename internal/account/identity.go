package account

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/permission"
	"airstrip/internal/role"
)

// Role is the role of a member of staff; empty for everybody else.
type Role = permission.Role

// The built-in roles of staff; package permission says what each one may do.
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
	own       permission.Set // of a role of the operator's own
	revision  int64          // of that role
	address   netip.Addr     // from which the caller calls; see At
	IssuedAt  time.Time      // of the access token
	ExpiresAt time.Time
	Proved    bool // whether the session showed a password or a passkey within stepUpLife

	apiTokenID int64 // 0: a session
	banned     bool
	visiting   bool
}

// Visiting tells whether the caller is no user but a member of staff who sees the site as the user does; see Visits.
func (i Identity) Visiting() bool { return i.visiting }

// Visit names the visit that a member of staff makes; the zero UUID where nobody visits.
func (i Identity) Visit() uuid.UUID {
	if !i.visiting {
		return uuid.Nil
	}
	return i.SessionID
}

// Staff tells whether the caller has any staff role.
func (i Identity) Staff() bool { return i.Role != "" }

// May returns what the caller may do as a member of staff, as the database had it at this call.
func (i Identity) May() permission.Set {
	switch {
	case i.Role == "":
		return nil
	case i.Role.IsBuiltIn():
		return i.Role.Set()
	}
	return i.own
}

// Has reports whether the caller may do what needs p.
func (i Identity) Has(p permission.Permission) bool { return i.May().Has(p) }

// covers tells whether the caller has all that a role gives. Only owners cover owners, whatever a role is made of.
func (i Identity) covers(ctx context.Context, idb bun.IDB, of Role) (bool, error) {
	if of == Owner || i.Role == Owner {
		return i.Role == Owner, nil
	}
	set, err := role.Of(ctx, idb, of)
	return i.May().Covers(set), err
}

// mayActOn tells whether the member of staff may do to this user what needs the permission. To act on other members of
// staff they also need permission.StaffChange, and all that these may do.
func (i Identity) mayActOn(ctx context.Context, idb bun.IDB, needs permission.Permission, user row) (bool, error) {
	switch {
	case !i.Has(needs):
		return false, nil
	case user.Role == "":
		return true, nil
	case !i.Has(permission.StaffChange):
		return false, nil
	}
	return i.covers(ctx, idb, user.Role)
}

// staffID returns the member of staff as tables store them; nil for the operator.
func (i Identity) staffID() *int64 {
	if i.UserID == 0 {
		return nil
	}
	return &i.UserID
}
