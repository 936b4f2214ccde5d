package payment_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
)

// answering is a gateway that only answers questions about bills.
type answering struct {
	payment.Gateway
	err error
}

func (a answering) Ask(_ context.Context, b payment.Bill) (payment.Payment, error) {
	return b.Unpaid(payment.Waiting), a.err
}

func TestGatewayTest_SaysWhatIsWrongAndNoAddress(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		down := &url.Error{Op: "Get", URL: "https://pay.example/?key=secret", Err: errors.New("connection refused")}
		for want, asked := range map[string]error{"": nil, "connection refused": down, "bad sign": errors.New("bad sign")} {
			kind := payment.Kind{Name: "test", Open: func(payment.Setup) (payment.Gateway, error) {
				return answering{err: asked}, nil
			}}
			c := paymenttest.New(t, d, []payment.Kind{kind})
			name := "g" + strings.ReplaceAll(want, " ", "")
			a, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "test", Name: name, Enabled: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.Payments.TestGateway(t.Context(), a.ID); err != nil || got != want {
				t.Errorf("got %q and %v, want %q", got, err, want)
			}
			if _, err := c.Payments.TestGateway(t.Context(), a.ID+100); !errors.Is(err, payment.ErrNoAccount) {
				t.Errorf("an unknown account: got %v, want ErrNoAccount", err)
			}
			if err := c.Gateways.Order(t.Context(), []int64{a.ID, a.ID}); !errors.Is(err, payment.ErrGatewayOrder) {
				t.Errorf("an account twice: got %v, want ErrGatewayOrder", err)
			}
		}
	})
}
