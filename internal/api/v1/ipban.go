package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/ipban"
)

// IPBan adds the routes by which staff refuses the requests of a network for a time, and lets it in again.
func (r *Router) IPBan(bans *ipban.Bans) {
	roles := []account.Role{account.Owner, account.Admin}
	r.staff("POST /v1/admin/request_ip_ban_task_insert", roles, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		cidr, err := in.Need("request_ip_ban_task_insert", "ip_cidr")
		if err != nil {
			return Answer{}, err
		}
		start, end, err := in.term("request_ip_ban_task_insert")
		if err != nil {
			return Answer{}, err
		}
		ban := ipban.Ban{Network: cidr, StartsAt: start, EndsAt: end, Reason: "管理员禁封IP", Remark: in.Get("remark"), MadeBy: &who.UserID}
		if in.Has("ban_context") {
			ban.Reason = in.Get("ban_context")
		}
		if ban, err = bans.Add(req.Context(), ban, api.CallerOf(req.Context()).IP); err != nil {
			return Answer{}, err
		}
		return done(req, map[string]any{
			"id": ban.ID, "ip_cidr": ban.Network, "task_start_at": ban.StartsAt, "task_end_at": ban.EndsAt, "ban_context": ban.Reason, "remark": ban.Remark,
		}), nil
	})
	r.staff("POST /v1/admin/request_ip_ban_task_unban", roles, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		cidr, err := in.Need("request_ip_ban_task_unban", "ip_cidr")
		if err != nil {
			return Answer{}, err
		}
		ended, err := bans.End(req.Context(), cidr, &who.UserID)
		return done(req, map[string]any{"ip_cidr": cidr, "ended": ended}), err
	})
}
