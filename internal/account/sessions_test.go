package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

func (w *testSite) alive(access string) {
	w.Helper()
	if _, err := w.Sessions.Authenticate(w.Context(), access); err != nil {
		w.Fatal(err)
	}
}

func (w *testSite) dead(g account.Grant) {
	w.Helper()
	if _, err := w.Sessions.Authenticate(w.Context(), g.Access); !errors.Is(err, account.ErrSignedOut) {
		w.Fatalf("the access token: %v", err)
	}
	if _, err := w.Sessions.Refresh(w.Context(), g.Refresh, home); !errors.Is(err, account.ErrSignedOut) {
		w.Fatalf("the refresh token: %v", err)
	}
}

func (w *testSite) refresh(g account.Grant) account.Grant {
	w.Helper()
	next, err := w.Sessions.Refresh(w.Context(), g.Refresh, home)
	w.must(err)
	return next
}

func TestARefreshTokenIsReplacedByItsUse(t *testing.T) {
	each(t, func(w *testSite) {
		first := w.signUp("a@example.com")
		for range 3 {
			w.now = w.now.Add(50 * time.Minute) // together longer than one token lives
			next := w.refresh(first)
			if next.Refresh == first.Refresh || next.Access == first.Access || next.User.ID != first.User.ID {
				w.Fatalf("%+v after %+v", next, first)
			}
			w.alive(next.Access)
			first = next
		}
		w.now = w.now.Add(time.Hour)
		w.dead(first)
	})
}

func TestRememberedSessionsLast30Days(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		g, err := w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "a@example.com", Password: password, Remember: true}, home)
		w.must(err)
		w.now = w.now.Add(30*24*time.Hour - time.Minute)
		g = w.refresh(g)
		w.now = w.now.Add(30*24*time.Hour - time.Minute)
		g = w.refresh(g)
		w.now = w.now.Add(30 * 24 * time.Hour)
		w.dead(g)
	})
}

func TestALostAnswerSignsNobodyOut(t *testing.T) {
	each(t, func(w *testSite) {
		first := w.signUp("a@example.com")
		second := w.refresh(first)
		w.now = w.now.Add(59 * time.Second)
		w.start() // a restart forgets nothing
		if again := w.refresh(first); again.Refresh != second.Refresh || again.Access != second.Access {
			w.Error("the replacement is another one")
		}
		w.alive(w.refresh(second).Access)
	})
}

func TestAnOldRefreshTokenEndsItsFamilyAndNoOther(t *testing.T) {
	each(t, func(w *testSite) {
		other := w.signUp("a@example.com")
		stolen := w.signIn("a@example.com")
		second := w.refresh(stolen)
		third := w.refresh(second)
		w.now = w.now.Add(61 * time.Second)
		w.alive(third.Access)
		_, err := w.Sessions.Refresh(w.Context(), stolen.Refresh, from("198.51.100.7"))
		w.want(err, account.ErrSignedOut)
		w.dead(third)
		w.dead(second)
		w.alive(w.refresh(other).Access)
	})
}

func TestRefreshesAtOnceMakeOneReplacement(t *testing.T) {
	each(t, func(w *testSite) {
		first := w.signUp("a@example.com")
		grants := make([]account.Grant, 50)
		var wg sync.WaitGroup
		for i := range grants {
			wg.Go(func() {
				var err error
				if grants[i], err = w.Sessions.Refresh(context.Background(), first.Refresh, home); err != nil {
					w.Error(err)
				}
			})
		}
		wg.Wait()
		for _, g := range grants {
			if g.Refresh != grants[0].Refresh || g.Access != grants[0].Access {
				w.Fatal("two replacements")
			}
		}
		w.now = w.now.Add(time.Minute)
		w.alive(w.refresh(grants[0]).Access)
	})
}

func TestRefreshesHaveALimit(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("a@example.com")
		var err error
		for made := 0; err == nil && made < 200; made++ { // 60 and, where the machine is slow, one more a second
			var next account.Grant
			if next, err = w.Sessions.Refresh(w.Context(), g.Refresh, home); err == nil {
				g = next
			} else if made < 60 {
				w.Fatalf("the limit came after %d: %v", made, err)
			}
		}
		if f, ok := fault.As(err); !ok || f.Status != 429 || f.RetryAfter <= 0 {
			w.Fatal(err)
		}
		w.alive(g.Access)
	})
}

