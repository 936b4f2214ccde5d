package cli

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/app"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// mustAskForPayout has a user of the site ask for commission to be paid out; it gives the payout.
func mustAskForPayout(s testSite, email string, amount money.Amount) *invite.Payout {
	s.Helper()
	s.mustRun(nil, "user", "add", "--email", email)
	a, err := app.Open(s.Context(), s.config, "test")
	if err != nil {
		s.Fatal(err)
	}
	defer a.Close()
	u, err := a.Accounts.ByEmail(s.Context(), email)
	if err != nil {
		s.Fatal(err)
	}
	if err := a.DB.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		return a.Wallets.Post(ctx, tx, wallet.Commission, wallet.Reference{Kind: "commission", ID: u.ID}, "test",
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserCommission, UserID: u.ID}, Amount: amount},
			wallet.Entry{Account: wallet.Account{Kind: wallet.Sales}, Amount: -amount})
	}); err != nil {
		s.Fatal(err)
	}
	p, err := a.Invites.AskPayout(s.Context(), u.ID, amount, "alipay", "lin@example.com")
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func TestPayout_IsListedPaidAndRefusedByCommand(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.mustRun(nil, "setting", "set", "payout_min=1.00")
		first, second := mustAskForPayout(s, "first@example.com", 500), mustAskForPayout(s, "second@example.com", 700)
		type payout struct {
			ID                             int64
			Amount                         money.Amount
			Method, Account, State, Answer string
		}
		var open []payout
		s.mustRun(&open, "payout", "list", "--state", "open", "--email", "first@example.com")
		if len(open) != 1 || open[0] != (payout{first.ID, 500, "alipay", "lin@example.com", "open", ""}) {
			s.Fatalf("open are %+v", open)
		}
		s.mustRun(nil, "payout", "pay", strconv.FormatInt(first.ID, 10), "transfer 7788")
		s.mustRun(nil, "payout", "refuse", strconv.FormatInt(second.ID, 10), "please name your bank")
		var all []payout
		s.mustRun(&all, "payout", "list")
		if len(all) != 2 || all[0].State != "refused" || all[0].Answer != "please name your bank" ||
			all[1].State != "paid" || all[1].Answer != "transfer 7788" {
			s.Errorf("%+v", all)
		}
		for _, id := range []int64{first.ID, second.ID} {
			if err := s.run(nil, "payout", "pay", strconv.FormatInt(id, 10), "again"); !errors.Is(err,
				invite.ErrPayoutEnded) {
				s.Errorf("payout %d, which has ended: %v", id, err)
			}
		}
		if err := s.run(nil, "payout", "pay", "999", "x"); !errors.Is(err, invite.ErrNoPayout) {
			s.Errorf("a payout that is none: %v", err)
		}
		var log auditedList
		s.mustRun(&log, "audit", "list")
		actions := map[string]int{}
		for _, e := range log.Entries {
			actions[e.Action]++
		}
		if actions["money.commission.pay.refuse"] != 1 || log.Total == 0 {
			s.Errorf("the audit log has %v", actions)
		}
		a, err := app.Open(s.Context(), s.config, "test")
		if err != nil {
			s.Fatal(err)
		}
		defer a.Close()
		for _, p := range []*invite.Payout{first, second} {
			b, err := a.Wallets.Balance(s.Context(), p.UserID)
			if err != nil {
				s.Fatal(err)
			}
			want := map[int64]money.Amount{first.ID: 0, second.ID: 700}[p.ID]
			if b.Commission != want || b.PayingOut != 0 {
				s.Errorf("the user of payout %d has %+v", p.ID, b)
			}
		}
	})
}
