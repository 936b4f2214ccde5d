package v2

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

type sharedKey struct {
	On    bool       `json:"on"`
	Until *time.Time `json:"until" nullable:"true" doc:"null: until it is taken back"`
}

type rebuiltNode struct {
	NodeID     int64        `json:"node_id"`
	NodeName   string       `json:"node_name"`
	Method     string       `json:"method" doc:"The cipher it had"`
	VPNType    string       `json:"vpn_type" doc:"What it becomes"`
	NodeConfig nodeSettings `json:"node_config"`
	IsRebuilt  bool         `json:"is_rebuilt" doc:"false: a dry run"`
	ServerHost string       `json:"server_address"`
	ServerPort int          `json:"server_port"`
}

// StaffNodeMoves adds, for staff, what helps nodes of a panel before this one: their one key of all, and other protocols in
// the place of old ones.
func StaffNodeMoves(nodes *node.Nodes) Resource {
	return func(r *Router) {
		handle(r, staffOp("GET /staff/node-shared-key", permission.SharedKeyRead).
			named("staff_shared_key", "Whether the one key of a panel before this one still opens all nodes"),
			func(ctx context.Context, _ account.Identity, _ *Empty) (sharedKey, error) {
				on, until, err := nodes.SharedKey(ctx)
				return sharedKey{on, until}, err
			})
		type sharedWish struct {
			Key   string     `json:"key" maxLength:"200" doc:"Empty: taken back"`
			Until *time.Time `json:"until,omitempty"`
		}
		handle(r, staffOp("PUT /staff/node-shared-key", permission.SharedKeyWrite).
			named("staff_shared_key_set",
				"Let the one key of a panel before this one open all nodes while their agents move, or take it back"),
			func(ctx context.Context, _ account.Identity, in *body[sharedWish]) (sharedKey, error) {
				var until time.Time
				if in.Body.Until != nil {
					until = *in.Body.Until
				}
				if err := nodes.SetSharedKey(ctx, in.Body.Key, until); err != nil {
					return sharedKey{}, err
				}
				on, at, err := nodes.SharedKey(ctx)
				return sharedKey{on, at}, err
			})
		handleList(r, staffOp("GET /admin_api/old_ss_node_rebuild_vmess", permission.NodeWrite).
			named("old_ss_node_rebuild_vmess", "Turn old Shadowsocks nodes into VMess ones").changesByGET(),
			func(ctx context.Context, _ account.Identity, in *struct {
				Apply bool `query:"apply" doc:"Without it nothing is changed"`
			},
			) (out []rebuiltNode, err error) {
				rebuilt, err := nodes.RebuildVMess(ctx, in.Apply)
				for _, b := range rebuilt {
					out = append(out, rebuiltNode{b.Before.ID, b.Before.Name, b.Before.Settings.Method, string(b.After.Protocol), nodeSettings(b.After.Settings.Shown()), in.Apply, b.After.Address, b.After.Port})
				}
				return out, err
			})
	}
}
