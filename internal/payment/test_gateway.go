package payment

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"time"

	"airstrip/internal/money"
)

// TestGateway asks the platform of an account about a payment that there is not, and returns what is wrong: empty where
// it answers as one that knows the account. One without a platform always works. Addresses are left out of what it
// returns, since some platforms want a secret in them.
func (p *Payments) TestGateway(ctx context.Context, id int64) (problem string, err error) {
	accounts, err := p.gateways.List(ctx)
	if err != nil {
		return "", err
	}
	for i := range accounts {
		a := &accounts[i]
		if a.ID != id {
			continue
		}
		gateway, err := p.gateways.openAccount(a)
		if err != nil {
			return err.Error(), nil
		}
		if _, byHand := gateway.(ByHand); byHand {
			return "", nil
		}
		ctx, cancel := context.WithTimeout(ctx, gatewayTimeout)
		defer cancel()
		_, err = gateway.Ask(ctx, Bill{
			TradeNo: "TEST" + rand.Text(), Amount: money.Amount(100), Currency: a.Currency, Title: "test",
			ExpiresAt: p.db.Now().Add(time.Hour), ReturnURL: p.site, NotifyURL: p.site + "/v1/payment/notify/" + a.Name,
			Ref: "TEST" + rand.Text(),
		})
		return problemOf(err), nil
	}
	return "", ErrNoAccount
}

// problemOf returns what an error says without the address that was called.
func problemOf(err error) string {
	if failed := new(url.Error); errors.As(err, &failed) {
		return failed.Err.Error()
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
