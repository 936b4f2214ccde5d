package v1

import (
	"net/http"
	"strconv"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/shop"
)

// Shop adds the older routes of the shop. A plan is `plan_2` or `2`, a period `3month` or `3`; `shop` is the id of a
// price.
func (r *Router) Shop(s *shop.Shop) {
	r.user("GET /v1/user/shop", paged, func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
		p := in.paging()
		plans, err := s.OnSale(req.Context())
		if err != nil {
			return Answer{}, err
		}
		lang := api.CallerOf(req.Context()).Lang
		rows := []map[string]any{}
		for _, plan := range plans {
			for _, price := range plan.Prices {
				rows = append(rows, shopRow(&plan, &price, lang))
			}
		}
		total := int64(len(rows))
		rows = rows[min(p.offset(), total):min(p.offset()+p.size, total)]
		return p.answer(rows, total, "id", "shop_name", "shop_type", "months", "money_amount"), nil
	})
	r.user("GET /v1/user/shop/getplaninfo", params{planNumber, planTime}, func(req *http.Request, _ account.Identity,
		in Input,
	) (Answer, error) {
		price, err := s.PriceFor(req.Context(), in.Int("num"), int(in.Int("time")))
		if err != nil {
			return Answer{}, err
		}
		lang := api.CallerOf(req.Context()).Lang
		return Answer{
			Msg: "ok", Data: shopRow(price.Plan, price, lang),
			More: map[string]any{"id": price.ID, "name": price.Plan.In(lang).Name, "price": price.Amount},
		}, nil
	})
	r.user("GET /v1/user/shop/getplantime", params{planNumber}, func(req *http.Request, _ account.Identity,
		in Input,
	) (Answer, error) {
		p, err := s.Plan(req.Context(), in.Int("num"))
		if err == nil && !p.Visible {
			err = shop.ErrNoPlan
		}
		if err != nil {
			return Answer{}, err
		}
		times := []string{}
		for _, price := range p.Prices {
			if price.Months > 0 {
				times = append(times, period(price.Months))
			}
		}
		return Answer{Msg: "ok", Data: times, More: map[string]any{"plan_time": times}}, nil
	})
	r.user("POST /v1/user/buy_pre", params{need("shop", "price_id", "shop_id").as(integer), may("coupon")},
		func(req *http.Request, who account.Identity, in Input) (Answer, error) {
			lang := api.CallerOf(req.Context()).Lang
			q, err := s.PreOrder(req.Context(), who.UserID, shop.Purchase{
				PriceID: in.Int("shop"),
				Coupon:  in.Get("coupon"),
				Lang:    lang,
			})
			if err != nil {
				return Answer{}, err
			}
			return Answer{Msg: "ok", Data: shopRow(q.Price.Plan, q.Price, lang), More: map[string]any{
				"name": q.Price.Plan.In(lang).Name, "credit": q.Discount, "total": q.Amount, "onetime": 0,
				"shop": q.Price.ID, "balance": q.Available, "missing": q.Missing,
			}}, nil
		})
	order := params{may("coupon"), may("autorenew", "auto_renew").as(flag), may("disableothers", "only_renewal").
		as(flag)}
	r.user("POST /v1/user/buy", params{need("shop", "price_id", "shop_id").as(integer)}.and(order),
		func(req *http.Request, who account.Identity, in Input) (Answer, error) {
			return buy(req, s, who, in, in.Int("shop"), false)
		})
	const buyPackage = "POST /v1/user/shop/buytrafficpackage"
	r.user(buyPackage, params{may("shop", "price_id", "shop_id").as(integer), may("shopid").as(integer)}.and(order),
		func(req *http.Request, who account.Identity, in Input) (Answer, error) {
			if in.Get("shopid") != "" && in.Get("shop") == "" { // the older name
				return buy(req, s, who, in, in.Int("shopid"), true)
			}
			if err := in.Need(buyPackage, "shop"); err != nil {
				return Answer{}, err
			}
			return buy(req, s, who, in, in.Int("shop"), true)
		})
	r.user("GET /v1/user/bought", paged, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		p := in.paging()
		orders, total, err := s.Purchases(req.Context(), who.UserID, p.size, p.offset())
		if err != nil {
			return Answer{}, err
		}
		rows := []map[string]any{}
		for _, o := range orders {
			rows = append(rows, map[string]any{
				"id": o.UUID, "no": o.ID, "created_at": o.CreatedAt, "expires_at": o.EndsAt, "shop_id": o.PriceID,
				"shop_name":    o.Terms.NameIn(api.CallerOf(req.Context()).Lang),
				"money_amount": o.Amount, "auto_renew": o.Renews,
			})
		}
		return p.answer(rows, total, "id", "created_at", "expires_at", "shop_id", "shop_name", "money_amount"), nil
	})
	r.user("DELETE /v1/user/bought", params{need("id")}, func(req *http.Request, who account.Identity,
		in Input,
	) (Answer, error) {
		if err := s.StopRenewing(req.Context(), who.UserID, in.Get("id")); err != nil {
			return Answer{}, err
		}
		return Answer{Msg: fault.Text{
			ZH: "已关闭自动续费",
			EN: "It no longer renews itself",
		}.In(api.CallerOf(req.Context()).Lang)}, nil
	})
}

func buy(req *http.Request, s *shop.Shop, who account.Identity, in Input, id int64, packages bool) (Answer, error) {
	price, err := s.Price(req.Context(), who.UserID, id)
	if err == nil && packages && price.Plan.Kind != shop.KindPackage {
		err = shop.ErrNoPlan
	}
	if err != nil {
		return Answer{}, err
	}
	lang := api.CallerOf(req.Context()).Lang
	no, err := s.Confirm(req.Context(), who.UserID, shop.Purchase{
		PriceID: id, Coupon: in.Get("coupon"), AutoRenew: in.Yes("autorenew"), OnlyRenewal: in.Yes("disableothers"),
		Lang: lang,
	})
	if err != nil {
		return Answer{}, err
	}
	return Answer{
		Msg:  fault.Text{ZH: "购买成功", EN: "Bought"}.In(lang),
		Data: map[string]any{"order_no": no, "shop_id": id, "shop_name": price.Plan.In(lang).Name},
	}, nil
}

func shopRow(p *shop.Plan, price *shop.Price, lang fault.Lang) map[string]any {
	p = p.In(lang)
	row := map[string]any{
		"id": price.ID, "shop_name": p.Name, "shop_type": "main_package", "money_amount": price.Amount,
		"human_read_text": p.Info, "is_enable": true,
		"is_cannot_new_purchase": !p.Visible, "num": "plan_" + strconv.FormatInt(p.ID, 10),
		"time": period(price.Months), "months": price.Months,
		"ss_bandwidth_total_size": p.TrafficBytes, "user_level": p.Class, "node_speed_limit": p.SpeedMbps,
		"node_connector": p.Devices,
	}
	if p.Kind == shop.KindPackage {
		row["shop_type"], row["time"] = "additional_package", ""
	}
	return row
}

// A plan is plan_2 or 2, a period 3month or 3.
var (
	planNumber = param{name: "num", kind: integer, required: true, prefix: "plan_"}
	planTime   = param{name: "time", required: true, suffix: "month"}.within(1, 1200)
)

func period(months int) string { return strconv.Itoa(months) + "month" }
