package approval

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I11", Says: "what a member gave alone on a day is the sum of the acts", Query: `
		SELECT 'member ' || CAST(d.staff_id AS TEXT) || ', ' || d.day FROM staff_grant_day d
		LEFT JOIN staff_grant g ON g.staff_id = d.staff_id AND g.day = d.day AND g.state = 'alone'
		GROUP BY d.staff_id, d.day, d.worth HAVING d.worth <> COALESCE(SUM(g.worth), 0)
		UNION ALL SELECT 'act ' || CAST(g.id AS TEXT) FROM staff_grant g
		LEFT JOIN staff_grant_day d ON d.staff_id = g.staff_id AND d.day = g.day WHERE g.state = 'alone' AND d.day IS NULL`},
}

// Check gives every place where the records of acts do not agree.
func (a *Approvals) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, a.db, rules...)
}
