package account_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
)

// mails are what the users are sent.
func (w *testSite) mails() *mail.Mails {
	return mail.New(w.db, seal.Key{1}, w.settings, secret.New(w.db, seal.Key{1}), "http://localhost:8080")
}

// mailsTo gives the kinds of the mails to an address, newest first.
func (w *testSite) mailsTo(email string) (kinds []string) {
	w.Helper()
	all, err := w.mails().List(w.Context(), 1000)
	w.must(err)
	for _, m := range all {
		if m.Recipient == email {
			kinds = append(kinds, m.Kind)
		}
	}
	return kinds
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// newestMail gives the newest mail to an address and the code in it.
func (w *testSite) newestMail(email string) (mail.Letter, string) {
	w.Helper()
	all, err := w.mails().List(w.Context(), 1000)
	w.must(err)
	for _, m := range all {
		if m.Recipient == email {
			_, letter, err := w.mails().Show(w.Context(), m.ID)
			w.must(err)
			return letter, sixDigits.FindString(letter.Text)
		}
	}
	w.Fatalf("no mail to %s", email)
	return mail.Letter{}, ""
}

// sent asks for a code and gives it.
func (w *testSite) sent(purpose account.Purpose, email string) string {
	w.Helper()
	w.must(w.EmailCodes.Request(w.Context(), purpose, email, home))
	_, code := w.newestMail(account.NormalEmail(email))
	if len(code) != 6 {
		w.Fatalf("the code in the mail is %q", code)
	}
	return code
}

// other gives a code that is not this one.
func other(code string) string { return code[:5] + string('0'+(code[5]-'0'+1)%10) }

// fields gives the wrong fields of a refused input, as name:code.
func (w *testSite) fields(err error) string {
	w.Helper()
	f, ok := fault.As(err)
	if !ok || f.Code != fault.ErrInvalid.Code {
		w.Fatalf("%v is no wrong input", err)
	}
	var all []string
	for _, one := range f.Fields {
		if one.Text.ZH == "" || one.Text.EN == "" {
			w.Errorf("%s lacks a text", one.Code)
		}
		all = append(all, one.Name+":"+one.Code)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (w *testSite) wrong(err error, want string) {
	w.Helper()
	if got := w.fields(err); got != want {
		w.Fatalf("%s, want %s", got, want)
	}
}

func (w *testSite) byCode(email, code string) (account.Grant, error) {
	return w.SignIns.ByCode(w.Context(), account.SignIn{Email: email, EmailCode: code}, home)
}

func (w *testSite) reset(email, code string) error {
	return w.Credentials.ResetPassword(w.Context(), email, code, "a wholly new one", home)
}

func TestSignUpWithACodeProvesTheAddress(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("sign_up_email_code", true)
		up := account.SignUp{Email: "Ming@example.com", Name: "小明", Password: password, Repeated: password}
		_, err := w.SignUps.SignUp(w.Context(), up, home)
		w.wrong(err, "email_code:code_required")
		up.EmailCode = "12345x"
		_, err = w.SignUps.SignUp(w.Context(), up, home)
		w.wrong(err, "email_code:code_format")
		up.EmailCode = "123456"
		_, err = w.SignUps.SignUp(w.Context(), up, home)
		w.wrong(err, "email_code:code_wrong")

		code := w.sent(account.ForRegister, " MING@example.com")
		up.EmailCode = other(code)
		_, err = w.SignUps.SignUp(w.Context(), up, home)
		w.wrong(err, "email_code:code_wrong")
		up.EmailCode = code[:3] + " " + code[3:]
		g, err := w.SignUps.SignUp(w.Context(), up, home)
		w.must(err)
		if g.User.EmailVerifiedAt == nil || !g.User.EmailVerifiedAt.Equal(w.now) {
			w.Errorf("made %+v", g.User)
		}

		// From here on the address is taken: only its owner is told, by mail.
		up.EmailCode = "123456"
		w.now = w.now.Add(time.Minute)
		w.must(w.EmailCodes.Request(w.Context(), account.ForRegister, "ming@example.com", home))
		if kinds := w.mailsTo("ming@example.com"); !slices.Equal(kinds, []string{"email_taken", "register"}) {
			w.Errorf("mails %v", kinds)
		}
		_, err = w.SignUps.SignUp(w.Context(), up, home)
		w.wrong(err, "email_code:code_wrong")

		// Somebody takes the address between the code and its use.
		up.Email = "late@example.com"
		up.EmailCode = w.sent(account.ForRegister, up.Email)
		_, err = w.Create(w.Context(), up.Email, "x", password, "")
		w.must(err)
		_, err = w.SignUps.SignUp(w.Context(), up, home)
		w.want(err, account.ErrEmailTaken)
	})
}

func TestACodeIsGoodForOneUseOfItsPurposeAndAddress(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		w.signUp("b@example.com")
		code := w.sent(account.ForLogin, "a@example.com")
		w.wrong(w.reset("a@example.com", code), "email_code:code_wrong")
		_, err := w.byCode("b@example.com", code)
		w.wrong(err, "email_code:code_wrong")
		g, err := w.byCode("A@example.com", code)
		w.must(err)
		if who, err := w.Sessions.Authenticate(w.Context(), g.Access); err != nil || who.UserID != g.User.ID ||
			g.User.EmailVerifiedAt == nil {
			w.Errorf("%+v %v", who, err)
		}
		_, err = w.byCode("a@example.com", code)
		w.wrong(err, "email_code:code_used")
		_, err = w.byCode("a@example.com", other(code))
		w.wrong(err, "email_code:code_wrong")

		// A newer code ends the older one.
		w.now = w.now.Add(time.Minute)
		older := w.sent(account.ForLogin, "a@example.com")
		w.now = w.now.Add(time.Minute)
		newer := w.sent(account.ForLogin, "a@example.com")
		if older != newer {
			_, err = w.byCode("a@example.com", older)
			w.wrong(err, "email_code:code_wrong")
		}
		w.now = w.now.Add(10 * time.Minute)
		_, err = w.byCode("a@example.com", newer)
		w.wrong(err, "email_code:code_expired")
	})
}

