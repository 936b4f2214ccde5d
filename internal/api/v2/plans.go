package v2

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
)

type planItem struct {
	ID           int64       `json:"id"`
	Kind         string      `json:"kind" enum:"plan,package"`
	Name         string      `json:"name"`
	Info         string      `json:"info"`
	TrafficBytes *int64      `json:"traffic_bytes" nullable:"true" doc:"For each quota month, of a package once; null: unlimited"`
	Reset        string      `json:"reset" enum:"calendar_month,anniversary,never" doc:"When the traffic begins anew: each month bought brings it once, from the first of a month or from the day of the start; with never each purchase and renewal adds it once"`
	Class        int         `json:"class"`
	Groups       []int       `json:"groups"`
	SpeedMbps    *int        `json:"speed_mbps" nullable:"true" doc:"null: no limit"`
	Devices      *int        `json:"devices" nullable:"true" doc:"null: no limit"`
	ValidDays    *int        `json:"valid_days" nullable:"true" doc:"Of a package; null: until it is used up"`
	Stock        *int64      `json:"stock" nullable:"true" doc:"What is left to sell; null: no end of it"`
	PerUser      *int        `json:"per_user" nullable:"true" doc:"How often one user may buy it; null: as often as they like"`
	Bought       int         `json:"bought" doc:"How often this user has bought it, orders that wait for payment too; renewals do not count"`
	Renewable    bool        `json:"renewable"`
	Prices       []priceItem `json:"prices"`
}

type priceItem struct {
	ShopID int64        `json:"shop_id" doc:"What the order paths take"`
	Months int          `json:"months" doc:"0 of a package"`
	Amount money.Amount `json:"amount"`
}

func newPlanItem(p *shop.Plan, bought map[int64]int) planItem {
	out := planItem{
		p.ID, string(p.Kind), p.Name, p.Info, p.TrafficBytes, string(p.Reset), p.Class, append([]int{}, p.Groups...), p.SpeedMbps, p.Devices, p.ValidDays,
		p.Stock, p.PerUser, bought[p.ID], p.Renewable,
		[]priceItem{},
	}
	for _, price := range p.Prices {
		out.Prices = append(out.Prices, priceItem{price.ID, price.Months, price.Amount})
	}
	return out
}

type productList struct {
	Products map[string]trialPlan `json:"products" doc:"By plan, as plan_N"`
}

type trialPlan struct {
	Name       string           `json:"name"`
	Info       *string          `json:"info" nullable:"true"`
	Price      string           `json:"price" doc:"Of the shortest period"`
	Currency   string           `json:"currency" doc:"The currency's sign or code"`
	Billing    string           `json:"billing"`
	Features   []trialFeature   `json:"features"`
	PlanShopID map[string]int64 `json:"plan_shop_id" doc:"Shop id by period: 1month, 3month …, or package"`
}

type trialFeature struct {
	Support bool    `json:"support"`
	Name    string  `json:"name"`
	Info    *string `json:"info" nullable:"true"`
}

type oldServiceShop struct {
	ID                       int64          `json:"id"`
	CreatedAt                time.Time      `json:"created_at"`
	UpdatedAt                time.Time      `json:"updated_at"`
	ShopName                 string         `json:"shop_name"`
	ShopGroupID              int64          `json:"shop_group_id" doc:"Number of the plan"`
	ShopType                 string         `json:"shop_type" enum:"main_package,additional_package"`
	MoneyAmount              money.Amount   `json:"money_amount"`
	SsBandwidthTotalSize     *int64         `json:"ss_bandwidth_total_size" nullable:"true" doc:"Bytes; null: unlimited"`
	UserLevel                *int           `json:"user_level" nullable:"true"`
	UserLevelDuration        *string        `json:"user_level_duration" nullable:"true" doc:"ISO 8601 duration in calendar months"`
	AccountValidityDuration  *string        `json:"account_validity_duration" nullable:"true" doc:"ISO 8601 duration of a package; null: until it is used up"`
	SsBandwidthResetInterval *string        `json:"ss_bandwidth_reset_interval" nullable:"true" doc:"ISO 8601 duration; null: never"`
	NodeSpeedLimit           *int           `json:"node_speed_limit" nullable:"true" doc:"Mbit/s; null: no limit"`
	NodeConnector            *int           `json:"node_connector" nullable:"true" doc:"Devices; null: no limit"`
	ContentExtra             string         `json:"content_extra"`
	IsAutoResetBandwidth     bool           `json:"is_auto_reset_bandwidth"`
	IsEnable                 bool           `json:"is_enable"`
	IsCannotNewPurchase      bool           `json:"is_cannot_new_purchase" doc:"Renewals only"`
	DataJSON                 map[string]any `json:"data_json"`
}

