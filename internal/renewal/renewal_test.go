package renewal_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/mail"
	"airstrip/internal/money"
	"airstrip/internal/renewal"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

type site struct {
	*testing.T
	*renewal.Renewals
	db       *db.DB
	accounts *account.Accounts
	mails    *mail.Mails
	wallets  *wallet.Wallets
	services *service.Services
	shop     *shop.Shop
	now      time.Time
	plan     *shop.Plan
	money    int64
}

// each runs the test at noon of the first of April, on both engines.
func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		must(t, err)
		key := seal.Key{1}
		tokens, err := token.New(t.Context(), d, key)
		must(t, err)
		s := &site{T: t, db: d, wallets: wallet.New(d, settings), services: service.New(d, seal.Key{1}, settings)}
		secrets := secret.New(d, key)
		s.mails = mail.New(d, key, settings, secrets, "http://localhost:8080")
		s.accounts = account.New(account.Config{
			PasswordMemory: 64,
			DB:             d, Key: key, Settings: settings, Mails: s.mails,
			Captchas: captcha.New(d, key, settings, secrets), Tokens: tokens, Wallets: s.wallets,
			Services: s.services, Site: "http://localhost:8080",
		})
		s.shop = shop.New(d, settings, s.wallets, s.services, invite.New(d, settings, s.wallets))
		s.Renewals = renewal.New(d, settings, s.accounts, s.wallets, s.shop)
		s.at(time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC))
		quota := int64(100 << 30)
		s.plan, err = s.shop.AddPlan(t.Context(), shop.Plan{
			Name: "Standard", Kind: shop.KindPlan, TrafficBytes: &quota, Reset: service.Anniversary, Visible: true,
			Renewable: true,
			Prices:    []shop.Price{{Months: 1, Amount: 1000}, {Months: 3, Amount: 2700}},
		})
		must(t, err)
		test(s)
		for _, check := range []func(context.Context) ([]db.Violation, error){
			s.shop.Check, s.wallets.Check, s.wallets.CheckPayments,
		} {
			if broken, err := check(context.WithoutCancel(t.Context())); err != nil || len(broken) > 0 {
				t.Error(broken, err)
			}
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *site) at(now time.Time) {
	s.now = now
	s.db.SetClock(func() time.Time { return now })
}

// userWithMonth returns a user who bought a month and has so much remaining.
func (s *site) userWithMonth(autoRenew bool, remaining money.Amount) (userID, serviceID int64) {
	s.Helper()
	u, err := s.accounts.Create(s.Context(), "user"+strconv.FormatInt(s.money, 10)+"@example.com", "User",
		"a long enough password", "")
	must(s.T, err)
	s.pay(u.ID, 1000+remaining)
	_, err = s.shop.Confirm(s.Context(), u.ID, shop.Purchase{PriceID: s.plan.Prices[0].ID, AutoRenew: autoRenew})
	must(s.T, err)
	services, _, err := s.services.List(s.Context(), u.ID)
	must(s.T, err)
	return u.ID, services[0].ID
}

func (s *site) pay(userID int64, amount money.Amount) {
	s.Helper()
	s.money++
	_, err := s.wallets.Adjust(s.Context(), userID, amount, "test", nil)
	must(s.T, err)
}

func (s *site) service(userID, id int64) service.Service {
	s.Helper()
	v, err := s.services.Get(s.Context(), userID, id)
	must(s.T, err)
	return v
}

// sent returns the kinds of the mails written so far, oldest first.
func (s *site) sent() (kinds []string) {
	s.Helper()
	mails, err := s.mails.List(s.Context(), 100)
	must(s.T, err)
	for i := range mails {
		kinds = append(kinds, mails[len(mails)-1-i].Kind)
	}
	return kinds
}

func (s *site) wantSent(kinds ...string) {
	s.Helper()
	got := s.sent()
	if len(got) != len(kinds) {
		s.Fatalf("mails %v, want %v", got, kinds)
	}
	for i := range got {
		if got[i] != kinds[i] {
			s.Fatalf("mails %v, want %v", got, kinds)
		}
	}
}

