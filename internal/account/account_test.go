package account_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun"
	"golang.org/x/crypto/argon2"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
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

// testSite is a site with its users, in which time is set by the test.
type testSite struct {
	*testing.T
	*account.Accounts
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	services *service.Services
	now      time.Time
	// passwordMemory is that of account.Config, little unless a test is about what hashes cost.
	passwordMemory uint32
}

func each(t *testing.T, test func(w *testSite)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(newTestSite(t, d)) })
}

func newTestSite(t *testing.T, d *db.DB) *testSite {
	t.Helper()
	w := &testSite{T: t, db: d, now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), passwordMemory: 64}
	d.SetClock(func() time.Time { return w.now })
	w.start()
	return w
}

// start makes the parts again on the same database, as a restart does.
func (w *testSite) start() {
	w.Helper()
	settings, err := setting.New(w.Context(), w.db)
	w.must(err)
	tokens, err := token.New(w.Context(), w.db, seal.Key{1})
	w.must(err)
	w.settings, w.wallets, w.services = settings, wallet.New(w.db, settings), service.New(w.db, seal.Key{1}, settings)
	w.Accounts = account.New(account.Config{
		DB: w.db, Key: seal.Key{1}, Settings: settings,
		Mails:    mail.New(w.db, seal.Key{1}, settings, secret.New(w.db, seal.Key{1}), "http://localhost:8080"),
		Captchas: captcha.New(w.db, seal.Key{1}, settings, secret.New(w.db, seal.Key{1})), Tokens: tokens,
		Wallets: w.wallets, Services: w.services, Site: "http://localhost:8080",
		PasswordMemory: w.passwordMemory,
	})
}

// hashAtFullCost makes the parts again with hashes that cost what those of a real site do.
func (w *testSite) hashAtFullCost() {
	w.Helper()
	w.passwordMemory = 0
	w.start()
}

func (w *testSite) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *testSite) want(err, target error) {
	w.Helper()
	if !errors.Is(err, target) {
		w.Fatalf("%v, want %v", err, target)
	}
}

func (w *testSite) set(name string, value any) {
	w.Helper()
	raw, err := json.Marshal(value)
	w.must(err)
	w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{name: raw}))
}

const password = "correct horse 电池"

func from(ip string) account.Client {
	return account.Client{IP: netip.MustParseAddr(ip), UserAgent: "Browser/1"}
}

var home = from("192.0.2.1")

func (w *testSite) signUp(email string) account.Grant {
	w.Helper()
	g, err := w.SignUps.SignUp(w.Context(),
		account.SignUp{Email: email, Name: "小明", Password: password, Repeated: password}, home)
	w.must(err)
	return g
}

func (w *testSite) signIn(email string) account.Grant {
	w.Helper()
	g, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: password}, home)
	w.must(err)
	return g
}

func TestSignUpMakesAUserWithAWalletWhoIsSignedIn(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("  Ming@Example.COM ")
		who, err := w.Sessions.Authenticate(w.Context(), g.Access)
		w.must(err)
		if who.UserID != g.User.ID || who.UUID != g.User.UUID || who.Staff() ||
			!who.ExpiresAt.Equal(w.now.Add(20*time.Minute)) {
			w.Errorf("authenticated as %+v", who)
		}
		u, err := w.User(w.Context(), g.User.ID)
		w.must(err)
		if diff := cmp.Diff(g.User, u); diff != "" || u.Email != "ming@example.com" || u.Name != "小明" || u.Banned() ||
			!u.SignedInAt.Equal(w.now) {
			w.Errorf("read %+v, granted other:\n%s", u, diff)
		}
		if b, err := w.wallets.Balance(w.Context(), u.ID); err != nil || b.Posted != 0 {
			w.Errorf("balance %+v, %v", b, err)
		}
		if a, err := w.services.Access(w.Context(), u.ID); err != nil || a.State != service.None {
			w.Errorf("access %+v, %v", a, err)
		}
		w.signIn("MING@example.com\t")
	})
}

