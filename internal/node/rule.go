package node

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
	"airstrip/internal/text"
)

// Rule is an audit rule: destinations that nodes refuse.
type Rule struct {
	bun.BaseModel `bun:"table:rule"`
	ID            int64 `bun:",pk,autoincrement"`
	Name          string
	Text          string // what users read about it
	Pattern       string // RE2, matched against host:port; third-party agents get it in their own grammar
	// users whom it does not stop, in order; third-party agents do not know exemptions
	Exempt    []int64 `bun:"-"`
	Revision  int64
	CreatedAt time.Time
	RemovedAt *time.Time
}

// Rules holds the audit rules and the log of what they stopped.
type Rules struct {
	db        *db.DB
	admission *Admission
}

// Limits of a rule. A pattern runs for every connection on every node.
const (
	maxRuleName    = 64 // characters
	maxRuleText    = 500
	maxRulePattern = 1000 // bytes
	maxRuleExempt  = 1000
)

// ErrNoRule is the fault of an id that no audit rule in force has.
var ErrNoRule = fault.NotFound("rule_not_found", "没有找到该审计规则", "There is no such audit rule")

// Add creates an audit rule, which does not stop the exempt users. The fault of invalid fields names each of them.
func (rs *Rules) Add(ctx context.Context, name, text, pattern string, exempt ...int64) (Rule, error) {
	r := Rule{Name: name, Text: text, Pattern: pattern, Exempt: exempt, CreatedAt: rs.db.Now()}
	err := rs.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r.ID = 0 // a transaction may run again
		var err error
		if r.Revision, err = db.Bump(ctx, tx, service.Revision); err != nil {
			return err
		}
		if err := rs.put(ctx, tx, &r); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "node.rule.add", audit.ID("audit_rule", r.ID), nil, r.recorded(), "")
	})
	return r, err
}

// Change edits a rule in force.
func (rs *Rules) Change(ctx context.Context, id int64, edit func(*Rule)) (Rule, error) {
	var r Rule
	err := rs.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// The revision's row stays locked until the end, so that no two changes overwrite each other.
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		was, err := ruleInForce(ctx, tx, id)
		if err != nil {
			return err
		}
		r = was
		edit(&r)
		r.ID, r.Revision, r.CreatedAt, r.RemovedAt = id, revision, was.CreatedAt, nil
		if err := rs.put(ctx, tx, &r); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "node.rule.change", audit.ID("audit_rule", id), was.recorded(), r.recorded(), "")
	})
	return r, err
}

// ruleInForce returns the rule with this id and its exempt users.
func ruleInForce(ctx context.Context, tx bun.Tx, id int64) (Rule, error) {
	rules := make([]Rule, 1)
	err := tx.NewSelect().Model(&rules[0]).Where("id = ? AND removed_at IS NULL", id).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return Rule{}, ErrNoRule.Because(err)
	}
	if err == nil {
		err = addExempt(ctx, tx, rules)
	}
	return rules[0], err
}

// recorded returns what staff decides about the rule, for the audit log.
func (r *Rule) recorded() map[string]any {
	return map[string]any{"name": r.Name, "text": r.Text, "pattern": r.Pattern, "exempt_user_ids": append([]int64{},
		r.Exempt...)}
}

// put checks and writes r, which is new if it has no id. The caller has bumped its revision.
func (rs *Rules) put(ctx context.Context, tx bun.Tx, r *Rule) (err error) {
	r.Name, r.Text = strings.TrimSpace(r.Name), strings.TrimSpace(r.Text)
	r.Exempt = slices.Compact(slices.Sorted(slices.Values(r.Exempt)))
	if err := checkRule(r); err != nil {
		return err
	}
	if r.ID == 0 {
		_, err = tx.NewInsert().Model(r).Exec(ctx)
	} else {
		_, err = tx.NewUpdate().Model(r).WherePK().Exec(ctx)
	}
	if err != nil {
		return err
	}
	return exempt(ctx, tx, r)
}

