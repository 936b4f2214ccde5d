package cli

import (
	"context"

	"airstrip/internal/app"
	"airstrip/internal/traffic"
)

type nodeHeld struct {
	ID    int64 `arg:"" help:"Number of the node, as the list has it."`
	Limit rows  `help:"How many at most." default:"50"`
}

func (c nodeHeld) Run(ctx context.Context, cfg *app.Config) error {
	return look(ctx, cfg, c.ID, func(a *app.App) (any, error) {
		kept, _, err := a.Traffic.HeldBatches(ctx, traffic.HeldQuery{NodeID: c.ID, Limit: int64(c.Limit)})
		return kept, err
	})
}

type nodeCountHeld struct {
	Batch int64  `arg:"" help:"ID of the report, as airstrip node held has it."`
	Rate  int64  `help:"The rate in thousandths: 1500 bills one and a half bytes for each." required:""`
	Cycle string `help:"own: into the hour and the quota's cycle of its time; current: into the present ones." enum:"own,current" default:"own"`
	Note  string `help:"Why, for whoever reads it later."`
}

func (c nodeCountHeld) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		one := traffic.Decision{BatchID: c.Batch, Note: c.Note}
		_, refused, err := a.Traffic.CountHeld(ctx, one, c.Rate, c.Cycle == "own")
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"counted": c.Batch, "refused": refused})
	})
}

type nodeDismiss struct {
	Batch int64  `arg:"" help:"ID of the report, as airstrip node held has it."`
	Note  string `help:"Why, for whoever reads it later."`
}

func (c nodeDismiss) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Traffic.DismissHeld(ctx, traffic.Decision{BatchID: c.Batch, Note: c.Note})
		return err
	})
}
