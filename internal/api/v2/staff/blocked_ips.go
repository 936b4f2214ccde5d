package staff

import (
	"context"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

type blockedIPs struct {
	Addresses  []blockedIP `json:"addresses" doc:"Newest first"`
	TotalCount int64       `json:"total_count"`
}

type blockedIP struct {
	ID        int64     `json:"id" doc:"Of the row, for the parameter before"`
	IP        string    `json:"ip"`
	NodeID    int64     `json:"node_id" doc:"That asked all nodes to block it"`
	NodeName  *string   `json:"node_name" nullable:"true" doc:"null: the node was removed"`
	BlockedAt time.Time `json:"blocked_at"`
}

type unblockBody struct {
	IP string `json:"ip" minLength:"2" maxLength:"64"`
}

// BlockedIPs adds, for staff, the addresses that all nodes block because one asked for it.
func BlockedIPs(nodes *node.Nodes) v2.Resource {
	type part struct {
		IP     string `query:"ip" maxLength:"64" doc:"How the address begins"`
		NodeID int64  `query:"node_id" minimum:"0" default:"0" doc:"Only those of this node; 0: of all"`
		Before int64  `query:"before" minimum:"0" default:"0" doc:"Only rows with a smaller id: the last one of the page before"`
		Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64  `query:"offset" minimum:"0" default:"0"`
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/blocked-ips", permission.BlockedRead).
			Named("staff_blocked_ips", "Addresses that all nodes block because one asked for it"),
			func(ctx context.Context, _ account.Identity, in *part) (blockedIPs, error) {
				rows, total, err := nodes.Blocklist.List(ctx, node.BlockFilter{
					IP: strings.ToLower(strings.TrimSpace(in.IP)), NodeID: in.NodeID, Before: in.Before,
				}, in.Limit, in.Offset)
				if err != nil {
					return blockedIPs{}, err
				}
				all, err := nodes.Registry.List(ctx)
				names := make(map[int64]*string, len(all))
				for i := range all {
					names[all[i].ID] = new(all[i].Names.In(api.CallerOf(ctx).Lang, all[i].Name))
				}
				out := blockedIPs{[]blockedIP{}, total}
				for _, b := range rows {
					out.Addresses = append(out.Addresses, blockedIP{b.ID, b.IP, b.NodeID, names[b.NodeID], b.At})
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/blocked-ips/unblock", permission.BlockedLift).
			Named("staff_ip_unblock", "Let an address go before its day is over"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[unblockBody]) (v2.Empty, error) {
				return v2.Empty{}, nodes.Blocklist.Unblock(ctx, in.Body.IP)
			})
	}
}
