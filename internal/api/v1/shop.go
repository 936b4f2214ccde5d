package v1

import (
	"net/http"
	"strconv"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/shop"
)

// Shop adds the older routes of the shop. A plan is `plan_2` or `2`, a period `3month` or `3`; `shop` is the id of a price.
func (r *Router) Shop(s *shop.Shop) {
	r.user("GET /v1/user/shop", func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
		p, err := in.paging()
		if err != nil {
			return Answer{}, err
		}
		plans, err := s.OnSale(req.Context())
		if err != nil {
			return Answer{}, err
		}
		rows := []map[string]any{}
		for _, plan := range plans {
			for _, price := range plan.Prices {
				rows = append(rows, shopRow(&plan, &price))
			}
		}
		total := int64(len(rows))
		rows = rows[min(p.offset(), total):min(p.offset()+p.size, total)]
		return p.answer(rows, total, "id", "shop_name", "shop_type", "months", "money_amount"), nil
	})
	r.user("GET /v1/user/shop/getplaninfo", func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
		plan, err := planNumber("getplaninfo", in)
		if err != nil {
			return Answer{}, err
		}
		months, err := months("getplaninfo", in)
		if err != nil {
			return Answer{}, err
		}
		price, err := s.PriceFor(req.Context(), plan, months)
		if err != nil {
			return Answer{}, err
		}
		return Answer{
			Msg: "ok", Data: shopRow(price.Plan, price),
			More: map[string]any{"id": price.ID, "name": price.Plan.Name, "price": price.Amount},
		}, nil
	})
	r.user("GET /v1/user/shop/getplantime", func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
		number, err := planNumber("getplantime", in)
		if err != nil {
			return Answer{}, err
		}
		p, err := s.Plan(req.Context(), number)
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
	r.user("POST /v1/user/buy_pre", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		id, err := number("buy_pre", "shop", in)
		if err != nil {
			return Answer{}, err
		}
		q, err := s.PreOrder(req.Context(), who.UserID, shop.Purchase{PriceID: id, Coupon: in.Get("coupon")})
		if err != nil {
			return Answer{}, err
		}
		return Answer{Msg: "ok", Data: shopRow(q.Price.Plan, q.Price), More: map[string]any{
			"name": q.Price.Plan.Name, "credit": q.Discount, "total": q.Amount, "onetime": 0, "shop": q.Price.ID, "balance": q.Available, "missing": q.Missing,
		}}, nil
	})
	r.user("POST /v1/user/buy", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		return buy(req, s, who, in, "buy", "shop", false)
	})
	r.user("POST /v1/user/shop/buytrafficpackage", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		name := "shop"
		if in.Get(name) == "" && in.Get("shopid") != "" { // the older name
			name = "shopid"
		}
		return buy(req, s, who, in, "buytrafficpackage", name, true)
	})
	r.user("GET /v1/user/bought", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		p, err := in.paging()
		if err != nil {
			return Answer{}, err
		}
		orders, total, err := s.Purchases(req.Context(), who.UserID, p.size, p.offset())
		if err != nil {
			return Answer{}, err
		}
		rows := []map[string]any{}
		for _, o := range orders {
			rows = append(rows, map[string]any{
				"id": o.UUID, "no": o.ID, "created_at": o.CreatedAt, "expires_at": o.EndsAt, "shop_id": o.PriceID, "shop_name": o.Terms.Name,
				"money_amount": o.Amount, "auto_renew": o.Renews,
			})
		}
		return p.answer(rows, total, "id", "created_at", "expires_at", "shop_id", "shop_name", "money_amount"), nil
	})
	r.user("DELETE /v1/user/bought", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		id, err := in.Need("bought", "id")
		if err != nil {
			return Answer{}, err
		}
		if err := s.StopRenewing(req.Context(), who.UserID, id); err != nil {
			return Answer{}, err
		}
		return Answer{Msg: fault.Text{ZH: "已关闭自动续费", EN: "It no longer renews itself"}.In(api.CallerOf(req.Context()).Lang)}, nil
	})
}

func buy(req *http.Request, s *shop.Shop, who account.Identity, in Input, operation, name string, packages bool) (Answer, error) {
	id, err := number(operation, name, in)
	if err != nil {
		return Answer{}, err
	}
	price, err := s.Price(req.Context(), who.UserID, id)
	if err == nil && packages && price.Plan.Kind != shop.KindPackage {
		err = shop.ErrNoPlan
	}
	if err != nil {
		return Answer{}, err
	}
	no, err := s.Confirm(req.Context(), who.UserID, shop.Purchase{
		PriceID: id, Coupon: in.Get("coupon"), AutoRenew: yes(in, "autorenew"), OnlyRenewal: yes(in, "disableothers"),
	})
	if err != nil {
		return Answer{}, err
	}
	return Answer{
		Msg:  fault.Text{ZH: "购买成功", EN: "Bought"}.In(api.CallerOf(req.Context()).Lang),
		Data: map[string]any{"order_no": no, "shop_id": id, "shop_name": price.Plan.Name},
	}, nil
}

// yes reads a switch of a form.
func yes(in Input, name string) bool { return in.Get(name) == "1" || in.Get(name) == "true" }

func shopRow(p *shop.Plan, price *shop.Price) map[string]any {
	row := map[string]any{
		"id": price.ID, "shop_name": p.Name, "shop_type": "main_package", "money_amount": price.Amount, "human_read_text": p.Info, "is_enable": true,
		"is_cannot_new_purchase": !p.Visible, "num": "plan_" + strconv.FormatInt(p.ID, 10), "time": period(price.Months), "months": price.Months,
		"ss_bandwidth_total_size": p.TrafficBytes, "user_level": p.Class, "node_speed_limit": p.SpeedMbps, "node_connector": p.Devices,
	}
	if p.Kind == shop.KindPackage {
		row["shop_type"], row["time"] = "additional_package", ""
	}
	return row
}

func period(months int) string { return strconv.Itoa(months) + "month" }

func number(operation, name string, in Input) (int64, error) {
	text, err := in.Need(operation, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.Invalid(name, "type", name+" 必须是整数", name+" must be a whole number")
	}
	return n, nil
}

func planNumber(operation string, in Input) (int64, error) {
	text, err := in.Need(operation, "num")
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "plan_"), 10, 64)
	if err != nil {
		return 0, fault.Invalid("num", "format", "num 应为 plan_2 或 2", "num is plan_2 or 2")
	}
	return n, nil
}

func months(operation string, in Input) (int, error) {
	text, err := in.Need(operation, "time")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "month"))
	if err != nil {
		return 0, fault.Invalid("time", "format", "time 应为 3month 或 3", "time is 3month or 3")
	}
	return n, nil
}
