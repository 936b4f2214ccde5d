package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
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

// NodeMigration adds, for staff, what helps nodes of a panel before this one: their one key of all, and other protocols
// in the place of old ones.
func NodeMigration(nodes *node.Nodes) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/node-shared-key", permission.SharedKeyRead).
			Named("staff_shared_key", "Whether the one key of a panel before this one still opens all nodes"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (sharedKey, error) {
				on, until, err := nodes.Secrets.SharedKey(ctx)
				return sharedKey{on, until}, err
			})
		type sharedWish struct {
			Key   string     `json:"key" maxLength:"200" doc:"Empty: taken back"`
			Until *time.Time `json:"until,omitempty"`
		}
		v2.Handle(r, v2.StaffOp("PUT /staff/node-shared-key", permission.SharedKeyWrite).
			Named("staff_shared_key_set",
				"Let the one key of a panel before this one open all nodes while their agents move, or take it back").
			WithoutVersion("nobody can read the key"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[sharedWish]) (sharedKey, error) {
				var until time.Time
				if in.Body.Until != nil {
					until = *in.Body.Until
				}
				if err := nodes.Secrets.SetSharedKey(ctx, in.Body.Key, until); err != nil {
					return sharedKey{}, err
				}
				on, at, err := nodes.Secrets.SharedKey(ctx)
				return sharedKey{on, at}, err
			})
		v2.HandleList(r, v2.StaffOp("GET /admin_api/old_ss_node_rebuild_vmess", permission.NodeWrite).
			Named("old_ss_node_rebuild_vmess", "Turn old Shadowsocks nodes into VMess ones").ChangesByGET(),
			func(ctx context.Context, _ account.Identity, in *struct {
				Apply bool `query:"apply" doc:"Without it nothing is changed"`
			},
			) ([]rebuiltNode, error) {
				return rebuild(ctx, nodes, in.Apply)
			})
		v2.HandleList(r, v2.StaffOp("GET /staff/nodes/rebuild", permission.NodeRead).
			Named("staff_nodes_rebuild_preview", "The old Shadowsocks nodes, and the VMess ones that a rebuild makes of them"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) ([]rebuiltNode, error) {
				return rebuild(ctx, nodes, false)
			})
		v2.HandleList(r, v2.StaffOp("POST /staff/nodes/rebuild", permission.NodeWrite).
			Named("staff_nodes_rebuild", "Turn all old Shadowsocks nodes into VMess ones, or none where one fails"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[reasonBody]) ([]rebuiltNode, error) {
				return rebuild(audit.Because(ctx, in.Body.Reason), nodes, true)
			})
	}
}

func rebuild(ctx context.Context, nodes *node.Nodes, apply bool) (out []rebuiltNode, err error) {
	rebuilt, err := nodes.RebuildVMess(ctx, apply)
	for _, b := range rebuilt {
		out = append(out, rebuiltNode{
			b.Before.ID, b.Before.Name, b.Before.Settings.Method, string(b.After.Protocol),
			nodeSettings(b.After.Settings.Shown()), apply, b.After.Address, b.After.Port,
		})
	}
	return out, err
}