func TestSignUpNamesWhatIsWrong(t *testing.T) {
	w := newTestSite(t, dbtest.Postgres(t))
	w.set("sign_up_domains", []string{"example.com"})
	good := account.SignUp{Email: "a@example.com", Name: "a", Password: password, Repeated: password}
	for name, c := range map[string]struct {
		spoil func(*account.SignUp)
		want  string
	}{
		"no address":          {func(s *account.SignUp) { s.Email = "nobody" }, "email:email"},
		"a name with address": {func(s *account.SignUp) { s.Email = "A <a@example.com>" }, "email:email"},
		"no dot":              {func(s *account.SignUp) { s.Email = "a@localhost" }, "email:email"},
		"not ASCII":           {func(s *account.SignUp) { s.Email = "ａ@example.com" }, "email:email"},
		"a line break":        {func(s *account.SignUp) { s.Email = "a@exam\nple.com" }, "email:email"},
		"too long": {
			func(s *account.SignUp) { s.Email = strings.Repeat("a", 65) + "@example.com" },
			"email:email",
		},
		"another provider":    {func(s *account.SignUp) { s.Email = "a@example.org" }, "email:domain"},
		"no name":             {func(s *account.SignUp) { s.Name = " \t" }, "name:length"},
		"a long name":         {func(s *account.SignUp) { s.Name = strings.Repeat("长", 33) }, "name:length"},
		"a name in two lines": {func(s *account.SignUp) { s.Name = "a\nb" }, "name:length"},
		"a short password": {
			func(s *account.SignUp) { s.Password, s.Repeated = "1234567", "1234567" },
			"password:length",
		},
		"a long password": {func(s *account.SignUp) {
			p := strings.Repeat("长", 129)
			s.Password, s.Repeated = p,
				p
		}, "password:length"},
		"a common password": {
			func(s *account.SignUp) { s.Password, s.Repeated = "PassWord1", "PassWord1" },
			"password:common",
		},
		"two passwords": {func(s *account.SignUp) { s.Repeated = "another horse" }, "re_password:mismatch"},
		"an unknown code": {
			func(s *account.SignUp) { s.InviteCode = "NOSUCHCODE" },
			"invite_code:invite_code_unknown",
		},
		"a code with a zero": {
			func(s *account.SignUp) { s.InviteCode = "A\x00B" },
			"invite_code:invite_code_unknown",
		},
		"a zero in the name": {func(s *account.SignUp) { s.Name = "a\x00" }, "name:length"},
		"everything at a time": {
			func(s *account.SignUp) { *s = account.SignUp{} },
			"email:email name:length password:length",
		},
	} {
		in := good
		c.spoil(&in)
		_, err := w.SignUps.SignUp(w.Context(), in, home)
		f, ok := fault.As(err)
		if !ok || !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, wrong := range f.Fields {
			got = append(got, wrong.Name+":"+wrong.Code)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
	if _, err := w.SignUps.SignUp(w.Context(), good, home); err != nil {
		t.Error("the good one:", err)
	}
}

func TestAPasswordIsTheSameFromEveryKeyboard(t *testing.T) {
	w := newTestSite(t, dbtest.SQLite(t))
	composed, decomposed := "caf\u00e9 au lait", "cafe\u0301 au lait"
	_, err := w.SignUps.SignUp(w.Context(),
		account.SignUp{Email: "a@example.com", Name: "a", Password: composed, Repeated: composed}, home)
	w.must(err)
	_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: decomposed}, home)
	w.must(err)
}

// The lower case of some letters beside ASCII is a letter of ASCII.
func TestSignUp_EmailWithOtherLetters_IsNotMadeIntoAnotherAddress(t *testing.T) {
	each(t, func(w *testSite) {
		for _, email := range []string{"\u0130x@example.com", "\u212ax@example.com", "a@ex\u0130.com", "\u017fx@example.com"} {
			_, err := w.SignUps.SignUp(w.Context(),
				account.SignUp{Email: email, Name: "a", Password: password, Repeated: password}, home)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != "email" {
				w.Errorf("%q: %v", email, err)
			}
		}
	})
}