func TestAServiceRenewsItselfOnceADayBeforeItsEnd(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(true, 5000)
		end := s.service(user, id).EndsAt
		s.at(end.Add(-24*time.Hour - time.Minute))
		must(s.T, s.Renew(s.Context()))
		if v := s.service(user, id); !v.EndsAt.Equal(end) {
			s.Fatal("renewed too early")
		}
		s.at(end.Add(-24 * time.Hour))
		var wait sync.WaitGroup
		for range 4 { // servers that search at the same time
			wait.Go(func() {
				if err := s.Renew(s.Context()); err != nil {
					s.Error(err)
				}
			})
		}
		wait.Wait()
		must(s.T, s.Renew(s.Context()))
		if v := s.service(user, id); !v.EndsAt.Equal(end.AddDate(0, 1, 0)) || !v.AutoRenew {
			s.Error(v)
		}
		if b, err := s.wallets.Balance(s.Context(), user); err != nil || b.Posted != 4000 {
			s.Error(b, err)
		}
		s.wantSent("renewed")
	})
}

func TestARenewalThatLacksMoneyIsTriedUntilItIsThere(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(true, 300)
		end := s.service(user, id).EndsAt
		for hours := -24; hours < 6; hours += 2 {
			s.at(end.Add(time.Duration(hours) * time.Hour))
			must(s.T, s.Renew(s.Context()))
		}
		s.wantSent("not_renewed")
		s.pay(user, 700)
		s.at(end.Add(6 * time.Hour))
		must(s.T, s.Renew(s.Context()))
		if v := s.service(user, id); !v.EndsAt.Equal(s.now.AddDate(0, 1, 0)) || !v.Running(s.now) {
			s.Error("not renewed after its end:", v)
		}
		s.wantSent("not_renewed", "renewed")
	})
}

func TestARenewalIsGivenUpADayAfterTheEnd(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(true, 0)
		end := s.service(user, id).EndsAt
		for hours := -24; hours <= 30; hours += 3 {
			s.at(end.Add(time.Duration(hours) * time.Hour))
			must(s.T, s.Renew(s.Context()))
		}
		s.wantSent("not_renewed", "not_renewed")
		s.pay(user, 5000)
		must(s.T, s.Renew(s.Context()))
		s.wantSent("not_renewed", "not_renewed")
	})
}

func TestWhatIsNotSoldAnyMoreOrNotWantedIsNotRenewed(t *testing.T) {
	each(t, func(s *site) {
		off, offID := s.userWithMonth(false, 5000)
		banned, bannedID := s.userWithMonth(true, 5000)
		changed, changedID := s.userWithMonth(true, 5000)
		bought, _, err := s.shop.Purchases(s.Context(), changed, 1, 0)
		must(s.T, err)
		_, err = s.shop.Refund(s.Context(), bought[0].ID, "test", nil)
		must(s.T, err)
		must(s.T, s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
			return s.services.SetBanned(ctx, tx, banned, true)
		}))
		end := s.service(off, offID).EndsAt
		s.at(end.Add(-time.Hour))
		must(s.T, s.Renew(s.Context()))
		if v := s.service(off, offID); !v.EndsAt.Equal(end) {
			s.Error("renewed without being asked to")
		}
		if v := s.service(banned, bannedID); !v.EndsAt.Equal(end) {
			s.Error("renewed for a banned user")
		}
		if v := s.service(changed, changedID); v.Running(s.now) {
			s.Error("renewed what was given back")
		}
		s.wantSent()
		_, err = s.shop.ChangePlan(s.Context(), s.plan.ID, func(p *shop.Plan) { p.Renewable = false })
		must(s.T, err)
		gone, goneID := s.userWithMonth(true, 5000)
		s.at(s.service(gone, goneID).EndsAt)
		must(s.T, s.Renew(s.Context()))
		s.wantSent("not_renewed")
	})
}

func TestUsersAreRemindedOfTheEndOnceAtEachMark(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(false, 1000)
		s.userWithMonth(true, 0) // renews itself: its mails are those of the renewal
		end := s.service(user, id).EndsAt
		for hours := 8 * 24; hours > 0; hours -= 6 {
			s.at(end.Add(-time.Duration(hours) * time.Hour))
			must(s.T, s.Remind(s.Context()))
		}
		s.wantSent("service_ending", "service_ending", "service_ending")
		must(s.T, s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
			return s.services.Extend(ctx, tx, service.Extension{UserID: user, ServiceID: id, Months: 1})
		}))
		s.at(s.service(user, id).EndsAt.Add(-time.Hour))
		must(s.T, s.Remind(s.Context()))
		s.wantSent("service_ending", "service_ending", "service_ending", "service_ending")
	})
}

