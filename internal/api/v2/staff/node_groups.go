package staff

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

type nodeName struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type nodeGroup struct {
	Class   int        `json:"class" doc:"Users of this class and above may use these nodes; 0: of every class"`
	GroupID int        `json:"group_id" doc:"Users of this group may use these nodes; 0: of every group"`
	Nodes   []nodeName `json:"nodes"`
}

type linkGroupHost struct {
	Node nodeName `json:"node"`
	Host string   `json:"host"`
	Port int      `json:"port" doc:"0: the node's own"`
}

type linkGroup struct {
	Group int             `json:"group"`
	Users int64           `json:"users" doc:"Users who are assigned to it"`
	Hosts []linkGroupHost `json:"hosts" doc:"Where its users dial; of nodes that are not here they dial the address that all do"`
}

type relayEntry struct {
	Node nodeName  `json:"node" doc:"To which it leads"`
	Name string    `json:"name"`
	Host string    `json:"host"`
	Port int       `json:"port"`
	By   *nodeName `json:"by,omitempty" doc:"The node whose agent relays; absent: something of the operator's"`
}

type nodeGroups struct {
	Groups     []nodeGroup  `json:"groups"`
	LinkGroups []linkGroup  `json:"link_groups"`
	Relays     []relayEntry `json:"relays"`
}

type dealtUsers struct {
	Moved int `json:"moved" doc:"Users who came into a link group or into another"`
}

// NodeGroups adds, for staff, who may use which nodes and through what they reach them, of all nodes together.
func NodeGroups(nodes *node.Nodes) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/node-groups", permission.NodeRead).
			Named("staff_node_groups", "The groups, link groups and relays of all nodes"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (nodeGroups, error) {
				all, err := nodes.List(ctx)
				if err != nil {
					return nodeGroups{}, err
				}
				users, err := nodes.LinkGroups.Counts(ctx)
				return nodeGroups{groupsOf(all), linkGroupsOf(all, users), relaysOf(all)}, err
			})
		type dealWish struct {
			Anew bool `json:"anew,omitempty" doc:"Assign everybody again, at random"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/link-groups/deal", permission.NodeWrite).
			Named("staff_link_groups_deal", "Assign users to the link groups that nodes have"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[dealWish]) (dealtUsers, error) {
				assigned, err := nodes.LinkGroups.Reassign(ctx, in.Body.Anew)
				return dealtUsers{assigned.Moved}, err
			})
	}
}

func nameOf(n *node.Node) nodeName { return nodeName{n.ID, n.Name} }

func groupsOf(all []node.Node) []nodeGroup {
	type key struct{ class, group int }
	by := map[key][]nodeName{}
	for i := range all {
		k := key{all[i].Class, all[i].GroupID}
		by[k] = append(by[k], nameOf(&all[i]))
	}
	out := []nodeGroup{}
	for k, names := range by {
		out = append(out, nodeGroup{k.class, k.group, names})
	}
	slices.SortFunc(out, func(a, b nodeGroup) int {
		return cmp.Or(cmp.Compare(a.GroupID, b.GroupID), cmp.Compare(a.Class, b.Class))
	})
	return out
}

// linkGroupsOf lists the groups that have a host or users.
func linkGroupsOf(all []node.Node, users map[int]int64) []linkGroup {
	hosts := map[int][]linkGroupHost{}
	for group := range users {
		hosts[group] = []linkGroupHost{}
	}
	for i := range all {
		for group, e := range all[i].GroupHosts {
			hosts[group] = append(hosts[group], linkGroupHost{nameOf(&all[i]), e.Host, e.Port})
		}
	}
	out := []linkGroup{}
	for _, group := range slices.Sorted(maps.Keys(hosts)) {
		out = append(out, linkGroup{group, users[group], hosts[group]})
	}
	return out
}

func relaysOf(all []node.Node) []relayEntry {
	names := map[int64]nodeName{}
	for i := range all {
		names[all[i].ID] = nameOf(&all[i])
	}
	out := []relayEntry{}
	for i := range all {
		for _, r := range all[i].Relays {
			entry := relayEntry{Node: nameOf(&all[i]), Name: r.Name, Host: r.Host, Port: r.Port}
			if by, ok := names[r.NodeID]; ok {
				entry.By = &by
			}
			out = append(out, entry)
		}
	}
	return out
}
