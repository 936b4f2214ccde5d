package account_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

func TestAnAPITokenCallsForItsUserWithinItsScopes(t *testing.T) {
	each(t, func(w *testSite) {
		u, other := w.signUp("a@example.com").User, w.signUp("b@example.com").User
		secret, made, err := w.APITokens.Create(w.Context(), u.ID,
			account.APITokenDraft{
				Name: " script ", Scopes: []account.Scope{"write", "read", "read"},
				Expires: new(w.now.Add(24 * time.Hour)),
			})
		w.must(err)
		if secret.Version() != 4 || made.Name != "script" || made.Hint != secret.String()[:8] || len(made.Scopes) != 2 {
			w.Errorf("made %s %+v", secret, made)
		}
		who, err := w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeRead)
		w.must(err)
		if who.UserID != u.ID || who.UUID != u.UUID || who.Staff() {
			w.Errorf("calls as %+v", who)
		}
		_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeJobs)
		w.want(err, account.ErrTokenScope)
		for _, wrong := range []string{
			"", uuid.NewString(), "{" + secret.String() + "}",
			"urn:uuid:" + secret.String(),
		} {
			_, err = w.APITokens.Authenticate(w.Context(), wrong, account.ScopeRead)
			w.want(err, account.ErrSignedOut)
		}
		list, err := w.APITokens.List(w.Context(), u.ID)
		w.must(err)
		if len(list) != 1 || list[0].LastUsedAt == nil || !list[0].LastUsedAt.Equal(w.now) {
			w.Errorf("listed %+v", list)
		}
		if others, err := w.APITokens.List(w.Context(), other.ID); err != nil || len(others) != 0 {
			w.Errorf("the other sees %+v, %v", others, err)
		}
		w.want(w.APITokens.Revoke(w.Context(), other.ID, made.ID, home), account.ErrNoToken)
		w.now = w.now.Add(25 * time.Hour)
		_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeRead)
		w.want(err, account.ErrSignedOut)

		lasting, made, err := w.APITokens.Create(w.Context(), u.ID,
			account.APITokenDraft{Name: "lasting", Scopes: []account.Scope{"read"}})
		w.must(err)
		w.must(w.APITokens.Revoke(w.Context(), u.ID, made.ID, home))
		_, err = w.APITokens.Authenticate(w.Context(), lasting.String(), account.ScopeRead)
		w.want(err, account.ErrSignedOut)
		w.want(w.APITokens.Revoke(w.Context(), u.ID, made.ID, home), account.ErrNoToken)
	})
}

func TestOnlyOwnersAndAdminsHaveTokensForJobs(t *testing.T) {
	each(t, func(w *testSite) {
		jobs := []account.Scope{account.ScopeJobs}
		_, err := w.Create(w.Context(), "first@example.com", "x", password, account.Owner) // one is to remain
		w.must(err)
		for role, may := range map[account.Role]bool{
			"": false, account.Viewer: false, account.Finance: false,
			account.Support: false, account.Admin: true, account.Owner: true,
		} {
			u, err := w.Create(w.Context(), string(role)+"x@example.com", "x", password, role)
			w.must(err)
			secret, _, err := w.APITokens.Create(w.Context(), u.ID, account.APITokenDraft{Name: "cron", Scopes: jobs})
			if f, named := fault.As(err); (err == nil) != may ||
				(err != nil && (!named || f.Fields[0].Name != "scopes")) {
				w.Errorf("%q: %v", role, err)
			}
			if !may {
				continue
			}
			who, err := w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeJobs)
			w.must(err)
			if who.Staff() {
				w.Errorf("the token carries the role %s", who.Role)
			}
			w.must(w.SetRole(w.Context(), u.Email, account.Support))
			_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeJobs)
			w.want(err, account.ErrTokenScope)
		}
	})
}

func TestWrongTokensNameTheirField(t *testing.T) {
	each(t, func(w *testSite) {
		u, read := w.signUp("a@example.com").User, []account.Scope{"read"}
		for name, draft := range map[string]account.APITokenDraft{
			"name":       {Name: " ", Scopes: read},
			"scopes":     {Name: "x"},
			"expires_at": {Name: "x", Scopes: read, Expires: &w.now},
		} {
			_, _, err := w.APITokens.Create(w.Context(), u.ID, draft)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != name {
				w.Errorf("%s: %v", name, f)
			}
		}
		for range 20 {
			_, _, err := w.APITokens.Create(w.Context(), u.ID, account.APITokenDraft{Name: "x", Scopes: read})
			w.must(err)
		}
		_, _, err := w.APITokens.Create(w.Context(), u.ID, account.APITokenDraft{Name: "x", Scopes: read})
		w.want(err, account.ErrTooManyTokens)
	})
}

func TestMakeAPIToken_AsksForThePasswordAndTheSecondFactor(t *testing.T) {
	each(t, func(w *testSite) {
		who, phone, _ := w.turnOn("a@example.com")
		draft := account.APITokenDraft{Name: "script", Scopes: []account.Scope{account.ScopeRead}}
		_, _, err := w.APITokens.Make(w.Context(), who, draft, "wrong password", phone.code(w), home)
		w.wantField(err, "password:wrong_credentials")
		_, _, err = w.APITokens.Make(w.Context(), who, draft, password, "", home)
		w.wantField(err, "code:two_fa_required")
		secret, _, err := w.APITokens.Make(w.Context(), who, draft, password, phone.code(w), home)
		w.must(err)
		_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeRead)
		w.must(err)
		w.newestActivity(who.UserID, account.APITokenMade)
		if mails := w.mailsOf("security_changed"); mails != 2 { // the second factor, and the token
			w.Errorf("%d mails", mails)
		}
	})
}
