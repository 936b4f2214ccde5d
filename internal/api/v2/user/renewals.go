package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/money"
	"airstrip/internal/renewal"
	"airstrip/internal/setting"
)

type renewalList struct {
	Available money.Amount  `json:"available" doc:"What the wallet has for them"`
	Currency  string        `json:"currency" doc:"ISO 4217"`
	Renewals  []renewalItem `json:"renewals" doc:"Of the services that run or are still tried, those that end first before others"`
}

type renewalItem struct {
	ServiceID int64         `json:"service_id"`
	Name      string        `json:"name"`
	EndsAt    time.Time     `json:"ends_at"`
	AutoRenew bool          `json:"auto_renew"`
	RenewAt   *time.Time    `json:"renew_at" nullable:"true" doc:"When it is tried next, or would be if it renewed itself; null: not any more"`
	Price     *money.Amount `json:"price" nullable:"true" doc:"As things stand; null: it is not sold any more"`
	Agreed    money.Amount  `json:"agreed_price" doc:"The most that automatic renewal takes: what it was bought or last renewed for, or agreed to since. A price above it waits for PUT …/auto-renew with it; 0.00: none was agreed, since the service was given"`
	Months    int           `json:"months" doc:"That the price is for; 0 where there is none"`
	Missing   money.Amount  `json:"missing" doc:"What the wallet lacks for it when those before it have taken theirs"`
	Tries     int           `json:"tries" doc:"That failed so far"`
	Problem   string        `json:"problem" enum:",balance_too_low,price_raised,not_sold" doc:"Of the last try; empty: none failed"`
}

// Renewals adds the next renewals of a user's services.
func Renewals(s *renewal.Renewals, settings *setting.Settings) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/renewals").OpenToVisits().
			Named("service_renewals",
				"Which services renew themselves when and for how much, and what goes wrong with it"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (renewalList, error) {
				list, available, err := s.Upcoming(ctx, who.UserID)
				out := renewalList{available, settings.Get().Currency, []renewalItem{}}
				for _, u := range list {
					item := renewalItem{
						ServiceID: u.ServiceID, Name: u.Names.In(api.CallerOf(ctx).Lang, u.Name),
						EndsAt: u.EndsAt, AutoRenew: u.AutoRenew, Agreed: u.Agreed, RenewAt: u.At, Missing: u.Missing,
						Tries: u.Tries, Problem: u.Problem,
					}
					if u.Price != nil {
						item.Price, item.Months = &u.Price.Amount, u.Price.Months
					}
					out.Renewals = append(out.Renewals, item)
				}
				return out, err
			})
	}
}
