package account_test

import (
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

func TestMailsThatNobodyAskedForAreInTheLanguageLastUsed(t *testing.T) {
	each(t, func(w *testSite) {
		in := func(lang fault.Lang) account.Client {
			c := home
			c.Lang = lang
			return c
		}
		banMail := func(userID int64) fault.Lang {
			w.ban(account.BanTask{AccountID: userID, Mail: true})
			w.pass(time.Minute)
			all, err := w.mails().List(w.Context(), 1)
			w.must(err)
			if len(all) != 1 || all[0].Kind != "banned" {
				w.Fatalf("mails: %+v", all)
			}
			return all[0].Lang
		}
		g, err := w.SignUps.SignUp(w.Context(),
			account.SignUp{Email: "a@example.com", Name: "A", Password: password, Repeated: password}, in(fault.EN))
		w.must(err)
		if got := banMail(g.User.ID); got != fault.EN {
			w.Errorf("after a sign-up in English: %q", got)
		}
		g, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password},
			in(fault.ZH))
		w.must(err)
		if got := banMail(g.User.ID); got != fault.ZH {
			w.Errorf("after a sign-in in Chinese: %q", got)
		}
		g, err = w.Sessions.Refresh(w.Context(), g.Refresh, in(fault.EN))
		w.must(err)
		if got := banMail(g.User.ID); got != fault.EN || g.User.Lang != fault.EN {
			w.Errorf("after a refresh in English: %q", got)
		}
		_, err = w.Sessions.Refresh(w.Context(), g.Refresh, in(""))
		w.must(err)
		if got := banMail(g.User.ID); got != fault.EN {
			w.Errorf("after a refresh by a program that names no language: %q", got)
		}
		made, err := w.Create(w.Context(), "b@example.com", "B", password, "")
		w.must(err)
		if got := banMail(made.ID); got != fault.ZH {
			w.Errorf("of somebody who was never here: %q", got)
		}
	})
}
