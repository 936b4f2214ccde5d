package cli

import (
	"context"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/node"
)

type ruleCommand struct {
	Add    ruleAdd    `cmd:"" help:"Add an audit rule: destinations that nodes refuse. They follow at once."`
	List   ruleList   `cmd:"" help:"List the audit rules as JSON."`
	Change ruleChange `cmd:"" help:"Change an audit rule; what is not given stays as it is."`
	Remove ruleRemove `cmd:"" help:"Lift an audit rule; its hits stay in the log."`
	Hits   ruleHits   `cmd:"" help:"List what the audit rules stopped as JSON, of whom and where, the newest first."`
}

type ruleAdd struct {
	Name    string  `arg:"" help:"Name that users see."`
	Pattern string  `arg:"" help:"RE2 regular expression of host:port, as (^|\\.)example\\.com:[0-9]+$ or :25$; third-party agents get it in their own grammar; NotHeldBy in the list names those that cannot apply it."`
	Text    string  `help:"What it blocks, in plain words."`
	Exempt  []int64 `help:"Ids of users whom it does not stop." sep:","`
}

func (c ruleAdd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		made, err := a.Nodes.Rules.Add(ctx, c.Name, c.Text, c.Pattern, c.Exempt...)
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type ruleList struct{}

func (ruleList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		rules, err := a.Nodes.Rules.InForce(ctx)
		if err != nil {
			return err
		}
		sums, err := a.Nodes.Rules.HitSums(ctx, 0)
		if err != nil {
			return err
		}
		type listed struct {
			node.Rule
			Hits      int64      // of all users, as far as the log goes back
			LastHitAt *time.Time // nil: never
			NotHeldBy []string   // third-party agents that cannot refuse all that it does
		}
		all := make([]listed, len(rules))
		for i, r := range rules {
			all[i] = listed{r, sums[r.ID].Count, sums[r.ID].LastAt, r.Grammar().NotHeldBy()}
		}
		return printJSON(all)
	})
}

type ruleChange struct {
	ID      int64   `arg:"" help:"Number of the rule, as the list has it."`
	Name    *string `help:"Name that users see."`
	Pattern *string `help:"RE2 regular expression of host:port."`
	Text    *string `help:"What it blocks, in plain words."`
	Exempt  []int64 `help:"Ids of users whom it does not stop, in place of the present ones; 0: nobody." sep:","`
}

func (c ruleChange) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		changed, err := a.Nodes.Rules.Change(ctx, c.ID, func(r *node.Rule) {
			set(&r.Name, c.Name)
			set(&r.Pattern, c.Pattern)
			set(&r.Text, c.Text)
			if c.Exempt != nil {
				r.Exempt = c.Exempt
			}
			if len(c.Exempt) == 1 && c.Exempt[0] == 0 {
				r.Exempt = nil
			}
		})
		if err != nil {
			return err
		}
		return printJSON(changed)
	})
}

type ruleRemove struct {
	ID int64 `arg:"" help:"Number of the rule, as the list has it."`
}

func (c ruleRemove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Nodes.Rules.Remove(ctx, c.ID) })
}

type ruleHits struct {
	User   int64  `help:"Number of the user, as the list of users has it; 0: all."`
	Rule   int64  `help:"Number of the rule, which may have been lifted; 0: all."`
	Node   int64  `help:"Number of the node; 0: all."`
	Limit  rows   `help:"How many at most." default:"500"`
	Offset offset `help:"How many of the newest to leave out." default:"0"`
}

func (c ruleHits) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		hits, total, err := a.Nodes.Rules.HitLog(ctx, node.HitFilter{UserID: c.User, RuleID: c.Rule, NodeID: c.Node},
			int64(c.Limit), int64(c.Offset))
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"total": total, "hits": append([]node.HitRecord{}, hits...)})
	})
}
