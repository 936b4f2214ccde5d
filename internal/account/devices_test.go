package account_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
)

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
	iphone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Version/19.1 Mobile/15E148 Safari/604.1"
)

func (w *testSite) signInFrom(ip, userAgent string) account.Identity {
	w.Helper()
	g, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "a@example.com", Password: password},
		account.Client{IP: netip.MustParseAddr(ip), UserAgent: userAgent})
	w.must(err)
	who, err := w.Sessions.Authenticate(w.Context(), g.Access)
	w.must(err)
	return who
}

func (w *testSite) devices(who account.Identity) (names []string) {
	w.Helper()
	all, err := w.Sessions.Devices(w.Context(), who)
	w.must(err)
	for i, d := range all {
		if d.Current != (i == 0) {
			w.Errorf("number %d says current: %v", i, d.Current)
		}
		names = append(names, d.Device.Browser)
	}
	return names
}

func (w *testSite) kinds(userID int64) (kinds []account.ActivityKind) {
	w.Helper()
	all, _, err := w.History.Activity(w.Context(), userID, 100, 0)
	w.must(err)
	for _, one := range all {
		kinds = append(kinds, one.Kind)
	}
	return kinds
}

func TestDevicesAreListedAndEndedOneByOneAndTogether(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("a@example.com")
		phone := w.signInFrom("198.51.100.7", iphone)
		w.now = w.now.Add(time.Minute)
		laptop := w.signInFrom("192.0.2.9", firefox)
		if got, want := w.devices(phone), []string{"Safari 19", "Firefox 144", ""}; !slices.Equal(got, want) {
			w.Errorf("%q, want %q", got, want)
		}

		other, err := w.Sessions.Authenticate(w.Context(), w.signUp("b@example.com").Access)
		w.must(err)
		w.want(w.Sessions.End(w.Context(), other, laptop.SessionID, home), account.ErrNoSession)
		w.want(w.Sessions.End(w.Context(), phone, uuid.New(), home), account.ErrNoSession)
		w.must(w.Sessions.End(w.Context(), phone, laptop.SessionID, home))
		w.want(w.Sessions.End(w.Context(), phone, laptop.SessionID, home), account.ErrNoSession)
		if got, want := w.devices(phone), []string{"Safari 19", ""}; !slices.Equal(got, want) {
			w.Errorf("after one was ended: %q, want %q", got, want)
		}
		w.must(w.Sessions.EndOthers(w.Context(), phone, home))
		if got := w.devices(phone); len(got) != 1 {
			w.Errorf("after all others were ended: %q", got)
		}
		if got := w.devices(other); len(got) != 1 {
			w.Errorf("another user has %q", got)
		}
		w.now = w.now.Add(2 * time.Hour)
		if got := w.devices(other); len(got) != 0 {
			w.Errorf("run out, but listed: %q", got)
		}
	})
}

func TestActivityTellsWhatWasDone(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		who := w.signInFrom("198.51.100.7", firefox)
		w.must(w.Rename(w.Context(), u.ID, "  另一个名字 ", home))
		w.wantField(w.Rename(w.Context(), u.ID, " ", home), "name:length")
		w.must(w.Sessions.EndOthers(w.Context(), who, home))
		_, err := w.Credentials.ChangePassword(w.Context(), who, password, "a wholly new one", home)
		w.must(err)
		w.must(w.Credentials.SetPassword(w.Context(), u.Email, "the operator's choice"))
		want := []account.ActivityKind{
			account.PasswordChanged, account.PasswordChanged, account.OtherSessionsEnded, account.ProfileChanged,
			account.SignedIn, account.SignedUp,
		}
		if got := w.kinds(u.ID); !slices.Equal(got, want) {
			w.Errorf("%v, want %v", got, want)
		}
		page, total, err := w.History.Activity(w.Context(), u.ID, 2, 0)
		w.must(err)
		if total != 6 || len(page) != 2 || page[0].IP != "" || page[1].IP != "192.0.2.1" {
			w.Errorf("%d of %d: %+v", len(page), total, page)
		}
		renamed, err := w.User(w.Context(), u.ID)
		w.must(err)
		if renamed.Name != "另一个名字" {
			w.Errorf("the name is %q", renamed.Name)
		}
		w.now = w.now.AddDate(1, 0, 1)
		w.must(w.Forget(w.Context()))
		if got := w.kinds(u.ID); len(got) != 0 {
			w.Errorf("after a year: %v", got)
		}
	})
}

func TestASignInFromANewPlaceIsToldByMail(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		count := func() int { return len(w.mailsTo("a@example.com")) }
		w.signInFrom("192.0.2.1", "Browser/1")
		if n := count(); n != 0 {
			w.Fatalf("%d mails for a device that is known", n)
		}
		w.signInFrom("192.0.2.1", firefox)
		if n := count(); n != 1 {
			w.Fatalf("%d mails for a new device", n)
		}
		w.signInFrom("192.0.2.1", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0")
		if n := count(); n != 1 {
			w.Fatalf("%d mails after an update of the browser", n)
		}
		w.must(w.SetNoticeByMail(w.Context(), u.ID, false))
		w.signInFrom("192.0.2.1", iphone)
		if n := count(); n != 1 {
			w.Fatalf("%d mails to somebody who wants none", n)
		}
	})
}
