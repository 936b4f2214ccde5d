package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/permission"
	"airstrip/internal/service"
)

type serviceRow struct {
	ID         int64      `json:"id"`
	User       personRef  `json:"user"`
	Plan       planRef    `json:"plan" doc:"With the name under which it was sold"`
	QuotaBytes *int64     `json:"quota_bytes" nullable:"true" doc:"Of a cycle; null: unlimited"`
	Billed     int64      `json:"billed_bytes" doc:"Of the cycle"`
	StartedAt  time.Time  `json:"started_at"`
	EndsAt     time.Time  `json:"ends_at"`
	EndedAt    *time.Time `json:"ended_at" nullable:"true" doc:"null: it runs"`
	EndReason  string     `json:"end_reason" doc:"Empty: it runs"`
	AutoRenew  bool       `json:"auto_renew"`
}

// ServiceList adds the list of services.
func ServiceList(c *console.Console, a *account.Accounts, services *service.Services) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]serviceRow, error) {
		found, err := services.ByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		known, err := ownersOf(ctx, a, found, func(row *service.Service) int64 { return row.UserID })
		lang := api.CallerOf(ctx).Lang
		rows := make([]serviceRow, len(found))
		for i := range found {
			v := &found[i]
			rows[i] = serviceRow{
				v.ID, known.ref(v.UserID),
				planRef{v.PlanID, v.NameIn(lang)},
				v.QuotaBytes, v.Billed, v.StartedAt,
				v.EndsAt, v.EndedAt, "", v.AutoRenew,
			}
			if v.EndReason != nil {
				rows[i].EndReason = string(*v.EndReason)
			}
		}
		return rows, err
	}
	return func(r *v2.Router) {
		v2.HandleListing(r, c.Lists, v2.List[serviceRow]{
			Path: "/staff/services", ID: "staff_services", Summary: "Services", Needs: permission.UserRead,
			Resource: c.Services(), Load: load, Key: func(v *serviceRow) int64 { return v.ID },
			CSV: []v2.Column[serviceRow]{
				{Name: "id", Cell: func(v *serviceRow) string { return text(v.ID) }},
				{Name: "user_id", Cell: func(v *serviceRow) string { return text(v.User.ID) }},
				{Name: "email", Cell: func(v *serviceRow) string { return v.User.Email }},
				{Name: "plan", Cell: func(v *serviceRow) string { return v.Plan.Name }},
				{Name: "quota_bytes", Cell: func(v *serviceRow) string { return number(v.QuotaBytes) }},
				{Name: "billed_bytes", Cell: func(v *serviceRow) string { return text(v.Billed) }},
				{Name: "started_at", Cell: func(v *serviceRow) string { return moment(&v.StartedAt) }},
				{Name: "ends_at", Cell: func(v *serviceRow) string { return moment(&v.EndsAt) }},
				{Name: "ended_at", Cell: func(v *serviceRow) string { return moment(v.EndedAt) }},
				{Name: "end_reason", Cell: func(v *serviceRow) string { return v.EndReason }},
			},
		})
	}
}
