package account_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/fault"
)

// app is an authenticator app with the secret of one account.
type app string

func (a app) code(w *testSite) string {
	code, err := totp.GenerateCode(string(a), w.now)
	w.must(err)
	return code
}

// turnOn gives a user of their own with a second factor, as seen 30 s later, when the app shows the next code.
func (w *testSite) turnOn(email string) (who account.Identity, phone app, recovery []string) {
	w.Helper()
	who, err := w.Sessions.Authenticate(w.Context(), w.signUp(email).Access)
	w.must(err)
	e, err := w.TwoFactor.Begin(w.Context(), who, password, home)
	w.must(err)
	if !strings.HasPrefix(e.URI, "otpauth://totp/") || !strings.Contains(e.URI, e.Secret) {
		w.Fatalf("no address for an app: %s", e.URI)
	}
	recovery, err = w.TwoFactor.Confirm(w.Context(), who, app(e.Secret).code(w), home)
	w.must(err)
	w.now = w.now.Add(30 * time.Second)
	return who, app(e.Secret), recovery
}

func (w *testSite) with(email, code string) error {
	_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: password, TwoFactor: code}, home)
	return err
}

func (w *testSite) wantField(err error, want string) {
	w.Helper()
	f, ok := fault.As(err)
	if !ok || len(f.Fields) != 1 || f.Fields[0].Name+":"+f.Fields[0].Code != want {
		w.Fatalf("%v, want %s", err, want)
	}
}

func TestASecondFactorIsAskedForOnceItIsConfirmed(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		who, err := w.Sessions.Authenticate(w.Context(), w.signUp(email).Access)
		w.must(err)
		_, err = w.TwoFactor.Begin(w.Context(), who, "wrong password", home)
		w.wantField(err, "password:wrong_credentials")
		_, err = w.TwoFactor.Confirm(w.Context(), who, "123456", home)
		w.want(err, account.ErrNotEnrolling)
		e, err := w.TwoFactor.Begin(w.Context(), who, password, home)
		w.must(err)
		_, err = w.TwoFactor.Confirm(w.Context(), who, "no code", home)
		w.wantField(err, "code:two_fa_wrong")
		w.must(w.with(email, ""))
		if s, err := w.Security(w.Context(), who.UserID); err != nil || s.TwoFactorSince != nil {
			w.Fatalf("%+v, %v", s, err)
		}
		codes, err := w.TwoFactor.Confirm(w.Context(), who, app(e.Secret).code(w), home)
		w.must(err)
		if distinct := slices.Compact(slices.Sorted(slices.Values(codes))); len(distinct) != 10 {
			w.Errorf("%d different recovery codes", len(distinct))
		}
		_, err = w.TwoFactor.Begin(w.Context(), who, password, home)
		w.want(err, account.ErrTwoFactorOn)
		s, err := w.Security(w.Context(), who.UserID)
		w.must(err)
		if s.TwoFactorSince == nil || s.RecoveryCodesLeft != 10 {
			w.Errorf("%+v", s)
		}

		w.wantField(w.with(email, ""), "two_fa_code:two_fa_required")
		_, err = w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: email, Password: "wrong password", TwoFactor: "123456"}, home)
		w.want(err, account.ErrWrongCredentials)
		w.wantField(w.with(email, "12345x"), "two_fa_code:two_fa_wrong")
	})
}

func TestACodeCountsOnceAndOnlyInItsTime(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		_, phone, _ := w.turnOn(email)
		code := phone.code(w)
		w.must(w.with(email, " "+code[:3]+" "+code[3:]))
		w.want(w.with(email, code), account.ErrWrongTwoFactor)

		w.now = w.now.Add(-30 * time.Second) // the step before, whose code set it up
		earlier := phone.code(w)
		w.now = w.now.Add(30 * time.Second)
		w.want(w.with(email, earlier), account.ErrWrongTwoFactor)

		w.now = w.now.Add(30 * time.Second)
		late := phone.code(w)
		w.now = w.now.Add(30 * time.Second)
		w.must(w.with(email, late)) // one step of drift
		w.now = w.now.Add(20 * time.Minute)
		old := phone.code(w)
		w.now = w.now.Add(time.Minute)
		w.want(w.with(email, old), account.ErrWrongTwoFactor)
	})
}

