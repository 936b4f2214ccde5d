package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/money"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func mergeOf(from testUser) string { return fmt.Sprintf("/api/v2/staff/users/%d/merge", from.id) }

func mergeBody(into testUser, email string) string {
	return fmt.Sprintf(`{"into_id":%d,"email":"%s@example.com","reason":"one person"}`, into.id, email)
}

// ownedByUsers adds up all that is in wallets and commission accounts.
func (h *fixture) ownedByUsers() (sum int64) {
	h.Helper()
	if err := h.DB.NewRaw(`SELECT CAST(SUM(posted) AS BIGINT) FROM ledger_account WHERE user_id IS NOT NULL`).
		Scan(h.Context(), &sum); err != nil {
		h.Fatal(err)
	}
	return sum
}

type mergedUser struct {
	State      string
	ClosedAt   *time.Time `json:"closed_at"`
	MergedInto *struct{ ID int64 }
	MergedFrom []struct{ ID int64 } `json:"merged_from"`
	Inviter    *struct{ ID int64 }
	Labels     []string
}

func (h *fixture) userAsStaff(id int64) (u mergedUser) {
	h.Helper()
	var raw struct {
		mergedUser
		Into *struct{ ID int64 } `json:"merged_into"`
	}
	h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/users/%d", id), "", &raw)
	raw.MergedInto = raw.Into
	return raw.mergedUser
}

func (h *fixture) write(statement string, args ...any) {
	h.Helper()
	if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement, args...).Exec(ctx)
		return err
	}); err != nil {
		h.Fatal(err)
	}
}

func TestMerge_WhatIsOfUseNow_MovesAndTheOtherAccountEnds(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, kept := h.staff[account.Admin], h.users[0]
		h.limited("1000.00")
		gone := h.addUser(h.T, "gone", 1234)
		guest := h.addUser(h.T, "guest", 0)
		h.write(`UPDATE account SET invited_by = ? WHERE id = ?`, gone.id, guest.id)
		h.earnsCommission(gone)
		h.ask(gone, 200, "POST", "/api/v2/user/tickets-v2", `{"title":"Slow","content":"It is slow"}`, nil)
		support := h.staff[account.Support]
		h.ask(support, 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/notes", gone.id), `{"text":"has two accounts"}`,
			nil)
		h.ask(support, 200, "PUT", fmt.Sprintf("/api/v2/staff/users/%d/labels", gone.id),
			`{"labels":["vip"],"was":[]}`, nil)
		before, had, whole := h.balance(h.T, gone.id), h.balance(h.T, kept.id), h.ownedByUsers()
		if before.Commission == 0 {
			h.Fatal("no commission to move")
		}
		h.sound(h.T)

		h.ask(admin, 422, "POST", mergeOf(gone), mergeBody(kept, "other"), nil)
		h.ask(admin, 200, "POST", mergeOf(gone), mergeBody(kept, "gone"), nil)

		h.sound(h.T)
		after, left := h.balance(h.T, kept.id), h.balance(h.T, gone.id)
		if after.Posted != had.Posted+before.Posted || after.Commission != had.Commission+before.Commission ||
			left.Posted != 0 || left.Commission != 0 || h.ownedByUsers() != whole {
			h.Errorf("%+v and %+v became %+v and %+v", had, before, after, left)
		}
		if w := h.call(h.Context(), gone, "GET", "/api/v2/user/wallet", ""); w.Code != 401 {
			h.Errorf("the session of the account that ended answers %d", w.Code)
		}
		ended, stays := h.userAsStaff(gone.id), h.userAsStaff(kept.id)
		if ended.State != "closed" || ended.MergedInto == nil || ended.MergedInto.ID != kept.id {
			h.Errorf("the account that ended is %+v", ended)
		}
		if len(stays.MergedFrom) != 1 || stays.MergedFrom[0].ID != gone.id || !slices.Contains(stays.Labels, "vip") {
			h.Errorf("the account that stays is %+v", stays)
		}
		if u := h.userAsStaff(guest.id); u.Inviter == nil || u.Inviter.ID != kept.id {
			h.Errorf("whom it invited is now %+v", u)
		}
		notes := h.ask(support, 200, "GET", fmt.Sprintf("/api/v2/staff/users/%d/notes", kept.id), "", nil)
		tickets := h.ask(kept, 200, "GET", "/api/v2/user/tickets-v2", "", nil)
		if !strings.Contains(notes, "has two accounts") || !strings.Contains(tickets, "Slow") {
			h.Errorf("notes %s, tickets %s", notes, tickets)
		}
		for _, id := range []int64{gone.id, kept.id} {
			if log := h.ask(admin, 200, "GET", fmt.Sprintf("/api/v2/staff/audit?object=user&object_id=%d", id), "",
				nil); !strings.Contains(log, `"user.merge"`) {
				h.Errorf("the log of user %d has no merge: %s", id, log)
			}
		}

		w := h.call(h.Context(), h.present(admin), "POST", mergeOf(gone), mergeBody(kept, "gone"))
		if w.Code != 409 || h.ownedByUsers() != whole || h.balance(h.T, kept.id) != after {
			h.Errorf("the same once more answers %d %s", w.Code, w.Body)
		}
		h.addUser(h.T, "gone", 0) // the address is free
	})
}

