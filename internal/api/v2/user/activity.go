package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type loginIP struct {
	ID        *string       `json:"id" doc:"Always null"`
	UserID    int64         `json:"user_id"`
	LoginIP   string        `json:"login_ip"`
	CreatedAt time.Time     `json:"created_at"`
	IsLogin   bool          `json:"is_login" doc:"False: somebody tried and was refused"`
	Wrong     account.Wrong `json:"wrong" enum:",password,email_code,two_factor" doc:"What a refused try had wrong"`
	Area      string        `json:"area" doc:"Country or region, ISO 3166-1; ZZ where unknown" example:"JP"`
	DeviceResult
}

type activityItem struct {
	ActivityID   int64                `json:"activity_id"`
	ActivityType account.ActivityKind `json:"activity_type" enum:"signed_up,signed_in,signed_out,session_ended,other_sessions_ended,password_changed,email_changed,two_factor_on,two_factor_off,recovery_codes_made,recovery_code_used,passkey_added,passkey_removed,passkey_suspected,profile_changed,sign_in_token_made,staff_signed_in,telegram_linked,telegram_unlinked,api_token_made,api_token_revoked,refresh_token_reused"`
	Description  string               `json:"description" doc:"The type in words"`
	Timestamp    time.Time            `json:"timestamp"`
	PlaceResult
}

type activityResult struct {
	TotalCount int64          `json:"total_count"`
	Activities []activityItem `json:"activities"`
}

type activityQuery struct {
	Page int64 `query:"page" minimum:"1" maximum:"100000" default:"1"`
	Size int64 `query:"size" minimum:"1" maximum:"100" default:"20"`
}

// What happened, in words.
var activityTexts = map[account.ActivityKind]fault.Text{
	account.SignedUp:           {ZH: "创建账号", EN: "Account created"},
	account.SignedIn:           {ZH: "登录", EN: "Signed in"},
	account.SignedOut:          {ZH: "退出登录", EN: "Signed out"},
	account.SessionEnded:       {ZH: "让一台设备退出登录", EN: "Signed a device out"},
	account.OtherSessionsEnded: {ZH: "让其他设备全部退出登录", EN: "Signed all other devices out"},
	account.PasswordChanged:    {ZH: "修改密码", EN: "Password changed"},
	account.EmailChanged:       {ZH: "更换邮箱", EN: "E-mail address changed"},
	account.TwoFactorOn:        {ZH: "开启两步验证", EN: "Two-step sign-in turned on"},
	account.TwoFactorOff:       {ZH: "关闭两步验证", EN: "Two-step sign-in turned off"},
	account.RecoveryCodesMade:  {ZH: "生成新的恢复码", EN: "New recovery codes made"},
	account.SignInTokenMade:    {ZH: "客服创建了一次性登录链接", EN: "Support made a link to sign in once as you"},
	account.StaffSignedIn:      {ZH: "客服以你的身份查看了网站", EN: "Support saw the site as you do"},
	account.RecoveryCodeUsed:   {ZH: "使用了一个恢复码", EN: "A recovery code was used"},
	account.PasskeyAdded:       {ZH: "添加通行密钥", EN: "A passkey was added"},
	account.PasskeyRemoved:     {ZH: "移除通行密钥", EN: "A passkey was removed"},
	account.PasskeySuspected:   {ZH: "通行密钥疑似被复制，已停用", EN: "A passkey may have been copied and was disabled"},
	account.TelegramLinked:     {ZH: "绑定 Telegram", EN: "Telegram linked"},
	account.TelegramUnlinked:   {ZH: "解除绑定 Telegram", EN: "Telegram unlinked"},
	account.APITokenMade:       {ZH: "创建 API 令牌", EN: "API token made"},
	account.APITokenRevoked:    {ZH: "撤销 API 令牌", EN: "API token revoked"},
	account.RefreshTokenReused: {ZH: "登录凭证被重复使用，该登录已结束", EN: "A used sign-in token came again; its session was ended"},
	account.ProfileChanged:     {ZH: "修改个人资料", EN: "Profile changed"},
}

// Activity adds what happened to an account: sign-ins and refused tries with their addresses, and the user's own deeds.
func Activity(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.UserOp("GET /user/account/login-ip-log").OpenToVisits().
			Named("account_login_ip_log",
				"The newest 100 sign-ins and refused tries of the last 90 days, newest first"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) ([]loginIP, error) {
				history, err := a.History.SignIns(ctx, who.UserID)
				list := make([]loginIP, len(history))
				for i, h := range history {
					p := placeOf(h.Origin)
					list[i] = loginIP{nil, who.UserID, h.IP, h.At, h.Wrong == "", h.Wrong, p.Area, p.DeviceResult}
				}
				return list, err
			})
		v2.Handle(r, v2.UserOp("GET /user/account/activity").OpenToVisits().
			Named("account_activity", "What happened to the account in the last year, newest first"),
			func(ctx context.Context, who account.Identity, in *activityQuery) (activityResult, error) {
				all, total, err := a.History.Activity(ctx, who.UserID, in.Size, (in.Page-1)*in.Size)
				out := activityResult{total, make([]activityItem, len(all))}
				for i, one := range all {
					out.Activities[i] = activityItem{
						one.ID, one.Kind,
						activityTexts[one.Kind].In(api.CallerOf(ctx).Lang), one.At, placeOf(one.Origin),
					}
				}
				return out, err
			})
	}
}
