package account_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

func (w *testSite) stored(email string) (stored string) {
	w.Helper()
	w.must(w.db.NewRaw(`SELECT password FROM account WHERE email = ?`, email).Scan(w.Context(), &stored))
	return stored
}

// The hashes were made of "letmein-please", with the salt behind it, by md5sum and sha256sum.
func TestUsersOfOtherPanelsSignInAndAreHashedAnew(t *testing.T) {
	const old = "letmein-please"
	own, err := bcrypt.GenerateFromPassword([]byte(old), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string]struct {
		kind       account.HashKind
		hash, salt string
	}{
		"md5":             {account.MD5, "f4a124188f53422f98b3451bf03a8f28", ""},
		"sha256":          {account.SHA256, "54610ebdef0e91e585a49e96a21df8cc83f5060d342f80178d7421a7e4a619cf", ""},
		"v2board md5salt": {account.MD5Salt, "b48cae0d0f3953ef2ec292c2e68c509d", "ab12CD"},
		"sspanel sha256": {
			account.SHA256Salt, "6deb7112a3d007386711df7c8a6ad4fc0444dbc13e94691fb77b0a8803772b5f",
			"site salt",
		},
		"upper case":     {account.MD5, strings.ToUpper("f4a124188f53422f98b3451bf03a8f28"), ""},
		"php bcrypt":     {account.Bcrypt, "$2y" + strings.TrimPrefix(string(own), "$2a"), ""},
		"told by itself": {"", string(own), ""},
	}
	each(t, func(w *testSite) {
		w.hashAtFullCost()
		for name, h := range hashes {
			email := strings.ReplaceAll(name, " ", "") + "@example.com"
			stored, err := w.Accept(w.Context(), h.kind, h.hash, h.salt)
			w.must(err)
			if h.kind != account.Bcrypt && h.kind != "" &&
				strings.Contains(strings.ToLower(stored), strings.ToLower(h.hash)) {
				w.Errorf("%s is stored bare: %s", name, stored)
			}
			w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := w.Import(ctx, tx, email, "x", stored)
				return err
			}))
			if w.stored(email) != stored {
				w.Errorf("%s: stored is %s", name, w.stored(email))
			}
			for _, wrong := range []string{"letmein-pleas", h.hash, ""} {
				_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: wrong}, home)
				w.want(err, account.ErrWrongCredentials)
			}
			w.now = w.now.Add(16 * 60e9) // the failures are forgotten
			_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: old}, home)
			w.must(err)
			if now := w.stored(email); !strings.HasPrefix(now, "$argon2id$v=19$m=19456,t=2,p=1$") {
				w.Errorf("%s: after the sign-in %s", name, now)
			}
			_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: old}, home)
			w.must(err)
		}
	})
}

// What a wrong password is compared with beside its account's own hash.
func (w *testSite) costs() (all []string) {
	w.Helper()
	w.must(w.db.NewRaw(`SELECT prefix FROM password_cost ORDER BY prefix`).Scan(w.Context(), &all))
	return all
}

func TestAWrongPasswordIsComparedWithEveryKindOfHashWhileItIsThere(t *testing.T) {
	own, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(w *testSite) {
		for email, hash := range map[string]string{
			"a@example.com": string(own), "b@example.com": string(own),
			"c@example.com": "$argon2id$v=19$m=65536,t=4,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		} {
			w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := w.Import(ctx, tx, email, "x", hash)
				return err
			}))
		}
		w.signIn("a@example.com")
		w.must(w.Forget(w.Context()))
		if got := w.costs(); !slices.Equal(got, []string{"$2a$04$", "$argon2id$v=19$m=65536,t=4,p=1$"}) {
			w.Fatalf("two have foreign hashes: %q", got)
		}
		_, err := w.SignIns.ByPassword(w.Context(), account.SignIn{Email: "nobody@example.com", Password: password},
			home)
		w.want(err, account.ErrWrongCredentials)
		w.signIn("b@example.com")
		w.must(w.Forget(w.Context()))
		if got := w.costs(); !slices.Equal(got, []string{"$argon2id$v=19$m=65536,t=4,p=1$"}) {
			w.Fatalf("one has a foreign hash: %q", got)
		}
	})
}

func TestHashesThatCannotBeAreNamed(t *testing.T) {
	each(t, func(w *testSite) {
		costly := "$2a$31$" + strings.Repeat("a", 53)
		for _, c := range []struct {
			kind        account.HashKind
			hash, salt  string
			field, code string
		}{
			{"crypt", "x", "", "kind", "choice"},
			{"", "5f4dcc3b5aa765d61d8327deb882cf99", "", "kind", "choice"},
			{account.MD5, "5f4dcc", "", "hash", "format"},
			{account.SHA256, "5f4dcc3b5aa765d61d8327deb882cf99", "", "hash", "format"},
			{account.MD5, strings.Repeat("g", 32), "", "hash", "format"},
			{account.MD5Salt, "5f4dcc3b5aa765d61d8327deb882cf99", "", "salt", "salt"},
			{account.MD5, "5f4dcc3b5aa765d61d8327deb882cf99", "x", "salt", "salt"},
			{account.Bcrypt, "$2y$10$short", "", "hash", "format"},
			{account.Bcrypt, costly, "", "hash", "format"},
			{account.Argon2id, "$argon2id$v=19$m=1,t=1", "", "hash", "format"},
		} {
			_, err := w.Accept(w.Context(), c.kind, c.hash, c.salt)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != c.field ||
				f.Fields[0].Code != c.code {
				w.Errorf("%+v: %v", c, err)
			}
		}
	})
}
