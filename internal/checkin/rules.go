package checkin

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I16", Says: "a check-in gave its package to its user, and no other check-in package was given", Query: `
		SELECT 'check-in ' || CAST(c.id AS TEXT) FROM checkin c LEFT JOIN package p ON p.id = c.package_id
		LEFT JOIN fulfilment f ON f.package_id = c.package_id
		WHERE p.id IS NULL OR p.user_id <> c.user_id OR p.kind <> 'checkin' OR p.bytes <> c.bytes
			OR p.expires_at IS NULL OR f.order_id IS NOT NULL
		UNION ALL SELECT 'package ' || CAST(p.id AS TEXT) FROM package p JOIN account a ON a.id = p.user_id
			LEFT JOIN checkin c ON c.package_id = p.id
			WHERE p.kind = 'checkin' AND c.id IS NULL AND a.closed_at IS NULL`},
	{Name: "I16", Says: "a streak counts the days in a row", Query: `
		SELECT 'check-in ' || CAST(c.id AS TEXT) FROM checkin c
		LEFT JOIN checkin b ON b.user_id = c.user_id AND b.day = c.day - 1
		WHERE c.streak <> COALESCE(b.streak, 0) + 1`},
}

// Check gives every check-in that does not agree with what it gave.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	return db.Check(ctx, d, rules...)
}
