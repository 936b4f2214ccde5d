package account_test

import (
	"fmt"
	"testing"
	"time"

	"airstrip/internal/account"
)

// remembered signs a user in for 30 days.
func (w *testSite) remembered(email string) account.Grant {
	w.Helper()
	g, err := w.SignIns.ByPassword(w.Context(),
		account.SignIn{Email: email, Password: password, Remember: true}, home)
	w.must(err)
	return g
}

// refreshedUntilRefused refreshes in steps until that is refused, at most for a day, and returns how long it went.
func (w *testSite) refreshedUntilRefused(g account.Grant, step time.Duration) time.Duration {
	w.Helper()
	begun := w.now
	for w.now.Sub(begun) < 24*time.Hour {
		w.now = w.now.Add(step)
		next, err := w.Sessions.Refresh(w.Context(), g.Refresh, home)
		if err != nil {
			w.want(err, account.ErrSignedOut)
			return w.now.Sub(begun)
		}
		g = next
	}
	return w.now.Sub(begun)
}

func TestSessionOfStaff_InUse_EndsAfterTheHoursOfTheSetting(t *testing.T) {
	each(t, func(w *testSite) {
		w.as(account.Admin)
		w.signUp("user@example.com")
		const step = time.Hour
		if lasted := w.refreshedUntilRefused(w.remembered("admin@example.com"), step); lasted != 12*time.Hour {
			w.Errorf("by default it lasts %s", lasted)
		}
		w.set("staff_session_hours", 3)
		if lasted := w.refreshedUntilRefused(w.remembered("admin@example.com"), step); lasted != 3*time.Hour {
			w.Errorf("with three hours it lasts %s", lasted)
		}
		if lasted := w.refreshedUntilRefused(w.remembered("user@example.com"), step); lasted != 24*time.Hour {
			w.Errorf("that of a user lasts %s", lasted)
		}
	})
}

func TestSessionOfStaff_ThatNobodyUses_EndsAfterTheMinutesOfTheSetting(t *testing.T) {
	each(t, func(w *testSite) {
		w.as(account.Admin)
		w.signUp("user@example.com")
		for minutes, lasts := range map[int]bool{119: true, 120: false} {
			for email, want := range map[string]bool{"admin@example.com": lasts, "user@example.com": true} {
				g := w.remembered(email)
				w.now = w.now.Add(time.Duration(minutes) * time.Minute)
				if _, err := w.Sessions.Refresh(w.Context(), g.Refresh, home); (err == nil) != want {
					w.Errorf("%s after %d minutes: %v", email, minutes, err)
				}
			}
		}
		w.set("staff_idle_minutes", 30)
		g := w.remembered("admin@example.com")
		w.now = w.now.Add(30 * time.Minute)
		_, err := w.Sessions.Refresh(w.Context(), g.Refresh, home)
		w.want(err, account.ErrSignedOut)
	})
}

func TestSessionOfStaff_OverAtTheCall_IsRefusedWhateverItsTokenSays(t *testing.T) {
	each(t, func(w *testSite) {
		w.as(account.Admin)
		g := w.remembered("admin@example.com")
		for range 11 {
			w.now = w.now.Add(time.Hour)
			next, err := w.Sessions.Refresh(w.Context(), g.Refresh, home)
			w.must(err)
			g = next
		}
		w.now = w.now.Add(50 * time.Minute)
		next, err := w.Sessions.Refresh(w.Context(), g.Refresh, home)
		w.must(err)
		end := w.now.Add(10 * time.Minute)
		if who := w.identity(next); !who.ExpiresAt.Equal(end) || who.Role != account.Admin {
			w.Errorf("ten minutes before the end: %+v, want it to end at %s", who, end)
		}
		c, err := w.Sessions.Cookies(w.Context(), next.Access, "", home)
		w.must(err)
		w.now = end
		_, err = w.Sessions.Authenticate(w.Context(), next.Access)
		w.want(err, account.ErrSignedOut)
		_, _, err = w.Sessions.AuthenticateCookie(w.Context(), c.Prefix+account.CookieName, c.Key, home)
		w.want(err, account.ErrSignedOut)
	})
}

func TestUserWhoBecomesStaff_GetsTheBoundsAtOnce(t *testing.T) {
	each(t, func(w *testSite) {
		for i, role := range []account.Role{account.Viewer, ""} {
			email := fmt.Sprintf("user%d@example.com", i)
			w.signUp(email)
			g := w.remembered(email)
			for range 13 {
				w.now = w.now.Add(time.Hour)
				next, err := w.Sessions.Refresh(w.Context(), g.Refresh, home)
				w.must(err)
				g = next
			}
			w.must(w.SetRole(w.Context(), email, role))
			_, called := w.Sessions.Authenticate(w.Context(), g.Access)
			_, refreshed := w.Sessions.Refresh(w.Context(), g.Refresh, home)
			if role == "" {
				w.must(called)
				w.must(refreshed)
				continue
			}
			w.want(called, account.ErrSignedOut)
			w.want(refreshed, account.ErrSignedOut)
		}
	})
}
