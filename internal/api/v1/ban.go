package v1

import (
	"cmp"
	"net/http"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// Ban adds the routes by which staff bans users for a time and frees them.
func (r *Router) Ban(a *account.Accounts) {
	r.staff("POST /v1/admin/user_ban_task_insert", needs(permission.UserBan), params{
		need("user_id").as(integer), may("is_need_send_email").as(flag), may("ban_context", "reason"), may("remark"),
	}.and(term), func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		end := in.Time("task_end_at")
		task := account.BanTask{
			AccountID: in.Int("user_id"), StartsAt: in.Time("task_start_at"), EndsAt: &end,
			Reason: cmp.Or(strings.TrimSpace(in.Get("ban_context")), "管理员禁封用户"),
			Remark: in.Get("remark"), Mail: in.Get("is_need_send_email") == "" || in.Yes("is_need_send_email"),
		}
		task, err := a.Bans.Ban(req.Context(), task, who)
		if err != nil {
			return Answer{}, err
		}
		return done(req, map[string]any{
			"id": task.ID, "user_id": task.AccountID, "task_start_at": task.StartsAt, "task_end_at": task.EndsAt,
			"is_need_send_email": task.Mail, "ban_context": task.Reason, "remark": task.Remark,
		}), nil
	})
	r.staff("POST /v1/admin/user_ban_task_unban", needs(permission.UserBan), params{need("user_id").as(integer)},
		func(req *http.Request, who account.Identity, in Input) (Answer, error) {
			ended, err := a.Bans.Unban(req.Context(), in.Int("user_id"), who)
			return done(req, map[string]any{"user_id": in.Int("user_id"), "ended": ended}), err
		})
}

// term is when a ban begins, at once where it is absent, and when it ends.
var term = params{may("task_start_at").as(instant), need("task_end_at").as(instant)}

// done is an answer that older clients also read by is_success and message.
func done(req *http.Request, data any) Answer {
	msg := fault.Text{ZH: "操作成功", EN: "Done"}.In(api.CallerOf(req.Context()).Lang)
	return Answer{Msg: msg, Data: data, More: map[string]any{"is_success": true, "message": msg}}
}