func TestAnEmailHasOneAccount(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		_, err := w.SignUps.SignUp(w.Context(),
			account.SignUp{Email: "A@EXAMPLE.com", Name: "b", Password: password, Repeated: password}, home)
		w.want(err, account.ErrEmailTaken)
		if f, _ := fault.As(err); f.Status != 409 || len(f.Fields) != 1 || f.Fields[0].Name != "email" {
			w.Errorf("%+v", f)
		}
		var made, taken int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 4 { // as many as are hashed for one account at once
			wg.Go(func() {
				_, err := w.SignUps.SignUp(context.Background(),
					account.SignUp{Email: "b@example.com", Name: "b", Password: password, Repeated: password}, home)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					made++
				case errors.Is(err, account.ErrEmailTaken):
					taken++
				default:
					w.Error(err)
				}
			})
		}
		wg.Wait()
		if made != 1 || taken != 3 {
			w.Errorf("made %d, taken %d", made, taken)
		}
	})
}

func TestWhoMaySignUpIsASetting(t *testing.T) {
	each(t, func(w *testSite) {
		inviter := w.signUp("a@example.com").User
		w.set("sign_up_mode", "closed")
		in := account.SignUp{
			Email: "b@example.com", Name: "b", Password: password, Repeated: password,
			InviteCode: inviter.InviteCode,
		}
		_, err := w.SignUps.SignUp(w.Context(), in, home)
		w.want(err, account.ErrSignUpClosed)
		w.set("sign_up_mode", "invite")
		in.InviteCode = ""
		_, err = w.SignUps.SignUp(w.Context(), in, home)
		w.want(err, fault.ErrInvalid)
		w.want(w.SignUps.CheckInviteCode(w.Context(), "NOSUCHCODE", home), fault.ErrInvalid)
		in.InviteCode = " " + strings.ToLower(inviter.InviteCode)
		w.must(w.SignUps.CheckInviteCode(w.Context(), in.InviteCode, home))
		g, err := w.SignUps.SignUp(w.Context(), in, home)
		w.must(err)
		if g.User.InvitedBy == nil || *g.User.InvitedBy != inviter.ID || g.User.InviteCode == inviter.InviteCode {
			w.Errorf("made %+v", g.User)
		}
		w.ban(account.BanTask{AccountID: inviter.ID})
		w.want(w.SignUps.CheckInviteCode(w.Context(), inviter.InviteCode, home), fault.ErrInvalid)
	})
}

func TestANetworkHasSoManySignUpsADay(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("captcha_register", "never")
		w.set("sign_up_per_ip_daily", 2)
		in := func(i int) account.SignUp {
			return account.SignUp{
				Email: fmt.Sprintf("u%d@example.com", i), Name: "u", Password: password,
				Repeated: password,
			}
		}
		for i := range 2 {
			_, err := w.SignUps.SignUp(w.Context(), in(i), from(fmt.Sprintf("2001:db8:1:2::%d", i)))
			w.must(err)
		}
		_, err := w.SignUps.SignUp(w.Context(), in(2), from("2001:db8:1:2:3::"))
		w.want(err, account.ErrTooManySignUps)
		if f, _ := fault.As(err); f.RetryAfter <= 0 || f.RetryAfter > 24*time.Hour {
			w.Errorf("retry after %s", f.RetryAfter)
		}
		_, err = w.SignUps.SignUp(w.Context(), in(3), from("2001:db8:1:3::1"))
		w.must(err)
		w.now = w.now.Add(24 * time.Hour)
		_, err = w.SignUps.SignUp(w.Context(), in(2), from("2001:db8:1:2:3::"))
		w.must(err)
	})
}

func TestToAskWhetherAnAddressIsTakenCostsASignUpOfTheDay(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		w.set("captcha_register", "never")
		w.set("sign_up_per_ip_daily", 2)
		ask := func(email string) error {
			_, err := w.SignUps.SignUp(w.Context(),
				account.SignUp{Email: email, Name: "b", Password: password, Repeated: password}, from("198.51.100.1"))
			return err
		}
		w.want(ask("a@example.com"), account.ErrEmailTaken)
		w.want(ask("a@example.com"), account.ErrEmailTaken)
		w.want(ask("a@example.com"), account.ErrTooManySignUps)
		w.want(ask("b@example.com"), account.ErrTooManySignUps)
	})
}