func TestOneCodeAtOnceSignsInOnce(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("captcha_login", "never")
		_, phone, recovery := w.turnOn("a@example.com")
		for _, code := range []string{phone.code(w), recovery[0]} {
			var wg sync.WaitGroup
			var lock sync.Mutex
			in := 0
			for range 4 {
				wg.Go(func() {
					_, err := w.SignIns.ByPassword(context.Background(),
						account.SignIn{Email: "a@example.com", Password: password, TwoFactor: code}, home)
					lock.Lock()
					defer lock.Unlock()
					if err == nil {
						in++
					} else if !errors.Is(err, account.ErrWrongTwoFactor) &&
						!errors.Is(err, account.ErrTooManyFailures) {
						w.Error(err)
					}
				})
			}
			wg.Wait()
			if in != 1 {
				w.Errorf("%d of 4 came in with the same code", in)
			}
			w.now = w.now.Add(time.Hour)
		}
	})
}

func TestARecoveryCodeIsGoodForOneUse(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		who, phone, recovery := w.turnOn(email)
		w.must(w.with(email, strings.ToLower(recovery[3])))
		w.want(w.with(email, recovery[3]), account.ErrWrongTwoFactor)
		other, _, _ := w.turnOn("b@example.com")
		w.want(w.with("b@example.com", recovery[4]), account.ErrWrongTwoFactor)
		if s, err := w.Security(w.Context(), who.UserID); err != nil || s.RecoveryCodesLeft != 9 {
			w.Errorf("%+v, %v", s, err)
		}

		_, err := w.TwoFactor.RenewRecoveryCodes(w.Context(), who, "wrong password", phone.code(w), home)
		w.wantField(err, "password:wrong_credentials")
		fresh, err := w.TwoFactor.RenewRecoveryCodes(w.Context(), who, password, recovery[5], home)
		w.must(err)
		w.want(w.with(email, recovery[6]), account.ErrWrongTwoFactor)
		w.must(w.with(email, fresh[0]))
		if s, err := w.Security(w.Context(), other.UserID); err != nil || s.RecoveryCodesLeft != 10 {
			w.Errorf("of another user: %+v, %v", s, err)
		}
	})
}

func TestTheSecondFactorGoesWithPasswordAndCodeOnly(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		who, phone, _ := w.turnOn(email)
		w.wantField(w.TwoFactor.TurnOff(w.Context(), who, "wrong password", phone.code(w), home),
			"password:wrong_credentials")
		w.wantField(w.TwoFactor.TurnOff(w.Context(), who, password, "", home), "code:two_fa_required")
		w.wantField(w.TwoFactor.TurnOff(w.Context(), who, password, "000000x", home), "code:two_fa_wrong")
		w.wantField(w.with(email, ""), "two_fa_code:two_fa_required")
		w.must(w.TwoFactor.TurnOff(w.Context(), who, password, phone.code(w), home))
		w.must(w.with(email, ""))
		w.want(w.TwoFactor.TurnOff(w.Context(), who, password, "", home), account.ErrTwoFactorOff)
	})
}

func TestGuessersOfDigitsAreHeldUpAndRecoveryCodesAreNot(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		_, phone, recovery := w.turnOn(email)
		guess := func(i int, code string) error {
			_, err := w.SignIns.ByPassword(w.Context(),
				account.SignIn{Email: email, Password: password, TwoFactor: code}, from("198.51."+strconv.Itoa(i)+".1"))
			return err
		}
		wrong := phone.other(w)
		for i := range 5 {
			w.want(guess(i, wrong), account.ErrWrongTwoFactor)
		}
		w.easyCaptcha()
		w.want(w.with(email, phone.code(w)), account.ErrTooManyWrongTwoFA)
		w.must(w.with(email, recovery[0]))
		w.now = w.now.Add(15 * time.Minute)
		w.must(w.with(email, phone.code(w)))
	})
}

