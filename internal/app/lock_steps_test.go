package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/bulk"
	"airstrip/internal/cdkey"
	"airstrip/internal/merge"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/ticket"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
)

// lockStep is something that happens to a user of a moneySite, where another one is a member of staff or a second
// account of the same person. It is refused where there is nothing to do it with.
type lockStep struct {
	name    string
	byStaff bool // whether the other one acts, and not the user
	do      func(s *moneySite, u, other *moneyUser) error
}

// errNothing says that there is nothing to do a step with.
var errNothing = errors.New("nothing to do it with")

// lockSteps are what besides the steps of the money model changes money, rights and accounts. Each may undo what the
// one before it did.
var lockSteps = []lockStep{
	{"merge what cannot be merged", true, (*moneySite).refusedMerge},
	{"check in", false, func(s *moneySite, u, _ *moneyUser) error {
		_, err := s.CheckIns.CheckIn(s.ctx, u.id, "", moneyClient.IP)
		return err
	}},
	{"give time", true, func(s *moneySite, u, _ *moneyUser) error {
		return s.Shop.Give(s.ctx, shop.Gift{
			UserID: u.id, Kind: shop.GiftStart, PlanID: &s.plans[0].ID, Months: 1, Reason: "gift",
		})
	}},
	{"give more time", true, func(s *moneySite, u, _ *moneyUser) error {
		return s.onService(u, func(id int64) error {
			return s.Shop.Give(s.ctx, shop.Gift{
				UserID: u.id, Kind: shop.GiftExtend, ServiceID: &id, Days: 3, Reason: "gift",
			})
		})
	}},
	{"give another plan", true, func(s *moneySite, u, _ *moneyUser) error {
		return s.onService(u, func(id int64) error {
			return s.Shop.Give(s.ctx, shop.Gift{
				UserID: u.id, Kind: shop.GiftChange, ServiceID: &id, PlanID: &s.plans[3].ID, Reason: "gift",
			})
		})
	}},
	{"order by staff", true, func(s *moneySite, u, _ *moneyUser) error {
		_, err := s.Payments.OrderFor(s.ctx, payment.StaffOrder{
			UserID: u.id, PriceID: s.priceIDs[0], Price: s.prices[s.priceIDs[0]][0], Reason: "sold",
		})
		return err
	}},
	{"refund an order", true, func(s *moneySite, u, _ *moneyUser) error {
		if _, err := s.paidRecharge(u, 24_000); err != nil {
			return err
		}
		id, err := s.Shop.Confirm(s.ctx, u.id, shop.Purchase{PriceID: s.priceIDs[0]})
		if err != nil {
			return err
		}
		_, err = s.Shop.Refund(s.ctx, id, "not wanted", nil)
		return err
	}},
	{"refund a recharge", true, func(s *moneySite, u, _ *moneyUser) error {
		r, err := s.paidRecharge(u, 1200)
		if err != nil {
			return err
		}
		_, err = s.Payments.GiveBack(s.ctx, payment.RefundWish{RechargeID: r.ID, Amount: 1000, Reason: "not wanted"})
		return err
	}},
	{"report", true, func(s *moneySite, _, _ *moneyUser) error {
		var rows []traffic.Row
		for _, u := range s.users {
			rows = append(rows, traffic.Row{UserID: u.id, Up: 1000, Down: megabyte / 4})
		}
		s.reports++
		_, err := s.Traffic.Record(s.ctx, traffic.Report{
			Node: s.nodes[s.reports%2], Hash: sha256.Sum256([]byte(fmt.Sprint("report", s.reports))), Rows: rows,
		})
		return err
	}},
	{"lease", true, func(s *moneySite, u, other *moneyUser) error {
		_, err := s.Traffic.Lease(s.ctx, s.nodes[0], []traffic.Ask{{UserID: u.id}, {UserID: other.id}})
		return err
	}},
	{"cancel an order", true, func(s *moneySite, u, _ *moneyUser) error {
		id, err := s.assign(u)
		if err != nil {
			return err
		}
		return s.Shop.CancelFor(s.ctx, id, "not paid")
	}},
	{"assign an order", true, func(s *moneySite, u, _ *moneyUser) error {
		_, err := s.assign(u)
		return err
	}},
	{"withdraw keys", true, func(s *moneySite, _, other *moneyUser) error {
		b, _, err := s.CDKeys.Make(s.ctx, cdkey.Batch{
			Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: 1}, Size: 2, MaxUses: 1,
		}, &other.id)
		if err != nil {
			return err
		}
		return s.CDKeys.Void(s.ctx, b.ID, &other.id, "leaked")
	}},
	{"credit a second payment", true, (*moneySite).creditCase},
	{"add a code", false, func(s *moneySite, u, _ *moneyUser) error {
		c, err := s.Invites.AddCode(s.ctx, u.id, "", "friends")
		if err != nil {
			return err
		}
		return s.Invites.RemoveCode(s.ctx, u.id, c.Code)
	}},
	{"rename", false, func(s *moneySite, u, _ *moneyUser) error {
		return s.Accounts.Rename(s.ctx, u.id, fmt.Sprint("name", s.steps), moneyClient)
	}},
	{"label", true, func(s *moneySite, u, other *moneyUser) error {
		_, err := s.Console.SetLabels(s.ctx, u.id, &other.id, nil, []string{"known"})
		return err
	}},
	{"replace the address", true, func(s *moneySite, u, _ *moneyUser) error {
		known, err := s.Accounts.User(s.ctx, u.id)
		if err != nil {
			return err
		}
		_, err = s.Accounts.Credentials.ReplaceEmail(s.ctx, account.Identity{}, u.id, known.Email,
			fmt.Sprintf("new%d@example.com", s.steps), "lost", moneyClient)
		return err
	}},
	{"replace credentials", true, func(s *moneySite, u, _ *moneyUser) error {
		return s.DB.Tx(s.ctx, func(ctx context.Context, tx bun.Tx) error {
			return s.Services.ResetCredentials(ctx, tx, u.id)
		})
	}},
	{"open a ticket", true, func(s *moneySite, u, other *moneyUser) error {
		k, err := s.Tickets.Open(s.ctx, u.id, ticket.Draft{Title: "question", Content: "why?", IP: moneyClient.IP})
		if err != nil {
			return err
		}
		_, err = s.Tickets.Answer(s.ctx, other.id, k.UUID.String(), ticket.Answer{Content: "because"})
		return err
	}},
	{"bulk job", true, func(s *moneySite, u, other *moneyUser) error {
		for _, j := range []bulk.Job{
			{Kind: bulk.Balance, Details: bulk.Details{Amount: 1}, Reason: "sorry"}, // its maker gets nothing: that row fails
			{Kind: bulk.Traffic, Details: bulk.Details{Bytes: megabyte, Name: "Gift"}, Reason: "sorry"},
			{Kind: bulk.Extend, Details: bulk.Details{Days: 1}, Reason: "sorry"},
			{Kind: bulk.Reset, Reason: "sorry"},
		} {
			who := account.Identity{UserID: other.id, Role: account.Owner}
			made, err := s.Bulks.Freeze(s.ctx, who, j, bulk.Selection{IDs: []int64{u.id, other.id}})
			if err != nil {
				return err
			}
			if _, err := s.Bulks.Start(s.ctx, who, made.ID); err != nil {
				return err
			}
			if err := s.Bulks.Run(s.ctx); err != nil {
				return err
			}
		}
		return nil
	}},
	{"ban", true, func(s *moneySite, u, _ *moneyUser) error {
		_, err := s.Accounts.Bans.Ban(s.ctx, account.BanTask{AccountID: u.id, Reason: "abuse"}, account.Identity{})
		return err
	}},
	{"lift a ban", true, func(s *moneySite, u, _ *moneyUser) error {
		_, err := s.Accounts.Bans.Unban(s.ctx, u.id, account.Identity{})
		return err
	}},
	{"stop a service", true, func(s *moneySite, u, _ *moneyUser) error {
		return s.onService(u, func(id int64) error { return s.Shop.StopService(s.ctx, u.id, id, "abuse") })
	}},
	{"close an account by staff", true, func(s *moneySite, u, _ *moneyUser) error {
		if u != s.users[0] {
			return errNothing // the others close theirs
		}
		email, loses, err := s.losesByClosing(u)
		if err != nil {
			return err
		}
		err = s.Accounts.CloseFor(s.ctx, account.Identity{}, u.id, email, loses, "asked for it")
		u.closed = err == nil
		return err
	}},
	{"close an account", false, func(s *moneySite, u, _ *moneyUser) error {
		if _, err := s.Payments.Recharge(s.ctx, u.id, sandbox.Name, 100); err != nil {
			return err
		}
		email, loses, err := s.losesByClosing(u)
		if err != nil {
			return err
		}
		err = s.Accounts.Close(s.ctx, account.Identity{UserID: u.id}, account.CloseInput{
			Password: moneyPassword, Email: email, Forfeit: loses,
		}, moneyClient)
		u.closed = err == nil
		return err
	}},
}

