package checkin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/checkin"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

const mb = 1 << 20

var home = netip.MustParseAddr("192.0.2.1")

// site is a site whose clock the test sets.
type site struct {
	testing.TB
	*checkin.CheckIns
	db       *db.DB
	settings *setting.Settings
	accounts *account.Accounts
	services *service.Services
	now      time.Time
	users    int
}

// each runs test on both databases, at noon of 10 November in Shanghai.
func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(open(t, d)) })
}

func open(t testing.TB, d *db.DB) *site {
	t.Helper()
	s := &site{TB: t, db: d, now: time.Date(2026, 11, 10, 4, 0, 0, 0, time.UTC)}
	d.SetClock(func() time.Time { return s.now })
	var err error
	s.settings, err = setting.New(t.Context(), d)
	s.must(err)
	key, secrets := seal.Key{1}, secret.New(d, seal.Key{1})
	tokens, err := token.New(t.Context(), d, key)
	s.must(err)
	captchas := captcha.New(d, key, s.settings, secrets)
	s.services = service.New(d, key, s.settings)
	s.accounts = account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: key, Settings: s.settings, Mails: mail.New(d, key, s.settings, secrets, "https://example.com"),
		Captchas: captchas, Tokens: tokens, Wallets: wallet.New(d, s.settings), Services: s.services,
		Site: "https://example.com",
	})
	s.CheckIns = checkin.New(d, s.settings, s.accounts, s.services, captchas)
	s.accounts.OnClose(s.Close)
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) wants(userID int64, target error) {
	s.Helper()
	if given, err := s.CheckIn(s.Context(), userID, "", home); !errors.Is(err, target) {
		s.Fatalf("gives %+v, %v; want %v", given, err, target)
	}
	s.sound()
}

// user makes one without a service. Nobody signs in, so that a password need not be hashed.
func (s *site) user() (id int64) {
	s.Helper()
	s.users++
	s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		u, err := s.accounts.Import(ctx, tx, fmt.Sprintf("u%d@example.com", s.users), "User", hash)
		id = u.ID
		return err
	}))
	return id
}

// hash is of no password that anybody knows.
const hash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func (s *site) serves(userID int64, months int) {
	s.Helper()
	s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := s.services.Start(ctx, tx, service.Terms{
			UserID: userID, PlanID: 1, Name: "Basic", Class: 1, QuotaBytes: new(int64(1 << 30)),
			Reset: service.Anniversary, Months: months,
		})
		return err
	}))
}

func (s *site) set(values map[string]any) {
	s.Helper()
	raw := map[string]json.RawMessage{}
	for name, value := range values {
		text, err := json.Marshal(value)
		s.must(err)
		raw[name] = text
	}
	s.must(s.settings.Set(s.Context(), raw))
}

func (s *site) checksIn(userID int64) *checkin.CheckIn {
	s.Helper()
	given, err := s.CheckIn(s.Context(), userID, "", home)
	if err != nil {
		s.Fatal(err)
	}
	s.sound()
	return given
}

func (s *site) sound() {
	s.Helper()
	if broken, err := checkin.Check(s.Context(), s.db); err != nil || len(broken) > 0 {
		s.Fatal(broken, err)
	}
}

func (s *site) status(userID int64) checkin.Status {
	s.Helper()
	status, err := s.Status(s.Context(), userID)
	s.must(err)
	return status
}

