package console_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// change is a random statement on a table that facts follow from.
func change(r *rand.Rand, services *int64) (string, []any) {
	user, at := r.Int64N(6)+1, start.Add(time.Duration(r.IntN(1000))*time.Hour)
	service := r.Int64N(*services + 1)
	switch r.IntN(17) {
	case 0:
		*services++
		return `INSERT INTO service (user_id, plan_id, name, class, groups, quota_bytes, reset, cycle, started_at, ends_at,
			auto_renew) VALUES (?, ?, 'a', 0, '[]', ?, 'never', 1, ?, ?, ?)`,
			[]any{user, r.IntN(3) + 1, 1 << 30, at, at, false}
	case 1:
		return `INSERT INTO service_cycle (service_id, cycle, started_at, up, down, billed)
			SELECT id, cycle, started_at, 0, 0, 0 FROM service WHERE id = ?
			ON CONFLICT (service_id, cycle) DO NOTHING`, []any{service}
	case 2, 3:
		return `UPDATE service_cycle SET billed = billed + ? WHERE service_id = ?`, []any{r.IntN(200 << 20), service}
	case 4:
		return `UPDATE service SET ends_at = ?, plan_id = plan_id + 1 WHERE id = ?`, []any{at, service}
	case 5:
		return `UPDATE service SET ended_at = ?, end_reason = 'expired' WHERE id = ? AND ended_at IS NULL`,
			[]any{at, service}
	case 6:
		return `UPDATE service SET cycle = cycle + 1, quota_bytes = NULL WHERE id = ?`, []any{service}
	case 7:
		return `UPDATE account SET banned_at = ? WHERE id = ?`, []any{&at, user}
	case 8:
		return `UPDATE account SET banned_at = NULL, invited_by = ? WHERE id = ?`, []any{r.Int64N(6) + 1, user}
	case 9:
		return `UPDATE account SET signed_in_at = ?, email = ? WHERE id = ?`,
			[]any{at, uuid.NewString() + "@example.com", user}
	case 10:
		return `UPDATE access SET state = ? WHERE user_id = ?`,
			[]any{[]string{"active", "none", "exhausted", "expired"}[r.IntN(4)], user}
	case 11:
		return `UPDATE ledger_account SET posted = posted + ? WHERE user_id = ?`, []any{r.IntN(1000), user}
	case 12:
		return `INSERT INTO session (id, account_id, remember, ip, user_agent, created_at, seen_at, expires_at)
			VALUES (?, ?, ?, '', '', ?, ?, ?)`, []any{uuid.New(), user, true, at, at, at}
	case 13:
		return `UPDATE session SET seen_at = ? WHERE account_id = ?`, []any{at, user}
	case 14:
		return `INSERT INTO link_fetch (user_id, fetched_at, token, ip, network, area, client, version, user_agent, format,
			status, nodes, left_out, bytes) VALUES (?, ?, '', '', '', 'DE', '', '', '', '', 200, 0, 0, 0)`,
			[]any{user, at}
	case 15:
		return `DELETE FROM link_fetch WHERE user_id = ? AND fetched_at < ?`, []any{user, at}
	}
	return `UPDATE account SET closed_at = ?, password = '', role = '', telegram_id = NULL WHERE id = ? AND id > 5`,
		[]any{at, user}
}

// Whatever is done to the tables that facts follow from, in whatever order, the facts are what these tables say.
func TestFacts_AfterAnyChanges_AreWhatTheTablesSay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		mustDo(t, d, func(ctx context.Context, tx bun.Tx) error { return addUsers(ctx, tx, 1, 6) })
		seed := uint64(time.Now().UnixNano())
		t.Log("seed ", seed)
		r, services := rand.New(rand.NewPCG(seed, 0)), int64(0)
		for range 60 {
			mustDo(t, d, func(ctx context.Context, tx bun.Tx) error {
				for range 5 {
					text, values := change(r, &services)
					if _, err := tx.NewRaw(text, values...).Exec(ctx); err != nil {
						return fmt.Errorf("%s: %w", text, err)
					}
				}
				return nil
			})
			broken, err := console.Check(t.Context(), d)
			if err != nil || len(broken) > 0 {
				t.Fatal(broken, err)
			}
		}
		facts, err := newConsole(t, d).UsersByID(t.Context(), []int64{1, 2, 3, 4, 5, 6})
		if err != nil || len(facts) != 6 {
			t.Error(facts, err)
		}
	})
}

