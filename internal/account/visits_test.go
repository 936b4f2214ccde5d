package account_test

import (
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/permission"
	own "airstrip/internal/role"
)

// visits returns the access token of a visit that the member begins to the user.
func (w *testSite) visits(member account.Identity, user account.User) string {
	w.Helper()
	code, _, err := w.Visits.Begin(w.Context(), member, user.ID, "asked by ticket")
	w.must(err)
	access, err := w.Visits.Open(w.Context(), code.String(), home)
	w.must(err)
	return access
}

// member signs up a member of staff with the role.
func (w *testSite) member(email string, role account.Role) account.Identity {
	w.Helper()
	w.signUp(email)
	w.must(w.SetRole(w.Context(), email, role))
	who, err := w.Sessions.Authenticate(w.Context(), w.signIn(email).Access)
	w.must(err)
	return who
}

func TestVisit_IsRefusedWhereverItIsNotAskedFor(t *testing.T) {
	each(t, func(w *testSite) {
		user := w.signUp("user@example.com").User
		access := w.visits(w.member("admin@example.com", account.Admin), user)
		_, err := w.Sessions.Authenticate(w.Context(), access)
		w.want(err, account.ErrVisit)
		_, err = w.Sessions.Cookies(w.Context(), access, "", home)
		w.want(err, account.ErrVisit)
		_, err = w.Sessions.Refresh(w.Context(), access, home)
		w.want(err, account.ErrSignedOut)
		who, err := w.Sessions.AuthenticateVisitor(w.Context(), access)
		w.must(err)
		if who.UserID != user.ID || !who.Visiting() || who.Staff() || who.Proved ||
			!who.ExpiresAt.Equal(w.now.Add(30*time.Minute)) {
			w.Errorf("the visitor is %+v", who)
		}
		w.want(who.AdmitProved(), account.ErrStepUp)
	})
}

func TestVisit_EndsWithWhatItDependsOn(t *testing.T) {
	each(t, func(w *testSite) {
		user := w.signUp("user@example.com").User
		admin := w.member("admin@example.com", account.Admin)
		runs := func(access string) bool {
			_, err := w.Sessions.AuthenticateVisitor(w.Context(), access)
			if err != nil {
				w.want(err, account.ErrSignedOut)
			}
			return err == nil
		}
		role := func(email string, role account.Role) { w.must(w.SetRole(w.Context(), email, role)) }
		own, err := w.Sessions.Authenticate(w.Context(), w.signIn("user@example.com").Access)
		w.must(err)
		for _, c := range []struct {
			what string
			end  func(access string)
		}{
			{"the user ends it", func(string) {
				devices, err := w.Sessions.Devices(w.Context(), own)
				w.must(err)
				if !devices[0].ByStaff || devices[0].Current || devices[1].ByStaff {
					w.Fatalf("the user's devices are %+v", devices)
				}
				w.must(w.Sessions.End(w.Context(), own, devices[0].ID, home))
			}},
			{"the user ends all other sessions", func(string) {
				w.must(w.Sessions.EndOthers(w.Context(), own, home))
			}},
			{"the member ends it", func(access string) {
				who, err := w.Sessions.AuthenticateVisitor(w.Context(), access)
				w.must(err)
				w.must(w.Sessions.SignOut(w.Context(), who, home))
			}},
			{"the member loses the permission", func(string) { role("admin@example.com", account.Support) }},
			{"the user becomes staff", func(string) { role("user@example.com", account.Viewer) }},
			{"another member ends the user's sessions", func(string) {
				_, err := w.Sessions.EndAllOf(w.Context(), account.Identity{}, user.ID, "asked")
				w.must(err)
			}},
			{"the user's password changes", func(string) {
				w.must(w.Credentials.SetPassword(w.Context(), "user@example.com", "another long enough password"))
			}},
			{"the member signs out", func(string) { w.must(w.Sessions.SignOut(w.Context(), admin, home)) }},
		} {
			access := w.visits(admin, user)
			if !runs(access) {
				w.Fatalf("the visit before %s does not begin", c.what)
			}
			if c.end(access); runs(access) {
				w.Errorf("a visit goes on after %s", c.what)
			}
			role("admin@example.com", account.Admin)
			role("user@example.com", "")
		}
		w.must(w.Visits.EndDue(w.Context()))
	})
}

