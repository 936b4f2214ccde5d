package v1

import (
	"net/http"

	"airstrip/internal/fault"
	"airstrip/internal/telegram"
)

// Telegram adds the older form of the sign-in that a person confirms in Telegram: token is the login_code and number
// the number that came with it. It answers 409 login_code_waiting until it is confirmed.
func (r *Router) Telegram(b *telegram.Bot) {
	r.open("POST /v1/auth/qrcode_login", params{
		need("token", "login_code"), need("number").within(0, 1_000_000), may("code", "two_fa_code"), rememberMe,
	}, func(req *http.Request, in Input) (Answer, error) {
		g, err := b.SignInByNumber(req.Context(), in.Get("token"), int(in.Int("number")), in.Get("code"),
			in.Yes("remember_me"), clientOf(req))
		return granted(req, g, fault.Text{ZH: "登录成功", EN: "Signed in"}), err
	})
}