func TestACodeBearsFiveTriesHoweverManyComeAtOnce(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		code := w.sent(account.ForLogin, "a@example.com")
		var mu sync.Mutex
		answers := map[string]int{}
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				_, err := w.byCode("a@example.com", other(code))
				mu.Lock()
				defer mu.Unlock()
				answers[w.fields(err)]++
			})
		}
		wg.Wait()
		if answers["email_code:code_wrong"] != 5 || answers["email_code:code_tries"] != 7 {
			w.Errorf("%v", answers)
		}
		_, err := w.byCode("a@example.com", code)
		w.wrong(err, "email_code:code_tries")

		// The right one at once from several places is one use.
		w.now = w.now.Add(time.Minute)
		code = w.sent(account.ForLogin, "a@example.com")
		clear(answers)
		for range 4 {
			wg.Go(func() {
				_, err := w.byCode("a@example.com", code)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					answers["in"]++
					return
				}
				answers[w.fields(err)]++
			})
		}
		wg.Wait()
		if answers["in"] != 1 || answers["email_code:code_used"] != 3 {
			w.Errorf("%v", answers)
		}
	})
}

func TestCodesAreLimitedPerAddressAndPerNetwork(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("captcha_register", "never")
		w.set("captcha_login", "never")
		w.set("captcha_forgot_password", "never")
		ask := func(email, ip string) error {
			return w.EmailCodes.Request(w.Context(), account.ForLogin, email, from(ip))
		}
		after := func(err, target error, want time.Duration) {
			w.Helper()
			w.want(err, target)
			if f, _ := fault.As(err); f.RetryAfter != want {
				w.Fatalf("retry after %s, want %s", f.RetryAfter, want)
			}
		}
		w.must(ask("a@example.com", "192.0.2.1"))
		w.now = w.now.Add(20 * time.Second)
		after(ask("A@example.com", "192.0.2.1"), account.ErrCodeTooSoon, 40*time.Second)
		for range 9 {
			w.now = w.now.Add(time.Minute)
			w.must(ask("a@example.com", "192.0.2.1"))
		}
		w.now = w.now.Add(time.Hour)
		w.want(ask("a@example.com", "192.0.2.1"), captcha.ErrRequired)
		w.want(ask("a@example.com", "192.0.2.2"), captcha.ErrRequired)
		for i := range 20 {
			w.must(ask(fmt.Sprintf("u%d@example.com", i), "192.0.2.1"))
		}
		w.want(ask("z@example.com", "192.0.2.1"), account.ErrTooManyCodes)
		w.must(ask("z@example.com", "192.0.2.2"))
		w.now = w.now.Add(24 * time.Hour)
		w.must(ask("a@example.com", "192.0.2.1"))

		// A burst of one's own questions is one code.
		var mu sync.Mutex
		var asked int
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if ask("burst@example.com", "192.0.2.3") == nil {
					mu.Lock()
					asked++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if asked != 1 {
			w.Errorf("%d codes at once", asked)
		}
		w.now = w.now.Add(72 * time.Hour)
		w.must(w.Forget(w.Context()))
		w.must(ask("a@example.com", "192.0.2.1"))
	})
}