func newOldServiceShop(price *shop.Price, lang fault.Lang) oldServiceShop {
	p := price.Plan.In(lang)
	out := oldServiceShop{
		ID: price.ID, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, ShopName: p.Name, ShopGroupID: p.ID, ShopType: "main_package", MoneyAmount: price.Amount,
		SsBandwidthTotalSize: p.TrafficBytes, NodeSpeedLimit: p.SpeedMbps, NodeConnector: p.Devices, ContentExtra: p.Info,
		IsAutoResetBandwidth: p.Kind == shop.KindPlan && p.Reset != service.Never, IsEnable: true, IsCannotNewPurchase: !p.Visible,
		DataJSON: map[string]any{"months": price.Months},
	}
	if p.Kind == shop.KindPackage {
		out.ShopType = "additional_package"
		if p.ValidDays != nil {
			out.AccountValidityDuration = ptr(fmt.Sprintf("P%dD", *p.ValidDays))
		}
		return out
	}
	out.UserLevel, out.UserLevelDuration = &p.Class, ptr(fmt.Sprintf("P%dM", price.Months))
	if out.IsAutoResetBandwidth {
		out.SsBandwidthResetInterval = ptr("P1M")
	}
	return out
}

// staffPlan is what staff writes of a plan for people to read.
type staffPlan struct {
	ID     int64  `json:"id"`
	Kind   string `json:"kind" enum:"plan,package"`
	Name   string `json:"name" doc:"Where the reader's language has none of its own"`
	NameZH string `json:"name_zh" doc:"Empty: there is none in Chinese"`
	NameEN string `json:"name_en" doc:"Empty: there is none in English"`
	Info   string `json:"info" doc:"Where the reader's language has none of its own"`
	InfoZH string `json:"info_zh" doc:"Empty: there is none in Chinese"`
	InfoEN string `json:"info_en" doc:"Empty: there is none in English"`
}

func newStaffPlan(p *shop.Plan) staffPlan {
	return staffPlan{
		p.ID, string(p.Kind), p.Name, p.Names[fault.ZH], p.Names[fault.EN], p.Info, p.Infos[fault.ZH], p.Infos[fault.EN],
	}
}

type planTextsWish struct {
	ID   int64 `path:"plan_id" minimum:"1"`
	Body struct {
		Name   *string `json:"name,omitempty" maxLength:"64"`
		NameZH *string `json:"name_zh,omitempty" maxLength:"64" doc:"Empty: name"`
		NameEN *string `json:"name_en,omitempty" maxLength:"64" doc:"Empty: name"`
		Info   *string `json:"info,omitempty" maxLength:"2000"`
		InfoZH *string `json:"info_zh,omitempty" maxLength:"2000" doc:"Empty: info"`
		InfoEN *string `json:"info_en,omitempty" maxLength:"2000" doc:"Empty: info"`
	}
}

// StaffPlans adds what staff writes of plans and packages; what they hold and cost is changed by command.
func StaffPlans(s *shop.Shop) Resource {
	return func(r *Router) {
		handleList(r, staffOp("GET /staff/plans", permission.PlanRead).
			named("staff_plans_list", "The names and descriptions of plans and packages, hidden ones too"), func(ctx context.Context, _ account.Identity, _ *Empty) (out []staffPlan, err error) {
			plans, err := s.ListPlans(ctx)
			for i := range plans {
				out = append(out, newStaffPlan(&plans[i]))
			}
			return out, err
		})
		handle(r, staffOp("PATCH /staff/plans/{plan_id}/texts", permission.PlanWrite).
			named("staff_plan_texts_set", "Change the name and description of a plan, by language; what was sold keeps its text"), func(ctx context.Context, _ account.Identity, in *planTextsWish) (staffPlan, error) {
			b := in.Body
			p, err := s.ChangePlan(ctx, in.ID, func(p *shop.Plan) {
				assign(&p.Name, b.Name)
				assign(&p.Info, b.Info)
				p.Names = p.Names.With(fault.ZH, b.NameZH).With(fault.EN, b.NameEN)
				p.Infos = p.Infos.With(fault.ZH, b.InfoZH).With(fault.EN, b.InfoEN)
			})
			if err != nil {
				return staffPlan{}, err
			}
			return newStaffPlan(p), nil
		})
	}
}