// mergeUsers makes one user's account part of another one's, which must have nothing that waits or runs.
func (s *moneySite) mergeUsers(u, other *moneyUser) error {
	running, _, err := s.Services.RunningIn(s.ctx, s.DB, other.id)
	if err != nil {
		return err
	}
	for _, v := range running {
		if err := s.Shop.StopService(s.ctx, other.id, v.ID, "merged"); err != nil {
			return err
		}
	}
	known, err := s.Accounts.User(s.ctx, other.id)
	if err != nil {
		return err
	}
	err = s.Merges.Merge(s.ctx, merge.Wish{FromID: other.id, IntoID: u.id, Email: known.Email, Reason: "twice"})
	other.closed = err == nil
	return err
}

// refusedMerge tries to merge the user into the other one, which is refused for the mistyped address at least.
func (s *moneySite) refusedMerge(u, other *moneyUser) error {
	err := s.Merges.Merge(s.ctx, merge.Wish{FromID: u.id, IntoID: other.id, Email: "-", Reason: "twice"})
	if err == nil {
		return errors.New("a merge with a mistyped address succeeds")
	}
	return nil
}

// onService does something with a running service of the user.
func (s *moneySite) onService(u *moneyUser, do func(id int64) error) error {
	running, _, err := s.Services.RunningIn(s.ctx, s.DB, u.id)
	if err != nil || len(running) == 0 {
		return errors.Join(errNothing, err)
	}
	return do(running[0].ID)
}

