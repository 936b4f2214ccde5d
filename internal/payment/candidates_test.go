package payment_test

import (
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/wallet"
)

// TestCandidates_OfAPaymentThatNamesNothing are the unpaid recharges with its amount; of one that names a recharge,
// that recharge is apart from them.
func TestCandidates_OfAPaymentThatNamesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		ann, bob := c.User(t), c.User(t)
		paidBefore := c.paidRecharge(t, ann, 3000)
		unpaid := c.recharge(t, bob, 3000)
		c.recharge(t, bob, 4000)

		stray := paid(unpaid)
		stray.TradeNo, stray.TransactionID = "NOT-OURS", "SB-stray"
		for _, form := range []map[string][]string{c.sandbox.Notice(stray), c.secondPayment(paidBefore, "SB-second")} {
			c.notify(t.Context(), form)
		}
		cases := c.cases(t)
		if len(cases) != 2 {
			t.Fatalf("there are %d cases, want 2", len(cases))
		}
		for i, want := range []*wallet.Recharge{nil, paidBefore} {
			named, others, err := c.Payments.Candidates(t.Context(), &cases[i])
			if err != nil {
				t.Fatal(err)
			}
			if (named == nil) != (want == nil) || want != nil && named.ID != want.ID {
				t.Errorf("case %d names recharge %+v, want %+v", i, named, want)
			}
			if len(others) != 1 || others[0].ID != unpaid.ID {
				t.Errorf("case %d may be for %+v, want recharge %d alone", i, others, unpaid.ID)
			}
		}
	})
}
