package payment_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/wallet"
)

// cases returns all payment cases, the oldest first.
func (c *server) cases(t testing.TB) []payment.Case {
	t.Helper()
	cases, _, err := c.Payments.Cases(t.Context(), payment.CaseFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i, j := 0, len(cases)-1; i < j; i, j = i+1, j-1 {
		cases[i], cases[j] = cases[j], cases[i]
	}
	return cases
}

// secondPayment is a signed notify of another payment for a recharge that is paid.
func (c *server) secondPayment(r *wallet.Recharge, transactionID string) url.Values {
	p := paid(r)
	p.TransactionID = transactionID
	return c.sandbox.Notice(p)
}

func (c *server) paidRecharge(t testing.TB, user int64, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r := c.recharge(t, user, amount)
	if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
		t.Fatal(err)
	}
	if w := c.notify(t.Context(), c.sandbox.Notice(paid(r))); w.Body.String() != "success" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return r
}

func TestCase_SecondPaymentRepeatedInAStorm_IsOneCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.paidRecharge(t, user, 3000)
		form := c.secondPayment(r, "SB-second")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 4 {
					if w := c.notify(t.Context(), form); w.Code != http.StatusOK || w.Body.String() != "success" {
						t.Errorf("the gateway is answered %d %s", w.Code, w.Body)
					}
				}
			})
		}
		wg.Wait()
		cases := c.cases(t)
		if len(cases) != 1 || cases[0].Kind != payment.PaidTwice || cases[0].State != payment.CaseOpen ||
			*cases[0].UserID != user || cases[0].Amount != 3000 || cases[0].TransactionID != "SB-second" {
			t.Fatalf("cases: %+v, want one of the second payment", cases)
		}
		_, notifies, err := c.Payments.Case(t.Context(), cases[0].ID)
		if err != nil || len(notifies) != 32 || string(notifies[0].Body) != form.Encode() {
			t.Fatalf("the case has %d notifies (%v), want all 32 as they came", len(notifies), err)
		}
		credited := 0
		var mutex sync.Mutex
		for range 8 { // several members at once
			wg.Go(func() {
				staff := int64(cashier)
				_, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{
					CaseID: cases[0].ID,
					Reason: "paid twice", StaffID: &staff,
				})
				mutex.Lock()
				defer mutex.Unlock()
				if err == nil {
					credited++
				} else if !errors.Is(err, payment.ErrCaseEnded) {
					t.Errorf("%v", err)
				}
			})
		}
		wg.Wait()
		if b := c.Balance(t, user); credited != 1 || b.Posted != 6000 || b.Movements != 2 {
			t.Fatalf("credited %d times, %+v", credited, b)
		}
		if w := c.notify(t.Context(), form); w.Body.String() != "success" || c.Balance(t, user).Posted != 6000 {
			t.Fatalf("a repetition after the credit: %s, %+v", w.Body, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}

func TestCase_AnotherAmountOfAPaymentThatWasCredited_IsAnotherCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		var told []money.Amount
		c.Payments.OnCase(func(_ context.Context, _ bun.Tx, one *payment.Case) error {
			told = append(told, one.Amount)
			return nil
		})
		r := c.recharge(t, user, 3000)
		says := func(amount money.Amount, answer string) {
			t.Helper()
			p := paid(r)
			p.Amount = amount
			for range 3 {
				if w := c.notify(t.Context(), c.sandbox.Notice(p)); w.Body.String() != answer {
					t.Errorf("of %s the gateway is answered %s, want %s", amount, w.Body, answer)
				}
			}
		}
		says(2000, "fail")
		credit := payment.CaseCredit{CaseID: c.cases(t)[0].ID, Reason: "too little was paid"}
		if _, err := c.Payments.CreditCase(t.Context(), credit); err != nil {
			t.Fatal(err)
		}
		says(2000, "fail")
		says(2500, "fail")
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		says(3000, "success") // what the recharge was to be, which the platform confirms when asked
		cases := c.cases(t)
		if len(cases) != 3 || !slices.Equal(told, []money.Amount{2000, 2500, 3000}) {
			t.Fatalf("staff is told of %v, and the cases are %+v; want one of each amount", told, cases)
		}
		for i, kind := range []payment.Reason{payment.WrongAmount, payment.TransactionUsed} {
			one := cases[i+1]
			if one.Kind != kind || one.State != payment.CaseOpen || *one.UserID != user ||
				one.TransactionID != cases[0].TransactionID {
				t.Errorf("%+v, want an open case of %s", one, kind)
			}
			credit.CaseID = one.ID
			if _, err := c.Payments.CreditCase(t.Context(), credit); !errors.Is(err, payment.ErrCaseBooked) {
				t.Errorf("the payment is credited twice: %v", err)
			}
			if _, err := c.Payments.DismissCase(t.Context(), one.ID, "adjusted", nil); err != nil {
				t.Error(err)
			}
			if _, notifies, err := c.Payments.Case(t.Context(), one.ID); err != nil || len(notifies) != 3 {
				t.Errorf("case %d has %d notifies (%v), want 3", one.ID, len(notifies), err)
			}
		}
		if b := c.Balance(t, user); b.Posted != 2000 {
			t.Errorf("%+v", b)
		}
		c.MustBeConsistent(t)
	})
}

