package payment_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/wallet"
)

const duplicate, third = "duplicate", "third"

// newSharedMerchantServer is a test server with three gateways that are accounts with one merchant.
func newSharedMerchantServer(t *testing.T, d *db.DB) *server {
	t.Helper()
	g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
	methods := []payment.Method{g.Method(), g.Method(), g.Method()}
	methods[1].Name, methods[2].Name = duplicate, third
	c := &server{paymenttest.New(t, d, nil, methods...), g}
	c.Mux.Handle("/sandbox/", g.Pages(c.Mux))
	return c
}

// notifyAccount sends what the platform says to another account with its merchant.
func (c *server) notifyAccount(t testing.TB, name string, p payment.Payment) *httptest.ResponseRecorder {
	t.Helper()
	return c.SendNotify(t.Context(), name, paymenttest.Notice{
		Header: map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}},
		Body:   c.sandbox.Notice(p).Encode(),
	})
}

// creditCase has the operator credit a case.
func (c *server) creditCase(t testing.TB, id, user int64) error {
	t.Helper()
	_, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{CaseID: id, UserID: user, Reason: "it was paid"})
	return err
}

// The platform reports the payment to another account before it calls it paid, so that a case opens.
func TestSharedMerchant_CaseOfAPaymentThatIsCreditedLater_IsDismissed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSharedMerchantServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		for _, name := range []string{duplicate, third, duplicate} {
			if w := c.notifyAccount(t, name, paid(r)); w.Body.String() == "success" {
				t.Errorf("%s accepts it", name)
			}
		}
		cases := c.cases(t)
		if len(cases) != 1 || cases[0].Kind != payment.WrongGateway {
			t.Fatalf("%+v", cases)
		}
		c.pressButton(t, r, "pay")
		if got := c.cases(t)[0].State; got != payment.CaseDismissed || c.Balance(t, user).Posted != 3000 {
			t.Errorf("the case is %s, the balance %s", got, c.Balance(t, user).Posted)
		}
		if err := c.creditCase(t, cases[0].ID, 0); !errors.Is(err, payment.ErrCaseEnded) {
			t.Error(err)
		}
		c.MustBeConsistent(t)
	})
}

func TestSharedMerchant_PaymentWhoseCaseWasCredited_IsNotCreditedAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSharedMerchantServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		c.notifyAccount(t, duplicate, paid(r))
		if err := c.creditCase(t, c.cases(t)[0].ID, 0); err != nil {
			t.Fatal(err)
		}
		shown, err := c.Wallets.RechargeByTradeNo(t.Context(), r.TradeNo)
		if err != nil || shown.State != wallet.RechargeExpired {
			t.Errorf("the recharge that the case settled is %s, %v", shown.State, err)
		}
		c.pressButton(t, r, "pay")
		if err := c.Payments.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{sandbox.Name, duplicate, third} {
			if w := c.notifyAccount(t, name, paid(r)); w.Body.String() != "success" {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}
		if b := c.Balance(t, user); b.Posted != 3000 || b.Movements != 1 || len(c.cases(t)) != 1 {
			t.Errorf("%+v, cases %+v", b, c.cases(t))
		}
		c.MustBeConsistent(t)
	})
}

// Nobody knows the trade number, so each account has to take it for its own.
func TestSharedMerchant_UnknownPaymentReportedToEachAccount_IsOneCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSharedMerchantServer(t, d)
		user := c.User(t)
		p := paid(c.recharge(t, user, 3000))
		p.TradeNo = "OTHERSITE00000000000000000"
		for _, name := range []string{sandbox.Name, duplicate, third} {
			c.notifyAccount(t, name, p)
		}
		cases := c.cases(t)
		if len(cases) != 1 {
			t.Fatalf("%+v", cases)
		}
		if err := c.creditCase(t, cases[0].ID, user); err != nil || c.Balance(t, user).Posted != 3000 {
			t.Errorf("%v, %s", err, c.Balance(t, user).Posted)
		}
		c.MustBeConsistent(t)
	})
}

// unsteady is a gateway whose platform cannot be asked for a while.
type unsteady struct {
	*sandbox.Gateway
	down bool
}

