package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

type madeOrder struct {
	OrderNo int64 `json:"order_no"`
}

type orderQuote struct {
	Kind     string       `json:"kind" enum:"plan,renewal,package"`
	Plan     planRef      `json:"plan"`
	Months   int          `json:"months" doc:"0: a package"`
	Currency string       `json:"currency"`
	Listed   money.Amount `json:"listed" doc:"The price in the shop"`
	Price    money.Amount `json:"price" doc:"The price of this order"`
	Credit   money.Amount `json:"credit" doc:"The unused part of the service that ends"`
	Total    money.Amount `json:"total" doc:"What the user pays"`
	Balance  money.Amount `json:"balance" doc:"What the wallet has available"`
	EndsAt   *time.Time   `json:"ends_at" nullable:"true" doc:"When the service that begins or is renewed would end; null: a package"`
	Traffic  *int64       `json:"traffic_bytes" nullable:"true" doc:"Per cycle, or of the package; null: unlimited"`
}

func newOrderQuote(q *shop.Quote, listed money.Amount, currency string, lang fault.Lang) orderQuote {
	plan := q.Price.Plan
	kind := plan.Kind
	if q.Renews != nil {
		kind = shop.KindRenewal
	}
	return orderQuote{
		Kind: string(kind), Plan: planRef{plan.ID, plan.Names.In(lang, plan.Name)}, Months: q.Price.Months,
		Currency: currency, Listed: listed, Price: q.Price.Amount, Credit: q.Credit, Total: q.Amount,
		Balance: q.Available, EndsAt: q.EndsAt, Traffic: plan.TrafficBytes,
	}
}

// OrderMaking adds orders that staff makes for users.
func OrderMaking(a *account.Accounts, s *shop.Shop, p *payment.Payments) v2.Resource {
	return func(r *v2.Router) {
		type wanted struct {
			ID       int64  `path:"user_id" minimum:"1"`
			PlanID   int64  `query:"plan_id" required:"true" minimum:"1" doc:"A plan or package"`
			Months   int    `query:"months" minimum:"0" maximum:"120" doc:"Absent: a package"`
			Price    string `query:"price" maxLength:"20" doc:"In place of the listed one, and at most that; absent: the listed one"`
			RenewID  int64  `query:"renew_service_id" minimum:"1" doc:"The service to renew; absent: something new"`
			ChangeID int64  `query:"change_service_id" minimum:"1" doc:"The service that ends where the new one starts; absent: none"`
			Assign   bool   `query:"assign" doc:"Whether the user is to pay it; else the wallet does"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/users/{user_id}/order-quote", permission.OrderMake).
			Named("staff_order_quote", "What an order for a user would cost and bring, or why it cannot be made"),
			func(ctx context.Context, who account.Identity, in *wanted) (orderQuote, error) {
				if err := a.MayActOn(ctx, who, permission.OrderMake, in.ID); err != nil {
					return orderQuote{}, err
				}
				listed, err := s.OfferedPrice(ctx, in.PlanID, in.Months)
				if err != nil {
					return orderQuote{}, err
				}
				o := payment.StaffOrder{
					UserID: in.ID, PriceID: listed.ID, RenewServiceID: given(in.RenewID),
					ChangeServiceID: given(in.ChangeID), Price: listed.Amount, Assigned: in.Assign,
				}
				if in.Price != "" {
					if o.Price, err = money.Parse(in.Price); err != nil {
						return orderQuote{}, fault.Invalid("price", "format", "价格格式不正确", "This is no amount")
					}
				}
				q, err := p.QuoteFor(ctx, o)
				if err != nil {
					return orderQuote{}, err
				}
				return newOrderQuote(q, listed.Amount, s.Currency(), api.CallerOf(ctx).Lang), nil
			})

		type order struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				PlanID    int64          `json:"plan_id" minimum:"1" doc:"A plan or package"`
				Months    int            `json:"months,omitempty" minimum:"0" maximum:"120" doc:"Absent: a package"`
				Price     v2.AmountInput `json:"price" doc:"The listed price or a lower one; what it is lower counts as given"`
				RenewID   *int64         `json:"renew_service_id,omitempty" minimum:"1" doc:"The service to renew; absent: something new"`
				ChangeID  *int64         `json:"change_service_id,omitempty" minimum:"1" doc:"The service that ends where the new one starts; absent: none"`
				AutoRenew bool           `json:"auto_renew,omitempty" doc:"Whether a new service renews itself"`
				Gateway   string         `json:"gateway,omitempty" maxLength:"64" doc:"At which the user is to pay, who gets a notice; absent: the wallet pays at once"`
				Reason    string         `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/orders", permission.OrderMake, approval.OrderByHand).
			Named("staff_order_make",
				"Make an order for a user, who pays it from the wallet now or at a gateway later; 403 "+
					"second_member_needed where that waits now").WithKey(),
			func(ctx context.Context, who account.Identity, in *order) (madeOrder, error) {
				if err := a.MayActOn(ctx, who, permission.OrderMake, in.ID); err != nil {
					return madeOrder{}, err
				}
				price, err := s.OfferedPrice(ctx, in.Body.PlanID, in.Body.Months)
				if err != nil {
					return madeOrder{}, err
				}
				no, err := p.OrderFor(ctx, payment.StaffOrder{
					UserID: in.ID, PriceID: price.ID, Price: in.Body.Price.Amount, RenewServiceID: in.Body.RenewID,
					ChangeServiceID: in.Body.ChangeID, AutoRenew: in.Body.AutoRenew, Gateway: in.Body.Gateway,
					Assigned: in.Body.Gateway != "", Reason: in.Body.Reason, MadeBy: &who.UserID,
				})
				return madeOrder{no}, err
			})
	}
}

// given returns a number of a query; nil where it is absent.
func given(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}