func TestSignOutEndsTheSessionAtOnceAndNoOther(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		mine, other := w.signIn("a@example.com"), w.signIn("a@example.com")
		who, err := w.Sessions.Authenticate(w.Context(), mine.Access)
		w.must(err)
		w.must(w.Sessions.SignOut(w.Context(), who, home))
		w.dead(mine)
		w.alive(w.refresh(other).Access)
	})
}

func TestTokensAreTakenForNothingElse(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("a@example.com")
		_, err := w.Sessions.Authenticate(w.Context(), g.Refresh)
		w.want(err, account.ErrSignedOut)
		_, err = w.Sessions.Refresh(w.Context(), g.Access, home)
		w.want(err, account.ErrSignedOut)
		_, err = w.Sessions.Authenticate(w.Context(), "")
		w.want(err, account.ErrSignedOut)
		w.now = w.now.Add(20 * time.Minute)
		_, err = w.Sessions.Authenticate(w.Context(), g.Access)
		w.want(err, account.ErrSignedOut)
	})
}

func TestANewPasswordEndsAllSessionsAndBeginsOne(t *testing.T) {
	each(t, func(w *testSite) {
		other := w.signUp("a@example.com")
		mine, err := w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "a@example.com", Password: password, Remember: true}, home)
		w.must(err)
		who, err := w.Sessions.Authenticate(w.Context(), mine.Access)
		w.must(err)
		_, err = w.Credentials.ChangePassword(w.Context(), who, "wrong password", "a wholly new one", home)
		if f, _ := fault.As(err); !errors.Is(err, fault.ErrInvalid) || f.Fields[0].Name != "current_password" {
			w.Fatal(err)
		}
		_, err = w.Credentials.ChangePassword(w.Context(), who, password, "password1", home)
		if f, _ := fault.As(err); !errors.Is(err, fault.ErrInvalid) || f.Fields[0].Name != "new_password" {
			w.Fatal(err)
		}
		w.alive(mine.Access)
		next, err := w.Credentials.ChangePassword(w.Context(), who, password, "a wholly new one", home)
		w.must(err)
		w.dead(mine)
		w.dead(other)
		w.alive(next.Access)
		w.now = w.now.Add(29 * 24 * time.Hour) // as long as the session that asked
		w.alive(w.refresh(next).Access)
		_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password}, home)
		w.want(err, account.ErrWrongCredentials)
	})
}

func TestPresentPasswordsAreGuessedNoFasterThanAtSignIn(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("a@example.com")
		who, err := w.Sessions.Authenticate(w.Context(), g.Access)
		w.must(err)
		for range 5 {
			_, err := w.Credentials.ChangePassword(w.Context(), who, "wrong password", "a wholly new one", home)
			w.want(err, fault.ErrInvalid)
		}
		_, err = w.Credentials.ChangePassword(w.Context(), who, password, "a wholly new one", home)
		w.want(err, account.ErrTooManyFailures)
	})
}

func TestWhatIsLongPastIsForgotten(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		g, err := w.SignIns.ByPassword(w.Context(),
			account.SignIn{Email: "a@example.com", Password: password, Remember: true}, home)
		w.must(err)
		for range 5 {
			w.now = w.now.Add(25 * 24 * time.Hour)
			w.must(w.Forget(w.Context()))
			g = w.refresh(g)
		}
		w.alive(g.Access)
		counts := map[string]int64{}
		for _, table := range []string{"session", "token_pair", "sign_in", "sign_up_count"} {
			n, err := w.db.NewSelect().Table(table).Count(w.Context())
			w.must(err)
			counts[table] = n
		}
		if counts["session"] != 1 || counts["token_pair"] > 3 || counts["sign_in"] != 0 ||
			counts["sign_up_count"] != 0 {
			w.Errorf("left: %v", counts)
		}
	})
}

func TestForget_CountsOfAClockThatWasAhead_HoldNobodyUp(t *testing.T) {
	each(t, func(w *testSite) {
		const email = "a@example.com"
		w.signUp(email)
		now := w.now
		w.now = now.Add(400 * 24 * time.Hour)
		g := w.signIn(email)
		w.must(w.EmailCodes.Request(w.Context(), account.ForForgotPassword, email, home))
		for range 10 {
			_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: "wrong"}, home)
			if err == nil {
				w.Fatal("a wrong password signs in")
			}
		}
		w.now = now
		_, err := w.Sessions.Authenticate(w.Context(), g.Access)
		w.want(err, account.ErrSignedOut)
		w.must(w.Forget(w.Context()))
		w.signIn(email)
		w.must(w.EmailCodes.Request(w.Context(), account.ForForgotPassword, email, home))
	})
}
