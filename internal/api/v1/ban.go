package v1

import (
	"net/http"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// Ban adds the routes by which staff bans users for a time and frees them.
func (r *Router) Ban(a *account.Accounts) {
	roles := []account.Role{account.Owner, account.Admin, account.Support}
	r.staff("POST /v1/admin/user_ban_task_insert", roles, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		userID, err := in.number("user_ban_task_insert", "user_id")
		if err != nil {
			return Answer{}, err
		}
		start, end, err := in.term("user_ban_task_insert")
		if err != nil {
			return Answer{}, err
		}
		task := account.BanTask{
			AccountID: userID, StartsAt: start, EndsAt: &end, Reason: "管理员禁封用户", Remark: in.Get("remark"),
			Mail: in.Get("is_need_send_email") == "" || in.yes("is_need_send_email"),
		}
		if in.Has("ban_context") {
			task.Reason = in.Get("ban_context")
		}
		if task, err = a.Ban(req.Context(), task, who); err != nil {
			return Answer{}, err
		}
		return done(req, map[string]any{
			"id": task.ID, "user_id": task.AccountID, "task_start_at": task.StartsAt, "task_end_at": task.EndsAt,
			"is_need_send_email": task.Mail, "ban_context": task.Reason, "remark": task.Remark,
		}), nil
	})
	r.staff("POST /v1/admin/user_ban_task_unban", roles, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		userID, err := in.number("user_ban_task_unban", "user_id")
		if err != nil {
			return Answer{}, err
		}
		ended, err := a.Unban(req.Context(), userID, who)
		return done(req, map[string]any{"user_id": userID, "ended": ended}), err
	})
}

// done is an answer that older clients also read by is_success and message.
func done(req *http.Request, data any) Answer {
	msg := fault.Text{ZH: "操作成功", EN: "Done"}.In(api.CallerOf(req.Context()).Lang)
	return Answer{Msg: msg, Data: data, More: map[string]any{"is_success": true, "message": msg}}
}

// number gives the whole number called name, which operation needs.
func (in Input) number(operation, name string) (int64, error) {
	text, err := in.Need(operation, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.Invalid(name, "type", name+" 必须是整数", name+" must be a whole number")
	}
	return n, nil
}

// term gives when a ban begins, zero for now, and when it ends, which operation needs.
func (in Input) term(operation string) (start, end time.Time, err error) {
	if _, err := in.Need(operation, "task_end_at"); err != nil {
		return start, end, err
	}
	if start, err = in.time("task_start_at"); err != nil {
		return start, end, err
	}
	end, err = in.time("task_end_at")
	return start, end, err
}

// time gives the time called name: RFC 3339, or without a zone in UTC; zero where it is absent.
func (in Input) time(name string) (time.Time, error) {
	text := in.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	return readTime(name, text)
}

func readTime(name, text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.Invalid(name, "format", name+" 须为 RFC 3339 时间，如 2026-05-31T18:00:00Z", name+" must be a time as in RFC 3339, such as 2026-05-31T18:00:00Z")
}
