package console_test

import (
	"context"
	"crypto/sha256"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// Staff finds whose link somebody sent by the whole token or the whole address, and by nothing less.
func TestUsers_ByLink_AreFoundByTheWholeTokenOnly(t *testing.T) {
	const token = "0123456789abcdefghijABCDEFGHIJxy"
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newConsole(t, d)
		for id, token := range map[int]string{1: token, 2: "another token of another account"} {
			sum, now := sha256.Sum256([]byte(token)), time.Now().UTC()
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`INSERT INTO link_token (user_id, hash, sealed, updated_at) VALUES (?, ?, ?, ?)`,
					id, sum[:], []byte{1}, now).Exec(ctx)
				if err != nil {
					return err
				}
				_, err = tx.NewRaw(`INSERT INTO user_facts (user_id, email, domain, name, role, state, balance, area, fetches,
					created_at) VALUES (?, 'a@example.com', 'example.com', 'a', '', 'none', 0, '', 0, ?)`, id, now).Exec(ctx)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for typed, want := range map[string][]int64{
			token: {1}, "https://example.com/link2/" + token: {1}, "http://10.0.0.1:8080/v1/link2/" + token + "?client=a": {1},
			token[:31]: nil, token[:31] + "z": nil, "https://example.com/link2/" + token + "0": nil,
		} {
			q, err := c.Lists.Parse(t.Context(), c.Users(), url.Values{"q": {typed}})
			if err != nil {
				t.Fatal(err)
			}
			page, err := c.Lists.Page(t.Context(), q)
			if err != nil || !slices.Equal(page.IDs, want) {
				t.Errorf("%q found %v (%v), want %v", typed, page.IDs, err, want)
			}
			if want != nil && q.Logged() != "q=%28secret%29" {
				t.Errorf("%q may be logged as %q, want it hidden", typed, q.Logged())
			}
		}
	})
}

func TestUsers_ByDomainAndArea_AreFoundInAnyCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newConsole(t, d)
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`INSERT INTO user_facts (user_id, email, domain, name, role, state, balance, area, fetches,
				created_at) VALUES (1, 'a@example.com', 'example.com', 'a', '', 'none', 0, 'DE', 1, ?),
				(2, 'b@example.org', 'example.org', 'b', '', 'none', 0, 'FR', 1, ?)`, d.Now(), d.Now()).Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for typed, want := range map[string][]int64{
			"domain=Example.COM": {1}, "domain=example.com": {1}, "domain=!EXAMPLE.com": {2}, "area=de": {1}, "area=De,fr": {2, 1},
			"area=!de": {2}, "area=d": nil,
		} {
			values, err := url.ParseQuery(typed)
			if err != nil {
				t.Fatal(err)
			}
			q, err := c.Lists.Parse(t.Context(), c.Users(), values)
			if err != nil {
				t.Fatal(err)
			}
			page, err := c.Lists.Page(t.Context(), q)
			if err != nil || !slices.Equal(page.IDs, want) {
				t.Errorf("%q found %v (%v), want %v", typed, page.IDs, err, want)
			}
		}
	})
}
