package service

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I13", Says: "no limit of a service or package is zero", Query: `
		SELECT 'service ' || CAST(id AS TEXT) AS what FROM service WHERE quota_bytes <= 0 OR speed_mbps <= 0
		OR devices <= 0
		UNION ALL SELECT 'package ' || CAST(id AS TEXT) FROM package WHERE bytes <= 0`},
	{Name: "I13", Says: "who may use the nodes has something that runs", Query: `
		SELECT 'user ' || CAST(a.user_id AS TEXT) FROM access a WHERE a.allowed AND (a.banned
			OR NOT EXISTS (SELECT 1 FROM service v WHERE v.user_id = a.user_id AND v.ended_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM package p WHERE p.user_id = a.user_id AND p.ended_at IS NULL))`},
	{Name: "I10", Says: "a service that ended has a reason, and only one that expired renews itself", Query: `
		SELECT 'service ' || CAST(id AS TEXT) FROM service WHERE (ended_at IS NULL) <> (end_reason IS NULL)
		OR (end_reason <> 'expired' AND auto_renew)`},
	{Name: "I15", Says: "the cycles of a service count from 1 to the one that runs, and no other runs", Query: `
		SELECT 'service ' || CAST(v.id AS TEXT) FROM service v LEFT JOIN service_cycle c ON c.service_id = v.id
		GROUP BY v.id, v.cycle
		HAVING COUNT(c.cycle) <> v.cycle OR MIN(c.cycle) <> 1 OR MAX(c.cycle) <> v.cycle OR SUM(CASE WHEN c.ended_at IS NULL AND c.cycle <> v.cycle THEN 1 ELSE 0 END) > 0`},
	{Name: "I15", Says: "a service ends where the last time that it was given ends, and has the quota of then", Query: `
		SELECT 'service ' || CAST(v.id AS TEXT) FROM service v
		LEFT JOIN (SELECT service_id, MAX(id) AS id FROM service_period GROUP BY service_id) newest
		ON newest.service_id = v.id
		LEFT JOIN service_period p ON p.id = newest.id WHERE p.id IS NULL OR p.ends_at <> v.ends_at
		OR p.quota_bytes IS DISTINCT FROM v.quota_bytes
			OR (v.reset <> 'never' AND v.quota_bytes IS DISTINCT FROM v.term_bytes)`},
	{Name: "I15", Says: "an order gave a service the time that it was fulfilled with", Query: `
		SELECT 'service ' || CAST(p.service_id AS TEXT) FROM service_period p LEFT JOIN fulfilment f
		ON f.order_id = p.order_id
		WHERE p.order_id IS NOT NULL AND (f.order_id IS NULL OR f.service_id <> p.service_id
		OR f.starts_at <> p.starts_at OR f.ends_at <> p.ends_at)
		UNION ALL SELECT 'order ' || CAST(f.order_id AS TEXT) FROM fulfilment f LEFT JOIN service_period p
		ON p.order_id = f.order_id
		WHERE f.service_id IS NOT NULL AND p.id IS NULL`},
}

// Check returns every place where a limit is not what it must be.
func (s *Services) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, s.db, rules...)
}
