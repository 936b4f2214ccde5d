package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/node"
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
	roles := []account.Role{account.Owner, account.Admin}
	type part struct {
		Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64 `query:"offset" minimum:"0" default:"0"`
	}
	return func(r *Router) {
		handle(r, op{method: http.MethodGet, path: "/staff/blocked-ips", id: "staff_blocked_ips", tag: "staff", access: staff, roles: roles, summary: "Addresses that all nodes block because one asked for it"},
			func(ctx context.Context, _ account.Identity, in *part) (blockedIPs, error) {
				rows, total, err := nodes.BlockedIPs(ctx, in.Limit, in.Offset)
				out := blockedIPs{[]blockedIP{}, total}
				for _, b := range rows {
					out.Addresses = append(out.Addresses, blockedIP{b.IP, b.NodeID, b.At})
				}
				return out, err
			})
		handle(r, op{method: http.MethodPost, path: "/staff/blocked-ips/unblock", id: "staff_ip_unblock", tag: "staff", access: staff, roles: roles, summary: "Let an address go before its day is over"},
			func(ctx context.Context, _ account.Identity, in *body[unblockBody]) (Empty, error) {
				return Empty{}, nodes.UnblockIP(ctx, in.Body.IP)
			})
	}
}
