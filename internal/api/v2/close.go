package v2

import (
	"context"
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

type lossResult struct {
	Balance    money.Amount `json:"balance" doc:"Of the wallet, what orders hold included"`
	Commission money.Amount `json:"commission"`
	Forfeit    money.Amount `json:"forfeit" doc:"All of it, as it must be sent to close the account"`
	Services   int64        `json:"services" doc:"Services that run, and packages with something left"`
	GaEnable   bool         `json:"ga_enable" doc:"Whether ga_token is needed"`
}

type closeBody struct {
	Password string      `json:"password" maxLength:"1024"`
	GaToken  string      `json:"ga_token,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
	Email    string      `json:"email" maxLength:"320" doc:"The account's address, typed to confirm"`
	Forfeit  AmountInput `json:"forfeit" doc:"The money that the user saw they give up; must be what it is now"`
}

// Close adds the closing of an account by its user.
func Close(a *account.Accounts) Resource {
	return func(r *Router) {
		handle(r, op{method: http.MethodGet, path: "/user/account/close", id: "account_loss", tag: "user", access: user, summary: "What closing the account costs"},
			func(ctx context.Context, who account.Identity, _ *Empty) (lossResult, error) {
				l, err := a.Loss(ctx, who.UserID)
				return lossResult{l.Balance, l.Commission, l.Money(), l.Services, l.TwoFactor}, err
			})
		handle(r, op{
			method: http.MethodPost, path: "/user/account/close", id: "account_close", tag: "user", access: user,
			summary: "Close the account for good", message: fault.Text{ZH: "账号已注销", EN: "The account is closed"},
		}, func(ctx context.Context, who account.Identity, in *body[closeBody]) (Empty, error) {
			b := in.Body
			err := a.Close(ctx, who, account.CloseInput{Password: b.Password, TwoFactor: b.GaToken, Email: b.Email, Forfeit: b.Forfeit.Amount}, clientOf(ctx))
			return Empty{}, fieldsCalled(err, "code", "ga_token")
		})
	}
}
