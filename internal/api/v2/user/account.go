package user

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/token"
)

type userIndexResult struct {
	UserID     int64      `json:"user_id"`
	AccessType token.Role `json:"access_type" doc:"The role in the token"`
	TokenType  token.Type `json:"token_type"`
	IssuedAt   int64      `json:"issued_at" doc:"Unix time of the access token"`
	ExpiresAt  int64      `json:"expires_at" doc:"Unix time of the access token's end; in 2099 where it has none"`
}

type getMeResult struct {
	UserID              int64        `json:"user_id"`
	UserNewID           uuid.UUID    `json:"user_new_id"`
	Email               string       `json:"email" format:"email"`
	UserName            string       `json:"user_name"`
	IsBan               bool         `json:"is_ban"`
	Ban                 *banResult   `json:"ban" doc:"Why there is no service; null: the user is not banned"`
	TgID                *int64       `json:"tg_id" doc:"The linked Telegram account"`
	UserAccountExpireIn time.Time    `json:"user_account_expire_in" doc:"Accounts do not expire: a day far off, kept for older clients"`
	StaffRole           account.Role `json:"staff_role" doc:"owner, admin, finance, support, viewer or the name of another role; empty for users, and while a ban runs"`
	StaffTwoFactorDue   bool         `json:"staff_two_factor_due" doc:"Whether staff_role takes effect only once the user has a second factor"`
	InviteCode          string       `json:"invite_code" doc:"The user's own, to bring others in"`
}

type accountMeResult struct {
	UserID         int64      `json:"user_id"`
	UserNewID      uuid.UUID  `json:"user_new_id"`
	Email          string     `json:"email"`
	UserName       string     `json:"user_name"`
	CreatedAt      time.Time  `json:"created_at"`
	LastLogin      *time.Time `json:"last_login"`
	IsVerified     bool       `json:"is_verified" doc:"Whether the e-mail address was confirmed with a code"`
	TelegramLinked bool       `json:"telegram_linked"`
}

type signInRecord struct {
	LoginTime int64  `json:"login_time" doc:"Unix time"`
	IPAddress string `json:"ip_address"`
	UserAgent string `json:"user_agent"`
	Succeeded bool   `json:"succeeded" doc:"False for a wrong password"`
}

type changePasswordBody struct {
	CurrentPassword string `json:"current_password" maxLength:"1024"`
	NewPassword     string `json:"new_password" doc:"8 to 128 characters, not among the most common"`
}

type banResult struct {
	Reason string     `json:"reason" doc:"What staff wrote for the user; may be empty"`
	Until  *time.Time `json:"until" doc:"null: until staff ends it"`
}

func showBan(ctx context.Context, a *account.Accounts, u account.User) (*banResult, error) {
	if !u.Banned() {
		return nil, nil
	}
	task, err := a.Bans.Running(ctx, u.ID)
	if err != nil || task == nil {
		return nil, err
	}
	return &banResult{task.Reason, task.EndsAt}, nil
}

type profileBody struct {
	UserName string `json:"user_name" doc:"1 to 32 characters"`
}

// noExpiry is what older clients want to read when an account, or a token without an end, ends.
var noExpiry = time.Date(2099, 12, 31, 0, 0, 0, 0, time.UTC)

// Account adds what signed-in users see and change of themselves.
func Account(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user").OpenToVisits().
			Named("user_index", "What the access token says"),
			func(_ context.Context, who account.Identity, _ *v2.Empty) (userIndexResult, error) {
				expires := who.ExpiresAt
				if expires.IsZero() {
					expires = noExpiry
				}
				return userIndexResult{who.UserID, token.User, token.Access, who.IssuedAt.Unix(), expires.Unix()}, nil
			})
		v2.Handle(r, v2.UserOp("GET /user/get_me").OpenToVisits().
			Named("user_get_me", "Who is signed in"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (getMeResult, error) {
				u, err := a.User(ctx, who.UserID)
				if err != nil {
					return getMeResult{}, err
				}
				ban, err := showBan(ctx, a, u)
				role := u.Role
				if u.Banned() {
					role = "" // no permission while the ban runs
				}
				return getMeResult{
					u.ID, u.UUID, u.Email, u.Name, u.Banned(), ban, u.TelegramID, noExpiry, role,
					errors.Is(who.Refusal(), account.ErrStaffTwoFactor), u.InviteCode,
				}, err
			})
		v2.Handle(r, v2.UserOp("GET /user/account/me").OpenToVisits().
			Named("account_me", "The user's account"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (accountMeResult, error) {
				u, err := a.User(ctx, who.UserID)
				return accountMeResult{
					u.ID, u.UUID, u.Email, u.Name, u.CreatedAt, u.SignedInAt,
					u.EmailVerifiedAt != nil, u.TelegramID != nil,
				}, err
			})
		v2.Handle(r, v2.UserOp("GET /user/account/login-history").OpenToVisits().
			Named("account_login_history", "The newest 100 sign-ins, failed ones too, newest first"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) ([]signInRecord, error) {
				history, err := a.History.SignIns(ctx, who.UserID)
				records := make([]signInRecord, len(history))
				for i, h := range history {
					records[i] = signInRecord{h.At.Unix(), h.IP, h.UserAgent, h.Wrong == ""}
				}
				return records, err
			})
		// the original has both
		for path, id := range map[string]string{
			"change-password": "account_change_password",
			"edit-password":   "account_edit_password",
		} {
			v2.Handle(r, v2.UserOp("POST "+"/user/account/"+path).
				Named(id, "Change the password; ends all sessions and begins a new one for this device").
				Answering(fault.Text{ZH: "密码已修改", EN: "The password was changed"}),
				func(ctx context.Context, who account.Identity, in *v2.Body[changePasswordBody]) (v2.TokensResult,
					error,
				) {
					g, err := a.Credentials.ChangePassword(ctx, who, in.Body.CurrentPassword, in.Body.NewPassword,
						v2.ClientOf(ctx))
					return v2.TokensOf(g), err
				})
		}
		v2.Handle(r, v2.UserOp("POST /user/account/edit-profile").
			Named("account_edit_profile", "Change the name; tokens have it from the next refresh on").
			Answering(fault.Text{ZH: "资料已保存", EN: "Your profile was saved"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[profileBody]) (v2.Empty, error) {
				return v2.Empty{}, fieldsCalled(a.Rename(ctx, who.UserID, in.Body.UserName, v2.ClientOf(ctx)), "name",
					"user_name")
			})
	}
}
