package approval

import (
	"context"
	"time"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
)

// The entry of an act names the act first in after, because the fields of an object are stored in alphabetical order.
const unrecordedActs = `SELECT 'act ' || CAST(g.id AS TEXT) FROM staff_grant g
	WHERE g.kind = ? AND (g.created_at >= ? OR g.id > (SELECT MIN(id) FROM staff_grant WHERE created_at >= ?))
	AND NOT EXISTS (SELECT 1 FROM audit_entry e WHERE e.action = ? AND e.object = ?
		AND e.object_id = CAST(g.reference_id AS TEXT) AND e.after LIKE '{"act":' || CAST(g.id AS TEXT) || ',%')`

const unrecordedApprovals = `SELECT 'approval of act ' || CAST(g.id AS TEXT) FROM staff_grant g
	WHERE g.kind = ? AND g.state = ? AND g.decided_at >= ?
	AND NOT EXISTS (SELECT 1 FROM audit_entry e WHERE e.action = ? AND e.object = ?
		AND e.object_id = CAST(g.reference_id AS TEXT) AND e.after = '{"state":"approved"}')`

// CheckAudited returns the acts, and the approvals of acts, that have no entry in the audit log: rows that somebody put
// in by hand, or whose entry was removed before it was sealed. Acts from before the site's audit log began have none;
// the time of its beginning is read with key, so that nobody without the key can move it. An act that claims to be
// older, and has a higher number than one made since, is reported too.
func CheckAudited(ctx context.Context, d *db.DB, key seal.Key) ([]db.Violation, error) {
	begun, found, err := audit.Begun(ctx, d, key)
	if err != nil || !found {
		return nil, err // package audit reports a log that was used and has no beginning
	}
	var rules []db.Rule
	add := func(query string, args ...any) {
		rules = append(rules, db.Rule{
			Name: "I11", Says: "each act of staff, and each approval of one, has its entry in the audit log",
			Query: d.QueryGen().FormatQuery(query, args...),
		})
	}
	at := begun.UTC().Truncate(time.Millisecond)
	for _, kind := range Kinds {
		object := kind.object(0).Kind
		add(unrecordedActs, kind, at, at, kind.Permission(), object)
		add(unrecordedApprovals, kind, Approved, at, permission.ApprovalDecide, object)
	}
	return db.Check(ctx, d, rules...)
}
