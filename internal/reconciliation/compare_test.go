package reconciliation_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/reconciliation"
	"airstrip/internal/seal"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

// site is a test server whose only gateway is the sandbox, and the statements about it.
type site struct {
	*paymenttest.Server
	statements *reconciliation.Reconciliation
}

func newSite(t *testing.T, d *db.DB) *site {
	t.Helper()
	g := sandbox.New(d, seal.Key{1}, paymenttest.Site)
	c := &site{Server: paymenttest.New(t, d, nil, g.Method())}
	c.Mux.Handle("/sandbox/", g.Pages(c.Mux))
	c.statements = reconciliation.New(d, c.Settings, c.Wallets, c.Payments)
	return c
}

func (c *site) recharge(t *testing.T, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r, err := c.Payments.Recharge(t.Context(), c.User(t), sandbox.Name, amount)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// paid returns a recharge of a new user that was paid at the gateway.
func (c *site) paid(t *testing.T, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r := c.recharge(t, amount)
	path := strings.TrimPrefix(r.PayPage.URL, paymenttest.Site)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path,
		strings.NewReader(url.Values{"action": {"pay"}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	c.Handler.ServeHTTP(httptest.NewRecorder(), req)
	r, err := c.Wallets.RechargeByNo(t.Context(), c.DB, r.ID)
	if err != nil || r.State != wallet.RechargeDone {
		t.Fatalf("%+v, %v", r, err)
	}
	return r
}

func (c *site) imported(t *testing.T, name, text string) *reconciliation.Comparison {
	t.Helper()
	s, err := c.statements.Import(t.Context(), reconciliation.Import{Gateway: sandbox.Name, Name: name, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.statements.Compare(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const head = "time,type,transaction_id,out_trade_no,amount,fee\n"

func csvLine(at time.Time, kind, transaction, tradeNo string, amount money.Amount) string {
	return fmt.Sprintf("%s,%s,%s,%s,%s,0.10\n", at.Format(time.RFC3339Nano), kind, transaction, tradeNo, amount)
}

func TestCompare_EachDifference_HasItsState(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSite(t, d)
		equal, less, other, forgotten := c.paid(t, 1000), c.paid(t, 2000), c.paid(t, 3000), c.paid(t, 4000)
		open := c.recharge(t, 5000)
		at := func(r *wallet.Recharge) time.Time { return r.PaidAt.Add(time.Millisecond) }
		found := c.imported(t, "november", head+
			csvLine(equal.PaidAt.Add(-time.Minute), "fee", "", "", 10)+
			csvLine(at(equal), "payment", *equal.TransactionID, equal.TradeNo, 1000)+
			csvLine(at(equal), "payment", *equal.TransactionID, equal.TradeNo, 1000)+
			csvLine(at(less), "payment", *less.TransactionID, "", 1999)+
			csvLine(at(other), "payment", "SB-second", other.TradeNo, 3000)+
			csvLine(at(other), "payment", "", open.TradeNo, 5000)+
			csvLine(at(other), "payment", "SB-stranger", "NOBODY", 700)+
			csvLine(at(other), "refund", *equal.TransactionID, "", 300)+
			csvLine(forgotten.PaidAt.Add(time.Minute), "payout", "PO1", "", 900))
		want := []reconciliation.State{
			reconciliation.Noted, reconciliation.Matched, reconciliation.Repeated, reconciliation.OtherAmount,
			reconciliation.OtherPayment, reconciliation.Unpaid, reconciliation.Unknown, reconciliation.Unknown,
			reconciliation.Noted,
		}
		for i, l := range found.Lines {
			if l.State != want[i] {
				t.Errorf("line %d (%s %s) is %s, want %s", l.Position, l.Kind, l.TransactionID, l.State, want[i])
			}
		}
		if len(found.Missing) != 1 || found.Missing[0].RechargeNo != forgotten.ID || found.Missing[0].Amount != 4000 {
			t.Errorf("missing: %+v, want recharge %d only", found.Missing, forgotten.ID)
		}
		if sum := found.Sums()[reconciliation.Payment]; sum.Count != 6 || sum.Amount != 12699 || sum.Fee != 60 {
			t.Errorf("payments come to %+v", sum)
		}

		// What another statement of the gateway names is missing no more, and what it repeats is called so.
		again := c.imported(t, "december", head+csvLine(at(forgotten), "payment", *forgotten.TransactionID, "", 4000)+
			csvLine(at(equal), "payment", *equal.TransactionID, equal.TradeNo, 1000))
		if again.Lines[0].State != reconciliation.Matched || again.Lines[1].State != reconciliation.Repeated {
			t.Errorf("%s, %s", again.Lines[0].State, again.Lines[1].State)
		}
		first, err := c.statements.Compare(t.Context(), found.Statement.ID)
		if err != nil || len(first.Missing) != 0 {
			t.Errorf("still missing: %+v, %v", first, err)
		}
	})
}

func TestImport_SameTextAgain_IsRefusedUntilRemoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSite(t, d)
		r := c.paid(t, 1000)
		text := head + csvLine(*r.PaidAt, "payment", *r.TransactionID, "", 1000)
		first := c.imported(t, "one", text)
		in := reconciliation.Import{Gateway: sandbox.Name, Name: "two", Text: text}
		if _, err := c.statements.Import(t.Context(), in); !errors.Is(err, reconciliation.ErrStatementTwice) {
			t.Fatal(err)
		}
		if err := c.statements.Remove(t.Context(), first.Statement.ID, "wrong columns"); err != nil {
			t.Fatal(err)
		}
		_, err := c.statements.Compare(t.Context(), first.Statement.ID)
		if !errors.Is(err, reconciliation.ErrNoStatement) {
			t.Fatal(err)
		}
		if again := c.imported(t, "two", text); again.Lines[0].State != reconciliation.Matched {
			t.Errorf("%s: a line of the statement that was removed counts", again.Lines[0].State)
		}
		in.Gateway = "nobody"
		_, err = c.statements.Import(t.Context(), in)
		paymenttest.WantField(t, "gateway", err)
	})
}

func TestSettle_PaidOutAndReversed_LeavesTheLedgerConsistent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSite(t, d)
		r := c.paid(t, 10_000)
		one := wallet.Settlement{Gateway: sandbox.Name, Gross: 9000, Fee: 54, Reference: "PO-1", ArrivedAt: *r.PaidAt}
		owed := func() money.Amount {
			sums, err := c.Wallets.GatewaySums(t.Context())
			if err != nil || len(sums) != 1 {
				t.Fatal(sums, err)
			}
			c.MustBeConsistent(t)
			return sums[0].Owed
		}
		if owed() != 10_000 {
			t.Fatal(owed())
		}
		made, err := c.Wallets.Settle(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		if owed() != 1000 {
			t.Errorf("%s is owed after a settlement of 90.00 of 100.00", owed())
		}
		if _, err := c.Wallets.Settle(t.Context(), one); !errors.Is(err, wallet.ErrSettlementTwice) {
			t.Errorf("the same payment was booked twice: %v", err)
		}
		if _, err := c.Wallets.ReverseSettlement(t.Context(), made.ID, "typed wrongly", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Wallets.ReverseSettlement(t.Context(), made.ID, "again", nil); !errors.Is(err,
			wallet.ErrSettlementReversed) {
			t.Errorf("reversed twice: %v", err)
		}
		if owed() != 10_000 {
			t.Errorf("%s is owed after the reversal", owed())
		}
		one.Gross, one.Fee = 10_000, 10_000 // all of it was the gateway's
		if _, err := c.Wallets.Settle(t.Context(), one); err != nil {
			t.Errorf("its reference is not free again: %v", err)
		}
		if owed() != 0 {
			t.Error(owed())
		}
		for field, change := range map[string]func(*wallet.Settlement){
			"gross":      func(s *wallet.Settlement) { s.Gross = 0 },
			"fee":        func(s *wallet.Settlement) { s.Fee = s.Gross + 1 },
			"reference":  func(s *wallet.Settlement) { s.Reference = " " },
			"note":       func(s *wallet.Settlement) { s.Note = strings.Repeat("x", 201) },
			"arrived_at": func(s *wallet.Settlement) { s.ArrivedAt = time.Now().Add(48 * time.Hour) },
			"gateway":    func(s *wallet.Settlement) { s.Gateway = "nobody" },
		} {
			bad := one
			bad.Reference = "PO-" + field
			change(&bad)
			_, err := c.Wallets.Settle(t.Context(), bad)
			paymenttest.WantField(t, field, err)
		}
	})
}

func TestSettle_SameReferenceInAnotherSpelling_IsTheSame(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSite(t, d)
		r := c.paid(t, 10_000)
		one := wallet.Settlement{Gateway: sandbox.Name, Gross: 1000, Reference: "PO-17 a", ArrivedAt: *r.PaidAt}
		made, err := c.Wallets.Settle(t.Context(), one)
		if err != nil || made.Reference != "PO-17 a" {
			t.Fatal(made, err)
		}
		for _, same := range []string{"po-17 A", "PO-17a", "  PO-17\u3000a", "ＰＯ－１７ａ", "PO-\u200b17 a"} {
			one.Reference = same
			if _, err := c.Wallets.Settle(t.Context(), one); !errors.Is(err, wallet.ErrSettlementTwice) {
				t.Errorf("%q was entered beside %q: %v", same, made.Reference, err)
			}
		}
		one.Reference = "PO-17 b"
		if _, err := c.Wallets.Settle(t.Context(), one); err != nil {
			t.Error(err)
		}
		if _, err := c.Wallets.ReverseSettlement(t.Context(), made.ID, "typed wrongly", nil); err != nil {
			t.Fatal(err)
		}
		one.Reference = "po-17A"
		if _, err := c.Wallets.Settle(t.Context(), one); err != nil {
			t.Errorf("its reference is not free again: %v", err)
		}
		one.Reference = "\u200b"
		_, err = c.Wallets.Settle(t.Context(), one)
		paymenttest.WantField(t, "reference", err)
		c.MustBeConsistent(t)
	})
}