func TestMerge_CommissionOfARefundedOrder_IsTakenFromTheAccountThatHasIt(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		gone, kept := h.addUser(h.T, "gone", 0), h.addUser(h.T, "kept", 0)
		h.earnsCommission(gone)
		h.earnsCommission(gone)
		earned := h.balance(h.T, gone.id).Commission
		h.limited("1000.00")
		h.ask(h.staff[account.Admin], 200, "POST", mergeOf(gone), mergeBody(kept, "gone"), nil)
		var orders []int64
		if err := h.DB.NewSelect().Table("commission").Column("order_id").Where("inviter_id = ?", gone.id).OrderExpr("id").
			Scan(h.Context(), &orders); err != nil || len(orders) != 2 {
			h.Fatal(orders, err)
		}
		refund := func(no int64) {
			h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/orders/%d/refund", no),
				`{"reason":"an outage"}`, nil)
			h.sound(h.T)
		}

		refund(orders[0])
		if got := h.balance(h.T, kept.id).Commission; got != earned/2 {
			h.Errorf("of %s the account that stays has %s after one of two orders was refunded", earned, got)
		}
		h.ask(kept, 200, "POST", "/api/v2/user/invite/withdraw", fmt.Sprintf(`{"amount":"%s"}`, earned/2), nil)
		refund(orders[1])
		if e, err := h.Invites.Earnings(h.Context(), kept.id); err != nil || e.Owed != earned/2 {
			h.Errorf("of what it withdrew it owes %+v (%v), want %s", e, err, earned/2)
		}
		for query, want := range map[string][]int64{
			"owed=true": {kept.id}, fmt.Sprintf("owed=true&inviter_id=%d", kept.id): {kept.id},
			fmt.Sprintf("owed=true&inviter_id=%d", gone.id): nil,
			fmt.Sprintf("inviter_id=%d", gone.id):           {kept.id, gone.id}, // both were earned by it
			fmt.Sprintf("inviter_id=%d", kept.id):           {kept.id},
		} {
			var listed struct {
				Commissions []struct {
					InviterID int64 `json:"inviter_id"`
				}
			}
			h.ask(h.staff[account.Admin], 200, "GET", "/api/v2/staff/commissions?"+query, "", &listed)
			var named []int64
			for _, row := range listed.Commissions {
				named = append(named, row.InviterID)
			}
			if !slices.Equal(named, want) {
				h.Errorf("the list of %s names %v, want %v", query, named, want)
			}
		}
		h.earnsCommission(kept)
		if e, err := h.Invites.Earnings(h.Context(), kept.id); err != nil || e.Owed != 0 {
			h.Errorf("later commission left %+v (%v) owed", e, err)
		}
		h.sound(h.T)
		last := h.addUser(h.T, "last", 0)
		h.ask(h.staff[account.Admin], 200, "POST", mergeOf(kept), mergeBody(last, "kept"), nil)
		h.sound(h.T)
	})
}