// What a member lost and has again within seconds does not bring back a visit, called or not meanwhile.
func TestVisit_RightLostAndGivenBack_StaysOver(t *testing.T) {
	each(t, func(w *testSite) {
		user := w.signUp("user@example.com").User
		admin, other := w.member("admin@example.com", account.Admin), w.member("other@example.com", account.Admin)
		role := func(email string, role account.Role) { w.must(w.SetRole(w.Context(), email, role)) }
		roles := own.New(w.db)
		roles.OnChange(w.Visits.EndLost)
		all := permission.Owner.Set()
		visitors, err := roles.Make(w.Context(), all, "visitors", []string{string(permission.UserSignInAs)}, "")
		w.must(err)
		may := func(permissions ...string) {
			_, err := roles.Change(w.Context(), all, visitors.ID, permissions, "")
			w.must(err)
		}
		called := func(access string) {
			_, err := w.Sessions.AuthenticateVisitor(w.Context(), access)
			w.want(err, account.ErrSignedOut)
		}
		for what, lose := range map[string]func(access string){
			"another role": func(string) {
				role("admin@example.com", account.Support)
				role("admin@example.com", account.Admin)
			},
			"another set of permissions of the role": func(string) {
				may(string(permission.UserRead))
				may(string(permission.UserSignInAs))
			},
			"a ban": func(string) {
				task := account.BanTask{AccountID: admin.UserID, Reason: "test"}
				_, err := w.Bans.Ban(w.Context(), task, account.Identity{})
				w.must(err)
				_, err = w.Bans.Unban(w.Context(), admin.UserID, account.Identity{})
				w.must(err)
			},
			"a role of the user": func(string) {
				role("user@example.com", account.Viewer)
				role("user@example.com", "")
			},
			"a rule on second factors, in which a call came": func(access string) {
				w.set("staff_two_factor", true)
				called(access)
				w.set("staff_two_factor", false)
			},
		} {
			if strings.Contains(what, "permissions") {
				role("admin@example.com", visitors.Name)
			}
			access := w.visits(admin, user)
			untouched := w.visits(other, user)
			if _, err := w.Sessions.AuthenticateVisitor(w.Context(), access); err != nil {
				w.Fatalf("the visit before %s does not begin: %v", what, err)
			}
			code, _, err := w.Visits.Begin(w.Context(), admin, user.ID, "asked by ticket")
			w.must(err)
			lose(access)
			called(access)
			if !strings.Contains(what, "factors") {
				_, err := w.Visits.Open(w.Context(), code.String(), home)
				w.want(err, account.ErrVisitCode)
			}
			_, err = w.Sessions.AuthenticateVisitor(w.Context(), untouched)
			if (err == nil) == strings.Contains(what, "of the user") {
				w.Errorf("after %s the visit of another member: %v", what, err)
			}
			role("admin@example.com", account.Admin)
		}
	})
}

func TestVisit_EndsAfterHalfAnHour(t *testing.T) {
	each(t, func(w *testSite) {
		user := w.signUp("user@example.com").User
		access := w.visits(w.member("admin@example.com", account.Admin), user)
		w.now = w.now.Add(30*time.Minute - time.Second)
		w.start() // as on another replica
		_, err := w.Sessions.AuthenticateVisitor(w.Context(), access)
		w.must(err)
		w.now = w.now.Add(time.Second)
		_, err = w.Sessions.AuthenticateVisitor(w.Context(), access)
		w.want(err, account.ErrSignedOut)
	})
}

