package shop

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/service"
)

// GiftKind is what staff gives of a service.
type GiftKind string

// The kinds of gifts.
const (
	GiftStart  GiftKind = "start"  // time of a plan: extends the running service of that plan, or starts one
	GiftExtend GiftKind = "extend" // time of a service that the user has
	GiftChange GiftKind = "change" // another plan until the service would have ended
	GiftReset  GiftKind = "reset"  // the traffic of the cycle once more
)

// Gift is what staff gives a user of a service.
type Gift struct {
	bun.BaseModel `bun:"table:service_gift"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Kind          GiftKind
	ServiceID     *int64
	PlanID        *int64
	Months        int
	Days          int
	Reason        string
	State         string
	MadeBy        *int64
	CreatedAt     time.Time
	DecidedBy     *int64
	EndedAt       *time.Time
}

// Limits of a gift. The schema has the same.
const (
	maxGiftMonths = 120
	maxGiftDays   = 3660
	maxGiftReason = 500
)

func (g *Gift) check() error {
	g.Reason = strings.TrimSpace(g.Reason)
	timed := g.Kind == GiftStart || g.Kind == GiftExtend
	var wrong fault.Problems
	wrong.When(timed && (g.Months < 0 || g.Months > maxGiftMonths || g.Days < 0 || g.Days > maxGiftDays ||
		g.Months+g.Days == 0), "days", "range", "时长至少一天，至多 120 个月和 3660 天",
		"The time is at least a day and at most 120 months and 3,660 days")
	wrong.When(g.Reason == "" || utf8.RuneCountInString(g.Reason) > maxGiftReason || !utf8.ValidString(g.Reason),
		"reason", "length", "请填写 1 到 500 个字符的原因", "Please give a reason of 1 to 500 characters")
	wrong.When((g.Kind == GiftStart || g.Kind == GiftChange) && g.PlanID == nil, "plan_id", "required", "请选择套餐",
		"Please choose a plan")
	if !timed {
		g.Months, g.Days = 0, 0
	}
	return wrong.Err()
}

// Give gives a user something of a service that nobody paid for. What is worth more than the member may give alone on a
// day, or is for the member, waits for a second one: approval.ErrSecondMember. While that waits, the same asked again
// is answered as before, and another gift to the user is ErrGiftWaits. MadeBy is nil for the operator.
func (s *Shop) Give(ctx context.Context, g Gift) error {
	if err := g.check(); err != nil {
		return err
	}
	given, err := idempotency.Tx(ctx, s.db, func(ctx context.Context, tx bun.Tx) (bool, error) {
		return s.GiveIn(ctx, tx, g)
	})
	if err == nil && !given {
		err = approval.ErrSecondMember
	}
	return err
}

// GiveIn is Give as part of tx; it reports whether the gift was given, and otherwise it waits.
func (s *Shop) GiveIn(ctx context.Context, tx bun.Tx, g Gift) (given bool, err error) {
	if err := s.approvals.Lock(ctx, tx, g.MadeBy); err != nil {
		return false, err
	}
	if err := s.wallets.MayGain(ctx, tx, g.UserID); err != nil {
		return false, err
	}
	var waiting []Gift
	if err := tx.NewSelect().Model(&waiting).Where("user_id = ? AND made_by = ? AND state = ?", g.UserID, g.MadeBy,
		grantWaiting).Scan(ctx); err != nil {
		return false, err
	}
	if len(waiting) > 0 {
		if !waiting[0].gives(&g) {
			return false, ErrGiftWaits
		}
		return false, nil
	}
	worth, err := s.giftWorth(ctx, tx, &g)
	if err != nil {
		return false, err
	}
	g.ID, g.State, g.CreatedAt = 0, grantWaiting, s.db.Now()
	if _, err := tx.NewInsert().Model(&g).Exec(ctx); err != nil {
		return false, db.Error(err)
	}
	alone, err := s.approvals.Propose(ctx, tx, approval.Act{
		Kind: approval.ServiceGift, ReferenceID: g.ID, MadeBy: g.MadeBy, Beneficiary: g.UserID, Worth: worth,
		Reason: g.Reason, Gives: map[string]any{
			"user_id": g.UserID, "kind": g.Kind, "service_id": g.ServiceID, "plan_id": g.PlanID, "months": g.Months,
			"days": g.Days,
		},
	})
	if err != nil || !alone {
		return false, err
	}
	return true, s.endGift(ctx, tx, &g, true, nil)
}

// gives tells whether two gifts to a user give the same.
func (g *Gift) gives(other *Gift) bool {
	same := func(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }
	return g.Kind == other.Kind && g.Months == other.Months && g.Days == other.Days &&
		same(g.ServiceID, other.ServiceID) && same(g.PlanID, other.PlanID)
}

// giftWorth returns what a gift is worth at most.
func (s *Shop) giftWorth(ctx context.Context, tx bun.Tx, g *Gift) (money.Amount, error) {
	if g.Kind == GiftStart {
		if _, err := giftPlan(ctx, tx, *g.PlanID); err != nil {
			return 0, err
		}
		return PlanWorth(ctx, tx, s.db.Now(), *g.PlanID, g.Months, g.Days)
	}
	if g.ServiceID == nil {
		return 0, service.ErrNoService
	}
	v, err := s.services.GetIn(ctx, tx, g.UserID, *g.ServiceID)
	if err != nil {
		return 0, err
	}
	if g.Kind != GiftExtend && !v.Running(s.db.Now()) {
		return 0, service.ErrNotRunning
	}
	switch g.Kind {
	case GiftExtend:
		if err := v.Renewable(); err != nil {
			return 0, err
		}
		return PlanWorth(ctx, tx, s.db.Now(), v.PlanID, g.Months, g.Days)
	case GiftChange:
		if _, err := giftPlan(ctx, tx, *g.PlanID); err != nil {
			return 0, err
		}
		const day = 24 * time.Hour
		return PlanWorth(ctx, tx, s.db.Now(), *g.PlanID, 0, int((v.EndsAt.Sub(s.db.Now())+day-1)/day))
	default:
		return PlanWorth(ctx, tx, s.db.Now(), v.PlanID, 1, 0) // the traffic of a month, or all of it
	}
}

// giftPlan returns a plan that is in the shop, sold or hidden.
func giftPlan(ctx context.Context, tx bun.Tx, id int64) (*Plan, error) {
	var found []Plan
	err := tx.NewSelect().Model(&found).Where("id = ? AND kind = ? AND removed_at IS NULL", id, KindPlan).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = fault.Invalid("plan_id", "unknown", "没有这个套餐", "There is no such plan")
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

func (p *Plan) terms(userID int64, months, days int) service.Terms {
	return service.Terms{
		UserID: userID, PlanID: p.ID, Name: p.Name, Names: p.Names, Class: p.Class, Groups: p.Groups,
		SpeedMbps: p.SpeedMbps, Devices: p.Devices, QuotaBytes: p.TrafficBytes, Reset: p.Reset, Months: months,
		Days: days,
	}
}

// endGift gives what waits, or drops it.
func (s *Shop) endGift(ctx context.Context, tx bun.Tx, g *Gift, give bool, by *int64) error {
	g.State, g.DecidedBy, g.EndedAt = grantDeclined, by, new(s.db.Now())
	if give {
		if _, err := s.wallets.LockOpen(ctx, tx, g.UserID); err != nil {
			return err
		}
		if err := s.handOver(ctx, tx, g); err != nil {
			return err
		}
		g.State = grantGiven
	}
	_, err := tx.NewUpdate().Model(g).Column("state", "service_id", "decided_by", "ended_at").WherePK().Exec(ctx)
	return err
}

func (s *Shop) handOver(ctx context.Context, tx bun.Tx, g *Gift) error {
	switch g.Kind {
	case GiftStart:
		p, err := giftPlan(ctx, tx, *g.PlanID)
		if err != nil {
			return err
		}
		id, err := s.services.Grant(ctx, tx, p.terms(g.UserID, g.Months, g.Days))
		g.ServiceID = &id
		return err
	case GiftExtend:
		return s.services.Extend(ctx, tx, service.Extension{
			UserID: g.UserID, ServiceID: *g.ServiceID, Months: g.Months, Days: g.Days,
		})
	case GiftChange:
		p, err := giftPlan(ctx, tx, *g.PlanID)
		if err != nil {
			return err
		}
		_, err = s.services.Change(ctx, tx, g.UserID, *g.ServiceID, p.terms(g.UserID, 0, 0))
		return err
	default:
		return s.services.ResetTraffic(ctx, tx, g.UserID, *g.ServiceID)
	}
}

// DecideGift gives, as a second member of staff, what waits, or declines it. by is nil for the operator.
func (s *Shop) DecideGift(ctx context.Context, id int64, approve bool, by *int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		g := &Gift{ID: id}
		if err := tx.NewSelect().Model(g).WherePK().Scan(ctx); err != nil {
			return err
		}
		if err := s.approvals.Decide(ctx, tx, approval.ServiceGift, id, approve, by); err != nil {
			return err
		}
		return s.endGift(ctx, tx, g, approve, by)
	})
}

// StopService ends a running service of a user for good. Nothing is given back; a refund is another thing.
func (s *Shop) StopService(ctx context.Context, userID, serviceID int64, reason string) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		v, err := s.services.Stop(ctx, tx, userID, serviceID)
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "service.end", audit.ID("service", serviceID),
			map[string]any{"ends_at": v.EndsAt, "plan_id": v.PlanID, "user_id": userID, "ended": false},
			map[string]any{"ends_at": v.EndsAt, "plan_id": v.PlanID, "user_id": userID, "ended": true}, reason)
	})
}
