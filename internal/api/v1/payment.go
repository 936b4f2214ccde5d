package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// Payment adds the older routes that bring money in. `type` is the name of a gateway.
func (r *Router) Payment(w *wallet.Wallets, p *payment.Payments) {
	r.user("POST /v1/user/payment/purchase", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		text, err := in.Need("purchase", "price")
		if err != nil {
			return Answer{}, err
		}
		gateway, err := in.Need("purchase", "type")
		if err != nil {
			return Answer{}, err
		}
		amount, err := money.Parse(text)
		if err != nil {
			return Answer{}, fault.Invalid("price", "format", "金额格式不正确，最多两位小数", "The price must be an amount with at most two decimal places")
		}
		recharge, err := p.Recharge(req.Context(), who.UserID, gateway, amount)
		if err != nil {
			return Answer{}, err
		}
		if recharge.PayPage == nil {
			return Answer{}, payment.ErrGatewayDown
		}
		data := map[string]any{"type": recharge.PayPage.Kind, "tradeno": recharge.TradeNo, "url": recharge.PayPage.URL}
		return Answer{Msg: "ok", Data: data, More: data}, nil
	})
	r.open("POST /v1/payment/status", func(req *http.Request, in Input) (Answer, error) {
		tradeNo, err := in.Need("status", "tradeno")
		if err != nil {
			return Answer{}, err
		}
		recharge, err := w.RechargeByTradeNo(req.Context(), tradeNo)
		if err != nil {
			return Answer{}, err
		}
		paid := 0
		if recharge.State == wallet.RechargeDone {
			paid = 1
		}
		return Answer{Msg: "ok", Data: paid, More: map[string]any{"result": paid}}, nil
	})
}
