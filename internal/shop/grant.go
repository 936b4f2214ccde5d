package shop

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/service"
)

// The states of a traffic grant. Only a waiting one changes.
const (
	grantWaiting  = "waiting"
	grantGiven    = "given"
	grantDeclined = "declined"
)

// ErrGiftWaits is the fault of a member who gives a user something while something else that they gave waits.
var ErrGiftWaits = fault.Conflict("gift_waits",
	"你送给该用户的另一份赠送正在等待另一位成员确认；请在处理后再提交",
	"Another gift of yours to this user waits for a second member of staff. Make this one once that is decided")

type trafficGrant struct {
	bun.BaseModel `bun:"table:traffic_grant"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Name          string
	Bytes         int64
	State         string
	PackageID     *int64
	MadeBy        *int64
	CreatedAt     time.Time
	DecidedBy     *int64
	EndedAt       *time.Time
}

// GrantTraffic gives the user bytes that nobody paid for, as a package that lives until it is used up. What is worth
// more than the member may give alone on a day, or is for the member, waits for a second one: approval.ErrSecondMember.
// While that waits, the same asked again is answered as before, and other traffic for the user is ErrGiftWaits. by is
// nil for the operator.
func (s *Shop) GrantTraffic(ctx context.Context, userID int64, name string, bytes int64, reason string,
	by *int64,
) error {
	if bytes < 1 || bytes > service.MaxGrant {
		return fault.Invalid("bytes", "range", "流量须大于零且不超过 1 PiB", "The traffic is above zero and at most 1 PiB")
	}
	given, err := idempotency.Tx(ctx, s.db, func(ctx context.Context, tx bun.Tx) (bool, error) {
		if err := s.approvals.Lock(ctx, tx, by); err != nil {
			return false, err
		}
		if err := s.wallets.MayGain(ctx, tx, userID); err != nil {
			return false, err
		}
		var waiting []trafficGrant
		if err := tx.NewSelect().Model(&waiting).Where("user_id = ? AND made_by = ? AND state = ?", userID, by,
			grantWaiting).Scan(ctx); err != nil {
			return false, err
		}
		if len(waiting) > 0 {
			if w := waiting[0]; w.Name != name || w.Bytes != bytes {
				return false, ErrGiftWaits
			}
			return false, nil
		}
		g := &trafficGrant{
			UserID: userID, Name: name, Bytes: bytes, State: grantWaiting, MadeBy: by,
			CreatedAt: s.db.Now(),
		}
		if _, err := tx.NewInsert().Model(g).Exec(ctx); err != nil {
			return false, db.Error(err)
		}
		worth, err := TrafficWorth(ctx, tx, s.db.Now(), bytes)
		if err != nil {
			return false, err
		}
		alone, err := s.approvals.Propose(ctx, tx, approval.Act{
			Kind: approval.Traffic, ReferenceID: g.ID, MadeBy: by, Beneficiary: userID, Worth: worth,
			Reason: cmp.Or(reason, name), Gives: map[string]any{"user_id": userID, "bytes": bytes},
		})
		if err != nil || !alone {
			return false, err
		}
		return true, s.endGrant(ctx, tx, g, true, nil)
	})
	if err == nil && !given {
		err = approval.ErrSecondMember
	}
	return err
}

// endGrant returns the bytes of a grant that waits, or drops it.
func (s *Shop) endGrant(ctx context.Context, tx bun.Tx, g *trafficGrant, give bool, by *int64) error {
	g.State, g.DecidedBy, g.EndedAt = grantDeclined, by, new(s.db.Now())
	if give {
		if _, err := s.wallets.LockOpen(ctx, tx, g.UserID); err != nil {
			return err
		}
		p, err := s.services.AddPackage(ctx, tx, service.PackageTerms{
			UserID: g.UserID, Name: g.Name,
			Kind: service.Grant, Bytes: g.Bytes,
		})
		if err != nil {
			return err
		}
		g.State, g.PackageID = grantGiven, &p.ID
	}
	_, err := tx.NewUpdate().Model(g).Column("state", "package_id", "decided_by", "ended_at").WherePK().Exec(ctx)
	return err
}

// DecideGrant gives, as a second member of staff, traffic that waits, or declines it. by is nil for the operator.
func (s *Shop) DecideGrant(ctx context.Context, id int64, approve bool, by *int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var found []trafficGrant
		if err := tx.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		if len(found) == 0 {
			return errors.New("shop: an act speaks of a traffic grant that is not there")
		}
		if err := s.approvals.Decide(ctx, tx, approval.Traffic, id, approve, by); err != nil {
			return err
		}
		return s.endGrant(ctx, tx, &found[0], approve, by)
	})
}