func TestSignIn_CaptchaBeforePassword_IsNotAskedAgainForSecondFactor(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		_, phone, _ := w.turnOn(email)
		w.easyCaptcha()
		w.set("captcha_login", "always")
		client := from("198.51.100.7")
		step := func(code string) error {
			_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{
				Email: email, Password: password,
				TwoFactor: code,
			}, client)
			return err
		}
		passOf := func(err error) string {
			w.Helper()
			f, ok := fault.As(err)
			if !ok || f.Details["verify_token"] == "" {
				w.Fatalf("want a detail verify_token, got %v", err)
			}
			return f.Details["verify_token"]
		}
		w.want(step(""), captcha.ErrRequired)

		client = w.solved(client)
		err := step("")
		w.want(err, account.ErrTwoFactorRequired)
		first := passOf(err)
		// The pass is good for any provider, once.
		w.set("captcha_site_key", "key")
		w.set("captcha_provider", "turnstile")
		client.Captcha = first
		err = step(phone.other(w))
		w.want(err, account.ErrWrongTwoFactor)
		second := passOf(err)
		w.want(step(phone.code(w)), captcha.ErrRequired)

		w.set("captcha_provider", captcha.ProofOfWork)
		client.Captcha = second
		elsewhere := client
		client = from("203.0.113.9")
		client.Captcha = second
		w.want(step(phone.code(w)), captcha.ErrRequired)
		client = elsewhere
		w.must(step(phone.code(w)))
	})
}

// other gives six digits that are of no step near.
func (a app) other(w *testSite) string {
	for code := 100000; ; code++ {
		digits := strconv.Itoa(code)
		near := false
		for step := -2; step <= 2; step++ {
			right, err := totp.GenerateCode(string(a), w.now.Add(time.Duration(step)*30*time.Second))
			w.must(err)
			near = near || right == digits
		}
		if !near {
			return digits
		}
	}
}

func TestACodeCanBeTriedWithoutUsingItUp(t *testing.T) {
	each(t, func(w *testSite) {
		who, phone, _ := w.turnOn("a@example.com")
		w.must(w.TwoFactor.Check(w.Context(), who, phone.code(w), home))
		w.wantField(w.TwoFactor.Check(w.Context(), who, "00000x", home), "code:two_fa_wrong")
		w.must(w.with("a@example.com", phone.code(w)))
		w.wantField(w.TwoFactor.Check(w.Context(), who, phone.code(w), home), "code:two_fa_wrong")
		none, err := w.Sessions.Authenticate(w.Context(), w.signUp("b@example.com").Access)
		w.must(err)
		w.want(w.TwoFactor.Check(w.Context(), none, "123456", home), account.ErrTwoFactorOff)
	})
}

func TestACodeByMailNeedsTheSecondFactorToo(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		_, phone, _ := w.turnOn(email)
		byMail := w.sent(account.ForLogin, email)
		show := func(second string) error {
			_, err := w.SignIns.ByCode(w.Context(),
				account.SignIn{Email: email, EmailCode: byMail, TwoFactor: second}, home)
			return err
		}
		w.wantField(show(""), "two_fa_code:two_fa_required")
		w.wantField(show("00000x"), "two_fa_code:two_fa_wrong")
		w.must(show(phone.code(w))) // and the code by mail was still good
		history, err := w.History.SignIns(w.Context(), 1)
		w.must(err)
		if history[1].Wrong != account.WrongTwoFactor {
			w.Errorf("the wrong code is not in the history: %+v", history)
		}
	})
}
