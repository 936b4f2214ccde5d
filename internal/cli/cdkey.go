package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/cdkey"
	"airstrip/internal/money"
)

type cdkeyCommand struct {
	Make    cdkeyMake    `cmd:"" help:"Make a batch of cd-keys and print them as CSV, once."`
	List    cdkeyList    `cmd:"" help:"List the batches as JSON, or the keys of one."`
	Confirm cdkeyConfirm `cmd:"" help:"Let a batch count that waits for a second member of staff."`
	Void    cdkeyVoid    `cmd:"" help:"Make a batch worthless, or one key of it."`
}

type cdkeyMake struct {
	Amount    string    `help:"Money that a key gives, as 10.00."`
	Plan      int64     `help:"Number of the plan that a key gives."`
	Months    int       `help:"Months of the plan."`
	TrafficGB float64   `name:"traffic-gb" help:"Traffic that a key gives in GB (1024³ bytes)."`
	Days      int       `help:"Days of the plan in addition to its months; of traffic: how long it lasts, 0: until it is used up."`
	Count     int       `default:"1" help:"How many keys."`
	MaxUses   int       `default:"1" help:"How many users may redeem each key."`
	PerUser   int       `help:"How many keys of the batch one user may redeem; 0: no limit."`
	Until     time.Time `help:"When the keys end, as 2026-12-31T16:00:00Z; without it never."`
	Name      string    `help:"Name of the batch, for staff."`
}

func (c cdkeyMake) gift() (g cdkey.Gift, err error) {
	switch {
	case c.Amount != "":
		g.Kind = cdkey.Amount
		if g.Amount, err = money.Parse(c.Amount); err != nil {
			return g, fmt.Errorf("--amount %q: %w", c.Amount, err)
		}
	case c.Plan != 0:
		g.Kind = cdkey.Plan
	default:
		g.Kind = cdkey.Traffic
	}
	g.PlanID, g.Months, g.Days = unless(c.Plan, 0), unless(c.Months, 0), unless(c.Days, 0)
	g.Bytes = unless(int64(c.TrafficGB*(1<<30)), 0)
	return g, nil
}

func (c cdkeyMake) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		g, err := c.gift()
		if err != nil {
			return err
		}
		b := cdkey.Batch{Name: c.Name, Gift: g, Size: c.Count, MaxUses: c.MaxUses, PerUser: unless(c.PerUser, 0)}
		if !c.Until.IsZero() {
			b.ExpiresAt = &c.Until
		}
		made, keys, err := a.CDKeys.Make(ctx, b, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "batch %d\n", made.ID)
		_, err = os.Stdout.WriteString(made.CSV(keys))
		return err
	})
}

type cdkeyList struct {
	Batch int64 `arg:"" optional:"" help:"Number of a batch."`
	part
}

func (c cdkeyList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		if c.Batch == 0 {
			batches, _, err := a.CDKeys.Batches(ctx, int64(c.Limit), int64(c.Offset))
			if err != nil {
				return err
			}
			return printJSON(batches)
		}
		_, keys, err := a.CDKeys.Batch(ctx, c.Batch, int64(c.Limit), int64(c.Offset))
		if err != nil {
			return err
		}
		out := []map[string]any{}
		for _, k := range keys {
			out = append(out, map[string]any{
				"id": k.ID, "prefix": k.Prefix, "used": k.Used, "max_uses": k.MaxUses,
				"voided_at": k.VoidedAt,
			})
		}
		return printJSON(out)
	})
}

type cdkeyConfirm struct {
	Batch int64 `arg:""`
}

func (c cdkeyConfirm) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.CDKeys.Confirm(ctx, c.Batch, nil) })
}

type cdkeyVoid struct {
	Batch int64 `arg:""`
	Key   int64 `arg:"" optional:"" help:"Number of one key, as the list has it."`
}

func (c cdkeyVoid) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		if c.Key != 0 {
			return a.CDKeys.VoidKey(ctx, c.Batch, c.Key, "")
		}
		return a.CDKeys.Void(ctx, c.Batch, nil, "")
	})
}
