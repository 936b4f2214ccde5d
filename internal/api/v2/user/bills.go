package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

type billList struct {
	TotalCount int64      `json:"total_count"`
	Bills      []billItem `json:"bills" doc:"Newest first"`
}

// A bill is an order seen from its service.
type billItem struct {
	ID          uuid.UUID    `json:"id"`
	No          int64        `json:"no" doc:"Number of the order"`
	CreatedAt   time.Time    `json:"created_at"`
	ServiceID   *int64       `json:"service_id" nullable:"true" doc:"null: a package"`
	ShopID      int64        `json:"shop_id"`
	ShopName    string       `json:"shop_name"`
	Kind        string       `json:"kind" enum:"plan,renewal,package"`
	Months      int          `json:"months" doc:"0 of a package"`
	Price       money.Amount `json:"price"`
	Discount    money.Amount `json:"discount" doc:"Of a coupon"`
	Credit      money.Amount `json:"credit" doc:"The unused part of the service that it replaced"`
	MoneyAmount money.Amount `json:"money_amount" doc:"What the wallet paid"`
	Currency    string       `json:"currency" doc:"ISO 4217"`
	State       string       `json:"state" enum:"paid,refunded"`
	EndsAt      *time.Time   `json:"ends_at" nullable:"true" doc:"When the service or package ends or ended; null for a package that lives until it is used up"`
	AutoRenew   bool         `json:"auto_renew" doc:"Whether the service renews itself"`
	InvoiceID   *uuid.UUID   `json:"invoice_id" nullable:"true"`
}

func newBillList(orders []shop.Order, total int64, lang fault.Lang) billList {
	out := billList{total, []billItem{}}
	for _, o := range orders {
		out.Bills = append(out.Bills, billItem{
			o.UUID, o.ID, o.CreatedAt, o.Service, o.PriceID, o.Terms.NameIn(lang), string(o.Kind), o.Terms.Months,
			o.Price, o.Discount, o.Credit, o.Amount, o.Currency,
			string(o.State), o.EndsAt, o.Renews, o.InvoiceUUID,
		})
	}
	return out
}

type autoRenewal struct {
	ServiceID int64         `json:"service_id"`
	AutoRenew bool          `json:"auto_renew"`
	RenewAt   *time.Time    `json:"renew_at" nullable:"true" doc:"When it is first tried; null: it does not renew itself"`
	Price     *money.Amount `json:"price" nullable:"true" doc:"What the renewal costs as things stand; null: it is not sold any more"`
	Months    int           `json:"months"`
}

// Bills adds what a user has paid for services, and their automatic renewal.
func Bills(s *shop.Shop) v2.Resource {
	renew := func(ctx context.Context, who account.Identity, serviceID int64, on bool,
		seen *v2.AmountInput,
	) (autoRenewal, error) {
		var price *money.Amount
		if seen != nil {
			price = &seen.Amount
		}
		r, err := s.SetAutoRenew(ctx, who.UserID, serviceID, on, price)
		if err != nil {
			return autoRenewal{}, err
		}
		out := autoRenewal{ServiceID: serviceID, AutoRenew: on, RenewAt: r.At}
		if r.Price != nil {
			out.Price, out.Months = &r.Price.Amount, r.Price.Months
		}
		return out, nil
	}
	return func(r *v2.Router) {
		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/services-old/bill").OpenToVisits().
			Named("services_old_bills", "What was paid for services and packages, newest first"),
			func(ctx context.Context, who account.Identity, in *part) (billList, error) {
				orders, total, err := s.Purchases(ctx, who.UserID, in.Limit, in.Offset)
				return newBillList(orders, total, api.CallerOf(ctx).Lang), err
			})

		type ofService struct {
			ServiceID int64 `path:"service_id" minimum:"1"`
			Limit     int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset    int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/services-old/bill/{service_id}").OpenToVisits().
			Named("services_old_bills_of", "What was paid for one service, newest first"),
			func(ctx context.Context, who account.Identity, in *ofService) (billList, error) {
				orders, total, err := s.PurchasesOf(ctx, who.UserID, in.ServiceID, in.Limit, in.Offset)
				return newBillList(orders, total, api.CallerOf(ctx).Lang), err
			})

		type which struct {
			ServiceID int64 `path:"service_id" minimum:"1"`
		}
		v2.Handle(r, v2.UserOp("GET /user/services-old/bill/{service_id}/enable-auto-renewal").
			Named("services_old_enable_auto_renewal",
				"Let a service renew itself; changes it although it is a GET, as the original does").ChangesByGET(),
			func(ctx context.Context, who account.Identity, in *which) (autoRenewal, error) {
				return renew(ctx, who, in.ServiceID, true, nil)
			})

		type autoRenewWish struct {
			ServiceID int64 `path:"service_id" minimum:"1"`
			Body      struct {
				AutoRenew bool            `json:"auto_renew"`
				Price     *v2.AmountInput `json:"price,omitempty" doc:"The price that the user saw and agrees to, one that was raised too; 409 price_changed where it is more by now. Without it, turning the renewal on agrees to the present price"`
			}
		}
		v2.Handle(r, v2.UserOp("PUT /user/services/{service_id}/auto-renew").
			Named("service_auto_renew",
				"Whether a service renews itself from the wallet a day before its end, at no more than the price "+
					"that was agreed"),
			func(ctx context.Context, who account.Identity, in *autoRenewWish) (autoRenewal, error) {
				return renew(ctx, who, in.ServiceID, in.Body.AutoRenew, in.Body.Price)
			})
	}
}
