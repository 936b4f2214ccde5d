package user

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
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
	ClassName    string      `json:"class_name" doc:"What users call the class; empty: it has no name"`
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

func newPlanItem(p *shop.Plan, bought map[int64]int, className string) planItem {
	out := planItem{
		p.ID, string(p.Kind), p.Name, p.Info, p.TrafficBytes, string(p.Reset), p.Class, className,
		append([]int{}, p.Groups...),
		p.SpeedMbps, p.Devices, p.ValidDays,
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
		ID: price.ID, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, ShopName: p.Name, ShopGroupID: p.ID,
		ShopType: "main_package", MoneyAmount: price.Amount,
		SsBandwidthTotalSize: p.TrafficBytes, NodeSpeedLimit: p.SpeedMbps, NodeConnector: p.Devices,
		ContentExtra:         p.Info,
		IsAutoResetBandwidth: p.Kind == shop.KindPlan && p.Reset != service.Never, IsEnable: true,
		IsCannotNewPurchase: !p.Visible,
		DataJSON:            map[string]any{"months": price.Months},
	}
	if p.Kind == shop.KindPackage {
		out.ShopType = "additional_package"
		if p.ValidDays != nil {
			out.AccountValidityDuration = new(fmt.Sprintf("P%dD", *p.ValidDays))
		}
		return out
	}
	out.UserLevel, out.UserLevelDuration = &p.Class, new(fmt.Sprintf("P%dM", price.Months))
	if out.IsAutoResetBandwidth {
		out.SsBandwidthResetInterval = new("P1M")
	}
	return out
}

// Plans adds the operations that show what the shop sells: for the new pages, and in the shapes of the classic ones.
func Plans(s *shop.Shop, settings *setting.Settings) v2.Resource {
	return func(r *v2.Router) {
		type filter struct {
			RenewServiceID int64 `query:"renew_service_id" minimum:"1" doc:"Only the plan of this service, hidden ones too, to renew it"`
		}
		v2.HandleList(r, v2.UserOp("GET /user/shop/plans").OpenToVisits().
			Named("shop_plans", "What is on sale, with prices"),
			func(ctx context.Context, who account.Identity, in *filter) ([]planItem, error) {
				site, lang := settings.Get(), api.CallerOf(ctx).Lang
				bought, err := s.Bought(ctx, who.UserID)
				if err != nil {
					return nil, err
				}
				if in.RenewServiceID != 0 {
					p, err := s.PlanOf(ctx, who.UserID, in.RenewServiceID)
					if err != nil {
						return nil, err
					}
					return []planItem{newPlanItem(p.In(lang), bought, site.ClassName(p.Class, lang))}, nil
				}
				plans, err := s.OnSale(ctx)
				var out []planItem
				for i := range plans {
					out = append(out, newPlanItem(plans[i].In(lang), bought, site.ClassName(plans[i].Class, lang)))
				}
				return out, err
			})

		v2.Handle(r, v2.UserOp("GET /user/shop-old").OpenToVisits().
			Named("shop_old", "What is on sale, in the classic shape"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (productList, error) {
				plans, err := s.OnSale(ctx)
				out := productList{map[string]trialPlan{}}
				for i := range plans {
					out.Products["plan_"+strconv.FormatInt(plans[i].ID, 10)] = newTrialPlan(&plans[i],
						settings.Get(), api.CallerOf(ctx).Lang)
				}
				return out, err
			})

		type which struct {
			ShopID int64 `path:"shop_id" minimum:"1"`
		}
		v2.Handle(r, v2.UserOp("GET /user/shop-old/{shop_id}/info").OpenToVisits().
			Named("shop_info", "One plan for one period, or one package"),
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

func newTrialPlan(p *shop.Plan, site setting.Site, lang fault.Lang) trialPlan {
	p = p.In(lang)
	say := func(zh, en string) string { return fault.Text{ZH: zh, EN: en}.In(lang) }
	out := trialPlan{
		Name: p.Name, Info: &p.Info, Currency: site.Currency, Billing: say("一次性", "once"),
		PlanShopID: map[string]int64{},
	}
	if sign, ok := currencySigns[site.Currency]; ok {
		out.Currency = sign
	}
	for i, price := range p.Prices {
		if i == 0 {
			out.Price = price.Amount.String()
			if price.Amount == 0 {
				out.Price = say("免费", "free")
			}
			if price.Months > 0 {
				out.Billing = say("每 "+monthsText(price.Months).ZH,
					"every "+strings.TrimPrefix(monthsText(price.Months).EN, "1 "))
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
			trialFeature{true, say("等级", "Class"), new(cmp.Or(site.ClassName(p.Class, lang), strconv.Itoa(p.Class)))},
			trialFeature{true, say("速度", "Speed"), new(limit(p.SpeedMbps, " Mbit/s"))},
			trialFeature{true, say("设备", "Devices"), new(limit(p.Devices, ""))})
	}
	return out
}
