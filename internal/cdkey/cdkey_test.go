package cdkey_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account/accounttest"
	"airstrip/internal/approval"
	"airstrip/internal/cdkey"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

// fixture makes and redeems keys.
type fixture struct {
	*cdkey.Keys
	db       *db.DB
	wallets  *wallet.Wallets
	services *service.Services
}

// open returns a fixture for users 1 to n. Opened again on the same database it is the server after a restart.
func open(t *testing.T, d *db.DB, n int64) *fixture {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w, s := wallet.New(d, settings), service.New(d, seal.Key{1}, settings)
	for user := range n {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(w.Open(ctx, tx, user+1), s.Open(ctx, tx, user+1))
		}); err != nil {
			t.Fatal(err)
		}
	}
	return &fixture{cdkey.New(d, seal.Key{1}, settings, w, s), d, w, s}
}

func (c *fixture) make(t *testing.T, b cdkey.Batch) (cdkey.Batch, []string) {
	t.Helper()
	if b.MaxUses == 0 {
		b.MaxUses = 1
	}
	made, keys, err := c.Make(t.Context(), b, nil)
	if err != nil || len(keys) != b.Size {
		t.Fatal(len(keys), err)
	}
	return made, keys
}

func (c *fixture) balance(t *testing.T, user int64) money.Amount {
	t.Helper()
	b, err := c.wallets.Balance(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return b.Posted
}

func (c *fixture) sound(t *testing.T) {
	t.Helper()
	keys, err := c.Check(t.Context())
	money := wallettest.Check(t, c.wallets)
	if err != nil || len(keys)+len(money) > 0 {
		t.Fatal(keys, money, err)
	}
}

// fail makes so many tries that must fail as want.
func (c *fixture) fail(t *testing.T, user int64, key string, want error) {
	t.Helper()
	if _, err := c.Redeem(t.Context(), user, key); !errors.Is(err, want) {
		t.Fatalf("%q: %v, want %v", key, err, want)
	}
}

func fen(a money.Amount) cdkey.Gift { return cdkey.Gift{Kind: cdkey.Amount, Amount: a} }

func (c *fixture) plan(t *testing.T) int64 {
	t.Helper()
	settings, err := setting.New(t.Context(), c.db)
	if err != nil {
		t.Fatal(err)
	}
	plans := shop.New(c.db, settings, c.wallets, c.services, invite.New(c.db, settings, c.wallets))
	p, err := plans.AddPlan(t.Context(), shop.Plan{
		Name: "Standard", Kind: shop.KindPlan, TrafficBytes: new(int64(1 << 30)), Reset: service.Anniversary, Class: 2,
		Groups:  []int{1},
		Visible: true, Renewable: true, Prices: []shop.Price{{Months: 1, Amount: 1000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

func TestAKeyIsReadHoweverItIsTyped(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 1)
		_, keys := c.make(t, cdkey.Batch{Gift: fen(150), Size: 40})
		for i, typed := range []func(string) string{
			func(s string) string { return s },
			func(s string) string { return strings.ReplaceAll(s, "-", "") },
			func(s string) string { return "  " + strings.ToLower(strings.ReplaceAll(s, "-", " ")) + "\n" },
			func(s string) string { return strings.ReplaceAll(s, "-", "——") },
			func(s string) string { return strings.NewReplacer("0", "o", "1", "l").Replace(s) },
			func(s string) string { return strings.NewReplacer("0", "O", "1", "I").Replace(s) },
			func(s string) string {
				return strings.Map(func(r rune) rune {
					if r > ' ' && r <= '~' {
						return r + 0xFEE0 // as a Chinese keyboard writes it
					}
					return r
				}, s)
			},
		} {
			if len(keys[i]) != 23 || strings.ContainsAny(keys[i], "ILOUilou") {
				t.Errorf("%q is no key for people", keys[i])
			}
			r, err := c.Redeem(t.Context(), 1, typed(keys[i]))
			if err != nil || r.Kind != cdkey.Amount || r.Amount != 150 || r.Prefix != keys[i][:5] {
				t.Fatalf("%q: %+v, %v", typed(keys[i]), r, err)
			}
		}
		if got := c.balance(t, 1); got != 7*150 {
			t.Error("the wallet has ", got)
		}
		for _, typed := range []string{"", "ABC", keys[10] + "A", "!" + keys[10][1:], strings.Repeat("x", 10000)} {
			if _, err := c.Redeem(t.Context(), 1, typed); !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%.30q: %v", typed, err)
			}
		}
		seen := map[string]bool{}
		for _, key := range keys {
			seen[key] = true
		}
		if len(seen) != len(keys) {
			t.Error("two keys are the same")
		}
		var stored int
		if err := d.NewRaw(`SELECT COUNT(*) FROM cd_key WHERE prefix LIKE ? OR CAST(hash AS TEXT) LIKE ?`,
			keys[9][:6]+"%", "%"+keys[9][6:11]+"%").Scan(t.Context(), &stored); err != nil || stored != 0 {
			t.Error("a key can be read in the database: ", stored, err)
		}
		c.sound(t)
	})
}

func TestAKeyGivesWhatItsBatchSays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 1)
		now := time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		plan := c.plan(t)
		_, month := c.make(t, cdkey.Batch{Gift: cdkey.Gift{Kind: cdkey.Plan, PlanID: &plan, Months: new(1)}, Size: 1})
		_, week := c.make(t, cdkey.Batch{Gift: cdkey.Gift{Kind: cdkey.Plan, PlanID: &plan, Days: new(7)}, Size: 1})
		_, bag := c.make(t, cdkey.Batch{Gift: cdkey.Gift{
			Kind: cdkey.Traffic, Bytes: new(int64(5 << 30)),
			Days: new(30),
		}, Size: 1})

		r, err := c.Redeem(t.Context(), 1, week[0])
		if err != nil || *r.PlanName != "Standard" || *r.Days != 7 {
			t.Fatalf("%+v, %v", r, err)
		}
		first := *r.ServiceID
		if r, err = c.Redeem(t.Context(), 1, month[0]); err != nil || *r.ServiceID != first {
			t.Fatalf("more of the same plan: %+v, %v", r, err)
		}
		v, err := c.services.Get(t.Context(), 1, first)
		if want := time.Date(2026, 3, 7, 4, 0, 0, 0, time.UTC); err != nil || !v.EndsAt.Equal(want) || v.Class != 2 ||
			v.AutoRenew {
			t.Fatalf("it ends at %s, want %s: %+v, %v", v.EndsAt, want, v, err)
		}
		if r, err = c.Redeem(t.Context(), 1, bag[0]); err != nil || r.PackageID == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		_, packages, err := c.services.List(t.Context(), 1)
		if err != nil || len(packages) != 1 || packages[0].Bytes != 5<<30 || packages[0].Kind != service.Grant ||
			!packages[0].ExpiresAt.Equal(now.AddDate(0, 0, 30)) {
			t.Fatalf("%+v, %v", packages, err)
		}
		history, total, err := c.Redemptions(t.Context(), 1, 2, 0)
		if err != nil || total != 3 || len(history) != 2 || history[0].Kind != cdkey.Traffic ||
			history[1].Kind != cdkey.Plan {
			t.Fatalf("%+v, %v", history, err)
		}
		if c.balance(t, 1) != 0 {
			t.Error("time and traffic are not money")
		}
		c.sound(t)
	})
}

