package invite_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// A cent of a recharge costs the inviter no more than its share, also of what was withdrawn.
func TestCommission_CentGoesBackAfterWithdrawal_OwesItsShareAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 10000)
		c.order(t, buyer, shop.Purchase{PriceID: c.plan(t, 10000)})
		c.release(t, 15)
		c.withdraws(t, inviter, 1000)
		c.gets(t, buyer, 1)
		c.back(t, r, 1)
		c.earned(t, "the refund of a cent", inviter, 999)
		c.owes(t, inviter, 1)

		// Nine more cents are of the same tenth.
		c.gets(t, buyer, 10)
		c.back(t, r, 9)
		c.owes(t, inviter, 1)
		c.back(t, r, 1)
		c.owes(t, inviter, 2)
	})
}

// Money in a wallet has no name: it is the newest order that loses its share.
func TestCommission_OldestRechargeGoesBack_NewestOrderLosesItsShare(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		first := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.pays(t, buyer, 10000)
		c.order(t, buyer, shop.Purchase{PriceID: c.plan(t, 10000)})
		c.has(t, inviter, 0, 100+1000)
		c.gets(t, buyer, 1000)
		c.back(t, first, 1000)
		c.has(t, inviter, 0, 100+900)
		earned, _, err := c.Commissions(t.Context(), invite.CommissionFilter{InviterID: inviter}, 10, 0)
		if err != nil || earned[0].Amount != 1000 || earned[0].Reversed != 100 || earned[1].Reversed != 0 {
			t.Fatalf("%+v, %v", earned, err)
		}
	})
}

func TestCommission_CentGoesBackOfManyOrders_LosesItsShareAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 15000)
		cheap := c.plan(t, 500)
		for range 10 {
			c.order(t, buyer, shop.Purchase{PriceID: cheap})
		}
		c.order(t, buyer, shop.Purchase{PriceID: c.plan(t, 10000)})
		c.earned(t, "eleven orders", inviter, 1500)
		c.gets(t, buyer, 1)
		c.back(t, r, 1)
		c.earned(t, "the refund of a cent", inviter, 1499)
	})
}

// What was used of an order keeps its commission when the rest is refunded, before and after the release.
func TestCommission_RestOfAnOrderIsRefunded_StaysForWhatWasUsed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "commission_days", 0)
		plan := c.plan(t, 3333)
		for _, released := range []bool{false, true} {
			inviter, buyer := c.couple(t).ids()
			c.pays(t, buyer, 3333)
			o := c.order(t, buyer, shop.Purchase{PriceID: plan})
			if released {
				c.release(t, 0)
				c.withdraws(t, inviter, 333)
			}
			c.now = o.PeriodTo.Add(-o.PeriodTo.Sub(*o.PeriodFrom) / 4)
			sum, err := c.shop.Refund(t.Context(), o.ID, "not wanted", nil)
			if err != nil || sum < 832 || sum > 833 {
				t.Fatal(sum, err)
			}
			stays := (3333 - sum) / 10
			c.earned(t, "the refund", inviter, stays)
			if released {
				c.owes(t, inviter, 333-stays)
				continue
			}
			c.has(t, inviter, 0, stays)
			c.release(t, 0)
			c.has(t, inviter, stays, 0)
		}
	})
}

// Of money and gifts in an order the money comes back first: what was used is the gift's.
func TestCommission_PartOfAnOrderWasAGift_LosesWhatComesBackOfTheMoney(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		c.pays(t, buyer, 600)
		c.gets(t, buyer, 400)
		o := c.order(t, buyer, shop.Purchase{PriceID: c.plan(t, 1000)})
		c.earned(t, "the purchase", inviter, 60)
		c.now = o.PeriodFrom.Add(o.PeriodTo.Sub(*o.PeriodFrom) / 2)
		c.givesBack(t, o.ID, 500)
		c.earned(t, "the refund of half", inviter, 10)
		c.order(t, buyer, shop.Purchase{PriceID: c.plan(t, 500)})
		c.earned(t, "what came back is spent again", inviter, 60)
	})
}

// Parts that earn less than a cent each take no more than they do together.
func TestCommission_GoesBackInManyParts_LosesWhatOnePartWould(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.gets(t, buyer, 1000)
		for n := range money.Amount(100) {
			c.back(t, r, 7)
			c.earned(t, "another part", inviter, (1000-7*(n+1))/10)
		}
		c.back(t, r, 300)
		c.earned(t, "the rest", inviter, 0)
	})
}

// A pending payout counts on commission that is there: it ends when a part of that is taken back.
func TestCommission_PartIsTakenBackBehindAPayout_LeavesWhatItMay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "payout_min", "0.10")
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 15)
		p := c.asks(t, inviter, 80)
		c.gets(t, buyer, 1000)
		c.back(t, r, 200)
		c.held(t, inviter, 0, 80)
		c.back(t, r, 100)
		c.held(t, inviter, 70, 0)
		c.owes(t, inviter, 0)
		if state := c.payoutState(t, p); state != invite.PayoutRefused {
			t.Errorf("the payout is %s", state)
		}
	})
}