// checkRule names the invalid fields. Agents crash on a pattern that they cannot compile, so it is compiled here first.
func checkRule(r *Rule) error {
	var p problems
	p.When(text.Folded(r.Name) == "" || utf8.RuneCountInString(r.Name) > maxRuleName, "name", "length", "名称需为 1 到 64 个字符",
		"The name takes 1 to 64 characters")
	p.When(utf8.RuneCountInString(r.Text) > maxRuleText, "text", "length", "说明不能超过 500 个字符",
		"The text has at most 500 characters")
	p.When(len(r.Pattern) > maxRulePattern, "pattern", "length", "正则表达式不能超过 1000 字节",
		"A pattern has at most 1000 bytes")
	p.When(r.Pattern == "", "pattern", "required", "正则表达式不能为空", "The pattern must not be empty")
	if len(r.Pattern) <= maxRulePattern {
		if _, err := regexp.Compile(r.Pattern); err != nil {
			why := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			p.When(true, "pattern", "format", "不是有效的 RE2 正则表达式："+why,
				"This is not a regular expression that RE2 takes: "+why)
		}
	}
	p.When(len(r.Exempt) > maxRuleExempt, "exempt_user_ids", "length", "最多 1000 个用户",
		"At most 1000 users can be exempt")
	return p.Err()
}

type exemption struct {
	bun.BaseModel `bun:"table:rule_exemption"`
	RuleID        int64
	UserID        int64
}

// exempt writes the exempt users of r.
func exempt(ctx context.Context, tx bun.Tx, r *Rule) error {
	if _, err := tx.NewRaw(`DELETE FROM rule_exemption WHERE rule_id = ?`, r.ID).Exec(ctx); err != nil ||
		len(r.Exempt) == 0 {
		return err
	}
	known, err := service.KnownUsers(ctx, tx, r.Exempt)
	if err != nil {
		return err
	}
	for _, id := range r.Exempt {
		if !slices.Contains(known, id) {
			return fault.Invalid("exempt_user_ids", "unknown", fmt.Sprintf("没有编号为 %d 的用户", id),
				fmt.Sprintf("There is no user %d", id))
		}
	}
	rows := make([]exemption, len(known))
	for i, id := range known {
		rows[i] = exemption{RuleID: r.ID, UserID: id}
	}
	_, err = tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Trial says whether a rule stops a destination.
type Trial struct {
	Rule    Rule
	Matches bool
}

// Try returns for each rule in force whether it stops a destination, host:port, and the same of a pattern that is no
// rule yet, with the third-party agents that cannot apply it. An empty pattern stops nothing.
func (rs *Rules) Try(ctx context.Context, destination, pattern string) (trials []Trial, draft Trial, notHeldBy []string,
	err error,
) {
	draft.Rule = Rule{Name: "draft", Pattern: pattern}
	if pattern != "" {
		if err := checkRule(&draft.Rule); err != nil {
			return nil, draft, nil, err
		}
		draft.Matches = draft.Rule.stops(destination)
		notHeldBy = grammarOf(pattern).NotHeldBy()
	}
	rules, err := rs.InForce(ctx)
	for i := range rules {
		trials = append(trials, Trial{rules[i], rules[i].stops(destination)})
	}
	return trials, draft, notHeldBy, err
}

// stops reports whether the pattern, which was checked, matches a destination.
func (r *Rule) stops(destination string) bool {
	pattern, err := regexp.Compile(r.Pattern)
	return err == nil && pattern.MatchString(destination)
}

// Remove takes an audit rule out of force.
func (rs *Rules) Remove(ctx context.Context, id int64) error {
	return rs.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		was, err := ruleInForce(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model(&was).Set("removed_at = ?", rs.db.Now()).Set("revision = ?", revision).
			WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "node.rule.remove", audit.ID("audit_rule", id), was.recorded(), nil, "")
	})
}

// InForce returns the audit rules in force.
func (rs *Rules) InForce(ctx context.Context) ([]Rule, error) {
	var rules []Rule
	if err := rs.db.NewSelect().Model(&rules).Where("removed_at IS NULL").OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	return rules, addExempt(ctx, rs.db, rules)
}

// addExempt sets the exempt users of each rule.
func addExempt(ctx context.Context, idb bun.IDB, rules []Rule) error {
	var rows []struct{ RuleID, UserID int64 }
	if err := idb.NewRaw(`SELECT rule_id, user_id FROM rule_exemption ORDER BY rule_id, user_id`).
		Scan(ctx, &rows); err != nil {
		return err
	}
	by := map[int64][]int64{}
	for _, r := range rows {
		by[r.RuleID] = append(by[r.RuleID], r.UserID)
	}
	for i := range rules {
		rules[i].Exempt = by[rules[i].ID]
	}
	return nil
}

// since returns the rules in force if any rule was added, changed or removed after the revision; changed reports
// whether.
func (rs *Rules) since(ctx context.Context, since int64) (rules []Rule, changed bool, err error) {
	if changed, err = rs.db.NewSelect().Model((*Rule)(nil)).Where("revision > ?", since).Exists(ctx); err != nil ||
		!changed {
		return nil, false, err
	}
	rules, err = rs.InForce(ctx)
	return rules, true, err
}
