package cdkey

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I7", Says: "a cd-key is used as often as it was redeemed, at most as often as it may be", Query: `
		SELECT 'cd-key ' || CAST(k.id AS TEXT) FROM cd_key k LEFT JOIN cd_key_redemption r ON r.key_id = k.id
		GROUP BY k.id, k.used, k.max_uses HAVING k.used <> COUNT(r.id) OR k.used > k.max_uses`},
	{Name: "I7", Says: "a user redeems a key once, and of a batch no more than its limit", Query: `
		SELECT 'user ' || CAST(r.user_id AS TEXT) || ', batch ' || CAST(b.id AS TEXT) FROM cd_key_redemption r
		JOIN cd_key_batch b ON b.id = r.batch_id
		GROUP BY r.user_id, b.id, b.per_user HAVING COUNT(DISTINCT r.key_id) <> COUNT(*) OR COUNT(*) > b.per_user`},
	{Name: "I7", Says: "a batch has as many keys as were made, and what was redeemed was confirmed", Query: `
		SELECT 'batch ' || CAST(b.id AS TEXT) FROM cd_key_batch b WHERE b.size <> (SELECT COUNT(*) FROM cd_key
		WHERE batch_id = b.id)
			OR (b.confirmed_at IS NULL AND EXISTS (SELECT 1 FROM cd_key_redemption WHERE batch_id = b.id))`},
	{Name: "I7", Says: "a key can be used as often as its batch says once that counts, and not at all before", Query: `
		SELECT 'cd-key ' || CAST(k.id AS TEXT) FROM cd_key k JOIN cd_key_batch b ON b.id = k.batch_id
		WHERE k.max_uses <> CASE WHEN b.confirmed_at IS NULL THEN 0 ELSE b.max_uses END`},
	{Name: "I7", Says: "who made or approved a key did not redeem it", Query: `
		SELECT 'redemption ' || CAST(r.id AS TEXT) FROM cd_key_redemption r JOIN cd_key_batch b ON b.id = r.batch_id
		WHERE (r.made_by IS NOT NULL OR r.approved_by IS NOT NULL)
			AND (COALESCE(r.made_by, 0) <> COALESCE(b.made_by, 0) OR COALESCE(r.approved_by, 0) <> COALESCE(b.confirmed_by, 0))`},
	{Name: "I7", Says: "a redemption gave its user what the key holds, once", Query: `
		SELECT 'redemption ' || CAST(r.id AS TEXT) FROM cd_key_redemption r JOIN cd_key_batch b ON b.id = r.batch_id
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'cd_key' AND t.reference_id = r.id AND t.reason = 'cd_key'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		LEFT JOIN service s ON s.id = r.service_id AND s.user_id = r.user_id
		LEFT JOIN package g ON g.id = r.package_id AND g.user_id = r.user_id
		WHERE (b.kind = 'amount') <> (t.id IS NOT NULL) OR (b.kind = 'plan') <> (s.id IS NOT NULL)
		OR (b.kind = 'traffic') <> (g.id IS NOT NULL)
			OR (b.kind = 'amount' AND (p.id IS NULL OR p.amount <> b.amount OR a.user_id <> r.user_id)) OR (b.kind = 'traffic' AND g.bytes <> b.bytes)`},
}

// Check gives every place where keys and what they gave do not agree.
func (k *Keys) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, k.db, rules...)
}