func TestAKeyThatCannotBeRedeemedLooksLikeNone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 2)
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		soon := now.Add(time.Hour)
		_, used := c.make(t, cdkey.Batch{Gift: fen(100), Size: 1})
		if _, err := c.Redeem(t.Context(), 2, used[0]); err != nil {
			t.Fatal(err)
		}
		_, old := c.make(t, cdkey.Batch{Gift: fen(100), Size: 1, ExpiresAt: &soon})
		gone, void := c.make(t, cdkey.Batch{Gift: fen(100), Size: 1})
		if err := c.Void(t.Context(), gone.ID, new(int64(7)), "test"); err != nil {
			t.Fatal(err)
		}
		one, single := c.make(t, cdkey.Batch{Gift: fen(100), Size: 2})
		_, keys, err := c.Batch(t.Context(), one.ID, 10, 0)
		if err != nil || len(keys) != 2 {
			t.Fatal(keys, err)
		}
		if err := c.VoidKey(t.Context(), one.ID, keys[0].ID, ""); err != nil {
			t.Fatal(err)
		}
		if err := c.VoidKey(t.Context(), gone.ID, keys[1].ID, ""); !errors.Is(err, cdkey.ErrNoKey) {
			t.Error("a key of another batch: ", err)
		}
		now = soon
		for _, key := range []string{"00000-00000-00000-00000", used[0], old[0], void[0], single[0]} {
			c.fail(t, 1, key, cdkey.ErrInvalid)
		}
		c.fail(t, 2, used[0], cdkey.ErrRedeemed) // who redeemed it may know
		if _, err := c.Redeem(t.Context(), 1, single[1]); err != nil {
			t.Error("the other key of the batch: ", err)
		}
		batches, total, err := c.Batches(t.Context(), 10, 0)
		if err != nil || total != 4 || batches[3].Used != 1 || batches[1].VoidedAt == nil || *batches[1].VoidedBy != 7 {
			t.Fatalf("%+v, %v", batches, err)
		}
		c.sound(t)
	})
}

func TestGuessingHasAnEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 2)
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		_, keys := c.make(t, cdkey.Batch{Gift: fen(100), Size: 2})
		var wg sync.WaitGroup
		var mu sync.Mutex
		wrong, refused := 0, 0
		for range 40 { // all at once: none slips through between looking and counting
			wg.Go(func() {
				_, err := c.Redeem(t.Context(), 1, "22222-22222-22222-22222")
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(err, cdkey.ErrInvalid):
					wrong++
				case errors.Is(err, cdkey.ErrTooMany):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if wrong != 10 || refused != 30 {
			t.Fatalf("%d wrong, %d refused", wrong, refused)
		}
		_, err := open(t, d, 0).Redeem(t.Context(), 1, keys[0]) // a restart forgets nothing
		f, ok := fault.As(err)
		if !ok || f.Status != 429 || f.RetryAfter <= 0 || f.RetryAfter > time.Hour {
			t.Fatal("a right key after ten wrong ones: ", err)
		}
		if _, err := c.Redeem(t.Context(), 2, keys[0]); err != nil {
			t.Fatal("another user: ", err)
		}
		now = now.Add(-24 * time.Hour)
		if _, err := c.Redeem(t.Context(), 1, "22222-22222-22222-22222"); !errors.Is(err, cdkey.ErrInvalid) {
			t.Fatal("the clock was a day ahead: ", err)
		}
		now = now.Add(25 * time.Hour)
		if _, err := c.Redeem(t.Context(), 1, keys[1]); err != nil {
			t.Fatal("an hour later: ", err)
		}
		c.sound(t)
	})
}

func TestARepeatedRequestRedeemsOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 1)
		_, keys := c.make(t, cdkey.Batch{Gift: fen(100), Size: 1})
		ctx := idempotency.With(t.Context(), idempotency.Request{UserID: 1, Key: "k", Hash: []byte("h")})
		first, err := c.Redeem(ctx, 1, keys[0])
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Redeem(ctx, 1, keys[0])
		if err != nil || again.ID != first.ID || c.balance(t, 1) != 100 {
			t.Fatalf("%+v, %v", again, err)
		}
		c.sound(t)
	})
}