func (g *unsteady) Ask(ctx context.Context, b payment.Bill) (payment.Payment, error) {
	if g.down {
		return payment.Payment{}, errors.New("the platform does not answer")
	}
	return g.Gateway.Ask(ctx, b)
}

func TestSharedMerchant_OwnGatewayCannotBeAsked_IsACaseUntilItCan(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
		first, second := g.Method(), g.Method()
		own := &unsteady{Gateway: g}
		first.Gateway, second.Name = own, duplicate
		c := &server{paymenttest.New(t, d, nil, first, second), g}
		c.Mux.Handle("/sandbox/", g.Pages(c.Mux))
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		own.down = true
		if w := c.notifyAccount(t, duplicate, paid(r)); w.Body.String() == "success" || len(c.cases(t)) != 1 {
			t.Fatalf("%d %s, cases %+v", w.Code, w.Body, c.cases(t))
		}
		own.down = false
		if w := c.notifyAccount(t, duplicate, paid(r)); w.Body.String() != "success" || c.Balance(t, user).Posted != 3000 {
			t.Errorf("%d %s, %s", w.Code, w.Body, c.Balance(t, user).Posted)
		}
		own.down = true // nobody needs to be asked about what is paid
		if w := c.notifyAccount(t, duplicate, paid(r)); w.Body.String() != "success" || c.Balance(t, user).Posted != 3000 {
			t.Errorf("%d %s, %s", w.Code, w.Body, c.Balance(t, user).Posted)
		}
		if got := c.cases(t)[0].State; got != payment.CaseDismissed {
			t.Errorf("the case is %s", got)
		}
		c.MustBeConsistent(t)
	})
}

func TestNotify_WhileStaffDecidesOnItsCase_IsToComeAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 30000) // beyond what a member may give alone
		less := paid(r)
		less.Amount -= 100
		c.notify(t.Context(), c.sandbox.Notice(less))
		_, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{
			CaseID: c.cases(t)[0].ID, Reason: "they paid less", StaffID: new(int64(cashier)),
		})
		if err != nil || c.cases(t)[0].State != payment.CaseWaiting {
			t.Fatal(err, c.cases(t))
		}
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		_, err = c.Payments.ConfirmByHand(t.Context(), payment.Confirmation{TradeNo: r.TradeNo, StaffID: cashier})
		if !errors.Is(err, payment.ErrCaseEnded) || c.Balance(t, user).Posted != 0 {
			t.Errorf("asking the platform while it waits: %v", err)
		}
		form := c.sandbox.Notice(paid(r))
		if w := c.notify(t.Context(), form); w.Body.String() == "success" || c.Balance(t, user).Posted != 0 {
			t.Errorf("while it waits: %d %s, %s", w.Code, w.Body, c.Balance(t, user).Posted)
		}
		if _, err := c.Payments.DecideCase(t.Context(), c.cases(t)[0].ID, false, new(int64(second))); err != nil {
			t.Fatal(err)
		}
		if w := c.notify(t.Context(), form); w.Body.String() != "success" || c.Balance(t, user).Posted != 30000 {
			t.Errorf("after it was declined: %d %s, %s", w.Code, w.Body, c.Balance(t, user).Posted)
		}
		c.MustBeConsistent(t)
	})
}

func TestOutsidePayment_OfARechargeThatIsPaid_IsRefusedAndOpensNoCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.paidRecharge(t, user, 3000)
		for range 2 {
			if err := c.outside(t, r, cashier); !errors.Is(err, payment.ErrPaidAlready) {
				t.Error(err)
			}
		}
		if b := c.Balance(t, user); b.Posted != 3000 || len(c.cases(t)) != 0 {
			t.Errorf("%+v, cases %+v", b, c.cases(t))
		}
		again := c.recharge(t, user, 1000)
		for range 2 { // the same said twice is no second payment
			if err := c.outside(t, again, cashier); err != nil {
				t.Error(err)
			}
		}
		if b := c.Balance(t, user); b.Posted != 4000 {
			t.Errorf("%+v", b)
		}
	})
}
