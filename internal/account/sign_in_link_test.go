package account_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
)

func TestASignedAddressSignsInOnceWithinFiveMinutes(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		signed := func() account.SignedURL {
			q := w.SignIns.URL(u.ID, "v1")
			return account.SignedURL{
				CreatedAt: q.Get("created_at_unix"), Input: q.Get("input_data"),
				Version: q.Get("login_web_version"), Token: q.Get("valid_token"),
			}
		}
		s := signed()
		// Another program signs the same way with the key that it was given.
		key, err := hex.DecodeString(w.SignIns.URLKey())
		w.must(err)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(strconv.FormatInt(w.now.Unix(), 10) + "\n" + strconv.FormatInt(u.ID, 10) + "\nv1"))
		if own := uuid.UUID(mac.Sum(nil)[:16]).String(); own != s.Token {
			w.Errorf("signed %s, want %s", s.Token, own)
		}
		for name, change := range map[string]func(*account.SignedURL){
			"time":     func(s *account.SignedURL) { s.CreatedAt = strconv.FormatInt(w.now.Unix()+1, 10) },
			"user":     func(s *account.SignedURL) { s.Input += "0" },
			"version":  func(s *account.SignedURL) { s.Version = "v2" },
			"token":    func(s *account.SignedURL) { s.Token = uuid.NewString() },
			"no token": func(s *account.SignedURL) { s.Token = "" },
		} {
			forged := s
			change(&forged)
			if _, err := w.SignIns.ByURL(w.Context(), forged, home); err == nil {
				w.Errorf("signed in with another %s", name)
			}
		}
		var wg sync.WaitGroup
		grants := make(chan account.Grant, 8)
		for range 8 {
			wg.Go(func() {
				if g, err := w.SignIns.ByURL(w.Context(), s, home); err == nil {
					grants <- g
				}
			})
		}
		wg.Wait()
		if len(grants) != 1 {
			w.Fatalf("signed in %d times", len(grants))
		}
		who, err := w.Sessions.Authenticate(w.Context(), (<-grants).Access)
		w.must(err)
		if who.UserID != u.ID {
			w.Errorf("signed in as %d", who.UserID)
		}
		late := signed()
		w.now = w.now.Add(5*time.Minute + time.Second)
		_, err = w.SignIns.ByURL(w.Context(), late, home)
		w.want(err, account.ErrSignInLink)
		nobody := w.SignIns.URL(u.ID+1000, "v1")
		_, err = w.SignIns.ByURL(w.Context(),
			account.SignedURL{
				CreatedAt: nobody.Get("created_at_unix"), Input: nobody.Get("input_data"),
				Version: "v1", Token: nobody.Get("valid_token"),
			}, home)
		w.want(err, account.ErrSignInLink)
		early := signed()
		w.now = w.now.Add(-time.Hour)
		_, err = w.SignIns.ByURL(w.Context(), early, home)
		w.want(err, account.ErrSignInLink)
	})
}

func TestATokenMadeByStaffSignsInOnceAndTheUserSeesIt(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		w.now = w.now.Add(time.Minute)
		token, until, err := w.SignIns.MakeToken(w.Context(), "A@example.com")
		w.must(err)
		if !until.Equal(w.now.Add(10 * time.Minute)) {
			w.Errorf("good until %s", until)
		}
		for _, wrong := range []string{"", "x", uuid.NewString()} {
			_, err = w.SignIns.ByToken(w.Context(), wrong, home)
			w.want(err, account.ErrSignInLink)
		}
		g, err := w.SignIns.ByToken(w.Context(), token.String(), from("198.51.100.7"))
		w.must(err)
		if g.User.ID != u.ID {
			w.Errorf("signed in as %d", g.User.ID)
		}
		_, err = w.SignIns.ByToken(w.Context(), token.String(), home)
		w.want(err, account.ErrSignInLink)
		what, _, err := w.History.Activity(w.Context(), u.ID, 10, 0)
		w.must(err)
		if len(what) != 3 || what[0].Kind != account.SignedIn || what[0].IP != "198.51.100.7" ||
			what[1].Kind != account.SignInTokenMade || what[1].IP != "" {
			w.Errorf("the user sees %+v", what)
		}
		history, err := w.History.SignIns(w.Context(), u.ID)
		w.must(err)
		if len(history) != 2 || history[0].IP != "198.51.100.7" {
			w.Errorf("the history has %+v", history)
		}
		late, _, err := w.SignIns.MakeToken(w.Context(), u.Email)
		w.must(err)
		w.now = w.now.Add(11 * time.Minute)
		_, err = w.SignIns.ByToken(w.Context(), late.String(), home)
		w.want(err, account.ErrSignInLink)
		_, _, err = w.SignIns.MakeToken(w.Context(), "nobody@example.com")
		w.want(err, account.ErrNoUser)
		w.must(w.Forget(w.Context()))
		if left, err := w.db.NewSelect().Table("sign_in_token").Count(w.Context()); err != nil || left != 0 {
			w.Errorf("%d tokens left, %v", left, err)
		}
	})
}

func TestTheOlderCookiesAreOfOneSessionAndAddress(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("a@example.com")
		_, err := w.Sessions.Cookies(w.Context(), "", "", home)
		w.want(err, account.ErrSignedOut)
		_, err = w.Sessions.Cookies(w.Context(), g.Refresh, "", home)
		w.want(err, account.ErrSignedOut)
		byAccess, err := w.Sessions.Cookies(w.Context(), g.Access, "", home)
		w.must(err)
		byRefresh, err := w.Sessions.Cookies(w.Context(), "", g.Refresh, home)
		w.must(err)
		for _, c := range []account.CookieSession{byAccess, byRefresh} {
			who, csrf, err := w.Sessions.AuthenticateCookie(w.Context(), c.Prefix+account.CookieName, c.Key, home)
			w.must(err)
			if len(c.Key) != 45 || who.UserID != g.User.ID || csrf != w.Sessions.CSRFToken(c.Key) ||
				!c.ExpiresAt.Equal(w.now.Add(time.Hour)) {
				w.Errorf("%+v is %+v with %s", c, who, csrf)
			}
			_, _, err = w.Sessions.AuthenticateCookie(w.Context(), c.Prefix+account.CookieName, c.Key,
				from("192.0.2.2"))
			w.want(err, account.ErrSignedOut)
		}
		other, another := w.Sessions.CSRFToken(""), w.Sessions.CSRFToken("")
		if w.Sessions.CSRFToken(byAccess.Key) == w.Sessions.CSRFToken(byRefresh.Key) || other == another {
			w.Error("two cookies have the same token")
		}
		if _, err := w.Sessions.Refresh(w.Context(), g.Refresh, home); err != nil { // it is still good
			w.Error(err)
		}
		_, err = w.Sessions.Cookies(w.Context(), "", g.Refresh, home) // and now used
		w.want(err, account.ErrSignedOut)
		who, err := w.Sessions.Authenticate(w.Context(), g.Access)
		w.must(err)
		w.must(w.Sessions.SignOut(w.Context(), who, home))
		_, _, err = w.Sessions.AuthenticateCookie(w.Context(), byAccess.Prefix+account.CookieName, byAccess.Key, home)
		w.want(err, account.ErrSignedOut)
	})
}
