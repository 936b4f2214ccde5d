package v2

import (
	"context"
	"net/http"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

type nodeMoment struct {
	At      time.Time `json:"at" doc:"When the step began"`
	CPU     float64   `json:"cpu" doc:"Percent, on the average"`
	Memory  float64   `json:"memory"`
	UpBPS   int64     `json:"up_bps" doc:"Bytes a second, on the average"`
	DownBPS int64     `json:"down_bps"`
	Open    int64     `json:"connections"`
	Online  int64     `json:"online_users" doc:"The most at once"`
}

type nodeOutage struct {
	BeganAt time.Time  `json:"began_at" doc:"The last sign of life before it"`
	EndedAt *time.Time `json:"ended_at" nullable:"true" doc:"null: it lasts"`
}

type nodeHistory struct {
	StepMinutes int64        `json:"step_minutes"`
	Moments     []nodeMoment `json:"moments" doc:"Steps in which it said nothing are left out"`
	Outages     []nodeOutage `json:"outages" doc:"The newest first"`
}

type nodeOnline struct {
	UserID  int64     `json:"user_id"`
	IP      string    `json:"ip"`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

type heavyUser struct {
	UserID    int64  `json:"user_id"`
	Email     string `json:"email" doc:"Empty: the account is gone"`
	UpBytes   int64  `json:"up_bytes"`
	DownBytes int64  `json:"down_bytes"`
	Billed    int64  `json:"billed_bytes"`
}

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

// StaffNodes adds what staff does with nodes. install gives the line that makes a machine the node of that number.
func StaffNodes(nodes *node.Nodes, t *traffic.Traffic, install func(node int64, secret string) string) Resource {
	see, change := []account.Role{account.Owner, account.Admin, account.Support, account.Viewer}, []account.Role{account.Owner, account.Admin}
	show := func(ctx context.Context, chosen ...node.Node) ([]staffNode, error) {
		states, err := nodes.States(ctx)
		if err != nil {
			return nil, err
		}
		months, err := nodes.Months(ctx, chosen...)
		out := make([]staffNode, len(chosen))
		for i, n := range chosen {
			out[i] = newStaffNode(n, states[n.ID], nodes.Health(states[n.ID]), months[n.ID], nodes.Local())
		}
		return out, err
	}
	one := func(ctx context.Context, n node.Node) (staffNode, error) {
		shown, err := show(ctx, n)
		if err != nil {
			return staffNode{}, err
		}
		return shown[0], nil
	}
	type which struct {
		ID int64 `path:"node_id" minimum:"1"`
	}
	return func(r *Router) {
		type listQuery struct {
			Q        string `query:"q" maxLength:"100" doc:"In the name, the address, a tag or the remark"`
			Status   string `query:"status" enum:"online,late,offline" doc:"Absent: any"`
			Protocol string `query:"protocol" enum:"shadowsocks,vmess,vless,trojan,hysteria2,tuic,anytls" doc:"Absent: any"`
			Limit    int    `query:"limit" default:"50" minimum:"1" maximum:"500"`
			Offset   int    `query:"offset" default:"0" minimum:"0"`
		}
		handle(r, op{method: http.MethodGet, path: "/staff/nodes", id: "staff_nodes_list", tag: "staff", access: staff, roles: see, summary: "All nodes with their state, in their order"},
			func(ctx context.Context, _ account.Identity, in *listQuery) (staffNodePage, error) {
				all, err := nodes.List(ctx)
				if err != nil {
					return staffNodePage{}, err
				}
				states, err := nodes.States(ctx)
				if err != nil {
					return staffNodePage{}, err
				}
				var found []node.Node
				for _, n := range all {
					words := strings.ToLower(n.Name + "\n" + n.Address + "\n" + strings.Join(n.Tags, "\n") + "\n" + n.Remark)
					if strings.Contains(words, strings.ToLower(in.Q)) && (in.Status == "" || in.Status == string(nodes.Health(states[n.ID]))) && (in.Protocol == "" || in.Protocol == string(n.Protocol)) {
						found = append(found, n)
					}
				}
				page := found[min(in.Offset, len(found)):min(in.Offset+in.Limit, len(found))]
				shown, err := show(ctx, page...)
				return staffNodePage{len(found), shown}, err
			})
		handle(r, op{method: http.MethodGet, path: "/staff/nodes/{node_id}", id: "staff_node_get", tag: "staff", access: staff, roles: see, summary: "One node"},
			func(ctx context.Context, _ account.Identity, in *which) (staffNode, error) {
				n, err := nodes.Get(ctx, in.ID)
				if err != nil {
					return staffNode{}, err
				}
				return one(ctx, n)
			})
		handle(r, op{method: http.MethodPost, path: "/staff/nodes", id: "staff_node_add", tag: "staff", access: staff, roles: change, summary: "Add a node; keys and certificates that it needs and lacks are made"},
			func(ctx context.Context, _ account.Identity, in *body[newNodeBody]) (madeNode, error) {
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
		handle(r, op{method: http.MethodPatch, path: "/staff/nodes/{node_id}", id: "staff_node_change", tag: "staff", access: staff, roles: change, summary: "Change a node; its agent follows at once"},
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
		handle(r, op{method: http.MethodDelete, path: "/staff/nodes/{node_id}", id: "staff_node_remove", tag: "staff", access: staff, roles: change, summary: "Remove a node; what was counted on it stays"},
			func(ctx context.Context, _ account.Identity, in *which) (Empty, error) {
				return Empty{}, nodes.Remove(ctx, in.ID)
			})
		type secretWish struct {
			ID   int64 `path:"node_id" minimum:"1"`
			Body struct {
				HonourOldMinutes int `json:"honour_old_minutes,omitempty" minimum:"0" maximum:"43200" doc:"How long the present secret stays good"`
			}
		}
		handle(r, op{method: http.MethodPost, path: "/staff/nodes/{node_id}/secret", id: "staff_node_secret", tag: "staff", access: staff, roles: change, summary: "Give a node's agent another secret"},
			func(ctx context.Context, _ account.Identity, in *secretWish) (madeSecret, error) {
				secret, err := nodes.RotateSecret(ctx, in.ID, time.Duration(in.Body.HonourOldMinutes)*time.Minute)
				if err != nil {
					return madeSecret{}, err
				}
				return madeSecret{secret, install(in.ID, secret)}, nil
			})
		type historyQuery struct {
			ID    int64 `path:"node_id" minimum:"1"`
			Hours int64 `query:"hours" default:"24" minimum:"1" maximum:"2160"`
		}
		handle(r, op{method: http.MethodGet, path: "/staff/nodes/{node_id}/history", id: "staff_node_history", tag: "staff", access: staff, roles: see, summary: "How a node was in the last hours, in about 300 steps, and when it was away"},
			func(ctx context.Context, _ account.Identity, in *historyQuery) (nodeHistory, error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return nodeHistory{}, err
				}
				to := nodes.Local()
				from, step := to.Add(-time.Duration(in.Hours)*time.Hour), max(1, in.Hours*60/300)
				moments, err := nodes.History(ctx, in.ID, from, to.Add(time.Minute), step)
				if err != nil {
					return nodeHistory{}, err
				}
				outages, err := nodes.Outages(ctx, in.ID, from)
				out := nodeHistory{step, []nodeMoment{}, []nodeOutage{}}
				for _, m := range moments {
					out.Moments = append(out.Moments, nodeMoment{m.At, float64(m.CPUPermille) / 10, float64(m.MemoryPermille) / 10, m.UpBPS, m.DownBPS, m.Connections, m.OnlineUsers})
				}
				for _, o := range outages {
					out.Outages = append(out.Outages, nodeOutage{o.BeganAt, o.EndedAt})
				}
				return out, err
			})
		handleList(r, op{method: http.MethodGet, path: "/staff/nodes/{node_id}/online", id: "staff_node_online", tag: "staff", access: staff, roles: see[:3], summary: "The addresses that are connected to a node now"},
			func(ctx context.Context, _ account.Identity, in *which) (out []nodeOnline, err error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return nil, err
				}
				online, err := nodes.OnlineOn(ctx, in.ID)
				for _, o := range online {
					out = append(out, nodeOnline{o.UserID, o.IP, o.FirstAt, o.LastAt})
				}
				return out, err
			})
		type heavyQuery struct {
			ID    int64 `path:"node_id" minimum:"1"`
			Hours int   `query:"hours" default:"24" minimum:"1" maximum:"2160"`
			Limit int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
		}
		handleList(r, op{method: http.MethodGet, path: "/staff/nodes/{node_id}/users", id: "staff_node_users", tag: "staff", access: staff, roles: see[:3], summary: "The users who moved most on a node in the last hours"},
			func(ctx context.Context, _ account.Identity, in *heavyQuery) (out []heavyUser, err error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return nil, err
				}
				users, err := t.HeaviestOn(ctx, in.ID, nodes.Local().Add(-time.Duration(in.Hours)*time.Hour), in.Limit)
				for _, u := range users {
					out = append(out, heavyUser{u.UserID, u.Email, u.Up, u.Down, u.Billed})
				}
				return out, err
			})
		handle(r, op{method: http.MethodGet, path: "/staff/node-shared-key", id: "staff_shared_key", tag: "staff", access: staff, roles: change, summary: "Whether the one key of a panel before this one still opens all nodes"},
			func(ctx context.Context, _ account.Identity, _ *Empty) (sharedKey, error) {
				on, until, err := nodes.SharedKey(ctx)
				return sharedKey{on, until}, err
			})
		type sharedWish struct {
			Key   string     `json:"key" maxLength:"200" doc:"Empty: taken back"`
			Until *time.Time `json:"until,omitempty"`
		}
		handle(r, op{method: http.MethodPut, path: "/staff/node-shared-key", id: "staff_shared_key_set", tag: "staff", access: staff, roles: change[:1], summary: "Let the one key of a panel before this one open all nodes while their agents move, or take it back"},
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
		handleList(r, op{method: http.MethodGet, path: "/admin_api/old_ss_node_rebuild_vmess", id: "old_ss_node_rebuild_vmess", tag: "staff", access: staff, roles: change, summary: "Turn old Shadowsocks nodes into VMess ones"},
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