func TestSettle_MoreThanTheGatewayShouldHave_NeedsTheDifference(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSite(t, d)
		r := c.paid(t, 10_000)
		settle := func(reference string, gross, beyond money.Amount) error {
			_, err := c.Wallets.Settle(t.Context(), wallet.Settlement{
				Gateway: sandbox.Name, Gross: gross, Beyond: beyond, Reference: reference, ArrivedAt: *r.PaidAt,
			})
			return err
		}
		for _, beyond := range []money.Amount{0, 2344} {
			err := settle("PO-1", 12_345, beyond)
			paymenttest.WantField(t, "beyond", err)
			if f, _ := fault.As(err); !strings.Contains(f.Fields[0].Text.EN, "23.45 more") ||
				!strings.Contains(f.Fields[0].Text.ZH, "23.45") {
				t.Errorf("the difference is not named: %v", f.Fields[0])
			}
		}
		paymenttest.WantField(t, "beyond", settle("PO-1", 100, -1))

		// Of two at once, which are too much together, one is booked.
		var wg sync.WaitGroup
		var refused atomic.Int64
		for i := range 2 {
			wg.Go(func() {
				err := settle(fmt.Sprintf("PO-%d", i), 6000, 0)
				if err != nil {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if refused.Load() != 1 {
			t.Errorf("%d of two settlements of 60.00 were refused, where 100.00 were received", refused.Load())
		}
		if err := settle("PO-more", 5000, 1000); err != nil {
			t.Error(err)
		}
		sums, err := c.Wallets.GatewaySums(t.Context())
		if err != nil || sums[0].Owed != -1000 {
			t.Error(sums, err)
		}
		paymenttest.WantField(t, "beyond", settle("PO-again", 1, 1000)) // it is 10.01 more by now
		c.MustBeConsistent(t)
	})
}

func TestDoctor_SettlementChangedByHand_IsFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newSite(t, d)
		r := c.paid(t, 10_000)
		made, err := c.Wallets.Settle(t.Context(), wallet.Settlement{
			Gateway: sandbox.Name, Gross: 9000, Reference: "PO-1", ArrivedAt: *r.PaidAt,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE gateway_settlement SET gross = 8000 WHERE id = ?`, made.ID).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		broken := wallettest.Check(t, c.Wallets)
		if len(broken) != 1 || !strings.Contains(broken[0].Rule, "settlement") {
			t.Errorf("%+v", broken)
		}
	})
}
