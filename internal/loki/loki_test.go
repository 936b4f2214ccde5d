package loki_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/loki"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// standIn takes lines as Loki documents, and refuses what Loki refuses, with its texts: bodies and lines that are too
// large, more labels than limits allow, lines that are too old, too new or before the newest of their stream. Of a push
// with such lines it takes the others. A line that it has, with the same time, is the same line.
type standIn struct {
	*testing.T
	headers http.Header
	pushes  int
	lines   map[string][]map[string]any // by the label log, in the order in which they came
	has     map[string]bool
	newest  map[string]int64
	maxAge  time.Duration
	labels  int              // how many it takes
	now     func() time.Time // of Loki's own clock
	status  int              // answered in place of what it would answer; 0: nothing
	mu      sync.Mutex
	silent  bool // it takes pushes, and their answers are lost; mu guards it
}

// The limits of Loki, unless it is told otherwise.
const (
	maxBody, maxLine = 4 << 20, 256 << 10
	maxLabels        = 15
	grace            = 10 * time.Minute
)

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
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.Error(err)
	}
	if len(body) > maxBody {
		http.Error(w, fmt.Sprintf("request body too large: %d bytes", len(body)), http.StatusRequestEntityTooLarge)
		return
	}
	var in struct {
		Streams []struct {
			Stream map[string]string
			Values [][2]string
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var problem string
	for _, one := range in.Streams {
		if !maps.Equal(one.Stream, map[string]string{
			"job": "airstrip", "site": "https://panel.example",
			"log": one.Stream["log"],
		}) {
			s.Errorf("labels %v", one.Stream)
		}
		if len(one.Stream) > s.labels {
			problem = fmt.Sprintf("entry for stream '%v' has %d label names; limit %d", one.Stream, len(one.Stream), s.labels)
			continue
		}
		for _, v := range one.Values {
			problem = cmp.Or(s.take(one.Stream["log"], v[0], v[1]), problem)
		}
	}
	s.mu.Lock()
	silent := s.silent
	s.mu.Unlock()
	switch {
	case silent:
		panic(http.ErrAbortHandler)
	case problem != "":
		http.Error(w, problem, http.StatusBadRequest)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// take takes a line, or returns why not.
func (s *standIn) take(log, at, text string) (problem string) {
	nanos, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		s.Error(err)
	}
	written := time.Unix(0, nanos)
	switch {
	case len(text) > maxLine:
		return fmt.Sprintf("max entry size '%d' bytes exceeded for stream '%s'", maxLine, log)
	case written.Before(s.now().Add(-s.maxAge)):
		return fmt.Sprintf("entry for stream '%s' has timestamp too old: %v", log, written)
	case written.After(s.now().Add(grace)):
		return fmt.Sprintf("entry for stream '%s' has timestamp too new: %v", log, written)
	case s.has[log+at+text]:
		return ""
	case nanos < s.newest[log]:
		return fmt.Sprintf("entry with timestamp %v ignored, reason: 'entry out of order', total ignored: 1", written)
	}
	var row map[string]any
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		s.Error(err)
	}
	if t, err := time.Parse(time.RFC3339Nano, row["at"].(string)); err != nil || t.UnixNano() > nanos {
		s.Errorf("the line %v is of %s, %v", row, at, err)
	}
	s.has[log+at+text], s.newest[log] = true, nanos
	s.lines[log] = append(s.lines[log], row)
	return ""
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
		w := &world{db: d, now: time.Date(2026, 1, 31, 4, 0, 0, 123_000_000, time.UTC)}
		w.standIn = &standIn{
			T: t, lines: map[string][]map[string]any{}, has: map[string]bool{}, newest: map[string]int64{},
			maxAge: 7 * 24 * time.Hour, labels: maxLabels, now: func() time.Time { return w.now },
		}
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
		w.maxAge = 2 * time.Minute // what Loki refuses itself would be refused for ever
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
		w.run(`UPDATE loki_cursor SET last_at = NULL`) // as earlier versions left it
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

func (s *standIn) setSilent(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

// killed has the answers of pushes lost, as by a kill of the process, and goes on with another process.
func (w *world) killed() {
	w.Helper()
	w.setSilent(true)
	if n, err := w.loki.Export(w.Context()); !errors.Is(err, loki.ErrFailed) || n != 0 {
		w.Fatalf("%d, %v", n, err)
	}
	w.setSilent(false)
	w.loki = loki.New(w.db, w.settings, w.secrets, "https://panel.example")
}

func TestAnswerIsLost_LinesAreThereOnceAndInOrder(t *testing.T) {
	each(t, func(w *world) {
		w.set("loki_push_url", w.url)
		w.signIns(3, w.now.Add(-2*time.Hour))
		w.signIns(2, w.now.Add(-4*time.Hour)) // of a server whose clock is behind
		w.killed()
		w.signIns(2, w.now.Add(-3*time.Hour))
		w.killed()
		w.export(7)
		w.signIns(1, w.now.Add(-5*time.Hour))
		w.export(1)
		w.export(0)
		if got := w.ids("sign_in"); got != "1 2 3 4 5 6 7 8" {
			t.Error(got)
		}
	})
}

func TestPushIsRefusedAsAWhole_NothingIsPassedOver(t *testing.T) {
	each(t, func(w *world) {
		w.set("loki_push_url", w.url)
		w.signIns(3, w.now.Add(-time.Hour))
		w.labels = 2
		if n, err := w.loki.Export(t.Context()); !errors.Is(err, loki.ErrFailed) || n != 0 {
			t.Fatal(n, err)
		}
		w.labels = maxLabels
		w.export(3)
		if got := w.ids("sign_in"); got != "1 2 3" {
			t.Error(got)
		}
	})
}

func TestLongLines_PushesStaySmall(t *testing.T) {
	each(t, func(w *world) {
		w.set("loki_push_url", w.url)
		for range 9 {
			w.run(`INSERT INTO sign_in (email, network, ip, user_agent, wrong, at)
				VALUES ('a@example.com', '192.0.2.1', '192.0.2.1', ?, '', ?)`, strings.Repeat("x", 250_000),
				w.now.Add(-time.Hour))
		}
		w.export(9)
		if got := w.ids("sign_in"); got != "1 2 3 4 5 6 7 8 9" || w.pushes != 3 {
			t.Error(got, w.pushes)
		}
	})
}

func TestLokiIsAway_IsAskedLessAndLess(t *testing.T) {
	each(t, func(w *world) {
		w.set("loki_push_url", w.url)
		w.signIns(1, w.now.Add(-time.Hour))
		q := job.New(w.db)
		w.loki.Register(q)
		w.status = http.StatusBadGateway
		var asked []int
		for minute := range 140 {
			before := w.pushes
			if err := q.Trigger(t.Context(), "loki.export"); err != nil && !errors.Is(err, loki.ErrFailed) {
				t.Fatal(err)
			}
			if w.pushes > before {
				asked = append(asked, minute)
			}
			w.now = w.now.Add(time.Minute)
		}
		if !slices.Equal(asked, []int{0, 1, 3, 7, 15, 31, 63, 95, 127}) {
			t.Errorf("asked in the minutes %v", asked)
		}
		w.status = 0
		w.export(1) // whoever asks for it does not wait
		w.signIns(1, w.now.Add(-time.Minute))
		if err := q.Trigger(t.Context(), "loki.export"); err != nil {
			t.Fatal(err)
		}
		if got := w.ids("sign_in"); got != "1 2" {
			t.Error(got)
		}
	})
}