// Plans adds the operations that show what the shop sells: for the new pages, and in the shapes of the classic ones.
func Plans(s *shop.Shop, settings *setting.Settings) Resource {
	return func(r *Router) {
		type filter struct {
			RenewServiceID int64 `query:"renew_service_id" minimum:"1" doc:"Only the plan of this service, hidden ones too, to renew it"`
		}
		handleList(r, op{method: http.MethodGet, path: "/user/shop/plans", id: "shop_plans", tag: "user", access: user, summary: "What is on sale, with prices"},
			func(ctx context.Context, who account.Identity, in *filter) ([]planItem, error) {
				lang := api.CallerOf(ctx).Lang
				bought, err := s.Bought(ctx, who.UserID)
				if err != nil {
					return nil, err
				}
				if in.RenewServiceID != 0 {
					p, err := s.PlanOf(ctx, who.UserID, in.RenewServiceID)
					if err != nil {
						return nil, err
					}
					return []planItem{newPlanItem(p.In(lang), bought)}, nil
				}
				plans, err := s.OnSale(ctx)
				var out []planItem
				for i := range plans {
					out = append(out, newPlanItem(plans[i].In(lang), bought))
				}
				return out, err
			})

		handle(r, op{method: http.MethodGet, path: "/user/shop-old", id: "shop_old", tag: "user", access: user, summary: "What is on sale, in the classic shape"},
			func(ctx context.Context, _ account.Identity, _ *Empty) (productList, error) {
				plans, err := s.OnSale(ctx)
				out := productList{map[string]trialPlan{}}
				for i := range plans {
					out.Products["plan_"+strconv.FormatInt(plans[i].ID, 10)] = newTrialPlan(&plans[i], settings.Get().Currency, api.CallerOf(ctx).Lang)
				}
				return out, err
			})

		type which struct {
			ShopID int64 `path:"shop_id" minimum:"1"`
		}
		handle(r, op{method: http.MethodGet, path: "/user/shop-old/{shop_id}/info", id: "shop_info", tag: "user", access: user, summary: "One plan for one period, or one package"},
			func(ctx context.Context, who account.Identity, in *which) (oldServiceShop, error) {
				price, err := s.Price(ctx, who.UserID, in.ShopID)
				if err != nil {
					return oldServiceShop{}, err
				}
				return newOldServiceShop(price, api.CallerOf(ctx).Lang), nil
			})
	}
}

var currencySigns = map[string]string{"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£"}

func newTrialPlan(p *shop.Plan, currency string, lang fault.Lang) trialPlan {
	p = p.In(lang)
	say := func(zh, en string) string { return fault.Text{ZH: zh, EN: en}.In(lang) }
	out := trialPlan{Name: p.Name, Info: &p.Info, Currency: currency, Billing: say("一次性", "once"), PlanShopID: map[string]int64{}}
	if sign, ok := currencySigns[currency]; ok {
		out.Currency = sign
	}
	for i, price := range p.Prices {
		if i == 0 {
			out.Price = price.Amount.String()
			if price.Amount == 0 {
				out.Price = say("免费", "free")
			}
			if price.Months > 0 {
				out.Billing = say("每 "+monthsText(price.Months).ZH, "every "+strings.TrimPrefix(monthsText(price.Months).EN, "1 "))
			}
		}
		period := "package"
		if price.Months > 0 {
			period = strconv.Itoa(price.Months) + "month"
		}
		out.PlanShopID[period] = price.ID
	}
	traffic := say("不限流量", "unlimited traffic")
	if p.TrafficBytes != nil {
		traffic = fmt.Sprintf("%.4g GB", float64(*p.TrafficBytes)/(1<<30))
	}
	limit := func(n *int, unit string) string {
		if n == nil {
			return say("不限", "no limit")
		}
		return strconv.Itoa(*n) + unit
	}
	out.Features = []trialFeature{{true, say("流量", "Traffic"), &traffic}}
	if p.Kind == shop.KindPlan {
		out.Features = append(out.Features,
			trialFeature{true, say("等级", "Class"), ptr(strconv.Itoa(p.Class))},
			trialFeature{true, say("速度", "Speed"), ptr(limit(p.SpeedMbps, " Mbit/s"))},
			trialFeature{true, say("设备", "Devices"), ptr(limit(p.Devices, ""))})
	}
	return out
}
