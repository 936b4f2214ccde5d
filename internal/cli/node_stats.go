package cli

import (
	"context"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/node"
)

// look prints what fn says of the node of a number, if there is one.
func look(ctx context.Context, cfg *app.Config, id int64, fn func(*app.App) (any, error)) error {
	return open(ctx, cfg, func(a *app.App) error {
		if _, err := a.Nodes.Get(ctx, id); err != nil {
			return err
		}
		out, err := fn(a)
		if err != nil {
			return err
		}
		return printJSON(out)
	})
}

type nodeHistory struct {
	ID    int64 `arg:"" help:"Number of the node, as the list has it."`
	Hours hours `help:"How far back, at most 2160." default:"24"`
}

func (c nodeHistory) Run(ctx context.Context, cfg *app.Config) error {
	return look(ctx, cfg, c.ID, func(a *app.App) (any, error) {
		to := a.Nodes.Limits.LocalTime()
		from, step := to.Add(-time.Duration(c.Hours)*time.Hour), max(1, int64(c.Hours)*60/300)
		moments, err := a.Nodes.Monitor.History(ctx, c.ID, from, to.Add(time.Minute), step)
		if err != nil {
			return nil, err
		}
		outages, err := a.Nodes.Monitor.Outages(ctx, c.ID, from)
		return map[string]any{"step_minutes": step, "moments": moments, "outages": append([]node.Outage{}, outages...)},
			err
	})
}

type nodeOnline struct {
	ID int64 `arg:"" help:"Number of the node, as the list has it."`
}

func (c nodeOnline) Run(ctx context.Context, cfg *app.Config) error {
	return look(ctx, cfg, c.ID, func(a *app.App) (any, error) {
		rows, err := a.Nodes.Presence.OnlineOn(ctx, c.ID)
		type online struct {
			UserID          int64
			IP              string
			FirstAt, LastAt time.Time
		}
		out := make([]online, len(rows))
		for i, o := range rows {
			out[i] = online{o.UserID, o.IP, o.FirstAt, o.LastAt}
		}
		return out, err
	})
}

type nodeUsers struct {
	ID    int64 `arg:"" help:"Number of the node, as the list has it."`
	Hours hours `help:"How far back, at most 2160." default:"24"`
	Limit rows  `help:"How many at most." default:"50"`
}

func (c nodeUsers) Run(ctx context.Context, cfg *app.Config) error {
	return look(ctx, cfg, c.ID, func(a *app.App) (any, error) {
		from := a.Nodes.Limits.LocalTime().Add(-time.Duration(c.Hours) * time.Hour)
		return a.Traffic.HeaviestOn(ctx, c.ID, from, int64(c.Limit))
	})
}

type nodeSpeedTests struct {
	ID int64 `arg:"" help:"Number of the node, as the list has it."`
}

func (c nodeSpeedTests) Run(ctx context.Context, cfg *app.Config) error {
	return look(ctx, cfg, c.ID, func(a *app.App) (any, error) { return a.Nodes.Monitor.SpeedTests(ctx, c.ID) })
}
