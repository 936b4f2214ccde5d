package node

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/db"
	"airstrip/internal/seal"
	"airstrip/internal/service"
)

// Admission says who may use a node.
type Admission struct {
	db       *db.DB
	key      seal.Key
	services *service.Services
}

// Users returns who may use n now, with their Usage.
func (ad *Admission) Users(ctx context.Context, n Node) ([]service.Access, error) {
	if !n.Serves() {
		return nil, nil
	}
	users, err := ad.services.Allowed(ctx, n.Class, n.GroupID)
	if err != nil {
		return nil, err
	}
	return users, ad.services.AddUsage(ctx, users)
}

// UserList returns who may use n now, without their Usage, for agents that fail on an empty list. An empty list is
// replaced by one placeholder with the id 0 and constant credentials that nobody can guess.
func (ad *Admission) UserList(ctx context.Context, n Node) ([]service.Access, error) {
	if n.Serves() {
		if users, err := ad.services.Allowed(ctx, n.Class, n.GroupID); err != nil || len(users) > 0 {
			return users, err
		}
	}
	secret := ad.key.For("nobody")
	return []service.Access{{UUID: uuid.UUID(secret[:16]), Password: hex.EncodeToString(secret[16:])}}, nil
}

// Admitted reports of each user whether bytes that they moved on n are to be counted: they are on its list, or were
// within the last 24 hours.
func (ad *Admission) Admitted(ctx context.Context, n Node, userIDs []int64) (map[int64]bool, error) {
	return ad.AdmittedAt(ctx, n, userIDs, ad.db.Now())
}

// AdmittedAt tells the same of bytes that were moved at that time, which is not in the future.
func (ad *Admission) AdmittedAt(ctx context.Context, n Node, userIDs []int64, at time.Time) (map[int64]bool, error) {
	rescoped := n.ScopeAt != nil && at.Sub(*n.ScopeAt) < 24*time.Hour
	if !n.Serves() && !rescoped {
		return nil, nil
	}
	return ad.services.Admitted(ctx, userIDs, at, n.Class, n.GroupID, rescoped)
}
