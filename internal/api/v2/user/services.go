package user

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

type servicesResult struct {
	Services []serviceItem `json:"services" doc:"Those that end first before others, ended ones last"`
	Packages []packageItem `json:"packages" doc:"Those of which something is left"`
}

type serviceItem struct {
	ID             int64         `json:"id"`
	PlanID         int64         `json:"plan_id"`
	Name           string        `json:"name"`
	State          string        `json:"state" enum:"running,ended"`
	Class          int           `json:"class"`
	Groups         []int         `json:"groups"`
	SpeedMbps      *int          `json:"speed_mbps" doc:"null: no limit"`
	DeviceLimit    *int          `json:"device_limit" doc:"null: no limit"`
	QuotaBytes     *int64        `json:"quota_bytes" doc:"Per cycle; null: unlimited"`
	UsedBytes      int64         `json:"used_bytes" doc:"Of the cycle, as billed"`
	RemainingBytes *int64        `json:"remaining_bytes" doc:"Of the cycle; null: unlimited"`
	UpBytes        int64         `json:"up_bytes" doc:"Of the cycle, as moved"`
	DownBytes      int64         `json:"down_bytes"`
	UsedUpBytes    int64         `json:"used_up_bytes" doc:"What of used_bytes went up"`
	UsedDownBytes  int64         `json:"used_down_bytes" doc:"What of used_bytes went down"`
	Reset          service.Reset `json:"reset" enum:"calendar_month,anniversary,never"`
	Cycle          int64         `json:"cycle" doc:"Number of the quota's month"`
	ResetsAt       *time.Time    `json:"resets_at" doc:"When the next cycle begins"`
	StartedAt      time.Time     `json:"started_at"`
	EndsAt         time.Time     `json:"ends_at" doc:"Or ended"`
	EndReason      string        `json:"end_reason" enum:",expired,changed,refunded,closed,stopped" doc:"Why it ended; empty while it runs. Only an expired one may be renewed"`
	AutoRenew      bool          `json:"auto_renew"`
}

type packageItem struct {
	ID             int64        `json:"id"`
	Name           string       `json:"name"`
	Kind           service.Kind `json:"kind" enum:"bought,checkin,grant"`
	Bytes          int64        `json:"bytes"`
	UsedBytes      int64        `json:"used_bytes"`
	RemainingBytes int64        `json:"remaining_bytes"`
	CreatedAt      time.Time    `json:"created_at"`
	ExpiresAt      *time.Time   `json:"expires_at" doc:"null: lives until it is used up"`
	OrderNo        *int64       `json:"order_no" doc:"Of the order that brought it; null: a gift"`
}

type oldServicesResult struct {
	TotalCount int              `json:"total_count"`
	Services   []oldServiceItem `json:"services"`
}

type oldServiceItem struct {
	ServiceID    int64     `json:"service_id"`
	ServiceName  string    `json:"service_name"`
	ServiceType  string    `json:"service_type" enum:"main_package"`
	Status       string    `json:"status" enum:"active,expired"`
	CreatedAt    time.Time `json:"created_at"`
	ExpireAt     time.Time `json:"expire_at"`
	TrafficUsed  int64     `json:"traffic_used" doc:"Bytes of the cycle, as billed"`
	TrafficTotal int64     `json:"traffic_total" doc:"Bytes per cycle; 1 PiB where unlimited"`
	Port         int       `json:"port" doc:"Always 0: ports belong to nodes"`
	Password     string    `json:"password" doc:"On Shadowsocks nodes"`
}

type oldService struct {
	ServiceID    int64     `json:"service_id"`
	ServiceName  string    `json:"service_name"`
	ServiceType  string    `json:"service_type" enum:"main_package"`
	ExpireTime   time.Time `json:"expire_time"`
	TrafficUsed  int64     `json:"traffic_used" doc:"Bytes of the cycle, as billed"`
	TrafficTotal int64     `json:"traffic_total" doc:"Bytes per cycle; 1 PiB where unlimited"`
	IsActive     bool      `json:"is_active"`
}