// Somebody who knows nothing but an address neither delays its owner's code, nor ends it, nor uses up its tries.
func TestRequestCode_FromUnknownNetworks_LeavesTheOwnersAlone(t *testing.T) {
	each(t, func(w *testSite) {
		for _, kind := range []string{"captcha_register", "captcha_login", "captcha_forgot_password"} {
			w.set(kind, "never")
		}
		w.signUp("a@example.com")
		owner, attacker := from("203.0.113.5"), from("198.51.100.5") // neither is known to the account
		for _, purpose := range []account.Purpose{account.ForLogin, account.ForForgotPassword, account.ForRegister} {
			email := "a@example.com"
			if purpose == account.ForRegister {
				email = "new@example.com"
			}
			w.must(w.EmailCodes.Request(w.Context(), purpose, email, attacker))
			w.must(w.EmailCodes.Request(w.Context(), purpose, email, owner))
			_, code := w.newestMail(email)
			w.want(w.EmailCodes.Request(w.Context(), purpose, email, attacker), account.ErrCodeTooSoon)
			w.now = w.now.Add(time.Minute)
			// a newer one, which does not end the owner's
			w.must(w.EmailCodes.Request(w.Context(), purpose, email, attacker))
			use := func(code string, by account.Client) (err error) {
				switch purpose {
				case account.ForLogin:
					_, err = w.SignIns.ByCode(w.Context(), account.SignIn{Email: email, EmailCode: code}, by)
				case account.ForForgotPassword:
					err = w.Credentials.ResetPassword(w.Context(), email, code, "a wholly new one", by)
				default:
					w.set("sign_up_email_code", true)
					up := account.SignUp{
						Email: email, Name: "n", Password: password, Repeated: password,
						EmailCode: code,
					}
					_, err = w.SignUps.SignUp(w.Context(), up, by)
				}
				return err
			}
			wrong := other(code)
			for range 7 {
				if err := use(wrong, attacker); err == nil {
					w.Fatal("a wrong code was taken")
				}
			}
			// a third network: the limit of unfamiliar networks is used up
			w.wrong(use(code, from("192.0.2.99")), "email_code:code_tries")
			if err := use(code, owner); err != nil {
				w.Errorf("%s: the owner's code after tries from another network: %v", purpose, err)
			}
			w.now = w.now.Add(time.Hour)
		}
	})
}

