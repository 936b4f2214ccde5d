package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

type blockedIPs struct {
	Addresses  []blockedIP `json:"addresses" doc:"Newest first"`
	TotalCount int64       `json:"total_count"`
}

type blockedIP struct {
	IP        string    `json:"ip"`
	NodeID    int64     `json:"node_id" doc:"That asked all nodes to block it"`
	BlockedAt time.Time `json:"blocked_at"`
}

type unblockBody struct {
	IP string `json:"ip" minLength:"2" maxLength:"64"`
}

// BlockedIPs adds, for staff, the addresses that all nodes block because one asked for it.
func BlockedIPs(nodes *node.Nodes) v2.Resource {
	type part struct {
		Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64 `query:"offset" minimum:"0" default:"0"`
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/blocked-ips", permission.BlockedRead).
			Named("staff_blocked_ips", "Addresses that all nodes block because one asked for it"),
			func(ctx context.Context, _ account.Identity, in *part) (blockedIPs, error) {
				rows, total, err := nodes.Blocklist.List(ctx, in.Limit, in.Offset)
				out := blockedIPs{[]blockedIP{}, total}
				for _, b := range rows {
					out.Addresses = append(out.Addresses, blockedIP{b.IP, b.NodeID, b.At})
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
