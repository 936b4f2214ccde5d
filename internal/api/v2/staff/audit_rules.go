package staff

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/console"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

type staffAuditRules struct {
	Rules []staffAuditRule `json:"rules" doc:"Those in force"`
}

type staffAuditRule struct {
	ID            int64       `json:"id"`
	Name          string      `json:"name"`
	Text          string      `json:"text" doc:"What users read about it"`
	Pattern       string      `json:"pattern" doc:"RE2"`
	ExemptUserIDs []int64     `json:"exempt_user_ids" doc:"Users whom it does not stop; nodes with a third-party agent stop them all the same, and log nothing"`
	Exempt        []personRef `json:"exempt_users" doc:"The same users with their e-mail addresses"`
	Hits          int64       `json:"hits" doc:"Of all users, as far as the log goes back"`
	LastHitAt     *time.Time  `json:"last_hit_at" nullable:"true"`
	CreatedAt     time.Time   `json:"created_at"`

	v2.Version
	NotHeldBy []string `json:"not_held_by" doc:"Agents of others that cannot refuse all that it does; what they can they refuse"`
}

func newStaffAuditRule(r *node.Rule, sum node.HitSum, known knownUsers, version v2.Version) staffAuditRule {
	exempt := make([]personRef, len(r.Exempt))
	for i, id := range r.Exempt {
		exempt[i] = known.ref(id)
	}
	return staffAuditRule{
		r.ID, r.Name, r.Text, r.Pattern, append([]int64{}, r.Exempt...), exempt, sum.Count, sum.LastAt,
		r.CreatedAt, version, r.Grammar().NotHeldBy(),
	}
}

type auditRuleBody struct {
	Name          string  `json:"name" minLength:"1" maxLength:"64"`
	Text          string  `json:"text,omitempty" maxLength:"500" doc:"What it blocks, in plain words"`
	Pattern       string  `json:"pattern" minLength:"1" maxLength:"1000" doc:"RE2, matched against host:port; third-party agents get it in their own grammar" example:"(^|\\.)example\\.com:"`
	ExemptUserIDs []int64 `json:"exempt_user_ids,omitempty" maxItems:"1000"`
}

type auditRuleTrial struct {
	Rules          []auditRuleMatch `json:"rules" doc:"In force, that stop the destination"`
	PatternMatches bool             `json:"pattern_matches" doc:"Whether the pattern given would stop it"`
	NotHeldBy      []string         `json:"not_held_by" doc:"Agents of others that could not refuse all that the pattern does"`
}

type auditRuleMatch struct {
	ID            int64    `json:"id"`
	Name          string   `json:"name"`
	NotHeldBy     []string `json:"not_held_by"`
	ExemptUserIDs []int64  `json:"exempt_user_ids"`
}

type staffAuditRecord struct {
	ID        int64     `json:"id"`
	UserID    int64     `json:"user_id"`
	Email     string    `json:"email" doc:"Empty: the account is gone"`
	RuleID    int64     `json:"rule_id"`
	RuleName  string    `json:"rule_name"`
	NodeID    int64     `json:"node_id"`
	NodeName  *string   `json:"node_name" nullable:"true" doc:"null: the node was removed"`
	Count     int64     `json:"count" doc:"Connections that were refused"`
	CreatedAt time.Time `json:"created_at" doc:"When the node reported it"`
}

