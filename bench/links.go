package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/seal"
	"airstrip/internal/service"
)

// links measures fetches of one user's link, among 10,000 users and with 50 nodes.
func links(s *server, d demo, t *table, one sample) error {
	url := s.url + "/link2/" + d.User.LinkToken
	for _, format := range []struct{ name, agent, fresh string }{
		{"Clash Meta", "mihomo/1.99.%d", "≥ 6%"},
		{"base64 list", "v2rayN/7.99.%d", "≥ 8%"},
		{"sing-box", "SFA/1.14.1 (1; sing-box 1.14.%d)", "≥ 6%"},
	} {
		agent := fmt.Sprintf(format.agent, 0)
		res, err := client.Do(get(url, "User-Agent", agent)())
		if err != nil {
			return err
		}
		res.Body.Close()
		t.throughput("link, "+format.name+", from cache", "≥ 25%", load(conns, seconds, http.StatusOK,
			get(url, "User-Agent", agent)), one)
		t.throughput("link, "+format.name+", 304", "≥ 40%", load(conns, seconds, http.StatusNotModified,
			get(url, "User-Agent", agent, "If-None-Match", res.Header.Get("ETag"))), one)
		// Files are cached per version of a client, so each of these is rendered again.
		n := 0
		t.throughput("link, "+format.name+", rendered again", format.fresh, load(conns, seconds, http.StatusOK,
			func() *http.Request {
				n++
				return get(url, "User-Agent", fmt.Sprintf(format.agent, n))()
			}), one)
	}
	// So many files were rendered that those kept stand at their bound.
	t.row("memory with the caches of links full", "64 MiB of it files, rights up to 20",
		fmt.Sprintf("%.0f MB", s.resident()))
	return nil
}

// guesses sends 100,000 unknown tokens and measures whether an almost correct one takes another time.
func guesses(s *server, d demo, t *table, one sample) {
	near := func(i int) *http.Request {
		token := []byte(d.User.LinkToken)
		at := i % len(token)
		if token[at]++; token[at] > 'z' {
			token[at] = '0'
		}
		return get(s.url + "/link2/" + string(token))()
	}
	far := func(int) *http.Request { return get(s.url + "/link2/" + (rand.Text() + rand.Text())[:32])() }
	n := 0
	tried := load(conns, 5*time.Minute, http.StatusNotFound, func() *http.Request {
		if n++; n > 100_000 {
			return nil
		}
		if n%2 == 0 {
			return near(n)
		}
		return far(n)
	})
	t.throughput("100,000 guessed tokens, none found", "", tried, one)
	t.difference("guess with one character wrong, with all", 5000, http.StatusNotFound, near, far)
}

// crowds measures a fetch among a thousand and among a million users. The same thousand users fetch in both cases, so
// that the caches help equally.
func crowds(dir string, t *table) error {
	const fetching = 1_000
	var took [2]sample
	for i, users := range []int{fetching, 1_000_000} {
		s, _, err := seeded(fmt.Sprintf("%s/crowd-%d", dir, users), 1, 50)
		if err != nil {
			return err
		}
		s.stop()
		if err := populate(s.dir, users); err != nil {
			return err
		}
		if err := s.start(); err != nil {
			return err
		}
		n := 0
		fetch := func() *http.Request {
			n++
			return get(s.url+"/link2/"+crowdToken(n%fetching*(users/fetching)), "User-Agent",
				fmt.Sprintf("mihomo/1.99.%d", n))()
		}
		load(1, seconds, http.StatusOK, fetch) // the pages of the database are read once
		took[i] = load(conns, 2*seconds, http.StatusOK, fetch)
		t.latency(fmt.Sprintf("link rendered again among %d users", users), "", took[i])
		if users > fetching {
			t.row("memory with 1,000,000 users", "", fmt.Sprintf("%.0f MB", s.resident()))
		}
		s.stop()
	}
	t.row("a fetch among 1,000,000 users against one among 1,000", "the same", fmt.Sprintf("%+.1f%% of the median",
		100*(took[1].p50.Seconds()/took[0].p50.Seconds()-1)))
	return nil
}

func crowdToken(i int) string { return fmt.Sprintf("crowd%027d", i) }

// populate adds users to the SQLite database in dir, with the rights of an existing one and links of their own. They
// have no accounts, because a million sign-ups would take an hour.
func populate(dir string, users int) error {
	ctx := context.Background()
	key, err := seal.ReadKey(dir)
	if err != nil {
		return err
	}
	d, err := db.Open(ctx, "", dir)
	if err != nil {
		return err
	}
	credentials := service.NewCredentials(key)
	const first, atOnce = 10_000_000, 1_000
	for from := 0; err == nil && from < users; from += atOnce {
		var rights, tokens strings.Builder
		for i := from; i < from+atOnce; i++ {
			sealed, digest := credentials.Seal(int64(first+i), uuid.New(), rand.Text())
			fmt.Fprintf(&rights, ",(%d,x'%x',x'%x')", first+i, sealed, digest)
			fmt.Fprintf(&tokens, ",(%d,x'%x',x'00','2026-01-01T00:00:00Z')", first+i,
				sha256.Sum256([]byte(crowdToken(i))))
		}
		err = d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, errRights := tx.ExecContext(ctx, `INSERT INTO access
				SELECT n.column1, n.column2, n.column3, banned, state, allowed, class, groups, speed_mbps, devices, expires_at,
				resets_at, sources, was_class, was_groups, was_until, revision
				FROM (VALUES `+rights.String()[1:]+`) AS n JOIN access ON user_id = (SELECT min(user_id) FROM access
					WHERE allowed)`)
			_, errTokens := tx.ExecContext(ctx, `INSERT INTO link_token VALUES `+tokens.String()[1:])
			return errors.Join(errRights, errTokens)
		})
	}
	return errors.Join(err, d.Close())
}
