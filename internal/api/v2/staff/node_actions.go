package staff

import (
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

type nodeAgentConfig struct {
	Config json.RawMessage `json:"config" doc:"As airstrip-node receives it, without secrets, and of its users the number alone"`
}

// BulkNodeChange is what a change of several nodes may set; exported because it is embedded.
type BulkNodeChange struct {
	Enabled *bool   `json:"enabled,omitempty"`
	Visible *bool   `json:"visible,omitempty"`
	Class   *int    `json:"class,omitempty"`
	GroupID *int    `json:"group_id,omitempty"`
	Rate    *string `json:"rate,omitempty" example:"1.5"`
}

type bulkNodeBody struct {
	IDs      []int64  `json:"ids" minItems:"1" maxItems:"500"`
	Versions []string `json:"versions,omitempty" maxItems:"500" doc:"That were read, one for each id in their order: a node that somebody changed since stays as it is. Absent: all are changed"`
	BulkNodeChange
}

type bulkNodeResult struct {
	ID      int64  `json:"id"`
	Changed bool   `json:"changed"`
	Problem string `json:"problem" doc:"Why it was not changed; empty: it was"`
	Version string `json:"version" doc:"Of the node as this made it; empty: it was not changed"`
}

type bulkNodeResults struct {
	Results []bulkNodeResult `json:"results" doc:"One for each id, in their order"`
}

// NodeActions adds, for staff, what is done to nodes from a list of them, and what one node gives its agent and the
// links. describe returns what the agent of a node receives.
func NodeActions(
	nodes *node.Nodes, links *link.Links, describe func(ctx context.Context, id int64) (any, error),
) v2.Resource {
	return func(r *v2.Router) {
		type silenceWish struct {
			ID   int64 `path:"node_id" minimum:"1"`
			Body struct {
				Hours int `json:"hours" minimum:"0" maximum:"720" doc:"From now on; 0: staff is told again"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/nodes/{node_id}/silence", permission.NodeSilence).
			Named("staff_node_silence", "Tell staff nothing of a node's outages and alarms for a time; they are recorded"),
			func(ctx context.Context, _ account.Identity, in *silenceWish) (v2.Empty, error) {
				return v2.Empty{}, nodes.Silences.Set(ctx, in.ID, time.Duration(in.Body.Hours)*time.Hour)
			})
		v2.Handle(r, v2.StaffOp("POST /staff/nodes/change-several", permission.NodeWrite).
			Named("staff_nodes_change", "Change several nodes; what cannot be changed is named, the others are"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[bulkNodeBody]) (bulkNodeResults, error) {
				c := in.Body.BulkNodeChange
				apply, err := NodeChange{
					Enabled: c.Enabled, Visible: c.Visible, Class: c.Class, GroupID: c.GroupID, Rate: c.Rate,
				}.read()
				if err != nil {
					return bulkNodeResults{}, err
				}
				out := bulkNodeResults{[]bulkNodeResult{}}
				read := in.Body.Versions
				if len(read) == 0 {
					read = make([]string, len(in.Body.IDs))
				}
				if len(read) != len(in.Body.IDs) {
					return bulkNodeResults{}, fault.Invalid("versions", "length", "每个节点须有一个版本",
						"There must be one version for each node")
				}
				for i, id := range in.Body.IDs {
					made, err := r.Edit(ctx, audit.ID("node", id), read[i], func(ctx context.Context) error {
						_, err := nodes.Change(ctx, id, apply)
						return err
					})
					refused, ok := fault.As(err)
					if err != nil && !ok {
						return out, err
					}
					row := bulkNodeResult{ID: id, Changed: err == nil, Version: made.Version}
					if ok {
						row.Version = ""
						row.Problem = refused.Text.In(api.CallerOf(ctx).Lang)
						for _, field := range refused.Fields {
							row.Problem += " · " + field.Text.In(api.CallerOf(ctx).Lang)
						}
					}
					out.Results = append(out.Results, row)
				}
				return out, nil
			})
		v2.Handle(r, v2.StaffOp("GET /staff/nodes/{node_id}/agent-config", permission.NodeRead).
			Named("staff_node_agent_config", "What a node's agent receives, without secrets"),
			func(ctx context.Context, _ account.Identity, in *v2.NodeID) (nodeAgentConfig, error) {
				told, err := describe(ctx, in.ID)
				if err != nil {
					return nodeAgentConfig{}, err
				}
				text, err := json.Marshal(told)
				return nodeAgentConfig{text}, err
			})
		type entryQuery struct {
			ID         int64  `path:"node_id" minimum:"1"`
			ClientType string `query:"client_type" required:"true" maxLength:"40" doc:"As in the link" example:"ClashMeta"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/nodes/{node_id}/link-entry", permission.NodeRead).
			Named("staff_node_link_entry", "A node's entries in the file of a client, with made-up secrets of a user"),
			func(ctx context.Context, _ account.Identity, in *entryQuery) (linkPreview, error) {
				n, err := nodes.Get(ctx, in.ID)
				if err != nil {
					return linkPreview{}, err
				}
				f, err := links.NodeEntries(n, in.ClientType, api.CallerOf(ctx).Lang)
				return linkPreview{string(f.Body), f.Type, f.Nodes, f.LeftOut, f.Suffix}, err
			})
	}
}