func TestMerge_InvitedPeopleWhoWereThereBefore_StayWithTheAccountThatEnded(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		old, early, kept := h.addUser(h.T, "old", 0), h.addUser(h.T, "early", 0), h.addUser(h.T, "kept", 0)
		h.write(`UPDATE account SET invited_by = ? WHERE id IN (?, ?)`, old.id, early.id, kept.id)
		h.ask(h.staff[account.Admin], 200, "POST", mergeOf(old), mergeBody(kept, "old"), nil)
		for _, u := range []testUser{early, kept} {
			if by := h.userAsStaff(u.id).Inviter; by == nil || by.ID != old.id {
				h.Errorf("user %d is invited by %+v", u.id, by)
			}
		}
		h.sound(h.T)
	})
}

// hindered are what stands in the way of a merge, by the word that details has for it.
func (h *fixture) hindered() map[string]func(gone, kept testUser) {
	must := func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	plan := h.sells(h.T, shop.KindPlan, 100)
	pack := h.sells(h.T, shop.KindPackage, 100)
	buys := func(u testUser, price int64) (no int64) {
		h.Helper()
		var made struct{ Order struct{ No int64 } }
		h.give(h.T, u.id, 100)
		h.ask(u, 200, "POST", buy(price), "{}", &made)
		return made.Order.No
	}
	return map[string]func(gone, kept testUser){
		"staff": func(_, kept testUser) {
			must(h.Accounts.SetRole(h.Context(), h.names[kept.id]+"@example.com", account.Viewer))
		},
		"banned": func(gone, _ testUser) {
			h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/bans", gone.id),
				`{"reason":"spam"}`, nil)
		},
		"closed": func(_, kept testUser) {
			h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", kept.id),
				fmt.Sprintf(`{"email":"%s@example.com","forfeit":"0.00","reason":"x"}`, h.names[kept.id]), nil)
		},
		"service": func(gone, _ testUser) { buys(gone, plan) },
		"package": func(gone, _ testUser) {
			must(h.Shop.GrantTraffic(h.operator(h.T), gone.id, "gift", gigabyte, "x", nil))
		},
		"order": func(gone, _ testUser) {
			h.give(h.T, gone.id, 10)
			_, err := h.Payments.Confirm(h.Context(), gone.id, shop.Purchase{PriceID: pack}, sandbox.Name)
			must(err)
		},
		"recharge": func(_, kept testUser) { h.recharge(h.T, kept.id, 700) },
		"refund_request": func(_, kept testUser) {
			no := buys(kept, plan)
			h.ask(kept, 200, "POST", fmt.Sprintf("/api/v2/user/orders/%d/refund-request", no), `{"reason":"slow"}`, nil)
		},
		"recharge_refund": func(_, kept testUser) {
			h.limited("0.00")
			defer h.limited("1000.00")
			r := h.recharge(h.T, kept.id, 3000)
			must(h.sandbox.Close(h.Context(), r.TradeNo, true))
			h.notify(h.Context(), sandbox.Name, h.signed(notice(r)))
			h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/recharges/%d/refund", r.ID),
				`{"amount":"1.00","reason":"x"}`, nil)
		},
		"payment_case": func(gone, _ testUser) {
			r := h.recharge(h.T, gone.id, 3000)
			must(h.sandbox.Close(h.Context(), r.TradeNo, true))
			h.notify(h.Context(), sandbox.Name, h.signed(notice(r)))
			again := notice(r)
			again.Set("transaction_id", "SB-again-"+r.TradeNo)
			h.notify(h.Context(), sandbox.Name, h.signed(again))
		},
		"payout": func(gone, _ testUser) { h.payout(gone) },
		"approval": func(_, kept testUser) {
			h.limited("0.00")
			defer h.limited("1000.00")
			h.ask(h.staff[account.Finance], 200, "POST", "/api/v2/staff/wallet-adjustments",
				fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"x"}`, kept.id), nil)
		},
		"merge": func(_, kept testUser) {
			h.limited("0.00")
			defer h.limited("1000.00")
			third := h.addUser(h.T, "third", 100)
			h.ask(h.staff[account.Owner], 403, "POST", mergeOf(third), mergeBody(kept, "third"), nil)
		},
		"pending_commission": func(gone, _ testUser) {
			must(h.Settings.Set(h.Context(), settings(`{"commission_days":7}`)))
			buyer := h.addUser(h.T, "late-buyer", 0)
			h.write(`UPDATE account SET invited_by = ? WHERE id = ?`, gone.id, buyer.id)
			r := h.recharge(h.T, buyer.id, 3000)
			must(h.sandbox.Close(h.Context(), r.TradeNo, true))
			h.notify(h.Context(), sandbox.Name, h.signed(notice(r)))
			h.ask(buyer, 200, "POST", buy(h.sells(h.T, shop.KindPlan, 2000)), "{}", nil)
		},
		"owed_commission": func(_, kept testUser) {
			h.earnsCommission(kept)
			h.write(`UPDATE commission SET state = 'reversed', reversed = amount, withdrawn = amount, owed = amount
				WHERE inviter_id = ?`,
				kept.id)
		},
	}
}

func TestMerge_WhileAnythingWaitsOrRuns_IsRefusedAndNamesIt(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		admin := h.staff[account.Admin]
		u := h.users[0]
		if w := h.call(h.Context(), h.present(admin), "POST", mergeOf(u), mergeBody(u, "user0")); w.Code != 409 {
			h.Errorf("an account into itself: %d %s", w.Code, w.Body)
		}
		hinders := h.hindered()
		for i, word := range slices.Sorted(maps.Keys(hinders)) {
			names := [2]string{fmt.Sprintf("gone%d", i), fmt.Sprintf("kept%d", i)}
			gone, kept := h.addUser(h.T, names[0], 0), h.addUser(h.T, names[1], 0)
			h.names[gone.id], h.names[kept.id] = names[0], names[1]
			hinders[word](gone, kept)
			before := h.ownedByUsers()
			w := h.call(h.Context(), h.present(admin), "POST", mergeOf(gone), mergeBody(kept, names[0]))
			var refusal struct {
				Code    string
				Details map[string]string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &refusal); err != nil {
				h.Fatal(err)
			}
			named := strings.Fields(strings.Join(slices.Collect(maps.Values(refusal.Details)), " "))
			if w.Code != 409 || refusal.Code != "merge_blocked" || !slices.Contains(named, word) {
				h.Errorf("%s: %d %s", word, w.Code, w.Body)
			}
			if h.userAsStaff(gone.id).State == "closed" || h.ownedByUsers() != before {
				h.Errorf("%s: something moved", word)
			}
		}
	})
}

func TestMerge_BeyondTheLimit_WaitsForASecondMember(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ann, bob, kept := h.staff[account.Admin], h.staff[account.Finance], h.users[0]
		h.limited("0.00")
		gone := h.addUser(h.T, "gone", 500)
		h.ask(ann, 403, "POST", mergeOf(gone), mergeBody(kept, "gone"), nil)
		h.sound(h.T)
		h.decide(ann, 403, true)
		h.give(h.T, gone.id, 1)
		h.decide(bob, 409, true) // it would move more than it said
		h.decide(bob, 200, false)
		if h.userAsStaff(gone.id).State == "closed" {
			h.Fatal("a declined merge took effect")
		}
		h.ask(ann, 403, "POST", mergeOf(gone), mergeBody(kept, "gone"), nil)
		had := h.balance(h.T, kept.id).Posted
		h.decide(bob, 200, true)
		if now := h.balance(h.T, kept.id).Posted; now != had+501 || h.userAsStaff(gone.id).State != "closed" {
			h.Errorf("%v became %v", had, now)
		}
		h.sound(h.T)
	})
}

func TestMerge_OfTwoIntoEachOtherAtOnce_HappensOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		admin := h.present(h.staff[account.Admin])
		one, other := h.addUser(h.T, "one", 300), h.addUser(h.T, "other", 400)
		whole := h.ownedByUsers()
		codes := make([]int, 4)
		var wg sync.WaitGroup
		for i := range codes {
			wg.Go(func() {
				from, into, name := one, other, "one"
				if i%2 == 1 {
					from, into, name = other, one, "other"
				}
				codes[i] = h.call(h.Context(), admin, "POST", mergeOf(from), mergeBody(into, name)).Code
			})
		}
		wg.Wait()
		slices.Sort(codes)
		if !slices.Equal(codes, []int{200, 409, 409, 409}) {
			h.Errorf("the answers are %v", codes)
		}
		left, right := h.balance(h.T, one.id).Posted, h.balance(h.T, other.id).Posted
		if left+right != 700 || left*right != 0 || h.ownedByUsers() != whole {
			h.Errorf("they have %v and %v", left, right)
		}
		h.sound(h.T)
	})
}

func TestMerge_BesideAPurchase_LosesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		admin := h.present(h.staff[account.Admin])
		price := h.sells(h.T, shop.KindPlan, 100)
		for i := range 6 {
			name := fmt.Sprintf("gone%d", i)
			gone, kept := h.addUser(h.T, name, 100), h.addUser(h.T, "kept"+name, 0)
			var wg sync.WaitGroup
			var bought, merged int
			wg.Go(func() { bought = h.call(h.Context(), gone, "POST", buy(price), "{}").Code })
			wg.Go(func() { merged = h.call(h.Context(), admin, "POST", mergeOf(gone), mergeBody(kept, name)).Code })
			wg.Wait()
			had := h.balance(h.T, kept.id).Posted
			running, err := h.Services.CountRunning(h.Context(), gone.id)
			if err != nil {
				h.Fatal(err)
			}
			switch {
			case bought == http.StatusOK && merged == http.StatusConflict && running == 1 && had == 0:
			case bought != http.StatusOK && merged == http.StatusOK && running == 0 && had == 100:
			default:
				h.Errorf("bought %d, merged %d: %d services run, %v moved", bought, merged, running, had)
			}
		}
		h.sound(h.T)
	})
}

// A commission that purchases earn while its inviter's account ends is seen by what ends it, or is not made.
func TestInviterEnds_BesidePurchases_LeavesNoCommissionPending(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		admin := h.present(h.staff[account.Admin])
		price := h.sells(h.T, shop.KindPlan, 100)
		for round := range 6 {
			name := fmt.Sprintf("inviter%d", round)
			inviter, kept := h.addUser(h.T, name, 0), h.addUser(h.T, "kept"+name, 0)
			var all sync.WaitGroup
			for n := range 3 {
				buyer := h.addUser(h.T, fmt.Sprintf("buyer%d.%d", round, n), 0)
				h.write(`UPDATE account SET invited_by = ? WHERE id = ?`, inviter.id, buyer.id)
				h.pays(buyer, 100)
				all.Go(func() {
					if w := h.call(h.Context(), buyer, "POST", buy(price), "{}"); w.Code != http.StatusOK {
						h.Errorf("a purchase was answered %d: %s", w.Code, w.Body)
					}
				})
			}
			all.Go(func() {
				if round%2 == 0 {
					h.call(h.Context(), admin, "POST", mergeOf(inviter), mergeBody(kept, name))
					return
				}
				h.call(h.Context(), admin, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", inviter.id),
					fmt.Sprintf(`{"email":"%s@example.com","reason":"x","forfeit":"0.00"}`, name))
			})
			all.Wait()
		}
		h.sound(h.T)
	})
}

// pays has the user put money into the wallet through the gateway.
func (h *fixture) pays(user testUser, amount money.Amount) *wallet.Recharge {
	h.Helper()
	r := h.recharge(h.T, user.id, amount)
	if err := h.sandbox.Close(h.Context(), r.TradeNo, true); err != nil {
		h.Fatal(err)
	}
	if w := h.notify(h.Context(), sandbox.Name, h.signed(notice(r))); w.Code != 200 {
		h.Fatal(w.Body)
	}
	return r
}

// The money of a merged account is in another wallet, and the gateway's refund says so.
func TestMerge_RefundOfWhatTheEndedAccountPaid_SaysWhereTheMoneyIs(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		ann := h.staff[account.Admin]
		gone, kept := h.addUser(h.T, "gone", 0), h.addUser(h.T, "kept", 0)
		r := h.pays(gone, 500)
		h.ask(ann, 200, "POST", mergeOf(gone), mergeBody(kept, "gone"), nil)
		for _, by := range []string{"", `,"by_hand":true`} {
			w := h.call(h.Context(), ann, "POST", fmt.Sprintf("/api/v2/staff/recharges/%d/refund", r.ID),
				`{"amount":"5.00","reason":"x"`+by+`}`)
			if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "payer_closed") {
				h.Errorf("the refund is answered %d: %s", w.Code, w.Body)
			}
		}
		if now := h.balance(h.T, kept.id).Posted; now != 500 {
			h.Errorf("the account that stays has %v", now)
		}
		h.sound(h.T)
	})
}