// The same holds where transactions change different tables of one user at the same moment.
func TestFacts_AfterChangesAtTheSameMoment_AreWhatTheTablesSay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		mustDo(t, d, func(ctx context.Context, tx bun.Tx) error { return addUsers(ctx, tx, 1, 6) })
		seed := uint64(time.Now().UnixNano())
		t.Log("seed ", seed)
		r, services, next := rand.New(rand.NewPCG(seed, 0)), int64(0), sync.Mutex{}
		for range 10 {
			var writers sync.WaitGroup
			for range 8 {
				writers.Go(func() {
					for range 6 {
						next.Lock()
						text, values := change(r, &services)
						next.Unlock()
						err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
							if _, err := tx.NewRaw(text, values...).Exec(ctx); err != nil {
								return fmt.Errorf("%s: %w", text, err)
							}
							_, err := tx.NewRaw(`SELECT 1`).Exec(ctx) // others meet what this one has locked
							return err
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			writers.Wait()
			if broken, err := console.Check(t.Context(), d); err != nil || len(broken) > 0 {
				t.Fatal(broken, err)
			}
		}
	})
}

// A row that was changed by hand is found, whichever column it is.
func TestCheck_FactsThatAreWrong_AreFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		mustDo(t, d, func(ctx context.Context, tx bun.Tx) error { return addUsers(ctx, tx, 1, 1) })
		for _, set := range []string{
			"email = 'a@b.c'", "state = 'expired'", "balance = 7", "plan_id = 7", "ends_at = created_at", "used_bytes = 1",
			"used_percent = 1", "quota_bytes = 1", "fetches = 1", "inviter_id = 1", "role = 'owner'",
			"created_at = '2001-01-01 00:00:00+00:00'",
		} {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE user_facts SET "+set)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			broken, err := console.Check(t.Context(), d)
			if err != nil || len(broken) != 1 {
				t.Errorf("%s: found %v: %v", set, broken, err)
			}
			mustDo(t, d, func(ctx context.Context, tx bun.Tx) error {
				for _, text := range []string{`DELETE FROM access`, `DELETE FROM ledger_account`, `DELETE FROM account`} {
					if _, err := tx.ExecContext(ctx, text); err != nil {
						return err
					}
				}
				return addUsers(ctx, tx, 1, 1)
			})
		}
	})
}

func mustDo(t testing.TB, d *db.DB, do func(ctx context.Context, tx bun.Tx) error) {
	t.Helper()
	if err := d.Tx(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

// addUsers adds accounts with a wallet and access.
func addUsers(ctx context.Context, tx bun.Tx, from, to int64) error {
	for id := from; id <= to; id++ {
		name := fmt.Sprintf("User %d", id)
		if _, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version,
			password_changed_at, invite_code, created_at) VALUES (?, ?, ?, ?, '', 'x', ?, ?, ?, ?)`,
			id, uuid.New(), fmt.Sprintf("user%d@example.com", id), name, uuid.New(), start, name,
			start.Add(time.Duration(id)*time.Minute)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`INSERT INTO access (user_id, credentials, banned, state, allowed, class, groups, sources,
			was_class, was_groups, revision) VALUES (?, ?, ?, 'none', ?, 0, '[]', '', 0, '[]', 0)`,
			id, []byte(name), false, false).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`INSERT INTO ledger_account (kind, user_id, name, posted, held, version, created_at)
			VALUES ('wallet', ?, '', 0, 0, 0, ?)`, id, start).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