// AuditRules adds, for staff, the audit rules and what they stopped.
func AuditRules(c *console.Console, a *account.Accounts, nodes *node.Nodes) v2.Resource {
	type which struct {
		ID int64 `path:"rule_id" minimum:"1"`
	}
	type change struct {
		ID   int64 `path:"rule_id" minimum:"1"`
		Body auditRuleBody
	}
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]staffAuditRecord, error) {
		hits, err := nodes.Rules.HitsByID(ctx, ids)
		rows := make([]staffAuditRecord, len(hits))
		for i, h := range hits {
			rows[i] = staffAuditRecord{
				h.ID, h.UserID, h.Email, h.RuleID, h.RuleName,
				h.NodeID, h.LocalizedNode(api.CallerOf(ctx).Lang), h.Count, h.At,
			}
		}
		return rows, err
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/audit-rules", permission.RuleRead).
			Named("staff_audit_rules", "The audit rules"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (staffAuditRules, error) {
				out := staffAuditRules{[]staffAuditRule{}}
				versions, err := r.Versions(ctx, "audit_rule")
				if err != nil {
					return out, err
				}
				rules, err := nodes.Rules.InForce(ctx)
				if err != nil {
					return out, err
				}
				sums, err := nodes.Rules.HitSums(ctx, 0)
				if err != nil {
					return out, err
				}
				var exempt []int64
				for i := range rules {
					exempt = append(exempt, rules[i].Exempt...)
				}
				known, err := peopleOf(ctx, a, exempt)
				for i := range rules {
					id := rules[i].ID
					out.Rules = append(out.Rules, newStaffAuditRule(&rules[i], sums[id], known, versions.Of(id)))
				}
				return out, err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/audit-rules", permission.RuleWrite).
			Named("staff_audit_rule_make", "Make an audit rule; nodes follow at once"), "audit_rule",
			func(ctx context.Context, _ account.Identity, in *v2.Body[auditRuleBody]) (staffAuditRule, error) {
				made, err := nodes.Rules.Add(ctx, in.Body.Name, in.Body.Text, in.Body.Pattern, in.Body.ExemptUserIDs...)
				if err != nil {
					return staffAuditRule{}, err
				}
				known, err := peopleOf(ctx, a, made.Exempt)
				return newStaffAuditRule(&made, node.HitSum{}, known, v2.Version{}), err
			})
		show := func(ctx context.Context, rule *node.Rule) (staffAuditRule, error) {
			sums, err := nodes.Rules.HitSums(ctx, 0)
			if err != nil {
				return staffAuditRule{}, err
			}
			known, err := peopleOf(ctx, a, rule.Exempt)
			return newStaffAuditRule(rule, sums[rule.ID], known, v2.Version{}), err
		}
		v2.HandleChange(r, v2.StaffOp("PUT /staff/audit-rules/{rule_id}", permission.RuleWrite).
			Named("staff_audit_rule_change", "Change an audit rule; nodes follow at once"),
			func(in *change) audit.Object { return audit.ID("audit_rule", in.ID) },
			func(ctx context.Context, in *change) (staffAuditRule, error) {
				rules, err := nodes.Rules.InForce(ctx)
				if err != nil {
					return staffAuditRule{}, err
				}
				i := slices.IndexFunc(rules, func(rule node.Rule) bool { return rule.ID == in.ID })
				if i < 0 {
					return staffAuditRule{}, node.ErrNoRule
				}
				return show(ctx, &rules[i])
			},
			func(ctx context.Context, _ account.Identity, in *change) (staffAuditRule, error) {
				changed, err := nodes.Rules.Change(ctx, in.ID, func(rule *node.Rule) {
					rule.Name, rule.Text, rule.Pattern, rule.Exempt = in.Body.Name, in.Body.Text, in.Body.Pattern,
						in.Body.ExemptUserIDs
				})
				if err != nil {
					return staffAuditRule{}, err
				}
				return show(ctx, &changed)
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/audit-rules/{rule_id}", permission.RuleWrite).
			Named("staff_audit_rule_remove", "Lift an audit rule; its hits stay in the log"),
			func(ctx context.Context, _ account.Identity, in *which) (v2.Empty, error) {
				return v2.Empty{}, nodes.Rules.Remove(ctx, in.ID)
			})
		type trialBody struct {
			Destination string `json:"destination" minLength:"1" maxLength:"300" doc:"host:port" example:"www.example.com:443"`
			Pattern     string `json:"pattern,omitempty" maxLength:"1000" doc:"Of a rule that is not there yet"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/audit-rules/try", permission.RuleRead).
			Named("staff_audit_rules_try", "Which audit rules stop a destination, and whether a pattern would"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[trialBody]) (auditRuleTrial, error) {
				trials, draft, notHeldBy, err := nodes.Rules.Try(ctx, in.Body.Destination, in.Body.Pattern)
				out := auditRuleTrial{[]auditRuleMatch{}, draft.Matches, append([]string{}, notHeldBy...)}
				for _, t := range trials {
					if t.Matches {
						out.Rules = append(out.Rules, auditRuleMatch{
							t.Rule.ID, t.Rule.Name, append([]string{}, t.Rule.Grammar().NotHeldBy()...),
							append([]int64{}, t.Rule.Exempt...),
						})
					}
				}
				return out, err
			})
		v2.HandleListing(r, c.Lists, v2.List[staffAuditRecord]{
			Path: "/staff/audit-records", ID: "staff_audit_records", Needs: permission.HitRead,
			Summary:  "What the audit rules stopped, of whom and where",
			Resource: c.RuleHits(), Load: load,
			Key: func(h *staffAuditRecord) int64 { return h.ID },
			CSV: []v2.Column[staffAuditRecord]{
				{Name: "at", Cell: func(h *staffAuditRecord) string { return moment(&h.CreatedAt) }},
				{Name: "user_id", Cell: func(h *staffAuditRecord) string { return text(h.UserID) }},
				{Name: "email", Cell: func(h *staffAuditRecord) string { return h.Email }},
				{Name: "rule_id", Cell: func(h *staffAuditRecord) string { return text(h.RuleID) }},
				{Name: "rule", Cell: func(h *staffAuditRecord) string { return h.RuleName }},
				{Name: "node_id", Cell: func(h *staffAuditRecord) string { return text(h.NodeID) }},
				{Name: "count", Cell: func(h *staffAuditRecord) string { return text(h.Count) }},
			},
		})
	}
}
