package v2

import (
	"context"
	"time"

	"airstrip/internal/account"
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
func BlockedIPs(nodes *node.Nodes) Resource {
	type part struct {
		Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64 `query:"offset" minimum:"0" default:"0"`
	}
	return func(r *Router) {
		handle(r, staffOp("GET /staff/blocked-ips", permission.BlockedRead).
			named("staff_blocked_ips", "Addresses that all nodes block because one asked for it"),
			func(ctx context.Context, _ account.Identity, in *part) (blockedIPs, error) {
				rows, total, err := nodes.BlockedIPs(ctx, in.Limit, in.Offset)
				out := blockedIPs{[]blockedIP{}, total}
				for _, b := range rows {
					out.Addresses = append(out.Addresses, blockedIP{b.IP, b.NodeID, b.At})
				}
				return out, err
			})
		handle(r, staffOp("POST /staff/blocked-ips/unblock", permission.BlockedLift).
			named("staff_ip_unblock", "Let an address go before its day is over"),
			func(ctx context.Context, _ account.Identity, in *body[unblockBody]) (Empty, error) {
				return Empty{}, nodes.UnblockIP(ctx, in.Body.IP)
			})
	}
}
