package v1

import (
	"cmp"
	"crypto/subtle"
	"net/http"
	"slices"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// Payment adds the older routes that bring money in. `type` is the name of a gateway, `out_trade_no` is our tradeno.
func (r *Router) Payment(w *wallet.Wallets, p *payment.Payments, a *account.Accounts) {
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
		if text := recharge.PayPage.Text; text != nil {
			data["text"] = text.In(api.CallerOf(req.Context()).Lang)
		}
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

	confirm := func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		tradeNo, err := in.Need("admin_notify", "out_trade_no")
		if err != nil {
			return Answer{}, err
		}
		caller := api.CallerOf(req.Context())
		recharge, err := p.ConfirmByHand(req.Context(), payment.Confirmation{TradeNo: tradeNo, StaffID: who.UserID, Address: caller.IP.String()})
		if err != nil {
			return Answer{}, err
		}
		data := map[string]any{"out_trade_no": recharge.TradeNo, "money_amount": recharge.Amount, "result": 1}
		return Answer{Msg: fault.Text{ZH: "充值已确认", EN: "The recharge is confirmed"}.In(caller.Lang), Data: data, More: data}, nil
	}
	cashiers := []account.Role{account.Owner, account.Admin, account.Finance}
	r.staff("GET /v1/payment/admin_notify", cashiers, confirm)
	r.cookies("GET /v1/payment/admin_notify_by_cookies", a, cashiers, confirm)
}

// cookies registers a route for members of staff who show the older cookies. Since browsers send those by themselves,
// the header X-CSRF-Token must say what only a page of ours can know.
func (r *Router) cookies(pattern string, a *account.Accounts, roles []account.Role, fn func(*http.Request, account.Identity, Input) (Answer, error)) {
	r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		who, err := byCookies(req, a)
		if err == nil && !slices.Contains(roles, who.Role) {
			err = cmp.Or[error](who.Refusal(), api.ErrNotForYou)
		}
		if err != nil {
			fail(w, req, err)
			return
		}
		serve(w, req, func(req *http.Request, in Input) (Answer, error) { return fn(req, who, in) })
	})
}

func byCookies(req *http.Request, a *account.Accounts) (account.Identity, error) {
	key, err := req.Cookie("key")
	if err != nil {
		return account.Identity{}, api.ErrSignIn
	}
	who, csrf, err := a.AuthenticateCookie(req.Context(), key.Value, clientOf(req))
	if err == nil && subtle.ConstantTimeCompare([]byte(req.Header.Get("X-CSRF-Token")), []byte(csrf.String())) != 1 {
		err = errCSRF
	}
	return who, err
}

var errCSRF = fault.Forbidden("csrf_token", "缺少或错误的 X-CSRF-Token", "The header X-CSRF-Token is missing or wrong")
