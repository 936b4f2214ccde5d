package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/cdkey"
	"airstrip/internal/fault"
)

type redemptionRecord struct {
	No        int64     `json:"no"`
	CreatedAt time.Time `json:"created_at"`
	CDKey     string    `json:"cd_key" doc:"The key's first characters"`
	v2.Gift
	PlanName  *string `json:"plan_name,omitempty"`
	ServiceID *int64  `json:"service_id,omitempty" doc:"The service that it began or prolonged"`
	PackageID *int64  `json:"package_id,omitempty" doc:"The package that it brought"`
}

type redemptionList struct {
	Records    []redemptionRecord `json:"records" doc:"Newest first"`
	TotalCount int64              `json:"total_count"`
}

func newRedemptionRecord(r *cdkey.Redemption) redemptionRecord {
	return redemptionRecord{r.ID, r.CreatedAt, r.Prefix, v2.NewGift(r.Gift), r.PlanName, r.ServiceID, r.PackageID}
}

// CDKeys adds redeeming cd-keys.
func CDKeys(k *cdkey.Keys) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("POST /user/wallet/cd-key/{cd_key}").
			Named("cd_key_redeem",
				"Redeem a cd-key; spaces, dashes and case do not matter. 404 cd_key_invalid for any that cannot be "+
					"redeemed, after ten of those in an hour 429").WithKey().
			Answering(fault.Text{ZH: "兑换成功", EN: "Redeemed"}),
			func(ctx context.Context, who account.Identity, in *struct {
				Key string `path:"cd_key" maxLength:"200"`
			},
			) (redemptionRecord, error) {
				redeemed, err := k.Redeem(ctx, who.UserID, in.Key)
				if err != nil {
					return redemptionRecord{}, err
				}
				return newRedemptionRecord(redeemed), nil
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		history := func(ctx context.Context, who account.Identity, in *part) (redemptionList, error) {
			redemptions, total, err := k.Redemptions(ctx, who.UserID, in.Limit, in.Offset)
			out := redemptionList{[]redemptionRecord{}, total}
			for i := range redemptions {
				out.Records = append(out.Records, newRedemptionRecord(&redemptions[i]))
			}
			return out, err
		}
		v2.Handle(r, v2.UserOp("GET /user/wallet/cd-key").OpenToVisits().
			Named("cd_key_list", "The cd-keys that the user redeemed"), history)
		v2.Handle(r, v2.UserOp("GET /user/wallet/cd-key/cd-key").OpenToVisits().
			Named("cd_key_history", "The same as the list one level up, where the original has it"), history)
	}
}