// However many networks ask, an address gets 20 mails a day that its owner may not want, the later half for captchas.
func TestRequestCode_FromManyNetworks_IsBounded(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com") // from home, which the account knows
		w.set("captcha_login", "never")
		sent, demanded := 0, 0
		for i := range 60 {
			err := w.EmailCodes.Request(w.Context(), account.ForLogin, "a@example.com",
				from(fmt.Sprintf("10.0.%d.1", i)))
			f, _ := fault.As(err)
			switch {
			case err == nil:
				sent++
			case f != nil && f.Code == "captcha_required":
				demanded++
			default:
				w.Fatal(err)
			}
		}
		if sent != 10 || demanded != 50 {
			w.Errorf("%d codes were sent and %d captchas demanded, want 10 and 50", sent, demanded)
		}
		// the owner, at a place that is known
		w.must(w.EmailCodes.Request(w.Context(), account.ForLogin, "a@example.com", home))
	})
}

func TestAskingForACodeTellsNothingOfAccounts(t *testing.T) {
	w := newTestSite(t, dbtest.SQLite(t))
	w.signUp("known@example.com")
	for _, purpose := range []account.Purpose{account.ForLogin, account.ForForgotPassword} {
		for _, email := range []string{"known@example.com", "unknown@example.com"} {
			w.must(w.EmailCodes.Request(w.Context(), purpose, email, home))
			w.want(w.EmailCodes.Request(w.Context(), purpose, email, home), account.ErrCodeTooSoon)
			for i := range 7 {
				want := "email_code:code_wrong"
				if i >= 5 {
					want = "email_code:code_tries"
				}
				code := "000000"
				if email == "known@example.com" {
					_, real := w.newestMail(email)
					code = other(real)
				}
				if purpose == account.ForLogin {
					_, err := w.byCode(email, code)
					w.wrong(err, want)
				} else {
					w.wrong(w.reset(email, code), want)
				}
			}
		}
		w.now = w.now.Add(time.Minute)
	}
	if kinds := w.mailsTo("unknown@example.com"); kinds != nil {
		w.Errorf("another user got %v", kinds)
	}
	w.set("sign_up_mode", "closed")
	w.want(w.EmailCodes.Request(w.Context(), account.ForRegister, "new@example.com", home), account.ErrSignUpClosed)
	w.wrong(w.EmailCodes.Request(w.Context(), account.ForLogin, "nobody", home), "email:email")
	w.must(w.EmailCodes.Request(w.Context(), account.ForTest, "operator@example.com", home))
	if kinds := w.mailsTo("operator@example.com"); !slices.Equal(kinds, []string{"test"}) {
		w.Errorf("the operator got %v", kinds)
	}
}

func TestAForgottenPasswordIsSetAnewAndEndsAllSessions(t *testing.T) {
	each(t, func(w *testSite) {
		old := w.signUp("a@example.com")
		w.must(w.EmailCodes.Request(w.Context(), account.ForForgotPassword, "a@example.com",
			account.Client{IP: home.IP, Lang: fault.EN}))
		letter, code := w.newestMail("a@example.com")
		_, link, ok := strings.Cut(letter.Text, "http://localhost:8080/auth/forgot-password#")
		if !ok || !strings.Contains(letter.HTML, "/auth/forgot-password#"+strings.Fields(link)[0]+`"`) {
			w.Fatalf("no link in %+v", letter)
		}
		if email, in, err := account.ParseResetToken(strings.Fields(link)[0]); err != nil ||
			email != "a@example.com" || in != code {
			w.Fatalf("the link says %q %q, %v", email, in, err)
		}
		w.wrong(w.Credentials.ResetPassword(w.Context(), "a@example.com", code, "short", home), "password:length")
		w.wrong(w.Credentials.ResetPassword(w.Context(), "a@example.com", "", "a wholly new one", home),
			"email_code:code_required")
		w.must(w.reset("a@example.com", code))
		_, err := w.Sessions.Authenticate(w.Context(), old.Access)
		w.want(err, account.ErrSignedOut)
		_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password}, home)
		w.want(err, account.ErrWrongCredentials)
		g, err := w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "a@example.com", Password: "a wholly new one"}, home)
		w.must(err)
		if g.User.EmailVerifiedAt == nil {
			w.Error("the address is proven")
		}
		if kinds := w.mailsTo("a@example.com"); !slices.Equal(kinds, []string{"password_changed", "forgot_password"}) {
			w.Errorf("mails %v", kinds)
		}
		w.wrong(w.reset("a@example.com", code), "email_code:code_used")
	})
	for _, token := range []string{"", "x", "!!!.123456", "YQ.12345", ".123456"} {
		if _, _, err := account.ParseResetToken(token); err == nil {
			t.Errorf("%q is taken for a token", token)
		}
	}
}