func TestCase_OnlyWhatTheGatewaySigned(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.paidRecharge(t, user, 3000)
		form := c.secondPayment(r, "SB-second")
		form.Set("sign", "00")
		c.notify(t.Context(), form)
		form.Del("sign")
		c.notify(t.Context(), form)
		waiting := paid(r)
		waiting.TransactionID, waiting.State, waiting.TradeNo = "SB-waiting", payment.Waiting, "NOSUCH"
		c.notify(t.Context(), c.sandbox.Notice(waiting))
		if cases := c.cases(t); len(cases) != 0 {
			t.Fatalf("%+v", cases)
		}
		unknown, amount := paid(r), paid(c.recharge(t, user, 2000))
		unknown.TradeNo, unknown.TransactionID = "NOSUCH", "SB-unknown"
		amount.Amount, amount.TransactionID = 1999, "SB-amount"
		for range 3 {
			for _, p := range []payment.Payment{unknown, amount} {
				if w := c.notify(t.Context(), c.sandbox.Notice(p)); w.Body.String() != "fail" {
					t.Errorf("the gateway is answered %s", w.Body)
				}
			}
		}
		cases := c.cases(t)
		if len(cases) != 2 || cases[0].Kind != payment.UnknownNumber || cases[0].UserID != nil ||
			cases[1].Kind != payment.WrongAmount || *cases[1].UserID != user {
			t.Fatalf("%+v", cases)
		}
		_, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{CaseID: cases[0].ID, Reason: "x"})
		paymenttest.WantField(t, "user_id", err)
		_, err = c.Payments.CreditCase(t.Context(), payment.CaseCredit{CaseID: cases[0].ID, UserID: 999, Reason: "x"})
		paymenttest.WantField(t, "user_id", err)
		_, err = c.Payments.CreditCase(t.Context(), payment.CaseCredit{CaseID: cases[1].ID, Amount: 2000, Reason: "x"})
		paymenttest.WantField(t, "amount", err)
		_, err = c.Payments.DismissCase(t.Context(), cases[1].ID, " ", nil)
		paymenttest.WantField(t, "reason", err)
		if got, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{
			CaseID: cases[0].ID, UserID: user,
			Reason: "they wrote a wrong number",
		}); err != nil || got.State != payment.CaseCredited {
			t.Fatalf("%+v, %v", got, err)
		}
		if _, err := c.Payments.DismissCase(t.Context(), cases[1].ID, "paid back by bank", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Payments.DismissCase(t.Context(), cases[1].ID, "again", nil); !errors.Is(err,
			payment.ErrCaseEnded) {
			t.Fatal(err)
		}
		if b := c.Balance(t, user); b.Posted != 6000 {
			t.Fatalf("%+v", b)
		}
		c.MustBeConsistent(t)
	})
}

func TestCase_CreditBeyondTheLimit_WaitsForASecondMember(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.paidRecharge(t, user, 10001)
		c.notify(t.Context(), c.secondPayment(r, "SB-second"))
		id, first, other := c.cases(t)[0].ID, int64(cashier), int64(second)
		credit := func() {
			t.Helper()
			got, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{
				CaseID: id, Reason: "paid twice",
				StaffID: &first,
			})
			if err != nil || got.State != payment.CaseWaiting || c.Balance(t, user).Posted != 10001 {
				t.Fatalf("%+v, %v, %+v", got, err, c.Balance(t, user))
			}
		}
		credit()
		if _, err := c.Payments.DecideCase(t.Context(), id, true, &first); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatalf("who made it approved it: %v", err)
		}
		if got, err := c.Payments.DecideCase(t.Context(), id, false, &other); err != nil ||
			got.State != payment.CaseOpen || got.Credit != 0 || *got.UserID != user {
			t.Fatalf("%+v, %v", got, err)
		}
		credit()
		if _, err := c.Payments.DecideCase(t.Context(), id, true, &user); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatalf("whose wallet it is approved it: %v", err)
		}
		if got, err := c.Payments.DecideCase(t.Context(), id, true, &other); err != nil ||
			got.State != payment.CaseCredited || c.Balance(t, user).Posted != 20002 {
			t.Fatalf("%+v, %v, %+v", got, err, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}

func TestCase_RefundThroughTheGateway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		wrong := paid(r)
		wrong.Amount = 2000
		c.notify(t.Context(), c.sandbox.Notice(wrong))
		id := c.cases(t)[0].ID
		got, err := c.Payments.RefundCase(t.Context(), id, "a wrong amount", nil)
		if err != nil || got.State != payment.CaseRefunded || got.Answer != "" {
			t.Fatalf("%+v, %v", got, err)
		}
		if back, err := c.sandbox.Returned(t.Context(), r.TradeNo); err != nil || back != 2000 {
			t.Fatalf("%s went back, %v", back, err)
		}
		if w := c.notify(t.Context(), c.sandbox.Notice(paid(r))); w.Body.String() != "success" ||
			c.Balance(t, user).Posted != 0 {
			t.Fatalf("what went back is credited: %s, %+v", w.Body, c.Balance(t, user))
		}
		unknown := paid(r)
		unknown.TradeNo, unknown.TransactionID = "NOSUCH", "SB-unknown"
		c.notify(t.Context(), c.sandbox.Notice(unknown))
		cases := c.cases(t) // the second is of what the platform said after the refund, which was not of all of that
		if len(cases) != 3 || cases[1].Kind != payment.TransactionUsed || cases[1].Amount != 3000 {
			t.Fatalf("%+v", cases)
		}
		id = cases[2].ID
		if got, err := c.Payments.RefundCase(t.Context(), id, "nobody knows it", nil); err != nil ||
			got.State != payment.CaseOpen || got.Answer == "" {
			t.Fatalf("the platform refuses, and the case is %+v, %v", got, err)
		}
		c.MustBeConsistent(t)
	})
}

