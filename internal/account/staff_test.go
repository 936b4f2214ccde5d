package account_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// as signs a member of staff in and tells what takes effect of their role.
func (w *testSite) as(role account.Role) (account.Grant, account.Identity) {
	w.Helper()
	email := string(role) + "@example.com"
	w.signUp(email)
	w.must(w.SetRole(w.Context(), email, role))
	g := w.signIn(email)
	return g, w.identity(g)
}

func TestStaffMayDoNothingBeforeTheyHaveTheSecondFactorThatTheSiteWants(t *testing.T) {
	each(t, func(w *testSite) {
		g, who := w.as(account.Admin)
		if who.Role != account.Admin || who.Withheld != "" || who.Refusal() != nil {
			w.Fatalf("before the setting: %+v", who)
		}
		jobs := []account.Scope{account.ScopeJobs}
		secret, _, err := w.APITokens.Create(w.Context(), who.UserID, account.APITokenDraft{Name: "cron", Scopes: jobs})
		w.must(err)
		w.set("staff_two_factor", true)
		withheld := func() {
			w.Helper()
			if who := w.identity(g); who.Staff() || who.Withheld != account.Admin {
				w.Fatalf("without a second factor: %+v", who)
			}
			w.want(w.identity(g).Refusal(), account.ErrStaffTwoFactor)
		}
		withheld()
		_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeJobs)
		w.want(err, account.ErrTokenScope)
		_, _, err = w.APITokens.Create(w.Context(), who.UserID, account.APITokenDraft{Name: "cron", Scopes: jobs})
		w.want(err, fault.ErrInvalid)
		c, err := w.Sessions.Cookies(w.Context(), g.Access, "", home)
		w.must(err)
		if by, _, err := w.Sessions.AuthenticateCookie(w.Context(), c.Prefix+account.CookieName, c.Key,
			home); err != nil || by.Staff() {
			w.Errorf("by cookie: %+v, %v", by, err)
		}

		e, err := w.TwoFactor.Begin(w.Context(), who, password, home)
		w.must(err)
		withheld() // begun is not done
		_, err = w.TwoFactor.Confirm(w.Context(), who, app(e.Secret).code(w), home)
		w.must(err)
		if who := w.identity(g); who.Role != account.Admin || who.Refusal() != nil {
			w.Errorf("with a second factor: %+v", who)
		}
		secret, _, err = w.APITokens.Create(w.Context(), who.UserID, account.APITokenDraft{Name: "cron", Scopes: jobs})
		w.must(err)
		_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeJobs)
		w.must(err)
	})
}

func TestAPasskeyIsASecondFactorForStaff(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("staff_two_factor", true)
		g, who := w.as(account.Owner)
		if who.Withheld != account.Owner {
			w.Fatalf("%+v", who)
		}
		w.addPasskey(who, "key")
		if who := w.identity(g); who.Role != account.Owner || who.Withheld != "" {
			w.Errorf("%+v", who)
		}
	})
}

func TestUsersNeedNoSecondFactorWhereStaffDo(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("staff_two_factor", true)
		if who := w.identity(w.signUp("a@example.com")); who.Withheld != "" || who.Refusal() != nil {
			w.Errorf("%+v", who)
		}
	})
}

func TestBannedStaffHaveNoRoleWhileTheBanRuns(t *testing.T) {
	each(t, func(w *testSite) {
		g, who := w.as(account.Admin)
		_, err := w.Bans.Ban(w.Context(), account.BanTask{AccountID: who.UserID}, account.Identity{})
		w.must(err)
		who = w.identity(g)
		if who.Staff() || who.Withheld != account.Admin {
			w.Errorf("banned: %+v", who)
		}
		w.want(who.Refusal(), account.ErrStaffBanned)
		draft := account.APITokenDraft{Name: "cron", Scopes: []account.Scope{account.ScopeJobs}}
		_, _, err = w.APITokens.Create(w.Context(), who.UserID, draft)
		w.want(err, fault.ErrInvalid)
		if told := w.told(); len(told) != 0 {
			w.Errorf("banned staff are told of alarms: %+v", told)
		}
		_, err = w.Bans.Unban(w.Context(), who.UserID, who)
		w.want(err, account.ErrBanStaff)
		_, err = w.Bans.Unban(w.Context(), who.UserID, account.Identity{})
		w.must(err)
		if who := w.identity(g); who.Role != account.Admin || who.Refusal() != nil {
			w.Errorf("after the ban: %+v", who)
		}
		if told := w.told(); len(told) != 1 {
			w.Errorf("after the ban, alarms go to %+v", told)
		}
	})
}

// told gives who is told of alarms of nodes.
func (w *testSite) told() (staff []account.User) {
	w.Helper()
	w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
		staff, err = w.Staff(ctx, tx, permission.NodeWrite)
		return err
	}))
	return staff
}

func TestNoBanByStaffLeavesASiteWithoutAnOwner(t *testing.T) {
	each(t, func(w *testSite) {
		_, one := w.as(account.Owner)
		w.signUp("two@example.com")
		w.must(w.SetRole(w.Context(), "two@example.com", account.Owner))
		two := w.identity(w.signIn("two@example.com"))
		later := w.now.Add(time.Hour)
		_, err := w.Bans.Ban(w.Context(), account.BanTask{AccountID: two.UserID, StartsAt: later}, one)
		w.must(err)
		// The other's ban only waits, but when it starts there would be nobody.
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: one.UserID}, two)
		w.want(err, account.ErrLastOwnerBan)
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: one.UserID}, one)
		w.want(err, account.ErrLastOwnerBan)
		_, err = w.Bans.Unban(w.Context(), two.UserID, one)
		w.must(err)
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: one.UserID}, two)
		w.must(err)
		// the operator can end it
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: two.UserID}, account.Identity{})
		w.must(err)
	})
}

// A site whose owners are all demoted, or banned, has nobody who may decide about staff.
func TestSetRole_OfTheOnlyOwner_IsRefused(t *testing.T) {
	each(t, func(w *testSite) {
		add := func(email string) int64 {
			made, err := w.Create(w.Context(), email, "Owner", password, account.Owner)
			w.must(err)
			return made.ID
		}
		role := func(email string, role account.Role) error { return w.SetRole(w.Context(), email, role) }
		add("one@example.com")
		w.want(role("one@example.com", account.Viewer), account.ErrLastOwnerRole)
		w.want(role("one@example.com", ""), account.ErrLastOwnerRole)
		w.must(role("one@example.com", account.Owner))
		two := add("two@example.com")
		_, err := w.Bans.Ban(w.Context(), account.BanTask{AccountID: two}, account.Identity{})
		w.must(err)
		w.want(role("one@example.com", account.Viewer), account.ErrLastOwnerRole)
		w.must(role("two@example.com", "")) // the other remains
		add("three@example.com")
		w.must(role("one@example.com", account.Viewer))
		w.want(role("three@example.com", account.Viewer), account.ErrLastOwnerRole)
	})
}
