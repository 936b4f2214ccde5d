package console

import (
	"context"
	"slices"

	"airstrip/internal/db"
)

// The query computes the facts about all users from the other tables.
var invariants = []db.Rule{
	{Name: "I17", Says: "facts about users are what the other tables say", Query: `
		SELECT 'user ' || CAST(r.user_id AS TEXT) FROM (
			SELECT u.id AS user_id, u.email, u.role, u.invited_by, u.created_at, u.closed_at, u.signed_in_at,
				CASE WHEN u.closed_at IS NOT NULL THEN 'closed' WHEN u.banned_at IS NOT NULL THEN 'banned'
					ELSE COALESCE(a.state, 'none') END AS state,
				CASE WHEN v.ended_at IS NULL THEN v.plan_id END AS plan_id, COALESCE(v.ended_at, v.ends_at) AS ends_at,
				CASE WHEN v.ended_at IS NULL THEN c.billed / 67108864 * 67108864 END AS used_bytes,
				CASE WHEN v.ended_at IS NULL THEN v.quota_bytes END AS quota_bytes,
				COALESCE(l.posted, 0) AS balance, COALESCE(n.fetches, 0) AS fetches, s.seen_at
			FROM account u LEFT JOIN access a ON a.user_id = u.id
			LEFT JOIN ledger_account l ON l.user_id = u.id AND l.kind = 'wallet'
			LEFT JOIN (SELECT account_id, MAX(seen_at) AS seen_at FROM session GROUP BY account_id) s ON s.account_id = u.id
			LEFT JOIN (SELECT user_id, COUNT(*) AS fetches FROM link_fetch GROUP BY user_id) n ON n.user_id = u.id
			LEFT JOIN (SELECT id, user_id, plan_id, ends_at, ended_at, quota_bytes, cycle, ROW_NUMBER() OVER (PARTITION BY user_id
				ORDER BY (ended_at IS NULL) DESC, COALESCE(ended_at, ends_at) DESC, id DESC) AS place FROM service) v
				ON v.user_id = u.id AND v.place = 1
			LEFT JOIN service_cycle c ON c.service_id = v.id AND c.cycle = v.cycle
		) r
		LEFT JOIN user_facts f ON f.user_id = r.user_id
		WHERE f.user_id IS NULL OR f.email <> r.email OR f.role <> r.role OR f.state <> r.state OR f.balance <> r.balance
		OR f.fetches <> r.fetches OR f.created_at <> r.created_at OR COALESCE(f.plan_id, 0) <> COALESCE(r.plan_id, 0)
		OR f.ends_at IS DISTINCT FROM r.ends_at OR f.used_bytes IS DISTINCT FROM r.used_bytes
		OR f.quota_bytes IS DISTINCT FROM r.quota_bytes OR f.inviter_id IS DISTINCT FROM r.invited_by
		OR f.used_percent IS DISTINCT FROM CASE WHEN r.used_bytes >= r.quota_bytes THEN 100
			ELSE r.used_bytes * 100 / r.quota_bytes END
		OR CASE WHEN r.closed_at IS NULL THEN r.signed_in_at > f.seen_at OR r.seen_at > f.seen_at
			OR (f.seen_at IS NULL AND (r.signed_in_at IS NOT NULL OR r.seen_at IS NOT NULL))
			ELSE f.seen_at IS NOT NULL OR f.area <> '' END`},
	{Name: "I17", Says: "facts are about users whom there are", Query: `
		SELECT 'user ' || CAST(f.user_id AS TEXT) FROM user_facts f LEFT JOIN account u ON u.id = f.user_id
		WHERE u.id IS NULL`},
}

// Check returns every user whose row of facts, and every stored hour of the overview, that differs from what the other
// tables say.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	return db.Check(ctx, d, append(slices.Clone(invariants), hoursRule(d))...)
}
