package app

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/account"
)

func TestJobs_OfLegacyRoutes_AreOnTheTimetable(t *testing.T) {
	a, err := Open(t.Context(), config(t), "1")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, j := range a.jobs() {
		if _, err := j.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", j.Pattern, err)
		}
	}
}

func TestCheckUserPassword_NamesAccountsWithHashesOfOtherPanels(t *testing.T) {
	eachEngine(t, func(t *testing.T, c Config) {
		s := newTestServer(t, c)
		owner := s.addUser(t, "owner", 0)
		if err := s.Accounts.SetRole(t.Context(), "owner@example.com", account.Owner); err != nil {
			t.Fatal(err)
		}
		hash, err := bcrypt.GenerateFromPassword([]byte("a long enough password"), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		md5, err := s.Accounts.Accept(t.Context(), account.MD5, strings.Repeat("0", 32), "")
		if err != nil {
			t.Fatal(err)
		}
		imported := func(email, stored string) account.OutdatedPassword {
			t.Helper()
			var u account.User
			if err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
				u, err = s.Accounts.Import(ctx, tx, email, "x", stored)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return account.OutdatedPassword{UserID: u.ID, Kind: account.MD5}
		}
		first, second := imported("first@example.com", string(hash)), imported("second@example.com", md5)
		first.Kind = account.Bcrypt
		path := "/v1/mod_mu/check_user_password?api_token_uuid=" + s.key(t, owner.id, account.ScopeJobs)
		want := func(when string, users ...account.OutdatedPassword) {
			t.Helper()
			var got struct {
				Data struct {
					Ran   []string
					Total int
					Users []account.OutdatedPassword
				}
			}
			text := s.reads(t, 200, path, &got)
			if !slices.Equal(got.Data.Users, users) || got.Data.Total != len(users) ||
				!slices.Equal(got.Data.Ran, []string{"check_user_password"}) || strings.Contains(text, string(hash)) {
				t.Errorf("%s: %s, want %+v", when, text, users)
			}
		}
		want("after the import", first, second)
		if w := s.call(t.Context(), testUser{}, "POST", "/api/v2/auth/account_login/login",
			`{"email":"first@example.com","password":"a long enough password"}`); w.Code != 200 {
			t.Fatal(w.Body)
		}
		want("after a sign-in", second)
	})
}
