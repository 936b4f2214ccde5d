package user

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
)

type preOrderResult struct {
	ShopID         int64        `json:"shop_id"`
	PlanID         int64        `json:"plan_id"`
	Kind           string       `json:"kind" enum:"plan,renewal,package"`
	Name           string       `json:"name"`
	Months         int          `json:"months" doc:"0 of a package"`
	Currency       string       `json:"currency" doc:"ISO 4217"`
	Price          money.Amount `json:"price" doc:"Of the plan"`
	Discount       money.Amount `json:"discount" doc:"Of the coupon"`
	Credit         money.Amount `json:"credit" doc:"The unused part of the service that it replaces: now or, where money is missing, when the order expires"`
	Amount         money.Amount `json:"amount" doc:"What it costs: the price less discount and credit, at least 0.00"`
	Change         money.Amount `json:"change" doc:"What the credit is more than the price, where the site gives it to the wallet"`
	Kept           money.Amount `json:"kept" doc:"The same where it stays with the new service, which runs longer for it (see ends_at)"`
	EndsAt         *time.Time   `json:"ends_at" nullable:"true" doc:"When the service would end that begins or is renewed; null of a package"`
	Balance        money.Amount `json:"balance" doc:"What the wallet has available"`
	BalanceUsed    money.Amount `json:"balance_used" doc:"The part of the amount that the wallet pays"`
	Missing        money.Amount `json:"missing" doc:"The rest; 0.00 where the wallet covers it"`
	RechargeAmount money.Amount `json:"recharge_amount" doc:"What a recharge of the rest comes to, at least the site's minimum"`
	Renews         *renewedItem `json:"renews,omitempty" doc:"The service that is renewed; absent for something new"`
	Replaces       *renewedItem `json:"replaces,omitempty" doc:"The service that ends where this one starts"`
}

type renewedItem struct {
	ServiceID int64     `json:"service_id"`
	Name      string    `json:"name"`
	EndsAt    time.Time `json:"ends_at" doc:"Before the purchase"`
}

type orderResult struct {
	Order    orderItem       `json:"order"`
	Recharge *rechargeRecord `json:"recharge,omitempty" doc:"What the order waits for, or waited for; with its pay page while it is pending"`
}

type orderItem struct {
	ID        uuid.UUID    `json:"id"`
	No        int64        `json:"no" doc:"Number of the order; paths take it or the id"`
	Kind      string       `json:"kind" enum:"plan,renewal,package"`
	State     string       `json:"state" enum:"pending,paid,cancelled,expired,refunded"`
	ShopID    int64        `json:"shop_id"`
	PlanID    int64        `json:"plan_id"`
	Name      string       `json:"name"`
	Months    int          `json:"months" doc:"0 of a package"`
	Price     money.Amount `json:"price" doc:"Of the plan when it was ordered"`
	Discount  money.Amount `json:"discount" doc:"Of a coupon"`
	Credit    money.Amount `json:"credit" doc:"The unused part of the service that it replaced"`
	Amount    money.Amount `json:"amount" doc:"What the wallet pays"`
	Currency  string       `json:"currency" doc:"ISO 4217"`
	AutoRenew bool         `json:"auto_renew"`
	Coupon    string       `json:"coupon" doc:"The code that lowered the price; empty: none"`
	RenewID   *int64       `json:"renew_service_id" nullable:"true" doc:"The service that it is to renew"`
	ChangeID  *int64       `json:"change_service_id" nullable:"true" doc:"The service that ends where the new one starts"`
	Replaces  string       `json:"replaces" doc:"Name of that service; empty: none"`

	TrafficBytes *int64        `json:"traffic_bytes" nullable:"true" doc:"What it brings: per cycle, or of the package; null: unlimited"`
	Reset        service.Reset `json:"reset" enum:"calendar_month,anniversary,never" doc:"When a new cycle begins"`
	EndsAt       *time.Time    `json:"ends_at" nullable:"true" doc:"When the service or package that it led to ends or ended; null: not paid, or a package that lives until it is used up"`

	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at" nullable:"true" doc:"Until when a pending order waits"`
	PaidAt    *time.Time `json:"paid_at" nullable:"true"`
	ServiceID *int64     `json:"service_id" nullable:"true" doc:"The service that it began or renewed"`
	PackageID *int64     `json:"package_id" nullable:"true" doc:"The package that it brought"`
	InvoiceID *uuid.UUID `json:"invoice_id" nullable:"true"`
}

