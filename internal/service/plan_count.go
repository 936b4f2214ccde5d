package service

import "context"

// PlanCount counts the services of one plan that run.
type PlanCount struct {
	PlanID   int64
	Running  int64
	Renewing int64 // of those, the ones that renew themselves
}

// CountByPlan counts the running services of every plan that has some.
func (s *Services) CountByPlan(ctx context.Context) (map[int64]PlanCount, error) {
	var rows []PlanCount
	err := s.db.NewRaw(`SELECT plan_id, COUNT(*) AS running, SUM(CASE WHEN auto_renew THEN 1 ELSE 0 END) AS renewing
		FROM service WHERE ended_at IS NULL AND ends_at > ? GROUP BY plan_id`, s.db.Now()).Scan(ctx, &rows)
	counts := make(map[int64]PlanCount, len(rows))
	for _, r := range rows {
		counts[r.PlanID] = r
	}
	return counts, err
}

// RenewalsOf counts the running services of a plan that renew themselves, by the months of their last order; 0 are
// those that were given and not ordered.
func (s *Services) RenewalsOf(ctx context.Context, planID int64) (map[int]int64, error) {
	var rows []struct {
		Months int
		N      int64
	}
	err := s.db.NewRaw(`SELECT months, COUNT(*) AS n FROM (SELECT COALESCE((SELECT f.months FROM fulfilment AS f
		WHERE f.service_id = s.id ORDER BY f.order_id DESC LIMIT 1), 0) AS months FROM service AS s
		WHERE s.plan_id = ? AND s.auto_renew AND s.ended_at IS NULL AND s.ends_at > ?) AS renewing GROUP BY months`,
		planID, s.db.Now()).Scan(ctx, &rows)
	counts := make(map[int]int64, len(rows))
	for _, r := range rows {
		counts[r.Months] = r.N
	}
	return counts, err
}
