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

// grantLeases makes the server grant leases of step bytes beyond the unanswered ones, until all bytes are used.
func (e *testEnv) grantLeases(step, all int64) {
	fault := e.fault
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if fault != nil && fault(rw, r) {
			return true
		}
		if r.URL.Path != "/api/agent/v1/leases" {
			return false
		}
		var in struct{ Users []api.LeaseRequest }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			e.t.Error(err)
		}
		out := api.Leases{Seconds: 3600}
		for _, u := range in.Users {
			e.mu.Lock()
			left := all - e.billed[u.UserID]
			e.mu.Unlock()
			bytes := min(u.Open+step, max(left, u.Open))
			out.Leases = append(out.Leases, api.Lease{UserID: u.UserID, Bytes: &bytes, Spent: left <= u.Open})
		}
		json.NewEncoder(rw).Encode(out)
		return true
	})
}

func leasedUser(id, idle int64) api.User {
	u := User(id)
	u.Idle, u.Remaining = &idle, &[]int64{1 << 40}[0]
	return u
}

// A connection continues across many leases without being cut, up to the last byte.
func TestLeases_Renewed_ConnectionContinues(t *testing.T) {
	t.Parallel()
	const all = 3_000_000
	e := newTestEnv(t, leasedUser(1, 10_000))
	e.grantLeases(100_000, all)
	e.start()
	c := e.client(User(1))
	e.mustLetIn(c, "the user")
	conn := c.Dial(e.echo)
	for range 10 {
		e.mustExchange(conn, 100_000) // Each byte passes in both directions.
	}
	if got, err := Exchange(conn, 4_000_000); err == nil {
		t.Fatalf("%d bytes more went through", got)
	}
	e.mustRefuse(c, "a user with nothing left")
	eventually(t, 10*time.Second, "all is billed", func() bool { return e.billedBytes(1) >= all })
	if over := e.billedBytes(1) - all; over > 512<<10 { // Content of buffers.
		t.Errorf("overrun by %d", over)
	}
}

// While the server does not answer, a user stops at the end of the lease, and continues when it is back.
func TestLeases_ServerAway_StopAtEndOfLease(t *testing.T) {
	t.Parallel()
	const step = 1_000_000
	e := newTestEnv(t, leasedUser(1, 10_000))
	e.grantLeases(step, 1<<40)
	e.start()
	c := e.client(User(1))
	e.mustLetIn(c, "the user")
	conn := c.Dial(e.echo)
	e.mustExchange(conn, 10_000)
	eventually(t, 10*time.Second, "the first bytes are billed", func() bool { return e.billedBytes(1) > 0 })
	gives := e.fault
	e.set(func() {
		e.fault = func(rw http.ResponseWriter, _ *http.Request) bool { writeError(rw, 503, "away"); return true }
	})
	before := e.billedBytes(1)
	got, err := Exchange(conn, 4*step)
	if err == nil || got > step {
		t.Fatalf("%d bytes without the server: %v", got, err)
	}
	e.set(func() { e.fault = gives })
	e.publish(api.Change{Users: []api.User{leasedUser(1, 10_000)}}) // Any change of the user does the same.
	e.mustLetIn(c, "the user, once the server is back")
	e.mustExchange(c.Dial(e.echo), 2*step)
	eventually(t, 10*time.Second, "all is billed", func() bool { return e.billedBytes(1) >= before+4*step })
}

// A server without leases, or one that was downgraded to such a version, is followed as before.
func TestLeases_ServerWithoutLeases_UsersContinue(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, leasedUser(1, 1000))
	e.start()
	c := e.client(User(1))
	e.mustLetIn(c, "the user")
	e.mustExchange(c.Dial(e.echo), 2_000_000)
}

// A restarted agent continues with its leases, also while the server is away, but not with expired ones.
func TestLeases_SurviveRestart(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, leasedUser(1, 1000), leasedUser(2, 1000))
	e.grantLeases(10_000_000, 1<<40)
	e.start()
	c := e.client(User(1))
	e.mustLetIn(c, "the user")
	e.mustExchange(c.Dial(e.echo), 500_000)
	if err := e.stop(); err != nil {
		t.Fatal(err)
	}
	e.set(func() {
		e.fault = func(rw http.ResponseWriter, _ *http.Request) bool { writeError(rw, 503, "away"); return true }
	})
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 2_000_000)
	if got, err := Exchange(e.client(User(2)).Dial(e.echo), 500_000); err == nil || got > 100_000 {
		t.Errorf("without a lease %d went through: %v", got, err)
	}
}

// Traffic that the server holds for staff is an error in the log.
func TestReport_HeldByServer_IsLoggedAsError(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/agent/v1/reports" {
			return false
		}
		json.NewEncoder(rw).Encode(api.Receipt{Result: "counted", Held: "too_old"})
		return true
	})
	log := new(output)
	e.startLogging(log)
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	eventually(t, 10*time.Second, "the log says so", func() bool {
		said := log.String()
		return strings.Contains(said, "level=ERROR") && strings.Contains(said, "reason=too_old") &&
			strings.Contains(said, "airstrip node held")
	})
}
