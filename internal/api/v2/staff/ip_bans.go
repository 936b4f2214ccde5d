package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/ipban"
	"airstrip/internal/permission"
)

type ipBanList struct {
	Bans       []ipBanItem `json:"bans" doc:"That run or wait for their start, the newest first"`
	TotalCount int64       `json:"total_count"`
}

type ipBanItem struct {
	ID        int64     `json:"id"`
	Network   string    `json:"network" doc:"CIDR"`
	StartsAt  time.Time `json:"starts_at"`
	EndsAt    time.Time `json:"ends_at"`
	Reason    string    `json:"reason" doc:"Who is refused reads it"`
	Remark    string    `json:"remark"`
	MadeBy    *int64    `json:"made_by" nullable:"true"`
	MadeByWho string    `json:"made_by_email" doc:"Empty: not known"`
	CreatedAt time.Time `json:"created_at"`
}

type ipBanBody struct {
	Network  string     `json:"ip_cidr" minLength:"2" maxLength:"64" doc:"An address or a network" example:"203.0.113.0/24"`
	StartsAt *time.Time `json:"task_start_at,omitempty" doc:"Absent: now"`
	EndsAt   time.Time  `json:"task_end_at"`
	Reason   string     `json:"ban_context" minLength:"1" maxLength:"500" doc:"Who is refused reads it"`
	Remark   string     `json:"remark,omitempty" maxLength:"500" doc:"For staff"`
}

type freedNetwork struct {
	Ended int64 `json:"ended" doc:"Bans of exactly this network"`
}

// showIPBans names who made each ban.
func showIPBans(ctx context.Context, a *account.Accounts, bans ...ipban.Ban) ([]ipBanItem, error) {
	known, err := makersOf(ctx, a, bans, func(b *ipban.Ban) []*int64 { return []*int64{b.MadeBy} })
	items := make([]ipBanItem, len(bans))
	for i, b := range bans {
		items[i] = ipBanItem{
			b.ID, b.Network, b.StartsAt, b.EndsAt, b.Reason, b.Remark, b.MadeBy, known.emailOf(b.MadeBy), b.CreatedAt,
		}
	}
	return items, err
}

// IPBans adds, for staff, the networks whose requests are refused.
func IPBans(bans *ipban.Bans, a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/ip-bans", permission.NetworkBanRead).
			Named("staff_ip_bans", "The networks whose requests the site refuses"),
			func(ctx context.Context, _ account.Identity, in *part) (ipBanList, error) {
				list, total, err := bans.List(ctx, in.Limit, in.Offset)
				if err != nil {
					return ipBanList{}, err
				}
				items, err := showIPBans(ctx, a, list...)
				return ipBanList{items, total}, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/ip-bans", permission.NetworkBan).
			Named("staff_ip_ban", "Refuse the requests of a network for a time"),
			func(ctx context.Context, who account.Identity, in *v2.Body[ipBanBody]) (ipBanItem, error) {
				ban := ipban.Ban{
					Network: in.Body.Network, EndsAt: in.Body.EndsAt, Reason: in.Body.Reason, Remark: in.Body.Remark,
					MadeBy: &who.UserID,
				}
				if in.Body.StartsAt != nil {
					ban.StartsAt = *in.Body.StartsAt
				}
				made, err := bans.Add(ctx, ban, api.CallerOf(ctx).IP)
				if err != nil {
					return ipBanItem{}, err
				}
				items, err := showIPBans(ctx, a, made)
				return items[0], err
			})
		type freeBody struct {
			Network string `json:"ip_cidr" minLength:"2" maxLength:"64"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/ip-bans/free", permission.NetworkBan).
			Named("staff_ip_unban", "Let a network in again"),
			func(ctx context.Context, who account.Identity, in *v2.Body[freeBody]) (freedNetwork, error) {
				ended, err := bans.End(ctx, in.Body.Network, &who.UserID)
				return freedNetwork{ended}, err
			})
	}
}
