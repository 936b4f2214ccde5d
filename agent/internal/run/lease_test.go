package run_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// lessor has the server give leases: as many bytes beyond what is open as each says, until all are spent.
func (w *world) lessor(step, all int64) {
	fault := w.fault
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if fault != nil && fault(rw, r) {
			return true
		}
		if r.URL.Path != "/api/agent/v1/leases" {
			return false
		}
		var in struct{ Users []api.LeaseAsk }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			w.t.Error(err)
		}
		out := api.Leases{Seconds: 3600}
		for _, u := range in.Users {
			w.mu.Lock()
			left := all - w.billed[u.UserID]
			w.mu.Unlock()
			bytes := min(u.Open+step, max(left, u.Open))
			out.Leases = append(out.Leases, api.Lease{UserID: u.UserID, Bytes: &bytes, Spent: left <= u.Open})
		}
		json.NewEncoder(rw).Encode(out)
		return true
	}
}

func leasing(id, idle int64) api.User {
	u := User(id)
	u.Idle, u.Remaining = &idle, &[]int64{1 << 40}[0]
	return u
}

// A connection moves on across many leases without being cut, up to the last byte there is.
func TestLeasesFollowOneAnotherWithoutACut(t *testing.T) {
	t.Parallel()
	const all = 3_000_000
	w := newWorld(t, leasing(1, 10_000))
	w.lessor(100_000, all)
	w.start()
	c := w.client(User(1))
	w.letsIn(c, "the user")
	conn := c.Dial(w.echo)
	for range 10 {
		w.mustExchange(conn, 100_000) // each byte goes there and back
	}
	if got, err := Exchange(conn, 4_000_000); err == nil {
		t.Fatalf("%d bytes more went through", got)
	}
	w.stops(c, "a user with nothing left")
	eventually(t, 10*time.Second, "all is billed", func() bool { return w.bill(1) >= all })
	if over := w.bill(1) - all; over > 512<<10 { // what buffers held
		t.Errorf("overrun by %d", over)
	}
}

// Where the server stays silent a user gets no further than the lease, and goes on when it is back.
func TestWithoutTheServerALeaseEnds(t *testing.T) {
	t.Parallel()
	const step = 1_000_000
	w := newWorld(t, leasing(1, 10_000))
	w.lessor(step, 1<<40)
	w.start()
	c := w.client(User(1))
	w.letsIn(c, "the user")
	conn := c.Dial(w.echo)
	w.mustExchange(conn, 10_000)
	eventually(t, 10*time.Second, "the first bytes are billed", func() bool { return w.bill(1) > 0 })
	gives := w.fault
	w.set(func() {
		w.fault = func(rw http.ResponseWriter, _ *http.Request) bool { failure(rw, 503, "away"); return true }
	})
	before := w.bill(1)
	got, err := Exchange(conn, 4*step)
	if err == nil || got > step {
		t.Fatalf("%d bytes without the server: %v", got, err)
	}
	w.set(func() { w.fault = gives })
	w.publish(api.Change{Users: []api.User{leasing(1, 10_000)}}) // as any change of the user's does
	w.letsIn(c, "the user, once the server is back")
	w.mustExchange(c.Dial(w.echo), 2*step)
	eventually(t, 10*time.Second, "all is billed", func() bool { return w.bill(1) >= before+4*step })
}

// A server without leases, or one that was set back to a version that gives none, is followed as ever.
func TestAServerThatGivesNoLeases(t *testing.T) {
	t.Parallel()
	w := newWorld(t, leasing(1, 1000))
	w.start()
	c := w.client(User(1))
	w.letsIn(c, "the user")
	w.mustExchange(c.Dial(w.echo), 2_000_000)
}

// A restarted agent goes on with the leases that it had, also while the server is away, and not with those that lapsed.
func TestLeasesOutliveARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, leasing(1, 1000), leasing(2, 1000))
	w.lessor(10_000_000, 1<<40)
	w.start()
	c := w.client(User(1))
	w.letsIn(c, "the user")
	w.mustExchange(c.Dial(w.echo), 500_000)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.set(func() {
		w.fault = func(rw http.ResponseWriter, _ *http.Request) bool { failure(rw, 503, "away"); return true }
	})
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 2_000_000)
	if got, err := Exchange(w.client(User(2)).Dial(w.echo), 500_000); err == nil || got > 100_000 {
		t.Errorf("without a lease %d went through: %v", got, err)
	}
}

// What the server keeps for staff is an error in the log.
func TestAKeptBatchIsAnErrorInTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/agent/v1/reports" {
			return false
		}
		json.NewEncoder(rw).Encode(api.Receipt{Result: "counted", Kept: "too_old"})
		return true
	}
	log := new(output)
	w.startLogging(log)
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	eventually(t, 10*time.Second, "the log says so", func() bool {
		said := log.String()
		return strings.Contains(said, "level=ERROR") && strings.Contains(said, "reason=too_old") &&
			strings.Contains(said, "airstrip node kept")
	})
}