func TestCheckIn_GivesTrafficOnceASiteDay(t *testing.T) {
	each(t, func(s *site) {
		user := s.user()
		if before := s.status(user); before.State != checkin.Open || before.Streak != 0 {
			t.Fatalf("%+v", before)
		}
		given := s.checksIn(user)
		if given.Bytes < 100*mb || given.Bytes > 500*mb || given.Bytes%mb != 0 || given.Streak != 1 ||
			given.Day.String() != "2026-11-10" {
			t.Errorf("%+v", given)
		}
		_, packages, err := s.services.List(t.Context(), user)
		if err != nil || len(packages) != 1 || packages[0].Kind != service.CheckIn ||
			packages[0].Bytes != given.Bytes || packages[0].NameIn(fault.EN) != "Check-in traffic" {
			t.Fatalf("%+v, %v", packages, err)
		}
		end := time.Date(2026, 11, 30, 16, 0, 0, 0, time.UTC) // midnight in Shanghai
		if !packages[0].ExpiresAt.Equal(end) || !given.ExpiresAt.Equal(end) {
			t.Errorf("it ends at %s", packages[0].ExpiresAt)
		}
		s.wants(user, checkin.ErrDone)

		s.now = time.Date(2026, 11, 10, 15, 59, 59, 0, time.UTC) // the last second of the day
		s.wants(user, checkin.ErrDone)
		status := s.status(user)
		if status.State != checkin.Done || status.Today == nil || !status.NextAt.Equal(s.now.Add(time.Second)) {
			t.Errorf("%+v", status)
		}
		s.now = s.now.Add(time.Second)
		if next := s.checksIn(user); next.Streak != 2 || next.Day.String() != "2026-11-11" {
			t.Errorf("%+v", next)
		}
	})
}

func TestCheckIn_SevenDaysInARow_GiveTheMost(t *testing.T) {
	each(t, func(s *site) {
		user := s.user()
		s.serves(user, 3)
		s.set(map[string]any{"checkin_min_mb": 1, "checkin_max_mb": 1_000_000})
		for day := 1; day <= 15; day++ {
			given := s.checksIn(user)
			if isMost := given.Bytes == 1_000_000*mb; given.Streak != int64(day) || isMost != (day%7 == 0) ||
				given.IsBonus() != isMost {
				t.Fatalf("day %d: %+v", day, given)
			}
			s.now = s.now.AddDate(0, 0, 1)
		}
		if left := s.status(user); left.Streak != 15 || left.State != checkin.Open {
			t.Errorf("while the day is open: %+v", left)
		}
		s.now = s.now.AddDate(0, 0, 1) // one day left out
		if left := s.status(user); left.Streak != 0 {
			t.Errorf("after a day without: %+v", left)
		}
		if given := s.checksIn(user); given.Streak != 1 {
			t.Errorf("%+v", given)
		}
		days, err := s.Between(t.Context(), user, checkin.DayOf(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)),
			checkin.DayOf(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)))
		if err != nil || len(days) != 3 || days[0].Day.String() != "2026-11-23" || days[2].Streak != 1 {
			t.Errorf("%+v, %v", days, err)
		}
	})
}

func TestCheckIn_LateInTheMonth_LastsAWeek(t *testing.T) {
	s := open(t, dbtest.SQLite(t))
	for day, want := range map[string]string{
		"2026-11-24": "2026-11-30T16:00:00Z", // seven days with this one, to the end of the month
		"2026-11-25": "2026-12-01T16:00:00Z",
		"2026-11-30": "2026-12-06T16:00:00Z",
		"2026-12-31": "2027-01-06T16:00:00Z",
		"2028-02-23": "2028-02-29T16:00:00Z", // a leap year has the 29th
		"2028-02-24": "2028-03-01T16:00:00Z",
	} {
		var err error
		s.now, err = time.Parse(time.DateOnly, day) // eight in the morning
		s.must(err)
		if given := s.checksIn(s.user()); given.ExpiresAt.Format(time.RFC3339) != want {
			t.Errorf("of %s ends at %s, want %s", day, given.ExpiresAt.Format(time.RFC3339), want)
		}
	}
}

