package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
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
	CreatedAt time.Time `json:"created_at"`
}

// IPBans adds, for staff, the networks whose requests are refused; they are banned and freed under /v1/admin.
func IPBans(bans *ipban.Bans) v2.Resource {
	return func(r *v2.Router) {
		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/ip-bans", permission.NetworkBanRead).
			Named("staff_ip_bans", "The networks whose requests the site refuses"),
			func(ctx context.Context, _ account.Identity, in *part) (ipBanList, error) {
				list, total, err := bans.List(ctx, in.Limit, in.Offset)
				out := ipBanList{[]ipBanItem{}, total}
				for _, b := range list {
					out.Bans = append(out.Bans, ipBanItem{
						b.ID, b.Network, b.StartsAt, b.EndsAt, b.Reason, b.Remark,
						b.MadeBy, b.CreatedAt,
					})
				}
				return out, err
			})
	}
}
