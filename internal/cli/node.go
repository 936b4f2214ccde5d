package cli

import (
	"context"
	"errors"
	"maps"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/node"
)

type nodeCommand struct {
	Add         nodeAdd         `cmd:"" help:"Add a node and print its secret and the line that installs its agent, once. Keys and certificates that it needs and that are not given are made."`
	List        nodeList        `cmd:"" help:"List all nodes as JSON, with how they are and without their private keys."`
	Change      nodeChange      `cmd:"" help:"Change a node; its agent follows at once."`
	Remove      nodeRemove      `cmd:"" help:"Remove a node."`
	Secret      nodeSecret      `cmd:"" help:"Give a node another secret and print it and the line that installs its agent, once."`
	Blocked     nodeBlocked     `cmd:"" help:"List the addresses that all nodes block because one asked for it, as JSON, the newest first."`
	Unblock     nodeUnblock     `cmd:"" help:"Unblock an address before its day is over."`
	Shared      nodeShared      `cmd:"" help:"Accept the shared key of the panel before this one for all nodes of third-party agents during a migration; without a key, say whether one is set."`
	Deal        nodeDeal        `cmd:"" help:"Assign users to the link groups that nodes have."`
	History     nodeHistory     `cmd:"" help:"Say how a node was in the last hours, in steps of some minutes, and when it was away, as JSON."`
	Online      nodeOnline      `cmd:"" help:"List the addresses that are connected to a node now as JSON."`
	Users       nodeUsers       `cmd:"" help:"List the users who moved most on a node in the last hours as JSON."`
	Held        nodeHeld        `cmd:"" aliases:"kept" help:"List the reports of a node that were refused for their time and wait, or were decided on, as JSON."`
	Count       nodeCountHeld   `cmd:"" name:"count-held" aliases:"count-kept" help:"Count a report that was refused for its time, once."`
	Dismiss     nodeDismiss     `cmd:"" name:"dismiss-held" aliases:"dismiss-kept" help:"Decide that a report that was refused for its time is never counted."`
	Speed       nodeSpeedTests  `cmd:"" name:"speed-tests" help:"List how fast a node says it reaches the carriers as JSON, the newest first."`
	Certificate nodeCertificate `cmd:"" help:"Print the certificate that links pin, with its private key, for third-party agents, which read it from files."`
	Rebuild     nodeRebuild     `cmd:"" help:"Turn the Shadowsocks nodes of before its edition of 2022 into VMess ones; without --apply only list them."`
}

type nodeAdd struct {
	Protocol string `required:"" enum:"shadowsocks,vmess,vless,trojan,hysteria2,tuic,anytls" help:"shadowsocks, vmess, vless, trojan, hysteria2, tuic or anytls."`
	ID       int64  `name:"id" help:"The number that its agent has from another panel; the next one by default."`
	nodeFields
}

func (c nodeAdd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		n := node.Draft("", node.Protocol(c.Protocol), "", 0)
		n.ID = c.ID
		c.apply(&n)
		made, secret, err := a.Nodes.Add(ctx, n)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{
			"id": made.ID, "secret": secret, "protocol": made.Protocol, "port": made.Port,
			"install": a.Agents.Line(made.ID, secret),
		})
	})
}

type nodeList struct{}

func (nodeList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		nodes, err := a.Nodes.List(ctx)
		if err != nil {
			return err
		}
		states, err := a.Nodes.Monitor.States(ctx)
		if err != nil {
			return err
		}
		months, err := a.Nodes.Limits.Months(ctx, nodes...)
		if err != nil {
			return err
		}
		type listed struct {
			node.Node
			Status node.Health
			SeenAt *time.Time // nil: never
			Month  node.Month // of the quota
		}
		all := make([]listed, len(nodes))
		for i, n := range nodes {
			n.Private = nil
			state, heard := states[n.ID]
			all[i] = listed{Node: n, Status: state.Health(a.Nodes.Limits.LocalTime()), Month: months[n.ID]}
			if heard {
				all[i].SeenAt = &state.SeenAt
			}
		}
		return printJSON(all)
	})
}

type nodeChange struct {
	ID int64 `arg:"" help:"Number of the node, as the list has it."`
	nodeFields
}

func (c nodeChange) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Nodes.Change(ctx, c.ID, c.apply)
		return err
	})
}

type nodeRemove struct {
	ID int64 `arg:"" help:"Number of the node, as the list has it."`
}

func (c nodeRemove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Nodes.Remove(ctx, c.ID) })
}

type nodeSecret struct {
	ID        int64         `arg:"" help:"Number of the node, as the list has it."`
	HonourOld time.Duration `help:"How long the old secret still works." default:"0s"`
}

func (c nodeSecret) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		secret, err := a.Nodes.Secrets.Rotate(ctx, c.ID, c.HonourOld)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"id": c.ID, "secret": secret, "install": a.Agents.Line(c.ID, secret)})
	})
}

type nodeBlocked struct {
	Limit  rows   `help:"How many at most." default:"500"`
	Offset offset `help:"How many of the newest to leave out." default:"0"`
}

func (c nodeBlocked) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		rows, total, err := a.Nodes.Blocklist.List(ctx, node.BlockFilter{}, int64(c.Limit), int64(c.Offset))
		if err != nil {
			return err
		}
		type blocked struct {
			IP     string
			NodeID int64
			At     time.Time
		}
		out := make([]blocked, len(rows))
		for i, r := range rows {
			out[i] = blocked{r.IP, r.NodeID, r.At}
		}
		return printJSON(map[string]any{"total": total, "addresses": out})
	})
}

type nodeUnblock struct {
	IP string `arg:"" help:"The address."`
}

func (c nodeUnblock) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Nodes.Blocklist.Unblock(ctx, c.IP) })
}

type nodeShared struct {
	Key string        `help:"The key, at least 16 characters." xor:"key"`
	For time.Duration `help:"How long the key given works; 0: until it is taken back." default:"0s"`
	Off bool          `help:"Take it back." xor:"key"`
}

func (c nodeShared) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		if c.Key == "" && c.For != 0 {
			return errors.New("--for goes with --key")
		}
		if c.Key != "" || c.Off {
			var until time.Time
			if c.For != 0 {
				until = time.Now().Add(c.For)
			}
			if err := a.Nodes.Secrets.SetSharedKey(ctx, c.Key, until); err != nil {
				return err
			}
		}
		on, end, err := a.Nodes.Secrets.SharedKey(ctx)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"on": on, "until": end})
	})
}

type nodeDeal struct {
	Anew bool `help:"Assign everybody again, at random."`
}

func (c nodeDeal) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		assigned, err := a.Nodes.LinkGroups.Reassign(ctx, c.Anew)
		if err != nil {
			return err
		}
		groups := map[int]int{} // without link groups there is nobody to assign
		maps.Copy(groups, assigned.Users)
		return printJSON(map[string]any{"moved": assigned.Moved, "groups": groups})
	})
}

type nodeRebuild struct {
	Apply bool `help:"Do it; without it nothing is changed."`
}

func (c nodeRebuild) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		rows, err := a.Nodes.RebuildVMess(ctx, c.Apply)
		if err != nil {
			return err
		}
		type rebuilt struct {
			ID      int64
			Name    string
			Method  string // the cipher that it had
			Address string
			Port    int
		}
		out := make([]rebuilt, len(rows))
		for i, r := range rows {
			out[i] = rebuilt{r.Before.ID, r.Before.Name, r.Before.Settings.Method, r.After.Address, r.After.Port}
		}
		return printJSON(map[string]any{"applied": c.Apply, "nodes": out})
	})
}
