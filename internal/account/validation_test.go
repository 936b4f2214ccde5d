package account_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db/dbtest"
)

func TestPasswordsThatAnybodyWouldTry_AreRefused(t *testing.T) {
	w := newTestSite(t, dbtest.SQLite(t))
	w.set("site_name", "Runway 跑道 Services")
	for password, want := range map[string]string{
		"li.wei.1987@example.com": "personal", "Li.Wei.1987": "personal", "runway 跑道 services": "personal",
		"Runway跑道Services": "personal",
		"zzzzzzzzzz":       "simple", "～～～～～～～～": "simple", "3456789012": "simple", "hgfedcba": "simple",
		"abcdefghijk":    "simple",
		"my li.wei.1987": "", "abcdefgi": "", "zzzzzzzzzy": "",
	} {
		_, err := w.SignUps.SignUp(w.Context(),
			account.SignUp{Email: "li.wei.1987@example.com", Name: "x", Password: password, Repeated: "another"}, home)
		got := strings.TrimPrefix(strings.Fields(w.fields(err))[0], "password:")
		if want == "" {
			want = "re_password:mismatch"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", password, got, want)
		}
	}
	u := w.signUp("li.wei.1987@example.com").User
	w.wrong(w.Credentials.SetPassword(w.Context(), u.Email, u.Email), "password:personal")
	code := w.sent(account.ForForgotPassword, u.Email)
	w.wrong(w.Credentials.ResetPassword(w.Context(), u.Email, code, u.Email, home), "password:personal")
	_, err := w.Credentials.ChangePassword(w.Context(), w.identity(w.signIn(u.Email)), password, u.Email, home)
	w.wrong(err, "new_password:personal")
}

func TestAPasswordBeyondReason_IsRefusedUnhashed(t *testing.T) {
	w := newTestSite(t, dbtest.SQLite(t))
	w.signUp("a@example.com")
	_, err := w.SignIns.ByPassword(w.Context(),
		account.SignIn{Email: "a@example.com", Password: strings.Repeat("x", 1025)}, home)
	w.wrong(err, "password:too_long")
}

func TestOutdatedPasswords_NamesAccountsByTheKindOfTheirHash(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("new@example.com")
		stored, err := w.Accept(w.Context(), account.MD5, strings.Repeat("0", 32), "")
		w.must(err)
		var old account.User
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
			old, err = w.Import(ctx, tx, "old@example.com", "x", stored)
			return err
		}))
		all, total, err := w.OutdatedPasswords(w.Context(), 10)
		w.must(err)
		if total != 1 || len(all) != 1 || all[0] != (account.OutdatedPassword{UserID: old.ID, Kind: account.MD5}) {
			w.Errorf("%d: %+v", total, all)
		}
	})
}
