package user

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
)

type dashboard struct {
	UserID         int64           `json:"user_id"`
	UserNewID      uuid.UUID       `json:"user_new_id"`
	Email          string          `json:"email" format:"email"`
	IsBan          bool            `json:"is_ban"`
	Ban            *banResult      `json:"ban" doc:"Why there is no service; null: the user is not banned"`
	TgID           *int64          `json:"tg_id" doc:"The linked Telegram account"`
	UserName       string          `json:"user_name"`
	CreatedAt      time.Time       `json:"created_at" doc:"When the user signed up"`
	MoneyAmount    money.Amount    `json:"money_amount"`
	OldServiceInfo oldServiceInfo  `json:"old_service_info" doc:"The same as access, in the older words"`
	Access         Access          `json:"access"`
	Wallet         dashboardWallet `json:"wallet"`
}

type dashboardWallet struct {
	Balance  money.Amount `json:"balance" doc:"What can be spent"`
	Currency string       `json:"currency" doc:"ISO 4217"`
}

// Access is what a user may use now.
type Access struct {
	State          service.State `json:"state" enum:"active,none,exhausted,expired,banned"`
	QuotaBytes     *int64        `json:"quota_bytes" doc:"Of all that runs, per cycle; null: unlimited"`
	UsedBytes      int64         `json:"used_bytes" doc:"As billed"`
	RemainingBytes *int64        `json:"remaining_bytes" doc:"null: unlimited"`
	TodayBytes     int64         `json:"today_bytes" doc:"As billed since midnight of the site's time zone"`
	ResetsAt       *time.Time    `json:"resets_at" doc:"When the next quota begins anew"`
	ExpiresAt      *time.Time    `json:"expires_at" doc:"When the last running service ends"`
	Class          int           `json:"class"`
	ClassName      string        `json:"class_name" doc:"What users call the class; empty: it has no name"`
	SpeedMbps      *int          `json:"speed_mbps" doc:"null: no limit"`
	DeviceLimit    *int          `json:"device_limit" doc:"null: no limit"`
	OnlineDevices  int           `json:"online_devices" doc:"Addresses at which the user is connected now"`
	RenewID        *int64        `json:"renew_service_id" nullable:"true" doc:"The service that a renewal is for: the only one that runs, else the one that expired last; null where several run or there is none"`
}

type oldServiceInfo struct {
	UserLevelText                string    `json:"user_level_text"`
	OnlineIPLimit                *int      `json:"online_ip_limit"`
	SpeedLimit                   *string   `json:"speed_limit"`
	SubLink                      []string  `json:"sub_link" doc:"The subscription link on each of the site's addresses"`
	SSPasswd                     string    `json:"ss_passwd"`
	SSUUID                       uuid.UUID `json:"ss_uuid"`
	UserLevelExpireIn            time.Time `json:"user_level_expire_in" doc:"When the last running service ends; without one the day of the sign-up"`
	UserAccountExpireIn          time.Time `json:"user_account_expire_in"`
	SSUploadSize                 int64     `json:"ss_upload_size" doc:"Bytes, as billed"`
	SSDownloadSize               int64     `json:"ss_download_size" doc:"Bytes, as billed"`
	SSBandwidthTotalSize         int64     `json:"ss_bandwidth_total_size" doc:"Bytes; 1 PiB where unlimited"`
	SSBandwidthYesterdayUsedSize int64     `json:"ss_bandwidth_yesterday_used_size" doc:"Bytes used before today"`
	SSBandwidthTodayUsedSize     int64     `json:"ss_bandwidth_today_used_size"`
	IsLinkBurnAfter              bool      `json:"is_link_burn_after"`
}

// unlimitedOld is what older clients get for a quota without end.
const unlimitedOld = int64(1) << 50

// Dashboard adds the first page of a signed-in user. links gives the addresses of a user's subscription link.
func Dashboard(a *account.Accounts, w *wallet.Wallets, services *service.Services, nodes *node.Nodes,
	t *traffic.Traffic, settings *setting.Settings, links func(ctx context.Context, userID int64) ([]string,
		error),
) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/dashboard").OpenToVisits().
			Named("dashboard_get", "The user at a glance"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (out dashboard, err error) {
				u, err := a.User(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				balance, err := w.Balance(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				access, err := services.Access(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				today, err := t.Today(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				online, err := nodes.Presence.DeviceCount(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				ban, err := showBan(ctx, a, u)
				if err != nil {
					return out, err
				}
				renew, err := services.ToRenew(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				var urls []string
				if who.Visiting() {
					access.Password, access.UUID = "", uuid.Nil
				} else {
					urls, err = links(ctx, who.UserID)
				}
				site, lang := settings.Get(), api.CallerOf(ctx).Lang
				return dashboard{
					UserID: u.ID, UserNewID: u.UUID, Email: u.Email, IsBan: u.Banned(), Ban: ban, TgID: u.TelegramID,
					UserName: u.Name, CreatedAt: u.CreatedAt, MoneyAmount: balance.Available,
					OldServiceInfo: oldInfo(u, access, today, urls, tier(site, access.Class, lang)),
					Access:         showAccess(access, today, online, renew, site.ClassName(access.Class, lang)),
					Wallet:         dashboardWallet{balance.Available, site.Currency},
				}, err
			})
	}
}

func showAccess(a service.Access, today int64, online int, renew *int64, className string) Access {
	return Access{
		a.State, a.QuotaBytes, a.UsedBytes, a.RemainingBytes, today, a.ResetsAt, a.ExpiresAt, a.Class, className,
		a.SpeedMbps, a.Devices, online, renew,
	}
}

func oldInfo(u account.User, a service.Access, today int64, urls []string, tier string) oldServiceInfo {
	info := oldServiceInfo{
		UserLevelText: tier, OnlineIPLimit: a.Devices, SubLink: append([]string{}, urls...),
		SSPasswd: a.Password, SSUUID: a.UUID, UserLevelExpireIn: u.CreatedAt, UserAccountExpireIn: noExpiry,
		SSUploadSize: a.UpBytes, SSDownloadSize: a.DownBytes,
		SSBandwidthTotalSize: unlimitedOld, SSBandwidthYesterdayUsedSize: max(0, a.UsedBytes-today),
		SSBandwidthTodayUsedSize: min(today, a.UsedBytes),
	}
	if a.QuotaBytes != nil {
		info.SSBandwidthTotalSize = *a.QuotaBytes
	}
	if a.ExpiresAt != nil {
		info.UserLevelExpireIn = *a.ExpiresAt
	}
	if a.SpeedMbps != nil {
		info.SpeedLimit = new(fmt.Sprintf("%d Mbps", *a.SpeedMbps))
	}
	return info
}
