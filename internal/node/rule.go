package node

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// Rule is an audit rule: destinations that nodes refuse.
type Rule struct {
	bun.BaseModel `bun:"table:rule"`
	ID            int64 `bun:",pk,autoincrement"`
	Name          string
	Text          string // what users read about it
	Pattern       string // RE2, matched against host:port by our agents and against network:host:port by others
	Revision      int64
	CreatedAt     time.Time
	RemovedAt     *time.Time
}

// ErrNoRule is the fault of an id that no audit rule has.
var ErrNoRule = fault.NotFound("rule_not_found", "没有找到该审计规则", "There is no such audit rule")

// AddRule makes an audit rule. Agents crash on a pattern that they cannot compile, so it is tried here.
func (s *Nodes) AddRule(ctx context.Context, name, text, pattern string) (Rule, error) {
	r := Rule{Name: strings.TrimSpace(name), Text: text, Pattern: pattern, CreatedAt: s.db.Now()}
	if r.Name == "" {
		return r, fault.Invalid("name", "required", "请填写规则名称", "The rule needs a name")
	}
	if _, err := regexp.Compile(pattern); err != nil || pattern == "" {
		return r, fault.Invalid("pattern", "format", "不是有效的 RE2 正则表达式", "This is not a regular expression that RE2 takes").Because(err)
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		if r.Revision, err = db.Bump(ctx, tx, service.Revision); err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	return r, err
}

// RemoveRule lifts an audit rule.
func (s *Nodes) RemoveRule(ctx context.Context, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		n, err := db.Changed(tx.NewUpdate().Model((*Rule)(nil)).Set("removed_at = ?", s.db.Now()).Set("revision = ?", revision).
			Where("id = ? AND removed_at IS NULL", id).Exec(ctx))
		if err == nil && n == 0 {
			return ErrNoRule
		}
		return err
	})
}

// Rules gives the audit rules in force.
func (s *Nodes) Rules(ctx context.Context) ([]Rule, error) {
	var rules []Rule
	err := s.db.NewSelect().Model(&rules).Where("removed_at IS NULL").OrderExpr("id").Scan(ctx)
	return rules, err
}

// rulesSince gives the rules in force where one was added or removed after the revision since; changed tells whether.
func (s *Nodes) rulesSince(ctx context.Context, since int64) (rules []Rule, changed bool, err error) {
	if changed, err = s.db.NewSelect().Model((*Rule)(nil)).Where("revision > ?", since).Exists(ctx); err != nil || !changed {
		return nil, false, err
	}
	rules, err = s.Rules(ctx)
	return rules, true, err
}

// Hit says how often a rule stopped a user.
type Hit struct{ UserID, RuleID, Count int64 }

// AddHits logs what a node's rules stopped, as part of tx. Hits of unknown rules and impossible counts are left out.
func (s *Nodes) AddHits(ctx context.Context, tx bun.Tx, nodeID int64, hits []Hit) error {
	if len(hits) == 0 {
		return nil
	}
	var ids []int64
	if err := tx.NewSelect().Model((*Rule)(nil)).Column("id").Scan(ctx, &ids); err != nil {
		return err
	}
	rules := map[int64]bool{}
	for _, id := range ids {
		rules[id] = true
	}
	var rows []ruleHit
	for _, h := range hits {
		if rules[h.RuleID] && h.Count > 0 && h.UserID > 0 {
			rows = append(rows, ruleHit{UserID: h.UserID, NodeID: nodeID, RuleID: h.RuleID, Count: h.Count, At: s.db.Now()})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Hits logs what a foreign agent's rules stopped.
func (s *Nodes) Hits(ctx context.Context, nodeID int64, hits []Hit) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return s.AddHits(ctx, tx, nodeID, hits) })
}

type ruleHit struct {
	bun.BaseModel `bun:"table:rule_hit"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	NodeID        int64
	RuleID        int64
	Count         int64
	At            time.Time
}