func TestAWrongEmailAndAWrongPasswordLookTheSame(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		for i := range 6 {
			var seen []string
			for _, email := range []string{"a@example.com", "nobody@example.com"} {
				_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: "wrong password"},
					from("198.51.100.7"))
				f, ok := fault.As(err)
				if !ok {
					w.Fatal(err)
				}
				seen = append(seen, fmt.Sprintf("%d %s %s %s %v", f.Status, f.Code, f.Text, f.RetryAfter, f.Fields))
			}
			if seen[0] != seen[1] {
				w.Errorf("try %d: %s, but %s", i, seen[0], seen[1])
			}
		}
	})
}

func TestWhatIsNoAddressIsNobodys(t *testing.T) {
	each(t, func(w *testSite) {
		for _, email := range []string{
			"", "\x00", "a\x00@example.com", "\xff@example.com",
			strings.Repeat("a", 1<<20) + "@example.com",
		} {
			_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: password}, home)
			w.want(err, account.ErrWrongCredentials)
		}
	})
}

func TestWrongPasswordsSlowDownTheirOwnNetworkOnly(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("captcha_login", "never")
		w.signUp("a@example.com")
		attacker, fresh := from("198.51.100.7"), from("203.0.113.9")
		wrong := func(email string, c account.Client) error {
			_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: "wrong password"}, c)
			return err
		}
		right := func(c account.Client) error {
			_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password}, c)
			return err
		}
		for range 5 {
			w.want(wrong("a@example.com", attacker), account.ErrWrongCredentials)
		}
		w.want(wrong("a@example.com", attacker), account.ErrTooManyFailures)
		w.want(right(attacker), account.ErrTooManyFailures)
		w.must(right(fresh))
		w.must(right(home))

		// Under attack another network waits a minute after a failure of its own, and no longer.
		w.want(wrong("a@example.com", fresh), account.ErrWrongCredentials)
		err := right(fresh)
		w.want(err, account.ErrTooManyFailures)
		if f, _ := fault.As(err); f.RetryAfter != time.Minute {
			w.Errorf("retry after %s", f.RetryAfter)
		}
		w.now = w.now.Add(time.Minute)
		w.must(right(fresh))

		w.now = w.now.Add(15 * time.Minute)
		w.must(right(attacker))

		// One network that tries one password on many accounts.
		for i := range 20 {
			w.want(wrong(fmt.Sprintf("u%d@example.com", i), attacker), account.ErrWrongCredentials)
		}
		w.want(wrong("u20@example.com", attacker), account.ErrTooManyFailures)
		w.must(right(fresh))
	})
}

func TestGuessesAtOnceAreCountedAll(t *testing.T) {
	each(t, func(w *testSite) {
		w.hashAtFullCost() // what bounds the guesses at once are the few hashes that are made at a time
		w.set("captcha_login", "never")
		w.signUp("a@example.com")
		attacker := from("198.51.100.7")
		var wrong int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				_, err := w.SignIns.ByPassword(context.Background(),
					account.SignIn{Email: "a@example.com", Password: "wrong password"}, attacker)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(err, account.ErrWrongCredentials):
					wrong++
				case !errors.Is(err, account.ErrTooManyFailures) && !errors.Is(err, account.ErrBusy):
					w.Error(err)
				}
			})
		}
		wg.Wait()
		if most := 5 + runtime.GOMAXPROCS(0); wrong < 1 || wrong > most {
			w.Errorf("%d of 40 guesses were answered, want at most %d", wrong, most)
		}
		for range 5 - wrong {
			_, err := w.SignIns.ByPassword(w.Context(),
				account.SignIn{Email: "a@example.com", Password: "wrong password"}, attacker)
			w.want(err, account.ErrWrongCredentials)
		}
		_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password},
			attacker)
		w.want(err, account.ErrTooManyFailures)
	})
}