// assign has staff order a plan that the user is to pay at a gateway.
func (s *moneySite) assign(u *moneyUser) (orderID int64, err error) {
	return s.Payments.OrderFor(s.ctx, payment.StaffOrder{
		UserID: u.id, PriceID: s.priceIDs[0], Price: s.prices[s.priceIDs[0]][0], Gateway: sandbox.Name, Assigned: true,
		Reason: "sold",
	})
}

// paidRecharge has the user pay an amount into the wallet.
func (s *moneySite) paidRecharge(u *moneyUser, amount money.Amount) (*wallet.Recharge, error) {
	r, err := s.Payments.Recharge(s.ctx, u.id, sandbox.Name, amount)
	if err != nil {
		return nil, err
	}
	if err := s.sandbox.Close(s.ctx, r.TradeNo, true); err != nil {
		return nil, err
	}
	return r, s.say(r, "SB"+r.TradeNo, payment.Paid)
}

// creditCase has a gateway report two payments of one recharge, and staff credit the second one.
func (s *moneySite) creditCase(u, _ *moneyUser) error {
	r, err := s.paidRecharge(u, 100)
	if err != nil {
		return err
	}
	if err := s.say(r, "second"+r.TradeNo, payment.Paid); err != nil {
		return err
	}
	cases, _, err := s.Payments.Cases(s.ctx, payment.CaseFilter{Limit: 1})
	if err != nil || len(cases) == 0 {
		return errors.Join(errNothing, err)
	}
	_, err = s.Payments.CreditCase(s.ctx, payment.CaseCredit{CaseID: cases[0].ID, Reason: "paid twice"})
	return err
}