func TestCheckIn_WhoMayNot_IsTold(t *testing.T) {
	each(t, func(s *site) {
		old, served := s.user(), s.user()
		s.serves(served, 2)
		s.now = s.now.AddDate(0, 0, 30)
		s.wants(old, checkin.ErrNotEligible)
		s.checksIn(served)
		s.now = s.now.AddDate(0, 2, 0)
		s.wants(served, checkin.ErrNotEligible)

		young := s.user()
		_, err := s.accounts.Bans.Ban(t.Context(), account.BanTask{AccountID: young, Reason: "abuse"},
			account.Identity{})
		s.must(err)
		s.wants(young, wallet.ErrBanned)
		if status := s.status(young); status.State != checkin.Banned {
			t.Errorf("%+v", status)
		}

		s.set(map[string]any{"checkin": false})
		s.wants(s.user(), checkin.ErrOff)
		if _, err := s.CheckIn(t.Context(), 1000, "", home); !errors.Is(err, account.ErrNoUser) {
			t.Error(err)
		}
	})
}

func TestCheckIn_AfterTheTimeZoneWentBack_WaitsForTheNextDay(t *testing.T) {
	each(t, func(s *site) {
		user := s.user()
		s.now = time.Date(2026, 11, 10, 20, 0, 0, 0, time.UTC) // the 11th in Shanghai
		s.checksIn(user)
		s.set(map[string]any{"time_zone": "America/Los_Angeles"}) // the 10th
		s.wants(user, checkin.ErrDone)
		s.now = s.now.Add(24 * time.Hour)
		s.wants(user, checkin.ErrDone)
		s.now = s.now.Add(24 * time.Hour)
		if given := s.checksIn(user); given.Streak != 2 {
			t.Errorf("%+v", given)
		}
	})
}

func TestCheckIn_AfterOneOfAClockThatWasAhead_IsOpen(t *testing.T) {
	each(t, func(s *site) {
		id, right := s.user(), s.now
		s.wants(id, nil)
		s.now = right.AddDate(1, 0, 0)
		s.serves(id, 1)
		s.wants(id, nil)
		s.now = right
		s.wants(id, checkin.ErrDone)
		for range 2 {
			s.now = s.now.AddDate(0, 0, 1)
			s.wants(id, nil)
			s.wants(id, checkin.ErrDone)
		}
		if status, err := s.Status(s.Context(), id); err != nil || status.Streak != 3 {
			s.Fatalf("%+v, %v; want a streak of 3", status, err)
		}
	})
}

