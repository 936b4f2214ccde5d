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

// The clocks of nodes may be wrong by years, and may jump; what they report must be of the time in which it was moved.
func TestReportsBearTheTimeOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	ahead := 400 * 24 * time.Hour
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		return false
	}
	w.start()
	conn := w.client(User(1)).Dial(w.echo)
	w.mustExchange(conn, 1000)
	w.billedExactly(1, 2000)
	w.set(func() { ahead = -400 * 24 * time.Hour })
	eventually(t, 30*time.Second, "an answer tells the other time", func() bool { return w.beats() > 1 })
	w.mustExchange(conn, 1000)
	w.billedExactly(1, 4000)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, r := range w.reports {
		if r.To.Before(r.From) {
			t.Errorf("report %d ends before it begins: %s to %s", i, r.From, r.To)
		}
	}
	first, last := w.reports[0], w.reports[len(w.reports)-1]
	if off := time.Until(first.To) - 400*24*time.Hour; off.Abs() > time.Hour {
		t.Errorf("the first report ends %s from the server's time", off)
	}
	if off := time.Until(last.To) + 400*24*time.Hour; off.Abs() > time.Hour {
		t.Errorf("the last report, after the clock was set back, ends %s from the server's time", off)
	}
}

// The clock of a machine that has just started may be years behind, and the server may not be there to tell the time.
func TestWhatMovesBeforeTheServerTellsTheTimeIsBilledToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	x := w.wired()
	const ahead = 400 * 24 * time.Hour
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		if !strings.HasSuffix(r.URL.Path, "/reports") {
			return false
		}
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var report api.Report
		if json.Unmarshal(body, &report); err == nil && time.Until(report.To) < ahead-30*24*time.Hour {
			failure(rw, 410, "batch_too_old")
			return true
		}
		return false
	}
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	w.billedExactly(1, 2000)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	x.set(func() { x.refuses = true })
	for range 2 {
		w.start()
		w.mustExchange(w.client(User(1)).Dial(w.echo), 5000)
		time.Sleep(3 * time.Second) // some reporting intervals
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
	}
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 5000)
	time.Sleep(2 * time.Second)
	x.set(func() { x.refuses = false })
	w.billedExactly(1, 32_000)
}
