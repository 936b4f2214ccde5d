package loki_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/loki"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// standIn takes lines as Loki documents: JSON of streams with nanoseconds as text, 204, and 400 with the reason for
// lines that are too old, of which it takes the others.
type standIn struct {
	*testing.T
	headers http.Header
	pushes  int
	lines   map[string][]map[string]any // by the label log, in the order in which they came
	status  int                         // answered in place of what it would answer; 0: nothing
	oldest  time.Time
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.pushes++
	s.headers = r.Header
	if r.Method != http.MethodPost || r.URL.Path != "/loki/api/v1/push" ||
		r.Header.Get("Content-Type") != "application/json" {
		s.Errorf("%s %s of %s", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	if s.status != 0 {
		http.Error(w, "not now", s.status)
		return
	}
	var in struct {
		Streams []struct {
			Stream map[string]string
			Values [][]any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ignored := 0
	for _, one := range in.Streams {
		if !maps.Equal(one.Stream, map[string]string{
			"job": "airstrip", "site": "https://panel.example",
			"log": one.Stream["log"],
		}) {
			s.Errorf("labels %v", one.Stream)
		}
		for _, v := range one.Values {
			at, ok := v[0].(string)
			nanos, err := strconv.ParseInt(at, 10, 64)
			if !ok || err != nil || len(v) != 2 {
				http.Error(w, "loghttp.PushRequest.Streams: the timestamp is no text", http.StatusBadRequest)
				return
			}
			if time.Unix(0, nanos).Before(s.oldest) {
				ignored++
				continue
			}
			var row map[string]any
			if err := json.Unmarshal([]byte(v[1].(string)), &row); err != nil {
				s.Error(err)
			}
			if written, err := time.Parse(time.RFC3339Nano, row["at"].(string)); err != nil ||
				written.UnixNano() != nanos {
				s.Errorf("the line %v is of %s, %v", row, at, err)
			}
			s.lines[one.Stream["log"]] = append(s.lines[one.Stream["log"]], row)
		}
	}
	if ignored > 0 {
		http.Error(w, fmt.Sprintf("entry ignored, reason: 'entry too far behind', total ignored: %d", ignored),
			http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// ids returns the ids of the lines of a log, as they came.
func (s *standIn) ids(log string) string {
	var out []string
	for _, row := range s.lines[log] {
		out = append(out, fmt.Sprint(row["id"]))
	}
	return strings.Join(out, " ")
}

type world struct {
	*standIn
	db       *db.DB
	settings *setting.Settings
	secrets  *secret.Secrets
	loki     *loki.Loki
	now      time.Time
	url      string
}

func each(t *testing.T, test func(w *world)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := &world{standIn: &standIn{T: t, lines: map[string][]map[string]any{}}, db: d, now: time.Date(2026, 1, 31, 4,
			0, 0, 123_000_000, time.UTC)}
		d.SetClock(func() time.Time { return w.now })
		var err error
		if w.settings, err = setting.New(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		w.secrets = secret.New(d, seal.Key{})
		w.loki = loki.New(d, w.settings, w.secrets, "https://panel.example")
		server := httptest.NewServer(w.standIn)
		t.Cleanup(server.Close)
		w.url = server.URL + "/loki/api/v1/push"
		test(w)
	})
}

func (w *world) set(name, value string) {
	w.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = w.settings.Set(w.Context(), map[string]json.RawMessage{name: text})
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) run(query string, args ...any) {
	w.Helper()
	err := w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(query, args...).Exec(ctx)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) signIns(n int, at time.Time) {
	w.Helper()
	var rows []string
	var args []any
	for i := range n {
		rows = append(rows, "(?, '192.0.2.1', '192.0.2.1', 'Firefox', '', ?)")
		args = append(args, fmt.Sprintf("u%d@example.com", i), at)
	}
	w.run("INSERT INTO sign_in (email, network, ip, user_agent, wrong, at) VALUES "+strings.Join(rows, ", "), args...)
}

// export insists on how many lines Loki gets.
func (w *world) export(want int) {
	w.Helper()
	if n, err := w.loki.Export(w.Context()); err != nil || n != want {
		w.Fatalf("%d lines, %v; want %d", n, err, want)
	}
}

func TestLokiGetsEveryLineOfTheLogs(t *testing.T) {
	each(t, func(w *world) {
		if _, err := w.loki.Export(t.Context()); !errors.Is(err, loki.ErrOff) {
			t.Fatal(err)
		}
		w.set("loki_push_url", w.url)
		w.export(0)
		if w.pushes != 0 {
			t.Error("nothing was pushed")
		}
		at := w.now.Add(-time.Hour)
		w.signIns(1, at)
		w.run(`INSERT INTO rule (name, text, pattern, revision, created_at) VALUES ('torrent', '', 'torrent', 1, ?)`,
			at)
		w.run(`INSERT INTO rule_hit (user_id, node_id, rule_id, count, at) VALUES (7, 9, 1, 3, ?)`, at)
		w.run(`INSERT INTO link_fetch (user_id, fetched_at, token, ip, network, area, client, version, user_agent, format, status, nodes, left_out, bytes)
			VALUES (7, ?, 'abcdef01', '192.0.2.7', '192.0.2.0/24', 'CN', 'Stash', '2.7', 'Stash/2.7', 'Stash', 200, 5, 1, 1234)`, at)
		w.export(3)
		for log, want := range map[string]string{
			"sign_in":    `{"email":"u0@example.com","ip":"192.0.2.1","user_agent":"Firefox","wrong":""}`,
			"audit_hit":  `{"user_id":7,"node_id":9,"node":null,"rule_id":1,"rule":"torrent","count":3}`,
			"link_fetch": `{"user_id":7,"ip":"192.0.2.7","area":"CN","client":"Stash","version":"2.7","user_agent":"Stash/2.7","format":"Stash","status":200,"nodes":5,"bytes":1234}`,
		} {
			var row map[string]any
			if err := json.Unmarshal([]byte(want), &row); err != nil {
				t.Fatal(err)
			}
			row["id"], row["at"] = 1.0, at.Format(time.RFC3339Nano)
			if got := w.lines[log]; len(got) != 1 || !maps.Equal(got[0], row) {
				t.Errorf("%s: %v, want %v", log, got, row)
			}
		}
		w.export(0)
		if w.headers.Get("Authorization") != "" || w.headers.Get("X-Scope-Orgid") != "" {
			t.Error(w.headers)
		}
		w.set("loki_username", "ann")
		w.set("loki_tenant", "airport")
		if err := w.secrets.Set(t.Context(), secret.LokiPassword, "hunter2"); err != nil {
			t.Fatal(err)
		}
		w.signIns(2500, at)
		w.pushes = 0
		w.export(2500)
		if user, password, ok := (&http.Request{Header: w.headers}).BasicAuth(); !ok || user != "ann" ||
			password != "hunter2" || w.headers.Get("X-Scope-Orgid") != "airport" {
			t.Error(w.headers)
		}
		if w.pushes != 3 || len(w.lines["sign_in"]) != 2501 {
			t.Errorf("%d pushes, %d lines", w.pushes, len(w.lines["sign_in"]))
		}
	})
}

func TestWhatLokiDidNotTakeComesAgain(t *testing.T) {
	each(t, func(w *world) {
		w.set("loki_push_url", w.url)
		w.signIns(3, w.now.Add(-time.Hour))
		for _, w.status = range []int{429, 500, 503, 401, 404, 302} {
			if n, err := w.loki.Export(t.Context()); !errors.Is(err, loki.ErrFailed) || n != 0 {
				t.Errorf("after %d: %d, %v", w.status, n, err)
			}
		}
		w.status = 0
		w.export(3)
		w.signIns(2, w.now.Add(-time.Hour))
		w.oldest = w.now.Add(-2 * time.Minute) // what Loki refuses itself would be refused for ever
		w.export(2)
		w.signIns(1, w.now.Add(-time.Minute))
		w.export(1)
		if got := w.ids("sign_in"); got != "1 2 3 6" {
			t.Error(got)
		}
	})
}

func TestNoLineIsPassedOver(t *testing.T) {
	each(t, func(w *world) {
		w.set("loki_push_url", w.url)
		w.signIns(1, w.now.Add(-8*24*time.Hour)) // Loki would refuse it
		w.signIns(1, w.now.Add(-time.Hour))
		w.signIns(1, w.now)                 // an earlier id may still be on its way
		w.signIns(1, w.now.Add(-time.Hour)) // of a server whose clock is behind
		w.export(1)
		w.export(0)
		w.now = w.now.Add(time.Minute)
		w.export(2)
		if got := w.ids("sign_in"); got != "2 3 4" {
			t.Error(got)
		}
		w.run(`DELETE FROM sign_in`)
		w.signIns(1, w.now.Add(-time.Hour))
		w.export(1)
	})
}