// A debt of a part is paid by what later releases leave of theirs.
func TestCommission_PartIsOwed_IsPaidByTheRestOfALaterOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 15)
		c.withdraws(t, inviter, 100)
		c.gets(t, buyer, 500)
		c.back(t, r, 400)
		c.owes(t, inviter, 40)
		c.back(t, r, 100)
		c.owes(t, inviter, 50)

		other := c.user(t, inviter)
		r = c.pays(t, other, 1000)
		c.buys(t, other)
		c.gets(t, other, 700)
		c.back(t, r, 700)
		c.has(t, inviter, 0, 30)
		c.later(15 * 24 * time.Hour)
		c.release(t, 0)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 20)
		earned, _, err := c.Commissions(t.Context(), invite.CommissionFilter{InviterID: inviter}, 10, 0)
		if err != nil || earned[0].Settled != 30 || earned[0].State != invite.Released || earned[1].Owed != 20 {
			t.Fatalf("%+v, %v", earned, err)
		}
	})
}

// Where the first order alone earns, one that came back in part is the first one still.
func TestCommission_FirstOrderOnly_OneThatCameBackWholeIsNotTheFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "commission_first_only", true)
		inviter, buyer := c.couple(t).ids()
		c.pays(t, buyer, 4000)
		c.refunds(t, c.buys(t, buyer))
		c.earned(t, "an order that came back", inviter, 0)
		o := c.order(t, buyer, shop.Purchase{PriceID: c.plan(t, 1000)})
		c.earned(t, "the next one", inviter, 100)
		c.now = o.PeriodFrom.Add(o.PeriodTo.Sub(*o.PeriodFrom) / 2)
		c.givesBack(t, o.ID, 500)
		c.buys(t, buyer)
		c.earned(t, "half of it came back", inviter, 50)
	})
}

// The schema knows the rule: what remains of a commission is never more than its rate of the money that stayed.
func TestSchema_CommissionAboveItsRateOfWhatStayed_IsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		buyer := c.user(t, c.user(t, 0))
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		for _, change := range []string{
			"given_back = 10", "returned = 10", "amount = amount + 1", "permille = permille - 1",
			"given_back = 10, reversed = 1, permille = permille - 1",
		} {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw("UPDATE commission SET " + change).Exec(ctx)
				return err
			})
			if !errors.Is(db.Error(err), db.ErrCheck) {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

// What staff gave by mistake and took back leaves the money as it was.
func TestCommission_GiftIsTakenBack_LeavesTheMoney(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 1000)
		c.gets(t, buyer, 1000)
		c.gets(t, buyer, -1000)
		order := c.buys(t, buyer)
		c.earned(t, "the purchase", inviter, 100)
		c.refunds(t, order)
		c.back(t, r, 1000)
		c.earned(t, "the refund", inviter, 0)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.earned(t, "another recharge", inviter, 100)
	})
}

// Money that went back after it had paid for invites, which earn nothing, makes no debt that later money pays.
func TestCommission_MoneyForInvitesGoesBack_LaterMoneyCountsWhole(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "invite_price", "5.00")
		c.set(t, "invite_quota", 0)
		inviter, buyer := c.couple(t).ids()
		r := c.pays(t, buyer, 1000)
		if _, err := c.Buy(t.Context(), buyer, 2); err != nil {
			t.Fatal(err)
		}
		c.gets(t, buyer, 1000)
		c.back(t, r, 1000)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.earned(t, "another recharge", inviter, 100)

		// Invites take a gift first.
		c.gets(t, buyer, 1000)
		c.pays(t, buyer, 1000)
		if _, err := c.Buy(t.Context(), buyer, 2); err != nil {
			t.Fatal(err)
		}
		c.buys(t, buyer)
		c.earned(t, "the money that is left", inviter, 200)
	})
}

// becomesPartOf moves what a merge of two inviters moves.
func (c *circle) becomesPartOf(t *testing.T, from, into int64) {
	t.Helper()
	c.do(t, func(ctx context.Context, tx bun.Tx) error {
		ref := wallet.Reference{Kind: "account_merge", ID: from}
		if _, err := tx.NewRaw(`INSERT INTO account_merge (id, from_id, into_id, balance, commission, reason, state, created_at,
			ended_at) VALUES (?0, ?0, ?1, 0, 0, 'the same person', 'done', ?2, ?2)`, from, into, c.now).Exec(ctx); err != nil {
			return err
		}
		if err := errors.Join(c.wallets.LockBoth(ctx, tx, from, into), c.wallets.MoveAll(ctx, tx, from, into, ref),
			c.MoveTo(ctx, tx, from, into)); err != nil {
			return err
		}
		_, err := tx.NewRaw(`UPDATE account SET invited_by = ?0 WHERE invited_by = ?1 AND id > ?0`, into, from).Exec(ctx)
		return err
	})
}

// A debt that was paid belongs to who paid it, also where the commission has another holder since.
func TestCommission_MergeAfterAPartWasOwedAndPaid_IsSound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "commission_days", 0)
		into, from := c.user(t, 0), c.user(t, 0)
		buyer := c.user(t, from)
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 0)
		c.withdraws(t, from, 100)
		c.gets(t, buyer, 500)
		c.back(t, r, 500)
		c.owes(t, from, 50)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 0)
		c.has(t, from, 50, 0)
		c.becomesPartOf(t, from, into)
		c.has(t, into, 50, 0)

		c.withdraws(t, into, 50)
		c.gets(t, buyer, 500)
		c.back(t, r, 500)
		c.owes(t, into, 50)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 0)
		c.has(t, into, 50, 0)
		c.owes(t, into, 0)
	})
}
