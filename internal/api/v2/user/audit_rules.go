package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
)

type auditRules struct {
	Rules []auditRule `json:"rules" doc:"Those in force"`
}

type auditRule struct {
	ID        int64      `json:"id"`
	Name      string     `json:"name"`
	Text      string     `json:"text" doc:"What it blocks, in plain words; may be empty"`
	Pattern   string     `json:"pattern" doc:"Regular expression of the destinations that nodes refuse"`
	MyHits    int64      `json:"my_hits" doc:"How often it stopped the user, as far as the log goes back"`
	LastHitAt *time.Time `json:"last_hit_at" nullable:"true"`
}

type auditRecords struct {
	Records    []auditRecord `json:"records" doc:"Newest first"`
	TotalCount int64         `json:"total_count"`
}

type auditRecord struct {
	ID        int64     `json:"id"`
	RuleID    int64     `json:"rule_id"`
	RuleName  string    `json:"rule_name"`
	NodeID    int64     `json:"node_id"`
	NodeName  *string   `json:"node_name" nullable:"true" doc:"null: the node was removed"`
	Count     int64     `json:"count" doc:"Connections that were refused"`
	CreatedAt time.Time `json:"created_at" doc:"When the node reported it"`
}

// AuditRules adds what nodes refuse, and how often they refused it to the user.
func AuditRules(nodes *node.Nodes) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/audit/rule").OpenToVisits().
			Named("audit_rules", "The audit rules in force, with how often each stopped the user"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (auditRules, error) {
				out := auditRules{[]auditRule{}}
				rules, err := nodes.Rules.InForce(ctx)
				if err != nil {
					return out, err
				}
				sums, err := nodes.Rules.HitSums(ctx, who.UserID)
				for _, rule := range rules {
					sum := sums[rule.ID]
					out.Rules = append(out.Rules, auditRule{
						rule.ID, rule.Name, rule.Text, rule.Pattern, sum.Count,
						sum.LastAt,
					})
				}
				return out, err
			})

		type part struct {
			RuleID int64 `query:"rule_id" minimum:"1" doc:"Of this rule only"`
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/services/audit/record").OpenToVisits().
			Named("audit_records", "What the audit rules stopped of the user's"),
			func(ctx context.Context, who account.Identity, in *part) (auditRecords, error) {
				records, total, err := nodes.Rules.HitLog(ctx, node.HitFilter{UserID: who.UserID, RuleID: in.RuleID},
					in.Limit, in.Offset)
				out := auditRecords{[]auditRecord{}, total}
				for _, h := range records {
					out.Records = append(out.Records, auditRecord{
						h.ID, h.RuleID, h.RuleName, h.NodeID,
						h.LocalizedNode(api.CallerOf(ctx).Lang), h.Count, h.At,
					})
				}
				return out, err
			})
	}
}
