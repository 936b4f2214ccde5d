package account_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
)

// Cookies that were given before the prefix came keep their name until they end; those of an https site that have it
// are not taken without it.
func TestAuthenticateCookie_UnderAnotherName_IsRefused(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("ming@example.com")
		c, err := w.Sessions.Cookies(w.Context(), g.Access, "", home)
		w.must(err)
		name := c.Prefix + account.CookieName
		_, _, err = w.Sessions.AuthenticateCookie(w.Context(), name, c.Key, home)
		w.must(err)
		other := map[string]string{"key": "__Host-key", "__Host-key": "key"}[name]
		if _, _, err := w.Sessions.AuthenticateCookie(w.Context(), other, c.Key, home); !errors.Is(err,
			account.ErrSignedOut) {
			w.Errorf("the cookie %s as %s: %v", name, other, err)
		}
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE session_cookie SET name = 'key'`).Exec(ctx) // as the migration has it
			return err
		}))
		_, _, err = w.Sessions.AuthenticateCookie(w.Context(), "key", c.Key, home)
		w.must(err)
	})
}
