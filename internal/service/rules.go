package service

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I13", Says: "no limit of a service or package is zero", Query: `
		SELECT 'service ' || CAST(id AS TEXT) AS what FROM service WHERE quota_bytes <= 0 OR speed_mbps <= 0 OR devices <= 0
		UNION ALL SELECT 'package ' || CAST(id AS TEXT) FROM package WHERE bytes <= 0`},
	{Name: "I13", Says: "who may use the nodes has something that runs", Query: `
		SELECT 'user ' || CAST(a.user_id AS TEXT) FROM access a WHERE a.allowed AND (a.banned
			OR NOT EXISTS (SELECT 1 FROM service v WHERE v.user_id = a.user_id AND v.ended_at IS NULL) AND NOT EXISTS (SELECT 1 FROM package p WHERE p.user_id = a.user_id AND p.ended_at IS NULL))`},
}

// Check gives every place where a limit is not what it must be.
func (s *Services) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, s.db, rules...)
}