func newOrderItem(o *shop.Order, lang fault.Lang) orderItem {
	out := orderItem{
		ID: o.UUID, No: o.ID, Kind: string(o.Kind), State: string(o.State), ShopID: o.PriceID, PlanID: o.PlanID,
		Name: o.Terms.NameIn(lang), Months: o.Terms.Months,
		Price: o.Price, Discount: o.Discount, Credit: o.Credit, Amount: o.Amount, Currency: o.Currency,
		AutoRenew: o.AutoRenew,
		Coupon:    o.Terms.Coupon, RenewID: o.ServiceID, ChangeID: o.ReplacesID, Replaces: o.Terms.Replaces,
		TrafficBytes: o.Terms.TrafficBytes, Reset: o.Terms.Reset, EndsAt: o.EndsAt,
		CreatedAt: o.CreatedAt, PaidAt: o.PaidAt, ServiceID: o.Service, PackageID: o.Package, InvoiceID: o.InvoiceUUID,
	}
	if o.State == shop.Pending {
		out.ExpiresAt = &o.ExpiresAt
	}
	return out
}

// Shop adds the operations that buy.
func Shop(s *shop.Shop, p *payment.Payments, settings *setting.Settings) v2.Resource {
	show := func(ctx context.Context, who account.Identity, id string) (orderResult, error) {
		o, err := s.Order(ctx, who.UserID, id)
		if err != nil {
			return orderResult{}, err
		}
		out := orderResult{Order: newOrderItem(o, api.CallerOf(ctx).Lang)}
		if o.RechargeID != nil {
			recharge, err := p.Show(ctx, who.UserID, strconv.FormatInt(*o.RechargeID, 10))
			if err != nil {
				return orderResult{}, err
			}
			out.Recharge = new(newRechargeRecord(p, recharge, o, api.CallerOf(ctx).Lang))
		}
		return out, nil
	}

	return func(r *v2.Router) {
		type purchaseWish struct {
			ShopID int64 `path:"shop_id" minimum:"1"`
			Body   *struct {
				RenewServiceID  *int64 `json:"renew_service_id,omitempty" nullable:"true" minimum:"1" doc:"The service to renew; none: something new"`
				ChangeServiceID *int64 `json:"change_service_id,omitempty" nullable:"true" minimum:"1" doc:"The service that ends where the new one starts; what is unused of it is credited"`
				Coupon          string `json:"coupon,omitempty" maxLength:"64"`
			}
		}
		v2.Handle(r, v2.UserOp("POST /user/shop-old/{shop_id}/pre-order").
			Named("shop_pre_order", "What a purchase would cost now; changes nothing"),
			func(ctx context.Context, who account.Identity, in *purchaseWish) (preOrderResult, error) {
				lang := api.CallerOf(ctx).Lang
				what := shop.Purchase{PriceID: in.ShopID, Lang: lang}
				if in.Body != nil {
					what.RenewServiceID, what.ChangeServiceID, what.Coupon = in.Body.RenewServiceID,
						in.Body.ChangeServiceID, in.Body.Coupon
				}
				q, err := s.PreOrder(ctx, who.UserID, what)
				if err != nil {
					return preOrderResult{}, err
				}
				out := preOrderResult{
					ShopID: q.Price.ID, PlanID: q.Price.PlanID, Kind: string(q.Price.Plan.Kind),
					Name: q.Price.Plan.In(lang).Name, Months: q.Price.Months, Currency: settings.Get().Currency,
					Price: q.Price.Amount, Discount: q.Discount, Credit: q.Credit, Amount: q.Amount, Change: q.Change,
					Kept: q.Kept, EndsAt: q.EndsAt, Balance: q.Available, BalanceUsed: q.BalanceUsed,
					Missing: q.Missing, RechargeAmount: q.Recharge,
				}
				if q.Renews != nil {
					out.Kind, out.Renews = string(shop.KindRenewal), &renewedItem{
						q.Renews.ID, q.Renews.NameIn(lang),
						q.Renews.EndsAt,
					}
				}
				if q.Replaces != nil {
					out.Replaces = &renewedItem{q.Replaces.ID, q.Replaces.NameIn(lang), q.Replaces.EndsAt}
				}
				return out, nil
			})

		type confirmation struct {
			ShopID int64 `path:"shop_id" minimum:"1"`
			Body   *struct {
				RenewServiceID  *int64          `json:"renew_service_id,omitempty" nullable:"true" minimum:"1" doc:"The service to renew; none: something new"`
				ChangeServiceID *int64          `json:"change_service_id,omitempty" nullable:"true" minimum:"1" doc:"The service that ends where the new one starts; what is unused of it is credited"`
				Coupon          string          `json:"coupon,omitempty" maxLength:"64"`
				ExpectedAmount  *v2.AmountInput `json:"expected_amount,omitempty" doc:"The amount that the buyer saw and agreed to; 409 price_changed where it is more by now"`
				AutoRenew       bool            `json:"auto_renew,omitempty" doc:"Whether the new service renews itself from the wallet"`
				Gateway         string          `json:"gateway,omitempty" maxLength:"32" doc:"Where the balance is too low: recharge the difference here; the order completes by itself when that is paid"`
			}
		}
		v2.Handle(r, v2.UserOp("POST /user/shop-old/{shop_id}/confirm-order").
			Named("shop_confirm_order",
				"Buy from the wallet; 409 balance_too_low where it does not cover the price and no gateway is named").
			WithKey(),
			func(ctx context.Context, who account.Identity, in *confirmation) (orderResult, error) {
				what, gateway := shop.Purchase{PriceID: in.ShopID, Lang: api.CallerOf(ctx).Lang}, ""
				if in.Body != nil {
					what.RenewServiceID, what.ChangeServiceID, what.Coupon = in.Body.RenewServiceID,
						in.Body.ChangeServiceID, in.Body.Coupon
					what.AutoRenew, gateway = in.Body.AutoRenew, in.Body.Gateway
					if in.Body.ExpectedAmount != nil {
						what.MaxAmount = &in.Body.ExpectedAmount.Amount
					}
				}
				var no int64
				var err error
				if gateway == "" {
					no, err = s.Confirm(ctx, who.UserID, what)
				} else {
					no, err = p.Confirm(ctx, who.UserID, what, gateway)
				}
				if err != nil {
					return orderResult{}, err
				}
				return show(ctx, who, strconv.FormatInt(no, 10))
			})

		type which struct {
			ID string `path:"order_id" maxLength:"36" doc:"Number or id of the order"`
		}
		v2.Handle(r, v2.UserOp("GET /user/orders/{order_id}").OpenToVisits().
			Named("order_get", "The state of an order"),
			func(ctx context.Context, who account.Identity, in *which) (orderResult, error) {
				return show(ctx, who, in.ID)
			})
		v2.Handle(r, v2.UserOp("POST /user/orders/{order_id}/cancel").
			Named("order_cancel", "Give up a pending order; what it held is free again"),
			func(ctx context.Context, who account.Identity, in *which) (orderResult, error) {
				if err := s.Cancel(ctx, who.UserID, in.ID); err != nil {
					return orderResult{}, err
				}
				return show(ctx, who, in.ID)
			})
	}
}
