package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
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
	Password string         `json:"password" maxLength:"1024"`
	GaToken  string         `json:"ga_token,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
	Email    string         `json:"email" maxLength:"320" doc:"The account's address, typed to confirm"`
	Forfeit  v2.AmountInput `json:"forfeit" doc:"The money that the user saw they give up; must be what it is now"`
}

// CloseAccount adds the closing of an account by its user.
func CloseAccount(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/account/close").OpenToVisits().
			Named("account_loss", "What closing the account costs"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (lossResult, error) {
				l, err := a.Loss(ctx, who.UserID)
				return lossResult{l.Balance, l.Commission, l.Money(), l.Services, l.TwoFactor}, err
			})
		v2.Handle(r, v2.UserOp("POST /user/account/close").
			Named("account_close", "Close the account for good").
			Answering(fault.Text{ZH: "账号已注销", EN: "The account is closed"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[closeBody]) (v2.Empty, error) {
				b := in.Body
				err := a.Close(ctx, who, account.CloseInput{
					Password: b.Password, TwoFactor: b.GaToken, Email: b.Email,
					Forfeit: b.Forfeit.Amount,
				}, v2.ClientOf(ctx))
				return v2.Empty{}, fieldsCalled(err, "code", "ga_token")
			})
	}
}
