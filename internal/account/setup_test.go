package account_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

var atFirst = account.Client{IP: netip.MustParseAddr("192.0.2.1"), Lang: fault.EN}

func firstOwner(code, email string) account.FirstOwner {
	return account.FirstOwner{Code: code, Email: email, Password: "correct horse battery", Site: map[string]json.RawMessage{
		"site_name": json.RawMessage(`"Northwind"`), "language": json.RawMessage(`"en"`),
	}}
}

func (w *testSite) setupCode() string {
	w.Helper()
	code, err := w.Setup.Start(w.Context())
	w.must(err)
	return code
}

func TestSetup_WithTheCode_MakesTheOwnerAndNamesTheSite(t *testing.T) {
	each(t, func(w *testSite) {
		code := w.setupCode()
		if bare := strings.ReplaceAll(code, "-", ""); len(bare) != 26 || !w.Setup.IsOpen() || !w.Setup.Leads() {
			w.Fatalf("a new site has the code %q, open %v, leads %v", code, w.Setup.IsOpen(), w.Setup.Leads())
		}
		w.must(w.Setup.CheckCode(w.Context(), strings.ToLower(strings.ReplaceAll(code, "-", " ")), atFirst))
		grant, err := w.Setup.Make(w.Context(), firstOwner(code, "Me@Example.com"), atFirst)
		w.must(err)
		if u := grant.User; u.Role != account.Owner || u.Email != "me@example.com" || u.Name != "me" {
			w.Errorf("the owner is %+v", u)
		}
		if _, err := w.Sessions.Authenticate(w.Context(), grant.Access); err != nil {
			w.Errorf("the owner is not signed in: %v", err)
		}
		if s := w.settings.Get(); s.SiteName != "Northwind" || s.Language != fault.EN {
			w.Errorf("the site is %q in %q", s.SiteName, s.Language)
		}
		if w.Setup.IsOpen() || w.setupCode() != "" {
			w.Error("a site with an owner still has a code")
		}
		_, err = w.Setup.Make(w.Context(), firstOwner(code, "you@example.com"), atFirst)
		w.want(err, account.ErrSetupDone)
	})
}

func TestSetup_ManyAtOnce_MakeOneOwner(t *testing.T) {
	each(t, func(w *testSite) {
		code := w.setupCode()
		other := w.setupCode()
		if !w.db.SQLite() { // servers that share a database have a code each
			w.must(w.Setup.CheckCode(w.Context(), code, atFirst))
		}
		var all sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			all.Go(func() {
				_, errs[i] = w.Setup.Make(w.Context(), firstOwner(other, string(rune('a'+i))+"@example.com"), atFirst)
			})
		}
		all.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if !errors.Is(err, account.ErrSetupDone) {
				w.Errorf("who comes second gets %v", err)
			}
		}
		users, err := w.List(w.Context())
		w.must(err)
		if made != 1 || len(users) != 1 {
			w.Errorf("%d of 4 made an owner; there are %d users", made, len(users))
		}
	})
}

func TestSetup_WrongCodes_AreCountedByNetwork(t *testing.T) {
	each(t, func(w *testSite) {
		code := w.setupCode()
		for range 10 {
			w.want(w.Setup.CheckCode(w.Context(), "AAAAA", atFirst), account.ErrSetupCode)
		}
		w.want(w.Setup.CheckCode(w.Context(), code, atFirst), account.ErrTooManyFailures)
		_, err := w.Setup.Make(w.Context(), firstOwner(code, "me@example.com"), atFirst)
		w.want(err, account.ErrTooManyFailures)
		elsewhere := account.Client{IP: netip.MustParseAddr("198.51.100.1"), Lang: fault.EN}
		w.must(w.Setup.CheckCode(w.Context(), code, elsewhere))
	})
}

func TestSetup_WrongInput_MakesNothing(t *testing.T) {
	each(t, func(w *testSite) {
		code := w.setupCode()
		for name, change := range map[string]func(*account.FirstOwner){
			"password":  func(in *account.FirstOwner) { in.Password = "12345678" },
			"email":     func(in *account.FirstOwner) { in.Email = "nobody" },
			"time_zone": func(in *account.FirstOwner) { in.Site["time_zone"] = json.RawMessage(`"Nowhere"`) },
		} {
			in := firstOwner(code, "me@example.com")
			change(&in)
			_, err := w.Setup.Make(w.Context(), in, atFirst)
			if got := w.fields(err); !strings.HasPrefix(got, name+":") {
				w.Errorf("a wrong %s is refused at %s", name, got)
			}
		}
		if users, err := w.List(w.Context()); err != nil || len(users) != 0 || !w.Setup.IsOpen() {
			w.Errorf("there are %d users, %v, open %v", len(users), err, w.Setup.IsOpen())
		}
	})
}

func TestSetup_OwnerByCommand_EndsTheCode(t *testing.T) {
	each(t, func(w *testSite) {
		code := w.setupCode()
		u, err := w.Create(w.Context(), "me@example.com", "Me", "correct horse battery", "")
		w.must(err)
		w.must(w.Setup.CheckCode(w.Context(), code, atFirst))
		w.must(w.SetRole(w.Context(), u.Email, account.Owner))
		w.want(w.Setup.CheckCode(w.Context(), code, atFirst), account.ErrSetupDone)
	})
}

func TestSetup_CodeOfAServerThatIsGone_IsNoCode(t *testing.T) {
	each(t, func(w *testSite) {
		code := w.setupCode()
		w.now = w.now.Add(4 * 60e9)
		w.want(w.Setup.CheckCode(w.Context(), code, atFirst), account.ErrSetupCode)
	})
}

func TestSetup_SiteWithUsers_LeadsNobodyThere(t *testing.T) {
	each(t, func(w *testSite) {
		_, err := w.Create(w.Context(), "me@example.com", "Me", "correct horse battery", "")
		w.must(err)
		if code := w.setupCode(); code == "" || w.Setup.Leads() {
			w.Errorf("a site with users and no owner has the code %q, leads %v", code, w.Setup.Leads())
		}
	})
}