func TestVisit_BeginsOnceWithinAMinuteAndToNoStaff(t *testing.T) {
	each(t, func(w *testSite) {
		user := w.signUp("user@example.com").User
		admin, support := w.member("admin@example.com", account.Admin), w.member("support@example.com", account.Support)
		begin := func() string {
			code, _, err := w.Visits.Begin(w.Context(), admin, user.ID, "asked by ticket")
			w.must(err)
			return code.String()
		}
		open := func(code string) error {
			_, err := w.Visits.Open(w.Context(), code, home)
			return err
		}
		code := begin()
		w.must(open(code))
		w.want(open(code), account.ErrVisitCode)
		code = begin()
		w.now = w.now.Add(time.Minute)
		w.want(open(code), account.ErrVisitCode)
		w.want(open("00000000-0000-4000-8000-000000000000"), account.ErrVisitCode)
		code = begin()
		w.must(w.Sessions.SignOut(w.Context(), admin, home))
		w.want(open(code), account.ErrVisitCode)

		_, _, err := w.Visits.Begin(w.Context(), support, user.ID, "curiosity")
		w.want(err, account.ErrOnStaff)
		for _, of := range []int64{admin.UserID, support.UserID} {
			_, _, err := w.Visits.Begin(w.Context(), account.Identity{}, of, "curiosity")
			w.want(err, account.ErrVisitStaff)
		}
	})
}

func TestAPIKeys_OfStaffAreKeptApart(t *testing.T) {
	each(t, func(w *testSite) {
		owner := w.member("owner@example.com", account.Owner)
		other := w.member("other@example.com", account.Owner)
		makeKey := func(scopes ...account.Scope) (string, account.APIKey, error) {
			secret, key, err := w.APITokens.MakeKey(w.Context(), owner,
				account.APITokenDraft{Name: "bot", Scopes: scopes}, "for the bot", home)
			return secret.String(), key, err
		}
		if _, _, err := makeKey(account.ScopeRead); err == nil {
			w.Error("a key takes a scope of users")
		}
		_, _, err := w.APITokens.Create(w.Context(), owner.UserID,
			account.APITokenDraft{Name: "own", Scopes: []account.Scope{account.ScopeRead}})
		w.must(err)
		secret, key, err := makeKey(account.ScopePartner, account.ScopeJobs)
		w.must(err)
		listed := func() []account.APIKey {
			keys, err := w.APITokens.Keys(w.Context())
			w.must(err)
			return keys
		}
		if keys := listed(); len(keys) != 1 || keys[0].ID != key.ID || !keys[0].Works ||
			keys[0].Email != "owner@example.com" {
			w.Fatalf("the keys are %+v", keys)
		}
		opens := func(secret string) bool {
			_, err := w.APITokens.Authenticate(w.Context(), secret, account.ScopePartner)
			return err == nil
		}
		_, err = w.APITokens.RotateKey(w.Context(), other, key.ID, "curiosity", home)
		w.want(err, account.ErrKeyOfOther)
		next, err := w.APITokens.RotateKey(w.Context(), owner, key.ID, "it leaked", home)
		w.must(err)
		if opens(secret) || !opens(next.String()) {
			w.Error("after a rotation the former secret opens, or the new one does not")
		}
		w.must(w.SetRole(w.Context(), "owner@example.com", account.Support))
		if keys := listed(); len(keys) != 1 || keys[0].Works {
			w.Errorf("the key of a member without the permission is %+v", keys)
		}
		w.must(w.SetRole(w.Context(), "owner@example.com", account.Owner))
		w.must(w.APITokens.RevokeKey(w.Context(), other, key.ID))
		if opens(next.String()) || len(listed()) != 0 {
			w.Error("a revoked key opens, or is listed")
		}
		w.want(w.APITokens.RevokeKey(w.Context(), other, key.ID), account.ErrNoKey)
	})
}