func TestMake_RepeatedUnderItsKey_MakesOneBatchAndKeepsNoKeyInClear(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 1)
		staff := int64(1)
		ends := time.Now().Add(time.Hour)
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		wish := cdkey.Batch{Gift: fen(100), Size: 1000, MaxUses: 1, ExpiresAt: &ends}
		ctx := idempotency.With(t.Context(), idempotency.Request{UserID: staff, Key: "k", Hash: []byte("h")})
		first, keys, err := c.Make(ctx, wish, &staff)
		if err != nil || len(keys) != 1000 {
			t.Fatal(len(keys), err)
		}
		now = ends.Add(time.Minute) // a wish that could no longer be granted anew
		again, sameKeys, err := c.Make(ctx, wish, &staff)
		if err != nil || again.ID != first.ID || !slices.Equal(keys, sameKeys) ||
			again.CSV(sameKeys) != first.CSV(keys) {
			t.Fatalf("the repeat gives batch %d with %d keys, %v; want batch %d", again.ID, len(sameKeys), err,
				first.ID)
		}
		_, total, err := c.Batches(t.Context(), 10, 0)
		if err != nil || total != 1 {
			t.Fatalf("%d batches, want 1 (%v)", total, err)
		}
		var stored string
		if err := d.NewRaw(`SELECT CAST(answer AS text) FROM idempotency WHERE key = 'k'`).
			Scan(t.Context(), &stored); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if strings.Contains(stored, key) || strings.Contains(stored, strings.ReplaceAll(key, "-", "")) {
				t.Fatal("the stored answer has a cd-key in clear")
			}
		}
		other := idempotency.With(t.Context(), idempotency.Request{UserID: staff, Key: "k", Hash: []byte("other")})
		if _, _, err := c.Make(other, wish, &staff); !errors.Is(err, idempotency.ErrOtherRequest) {
			t.Errorf("the key of another request: %v", err)
		}
	})
}

func TestOneUserMayRedeemOnlySoManyOfABatch(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 2)
		_, keys := c.make(t, cdkey.Batch{Gift: fen(100), Size: 10, PerUser: new(2)})
		var wg sync.WaitGroup
		for _, key := range keys[:9] {
			wg.Go(func() {
				if _, err := c.Redeem(t.Context(), 1, key); err != nil && !errors.Is(err, cdkey.ErrEnough) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := c.balance(t, 1); got != 200 {
			t.Error("the wallet has ", got)
		}
		if _, err := c.Redeem(t.Context(), 2, keys[9]); err != nil {
			t.Error("another user: ", err)
		}
		c.sound(t)
	})
}

func TestAKeyIsRedeemedExactlyAsOftenAsItMay(t *testing.T) {
	for name, uses := range map[string]int{"once": 1, "fifty times": 50} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				const users, tries = 100, 10
				c := open(t, d, users)
				_, keys := c.make(t, cdkey.Batch{Gift: fen(100), Size: 1, MaxUses: uses})
				all := make(chan int64, users*tries)
				for range tries {
					for user := range int64(users) {
						all <- user + 1
					}
				}
				close(all)
				won := map[int64]int{}
				var mu sync.Mutex
				race := func(c *fixture, n int) {
					var wg sync.WaitGroup
					for range 50 {
						wg.Go(func() {
							for user := range all {
								_, err := c.Redeem(t.Context(), user, keys[0])
								mu.Lock()
								switch {
								case err == nil:
									won[user]++
								case !errors.Is(err, cdkey.ErrInvalid) && !errors.Is(err, cdkey.ErrRedeemed):
									t.Error(err)
								}
								n--
								stop := n <= 0
								mu.Unlock()
								if stop {
									return
								}
							}
						})
					}
					wg.Wait()
				}
				race(c, users*tries/3)
				race(open(t, d, 0), users*tries) // the rest after a restart
				if len(won) != uses {
					t.Fatalf("%d users redeemed it", len(won))
				}
				var sum money.Amount
				for user := range int64(users) {
					got := c.balance(t, user+1)
					if got != money.Amount(100*won[user+1]) {
						t.Errorf("user %d has %s and won %d times", user+1, got, won[user+1])
					}
					sum += got
				}
				if sum != money.Amount(100*uses) {
					t.Error("given: ", sum)
				}
				c.sound(t)
			})
		})
	}
}

