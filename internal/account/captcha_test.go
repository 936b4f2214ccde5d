package account_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
)

// solved gives the client with the answer to a new captcha, made easy.
func (w *testSite) solved(from account.Client) account.Client {
	w.Helper()
	captchas := captcha.New(w.db, seal.Key{1}, w.settings, secret.New(w.db, seal.Key{1}))
	ch, err := captchas.NewChallenge(w.Context(), from.IP)
	w.must(err)
	s := int64(0)
	for sha256.Sum256(fmt.Appendf(nil, "0%s%d", ch.ID, s))[0] >= 16 {
		s++
	}
	from.Captcha, _, err = captchas.Solve(w.Context(), ch.ID, []int64{s}, from.IP)
	w.must(err)
	return from
}

func (w *testSite) easyCaptcha() {
	w.set("captcha_puzzles", 1)
	w.set("captcha_zeros", 1)
}

func TestFiveWrongPasswordsBringTheCaptchaAndMoreTheWaiting(t *testing.T) {
	each(t, func(w *testSite) {
		w.easyCaptcha()
		u := w.signUp("a@example.com").User
		wrong := account.SignIn{Email: u.Email, Password: "a wrong password"}
		right := account.SignIn{Email: u.Email, Password: password}
		for range 5 {
			_, err := w.SignIns.ByPassword(w.Context(), wrong, home)
			w.want(err, account.ErrWrongCredentials)
		}
		_, err := w.SignIns.ByPassword(w.Context(), right, home)
		w.want(err, captcha.ErrRequired)
		_, err = w.SignIns.ByPassword(w.Context(), right, from("192.0.2.77"))
		w.want(err, captcha.ErrRequired)
		_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "other@example.com", Password: password}, home)
		w.want(err, account.ErrWrongCredentials)
		answered := w.solved(home)
		_, err = w.SignIns.ByPassword(w.Context(), right, answered)
		w.must(err)
		_, err = w.SignIns.ByPassword(w.Context(), right, answered)
		w.want(err, captcha.ErrRequired)
		for range 5 {
			_, err = w.SignIns.ByPassword(w.Context(), wrong, w.solved(home))
			w.want(err, account.ErrWrongCredentials)
		}
		_, err = w.SignIns.ByPassword(w.Context(), right, w.solved(home))
		w.want(err, account.ErrTooManyFailures)
	})
}

func TestTheCaptchaStandsBeforeTheFirstStepOfASignUp(t *testing.T) {
	each(t, func(w *testSite) {
		w.easyCaptcha()
		w.set("captcha_register", "always")
		in := account.SignUp{Email: "a@example.com", Name: "a", Password: password, Repeated: password}
		_, err := w.SignUps.SignUp(w.Context(), in, home)
		w.want(err, captcha.ErrRequired)
		_, err = w.SignUps.SignUp(w.Context(), in, w.solved(home))
		w.must(err)
		w.must(w.EmailCodes.Request(w.Context(), account.ForLogin, "b@example.com", home))
		w.want(w.EmailCodes.Request(w.Context(), account.ForRegister, "c@example.com", home), captcha.ErrRequired)
		w.must(w.EmailCodes.Request(w.Context(), account.ForRegister, "c@example.com", w.solved(home)))

		w.set("captcha_register", "risk")
		w.set("sign_up_per_ip_daily", 4)
		in.Email = "d@example.com"
		_, err = w.SignUps.SignUp(w.Context(), in, home)
		w.must(err)
		in.Email = "e@example.com"
		_, err = w.SignUps.SignUp(w.Context(), in, home)
		w.want(err, captcha.ErrRequired)
		_, err = w.SignUps.SignUp(w.Context(), in, from("192.0.2.9"))
		w.must(err)
	})
}
