package account_test

import (
	"slices"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

func TestSignUp_SiteWithTerms_RefusesAnyButThePresentVersion(t *testing.T) {
	each(t, func(w *testSite) {
		signUp := func(email, accepted string) (account.Grant, error) {
			return w.SignUps.SignUp(w.Context(), account.SignUp{
				Email: email, Name: "a", Password: password, Repeated: password, AcceptedTerms: accepted,
			}, home)
		}
		before := w.signUp("before@example.com").User.ID
		w.set("privacy_zh", "我们只保存必需的数据。")
		old := w.settings.Get().LegalVersion()
		w.set("terms_en", "No refunds.")
		present := w.settings.Get().LegalVersion()
		for accepted, code := range map[string]string{"": "required", "true": "outdated", old: "outdated"} {
			_, err := signUp("a@example.com", accepted)
			if wrong, ok := fault.As(err); !ok || !slices.ContainsFunc(wrong.Fields, func(f fault.Field) bool {
				return f.Name == "accepted_terms" && f.Code == code
			}) {
				w.Errorf("accepting %q answers %v, want %s", accepted, err, code)
			}
		}
		g, err := signUp("a@example.com", present)
		w.must(err)
		one, err := w.Acceptance(w.Context(), g.User.ID)
		w.must(err)
		if one == nil || one.Version != present || !one.AcceptedAt.Equal(w.now) {
			w.Errorf("recorded is %+v", one)
		}
		if one, err := w.Acceptance(w.Context(), before); one != nil || err != nil {
			w.Errorf("who signed up before there were terms accepted %+v, %v", one, err)
		}
		w.signIn("before@example.com") // and is asked for nothing
	})
}

func TestClose_KeepsWhichTermsWereAccepted(t *testing.T) {
	each(t, func(w *testSite) {
		w.set("terms_en", "No refunds.")
		version := w.settings.Get().LegalVersion()
		g, err := w.SignUps.SignUp(w.Context(), account.SignUp{
			Email: "a@example.com", Name: "a", Password: password, Repeated: password, AcceptedTerms: version,
		}, home)
		w.must(err)
		signedUp := w.now
		w.now = w.now.Add(5 * time.Minute)
		w.must(w.Close(w.Context(), w.identity(g), closeInput("a@example.com"), home))
		one, err := w.Acceptance(w.Context(), g.User.ID)
		w.must(err)
		if one == nil || one.Version != version || !one.AcceptedAt.Equal(signedUp) {
			w.Errorf("after the account was closed the acceptance is %+v", one)
		}
	})
}
