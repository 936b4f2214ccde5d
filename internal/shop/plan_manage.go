package shop

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// PlanCount counts the running services of a plan.
type PlanCount struct {
	Running  int64
	Renewing int64         // of those, the ones that renew themselves
	ByMonths map[int]int64 // the renewing ones by their period; 0: it is not offered
}

// ErrPlanOrder is the fault of an order that does not name each plan of the shop once.
var ErrPlanOrder = fault.Conflict("plan_order_stale", "商品已有变化，请刷新后重新排序",
	"The plans changed meanwhile; read them again and put them in order once more")

// AllPlans returns all plans in the order of the shop, archived ones last.
func (s *Shop) AllPlans(ctx context.Context) ([]Plan, error) {
	var plans []Plan
	err := selectPlans(s.db, &plans).OrderExpr("CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END, sort, id").Scan(ctx)
	return plans, err
}

// AnyPlan returns a plan, archived or not.
func (s *Shop) AnyPlan(ctx context.Context, id int64) (*Plan, error) {
	var plans []Plan
	err := selectPlans(s.db, &plans).Where("id = ?", id).Scan(ctx)
	if err == nil && len(plans) == 0 {
		err = ErrNoPlan
	}
	if err != nil {
		return nil, err
	}
	return &plans[0], nil
}

// CountPlans counts the running services of every plan that has some.
func (s *Shop) CountPlans(ctx context.Context) (map[int64]service.PlanCount, error) {
	return s.services.CountByPlan(ctx)
}

// CountPlan counts the running services of a plan, those that renew themselves by the period that they renew for.
func (s *Shop) CountPlan(ctx context.Context, p *Plan) (PlanCount, error) {
	all, err := s.services.CountByPlan(ctx)
	if err != nil {
		return PlanCount{}, err
	}
	ordered, err := s.services.RenewalsOf(ctx, p.ID)
	if err != nil {
		return PlanCount{}, err
	}
	out := PlanCount{all[p.ID].Running, all[p.ID].Renewing, map[int]int64{}}
	for months, n := range ordered {
		if months == 0 && len(p.Prices) > 0 { // given, not ordered: RenewalPrice takes the shortest period
			months = p.Prices[0].Months
		}
		if !slices.ContainsFunc(p.Prices, func(price Price) bool { return price.Months == months }) {
			months = 0
		}
		out.ByMonths[months] += n
	}
	return out, nil
}

// RestorePlan puts an archived plan back into the shop as it was.
func (s *Shop) RestorePlan(ctx context.Context, id int64) (*Plan, error) {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*Plan)(nil)).Set("removed_at = NULL").
			Where("id = ? AND removed_at IS NOT NULL", id).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoPlan
		}
		if err != nil {
			return err
		}
		var now Plan
		if err := selectPlans(tx, &now).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "plan.restore", audit.ID("plan", id), nil, now.recorded(), "")
	})
	if err != nil {
		return nil, err
	}
	return s.Plan(ctx, id)
}

// OrderPlans puts the plans of the shop in this order. It must name each plan that is not archived once: ErrPlanOrder.
func (s *Shop) OrderPlans(ctx context.Context, ids []int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var before []int64
		err := tx.NewSelect().Model((*Plan)(nil)).Column("id").Where("removed_at IS NULL").OrderExpr("sort, id").
			Scan(ctx, &before)
		if err != nil {
			return err
		}
		if !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(ids))) {
			return ErrPlanOrder
		}
		for i, id := range ids {
			if _, err := tx.NewUpdate().Model((*Plan)(nil)).Set("sort = ?", i+1).Where("id = ? AND sort <> ?", id, i+1).
				Exec(ctx); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, "plan.order", audit.Object{Kind: "plan_order", ID: "shop"}, recordedOrder{before},
			recordedOrder{ids}, "")
	})
}

type recordedOrder struct{ Plans []int64 }
