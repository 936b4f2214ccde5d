package account

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/fault"
)

// SignedInDevice is a running session as its user sees it.
type SignedInDevice struct {
	ID        uuid.UUID
	Current   bool // whether it is the session of the call
	Remember  bool
	ByStaff   bool // whether it is a visit; see Visits
	CreatedAt time.Time
	SeenAt    time.Time // the last sign-in or refresh
	Origin
}

// ErrNoSession is returned for a session that has ended or belongs to another user.
var ErrNoSession = fault.NotFound("session_not_found", "这个登录已经结束", "This session has ended already")

// Devices returns visits of staff to the caller, then the caller's running sessions: the current one first, then by the
// last use.
func (ss *Sessions) Devices(ctx context.Context, who Identity) ([]SignedInDevice, error) {
	var sessions []session
	err := ss.db.NewSelect().Model(&sessions).
		Where("account_id = ? AND ended_at IS NULL AND expires_at > ?", who.UserID, ss.db.Now()).
		OrderExpr("CASE WHEN id = ? THEN 0 ELSE 1 END, seen_at DESC, id DESC", who.SessionID).Scan(ctx)
	if err != nil {
		return nil, err
	}
	devices, err := ss.visits.of(ctx, who)
	for _, s := range sessions {
		devices = append(devices, SignedInDevice{
			s.ID, s.ID == who.SessionID, s.Remember, false, s.CreatedAt, s.SeenAt, ss.history.origin(s.IP, s.UserAgent),
		})
	}
	return devices, err
}

// End ends one of the caller's sessions, or a visit to them, or returns ErrNoSession.
func (ss *Sessions) End(ctx context.Context, who Identity, id uuid.UUID, from Client) error {
	return ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := ss.endOne(ctx, tx, who.UserID, id, endedByUser)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoSession
		}
		return ss.history.note(ctx, tx, who.UserID, SessionEnded, from)
	})
}

// endOne ends one session of the user, or a visit to them, and returns how many it found.
func (ss *Sessions) endOne(ctx context.Context, tx bun.Tx, userID int64, id uuid.UUID, by visitEnd) (int, error) {
	n, err := ss.end(ctx, tx, "id = ? AND account_id = ?", id, userID)
	if err != nil || n > 0 {
		return n, err
	}
	return ss.visits.end(ctx, tx, by, "id = ? AND account_id = ?", id, userID)
}

// EndOthers ends all of the caller's sessions except the current one, and all visits to the caller.
func (ss *Sessions) EndOthers(ctx context.Context, who Identity, from Client) error {
	return ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := ss.end(ctx, tx, "account_id = ? AND id <> ?", who.UserID, who.SessionID); err != nil {
			return err
		}
		if _, err := ss.visits.end(ctx, tx, endedByUser, "account_id = ?", who.UserID); err != nil {
			return err
		}
		return ss.history.note(ctx, tx, who.UserID, OtherSessionsEnded, from)
	})
}
