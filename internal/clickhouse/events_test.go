package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clickhouse"
	"airstrip/internal/clickhouse/chtest"
)

// addEvents adds a sign-in, an audit hit and a link fetch of a user.
func (w *world) addEvents(userID int64, at time.Time) {
	w.Helper()
	email := fmt.Sprintf("u%d@example.com", userID)
	w.users[email] = userID
	w.run(`INSERT INTO sign_in (email, network, ip, user_agent, wrong, at) VALUES (?, '192.0.2.1', '192.0.2.1', 'Firefox', '', ?)`,
		email, at)
	w.run(`INSERT INTO rule_hit (user_id, node_id, rule_id, count, at) VALUES (?, 9, 1, 3, ?)`, userID, at)
	w.run(`INSERT INTO link_fetch (user_id, fetched_at, token, ip, network, area, client, version, user_agent, format, status, nodes, left_out, bytes)
		VALUES (?, ?, 'abcdef01', '192.0.2.7', '192.0.2.0/24', 'CN', 'Stash', '2.7', 'Stash/2.7', 'Stash', 200, 5, 1, 1234)`, userID, at)
}

// events returns whose events ClickHouse has.
func (w *world) events() (of []string) {
	w.Helper()
	for _, table := range []string{"sign_in", "audit_hit", "link_fetch"} {
		for _, user := range w.query("SELECT toString(user_id) FROM " + table + " FINAL ORDER BY user_id") {
			of = append(of, table+" "+user)
		}
	}
	return of
}

func TestEvents_AreThereOnce_AndNothingOfWhoClosedTheAccount(t *testing.T) {
	each(t, func(w *world) {
		at := w.now.Add(-time.Hour)
		w.run(`INSERT INTO rule (name, text, pattern, revision, created_at) VALUES ('torrent', '', 'torrent', 1, ?)`, at)
		for user := range int64(2) {
			w.addEvents(user+1, at)
			w.log.count(key{w.hour(2), user + 1, 1, 1000}, 1, 2)
			w.log.count(key{w.hour(60), user + 1, 1, 1000}, 1, 2)
		}
		w.copy()
		w.copy()
		both := []string{"sign_in 1", "sign_in 2", "audit_hit 1", "audit_hit 2", "link_fetch 1", "link_fetch 2"}
		if got := w.events(); !slices.Equal(got, both) {
			w.Fatalf("events of %q, want %q", got, both)
		}
		if got := w.query(`SELECT toString(at), toString(id), ip, area, client, version, user_agent, format,
			toString(status), toString(nodes), toString(bytes) FROM link_fetch FINAL WHERE user_id = 1`); !slices.Equal(got,
			[]string{at.Format(time.DateTime) + " 1 192.0.2.7 CN Stash 2.7 Stash/2.7 Stash 200 5 1234"}) {
			w.Error(got)
		}

		if err := w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			return w.c.Forget(ctx, tx, 1)
		}); err != nil {
			w.Fatal(err)
		}
		w.addEvents(1, at) // what was still on its way
		w.log.count(key{w.hour(0), 1, 1, 1000}, 1, 2)
		w.copy()
		if got := w.events(); !slices.Equal(got, []string{"sign_in 2", "audit_hit 2", "link_fetch 2"}) {
			w.Errorf("events of %q, want those of user 2", got)
		}
		w.has(1)

		// A server that was frozen meanwhile sends what it had read.
		if err := w.ch.Conn.Exec(w.Context(), `INSERT INTO audit_hit SELECT 1, now(), 77, 1, 1, 'x', 1`); err != nil {
			w.Fatal(err)
		}
		w.now = w.now.Add(25 * time.Hour)
		w.copy()
		if got := w.events(); !slices.Equal(got, []string{"sign_in 2", "audit_hit 2", "link_fetch 2"}) {
			w.Errorf("a day later events of %q, want those of user 2", got)
		}
		w.has(1)
	})
}

func TestCopy_DatabaseOfAnotherSite_IsRefused(t *testing.T) {
	each(t, func(w *world) {
		w.copy()
		w.run(`UPDATE clickhouse_state SET site = 'another'`)
		if err := w.server().Copy(w.Context()); !errors.Is(err, clickhouse.ErrOtherSite) {
			w.Errorf("the error is %v, want ErrOtherSite", err)
		}
	})
}

func TestCopy_ClickHouseWasEmptied_SendsAllAgain(t *testing.T) {
	each(t, func(w *world) {
		for ago := range int64(100) {
			w.log.count(key{w.hour(ago), 1, 1, 1000}, 1, 2)
		}
		w.copy()
		for _, table := range []string{"airstrip_schema", "traffic", "node", "sign_in", "audit_hit", "link_fetch", "user_state"} {
			if err := w.ch.Conn.Exec(w.Context(), "DROP TABLE "+table); err != nil {
				w.Fatal(err)
			}
		}
		w.c = w.server()
		w.copy()
		w.has()
	})
}

func TestConfig_OverTLS_ChecksTheCertificateAndThePassword(t *testing.T) {
	each(t, func(w *world) {
		if w.ch.TLSURL == "" {
			w.Log("the server that was given is tried without TLS")
			return
		}
		good := clickhouse.Config{URL: w.ch.TLSURL, Password: chtest.Password, CAFile: w.ch.CAFile}
		if err := w.open(good).Copy(w.Context()); err != nil {
			w.Fatal(err)
		}
		noCA, wrong := good, good
		noCA.CAFile, wrong.Password = "", "wrong"
		for name, config := range map[string]clickhouse.Config{"unknown authority": noCA, "wrong password": wrong} {
			if err := w.open(config).Copy(w.Context()); err == nil {
				w.Errorf("%s: it was sent", name)
			}
		}
	})
}

func TestConfig_AddressThatCannotWork_IsRefused(t *testing.T) {
	for _, address := range []string{
		"http://localhost:8123/airstrip", "clickhouse://localhost:9000", "localhost:9000/airstrip", "://",
		"clickhouse:///airstrip", "clickhouse://localhost/airstrip?secure=perhaps",
	} {
		if o, err := (clickhouse.Config{URL: address}).Options(); err == nil {
			t.Errorf("%s is taken as %v", address, o.Addr)
		}
	}
}