// Services adds what a user has bought that runs or ran.
func Services(s *service.Services) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services").OpenToVisits().
			Named("services_list", "Services and traffic packages with what is used of them"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (servicesResult, error) {
				services, packages, err := s.List(ctx, who.UserID)
				out := servicesResult{[]serviceItem{}, []packageItem{}}
				for _, v := range services {
					out.Services = append(out.Services, showService(v, api.CallerOf(ctx).Lang))
				}
				for _, p := range packages {
					out.Packages = append(out.Packages, packageItem{
						p.ID, p.NameIn(api.CallerOf(ctx).Lang), p.Kind,
						p.Bytes, p.Used, p.Bytes - p.Used, p.CreatedAt, p.ExpiresAt, p.OrderID,
					})
				}
				return out, err
			})
		v2.Handle(r, v2.UserOp("GET /user/services-old").
			Named("services_old", "Services in the older words"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (oldServicesResult, error) {
				out := oldServicesResult{Services: []oldServiceItem{}}
				access, err := s.Access(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				services, _, err := s.List(ctx, who.UserID)
				for _, v := range services {
					item := oldServiceItem{
						v.ID, v.NameIn(api.CallerOf(ctx).Lang), "main_package", "active",
						v.StartedAt, v.Until(), v.Billed, unlimitedOld, 0, access.Password,
					}
					if v.EndedAt != nil {
						item.Status = "expired"
					}
					if v.QuotaBytes != nil {
						item.TrafficTotal = *v.QuotaBytes
					}
					out.Services = append(out.Services, item)
				}
				out.TotalCount = len(out.Services)
				return out, err
			})
		v2.Handle(r, v2.UserOp("GET /user/get_old_service").
			Named("get_old_service", "Of the services the one that ends last; 404 where there never was one"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (oldService, error) {
				services, _, err := s.List(ctx, who.UserID)
				if err != nil {
					return oldService{}, err
				}
				if len(services) == 0 {
					return oldService{}, service.ErrNoService
				}
				last := slices.MaxFunc(services, func(a, b service.Service) int {
					if (a.EndedAt == nil) != (b.EndedAt == nil) { // one that runs comes before any that ended
						return map[bool]int{true: 1, false: -1}[a.EndedAt == nil]
					}
					return a.EndsAt.Compare(b.EndsAt)
				})
				out := oldService{
					last.ID, last.NameIn(api.CallerOf(ctx).Lang), "main_package", last.Until(),
					last.Billed, unlimitedOld, last.EndedAt == nil,
				}
				if last.QuotaBytes != nil {
					out.TrafficTotal = *last.QuotaBytes
				}
				return out, nil
			})
	}
}

func showService(v service.Service, lang fault.Lang) serviceItem {
	item := serviceItem{
		ID: v.ID, PlanID: v.PlanID, Name: v.NameIn(lang), State: "running", Class: v.Class, Groups: v.Groups,
		SpeedMbps: v.SpeedMbps, DeviceLimit: v.Devices,
		QuotaBytes: v.QuotaBytes, UsedBytes: v.Billed, UpBytes: v.Up, DownBytes: v.Down, UsedUpBytes: v.BilledUp,
		UsedDownBytes: v.Billed - v.BilledUp, Reset: v.Reset, Cycle: v.Cycle, ResetsAt: v.NextResetAt,
		StartedAt: v.StartedAt, EndsAt: v.Until(), AutoRenew: v.AutoRenew,
	}
	if v.EndedAt != nil {
		item.State = "ended"
		if v.EndReason != nil {
			item.EndReason = string(*v.EndReason)
		}
	}
	if remaining, unlimited := v.Remaining(); !unlimited {
		item.RemainingBytes = &remaining
	}
	return item
}
