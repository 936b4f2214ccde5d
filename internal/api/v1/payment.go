package v1

import (
	"crypto/subtle"
	"math"
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

// Payment adds the older routes that bring money in. `type` is the name of a gateway, `out_trade_no` is our tradeno.
func (r *Router) Payment(w *wallet.Wallets, p *payment.Payments, a *account.Accounts) {
	r.user("POST /v1/user/payment/purchase", params{need("price", "amount").as(amount), need("type", "gateway")},
		func(req *http.Request, who account.Identity, in Input) (Answer, error) {
			recharge, err := p.Recharge(req.Context(), who.UserID, in.Get("type"), in.Amount("price"))
			if err != nil {
				return Answer{}, err
			}
			if recharge.PayPage == nil {
				return Answer{}, payment.ErrGatewayDown
			}
			data := map[string]any{
				"type": recharge.PayPage.Kind, "tradeno": recharge.TradeNo,
				"url": recharge.PayPage.URL,
			}
			if text := recharge.PayPage.Text; text != nil {
				data["text"] = text.In(api.CallerOf(req.Context()).Lang)
			}
			return Answer{Msg: "ok", Data: data, More: data}, nil
		})
	r.open("POST /v1/payment/status", params{need("tradeno")}, func(req *http.Request, in Input) (Answer, error) {
		recharge, err := w.RechargeByTradeNo(req.Context(), in.Get("tradeno"))
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
		caller := api.CallerOf(req.Context())
		recharge, err := p.ConfirmByHand(req.Context(), payment.Confirmation{
			TradeNo: in.Get("out_trade_no"), StaffID: who.UserID, Address: caller.IP.String(), Act: in.Int("act"),
		})
		if err != nil {
			return Answer{}, err
		}
		data := map[string]any{"out_trade_no": recharge.TradeNo, "money_amount": recharge.Amount, "result": 1}
		return Answer{
			Msg: fault.Text{ZH: "充值已确认", EN: "The recharge is confirmed"}.In(caller.Lang), Data: data,
			More: data,
		}, nil
	}
	confirms := needs(permission.PaymentConfirm, approval.PaymentByHand)
	// of the approvals, once one was declined
	which := params{need("out_trade_no"), may("act").within(1, math.MaxInt64)}
	r.staff("GET /v1/payment/admin_notify", confirms, which, confirm)
	r.cookies("GET /v1/payment/admin_notify_by_cookies", a, confirms, which, confirm)
}

// cookies registers a route for members of staff who show the older cookies. Since browsers send those by themselves,
// the header X-CSRF-Token must say what only a page of ours can know.
func (r *Router) cookies(pattern string, a *account.Accounts, needs rule, ps params, fn member) {
	r.staffRule(pattern, needs)
	r.handle(pattern, ps, func(w http.ResponseWriter, req *http.Request) {
		who, err := byCookies(req, a)
		if err == nil {
			err = needs.admits(who)
		}
		if err != nil {
			fail(w, req, err)
			return
		}
		serve(w, req, pattern, ps, r.under(needs, fn).of(who))
	})
}

func byCookies(req *http.Request, a *account.Accounts) (account.Identity, error) {
	key, err := req.Cookie(a.Sessions.CookiePrefix() + account.CookieName)
	if err != nil { // one from before the site had https, or the prefix
		key, err = req.Cookie(account.CookieName)
	}
	if err != nil {
		return account.Identity{}, api.ErrSignIn
	}
	who, csrf, err := a.Sessions.AuthenticateCookie(req.Context(), key.Name, key.Value, clientOf(req))
	if err == nil && subtle.ConstantTimeCompare([]byte(req.Header.Get("X-CSRF-Token")), []byte(csrf.String())) != 1 {
		err = errCSRF
	}
	return who, err
}

var errCSRF = fault.Forbidden("csrf_token", "缺少或错误的 X-CSRF-Token", "The header X-CSRF-Token is missing or wrong")
