package run_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// The clocks of nodes may be wrong by years and may jump. Reports still carry the time in which the traffic passed.
func TestReports_UseServerTime(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	ahead := 400 * 24 * time.Hour
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		return false
	})
	e.start()
	conn := e.client(User(1)).Dial(e.echo)
	e.mustExchange(conn, 1000)
	e.mustBill(1, 2000)
	e.set(func() { ahead = -400 * 24 * time.Hour })
	eventually(t, 30*time.Second, "an answer tells the other time", func() bool { return e.heartbeatCount() > 1 })
	e.mustExchange(conn, 1000)
	e.mustBill(1, 4000)
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, r := range e.reports {
		if r.To.Before(r.From) {
			t.Errorf("report %d ends before it begins: %s to %s", i, r.From, r.To)
		}
	}
	first, last := e.reports[0], e.reports[len(e.reports)-1]
	if off := time.Until(first.To) - 400*24*time.Hour; off.Abs() > time.Hour {
		t.Errorf("the first report ends %s from the server's time", off)
	}
	if off := time.Until(last.To) + 400*24*time.Hour; off.Abs() > time.Hour {
		t.Errorf("the last report, after the clock was set back, ends %s from the server's time", off)
	}
}

// The clock of a machine that has just started may be years behind while the server is not there to give the time.
func TestReports_TrafficBeforeServerTimeIsKnown_IsBilled(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	x := e.withProxy()
	const ahead = 400 * 24 * time.Hour
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		if !strings.HasSuffix(r.URL.Path, "/reports") {
			return false
		}
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var report api.Report
		if json.Unmarshal(body, &report); err == nil && time.Until(report.To) < ahead-30*24*time.Hour {
			writeError(rw, 410, "batch_too_old")
			return true
		}
		return false
	})
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	e.mustBill(1, 2000)
	if err := e.stop(); err != nil {
		t.Fatal(err)
	}
	x.set(func() { x.refuses = true })
	for range 2 {
		e.start()
		e.mustExchange(e.client(User(1)).Dial(e.echo), 5000)
		x.awaitRefusals(t, 3)
		if err := e.stop(); err != nil {
			t.Fatal(err)
		}
	}
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 5000)
	x.awaitRefusals(t, 3)
	x.set(func() { x.refuses = false })
	e.mustBill(1, 32_000)
}
