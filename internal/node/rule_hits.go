package node

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/listing"
)

// Hit says how often a rule stopped a user.
type Hit struct{ UserID, RuleID, Count int64 }

type ruleHit struct {
	bun.BaseModel `bun:"table:rule_hit"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	NodeID        int64
	RuleID        int64
	Count         int64
	At            time.Time
}

// maxHits limits the count of one row of the log. It is far above what a user causes between two reports.
const maxHits = 1_000_000_000

// AddHits logs what a node's rules stopped, as part of tx, and returns how many of the rows were valid. Hits of unknown
// rules, of exempt users and with impossible counts are left out. Rows of the same user and rule become one.
func (rs *Rules) AddHits(ctx context.Context, tx bun.Tx, nodeID int64, hits []Hit) (valid int, err error) {
	if len(hits) == 0 {
		return 0, nil
	}
	var rules []Rule
	if err := tx.NewSelect().Model(&rules).Scan(ctx); err != nil {
		return 0, err
	}
	if err := addExempt(ctx, tx, rules); err != nil {
		return 0, err
	}
	exempt := make(map[int64][]int64, len(rules))
	for _, r := range rules {
		exempt[r.ID] = r.Exempt
	}
	var rows []ruleHit
	at := map[[2]int64]int{}
	for _, h := range hits {
		users, known := exempt[h.RuleID]
		if _, isExempt := slices.BinarySearch(users, h.UserID); !known || isExempt || h.Count <= 0 || h.UserID <= 0 {
			continue
		}
		valid++
		key := [2]int64{h.UserID, h.RuleID}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(rows), len(rows)
			rows = append(rows, ruleHit{UserID: h.UserID, NodeID: nodeID, RuleID: h.RuleID, At: rs.db.Now()})
		}
		rows[i].Count = min(rows[i].Count+min(h.Count, maxHits), maxHits)
	}
	for part := range slices.Chunk(rows, 500) {
		if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return valid, nil
}

// OwnHits returns the hits of users whose bytes on n would count.
func (rs *Rules) OwnHits(ctx context.Context, n Node, hits []Hit) ([]Hit, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.UserID
	}
	admitted, err := rs.admission.Admitted(ctx, n, ids)
	return slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool { return !admitted[h.UserID] }), err
}

// RecordHits logs what the rules of n's third-party agent stopped, and returns how many of the rows were valid.
func (rs *Rules) RecordHits(ctx context.Context, n Node, hits []Hit) (valid int, err error) {
	if hits, err = rs.OwnHits(ctx, n, hits); err != nil {
		return 0, err
	}
	err = rs.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		valid, err = rs.AddHits(ctx, tx, n.ID, hits)
		return err
	})
	return valid, err
}

// HitRecord is one row of the log of hits.
type HitRecord struct {
	ID       int64
	UserID   int64
	Email    string // empty: the account is gone
	RuleID   int64
	RuleName string
	NodeID   int64
	NodeName *string // nil: the node was removed
	// by language, where a language has its own name
	NodeNames fault.ByLang `bun:"type:jsonb"`
	Count     int64
	At        time.Time
}

// LocalizedNode returns the name of the node in a reader's language; nil: the node was removed.
func (r *HitRecord) LocalizedNode(lang fault.Lang) *string {
	if r.NodeName == nil {
		return nil
	}
	return new(r.NodeNames.In(lang, *r.NodeName))
}

// HitFilter selects rows of the log; 0 stands for every user, rule or node.
type HitFilter struct{ UserID, RuleID, NodeID int64 }

// HitLog returns a page of the log of hits, the newest first, and the number of all rows.
func (rs *Rules) HitLog(ctx context.Context, f HitFilter, limit, offset int64) (records []HitRecord, total int64,
	err error,
) {
	q := rs.db.NewSelect().TableExpr("rule_hit AS h")
	for column, id := range map[string]int64{"h.user_id": f.UserID, "h.rule_id": f.RuleID, "h.node_id": f.NodeID} {
		if id != 0 {
			q = q.Where("? = ?", bun.Ident(column), id)
		}
	}
	if total, err = q.Count(ctx); err != nil {
		return nil, 0, err
	}
	err = recordsOf(q).OrderExpr("h.at DESC, h.id DESC").Limit(limit).Offset(offset).Scan(ctx, &records)
	return records, total, err
}

// HitList declares the list of what the rules stopped. Who has users searches it by them.
func HitList() *listing.Resource {
	return &listing.Resource{
		Name: "rule_hits", Table: "rule_hit", ID: "id", Default: "-at",
		Filters: []listing.Filter{
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Whom it stopped"},
			{
				Key: "rule", Kind: listing.Reference, Of: "audit_rules", Column: "rule_id",
				Doc: "What stopped it; the rule may have been lifted",
			},
			{Key: "node", Kind: listing.Reference, Of: "nodes", Column: "node_id", Doc: "Where"},
			{Key: "at", Kind: listing.Date, Column: "at", Doc: "When the node reported it"},
		},
		Sorts: []listing.Sort{{Key: "at", Column: "at", Kind: listing.Time}},
	}
}

// HitsByID returns the rows of the log with these numbers, in any order.
func (rs *Rules) HitsByID(ctx context.Context, ids []int64) (records []HitRecord, err error) {
	err = recordsOf(rs.db.NewSelect().TableExpr("rule_hit AS h").Where("h.id IN (?)", bun.List(ids))).
		Scan(ctx, &records)
	return records, err
}

// recordsOf adds to a query of hits what a record says besides.
func recordsOf(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("h.id, h.user_id, coalesce(a.email, '') AS email, h.rule_id, r.name AS rule_name, " +
		"h.node_id, n.name AS node_name, n.names AS node_names, h.count, h.at").
		Join("JOIN rule AS r ON r.id = h.rule_id").Join("LEFT JOIN node AS n ON n.id = h.node_id").
		Join("LEFT JOIN account AS a ON a.id = h.user_id")
}

// HitSum is how often one rule stopped somebody, within the retention of the log.
type HitSum struct {
	RuleID int64
	Count  int64
	LastAt *time.Time
}

// HitSums returns a user's hits by the rule's id; for user 0 those of all users.
func (rs *Rules) HitSums(ctx context.Context, userID int64) (map[int64]HitSum, error) {
	var rows []HitSum
	q := rs.db.NewSelect().TableExpr("rule_hit").ColumnExpr("rule_id, sum(count) AS count, max(at) AS last_at").
		GroupExpr("rule_id")
	if userID > 0 {
		q = q.Where("user_id = ?", userID)
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	by := make(map[int64]HitSum, len(rows))
	for _, r := range rows {
		by[r.RuleID] = r
	}
	return by, nil
}
