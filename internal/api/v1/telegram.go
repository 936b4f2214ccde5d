package v1

import (
	"net/http"
	"strconv"

	"airstrip/internal/fault"
	"airstrip/internal/telegram"
)

// Telegram adds the older form of the sign-in that a person confirms in Telegram: token is the login_code and number
// the number that came with it. It answers 409 login_code_waiting until it is confirmed.
func (r *Router) Telegram(b *telegram.Bot) {
	const operation = "POST /v1/auth/qrcode_login"
	r.open(operation, func(req *http.Request, in Input) (Answer, error) {
		token, err := in.Need(operation, "token")
		if err != nil {
			return Answer{}, err
		}
		text, err := in.Need(operation, "number")
		if err != nil {
			return Answer{}, err
		}
		number, err := strconv.Atoi(text)
		if err != nil {
			return Answer{}, fault.Invalid("number", "type", "必须是整数", "This must be a whole number")
		}
		g, err := b.SignInByNumber(req.Context(), token, number, in.Get("code"), in.yes("remember_me"), clientOf(req))
		return granted(req, g, fault.Text{ZH: "登录成功", EN: "Signed in"}), called(err, "two_fa_code", "code")
	})
}