func TestCase_PaymentConfirmedLater_ClosesItsCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		c.notify(t.Context(), c.sandbox.Notice(paid(r))) // the platform, when asked, says that it is not paid
		if cases := c.cases(t); len(cases) != 1 || cases[0].Kind != payment.NotConfirmed {
			t.Fatalf("%+v", cases)
		}
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		c.notify(t.Context(), c.sandbox.Notice(paid(r)))
		if cases := c.cases(t); len(cases) != 1 || cases[0].State != payment.CaseDismissed ||
			c.Balance(t, user).Posted != 3000 {
			t.Fatalf("%+v, %+v", cases, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}

func TestCase_RefundBeyondTheLimit_AsksThePlatformAfterASecondMember(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.paidRecharge(t, user, 10001)
		c.notify(t.Context(), c.secondPayment(r, "SB-second"))
		id, first, other := c.cases(t)[0].ID, int64(cashier), int64(second)
		refund := func() {
			t.Helper()
			got, err := c.Payments.RefundCase(t.Context(), id, "paid twice", &first)
			if err != nil || got.State != payment.CaseRefunding || !got.Waits {
				t.Fatalf("%+v, %v", got, err)
			}
			if err := c.Payments.RetryRefunds(t.Context()); err != nil || c.cases(t)[0].Attempts != 0 {
				t.Fatalf("the platform was asked: %+v, %v", c.cases(t)[0], err)
			}
		}
		refund()
		if _, err := c.Payments.DecideCase(t.Context(), id, true, &first); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal(err)
		}
		if got, err := c.Payments.DecideCase(t.Context(), id, false, &other); err != nil ||
			got.State != payment.CaseOpen || got.Waits {
			t.Fatalf("%+v, %v", got, err)
		}
		refund()
		if _, err := c.Payments.DecideCase(t.Context(), id, true, &other); err != nil {
			t.Fatal(err)
		}
		if got := c.cases(t)[0]; got.Waits || got.Attempts != 1 {
			t.Fatalf("the platform was not asked: %+v", got)
		}
		if broken, err := approval.New(d, c.Settings).Check(t.Context()); err != nil || len(broken) > 0 {
			t.Fatal(broken, err)
		}
		c.MustBeConsistent(t)
	})
}

// The recharges of an account that is closed end with it. A payment that comes all the same is a case, which asks for
// another user by name, and nobody begins a recharge of a closed account.
func TestCase_OfAClosedAccount_AsksForAnotherUser(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user, other := c.User(t), c.User(t)
		r := c.recharge(t, user, 3000)
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return c.Wallets.Close(ctx, tx, user)
		}); err != nil {
			t.Fatal(err)
		}
		ended, err := c.Payments.Show(t.Context(), user, r.UUID.String())
		if err != nil || ended.State != wallet.RechargeExpired {
			t.Fatalf("%+v, %v", ended, err)
		}
		if _, err := c.Payments.Recharge(t.Context(), user, r.Gateway, 3000); !errors.Is(err, wallet.ErrClosed) {
			t.Errorf("a recharge of a closed account begins: %v", err)
		}
		if err := c.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		c.notify(t.Context(), c.sandbox.Notice(paid(r)))
		cases := c.cases(t)
		if len(cases) != 1 || cases[0].Kind != payment.AccountClosed {
			t.Fatalf("%+v", cases)
		}
		for _, named := range []int64{0, user} {
			_, err = c.Payments.CreditCase(t.Context(), payment.CaseCredit{
				CaseID: cases[0].ID, UserID: named, Reason: "x",
			})
			paymenttest.WantField(t, "user_id", err)
			if !errors.Is(err, wallet.ErrClosed) {
				t.Errorf("the fault is %v", err)
			}
		}
		if _, err := c.Payments.CreditCase(t.Context(), payment.CaseCredit{
			CaseID: cases[0].ID, UserID: other, Reason: "the same person",
		}); err != nil || c.Balance(t, other).Posted != 3000 {
			t.Errorf("%v, %+v", err, c.Balance(t, other))
		}
		c.MustBeConsistent(t)
	})
}