func TestCheckIn_ManyAtOnce_GiveOne(t *testing.T) {
	each(t, func(s *site) {
		user := s.user()
		var wg sync.WaitGroup
		var given atomic.Int64
		for range 100 {
			wg.Go(func() {
				_, err := s.CheckIn(t.Context(), user, "", home)
				switch {
				case err == nil:
					given.Add(1)
				case !errors.Is(err, checkin.ErrDone):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		_, packages, err := s.services.List(t.Context(), user)
		if err != nil || given.Load() != 1 || len(packages) != 1 {
			t.Fatalf("given %d times, %d packages, %v", given.Load(), len(packages), err)
		}
		s.sound()
	})
}

func TestCheckIn_CaptchaBySetting(t *testing.T) {
	each(t, func(s *site) {
		s.set(map[string]any{"captcha_checkin": "risk"})
		for range 3 {
			s.checksIn(s.user())
		}
		fourth := s.user()
		s.wants(fourth, captcha.ErrRequired) // of one network
		if _, err := s.CheckIn(t.Context(), fourth, "", netip.MustParseAddr("198.51.100.7")); err != nil {
			t.Error("of another network: ", err)
		}
		s.wants(fourth, checkin.ErrDone) // and not a captcha

		s.set(map[string]any{"captcha_checkin": "always"})
		s.wants(s.user(), captcha.ErrRequired)
		user := s.user()
		s.must(s.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			if _, err := s.CheckInByTelegram(ctx, tx, user); !errors.Is(err, captcha.ErrRequired) {
				t.Errorf("the bot: %v", err)
			}
			return nil
		}))
	})
}

// Calls at the same time are given together, and each has its own answer.
func TestCheckIn_OfManyAtOnce_AnswersEach(t *testing.T) {
	each(t, func(s *site) {
		idle := s.user()
		s.now = s.now.AddDate(0, 0, 40)
		s.serves(idle, 1)
		s.now = s.now.AddDate(0, 0, 40) // its service has ended
		users := []int64{idle, 1 << 40}
		for range 20 {
			users = append(users, s.user())
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		given, refused := map[int64][]*checkin.CheckIn{}, map[int64][]error{}
		for range 3 {
			for _, user := range users {
				wg.Go(func() {
					one, err := s.CheckIn(s.Context(), user, "", home)
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						refused[user] = append(refused[user], err)
					} else {
						given[user] = append(given[user], one)
					}
				})
			}
		}
		wg.Wait()
		wants := map[int64]error{idle: checkin.ErrNotEligible, 1 << 40: account.ErrNoUser}
		for _, user := range users {
			want, times := wants[user], 0
			if want == nil {
				want, times = checkin.ErrDone, 1
			}
			if len(given[user]) != times || len(refused[user]) != 3-times {
				t.Fatalf("user %d: %d times, refused %v", user, len(given[user]), refused[user])
			}
			for _, err := range refused[user] {
				if !errors.Is(err, want) {
					t.Errorf("user %d: %v, want %v", user, err, want)
				}
			}
			for _, one := range given[user] {
				if one.UserID != user || one.Streak != 1 || s.status(user).Today.ID != one.ID {
					t.Errorf("user %d is answered %+v", user, one)
				}
			}
		}
		s.sound()
	})
}

// Who left before their turn is given nothing, and keeps nobody from theirs.
func TestCheckIn_OfACallThatEnded_GivesNothing(t *testing.T) {
	each(t, func(s *site) {
		left, other := s.user(), s.user()
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		if given, err := s.CheckIn(ctx, left, "", home); err == nil {
			t.Errorf("gives %+v", given)
		}
		s.checksIn(other)
		s.checksIn(left)
	})
}

func TestCheck_ADamagedCheckIn_Shows(t *testing.T) {
	for i, damage := range []string{
		`UPDATE checkin SET bytes = bytes + 1`,
		`UPDATE checkin SET streak = 3 WHERE streak = 2`,
		`UPDATE package SET kind = 'grant'`,
		`UPDATE package SET user_id = 9`,
		`UPDATE package SET expires_at = NULL`,
		`DELETE FROM checkin WHERE streak = 2`,
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			each(t, func(s *site) {
				user := s.user()
				s.checksIn(user)
				s.now = s.now.AddDate(0, 0, 1)
				s.checksIn(user)
				s.must(s.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.ExecContext(ctx, damage)
					return err
				}))
				if broken, err := checkin.Check(t.Context(), s.db); err != nil || len(broken) == 0 {
					t.Error("nobody noticed: ", err)
				}
			})
		})
	}
}

func benchmarkCrowd(b *testing.B, d *db.DB, users, calls int, want int64) {
	b.Helper()
	s := open(b, d)
	var ids []int64
	for range users {
		ids = append(ids, s.user())
	}
	for b.Loop() {
		s.now = s.now.Add(24 * time.Hour)
		var wg sync.WaitGroup
		var given atomic.Int64
		for i := range calls {
			wg.Go(func() {
				_, err := s.CheckIn(b.Context(), ids[i%users], "", home)
				if err == nil {
					given.Add(1)
				} else if !errors.Is(err, checkin.ErrDone) {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		if given.Load() != want {
			b.Fatalf("given %d times, want %d", given.Load(), want)
		}
	}
}

func BenchmarkCheckIn_1000CallsOfOneUser(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkCrowd(b, dbtest.SQLite(b), 1, 1000, 1) })
	b.Run("postgres", func(b *testing.B) { benchmarkCrowd(b, dbtest.Postgres(b), 1, 1000, 1) })
}

func BenchmarkCheckIn_1000UsersAtOnce(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkCrowd(b, dbtest.SQLite(b), 1000, 1000, 1000) })
	b.Run("postgres", func(b *testing.B) { benchmarkCrowd(b, dbtest.Postgres(b), 1000, 1000, 1000) })
}