func TestTheHistoryShowsGoodAndBadSignIns(t *testing.T) {
	each(t, func(w *testSite) {
		_, err := w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "a@example.com", Password: "before the account"}, from("198.51.100.1"))
		w.want(err, account.ErrWrongCredentials)
		w.now = w.now.Add(time.Minute)
		u := w.signUp("a@example.com").User
		w.now = w.now.Add(time.Minute)
		_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: "wrong password"},
			account.Client{IP: netip.MustParseAddr("2001:db8::1"), UserAgent: strings.Repeat("é", 400)})
		w.want(err, account.ErrWrongCredentials)
		got, err := w.History.SignIns(w.Context(), u.ID)
		w.must(err)
		want := []account.SignInRecord{
			{
				At: w.now, UserAgent: strings.Repeat("é", 256), Wrong: account.WrongPassword,
				Origin: account.Origin{IP: "2001:db8::1", Area: "ZZ"},
			},
			{At: w.now.Add(-time.Minute), UserAgent: "Browser/1", Origin: account.Origin{IP: "192.0.2.1", Area: "ZZ"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			w.Error(diff)
		}
	})
}

func TestACheaperHashIsRaisedAtSignIn(t *testing.T) {
	each(t, func(w *testSite) {
		w.hashAtFullCost()
		u := w.signUp("a@example.com").User
		salt := []byte("somesaltsomesalt")
		b64 := base64.RawStdEncoding.EncodeToString
		cheap := "$argon2id$v=19$m=8,t=1,p=1$" + b64(salt) + "$" + b64(argon2.IDKey([]byte(password), salt, 1, 8, 1,
			32))
		stored := func() (phc string) {
			w.must(w.db.NewRaw(`SELECT password FROM account WHERE id = ?`, u.ID).Scan(w.Context(), &phc))
			return phc
		}
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET password = ? WHERE id = ?`, cheap, u.ID).Exec(ctx)
			return err
		}))
		_, err := w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "a@example.com", Password: "wrong password"}, home)
		w.want(err, account.ErrWrongCredentials)
		if stored() != cheap {
			w.Error("a wrong password changed the hash")
		}
		w.signIn("a@example.com")
		if raised := stored(); !strings.HasPrefix(raised, "$argon2id$v=19$m=19456,t=2,p=1$") {
			w.Errorf("stored %s", raised)
		}
		w.signIn("a@example.com")
	})
}

func TestTheOperatorMakesAndChangesUsers(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("sign_up_mode", "closed")
		owner, err := w.Create(w.Context(), "Owner@example.com", "Owner", password, account.Owner)
		w.must(err)
		g := w.signIn("owner@example.com")
		if who, err := w.Sessions.Authenticate(w.Context(), g.Access); err != nil || who.Role != account.Owner ||
			!who.Staff() {
			w.Errorf("%+v, %v", who, err)
		}
		_, err = w.Create(w.Context(), "second@example.com", "Second", password, account.Owner)
		w.must(err)
		w.must(w.SetRole(w.Context(), "owner@example.com", account.Viewer))
		if who, err := w.Sessions.Authenticate(w.Context(), g.Access); err != nil || who.Role != account.Viewer {
			w.Errorf("%+v, %v", who, err)
		}
		w.want(w.SetRole(w.Context(), "owner@example.com", "king"), fault.ErrInvalid)
		w.want(w.SetRole(w.Context(), "nobody@example.com", account.Admin), account.ErrNoUser)
		_, err = w.Create(w.Context(), "owner@example.com", "Again", password, "")
		w.want(err, account.ErrEmailTaken)
		_, err = w.Create(w.Context(), "x@example.com", "x", "short", "")
		w.want(err, fault.ErrInvalid)

		w.must(w.Credentials.SetPassword(w.Context(), "owner@example.com", "a wholly new one"))
		_, err = w.Sessions.Authenticate(w.Context(), g.Access)
		w.want(err, account.ErrSignedOut)
		_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "owner@example.com", Password: password}, home)
		w.want(err, account.ErrWrongCredentials)
		_, err = w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "owner@example.com", Password: "a wholly new one"}, home)
		w.must(err)
		all, err := w.List(w.Context())
		if err != nil || len(all) != 2 || all[0].ID != owner.ID || all[0].Role != account.Viewer {
			w.Errorf("%+v, %v", all, err)
		}
	})
}
