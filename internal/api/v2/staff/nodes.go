package staff

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

// Nodes adds the nodes for staff, who add, change and remove them. install gives the line that makes a machine the
// node of that number.
func Nodes(nodes *node.Nodes, install func(node int64, secret string) string) v2.Resource {
	show := func(ctx context.Context, states map[int64]node.State, chosen ...node.Node) ([]staffNode, error) {
		now := nodes.Limits.LocalTime()
		months, err := nodes.Limits.Months(ctx, chosen...)
		if err != nil {
			return nil, err
		}
		silences, err := nodes.Silences.All(ctx)
		out := make([]staffNode, len(chosen))
		for i, n := range chosen {
			out[i] = newStaffNode(n, states[n.ID], months[n.ID], now)
			if until, silenced := silences[n.ID]; silenced {
				out[i].SilencedUntil = &until
			}
		}
		return out, err
	}
	one := func(ctx context.Context, n node.Node) (staffNode, error) {
		states, err := nodes.Monitor.States(ctx)
		if err != nil {
			return staffNode{}, err
		}
		shown, err := show(ctx, states, n)
		if err != nil {
			return staffNode{}, err
		}
		return shown[0], nil
	}
	get := func(ctx context.Context, id int64) (staffNode, error) {
		n, err := nodes.Get(ctx, id)
		if err != nil {
			return staffNode{}, err
		}
		return one(ctx, n)
	}
	return func(r *v2.Router) {
		type listQuery struct {
			Q        string `query:"q" maxLength:"100" doc:"In the name, the address, a tag or the remark"`
			Status   string `query:"status" enum:"online,late,offline" doc:"Absent: any"`
			Protocol string `query:"protocol" enum:"shadowsocks,vmess,vless,trojan,hysteria2,tuic,anytls" doc:"Absent: any"`
			Enabled  string `query:"enabled" enum:"true,false" doc:"Absent: any"`
			GroupID  string `query:"group_id" pattern:"^[0-9]{1,7}$" doc:"Of this group; absent: any"`
			Country  string `query:"country" pattern:"^[A-Z]{2}$" doc:"Absent: any"`
			Sort     string `query:"sort" enum:"name,-name,cpu,-cpu,users,-users,used,-used,rate,-rate" doc:"With a minus the largest first; absent: the order of links"`
			Limit    int    `query:"limit" default:"50" minimum:"1" maximum:"500"`
			Offset   int    `query:"offset" default:"0" minimum:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/nodes", permission.NodeRead).
			Named("staff_nodes_list", "All nodes with their state, in their order"),
			func(ctx context.Context, _ account.Identity, in *listQuery) (staffNodePage, error) {
				versions, err := r.Versions(ctx, "node")
				if err != nil {
					return staffNodePage{}, err
				}
				all, err := nodes.List(ctx)
				if err != nil {
					return staffNodePage{}, err
				}
				states, err := nodes.Monitor.States(ctx)
				if err != nil {
					return staffNodePage{}, err
				}
				var found []node.Node
				for _, n := range all {
					words := strings.ToLower(n.Name + "\n" + n.Address + "\n" + strings.Join(n.Tags, "\n") + "\n" +
						n.Remark)
					if strings.Contains(words, strings.ToLower(in.Q)) && (in.Status == "" ||
						in.Status == string(states[n.ID].Health(nodes.Limits.LocalTime()))) && (in.Protocol == "" ||
						in.Protocol == string(n.Protocol)) && (in.Enabled == "" ||
						in.Enabled == strconv.FormatBool(n.Enabled)) && (in.GroupID == "" ||
						in.GroupID == strconv.Itoa(n.GroupID)) && (in.Country == "" || in.Country == n.Country) {
						found = append(found, n)
					}
				}
				shown, err := show(ctx, states, found...)
				if err != nil {
					return staffNodePage{}, err
				}
				sortNodes(shown, in.Sort)
				shown = shown[min(in.Offset, len(shown)):]
				shown = shown[:min(in.Limit, len(shown))]
				for i := range shown {
					shown[i].Version = versions.Of(shown[i].ID)
				}
				return staffNodePage{len(found), shown}, nil
			})
		v2.Handle(r, v2.StaffOp("GET /staff/nodes/{node_id}", permission.NodeRead).
			Named("staff_node_get", "One node"),
			func(ctx context.Context, _ account.Identity, in *v2.NodeID) (staffNode, error) {
				version, err := r.Version(ctx, audit.ID("node", in.ID))
				if err != nil {
					return staffNode{}, err
				}
				shown, err := get(ctx, in.ID)
				shown.Version = version
				return shown, err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/nodes", permission.NodeWrite).
			Named("staff_node_add", "Add a node; keys and certificates that it needs and lacks are made"), "node",
			func(ctx context.Context, _ account.Identity, in *v2.Body[newNodeBody]) (madeNode, error) {
				apply, err := in.Body.read()
				if err != nil {
					return madeNode{}, err
				}
				n := node.Draft("", in.Body.Protocol, "", 0)
				n.ID = in.Body.ID
				apply(&n)
				made, secret, err := nodes.Add(ctx, n)
				if err != nil {
					return madeNode{}, err
				}
				shown, err := one(ctx, made)
				return madeNode{shown, secret, install(made.ID, secret)}, err
			})
		type nodeWish struct {
			ID   int64 `path:"node_id" minimum:"1"`
			Body NodeChange
		}
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/nodes/{node_id}", permission.NodeWrite).
			Named("staff_node_change", "Change a node; its agent follows at once"),
			func(in *nodeWish) audit.Object { return audit.ID("node", in.ID) },
			func(ctx context.Context, in *nodeWish) (staffNode, error) { return get(ctx, in.ID) },
			func(ctx context.Context, _ account.Identity, in *nodeWish) (staffNode, error) {
				apply, err := in.Body.read()
				if err != nil {
					return staffNode{}, err
				}
				made, err := nodes.Change(ctx, in.ID, apply)
				if err != nil {
					return staffNode{}, err
				}
				return one(ctx, made)
			})
		type removal struct {
			ID     int64  `path:"node_id" minimum:"1"`
			Reason string `query:"reason" maxLength:"500" doc:"For the audit log"`
		}
		v2.Handle(r, v2.StaffOp("DELETE /staff/nodes/{node_id}", permission.NodeWrite).
			Named("staff_node_remove", "Remove a node; what was counted on it stays"),
			func(ctx context.Context, _ account.Identity, in *removal) (v2.Empty, error) {
				return v2.Empty{}, nodes.Remove(audit.Because(ctx, in.Reason), in.ID)
			})
		v2.Handle(r, v2.StaffOp("POST /staff/nodes/{node_id}/certificate", permission.NodeCertificate).
			Named("staff_node_certificate",
				"The certificate that links pin, with its private key, for third-party agents, which take it from files"),
			func(ctx context.Context, who account.Identity, in *v2.NodeID) (nodeCertificate, error) {
				cert, err := nodes.Certificate(ctx, in.ID)
				if err == nil {
					slog.WarnContext(ctx, "staff took a node's certificate and private key", "node", in.ID, "staff",
						who.UserID)
				}
				return nodeCertificate(cert), err
			})
		type secretWish struct {
			ID   int64 `path:"node_id" minimum:"1"`
			Body struct {
				HonourOldMinutes int    `json:"honour_old_minutes,omitempty" minimum:"0" maximum:"43200" doc:"How long the present secret stays good"`
				Reason           string `json:"reason,omitempty" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/nodes/{node_id}/secret", permission.NodeSecretRotate).
			Named("staff_node_secret", "Give a node's agent another secret"),
			func(ctx context.Context, _ account.Identity, in *secretWish) (madeSecret, error) {
				ctx = audit.Because(ctx, in.Body.Reason)
				secret, err := nodes.Secrets.Rotate(ctx, in.ID, time.Duration(in.Body.HonourOldMinutes)*time.Minute)
				if err != nil {
					return madeSecret{}, err
				}
				return madeSecret{secret, install(in.ID, secret)}, nil
			})
	}
}