func TestAnAddressIsChangedWithCodesToBoth(t *testing.T) {
	each(t, func(w *testSite) {
		first := w.signUp("old@example.com")
		here, elsewhere := w.signIn("old@example.com"), first
		who, err := w.Sessions.Authenticate(w.Context(), here.Access)
		w.must(err)
		ask := func(email, pass string) error {
			return w.Credentials.RequestEmailChange(w.Context(), who, email, pass, home)
		}
		w.wrong(ask("nobody", password), "email:email")
		w.wrong(ask("OLD@example.com", password), "email:same")
		w.wrong(ask("new@example.com", "wrong password"), "current_password:wrong_password")
		w.must(ask("new@example.com", password))
		_, fresh := w.newestMail("new@example.com")
		_, present := w.newestMail("old@example.com")
		change := func(email, code, current string) error {
			return w.Credentials.ChangeEmail(w.Context(), who, email, code, current, home)
		}
		w.wrong(change("new@example.com", other(fresh), other(present)),
			"current_email_code:code_wrong email_code:code_wrong")
		w.wrong(change("new@example.com", fresh, other(present)), "current_email_code:code_wrong")
		w.wrong(change("else@example.com", fresh, present), "current_email_code:code_wrong email_code:code_wrong")
		w.must(change("New@example.com", fresh, present))
		if u, err := w.User(w.Context(), who.UserID); err != nil || u.Email != "new@example.com" ||
			u.EmailVerifiedAt == nil {
			w.Errorf("%+v %v", u, err)
		}
		_, err = w.Sessions.Authenticate(w.Context(), here.Access)
		w.must(err)
		_, err = w.Sessions.Authenticate(w.Context(), elsewhere.Access)
		w.want(err, account.ErrSignedOut)
		w.signIn("new@example.com")
		if kinds := w.mailsTo("old@example.com"); !slices.Equal(kinds, []string{"email_changed", "change_email"}) {
			w.Errorf("mails %v", kinds)
		}

		// A taken address is told by mail only, and its code is another user's.
		w.signUp("taken@example.com")
		w.now = w.now.Add(time.Minute)
		w.must(ask("taken@example.com", password))
		if kinds := w.mailsTo("taken@example.com"); !slices.Equal(kinds, []string{"email_taken"}) {
			w.Errorf("mails %v", kinds)
		}
		w.now = w.now.Add(time.Minute)
		w.must(ask("free@example.com", password))
		_, fresh = w.newestMail("free@example.com")
		_, present = w.newestMail("new@example.com")
		_, err = w.Create(w.Context(), "free@example.com", "x", password, "")
		w.must(err)
		w.want(change("free@example.com", fresh, present), account.ErrEmailTaken)
	})
}

func TestTheDatabaseGivesNoCodeAway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTestSite(t, d)
		w.signUp("a@example.com")
		code := w.sent(account.ForLogin, "a@example.com")
		for _, column := range []string{"hash FROM email_code", "sealed FROM mail"} {
			var stored []byte
			w.must(d.NewRaw(`SELECT `+column).Scan(t.Context(), &stored))
			if len(stored) == 0 || strings.Contains(string(stored), code) {
				t.Errorf("%s: %q", column, stored)
			}
		}
	})
}
