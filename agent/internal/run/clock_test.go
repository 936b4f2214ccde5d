package run_test

import (
	"net/http"
	"testing"
	"time"

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
	if off := time.Until(first.To) - 400*24*time.Hour; off.Abs() > time.Minute {
		t.Errorf("the first report ends %s from the server's time", off)
	}
	if off := time.Until(last.To) + 400*24*time.Hour; off.Abs() > time.Minute {
		t.Errorf("the last report, after the clock was set back, ends %s from the server's time", off)
	}
}