func TestStaffMakesMoneyOnlyUpToALimitAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d, 1)
		staff, other := int64(7), int64(8)
		accounttest.Add(t, d, permission.Finance, staff, other)
		// 1000.00, the default limit
		_, keys, err := c.Make(t.Context(), cdkey.Batch{Gift: fen(10000), Size: 10, MaxUses: 1}, &staff)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Redeem(t.Context(), 1, keys[0]); err != nil {
			t.Fatal(err)
		}
		b, more, err := c.Make(t.Context(), cdkey.Batch{Gift: fen(1), Size: 1, MaxUses: 1}, &staff)
		if err != nil || b.ConfirmedAt != nil {
			t.Fatalf("%+v, %v", b, err)
		}
		c.fail(t, 1, more[0], cdkey.ErrInvalid)
		if err := c.Confirm(t.Context(), b.ID, &staff); !errors.Is(err, approval.ErrSecondMember) {
			t.Error("confirmed their own: ", err)
		}
		if err := c.Confirm(t.Context(), b.ID, &other); err != nil {
			t.Fatal(err)
		}
		if err := c.Confirm(t.Context(), b.ID, &other); !errors.Is(err, cdkey.ErrConfirmed) {
			t.Error("twice: ", err)
		}
		if _, err := c.Redeem(t.Context(), 1, more[0]); err != nil {
			t.Fatal(err)
		}
		c.sound(t)
	})
}

func TestWrongBatchesNameTheField(t *testing.T) {
	c := open(t, dbtest.SQLite(t), 0)
	plan := c.plan(t)
	for field, b := range map[string]cdkey.Batch{
		"amount":     {Gift: fen(0), Size: 1, MaxUses: 1},
		"size":       {Gift: fen(1), Size: 10001, MaxUses: 1},
		"max_uses":   {Gift: fen(1), Size: 1},
		"per_user":   {Gift: fen(1), Size: 1, MaxUses: 1, PerUser: new(0)},
		"expires_at": {Gift: fen(1), Size: 1, MaxUses: 1, ExpiresAt: new(time.Now().Add(-time.Minute))},
		"name":       {Gift: fen(1), Size: 1, MaxUses: 1, Name: strings.Repeat("长", 65)},
		"kind":       {Gift: cdkey.Gift{Kind: "gold"}, Size: 1, MaxUses: 1},
		"plan_id":    {Gift: cdkey.Gift{Kind: cdkey.Plan, PlanID: new(plan + 1), Months: new(1)}, Size: 1, MaxUses: 1},
		"days":       {Gift: cdkey.Gift{Kind: cdkey.Plan, PlanID: &plan}, Size: 1, MaxUses: 1},
		"bytes":      {Gift: cdkey.Gift{Kind: cdkey.Traffic}, Size: 1, MaxUses: 1},
	} {
		_, _, err := c.Make(t.Context(), b, nil)
		if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestADamagedRedemptionShows(t *testing.T) {
	for _, damage := range []string{
		`UPDATE cd_key SET used = 0`,
		`UPDATE cd_key_batch SET amount = amount + 1`,
		`UPDATE cd_key_redemption SET user_id = 2`,
		`UPDATE cd_key_batch SET confirmed_at = NULL`,
		`DELETE FROM cd_key_redemption`,
	} {
		t.Run(damage, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				c := open(t, d, 2)
				_, keys := c.make(t, cdkey.Batch{Gift: fen(100), Size: 1})
				if _, err := c.Redeem(t.Context(), 1, keys[0]); err != nil {
					t.Fatal(err)
				}
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(damage).Exec(ctx)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if broken, err := c.Check(t.Context()); err != nil || len(broken) == 0 {
					t.Fatal("nobody noticed: ", err)
				}
			})
		})
	}
}