// More services than one transaction reminds of end on the same day.
func TestRemind_MoreThanFitOneTransaction_RemindsOfEachOnce(t *testing.T) {
	each(t, func(s *site) {
		const services = 200 + 1
		var end time.Time
		for range services {
			user, id := s.userWithMonth(false, 1000)
			end = s.service(user, id).EndsAt
		}
		s.at(end.Add(-time.Hour))
		must(s.T, s.Remind(s.Context()))
		must(s.T, s.Remind(s.Context()))
		var mails int
		must(s.T, s.db.NewRaw(`SELECT COUNT(*) FROM mail WHERE kind = 'service_ending'`).Scan(s.Context(), &mails))
		if mails != services {
			s.Errorf("%d mails about %d services that end", mails, services)
		}
	})
}

// Each server runs these jobs by itself, and runs them again after a crash.
func TestNotices_OfServersAtOnce_AreSentOnce(t *testing.T) {
	each(t, func(s *site) {
		user, ending := s.userWithMonth(false, 0)
		_, used := s.userWithMonth(true, 1000)
		s.userWithMonth(true, 0)
		must(s.T, s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE service_cycle SET down = ?0, billed = ?0 WHERE service_id = ?1`,
				int64(90<<30), used).Exec(ctx)
			return err
		}))
		s.at(s.service(user, ending).EndsAt.Add(-20 * time.Hour))
		for range 2 { // and once more, as after a restart
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if err := errors.Join(s.Remind(s.Context()), s.Renew(s.Context())); err != nil {
						s.Error(err)
					}
				})
			}
			all.Wait()
		}
		kinds := s.sent()
		slices.Sort(kinds)
		if want := []string{"not_renewed", "renewed", "service_ending", "traffic_used"}; !slices.Equal(kinds, want) {
			s.Errorf("mails %v, want %v", kinds, want)
		}
	})
}

func TestUsersAreToldOfTheirTrafficOnceAtEachMark(t *testing.T) {
	each(t, func(s *site) {
		_, id := s.userWithMonth(false, 0)
		use := func(percent int64) {
			must(s.T, s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`UPDATE service_cycle SET down = ?0, billed = ?0 WHERE service_id = ?1`,
					percent*(100<<30)/100, id).Exec(ctx)
				return err
			}))
			must(s.T, s.Remind(s.Context()))
			must(s.T, s.Remind(s.Context()))
		}
		use(79)
		s.wantSent()
		use(80)
		s.wantSent("traffic_used")
		use(94)
		s.wantSent("traffic_used")
		use(120) // past two marks at once
		s.wantSent("traffic_used", "traffic_used")
	})
}

func TestAUserSeesWhatLiesBeforeTheirServices(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(true, 1500)
		_, err := s.shop.Confirm(s.Context(), user, shop.Purchase{PriceID: s.plan.Prices[0].ID})
		must(s.T, err)
		end := s.service(user, id).EndsAt
		// want checks the renewals of both services; the first renews itself.
		want := func(when string, wants ...renewal.Upcoming) {
			s.Helper()
			list, available, err := s.Upcoming(s.Context(), user)
			must(s.T, err)
			if len(list) != len(wants) || available != 500 {
				s.Fatalf("%s: %v, with %v", when, list, available)
			}
			for i, w := range wants {
				u := list[i]
				if u.AutoRenew != w.AutoRenew || u.Tries != w.Tries || u.Problem != w.Problem ||
					u.Missing != w.Missing || (u.At == nil) != (w.At == nil) || (u.At != nil && !u.At.Equal(*w.At)) ||
					(u.Price == nil) != (w.Price == nil) {
					s.Errorf("%s: %+v, want %+v", when, u, w)
				}
			}
		}
		price := &s.plan.Prices[0]
		dayBefore, night := end.Add(-24*time.Hour), end.Add(-18*time.Hour)
		want("at first", renewal.Upcoming{AutoRenew: true, At: &dayBefore, Price: price, Missing: 500},
			renewal.Upcoming{At: &dayBefore, Price: price, Missing: 500})

		s.at(dayBefore)
		must(s.T, s.Renew(s.Context()))
		want("after a try", renewal.Upcoming{
			AutoRenew: true, At: &night, Price: price, Missing: 500, Tries: 1,
			Problem: "balance_too_low",
		}, renewal.Upcoming{At: &dayBefore, Price: price, Missing: 500})

		must(s.T, s.shop.RemovePlan(s.Context(), s.plan.ID))
		for hours := -18; hours <= 18; hours += 6 {
			s.at(end.Add(time.Duration(hours) * time.Hour))
			must(s.T, s.Renew(s.Context()))
		}
		want("given up", renewal.Upcoming{AutoRenew: true, Tries: 8, Problem: "not_sold"})
		s.at(end.Add(24 * time.Hour))
		want("a day later")
	})
}

func TestABalanceIsPromisedToOneRenewalOnly(t *testing.T) {
	each(t, func(s *site) {
		user, _ := s.userWithMonth(true, 2500)
		_, err := s.shop.Confirm(s.Context(), user, shop.Purchase{PriceID: s.plan.Prices[0].ID, AutoRenew: true})
		must(s.T, err)
		list, available, err := s.Upcoming(s.Context(), user)
		must(s.T, err)
		if len(list) != 2 || available != 1500 || list[0].Missing != 0 || list[1].Missing != 500 {
			s.Error(list, available)
		}
	})
}

func TestRenewal_TakesARaisedPriceOnlyWhenAgreed(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(true, 9000)
		price := func(amount money.Amount) {
			s.Helper()
			_, err := s.shop.ChangePlan(s.Context(), s.plan.ID,
				func(p *shop.Plan) { p.Prices = []shop.Price{{Months: 1, Amount: amount}} })
			must(s.T, err)
		}
		sold := s.plan.Prices[0].Amount
		price(sold + 500)
		end := s.service(user, id).EndsAt
		s.at(end.Add(-time.Hour))
		must(s.T, s.Renew(s.Context()))
		if v := s.service(user, id); !v.EndsAt.Equal(end) {
			s.Fatal("a raised price was taken unasked")
		}
		s.wantSent("not_renewed")
		list, _, err := s.Upcoming(s.Context(), user)
		if err != nil || list[0].Problem != "price_raised" || list[0].Agreed != sold ||
			list[0].Price.Amount != sold+500 {
			s.Errorf("the page shows %+v, %v", list, err)
		}
		if _, err := s.shop.SetAutoRenew(s.Context(), user, id, true, &sold); !errors.Is(err, shop.ErrPriceChanged) {
			s.Errorf("agreed to the price of before: %v", err)
		}
		_, err = s.shop.SetAutoRenew(s.Context(), user, id, true, nil) // says nothing of a price
		must(s.T, err)
		s.at(end.Add(5*time.Hour + 30*time.Minute))
		must(s.T, s.Renew(s.Context()))
		if v := s.service(user, id); !v.EndsAt.Equal(end) {
			s.Fatal("a raised price was taken without agreement")
		}
		raised := sold + 500
		price(sold + 700)
		if _, err := s.shop.SetAutoRenew(s.Context(), user, id, true, &raised); !errors.Is(err, shop.ErrPriceChanged) {
			s.Errorf("agreed to a price that was raised again: %v", err)
		}
		price(raised)
	})
}

func TestRenewal_TakesAnAgreedOrLoweredPrice(t *testing.T) {
	each(t, func(s *site) {
		sold := s.plan.Prices[0].Amount
		// +100 is above the lowered price, which is the agreed one by now
		for _, difference := range []money.Amount{+500, -300, +100} {
			user, id := s.userWithMonth(true, 9000)
			sold += difference
			_, err := s.shop.ChangePlan(s.Context(), s.plan.ID,
				func(p *shop.Plan) { p.Prices = []shop.Price{{Months: 1, Amount: sold}} })
			must(s.T, err)
			if difference > 0 {
				_, err := s.shop.SetAutoRenew(s.Context(), user, id, true, &sold)
				must(s.T, err)
			}
			end := s.service(user, id).EndsAt
			s.at(end.Add(-time.Hour))
			must(s.T, s.Renew(s.Context()))
			if v := s.service(user, id); !v.EndsAt.After(end) || v.AgreedPrice != sold {
				s.Errorf("not renewed for %s: %+v", sold, v)
			}
		}
	})
}

// What was used up is paid for again, so it must be there again: before the end beside what was used, after it anew.
func TestRenew_UsedUpPlanThatNeverResets_GivesItsQuotaAgain(t *testing.T) {
	const gb = int64(1 << 30)
	for name, c := range map[string]struct {
		after     time.Duration // the end of the service
		remaining int64
	}{"before its end": {-time.Hour, 9 * gb}, "after its end": {time.Hour, 10 * gb}} {
		t.Run(name, func(t *testing.T) {
			each(t, func(s *site) {
				quota := 10 * gb
				var err error
				s.plan, err = s.shop.AddPlan(s.Context(), shop.Plan{
					Name: "Once", Kind: shop.KindPlan, TrafficBytes: &quota, Reset: service.Never, Visible: true,
					Renewable: true, Prices: []shop.Price{{Months: 1, Amount: 1000}},
				})
				must(s.T, err)
				user, id := s.userWithMonth(true, 1500)
				must(s.T, s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
					return s.services.ConsumeLateTraffic(ctx, tx, s.now, []service.Use{
						{UserID: user, Down: 11 * gb, BilledDown: 11 * gb},
					})
				}))
				if a, err := s.services.Access(s.Context(), user); err != nil || a.State != service.Exhausted {
					s.Fatalf("used up: %+v, %v", a, err)
				}
				s.at(s.service(user, id).EndsAt.Add(c.after))
				must(s.T, s.Renew(s.Context()))
				a, err := s.services.Access(s.Context(), user)
				if err != nil || a.State != service.Active || !a.Allowed || *a.RemainingBytes != c.remaining {
					s.Errorf("after the renewal: %+v, %v; want %d bytes", a, err, c.remaining)
				}
				if b, err := s.wallets.Balance(s.Context(), user); err != nil || b.Posted != 500 {
					s.Errorf("%+v, %v; want 5.00", b, err)
				}
				s.wantSent("renewed")
			})
		})
	}
}

func TestRenew_UserBannedSinceTheListWasRead_LosesNothing(t *testing.T) {
	each(t, func(s *site) {
		user, id := s.userWithMonth(true, 5000)
		end := s.service(user, id).EndsAt
		must(s.T, s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error { // the list reads access
			_, err := tx.NewRaw(`UPDATE account SET banned_at = ? WHERE id = ?`, s.now, user).Exec(ctx)
			return err
		}))
		before, err := s.wallets.Balance(s.Context(), user)
		must(s.T, err)
		s.at(end.Add(-time.Hour))
		must(s.T, s.Renew(s.Context()))
		after, err := s.wallets.Balance(s.Context(), user)
		must(s.T, err)
		if !s.service(user, id).EndsAt.Equal(end) || after.Available != before.Available {
			s.Errorf("renewed for a banned user: %+v, was %+v", after, before)
		}
		s.wantSent()
	})
}

func TestRenew_ChangedSinceTheListWasRead_IsNoFailure(t *testing.T) {
	for name, change := range map[string]func(s *site, user, id int64) error{
		"another plan": func(s *site, user, id int64) error {
			other, err := s.shop.AddPlan(s.Context(), shop.Plan{
				Name: "Other", Kind: shop.KindPlan, Reset: service.Anniversary, Visible: true,
				Prices: []shop.Price{{Months: 1, Amount: 1500}},
			})
			if err == nil {
				to := shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: &id}
				_, err = s.shop.Confirm(s.Context(), user, to)
			}
			return err
		},
		"a refund": func(s *site, user, _ int64) error {
			var order int64
			err := s.db.NewRaw(`SELECT id FROM shop_order WHERE user_id = ?`, user).Scan(s.Context(), &order)
			if err == nil {
				_, err = s.shop.Refund(s.Context(), order, "test", nil)
			}
			return err
		},
		"the plan is archived": func(s *site, _, _ int64) error { return s.shop.RemovePlan(s.Context(), s.plan.ID) },
		"the plan is not renewed any more": func(s *site, _, _ int64) error {
			_, err := s.shop.ChangePlan(s.Context(), s.plan.ID, func(p *shop.Plan) { p.Renewable = false })
			return err
		},
		"the price is raised": func(s *site, _, _ int64) error {
			_, err := s.shop.ChangePlan(s.Context(), s.plan.ID, func(p *shop.Plan) { p.Prices[0].Amount = 1100 })
			return err
		},
		"the user is banned": func(s *site, user, _ int64) error {
			return s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`UPDATE account SET banned_at = ? WHERE id = ?`, s.now, user).Exec(ctx)
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(s *site) {
				user, id := s.userWithMonth(true, 5000)
				end := s.service(user, id).EndsAt
				s.at(end.Add(-time.Hour))
				calls := 0
				s.db.SetClock(func() time.Time {
					if calls++; calls == 2 { // The first is that of the list, the second that of the price.
						must(t, change(s, user, id))
					}
					return s.now
				})
				if err := s.Renew(s.Context()); err != nil || calls < 2 {
					t.Errorf("the renewal gives %v after %d calls of the clock", err, calls)
				}
				if v := s.service(user, id); v.EndsAt.After(end) {
					t.Errorf("it was renewed until %s", v.EndsAt)
				}
			})
		})
	}
}
