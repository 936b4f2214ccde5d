package user

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/shareaccount"
)

type shareAccounts struct {
	Total     int            `json:"total_accounts"`
	Available []shareAccount `json:"available_accounts"`
}

// shareAccount has the fields of the original, which knew shared proxies. An account of a third party has no method and
// no traffic, and its password is shown by an operation of its own, which is recorded.
type shareAccount struct {
	ID            int64      `json:"account_id"`
	Name          string     `json:"account_name"`
	Note          string     `json:"note" doc:"Plain text of staff; may be empty"`
	URL           string     `json:"url" doc:"Where to sign in; may be empty"`
	ServerAddress string     `json:"server_address" doc:"Host of url"`
	Port          int64      `json:"port" doc:"Port of url; 0 without one"`
	Password      string     `json:"password" doc:"Always empty: share_account_secret shows it"`
	Method        string     `json:"method" doc:"Always empty"`
	Protocol      string     `json:"protocol" doc:"Scheme of url"`
	MaxUsers      int64      `json:"max_users" doc:"Users who may see the present secret; 0: no limit"`
	CurrentUsers  int64      `json:"current_users" doc:"Users who saw the present secret"`
	TrafficLimit  int64      `json:"traffic_limit" doc:"Always 0"`
	TrafficUsed   int64      `json:"traffic_used" doc:"Always 0"`
	Status        string     `json:"status" enum:"available,full" doc:"full: nobody else may see the present secret"`
	ExpireTime    time.Time  `json:"expire_time" doc:"When the account or the user's right to it ends"`
	HasTOTP       bool       `json:"has_totp" doc:"Whether it has verification codes"`
	RotatedAt     time.Time  `json:"rotated_at" doc:"When the secret was last replaced"`
	SeenAt        *time.Time `json:"seen_at" nullable:"true" doc:"When the user last saw the secret"`
	IsReplaced    bool       `json:"is_replaced" doc:"The secret was replaced after the user saw it"`
}

type shareAccountSecret struct {
	Login    string `json:"login" doc:"User name at the service; may be empty"`
	Password string `json:"password"`
	HasTOTP  bool   `json:"has_totp"`
}

type shareAccountCode struct {
	Code        string    `json:"code"`
	SecondsLeft int64     `json:"seconds_left" doc:"For how long the code is good"`
	At          time.Time `json:"at" doc:"Time of the server"`
}

type shareAccountPath struct {
	ID int64 `path:"account_id" minimum:"1"`
}

func showShareAccount(ctx context.Context, o *shareaccount.Offer) shareAccount {
	lang := api.CallerOf(ctx).Lang
	out := shareAccount{
		ID: o.ID, Name: o.Names.In(lang, o.Name), Note: o.Notes.In(lang, o.Note), URL: o.URL, CurrentUsers: o.Users,
		Status: "available", ExpireTime: o.Until, HasTOTP: o.HasTOTP(), RotatedAt: o.RotatedAt, SeenAt: o.SeenAt,
		IsReplaced: o.Seen > 0 && o.Seen < o.Version,
	}
	if at, err := url.Parse(o.URL); err == nil && at.Host != "" {
		out.ServerAddress, out.Protocol = at.Hostname(), at.Scheme
		standard := map[string]string{"https": "443", "http": "80"}[at.Scheme]
		out.Port, _ = strconv.ParseInt(cmp.Or(at.Port(), standard), 10, 64)
	}
	if o.MaxUsers != nil {
		out.MaxUsers = *o.MaxUsers
		if o.Users >= *o.MaxUsers && o.Seen != o.Version {
			out.Status = "full"
		}
	}
	return out
}

// ShareAccounts adds the accounts of third-party services that the user's plan includes.
func ShareAccounts(shares *shareaccount.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/share-account").OpenToVisits().
			Named("share_accounts", "The share accounts that the user's plan includes, without their secrets"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (shareAccounts, error) {
				offers, err := shares.ListFor(ctx, who.UserID)
				out := shareAccounts{len(offers), []shareAccount{}}
				for i := range offers {
					out.Available = append(out.Available, showShareAccount(ctx, &offers[i]))
				}
				return out, err
			})
		v2.Handle(r, v2.UserOp("POST /user/services/share-account/{account_id}/secret").
			Named("share_account_secret", "Show the login and password of a share account; this is recorded"),
			func(ctx context.Context, who account.Identity, in *shareAccountPath) (shareAccountSecret, error) {
				c, err := shares.ShowSecret(ctx, who.UserID, in.ID, v2.ClientOf(ctx))
				return shareAccountSecret{c.Login, c.Password, c.HasTOTP}, err
			})
		v2.Handle(r, v2.UserOp("POST /user/services/share-account/{account_id}/code").
			Named("share_account_code", "Show the present verification code of a share account; this is recorded"),
			func(ctx context.Context, who account.Identity, in *shareAccountPath) (shareAccountCode, error) {
				p, err := shares.ShowCode(ctx, who.UserID, in.ID, v2.ClientOf(ctx))
				return shareAccountCode{p.Code, p.SecondsLeft, p.At}, err
			})
	}
}
