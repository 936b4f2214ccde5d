package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
)

// atOnce makes n calls at the same moment, and counts those that answer target.
func atOnce(n int, target error, call func(i int) error) int64 {
	var count atomic.Int64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if errors.Is(call(i), target) {
				count.Add(1)
			}
		})
	}
	wg.Wait()
	return count.Load()
}

func TestGuessesFromManyNetworks_AreBoundedAndLockNobodyOut(t *testing.T) {
	each(t, func(w *testSite) {
		w.easyCaptcha()
		for _, mode := range []string{"never", "risk"} {
			w.set("captcha_login", mode)
			email := mode + "@example.com"
			w.signUp(email)
			for _, target := range []string{email, "nobody-" + email} {
				var answered int64
				for round := range 6 { // the places of an account are fewer than its guesses
					answered += atOnce(20, account.ErrWrongCredentials, func(i int) error {
						_, err := w.SignIns.ByPassword(context.Background(),
							account.SignIn{Email: target, Password: "wrong password"},
							from(fmt.Sprintf("198.%d.%d.1", 18+round, i)))
						return err
					})
				}
				if answered > 10 || answered < 5 {
					w.Errorf("%s: %d guesses at %s were answered, want at most 10", mode, answered, target)
				}
			}
			right := account.SignIn{Email: email, Password: password}
			_, err := w.SignIns.ByPassword(w.Context(), right, from("203.0.113.1"))
			w.want(err, captcha.ErrRequired)
			_, err = w.SignIns.ByPassword(w.Context(), right, w.solved(from("203.0.113.1")))
			w.must(err)
			_, err = w.SignIns.ByPassword(w.Context(), right, home) // a network that the account knows
			w.must(err)
		}
	})
}

func TestGuessesWithCaptchas_AreBoundedAndLockNobodyOut(t *testing.T) {
	each(t, func(w *testSite) {
		w.easyCaptcha()
		w.signUp("a@example.com")
		guess := func(i int, password string) error {
			_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password},
				w.solved(from(fmt.Sprintf("198.51.%d.1", i))))
			return err
		}
		answered := 0
		for i := range 120 {
			if errors.Is(guess(i, "wrong password"), account.ErrWrongCredentials) {
				answered++
			}
		}
		if answered < 90 || answered > 110 { // the first ones need no captcha
			w.Errorf("%d guesses were answered, want about 100", answered)
		}
		w.want(guess(200, password), account.ErrTooManyFailures)
		w.signIn("a@example.com") // from a network that the account knows
	})
}

func TestGuessesWithinASession_AreBounded(t *testing.T) {
	each(t, func(w *testSite) {
		mine, theirs := w.signUp("a@example.com"), w.signIn("a@example.com")
		owner, thief := w.identity(mine), w.identity(theirs)
		wrong := func(who account.Identity, guess string) error {
			_, err := w.TwoFactor.Begin(w.Context(), who, guess, from("198.51.100.9"))
			return err
		}
		for range 5 {
			w.wantField(wrong(thief, "wrong password"), "password:wrong_credentials")
		}
		w.want(wrong(thief, password), account.ErrTooManyFailures)
		_, err := w.Credentials.ChangePassword(w.Context(), thief, password, "a wholly new one", home)
		w.want(err, account.ErrTooManyFailures)
		w.signIn("a@example.com")
		w.must(wrong(owner, password))
	})
}

func TestGuessesAtTheSecondFactor_AreBoundedOnEveryWay(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("captcha_login", "never")
		who, phone, _ := w.turnOn("a@example.com")
		bad := phone.other(w)
		byMail := w.sent(account.ForLogin, "a@example.com")
		ways := map[string]func(code string, i int) error{
			"an e-mail code": func(code string, _ int) error {
				_, err := w.SignIns.ByCode(context.Background(),
					account.SignIn{Email: "a@example.com", EmailCode: byMail, TwoFactor: code}, home)
				return err
			},
			"the check": func(code string, _ int) error {
				return w.TwoFactor.Check(context.Background(), who, code,
					home)
			},
			"the renewal of recovery codes": func(code string, _ int) error {
				_, err := w.TwoFactor.RenewRecoveryCodes(context.Background(), who, password, code, home)
				return err
			},
		}
		for name, way := range ways {
			w.now = w.now.Add(16 * time.Minute)
			byMail = w.sent(account.ForLogin, "a@example.com")
			var answered int64
			for range 10 {
				answered += atOnce(6, account.ErrTooManyWrongTwoFA, func(i int) error { return way(bad, i) })
			}
			if answered < 20 {
				w.Errorf("%s: only %d of 60 guesses were refused", name, answered)
			}
			w.want(way(phone.code(w), 0), account.ErrTooManyWrongTwoFA)
		}
	})
}

func TestGuessesAtAnEnrolment_AreBounded(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		e, err := w.TwoFactor.Begin(w.Context(), who, password, home)
		w.must(err)
		bad := app(e.Secret).other(w)
		refused := atOnce(60, account.ErrTooManyWrongTwoFA, func(int) error {
			_, err := w.TwoFactor.Confirm(context.Background(), who, bad, home)
			return err
		})
		if refused != 55 {
			w.Errorf("%d of 60 guesses were refused, want all but 5", refused)
		}
		_, err = w.TwoFactor.Confirm(w.Context(), who, app(e.Secret).code(w), home)
		w.want(err, account.ErrTooManyWrongTwoFA)
	})
}
