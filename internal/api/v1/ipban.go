package v1

import (
	"cmp"
	"net/http"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/ipban"
	"airstrip/internal/permission"
)

// IPBan adds the routes by which staff refuses the requests of a network for a time, and lets it in again.
func (r *Router) IPBan(bans *ipban.Bans) {
	r.staff("POST /v1/admin/request_ip_ban_task_insert", needs(permission.NetworkBan), params{
		need("ip_cidr"), may("ban_context", "reason"), may("remark"),
	}.and(term), func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		ban := ipban.Ban{
			Network: in.Get("ip_cidr"), StartsAt: in.Time("task_start_at"), EndsAt: in.Time("task_end_at"),
			Reason: cmp.Or(strings.TrimSpace(in.Get("ban_context")), "管理员禁封IP"),
			Remark: in.Get("remark"), MadeBy: &who.UserID,
		}
		ban, err := bans.Add(req.Context(), ban, api.CallerOf(req.Context()).IP)
		if err != nil {
			return Answer{}, err
		}
		return done(req, map[string]any{
			"id": ban.ID, "ip_cidr": ban.Network, "task_start_at": ban.StartsAt, "task_end_at": ban.EndsAt,
			"ban_context": ban.Reason, "remark": ban.Remark,
		}), nil
	})
	r.staff("POST /v1/admin/request_ip_ban_task_unban", needs(permission.NetworkBan), params{need("ip_cidr")},
		func(req *http.Request, who account.Identity, in Input) (Answer, error) {
			ended, err := bans.End(req.Context(), in.Get("ip_cidr"), &who.UserID)
			return done(req, map[string]any{"ip_cidr": in.Get("ip_cidr"), "ended": ended}), err
		})
}
