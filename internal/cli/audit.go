package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/audit"
)

type auditCommand struct {
	List auditList `cmd:"" help:"List what staff and the operator changed, newest first, as JSON."`
}

type auditList struct {
	Actor    int64     `help:"Only what the member with this number did, or the operator in their name; 0: everybody."`
	By       string    `help:"member, token or operator; all by default." enum:",member,token,operator" default:""`
	Action   string    `help:"Only this action, or all that begin so where it ends with a dot, such as node."`
	Object   string    `help:"Only what was done to objects of this kind, such as node."`
	ObjectID string    `name:"object-id" help:"Only what was done to the object of this number or name."`
	From     time.Time `help:"Not what is older, as 2026-05-31T18:00:00Z."`
	To       time.Time `help:"Only what is older."`
	part
}

func (c auditList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		entries, total, err := a.Audit.Find(ctx, audit.Filter{
			ActorID: c.Actor, Actor: audit.Kind(c.By), Action: c.Action, Object: c.Object, ObjectID: c.ObjectID,
			From: c.From, To: c.To, Limit: int64(c.Limit), Offset: int64(c.Offset),
		})
		if err != nil {
			return err
		}
		out := []map[string]any{}
		for _, e := range entries {
			out = append(out, map[string]any{
				"id": e.ID, "seq": e.Seq, "at": e.At,
				"actor": e.Actor, "actor_id": e.ActorID, "actor_role": e.ActorRole, "actor_name": e.ActorName,
				"address": e.Address, "request_id": e.RequestID,
				"action": e.Action, "object": e.Object, "object_id": e.ObjectID,
				"before": json.RawMessage(cmp.Or(e.Before, "null")), "after": json.RawMessage(cmp.Or(e.After, "null")),
				"reason": e.Reason,
			})
		}
		return printJSON(map[string]any{"total": total, "entries": out})
	})
}
